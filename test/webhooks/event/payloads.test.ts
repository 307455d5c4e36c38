import { expect, it } from 'vitest';
import {
  Decimal,
  parseInvoiceEvent,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../src/webhooks/index.ts';
import { canceledBody as canceled, paidBody as paid } from '../endpoint.ts';
import { NOW, SECRET, UUID } from '../vectors.ts';

// Genuine deliveries by their bodies: members of the event, or words of the error that refuses it.

type Read = readonly [body: object | string, event: object, pins?: VerifyWebhookOptions];
type Refused = readonly [body: object | string, message: string, pins?: VerifyWebhookOptions];

const PAID = { type: 'invoice.paid', external_id: 'order-1042' };
const CANCELED = { type: 'invoice.canceled', external_id: 'order-1042' };
const unknown = (event_name: string | null) => ({ type: 'unknown', event_name });
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

const { external_id: id, ...nameless } = paid; // without an order id
const { invoice_uuid, status, ...rest } = nameless;
const { amount, ...amountless } = rest;
/** The paid payload as text, with a member written as this raw text. */
const raw = (member: string, text: string): string =>
  JSON.stringify({ ...paid, [member]: undefined }).replace('{', `{"${member}":${text},`);

const ADJUSTED = { ...paid, amount: '17.00', adjusted: true, original_amount: '25.00' };
const HELD = { invoice_uuid, status: 'held', amount: 'much', credited_usdt: '1.5', adjusted: true, extra: 1 };
const COMMON = { source: 'webhook', id: 'dlv_1', invoice_uuid, signed_at: new Date(NOW), secretIndex: 0 };
const NOTHING_PAID = { amount: new Decimal(25), credited_usdt: null, adjusted: false, original_amount: null };

const NOT_ADJUSTED = { adjusted: false, original_amount: null };
const UNSTATED = { adjusted: null, original_amount: null };
/** A body, and members of the event that it gives. */
const reads = (body: object, event: object): Read => [body, event];

const AMOUNTS: Read[] = [
  [paid, { adjusted: false, original_amount: null, amount: new Decimal(25), credited_usdt: new Decimal('26.91') }],
  [ADJUSTED, { adjusted: true, original_amount: new Decimal(25), amount: new Decimal(17) }],
  // Whether a payment was adjusted is said by any of four members.
  [{ ...paid, adjusted: undefined, is_adjusted: false }, NOT_ADJUSTED],
  reads({ ...paid, adjusted: undefined, is_adjusted: true }, { adjusted: true, original_amount: null }),
  reads({ ...paid, adjusted: undefined, adjustment: { actual_amount_fiat: '25' } }, { adjusted: true }),
  reads({ ...paid, adjusted: true, credited_usdt: '0' }, { adjusted: true, credited_usdt: new Decimal(0) }),
  [{ ...paid, adjustment: null }, NOT_ADJUSTED],
  [{ ...paid, adjustment: [] }, NOT_ADJUSTED],
  // Pinned: the place, and what an absent member means.
  [{ ...paid, adjusted: undefined, pay: { fixed: false } }, NOT_ADJUSTED, { adjustedMember: 'pay.fixed' }],
  [{ ...paid, pay: { fixed: true } }, { adjusted: true }, { adjustedMember: 'pay.fixed' }],
  [{ ...paid, adjusted: undefined }, NOT_ADJUSTED, { adjustedAbsent: 'as_ordered' }],
  [{ ...paid, adjusted: null, original_amount: null }, NOT_ADJUSTED, { adjustedAbsent: 'as_ordered' }],
  [{ ...paid, adjusted: true }, { adjusted: true }, { adjustedAbsent: 'as_ordered' }],
  reads(
    { ...paid, adjusted: undefined, original_amount: '30.00' },
    { adjusted: true, original_amount: new Decimal(30) },
  ),
  [{ ...paid, original_amount: '25.0' }, NOT_ADJUSTED],
  reads({ ...paid, adjusted: true }, { adjusted: true, original_amount: null }),
  reads({ ...paid, adjusted: true, original_amount: null }, { adjusted: true, original_amount: null }),
  reads(
    { ...paid, amount: 25, credited_usdt: 26.91 },
    { amount: new Decimal(25), credited_usdt: new Decimal('26.91') },
  ),
  reads({ ...canceled, credited_usdt: '0.00' }, { ...CANCELED, ...NOTHING_PAID }),
  // An empty optional amount is null.
  reads({ ...canceled, credited_usdt: '' }, { ...CANCELED, ...NOTHING_PAID }),
  [{ ...paid, original_amount: '' }, NOT_ADJUSTED],
  reads({ ...paid, adjusted: true, original_amount: '' }, { adjusted: true, original_amount: null }),
  ...['expired', 'canceled', 'fail'].map((state): Read => {
    const body = { ...canceled, status: state };
    return [body, { ...CANCELED, ...COMMON, ...NOTHING_PAID, status: state, raw: body }];
  }),
  // An unknown event keeps what can be read.
  [{ ...canceled, status: 'held' }, UNSTATED],
  [{ ...canceled, status: 'held', adjusted: false }, NOT_ADJUSTED],
  reads({ ...canceled, status: 'held', is_adjusted: true }, { adjusted: true }),
  reads({ ...canceled, status: 'held', adjustment: { actual_amount_fiat: '1' } }, { adjusted: true }),
  [HELD, { ...unknown(null), ...COMMON, status: 'held', external_id: null, amount: null, adjusted: true, raw: HELD }],
  [HELD, { credited_usdt: new Decimal('1.5'), original_amount: null }],
  reads({ ...canceled, status: 'held', original_amount: '9' }, { adjusted: true, original_amount: new Decimal(9) }),
  [{ ...canceled, status: 'held', adjusted: 'yes' }, UNSTATED],
];
const UNSAID = '"adjusted" is missing';
const BAD_AMOUNTS: Refused[] = [
  [{ ...paid, adjusted: undefined }, UNSAID],
  [{ ...paid, adjusted: null, original_amount: null }, UNSAID],
  [{ ...paid, adjusted: undefined }, "set adjustedMember: 'path.of.the.member'"],
  [{ ...paid, adjusted: undefined }, "set adjustedAbsent: 'as_ordered'"],
  [{ ...paid, pay: {} }, '"pay.fixed" is missing', { adjustedMember: 'pay.fixed' }],
  [{ original_amount: '9', data: { ...paid, adjusted: undefined } }, UNSAID], // what stands beside a whole invoice
  [{ ...paid, is_adjusted: true }, 'contradict each other'],
  // beside a pin, and in an envelope
  [{ ...paid, adjusted: true }, '"pay.fixed" is missing', { adjustedMember: 'pay.fixed' }],
  [{ ...paid, adjusted: true }, 'contradict', { adjustedMember: 'pay.fixed', adjustedAbsent: 'as_ordered' }],
  [{ ...paid, adjusted: true, pay: { fixed: false } }, 'contradict', { adjustedMember: 'pay.fixed' }],
  [
    { ...paid, adjusted: undefined, is_adjusted: true, pay: { fixed: false } },
    'contradict',
    { adjustedMember: 'pay.fixed' },
  ],
  [{ adjusted: true, data: paid }, 'contradict'],
  [{ adjustment: { actual_amount_fiat: '25' }, data: paid }, 'contradict'],
  [{ data: { is_adjusted: true, invoice: paid } }, 'contradict'],
  [{ original_amount: '9', data: { ...paid, adjusted: undefined } }, 'contradict', { adjustedAbsent: 'as_ordered' }],
  [{ ...paid, adjustment: { actual_amount_fiat: '25' } }, 'contradict each other'],
  [{ ...paid, adjusted: true, adjustment: { actual_amount_fiat: '60' } }, '"adjustment.actual_amount_fiat" differs'],
  [{ ...paid, adjusted: true, adjustment: { actual_amount_usdt: '1' } }, '"adjustment.actual_amount_usdt" differs'],
  [{ ...ADJUSTED, adjustment: { expected_amount_fiat: '30' } }, '"adjustment.expected_amount_fiat" differs'],
  [{ ...paid, credited_usdt: '0' }, 'it was paid as ordered, but "credited_usdt" is 0'],
  [{ ...paid, credited_usdt: '0.00' }, 'it was paid as ordered, but "credited_usdt" is 0'],
  [{ ...paid, credited_usdt: undefined }, '"credited_usdt" is missing'],
  [{ ...paid, credited_usdt: null }, '"credited_usdt" is missing'],
  [{ ...paid, credited_usdt: '1e1000000000' }, '"credited_usdt" must be a decimal'],
  [{ ...paid, credited_usdt: '-26.91' }, '"credited_usdt" is negative'],
  [raw('credited_usdt', '108.69565200000001'), '"credited_usdt" must be a decimal string'],
  [{ ...paid, amount: undefined }, '"amount" is missing'],
  [{ ...paid, amount: '' }, '"amount" is missing or empty'],
  [{ ...paid, amount: '-0.01' }, '"amount" is negative'],
  [{ ...paid, amount: '9'.repeat(200_000) }, '"amount" must be a decimal'],
  [raw('amount', '1e400'), '"amount" must be a decimal'],
  [raw('amount', DEEP), '"amount" must be a decimal'],
  [{ ...paid, adjusted: 'true' }, '"adjusted" is not a boolean'],
  [{ ...paid, original_amount: '30.00' }, '"original_amount" differs'],
  [{ ...ADJUSTED, original_amount: '-1' }, '"original_amount" is negative'],
  [{ ...ADJUSTED, original_amount: {} }, '"original_amount" must be'],
  [{ ...canceled, credited_usdt: '26.91' }, 'nothing was paid, but "credited_usdt"'],
  [{ ...canceled, settled_amount_usdt: '26.91' }, 'nothing was paid, but "settled_amount_usdt"'],
  [{ ...canceled, adjusted: true }, 'nothing was paid, but "adjusted"'],
  [{ ...canceled, is_adjusted: true }, 'nothing was paid, but "adjusted"'],
  [{ ...canceled, adjustment: { actual_amount_usdt: '10.80' } }, 'nothing was paid, but "adjusted"'],
  [{ ...canceled, original_amount: '99.00' }, 'nothing was paid, but "adjusted"'],
  [{ event: 'invoice.canceled', credited_usdt: '5', data: canceled }, 'nothing was paid, but "credited_usdt"'],
];

const MEMBERS: Read[] = [
  [{ ...paid, invoice_uuid: 'x'.repeat(128) }, PAID],
  [raw('extra', DEEP), PAID],
  [{ ...paid, extra: 'x'.repeat(200_000) }, PAID],
  [raw('__proto__', '{"isAdmin":true}'), PAID],
  [raw('constructor', '{"prototype":{"isAdmin":true}}'), PAID],
];
const BAD_MEMBERS: Refused[] = [
  ...[undefined, '', 1].map((wrong): Refused => [{ ...paid, status: wrong }, '"status" is not text']),
  ...[undefined, '', 5, 'x'.repeat(129)].map((wrong): Refused => {
    return [{ ...paid, invoice_uuid: wrong }, '"invoice_uuid" is not text, missing, or too long'];
  }),
  [raw('status', DEEP), '"status" is not text'],
  [raw('extra', '{}').replace('"status"', '"__proto__":{"status":"success"},"was"'), '"status" is not text'],
  [{ invoice_uuid, external_id: id, data: rest }, '"status" is not text'],
  [{ test: true }, 'no object in it has "invoice_uuid" and "status"'],
  [{ event: 'invoice.paid', data: { ...rest, uuid: UUID, external_id: id, status } }, 'no object in it has'],
  [DEEP, 'it is not a JSON object'],
  ['null', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['', 'it is not JSON'],
  [JSON.stringify(paid).slice(0, 60), 'it is not JSON'],
];

const NAME_MEMBERS = ['event', 'event_type', 'eventType', 'event_name', 'eventName', 'type'];
const PAID_NAMES = ['invoice.paid', 'INVOICE_PAID', 'InvoicePaid', 'invoicePaid', 'invoice paid', ' invoice-paid '];
const CANCELED_NAMES = ['INVOICE_CANCELLED', 'invoiceCanceled', 'invoice.cancelled'];
const OTHER_NAMES = [
  ...['test.invoice.paid', 'sandbox:invoice.paid', 'com.merchant.invoice.paid', 'invoice.paid.v1', 'evt_01HXYZ'],
  ...['invoice.unpaid', 'invoice.part_paid', 'invoicepaid', 'paid', 'invoice', 'test', 'Refunded', 'terminal'],
  ...['invoice.p\u0430id', 'invoice.paid\u202e', 'x'.repeat(60_000)],
];
const NAMES: Read[] = [
  // `type` is the kind of something, unless it stands in an envelope or begins with "invoice.".
  ...['returning_customer', 'avoid_fee', 'sepa.instant', 'test', 'refund', 'invoice', 7].map((type): Read => {
    return [{ ...paid, type }, PAID];
  }),
  [{ event: 'invoice.paid', data: { ...paid, type: 'payment:held' } }, PAID],
  [{ ...paid, type: 'INVOICE_HELD' }, unknown('INVOICE_HELD')],
  [{ type: 'refund.created', data: paid }, unknown('refund.created')],
  [{ type: 'test', payload: { invoice: paid } }, unknown('test')],
  ...NAME_MEMBERS.flatMap((member): Read[] => [
    [{ ...paid, [member]: 'invoice.refunded' }, unknown('invoice.refunded')],
    [{ ...paid, [member]: 'INVOICE_PAID' }, PAID],
    [{ [member]: 'invoicePaid', data: paid }, PAID],
  ]),
  ...PAID_NAMES.map((event): Read => [{ ...paid, event }, PAID]),
  ...CANCELED_NAMES.map((event): Read => [{ ...canceled, event }, CANCELED]),
  ...OTHER_NAMES.map(
    (event): Read => [
      { ...paid, event },
      { ...unknown(event), external_id: id },
    ],
  ),
  ...OTHER_NAMES.map((event): Read => [{ ...paid, event }, PAID, { eventMember: null }]),
  [{ event: 'webhook', data: { type: 'webhook', object: { ...paid, event: 'dispute' } } }, unknown('webhook, dispute')],
  [{ ...paid, event: { type: 'invoice.refunded' } }, unknown('invoice.refunded')],
  [{ ...paid, event: { name: 'invoice.refunded' } }, unknown('invoice.refunded')],
  [{ ...paid, event: { type: 'invoice.paid' } }, unknown('an object')],
  [{ ...paid, event: {} }, unknown('an object')],
  [{ ...paid, event: ['invoice.paid'] }, unknown('a list')],
  [raw('event', DEEP), unknown('a list')],
  [{ ...paid, event: 7 }, unknown('7')],
  [{ type: false, data: paid }, unknown('false')],
  // Two names that differ.
  [{ ...paid, event: 'invoice.refunded', type: 'invoice.paid' }, unknown('invoice.refunded, invoice.paid')],
  [{ ...paid, event: 'invoice.paid', type: 'invoice.canceled' }, unknown('invoice.paid, invoice.canceled')],
  [{ event: 'invoice.paid', data: { ...paid, event: 'a.dispute' } }, unknown('invoice.paid, a.dispute')],
  [{ event: 'invoice.paid', data: { type: 'test', object: paid } }, unknown('invoice.paid, test')],
  [{ event: 'INVOICE_PAID', data: { ...paid, type: 'invoice.paid' } }, PAID],
  // Without a name the status decides.
  ...['', '  ', null].flatMap((event): Read[] => [
    [{ ...paid, event }, PAID],
    [{ ...canceled, event }, CANCELED],
    [{ ...paid, status: 'held', event }, unknown(null)],
  ]),
  // An event of another name need not be about an invoice.
  [{ event: 'test' }, { ...unknown('test'), invoice_uuid: null, status: null }],
  reads(
    { event: 'withdrawal.approved', status: 'approved', amount: '5' },
    { invoice_uuid: null, amount: new Decimal(5) },
  ),
  reads({ event: 'invoice.refunded', invoice_uuid, external_id: id }, { invoice_uuid, external_id: id, status: null }),
  [{ ...paid, event: { type: 'invoice.paid' }, type: 'x' }, PAID, { eventMember: 'event.type' }],
  [{ event: { type: 'refund' }, data: paid }, unknown('refund'), { eventMember: 'event.type' }],
  [{ ...paid, event: 'invoice.paid' }, unknown('without event.type'), { eventMember: 'event.type' }],
  [{ data: { ...paid, kind: 'INVOICE_PAID' } }, PAID, { eventMember: 'kind' }],
];
const BAD_NAMES: Refused[] = [
  ...NAME_MEMBERS.map((member): Refused => [{ ...canceled, [member]: 'InvoicePaid' }, 'its status is another']),
  [{ ...paid, event: 'invoice.canceled' }, 'whose status is fail or expired or canceled, but its status is another'],
  [{ event: 'invoice.canceled', data: paid }, 'names the event invoice.canceled'],
];

const ENVELOPES: Read[] = [
  ...['data', 'payload', 'invoice', 'object', 'body'].flatMap((member): Read[] => {
    const whole = { event: 'invoice.paid', created_at: '2026-01-01T00:00:00Z', [member]: paid };
    const split = { invoice_uuid, external_id: id, [member]: { ...rest, status } };
    return [whole, split].map((body): Read => [body, { ...PAID, invoice_uuid, amount: new Decimal(25), raw: body }]);
  }),
  [{ invoice_uuid, data: { ...rest, status, external_id: id } }, PAID],
  [{ invoice_uuid, external_id: id, status: null, data: { ...rest, status } }, PAID],
  [{ invoice_uuid, external_id: id, meta: {}, data: { ...rest, status, invoice_uuid: 'other' } }, { invoice_uuid }],
  reads({ external_id: id, status, data: { ...rest, invoice_uuid } }, { ...PAID, invoice_uuid }),
  [{ invoice_uuid, amount, data: { ...amountless, status, external_id: id } }, { amount: new Decimal(25) }],
  [{ invoice_uuid, amount: '1.00', data: { ...rest, status, external_id: id } }, { amount: new Decimal(25) }],
  // What is whole counts, whatever stands beside it.
  reads({ ...paid, data: { ...paid, amount: '1.00', status: 'fail' } }, { ...PAID, amount: new Decimal(25) }),
  [{ status: 'ok', amount: '1.00', adjusted: true, original_amount: '9', data: canceled }, NOTHING_PAID],
];

const STRONG_NAMES = [
  ...[
    'external_id',
    'invoice_external_id',
    'merchant_external_id',
    'externalReference',
    'external_ref',
    '_external_id',
  ],
  ...['EXTERNAL_ORDER_NO', 'external_order_id', 'external_invoice_id', 'external - id', 'merchant..order'],
  ...['merchant_order', 'merchant_order_id', 'merchant_order_number', 'merchant_order_reference', 'merchant_reference'],
  ...['merchant-invoice-id', 'client_reference', 'client_reference_id', 'client_invoice_ref', 'clientOrderId'],
  ...['client_ref', 'order_id_merchant'],
];
const WEAK_NAMES = [
  ...['order_id', 'order', 'order_number', 'reference', 'id', 'number', 'merchant_id', 'client_id', 'order_client_id'],
  ...['invoiceMerchantNumber', 'customer_external_id', 'client_external_id', 'external_merchant_id'],
];
const UUID_SPELLINGS = [UUID, UUID.toUpperCase(), UUID.replaceAll('-', ''), `{${UUID}}`, `urn:uuid:${UUID}`];
const PATH = { orderIdMember: 'order.id' };
const SHOP = { orderIdMember: 'shop_order' };
const TWO = { ...nameless, merchant_order_id: id, external_reference: 'other' };

const ORDER_IDS: Read[] = [
  ...STRONG_NAMES.map((name): Read => [{ ...nameless, [name]: id }, PAID]),
  ...WEAK_NAMES.map((name): Read => [{ ...nameless, [name]: id }, PAID, { orderIdMember: name }]),
  [{ ...nameless, merchant_order_id: 1042 }, { external_id: '1042' }],
  [{ ...paid, merchant_order_id: 'other', order: { external_id: 'other' } }, PAID],
  [{ ...TWO, external_reference: id }, PAID],
  [TWO, PAID, { orderIdMember: 'merchant_order_id' }],
  reads({ ...TWO, status: 'held' }, { type: 'unknown', external_id: null }),
  [{ ...nameless, order: { external_id: id } }, PAID],
  [{ ...nameless, order: 5.5, merchant: [], invoice: { merchant_order_number: id } }, PAID],
  [{ data: nameless, order: { merchant_order_id: id } }, PAID],
  [{ data: { ...nameless, invoice: { external_ref: id } } }, PAID],
  // The service's id is the order id only under a name that says so, or where the merchant pins it.
  ...UUID_SPELLINGS.map((uuid): Read => [{ ...nameless, external_order_id: uuid, merchant_reference: id }, PAID]),
  ...['external_id', 'merchant_external_id', 'externalId'].map((name): Read => {
    return [{ ...nameless, [name]: UUID, order_id: id }, { external_id: UUID }];
  }),
  [{ ...nameless, order_id: UUID }, { external_id: UUID }, { orderIdMember: 'order_id' }],
  // A pinned member is the only one.
  [{ ...paid, external_id: 'other', shop_order: id }, PAID, SHOP],
  [{ data: { ...paid, external_id: 'other' }, shop_order: id }, PAID, SHOP],
  [{ ...paid, status: 'held' }, { external_id: null }, SHOP],
  [{ ...nameless, order: { id } }, PAID, PATH],
  [{ data: { ...nameless, order: { id } } }, PAID, PATH],
  [{ data: nameless, order: { id } }, PAID, PATH],
  [{ data: { ...nameless, order: { id } } }, PAID, { orderIdMember: 'data.order.id' }],
  [{ ...nameless, meta: { shop: { order: 1042 } } }, { external_id: '1042' }, { orderIdMember: 'meta.shop.order' }],
  [{ ...nameless, 'order.id': id }, PAID, PATH],
];
const BAD_ORDER_IDS: Refused[] = [
  [nameless, "the merchant's order id is missing, or under a name that could mean another id. No member looks like it"],
  ...WEAK_NAMES.map((name): Refused => [{ ...nameless, [name]: id }, `Members that could be it: ${name}.`]),
  [{ ...nameless, order: { id: 7 } }, 'Members that could be it: order.id.'],
  ...['external_url', 'merchant_order_status'].map((name): Refused => [{ ...nameless, [name]: id }, 'is missing']),
  ...UUID_SPELLINGS.map((uuid): Refused => [{ ...nameless, merchant_order_id: uuid }, 'No member looks like it']),
  [{ ...nameless, order: { merchant_order_id: UUID } }, 'No member looks like it'],
  [{ ...nameless, invoice_uuid: UUID.toUpperCase(), merchant_order_id: UUID }, 'No member looks like it'],
  [{ ...nameless, invoice_uuid: '5531', client_order_id: 5531 }, 'No member looks like it'],
  [TWO, 'they differ. Members that could be it: merchant_order_id, external_reference.'],
  [{ data: { ...nameless, merchant_order_id: id }, external_id: 'evt' }, 'differ'],
  [{ ...paid, order: paid }, 'is shop_order. Members that could be it: external_id, order.external_id', SHOP],
  ...['text', null, [], { id: '' }, { id: 1.5 }, { id: { id: 'x' } }].map((order): Refused => {
    return [{ ...paid, order }, 'orderIdMember is order.id', PATH];
  }),
  [raw('order', '{"__proto__":{"id":"x"}}'), 'order id is missing', PATH],
];

/** What of a body differs from the paid one. */
function shown(body: object | string): string {
  const differing = (name: string, value: unknown): unknown =>
    Object.entries(paid).some(([known, usual]) => known === name && usual === value) ? undefined : (value ?? null);
  return (typeof body === 'string' ? body : JSON.stringify(body, differing)).slice(0, 120);
}

/** Verifies a genuine delivery of a body. */
async function deliver(body: object | string, pins: VerifyWebhookOptions = {}): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { ...(await signWebhook(text, SECRET, { id: 'dlv_1', timestamp: NOW })) };
  return await verifyWebhook(text, headers, SECRET, { now: NOW, ...pins });
}
const titled = <Row extends Read | Refused>(rows: readonly Row[]) => rows.map((row) => [shown(row[0]), row] as const);

it.each(titled([...AMOUNTS, ...MEMBERS, ...NAMES, ...ENVELOPES, ...ORDER_IDS]))(
  'the paid payload, but with %s, is read as its members say, and the same after a queue',
  async (_differing, [body, expected, pins]) => {
    const event = await deliver(body, pins);
    expect(event).toMatchObject(expected);
    expect(event).not.toHaveProperty('isAdmin');
    const isDeep = typeof body === 'string' && body.includes(DEEP); // JSON.stringify recurses
    if (!isDeep) expect(parseInvoiceEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  },
);

it.each(titled([...BAD_AMOUNTS, ...BAD_MEMBERS, ...BAD_NAMES, ...BAD_ORDER_IDS]))(
  'the paid payload, but with %s, is malformed, and the error names members and no value',
  async (_differing, [body, message, pins]) => {
    const error = await deliver(body, pins).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ reason: 'malformed_payload', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain(id);
    expect(String(error).length).toBeLessThan(1_000);
  },
);

it('a payload without an order id is refused with the names of at most ten members that could be it', async () => {
  const refused = deliver({
    ...nameless,
    order_id: 'secret-1',
    order: { id: 'secret-2', total: '25.00' },
    'ref\u001b[2J\u202e id': 'secret-3',
    customer: { note: 'secret-4' },
    [`order_${'x'.repeat(100)}`]: 'secret-5',
    ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`id_${index}`, `secret-${index}`])),
  });
  const message = String(await refused.catch((error: unknown) => error));
  expect(message).toContain('order_id, order.id, ref\\u001b[2J\\u202e id, id_0,');
  expect(message).not.toMatch(/secret|xxx|id_9/);
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
])('the JSON of an event whose %s is %s is refused', async (name, value) => {
  const json = JSON.parse(JSON.stringify(await deliver(paid)));
  expect(() => parseInvoiceEvent({ ...json, [name]: value })).toThrow(WebhookVerificationError);
});

it.each<[string | undefined, string | null, number | null]>([
  ['order-1042', 'order-1042', 0],
  ['order-1042--3', 'order-1042', 3],
  ['order-1042--100', 'order-1042--100', 0],
  [UUID, UUID, 0],
  [`${UUID}--1`, UUID, 1],
  [undefined, null, null],
])(
  'each event of %s is of the order %s, renewal %s, also from the JSON of an older version',
  async (id, order, renewal) => {
    const bodies = [paid, ADJUSTED, canceled, { ...HELD, status: 'refunded' }];
    for (const body of id === undefined ? [HELD] : bodies) {
      const event = await deliver({ ...body, external_id: id });
      expect(event).toMatchObject({ external_id: id ?? null, order, renewal });
      const { order: _order, renewal: _renewal, ...older } = JSON.parse(JSON.stringify(event));
      expect(parseInvoiceEvent(older)).toEqual(event);
      const wrong = { ...older, order: 'of somebody else', renewal: 7 }; // derived: the external_id alone says it
      expect(parseInvoiceEvent(wrong)).toEqual(event);
    }
  },
);
