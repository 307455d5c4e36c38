import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { DIALECTS, type DialectEntry } from '../../src/sandbox/dialects.ts';
import type { Dialect } from '../../src/sandbox/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

/** Walks through the whole service in one dialect and returns every response and delivery. */
async function walk(dialect: Partial<Dialect>) {
  const hook = await receiver([500]);
  let wall = 1_800_000_000_000;
  const { api, sandbox } = inProcess({ dialect, wallClock: () => wall });
  const created = await api('POST', '/invoices', { ...ORDER, callback_url: hook.url, purpose: 'p' });
  const conflict = await api('POST', '/invoices', ORDER);
  const invalid = await api('POST', '/invoices', {});
  const unpayable = await api('POST', '/invoices', { ...ORDER, external_id: 'unpayable', amount: '4.99' });
  const unauthorized = await api('GET', '/rates', undefined, { 'X-Api-Key': 'no' });
  await sandbox.underpay('order-1042', '17.00');
  wall += 60_000;
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
    createHmac('sha256', 'whsec_of_the_tests').update(`${stamps[0]}.`).update(body).digest(form);
  const row = answers.history.json.data?.items?.[0] ?? answers.history.json.data?.[0] ?? answers.history.json[0];
  const remarks = sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
  return { ...answers, rateLimited, broken, stamps, headers, signature, payload, digest, row, remarks };
}

type Seen = Awaited<ReturnType<typeof walk>>;

/** What each value changes, typed by hand: what is seen, and what it is. */
const EFFECTS: Readonly<Record<keyof Dialect, Readonly<Record<string, (seen: Seen) => readonly [unknown, unknown]>>>> =
  {
    createStatus: {
      201: ({ created }) => [created.status, 201],
      202: ({ created }) => [created.status, 202],
    },
    unpayableAmount: {
      refused: ({ unpayable }) => [unpayable.status, 422],
      accepted: ({ unpayable }) => [
        [unpayable.status, unpayable.json.data.amount],
        [201, '4.99'],
      ],
    },
    conflictStatus: {
      409: ({ conflict }) => [conflict.status, 409],
      200: ({ conflict }) => [
        [conflict.status, conflict.json.success],
        [200, false],
      ],
    },
    conflictDetails: {
      full: ({ conflict }) => [conflict.json.error.details, { external_id: 'order-1042', status: 'pending' }],
      renamed: ({ conflict }) => [conflict.json.error.details, { order_id: 'order-1042', existing_status: 'pending' }],
      nested: ({ conflict }) => [
        conflict.json.error.details,
        { invoice: { external_id: 'order-1042', status: 'pending' } },
      ],
      absent: ({ conflict }) => [Object.keys(conflict.json.error), ['code', 'message']],
    },
    validationShape: {
      envelope: ({ invalid }) => [invalid.json.error.details.amount, ['is required']],
      detail: ({ invalid }) => [invalid.json.detail.length, 4],
      both: ({ invalid }) => [Object.keys(invalid.json), ['success', 'error', 'detail']],
      detail_text: ({ invalid }) => [invalid.json, { detail: expect.stringMatching(/^external_id is/) }],
      no_details: ({ invalid }) => [Object.keys(invalid.json.error), ['code', 'message']],
    },
    failureCodes: {
      general: (seen) => [
        failuresOf(seen),
        ['401 UNAUTHORIZED', '404 NOT_FOUND', '429 RATE_LIMIT_EXCEEDED', '503 SERVICE_UNAVAILABLE'],
      ],
      specific: (seen) => [
        failuresOf(seen),
        ['403 INVALID_API_KEY', '410 WITHDRAWAL_NOT_FOUND', '503 TOO_MANY_REQUESTS', '500 INTERNAL_ERROR'],
      ],
    },
    failureBody: {
      bare: ({ unauthorized }) => [unauthorized.json, { code: 'UNAUTHORIZED', message: expect.any(String) }],
      detail: ({ rateLimited }) => [rateLimited.json, { detail: 'Too many requests.' }],
      html: ({ missing }) => [missing.text, expect.stringMatching(/^<!doctype html>/)],
      empty: ({ broken }) => [
        [broken.status, broken.text],
        [503, ''],
      ],
    },
    retryAfterForm: {
      seconds: ({ rateLimited }) => [rateLimited.headers.get('retry-after'), '2'],
      http_date: ({ rateLimited }) => [rateLimited.headers.get('retry-after'), 'Sun, 01 Mar 2026 12:01:02 GMT'],
      absent: ({ rateLimited }) => [rateLimited.headers.get('retry-after'), null],
    },
    readShape: {
      envelope: ({ byUuid, withdrawal, history }) => [
        [byUuid.json.data.external_id, withdrawal.json.data.token, history.json.data.length],
        ['order-1042', 'USDT', 1],
      ],
      bare: ({ byUuid, withdrawal, history }) => [
        [byUuid.json.external_id, withdrawal.json.token, history.json.length],
        ['order-1042', 'USDT', 1],
      ],
      named: ({ byUuid, withdrawal, history }) => [
        [byUuid.json.data.invoice.external_id, withdrawal.json.data.withdrawal.token, history.json.data.total_items],
        ['order-1042', 'USDT', 1],
      ],
    },
    invoiceReadForm: {
      full: ({ byUuid }) => [byUuid.json.data.is_adjusted, true],
      creation: ({ byUuid }) => [Object.keys(byUuid.json.data).length, 14],
    },
    invoiceReadIdent: {
      both: ({ byUuid, byExternalId }) => [
        [byUuid.status, byExternalId.status],
        [200, 200],
      ],
      uuid: ({ byUuid, byExternalId }) => [
        [byUuid.status, byExternalId.status],
        [200, 404],
      ],
      external_id: ({ byUuid, byExternalId }) => [
        [byUuid.status, byExternalId.status],
        [404, 200],
      ],
    },
    deliveryRecord: {
      long: ({ row: { attempts, attempt_log, ...row } }) => [
        [Object.keys(row).length, attempts, attempt_log[0].status_code, attempt_log[0].error],
        [7, 2, 500, 'returned 500'],
      ],
      short: ({ row: { delivery_id, attempts, next_retry } }) => [
        [delivery_id.length, attempts.length, attempts[0].status_code, attempts[0].success, next_retry],
        [36, 2, '500', 'false', null],
      ],
      counted: ({ row: { state, attempt_count, attempt_history, last_http_status_code } }) => [
        [state, attempt_count, attempt_history[0].error, last_http_status_code],
        ['delivered', 2, { type: 'delivery_failed', message: 'returned 500' }, 200],
      ],
    },
    nulls: {
      null: ({ created, withdrawal, row }) => [
        [created.json.data.success_url, withdrawal.json.data.tx_hash, row.next_retry_at, row.attempt_log[1].error],
        [null, null, null, null],
      ],
      absent: ({ created, withdrawal, row }) => [
        ['success_url' in created.json.data, 'tx_hash' in withdrawal.json.data, 'next_retry_at' in row],
        [false, false, false],
      ],
      empty: ({ created, withdrawal, row }) => [
        ['success_url' in created.json.data, withdrawal.json.data.tx_hash, row.next_retry_at],
        [false, '', ''],
      ],
      mixed: ({ created }) => [
        [created.json.data.amount_to_send, 'success_url' in created.json.data],
        [null, false],
      ],
    },
    withdrawalQuery: {
      as_invoices: ({ rejected, strange }) => [
        [rejected.json.data.total_items, strange.status],
        [5, 200],
      ],
      other: ({ rejected: { json }, strange }) => [
        [json.data.total_items, json.data.per_page, strange.status],
        [1, 1, 200],
      ],
      strict: ({ rejected, strange }) => [
        [rejected.json.data.total_items, strange.json.error.details],
        [1, { sort: [expect.any(String)] }],
      ],
    },
    listOrder: { oldest: ({ list }) => [list.json.data.items.at(0).external_id, 'order-1042'] },
    pastEnd: {
      empty: ({ beyond }) => [
        [beyond.json.data.page, beyond.json.data.items],
        [7, []],
      ],
      last: ({ beyond }) => [
        [beyond.json.data.page, beyond.json.data.items.length],
        [1, 1],
      ],
      not_found: ({ beyond }) => [
        [beyond.status, beyond.json.error.code],
        [404, 'NOT_FOUND'],
      ],
      invalid: ({ beyond }) => [
        [beyond.status, Object.keys(beyond.json.error.details)],
        [422, ['page']],
      ],
    },
    decimalForm: {
      as_given: ({ created, payload }) => [
        [created.json.data.amount, payload.amount],
        ['25.00', '17.00'],
      ],
      padded: ({ created, payload }) => [
        [created.json.data.amount, payload.amount],
        ['25.00000000', '17.00000000'],
      ],
      trimmed: ({ created, withdrawal }) => [
        [created.json.data.amount, withdrawal.json.data.amount],
        ['25', '250'],
      ],
    },
    laterVersion: {
      some: ({ created, list, payload, headers, row }) => [
        [
          'risk_score' in created.json.data,
          list.json.data.items.some(({ status }: { status: string }) => status === 'refunded'),
          'meta' in payload,
          headers['x-webhook-version'],
          row.region,
        ],
        [true, true, true, '1', 'sandbox'],
      ],
    },
    signatureEncoding: {
      hex: ({ signature, digest }) => [signature, digest('hex')],
      base64: ({ signature, digest }) => [signature, digest('base64')],
    },
    timestampFormat: {
      seconds: ({ stamps }) => [stamps[0], expect.stringMatching(/^\d{10}$/)],
      milliseconds: ({ stamps }) => [stamps[0], expect.stringMatching(/^\d{13}$/)],
      iso: ({ stamps }) => [stamps[0], expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)],
    },
    timestampPer: {
      attempt: ({ stamps }) => [stamps, ['1800000000', '1800000060']],
      delivery: ({ stamps }) => [stamps, ['1800000000', '1800000000']],
    },
    orderIdMember: {
      external_id: ({ payload }) => [payload.external_id, 'order-1042'],
      order_id: ({ payload }) => [payload.order_id, 'order-1042'],
      'order.id': ({ payload }) => [payload.order, { id: 'order-1042' }],
      merchant_order_id: ({ payload }) => [payload.merchant_order_id, 'order-1042'],
    },
  };

function failuresOf({ unauthorized, missing, rateLimited, broken }: Seen): string[] {
  return [unauthorized, missing, rateLimited, broken].map(({ status, json }) => `${status} ${json.error.code}`);
}

// The default of a row counts as a value: its responses are looked at, too.
const cases = Object.entries<DialectEntry>(DIALECTS).flatMap(([name, { values }]) => {
  return values.map((value) => [name as keyof Dialect, value] as const); // the keys of the table
});

it.each(cases)('%s: %j changes what it says, and every response passes the contract', async (name, value) => {
  const seen = await walk({ [name]: value });
  const [looked, expected] = EFFECTS[name][value]?.(seen) ?? [];
  expect(looked).toEqual(expected);
  expect(seen.remarks).toEqual([]);
});

it('looks at each value but the statuses and orders that are like another', () => {
  const unseen = cases.filter(([name, value]) => EFFECTS[name][value] === undefined).map(([, value]) => value);
  expect(unseen).toEqual([200, 400, 422, 'envelope', 'newest', 'none']);
});

it('begins with the default in each row', () => {
  const defaults = Object.entries(DIALECTS).map(([name, { values }]) => [name, values[0]]);
  expect(testSandbox().dialect).toEqual(Object.fromEntries(defaults));
});

it.each(['{"createStatus":299}', '{"colour":"red"}', '{"toString":1}'])('refuses the dialect %s', (dialect) => {
  expect(() => testSandbox({ dialect: JSON.parse(dialect) })).toThrow(ConfigurationError);
});
