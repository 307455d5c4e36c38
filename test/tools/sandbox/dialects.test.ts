import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { DIALECTS } from '../../../src/tools/sandbox/dialects.ts';
import type { Dialect } from '../../../src/tools/sandbox/index.ts';
import { CLIENT_DIALECTS, type ClientDialect, clientDialect } from '../../support/dialects.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

/** Walks through the whole service in one dialect and returns every response and delivery. */
async function walk(dialect: Partial<Dialect>, forms: Partial<ClientDialect>) {
  const hook = await receiver([500]);
  let wall = 1_800_000_000_000;
  const { api, sandbox } = inProcess({ dialect, wallClock: () => wall }, clientDialect(forms));
  const created = await api('POST', '/invoices', { ...ORDER, callback_url: hook.url, purpose: 'p' });
  const conflict = await api('POST', '/invoices', ORDER);
  await sandbox.pay('order-1042', { amount: '17.00' });
  wall += 60_000;
  await sandbox.advance('1m');
  await api('POST', '/invoices', { ...ORDER, external_id: 'order-1043' });
  const responses = {
    created,
    conflict,
    invalid: await api('POST', '/invoices', {}),
    unpayable: await api('POST', '/invoices', { ...ORDER, external_id: 'unpayable', currency: 'USD', amount: '4.99' }),
    unauthorized: await api('GET', '/rates', undefined, { 'X-Api-Key': 'no' }),
    byUuid: await api('GET', `/invoices/${sandbox.invoice('order-1042').uuid}`),
    byExternalId: await api('GET', '/invoices/order-1042'),
    list: await api('GET', '/invoices?currency=EUR'),
    beyond: await api('GET', '/invoices?currency=EUR&page=7'),
    withdrawal: await api('GET', '/withdrawals/5eed0000-0000-4000-8000-000000000001'),
    withdrawals: await api('GET', '/withdrawals'),
    missing: await api('GET', '/withdrawals/none'),
    rejected: await api('GET', '/withdrawals?state=rejected&limit=1'),
    strange: await api('GET', '/invoices?sort=amount'),
    rates: await api('GET', '/rates'),
    history: await api('GET', '/invoices/order-1042/webhooks'),
  };
  sandbox.faults.next({ type: 'rate_limit', retryAfter: 2 });
  const rateLimited = await api('GET', '/rates');
  sandbox.faults.next('server_error');
  const broken = await api('GET', '/rates');
  const stamps = hook.received.map(({ headers }) => headers['x-webhook-timestamp']);
  const [{ headers, body } = { headers: {}, body: Buffer.from('{}') }] = hook.received;
  const signed = (form: 'hex' | 'base64'): boolean =>
    headers['x-webhook-signature'] ===
    createHmac('sha256', 'whsec_of_the_tests').update(`${stamps[0]}.`).update(body).digest(form);
  const { json } = responses.history;
  const row = json.data?.items?.[0] ?? json.data?.[0] ?? json[0];
  const remarks = sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
  const seen = {
    ...responses,
    rateLimited,
    broken,
    stamps,
    headers,
    signed,
    payload: JSON.parse(body.toString()),
    row,
  };
  return { seen, remarks, sandbox };
}

type Seen = Awaited<ReturnType<typeof walk>>['seen'];

const part = (members: object) => expect.objectContaining(members);
const [INVOICE, WITHDRAWAL] = [part({ external_id: 'order-1042' }), part({ token: 'USDT' })];
const DELIVERY = part({ event_type: 'invoice.paid' });
const CONFLICT = { external_id: 'order-1042', status: 'pending' };
const SERVER_ERROR = { code: 'SERVICE_UNAVAILABLE', message: expect.any(String) };

type All = Dialect & ClientDialect;

/** Where the effect of a dialect is seen, and what is there under each value. Undefined stands for an absent member. */
const EFFECTS: {
  readonly [Name in keyof All]: readonly [look: (seen: Seen) => unknown, Readonly<Record<All[Name], unknown>>];
} = {
  createStatus: [({ created }) => created.status, { 201: 201, 200: 200, 202: 202 }],
  unpayableAmount: [({ unpayable }) => unpayable.status, { refused: 422, accepted: 201 }],
  conflictStatus: [
    ({ conflict }) => [conflict.status, conflict.json.success],
    { 409: [409, false], 400: [400, false], 422: [422, false], 200: [200, false] },
  ],
  conflictDetails: [
    ({ conflict }) => conflict.json.error.details,
    {
      full: CONFLICT,
      renamed: { order_id: 'order-1042', existing_status: 'pending' },
      nested: { invoice: CONFLICT },
      absent: undefined,
    },
  ],
  validationShape: [
    ({ invalid: { json } }) => [Object.keys(json).join(), json.error?.details?.amount, json.detail],
    {
      envelope: ['success,error', ['is required'], undefined],
      detail: ['detail', undefined, expect.any(Array)],
      both: ['success,error,detail', ['is required'], expect.any(Array)],
      detail_text: ['detail', undefined, expect.stringMatching(/^external_id is/)],
      no_details: ['success,error', undefined, undefined],
    },
  ],
  failureCodes: [
    ({ unauthorized, missing, rateLimited, broken }) =>
      [unauthorized, missing, rateLimited, broken].map(({ status, json }) => `${status} ${json.error.code}`),
    {
      general: ['401 UNAUTHORIZED', '404 NOT_FOUND', '429 RATE_LIMIT_EXCEEDED', '503 SERVICE_UNAVAILABLE'],
      specific: ['403 INVALID_API_KEY', '410 WITHDRAWAL_NOT_FOUND', '503 TOO_MANY_REQUESTS', '500 INTERNAL_ERROR'],
    },
  ],
  failureBody: [
    ({ broken }) => broken.json ?? broken.text,
    {
      envelope: { success: false, error: SERVER_ERROR },
      bare: SERVER_ERROR,
      detail: { detail: 'The service is not available.' },
      html: expect.stringMatching(/^<!doctype html>/),
      empty: '',
    },
  ],
  retryAfterForm: [
    ({ rateLimited }) => rateLimited.headers.get('retry-after'),
    { seconds: '2', http_date: 'Sun, 01 Mar 2026 12:01:02 GMT', absent: null },
  ],
  readShape: [
    ({ byUuid, withdrawal, history }) => [byUuid.json, withdrawal.json, history.json],
    {
      envelope: [INVOICE, WITHDRAWAL, [DELIVERY]].map((data) => ({ success: true, data })),
      bare: [INVOICE, WITHDRAWAL, [DELIVERY]],
      named: [{ invoice: INVOICE }, { withdrawal: WITHDRAWAL }, part({ items: [DELIVERY], total_items: 1 })].map(
        (data) => ({ success: true, data }),
      ),
    },
  ],
  invoiceReadForm: [({ byUuid }) => Object.keys(byUuid.json.data).length, { full: 20, creation: 14 }],
  invoiceReadIdent: [
    ({ byUuid, byExternalId }) => [byUuid.status, byExternalId.status],
    { both: [200, 200], uuid: [200, 404], external_id: [404, 200] },
  ],
  deliveryRecord: [
    ({ row }) => row,
    {
      long: part({ attempts: 2, attempt_log: [part({ status_code: 500, error: 'returned 500' }), part({})] }),
      short: part({
        delivery_id: expect.any(String),
        attempts: [part({ status_code: '500', success: 'false' }), part({})],
        next_retry: null,
      }),
      counted: part({
        ...{ state: 'delivered', attempt_count: 2, last_http_status_code: 200 },
        attempt_history: [part({ error: { type: 'delivery_failed', message: 'returned 500' } }), part({})],
      }),
    },
  ],
  nulls: [
    ({ created, withdrawal, row }) => [
      ...[created.json.data.amount_to_send, created.json.data.success_url],
      ...[withdrawal.json.data.tx_hash, row.next_retry_at],
    ],
    {
      null: [null, null, null, null],
      absent: [undefined, undefined, undefined, undefined],
      empty: [undefined, undefined, '', ''],
      mixed: [null, undefined, null, null],
    },
  ],
  withdrawalQuery: [
    ({ rejected, strange }) => [
      ...[rejected.json.data.total_items, rejected.json.data.per_page],
      ...[strange.status, strange.json.error?.details],
    ],
    {
      as_invoices: [5, 20, 200, undefined],
      other: [1, 1, 200, undefined],
      strict: [1, 1, 422, { sort: [expect.any(String)] }],
    },
  ],
  listOrder: [
    ({ list, withdrawals }) => [
      list.json.data.items.map((item: { external_id: string }) => item.external_id),
      Math.sign(withdrawals.json.data.items[0].created_at.localeCompare(withdrawals.json.data.items[4].created_at)),
    ],
    { newest: [['order-1043', 'order-1042'], 1], oldest: [['order-1042', 'order-1043'], -1] },
  ],
  pastEnd: [
    ({ beyond: { status, json } }) => [status, json.error ?? [json.data.page, json.data.items.length]],
    {
      empty: [200, [7, 0]],
      last: [200, [1, 2]],
      not_found: [404, part({ code: 'NOT_FOUND' })],
      invalid: [422, part({ details: { page: [expect.any(String)] } })],
    },
  ],
  decimalForm: [
    ({ created, withdrawal }) => [created.json.data.amount, withdrawal.json.data.amount],
    {
      as_given: ['25.00', '250.000000'],
      padded: ['25.00000000', '250.00000000'],
      trimmed: ['25', '250'],
    },
  ],
  laterVersion: [
    ({ created, list, payload, headers, row }) => [
      ...['risk_score' in created.json.data, 'meta' in payload],
      list.json.data.items.some(({ status }: { status: string }) => status === 'refunded'),
      ...[headers['x-webhook-version'], row.region],
    ],
    { none: [false, false, false, undefined, undefined], some: [true, true, true, '1', 'sandbox'] },
  ],
  signatureEncoding: [({ signed }) => [signed('hex'), signed('base64')], { hex: [true, false], base64: [false, true] }],
  timestampFormat: [
    ({ stamps }) => stamps[0],
    { seconds: '1800000000', milliseconds: '1800000000000', iso: '2027-01-15T08:00:00.000Z' },
  ],
  timestampPer: [
    ({ stamps }) => stamps,
    { attempt: ['1800000000', '1800000060'], delivery: ['1800000000', '1800000000'] },
  ],
  orderIdMember: [
    ({ payload }) => payload,
    {
      external_id: part({ external_id: 'order-1042' }),
      order_id: part({ order_id: 'order-1042' }),
      'order.id': part({ order: { id: 'order-1042' } }),
      merchant_order_id: part({ merchant_order_id: 'order-1042' }),
    },
  ],
  adjustedMember: [
    ({ payload }) => [payload.adjusted, payload.is_adjusted, payload.payment],
    {
      adjusted: [true, undefined, undefined],
      is_adjusted: [undefined, true, undefined],
      'payment.adjusted': [undefined, undefined, { adjusted: true }],
      only_when_true: [true, undefined, undefined],
    },
  ],
};

const cases = Object.entries<readonly (string | number)[]>({ ...DIALECTS, ...CLIENT_DIALECTS }).flatMap(
  ([name, values]) => {
    const [look, effects] = EFFECTS[name as keyof All]; // the keys of the two tables
    return values.map((value) => ({ name, value, look, effect: new Map(Object.entries(effects)).get(String(value)) }));
  },
);

it.each(cases)('the dialect $name $value has its effect, and its responses pass the contract', async (row) => {
  const given = { [row.name]: row.value };
  const isForm = Object.hasOwn(CLIENT_DIALECTS, row.name);
  const { seen, remarks, sandbox } = await (isForm ? walk({}, given) : walk(given, {}));
  expect(row.look(seen)).toEqual(row.effect);
  expect(remarks).toEqual([]);
  const dates = sandbox.withdrawals().map(({ created_at }) => created_at);
  expect(dates).toEqual([...dates].sort().reverse()); // newest first, whatever the dialect of the service
});

it('each dialect begins with its default', () => {
  const defaults = Object.entries(DIALECTS).map(([name, [first]]) => [name, first]);
  expect(testSandbox().dialect).toEqual(Object.fromEntries(defaults));
});
