import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  Decimal,
  type InvoiceEvent,
  type InvoicePaidEvent,
  parseInvoiceEvent,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../src/webhooks/index.ts';
import { NOW, SECRET, UUID } from './vectors.ts';

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
async function deliver(body: unknown, extraHeaders: Record<string, string> = {}): Promise<InvoiceEvent> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = await signWebhook(text, SECRET, { id: 'dlv_1', timestamp: NOW });
  return await verifyWebhook(text, { ...headers, ...extraHeaders }, SECRET, { now: NOW });
}

async function malformed(body: unknown): Promise<string> {
  const error = await deliver(body).catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error(`expected a refusal, got ${JSON.stringify(error)}`);
  expect(error.reason).toBe('malformed_payload');
  expect(error.message).not.toContain('order-1042');
  return error.message;
}

describe('a paid event', () => {
  it('narrows on type and on adjusted', async () => {
    const event = await deliver({ ...paid, amount: '17.00', adjusted: true, original_amount: '25.00' });
    if (event.type !== 'invoice.paid' || !event.adjusted) throw new Error('expected an adjusted paid event');
    expectTypeOf(event.original_amount).toEqualTypeOf<Decimal>();
    expectTypeOf<InvoicePaidEvent['credited_usdt']>().toEqualTypeOf<Decimal>();
    expect(event.amount).toEqual(new Decimal(17));
    expect(event.original_amount).toEqual(new Decimal(25));
    expect(event.credited_usdt).toEqual(new Decimal('26.91'));
  });

  it.each([
    ['absent, without original_amount', {}, false],
    ['null, without original_amount', { adjusted: null, original_amount: null }, false],
    ['absent, with original_amount', { original_amount: '30.00' }, true],
    ['false, with the same original_amount', { adjusted: false, original_amount: '25.0' }, false],
  ])('with adjusted %s', async (_name, members, adjusted) => {
    const { adjusted: _dropped, ...rest } = paid;
    const event = await deliver({ ...rest, ...members });
    expect(event).toMatchObject({ adjusted, original_amount: adjusted ? new Decimal(30) : null });
  });

  it.each([
    ['credited_usdt is missing', { credited_usdt: undefined }, '"credited_usdt" is missing'],
    ['credited_usdt is null', { credited_usdt: null }, '"credited_usdt" is missing'],
    ['credited_usdt is no amount', { credited_usdt: '1e5' }, '"credited_usdt" must be a decimal'],
    ['amount is missing', { amount: undefined }, '"amount" is missing'],
    ['amount is a number with too many digits', { amount: 1 / 3 }, '"amount" must be a decimal string'],
    ['amount is empty', { amount: '' }, '"amount" must be a decimal'],
    ['adjusted is true without original_amount', { adjusted: true }, '"original_amount" is missing'],
    ['adjusted is text', { adjusted: 'true' }, '"adjusted" is not a boolean'],
    ['adjusted is false, but the amounts differ', { original_amount: '30.00' }, '"original_amount" differs'],
    ['original_amount is no amount', { adjusted: true, original_amount: {} }, '"original_amount" must be'],
    ['invoice_uuid is missing', { invoice_uuid: undefined }, '"invoice_uuid" is not text, missing'],
    ['invoice_uuid is a number', { invoice_uuid: 5 }, '"invoice_uuid" is not text'],
    ['invoice_uuid is endless', { invoice_uuid: 'x'.repeat(129) }, 'too long'],
    ['the order id is missing', { external_id: undefined }, "the merchant's order id is missing"],
    ['status is missing', { status: undefined }, '"status" is not text'],
    ['the name contradicts the status', { event: 'invoice.canceled' }, 'invoice.canceled, whose status is expired'],
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

  it('is malformed when the body names it paid', async () => {
    expect(await malformed({ ...canceled, event: 'invoice.paid' })).toContain('invoice.paid, whose status is success');
  });
});

describe('the name of the event', () => {
  it.each(['event', 'event_type', 'event_name', 'type'])('is taken from "%s"', async (member) => {
    for (const name of ['invoice.paid', 'INVOICE_PAID', 'invoice:paid']) {
      expect(await deliver({ ...paid, [member]: name })).toMatchObject({ type: 'invoice.paid' });
    }
    expect(await deliver({ ...canceled, [member]: 'invoice.cancelled' })).toMatchObject({ type: 'invoice.canceled' });
    expect(await malformed({ ...paid, [member]: 'invoice.canceled' })).toContain('another');
  });

  it('makes an event unknown that this package does not know, whatever its status', async () => {
    expect(await deliver({ ...paid, event: 'invoice.refunded' })).toMatchObject({
      type: 'unknown',
      event_name: 'invoice.refunded',
      status: 'success',
      external_id: 'order-1042',
    });
    expect(await deliver({ ...paid, event: 'refund' })).toMatchObject({ type: 'unknown', event_name: 'refund' });
  });

  it('is not the name of the object', async () => {
    expect(await deliver({ ...paid, type: 'invoice' })).toMatchObject({ type: 'invoice.paid' });
  });

  it('is not taken from the unsigned header, except to name what is unknown anyway', async () => {
    expect(await deliver(paid, { 'X-Webhook-Event': 'invoice.canceled' })).toMatchObject({ type: 'invoice.paid' });
    expect(await deliver({ ...paid, status: 'held' }, { 'X-Webhook-Event': 'invoice.held' })).toMatchObject({
      type: 'unknown',
      event_name: 'invoice.held',
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

describe('names that the interface does not show', () => {
  it.each([
    'external_id',
    'invoice_external_id',
    'merchant_external_id',
    'merchant_order_id',
    'order_id',
    'external_order_id',
    'orderId',
  ])('the order id as %s', async (name) => {
    const { external_id, ...rest } = paid;
    expect(await deliver({ ...rest, [name]: external_id })).toMatchObject({ external_id: 'order-1042' });
    expect(await deliver({ ...rest, [name]: 1042 })).toMatchObject({ external_id: '1042' });
  });

  it('never the service order id under a second name', async () => {
    const { external_id, ...rest } = paid;
    const body = { ...rest, order_id: UUID, reference: external_id };
    expect(await deliver(body)).toMatchObject({ external_id: 'order-1042' });
  });

  it.each(['data', 'payload', 'invoice', 'object'])('an envelope around it in "%s"', async (member) => {
    const body = { event: 'invoice.paid', created_at: '2026-01-01T00:00:00Z', [member]: paid };
    expect(await deliver(body)).toMatchObject({ type: 'invoice.paid', external_id: 'order-1042', raw: body });
    expect(await malformed({ ...body, event: 'invoice.canceled' })).toContain('another');
  });

  it('an envelope of two layers', async () => {
    expect(await deliver({ type: 'invoice.paid', data: { object: paid } })).toMatchObject({ type: 'invoice.paid' });
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

  it('cannot lean on a polluted prototype', async () => {
    const { status: _status, ...rest } = paid;
    Object.defineProperty(Object.prototype, 'status', { value: 'success', configurable: true });
    const ended = await deliver(rest).catch((error: unknown) => error);
    Reflect.deleteProperty(Object.prototype, 'status');
    expect(ended).toMatchObject({ reason: 'malformed_payload' });
  });

  it('with a member twice is read as JSON reads it: the last one', async () => {
    const text = `${JSON.stringify(paid).slice(0, -1)},"amount":"7.00"}`;
    expect(await deliver(text)).toMatchObject({ amount: new Decimal(7) });
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

  it('gives back a synthesised event, without id and time', async () => {
    const event = { ...(await deliver(paid)), source: 'catch_up', id: null, signed_at: null, secretIndex: null };
    expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it.each([
    ['the body of a delivery', paid],
    ['no object', 'text'],
    ['null', null],
    ['a list', []],
  ])('refuses %s', (_name, value) => {
    expect(() => parseInvoiceEvent(value)).toThrow(WebhookVerificationError);
  });

  it.each([
    ['source', 'post'],
    ['type', 'invoice.refunded'],
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
