import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  Decimal,
  type InvoiceAdjustedEvent,
  type InvoiceEvent,
  parseInvoiceEvent,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../src/webhooks/index.ts';
import { NOW, SECRET, UUID } from '../vectors.ts';

const paid = {
  invoice_uuid: UUID,
  external_id: 'order-1042',
  status: 'success',
  amount: '25.00',
  credited_usdt: '26.91',
  adjusted: false,
};
const canceled = { invoice_uuid: UUID, external_id: 'order-1042', status: 'expired', amount: '25.00' };

/** Verifies a genuine delivery of a body. */
async function deliver(
  body: unknown,
  extraHeaders: Record<string, string> = {},
  options: VerifyWebhookOptions = {},
): Promise<InvoiceEvent> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = await signWebhook(text, SECRET, { id: 'dlv_1', timestamp: NOW });
  return await verifyWebhook(text, { ...headers, ...extraHeaders }, SECRET, { now: NOW, ...options });
}

async function malformed(body: unknown, options: VerifyWebhookOptions = {}): Promise<string> {
  const error = await deliver(body, {}, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error(`expected a refusal, got ${JSON.stringify(error)}`);
  expect(error.reason).toBe('malformed_payload');
  expect(error.message).not.toContain('order-1042');
  return error.message;
}

describe('a paid event', () => {
  it('narrows on type and on adjusted', async () => {
    const event = await deliver({ ...paid, amount: '17.00', adjusted: true, original_amount: '25.00' });
    if (event.type !== 'invoice.paid' || !event.adjusted) throw new Error('expected an adjusted paid event');
    expectTypeOf(event.original_amount).toEqualTypeOf<Decimal | null>();
    expectTypeOf<InvoiceAdjustedEvent['credited_usdt']>().toEqualTypeOf<Decimal>();
    expect(event.amount).toEqual(new Decimal(17));
    expect(event.original_amount).toEqual(new Decimal(25));
    expect(event.credited_usdt).toEqual(new Decimal('26.91'));
  });

  it.each([
    ['absent, without original_amount', {}, false],
    ['null, without original_amount', { adjusted: null, original_amount: null }, false],
    ['absent, with original_amount', { original_amount: '30.00' }, true],
    ['true, with original_amount', { adjusted: true, original_amount: '30.00' }, true],
    ['false, with the same original_amount', { adjusted: false, original_amount: '25.0' }, false],
  ])('with adjusted %s', async (_name, members, adjusted) => {
    const { adjusted: _dropped, ...rest } = paid;
    const event = await deliver({ ...rest, ...members });
    expect(event).toMatchObject({ adjusted, original_amount: adjusted ? new Decimal(30) : null });
  });

  it('is adjusted without original_amount where the delivery does not say it', async () => {
    for (const original_amount of [undefined, null]) {
      const event = await deliver({ ...paid, adjusted: true, original_amount });
      expect(event).toMatchObject({ type: 'invoice.paid', adjusted: true, original_amount: null });
      expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
    }
  });

  it.each([
    ['credited_usdt is missing', { credited_usdt: undefined }, '"credited_usdt" is missing'],
    ['credited_usdt is null', { credited_usdt: null }, '"credited_usdt" is missing'],
    ['credited_usdt is no amount', { credited_usdt: '1e555' }, '"credited_usdt" must be a decimal'],
    ['amount is missing', { amount: undefined }, '"amount" is missing'],
    ['amount is a number with too many digits', { amount: 1 / 3 }, '"amount" must be a decimal string'],
    ['amount is empty', { amount: '' }, '"amount" must be a decimal'],
    ['credited_usdt is negative', { credited_usdt: '-26.91' }, '"credited_usdt" is negative'],
    ['amount is negative', { amount: '-0.01' }, '"amount" is negative'],
    ['original_amount is negative', { adjusted: true, original_amount: '-1' }, '"original_amount" is negative'],
    ['adjusted is text', { adjusted: 'true' }, '"adjusted" is not a boolean'],
    ['adjusted is false, but the amounts differ', { original_amount: '30.00' }, '"original_amount" differs'],
    ['original_amount is no amount', { adjusted: true, original_amount: {} }, '"original_amount" must be'],
    ['invoice_uuid is missing', { invoice_uuid: undefined }, '"invoice_uuid" is not text, missing'],
    ['invoice_uuid is empty', { invoice_uuid: '' }, '"invoice_uuid" is not text'],
    ['invoice_uuid is a number', { invoice_uuid: 5 }, '"invoice_uuid" is not text'],
    ['invoice_uuid is endless', { invoice_uuid: 'x'.repeat(129) }, 'too long'],
    ['the order id is missing', { external_id: undefined }, "the merchant's order id is missing"],
    ['status is missing', { status: undefined }, '"status" is not text'],
    ['status is empty', { status: '' }, '"status" is not text'],
    ['status is a number', { status: 1 }, '"status" is not text'],
    [
      'the name contradicts the status',
      { event: 'invoice.canceled' },
      'the body names the event invoice.canceled, whose status is fail or expired or canceled, but its status is another',
    ],
  ])('is malformed when %s', async (_name, members, message) => {
    expect(await malformed({ ...paid, ...members })).toContain(message);
  });

  it('takes a JSON number that is surely exact', async () => {
    expect(await deliver({ ...paid, amount: 25, credited_usdt: 26.91 })).toMatchObject({
      amount: new Decimal(25),
      credited_usdt: new Decimal('26.91'),
    });
  });
});

describe('a canceled event', () => {
  it('is malformed when something was credited: it is not known whether the order was paid', async () => {
    expect(await malformed({ ...canceled, credited_usdt: '26.91' })).toContain('nothing was paid');
    expect(await deliver({ ...canceled, credited_usdt: '0.00' })).toMatchObject({ type: 'invoice.canceled' });
  });

  it.each(['expired', 'canceled', 'fail'])('comes from status %s', async (status) => {
    expect(await deliver({ ...canceled, status })).toEqual({
      type: 'invoice.canceled',
      source: 'webhook',
      id: 'dlv_1',
      invoice_uuid: UUID,
      external_id: 'order-1042',
      status,
      amount: new Decimal(25),
      credited_usdt: null,
      adjusted: false,
      original_amount: null,
      signed_at: new Date(NOW),
      secretIndex: 0,
      raw: { ...canceled, status },
    });
  });
});

describe('which event it is', () => {
  const known = (body: object, options: VerifyWebhookOptions = {}) => deliver(body, {}, options);

  it.each<[string, object]>([
    ['a customer who returns', { type: 'returning_customer' }],
    ['a way to pay', { type: 'avoid_fee' }],
    ['a kind of transfer', { type: 'sepa.instant' }],
    ['a test', { type: 'test' }],
    ['a refund', { type: 'refund' }],
    ['the object', { type: 'invoice' }],
    ['a number', { type: 7 }],
    ['an object of an envelope', { event: 'invoice.paid', data: { ...paid, type: 'payment:held' } }],
  ])('type is the kind of something, and never the event: %s', async (_, members) => {
    const body = 'data' in members ? members : { ...paid, ...members };
    expect(await known(body)).toMatchObject({ type: 'invoice.paid', external_id: 'order-1042' });
  });

  it.each<[string, object]>([
    ['invoice.refunded', { ...paid, event: 'invoice.refunded' }],
    ['invoice.refunded', { ...paid, event_type: 'invoice.refunded' }],
    ['invoice.refunded', { ...paid, eventType: 'invoice.refunded' }],
    ['invoice.refunded', { ...paid, event_name: 'invoice.refunded' }],
    ['invoice.refunded', { ...paid, eventName: 'invoice.refunded' }],
    ['invoice.refunded', { ...paid, type: 'invoice.refunded' }],
    ['INVOICE_HELD', { ...paid, type: 'INVOICE_HELD' }],
    ['refund.created', { type: 'refund.created', data: paid }],
    ['test', { type: 'test', payload: { invoice: paid } }],
    ['dispute', { event: 'webhook', data: { type: 'webhook', object: { ...paid, event: 'dispute' } } }],
    ['invoice.refunded', { ...paid, event: { type: 'invoice.refunded' } }],
    ['an object', { ...paid, event: { type: 'invoice.paid' } }],
    ['an object', { ...paid, event: {} }],
    ['a list', { ...paid, event: ['invoice.paid'] }],
    ['7', { ...paid, event: 7 }],
    ['false', { type: false, data: paid }],
    ...['test.invoice.paid', 'sandbox:invoice.paid', 'invoice.paid.v1', 'invoice.unpaid', 'invoice.part_paid'].map(
      (event): [string, object] => [event, { ...paid, event }],
    ),
    ...['paid', 'invoice', 'invoicepaid', 'invoice.p\u0430id', 'invoice.paid\u202e', 'Refunded', 'test'].map(
      (event): [string, object] => [event, { ...paid, event }],
    ),
    ['x'.repeat(60_000), { ...paid, event: 'x'.repeat(60_000) }],
  ])('a name that is not known makes the event unknown: %.40s', async (name, body) => {
    const event = await known(body);
    expect(event.type).toBe('unknown');
    expect(event).toMatchObject({ event_name: expect.stringContaining(name), external_id: 'order-1042' });
    expect(await known(body, { eventMember: null })).toMatchObject({ type: 'invoice.paid' });
  });

  it.each([
    'invoice.paid',
    'INVOICE_PAID',
    'InvoicePaid',
    'invoicePaid',
    'invoice paid',
    'invoice-paid',
    ' invoice.paid ',
  ])('a known name is known in the spelling %j, wherever a name stands', async (name) => {
    const canceledName = name.replace(/paid/i, (word) => (word === 'PAID' ? 'CANCELLED' : 'Canceled'));
    for (const member of ['event', 'event_type', 'event_name', 'eventType', 'eventName', 'type']) {
      expect(await known({ ...paid, [member]: name })).toMatchObject({ type: 'invoice.paid' });
      expect(await known({ [member]: name, data: paid })).toMatchObject({ type: 'invoice.paid' });
      expect(await known({ ...canceled, [member]: canceledName })).toMatchObject({ type: 'invoice.canceled' });
      expect(await malformed({ ...canceled, [member]: name })).toContain('its status is another');
    }
  });

  it.each<[string, object]>([
    ['two members', { ...paid, event: 'invoice.refunded', type: 'invoice.paid' }],
    ['two known names', { ...paid, event: 'invoice.paid', type: 'invoice.canceled' }],
    ['the envelope and the invoice', { event: 'invoice.paid', data: { ...paid, event: 'payment.disputed' } }],
    ['two envelopes', { event: 'invoice.paid', data: { type: 'test', object: paid } }],
  ])('two names that differ make the event unknown: %s', async (_, body) => {
    expect(await known(body)).toMatchObject({ type: 'unknown', event_name: expect.stringContaining(', ') });
  });

  it('two spellings of one name are one name', async () => {
    expect(await known({ event: 'INVOICE_PAID', data: { ...paid, type: 'invoice.paid' } })).toMatchObject({
      type: 'invoice.paid',
    });
  });

  it.each([[''], ['  '], [null]])('without a name the status decides: %j', async (event) => {
    expect(await known({ ...paid, event })).toMatchObject({ type: 'invoice.paid' });
    expect(await known({ ...canceled, event })).toMatchObject({ type: 'invoice.canceled' });
    expect(await known({ ...paid, status: 'held', event })).toMatchObject({ type: 'unknown', event_name: null });
  });

  it('eventMember is the only place of the name, and a delivery without it is unknown', async () => {
    const options = { eventMember: 'event.type' };
    expect(await known({ ...paid, event: { type: 'invoice.paid' }, type: 'x' }, options)).toMatchObject({
      type: 'invoice.paid',
    });
    expect(await known({ event: { type: 'refund' }, data: paid }, options)).toMatchObject({ event_name: 'refund' });
    expect(await known({ ...paid, event: 'invoice.paid' }, options)).toMatchObject({ type: 'unknown' });
    expect(await known({ data: { ...paid, kind: 'INVOICE_PAID' } }, { eventMember: 'kind' })).toMatchObject({
      type: 'invoice.paid',
    });
  });

  it.each(['', '.', 'event.', 7])('eventMember is no path as %j', async (eventMember) => {
    await expect(known(paid, { eventMember: eventMember as never })).rejects.toMatchObject({
      code: 'SDK_CONFIGURATION',
      message: expect.stringContaining('a path such as "event.type", or null'),
    });
  });
});

describe('an unknown event', () => {
  it('comes from a new status, and keeps what can be read', async () => {
    expect(
      await deliver({ invoice_uuid: UUID, status: 'held', amount: 'much', credited_usdt: '1.5', extra: 1 }),
    ).toEqual({
      type: 'unknown',
      event_name: null,
      source: 'webhook',
      id: 'dlv_1',
      invoice_uuid: UUID,
      external_id: null,
      status: 'held',
      amount: null,
      credited_usdt: new Decimal('1.5'),
      adjusted: false,
      original_amount: null,
      signed_at: new Date(NOW),
      secretIndex: 0,
      raw: { invoice_uuid: UUID, status: 'held', amount: 'much', credited_usdt: '1.5', extra: 1 },
    });
  });
});

describe('an event of another name', () => {
  it.each<[string, object, object]>([
    ['a test of the dashboard', { event: 'test' }, { event_name: 'test', invoice_uuid: null, status: null }],
    [
      'a withdrawal',
      { event: 'withdrawal.approved', withdrawal_uuid: 'w-1', status: 'approved', amount: '5' },
      { event_name: 'withdrawal.approved', invoice_uuid: null, status: 'approved', amount: new Decimal(5) },
    ],
    [
      'a refund without a status',
      { event: 'invoice.refunded', invoice_uuid: UUID, external_id: 'order-1042' },
      { event_name: 'invoice.refunded', invoice_uuid: UUID, external_id: 'order-1042', status: null },
    ],
  ])('need not be about an invoice: %s', async (_name, body, expected) => {
    const event = await deliver(body);
    expect(event).toMatchObject({ type: 'unknown', ...expected });
    expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('is needed for that: an event without a name, or with a known one, is malformed', async () => {
    expect(await malformed({ test: true })).toContain('no object in it has "invoice_uuid" and "status"');
    const { uuid, ...data } = { ...paid, uuid: UUID, invoice_uuid: undefined };
    expect(await malformed({ event: 'invoice.paid', data: { uuid, ...data } })).toContain('no object in it has');
  });
});

describe('names that the interface does not show', () => {
  it.each([
    'merchant_order_reference',
    'client_invoice_ref',
    'external_id',
    'invoice_external_id',
    'merchant_external_id',
    'merchant_order_id',
    'external_order_id',
    'external_ref',
    'externalReference',
    'EXTERNAL_ORDER_NO',
    'client_reference',
    'client_reference_id',
    'external_invoice_id',
    'merchant_order',
    'merchant_order_number',
    'merchant_reference',
    'merchant-invoice-id',
    'clientOrderId',
    'order_id_merchant',
    'client_ref',
    '_external_id',
    'merchant..order',
    'external - id',
  ])('the order id as %s', async (name) => {
    const { external_id, ...rest } = paid;
    expect(await deliver({ ...rest, [name]: external_id })).toMatchObject({ external_id: 'order-1042' });
    expect(await deliver({ ...rest, [name]: 1042 })).toMatchObject({ external_id: '1042' });
  });

  it('its own name is believed, also where the merchant uses the service order id', async () => {
    const { external_id, ...rest } = paid;
    for (const name of ['external_id', 'merchant_external_id', 'externalId']) {
      expect(await deliver({ ...rest, [name]: UUID, order_id: external_id })).toMatchObject({ external_id: UUID });
    }
    const pinned = { orderIdMember: 'order_id' };
    expect(await deliver({ ...rest, order_id: UUID }, {}, pinned)).toMatchObject({ external_id: UUID });
  });

  it('never the service order id under a second name', async () => {
    const { external_id, ...rest } = paid;
    for (const order_id of [UUID, UUID.toUpperCase(), UUID.replaceAll('-', ''), `urn:uuid:${UUID}`]) {
      const body = { ...rest, external_order_id: order_id, merchant_reference: external_id };
      expect(await deliver(body)).toMatchObject({ external_id: 'order-1042' });
      expect(await malformed({ ...rest, merchant_order_id: order_id })).toContain('No member looks like it');
      expect(await malformed({ ...rest, order: { merchant_order_id: order_id } })).toContain('No member looks like it');
    }
    const upper = { ...rest, invoice_uuid: UUID.toUpperCase() };
    expect(await malformed({ ...upper, merchant_order_id: UUID })).toContain('No member looks like it');
    expect(await malformed({ ...rest, invoice_uuid: '5531', client_order_id: 5531 })).toContain('No member');
  });

  it.each([
    'order_id',
    'order',
    'order_number',
    'reference',
    'id',
    'number',
    'merchant_id',
    'client_id',
    'order_client_id',
    'invoiceMerchantNumber',
    'customer_external_id',
    'client_external_id',
    'external_merchant_id',
    'external_url',
    'merchant_order_status',
  ])('no order id from the weak name %s: it is listed, and not guessed', async (name) => {
    const { external_id, ...rest } = paid;
    const message = await malformed({ ...rest, [name]: external_id });
    if (/url|status/.test(name)) expect(message).toContain('missing');
    else expect(message).toContain(`Members that could be it: ${name}.`);
    const pinned = await deliver({ ...rest, [name]: external_id }, {}, { orderIdMember: name });
    expect(pinned).toMatchObject({ external_id: 'order-1042' });
    expect(await deliver({ ...paid, [name]: 'another' })).toMatchObject({ external_id: 'order-1042' });
  });

  it('no order id from two telling names that differ', async () => {
    const { external_id, ...rest } = paid;
    const body = { ...rest, merchant_order_id: external_id, external_reference: 'other' };
    expect(await malformed(body)).toContain(
      'they differ. Members that could be it: merchant_order_id, external_reference.',
    );
    expect(await deliver({ ...body, external_reference: external_id })).toMatchObject({ external_id: 'order-1042' });
    expect(await malformed({ data: { ...rest, merchant_order_id: external_id }, external_id: 'evt' })).toContain(
      'differ',
    );
    const orderIdMember = 'merchant_order_id';
    expect(await deliver(body, {}, { orderIdMember })).toMatchObject({ external_id: 'order-1042' });
    expect(await deliver({ ...body, status: 'held' })).toMatchObject({ type: 'unknown', external_id: null });
  });

  it('the names of members, and nothing else, where there is no order id', async () => {
    const { external_id: _dropped, ...rest } = paid;
    const message = await malformed({
      ...rest,
      order_id: 'secret-1',
      order: { id: 'secret-2', total: '25.00' },
      'ref\u001b[2J\u202e id': 'secret-3',
      customer: { note: 'secret-4' },
      [`order_${'x'.repeat(100)}`]: 'secret-5',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`id_${index}`, `secret-${index}`])),
    });
    expect(message).toContain('order_id, order.id, ref\\u001b[2J\\u202e id, id_0,');
    expect(message).not.toMatch(/secret|xxx|id_9/);
    expect(message.length).toBeLessThan(600);
  });

  it.each([
    { order: { external_id: 'order-1042' } },
    { order: { merchant_order_id: 1042 } },
    { invoice: { external_ref: 'order-1042' } },
    { order: 5.5, merchant: [], invoice: { merchant_order_number: 'order-1042' } },
  ])('the order id in an object of its own: %j', async (members) => {
    const { external_id: _dropped, ...rest } = paid;
    const external_id = expect.stringMatching(/^(?:order-)?1042$/);
    expect(await deliver({ ...rest, ...members })).toMatchObject({ external_id });
    expect(await deliver({ data: rest, ...members })).toMatchObject({ external_id });
    expect(await deliver({ data: { ...rest, ...members } })).toMatchObject({ external_id });
    expect(await deliver({ ...paid, ...members, external_id: 'own' })).toMatchObject({ external_id: 'own' });
  });

  it.each(['data', 'payload', 'invoice', 'object'])('an envelope around it in "%s"', async (member) => {
    const body = { event: 'invoice.paid', created_at: '2026-01-01T00:00:00Z', [member]: paid };
    expect(await deliver(body)).toMatchObject({ type: 'invoice.paid', external_id: 'order-1042', raw: body });
    expect(await malformed({ ...body, event: 'invoice.canceled' })).toContain('another');
  });

  it.each(['data', 'payload', 'invoice', 'object'])('members split between the body and "%s"', async (member) => {
    const { invoice_uuid, external_id, status, ...rest } = paid;
    const { amount, ...others } = rest;
    const expected = { type: 'invoice.paid', invoice_uuid: UUID, external_id: 'order-1042', amount: new Decimal(25) };
    for (const body of [
      { invoice_uuid, [member]: { ...rest, status, external_id } },
      { invoice_uuid, external_id, [member]: { ...rest, status } },
      { invoice_uuid, external_id, status: null, [member]: { ...rest, status } },
      { invoice_uuid, external_id, meta: {}, [member]: { ...rest, status, invoice_uuid: 'other' } },
      { external_id, status, [member]: { ...rest, invoice_uuid } },
      { invoice_uuid, amount, [member]: { ...others, status, external_id } },
      { invoice_uuid, amount: '1.00', [member]: { ...rest, status, external_id } },
    ]) {
      expect(await deliver(body)).toMatchObject({ ...expected, raw: body });
    }
    expect(await malformed({ invoice_uuid, external_id, [member]: rest })).toContain('"status"');
  });

  it('a body that is whole, whatever else stands beside it', async () => {
    const body = { ...paid, data: { ...paid, amount: '1.00', status: 'fail' } };
    expect(await deliver(body)).toMatchObject({ type: 'invoice.paid', amount: new Decimal(25) });
    const enveloped = { status: 'ok', amount: '1.00', adjusted: true, original_amount: '9', data: canceled };
    expect(await deliver(enveloped)).toMatchObject({ type: 'invoice.canceled', amount: new Decimal(25) });
    const { adjusted: _dropped, ...exact } = paid;
    expect(await deliver({ original_amount: '9', data: exact })).toMatchObject({ adjusted: false });
  });
});

describe('orderIdMember', () => {
  const orderIdMember = 'shop_order';
  const { external_id, ...rest } = paid;
  const other = { ...rest, external_id: 'not this one' };

  it('is the only name that is looked for', async () => {
    for (const body of [
      { ...other, shop_order: external_id },
      { data: other, shop_order: external_id },
    ]) {
      expect(await deliver(body, {}, { orderIdMember })).toMatchObject({ external_id: 'order-1042' });
    }
    expect(await deliver({ ...paid, status: 'held' }, {}, { orderIdMember })).toMatchObject({ external_id: null });
    expect(await malformed({ ...paid, order: paid }, { orderIdMember })).toContain(
      'orderIdMember is shop_order. Members that could be it: external_id, order.external_id',
    );
  });

  it('takes a path, from the invoice or from the whole body', async () => {
    for (const [path, body] of [
      ['order.id', { ...other, order: { id: external_id } }],
      ['order.id', { data: { ...other, order: { id: external_id } } }],
      ['order.id', { data: other, order: { id: external_id } }],
      ['data.order.id', { data: { ...other, order: { id: external_id } } }],
      ['meta.shop.order', { ...other, meta: { shop: { order: 1042 } } }],
      ['order.id', { ...other, 'order.id': external_id }],
    ] as const) {
      const event = await deliver(body, {}, { orderIdMember: path });
      expect(event).toMatchObject({ external_id: path === 'meta.shop.order' ? '1042' : 'order-1042' });
    }
    for (const order of ['text', null, [], { id: '' }, { id: 1.5 }, { id: { id: 'x' } }]) {
      expect(await malformed({ ...other, order }, { orderIdMember: 'order.id' })).toContain(
        'orderIdMember is order.id',
      );
    }
    const inherited = `${JSON.stringify(rest).slice(0, -1)},"order":{"__proto__":{"id":"x"}}}`;
    expect(await malformed(inherited, { orderIdMember: 'order.id' })).toContain('order id is missing');
  });

  it.each(['', '.', 'order.', '.id', 'order..id', 7, null])('is no path as %j', async (orderIdMember) => {
    const error = await deliver(paid, {}, { orderIdMember: orderIdMember as never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SDK_CONFIGURATION', message: expect.stringContaining('a path such as') });
  });
});

describe('a hostile payload', () => {
  it('cannot supply members through __proto__', async () => {
    const { status: _status, ...rest } = paid;
    const text = `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"status":"success"}}`;
    expect(await malformed(text)).toContain('"status"');
    const kept = `${JSON.stringify(paid).slice(0, -1)},"__proto__":{"isAdmin":true}}`;
    const event = await deliver(kept);
    expect(Reflect.get(event, 'isAdmin')).toBeUndefined();
    expect(Reflect.get(event.raw, 'isAdmin')).toBeUndefined();
  });
});

describe('parseInvoiceEvent', () => {
  it.each([
    ['exact', paid],
    ['adjusted', { ...paid, adjusted: true, original_amount: '30' }],
    ['canceled', canceled],
    ['unknown by status', { ...canceled, status: 'held' }],
    ['unknown by name', { ...paid, event: 'invoice.refunded', adjusted: true }],
    ['enveloped', { event: 'invoice.paid', data: paid }],
  ])('gives an equal event back: %s', async (_name, body) => {
    const event = await deliver(body);
    expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it.each([
    ['source', 'post'],
    ['type', 'invoice.canceled'],
    ['status', 5],
    ['credited_usdt', null],
    ['amount', 'x'],
    ['signed_at', 'yesterday'],
    ['secretIndex', -1],
    ['id', 7],
    ['raw', null],
    ['external_id', null],
  ])('refuses an event whose %s is %s', async (name, value) => {
    const json = JSON.parse(JSON.stringify(await deliver(paid)));
    expect(() => parseInvoiceEvent({ ...json, [name]: value })).toThrow(WebhookVerificationError);
  });
});
