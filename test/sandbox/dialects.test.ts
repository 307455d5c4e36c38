import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { createSandbox, DIALECTS, type Dialect } from '../../src/sandbox/index.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

/** Walks through the whole service in one dialect and returns every answer and delivery. */
async function walk(dialect: Partial<Dialect>) {
  const hook = await receiver([500]);
  const { api, sandbox } = inProcess({ dialect });
  const created = await api('POST', '/invoices', { ...ORDER, callback_url: hook.url, purpose: 'p' });
  const conflict = await api('POST', '/invoices', ORDER);
  const invalid = await api('POST', '/invoices', {});
  const unpayable = await api('POST', '/invoices', { ...ORDER, external_id: 'unpayable', amount: '4.99' });
  const unauthorized = await api('GET', '/rates', undefined, { 'X-Api-Key': 'no' });
  await sandbox.underpay('order-1042', '17.00');
  await sandbox.advance('1m');
  const { uuid } = sandbox.invoice('order-1042');
  const answers = {
    created,
    conflict,
    invalid,
    unpayable,
    unauthorized,
    byUuid: await api('GET', `/invoices/${uuid}`),
    byExternalId: await api('GET', '/invoices/order-1042'),
    list: await api('GET', '/invoices?currency=EUR'),
    beyond: await api('GET', '/invoices?page=7'),
    withdrawal: await api('GET', '/withdrawals/5eed0000-0000-4000-8000-000000000001'),
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
  await sandbox.settle();
  const stamps = hook.received.map(({ headers }) => headers['x-webhook-timestamp']);
  const [{ headers, body } = { headers: {}, body: Buffer.from('{}') }] = hook.received;
  const signature = headers['x-webhook-signature'];
  const payload = JSON.parse(body.toString());
  const digest = (form: 'hex' | 'base64'): string =>
    createHmac('sha256', 'whsec_sandbox').update(`${stamps[0]}.`).update(body).digest(form);
  const row = answers.history.json.data?.items?.[0] ?? answers.history.json.data?.[0] ?? answers.history.json[0];
  const remarks = sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
  return { ...answers, rateLimited, broken, stamps, headers, signature, payload, digest, row, remarks };
}

type Seen = Awaited<ReturnType<typeof walk>>;

/** What each value changes, typed by hand: what is looked at, and what it is. */
const EFFECTS: {
  readonly [Name in keyof Dialect]: readonly (readonly [
    Dialect[Name],
    (seen: Seen) => unknown,
    expected: (seen: Seen) => unknown,
  ])[];
} = {
  createStatus: [
    [201, ({ created }) => created.status, () => 201],
    [202, ({ created }) => created.status, () => 202],
  ],
  unpayableAmount: [
    ['refused', ({ unpayable }) => unpayable.status, () => 422],
    ['accepted', ({ unpayable }) => [unpayable.status, unpayable.json.data.amount], () => [201, '4.99']],
  ],
  conflictStatus: [
    [409, ({ conflict }) => conflict.status, () => 409],
    [200, ({ conflict }) => [conflict.status, conflict.json.success], () => [200, false]],
  ],
  conflictDetails: [
    ['full', ({ conflict }) => conflict.json.error.details, () => ({ external_id: 'order-1042', status: 'pending' })],
    [
      'renamed',
      ({ conflict }) => conflict.json.error.details,
      () => ({ order_id: 'order-1042', existing_status: 'pending' }),
    ],
    [
      'nested',
      ({ conflict }) => conflict.json.error.details,
      () => ({ invoice: { external_id: 'order-1042', status: 'pending' } }),
    ],
    ['absent', ({ conflict }) => Object.keys(conflict.json.error), () => ['code', 'message']],
  ],
  validationShape: [
    ['envelope', ({ invalid }) => invalid.json.error.details.amount, () => ['is required']],
    ['detail', ({ invalid }) => invalid.json.detail.length, () => 4],
    ['both', ({ invalid }) => Object.keys(invalid.json), () => ['success', 'error', 'detail']],
    ['detail_text', ({ invalid }) => invalid.json, () => ({ detail: expect.stringMatching(/^external_id is/) })],
    ['no_details', ({ invalid }) => Object.keys(invalid.json.error), () => ['code', 'message']],
  ],
  failureCodes: [
    [
      'general',
      ({ unauthorized, missing, rateLimited, broken }) =>
        [unauthorized, missing, rateLimited, broken].map(({ status, json }) => [status, json.error.code]),
      () => [
        [401, 'UNAUTHORIZED'],
        [404, 'NOT_FOUND'],
        [429, 'RATE_LIMIT_EXCEEDED'],
        [503, 'SERVICE_UNAVAILABLE'],
      ],
    ],
    [
      'specific',
      ({ unauthorized, missing, rateLimited, broken }) =>
        [unauthorized, missing, rateLimited, broken].map(({ status, json }) => [status, json.error.code]),
      () => [
        [403, 'INVALID_API_KEY'],
        [410, 'WITHDRAWAL_NOT_FOUND'],
        [503, 'TOO_MANY_REQUESTS'],
        [500, 'INTERNAL_ERROR'],
      ],
    ],
  ],
  failureBody: [
    ['bare', ({ unauthorized }) => unauthorized.json, () => ({ code: 'UNAUTHORIZED', message: expect.any(String) })],
    ['detail', ({ rateLimited }) => rateLimited.json, () => ({ detail: 'Too many requests.' })],
    ['html', ({ missing }) => missing.text, () => expect.stringMatching(/^<!doctype html>/)],
    ['empty', ({ broken }) => [broken.status, broken.text], () => [503, '']],
  ],
  retryAfterForm: [
    ['seconds', ({ rateLimited }) => rateLimited.headers.get('retry-after'), () => '2'],
    ['http_date', ({ rateLimited }) => rateLimited.headers.get('retry-after'), () => 'Sun, 01 Mar 2026 12:01:02 GMT'],
    ['absent', ({ rateLimited }) => rateLimited.headers.get('retry-after'), () => null],
  ],
  readShape: [
    [
      'envelope',
      ({ byUuid, withdrawal, history }) => [
        byUuid.json.data.external_id,
        withdrawal.json.data.token,
        history.json.data.length,
      ],
      () => ['order-1042', 'USDT', 1],
    ],
    [
      'bare',
      ({ byUuid, withdrawal, history }) => [byUuid.json.external_id, withdrawal.json.token, history.json.length],
      () => ['order-1042', 'USDT', 1],
    ],
    [
      'named',
      ({ byUuid, withdrawal, history }) => [
        byUuid.json.data.invoice.external_id,
        withdrawal.json.data.withdrawal.token,
        history.json.data.total_items,
      ],
      () => ['order-1042', 'USDT', 1],
    ],
  ],
  invoiceReadForm: [
    ['full', ({ byUuid }) => byUuid.json.data.is_adjusted, () => true],
    ['creation', ({ byUuid }) => Object.keys(byUuid.json.data).length, () => 14],
  ],
  invoiceReadIdent: [
    ['both', ({ byUuid, byExternalId }) => [byUuid.status, byExternalId.status], () => [200, 200]],
    ['uuid', ({ byUuid, byExternalId }) => [byUuid.status, byExternalId.status], () => [200, 404]],
    ['external_id', ({ byUuid, byExternalId }) => [byUuid.status, byExternalId.status], () => [404, 200]],
  ],
  deliveryRecord: [
    [
      'long',
      ({ row }) => [Object.keys(row).length, row.attempts, row.attempt_log[0].status_code, row.attempt_log[0].error],
      () => [9, 2, 500, 'answered 500'],
    ],
    [
      'short',
      ({ row }) => [
        row.delivery_id.length,
        row.attempts.length,
        row.attempts[0].status_code,
        row.attempts[0].success,
        row.next_retry,
      ],
      () => [36, 2, '500', 'false', null],
    ],
    [
      'counted',
      ({ row }) => [row.state, row.attempt_count, row.attempt_history[0].error, row.last_http_status_code],
      () => ['delivered', 2, { type: 'delivery_failed', message: 'answered 500' }, 200],
    ],
  ],
  nulls: [
    [
      'null',
      ({ created, withdrawal, row }) => [
        created.json.data.success_url,
        withdrawal.json.data.tx_hash,
        row.next_retry_at,
        row.attempt_log[1].error,
      ],
      () => [null, null, null, null],
    ],
    [
      'absent',
      ({ created, withdrawal, row }) => [
        'success_url' in created.json.data,
        'tx_hash' in withdrawal.json.data,
        'next_retry_at' in row,
      ],
      () => [false, false, false],
    ],
    [
      'empty',
      ({ created, withdrawal, row }) => [
        'success_url' in created.json.data,
        withdrawal.json.data.tx_hash,
        row.next_retry_at,
      ],
      () => [false, '', ''],
    ],
    [
      'mixed',
      ({ created }) => [created.json.data.amount_to_send, 'success_url' in created.json.data],
      () => [null, false],
    ],
  ],
  withdrawalQuery: [
    ['as_invoices', ({ rejected, strange }) => [rejected.json.data.total_items, strange.status], () => [5, 200]],
    [
      'other',
      ({ rejected, strange }) => [rejected.json.data.total_items, rejected.json.data.per_page, strange.status],
      () => [1, 1, 200],
    ],
    [
      'strict',
      ({ rejected, strange }) => [rejected.json.data.total_items, strange.json.error.details],
      () => [1, { sort: [expect.any(String)] }],
    ],
  ],
  listOrder: [['oldest', ({ list }) => list.json.data.items.at(0).external_id, () => 'order-1042']],
  pastEnd: [
    ['empty', ({ beyond }) => [beyond.json.data.page, beyond.json.data.items], () => [7, []]],
    ['last', ({ beyond }) => [beyond.json.data.page, beyond.json.data.items.length], () => [1, 1]],
    ['not_found', ({ beyond }) => [beyond.status, beyond.json.error.code], () => [404, 'NOT_FOUND']],
    ['invalid', ({ beyond }) => [beyond.status, Object.keys(beyond.json.error.details)], () => [422, ['page']]],
  ],
  decimalForm: [
    ['as_given', ({ created, payload }) => [created.json.data.amount, payload.amount], () => ['25.00', '17.00']],
    [
      'padded',
      ({ created, payload }) => [created.json.data.amount, payload.amount],
      () => ['25.00000000', '17.00000000'],
    ],
    [
      'trimmed',
      ({ created, withdrawal }) => [created.json.data.amount, withdrawal.json.data.amount],
      () => ['25', '250'],
    ],
  ],
  laterVersion: [
    [
      'some',
      ({ created, list, payload, headers, row }) => [
        'risk_score' in created.json.data,
        list.json.data.items.some(({ status }: { status: string }) => status === 'refunded'),
        'meta' in payload,
        headers['x-webhook-version'],
        row.region,
      ],
      () => [true, true, true, '1', 'sandbox'],
    ],
  ],
  signatureEncoding: [
    ['hex', ({ signature }) => signature, ({ digest }) => digest('hex')],
    ['base64', ({ signature }) => signature, ({ digest }) => digest('base64')],
  ],
  timestampFormat: [
    ['seconds', ({ stamps }) => stamps[0], () => expect.stringMatching(/^\d{10}$/)],
    ['milliseconds', ({ stamps }) => stamps[0], () => expect.stringMatching(/^\d{13}$/)],
    ['iso', ({ stamps }) => stamps[0], () => expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)],
  ],
  timestampPer: [], // below
  orderIdMember: [
    ['external_id', ({ payload }) => payload.external_id, () => 'order-1042'],
    ['order_id', ({ payload }) => payload.order_id, () => 'order-1042'],
    ['order.id', ({ payload }) => payload.order, () => ({ id: 'order-1042' })],
    ['merchant_order_id', ({ payload }) => payload.merchant_order_id, () => 'order-1042'],
  ],
};

describe('what a value changes', () => {
  const cases = Object.entries(EFFECTS).flatMap(([name, effects]) =>
    effects.map((effect) => [name, ...effect] as const),
  );

  it.each(cases)('%s: %j', async (name, value, looked, expected) => {
    const seen = await walk({ [name]: value });
    expect(looked(seen)).toEqual(expected(seen));
  });

  it('stamps all attempts as the first, when asked to', async () => {
    const hook = await receiver([500]);
    let wall = 1_800_000_000_000;
    const { api, sandbox } = inProcess({ dialect: { timestampPer: 'delivery' }, wallClock: () => wall });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await sandbox.pay('order-1042');
    wall += 60_000;
    await sandbox.advance('1m');
    expect(hook.received.map(({ headers }) => headers['x-webhook-timestamp'])).toEqual(['1800000000', '1800000000']);
  });
});

it('every value passes the contract, which the sandbox reads its answers by', async () => {
  for (const [name, { values }] of Object.entries(DIALECTS)) {
    for (const value of values)
      expect([name, value, (await walk({ [name]: value })).remarks]).toEqual([name, value, []]);
  }
});

it('begins with the default in each row', () => {
  const defaults = Object.entries(DIALECTS).map(([name, { values }]) => [name, values[0]]);
  expect(createSandbox().dialect).toEqual(Object.fromEntries(defaults));
});

it.each(['{"createStatus":299}', '{"colour":"red"}', '{"toString":1}'])('refuses the dialect %s', (dialect) => {
  expect(() => createSandbox({ dialect: JSON.parse(dialect) })).toThrow(ConfigurationError);
});
