import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { payloadOf } from '../../../src/contract/envelope.ts';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { createSandbox, DIALECTS, type Dialect } from '../../../src/sandbox/index.ts';
import { inProcess, ORDER, receiver } from '../loopback.ts';

const VARIANTS = Object.entries(DIALECTS).flatMap(([name, { values }]) =>
  values.map((value) => [name, value] as const),
);

/** Walks through the whole service in one dialect and hands back every answer and delivery. */
async function walk(dialect: Partial<Dialect>) {
  const hook = await receiver([500]);
  const { api, sandbox } = inProcess({ dialect });
  const created = await api('POST', '/invoices', { ...ORDER, callback_url: hook.url, purpose: 'p' });
  const conflict = await api('POST', '/invoices', ORDER);
  const invalid = await api('POST', '/invoices', {});
  const unauthorized = await api('GET', '/rates', undefined, { 'X-Api-Key': 'no' });
  await api('POST', '/invoices', { ...ORDER, external_id: 'silent' });
  await sandbox.underpay('order-1042', '17.00');
  await sandbox.expire('silent');
  const uuid = sandbox.invoice('order-1042').uuid;
  const result = {
    created,
    conflict,
    invalid,
    unauthorized,
    uuid,
    byUuid: await api('GET', `/invoices/${uuid}`),
    byExternalId: await api('GET', '/invoices/order-1042'),
    pending: await api('GET', '/invoices/order-1042/webhooks'),
    list: await api('GET', '/invoices'),
    silent: await api('GET', '/invoices/silent/webhooks'),
    withdrawals: await api('GET', '/withdrawals'),
    smallPage: await api('GET', `/withdrawals?${dialect.withdrawalPageSize ?? 'per_page'}=2`),
    withdrawal: await api('GET', '/withdrawals/5eed0000-0000-4000-8000-000000000001'),
    missing: await api('GET', '/withdrawals/none'),
    resend: await api('POST', '/invoices/order-1042/resend-webhook'),
    rates: await api('GET', '/rates'),
    beyond: await api('GET', '/invoices?page=7'),
    none: await api('GET', '/invoices?status=fail'),
    strange: await api('GET', '/invoices?sort=amount'),
    unknownNames: await api('GET', '/withdrawals?status=rejected&page=2'),
  };
  await sandbox.settle();
  const unpayable = await api('POST', '/invoices', { ...ORDER, external_id: 'unpayable', amount: '4.99' });
  sandbox.faults.next({ type: 'rate_limit', retryAfter: 2 });
  const rateLimited = await api('GET', '/rates');
  sandbox.faults.next('server_error');
  const broken = await api('GET', '/rates');
  await api('POST', '/invoices', { ...ORDER, external_id: 'exact', callback_url: hook.url });
  await sandbox.pay('exact');
  const paid = JSON.parse(hook.received.at(-1)?.body.toString() ?? '{}');
  return {
    broken,
    unpayable,
    paid,
    ...result,
    rateLimited,
    deliveries: await api('GET', '/invoices/order-1042/webhooks'),
    hook,
    sandbox,
  };
}

describe.each(VARIANTS)('%s: %j', (name, value) => {
  it('passes the contract, whatever it writes', async () => {
    const seen = await walk({ [name]: value });
    expect(
      seen.sandbox
        .events()
        .filter(({ kind }) => kind === 'note')
        .map((event) => 'text' in event && event.text),
    ).toEqual(['invoice.canceled of silent goes nowhere: neither the invoice nor the business has a callback URL']);
    const decoded = endpoints['webhooks.deliveries'].data(payloadOf(seen.deliveries.json));
    expect(decoded).toMatchObject({
      ok: true,
      value: [
        {
          status: 'delivered',
          attempts: 2,
          max_attempts: 7,
          event_type: 'invoice.paid',
          last_http_status: 200,
          attempt_log: [{ status_code: 500 }, { triggered_by: 'manual' }],
        },
      ],
    });
    expect(endpoints['withdrawals.list'].data(payloadOf(seen.withdrawals.json)).ok).toBe(true);
    expect(seen.hook.received).toHaveLength(3);
  });
});

// What each value that is not the default changes, typed by hand.
const EFFECTS: { [Name in keyof Dialect]?: [Dialect[Name], (seen: Awaited<ReturnType<typeof walk>>) => void][] } = {
  createStatus: [[200, ({ created }) => expect(created.status).toBe(200)]],
  unpayableAmount: [
    ['accepted', ({ unpayable }) => expect([unpayable.status, unpayable.json.data.amount]).toEqual([201, '4.99'])],
  ],
  conflictStatus: [
    [200, ({ conflict }) => expect([conflict.status, conflict.json.success]).toEqual([200, false])],
    [
      422,
      ({ conflict }) => expect([conflict.status, conflict.json.error.code]).toEqual([422, 'INVOICE_ALREADY_EXISTS']),
    ],
  ],
  conflictStatusMember: [
    [
      'existing_status',
      ({ conflict }) =>
        expect(conflict.json.error.details).toEqual({ external_id: 'order-1042', existing_status: 'pending' }),
    ],
  ],
  validationShape: [
    ['detail', ({ invalid }) => expect(invalid.json.detail).toHaveLength(4)],
    ['both', ({ invalid }) => expect(Object.keys(invalid.json)).toEqual(['success', 'error', 'detail'])],
    [
      'detail_text',
      ({ invalid }) => expect(invalid.json).toEqual({ detail: expect.stringMatching(/^external_id is/) }),
    ],
    ['texts', ({ invalid }) => expect(invalid.json.error.details.amount).toBe('is required')],
    ['no_details', ({ invalid }) => expect(Object.keys(invalid.json.error)).toEqual(['code', 'message'])],
  ],
  authStatus: [[403, ({ unauthorized }) => expect(unauthorized.status).toBe(403)]],
  authCode: [['INVALID_API_KEY', ({ unauthorized }) => expect(unauthorized.json.error.code).toBe('INVALID_API_KEY')]],
  notFoundCode: [
    [
      'specific',
      ({ missing }) => expect([missing.status, missing.json.error.code]).toEqual([404, 'WITHDRAWAL_NOT_FOUND']),
    ],
  ],
  rateLimitStatus: [[503, ({ rateLimited }) => expect(rateLimited.status).toBe(503)]],
  rateLimitCode: [
    ['TOO_MANY_REQUESTS', ({ rateLimited }) => expect(rateLimited.json.error.code).toBe('TOO_MANY_REQUESTS')],
  ],
  retryAfterForm: [['http_date', ({ rateLimited }) => expect(rateLimited.headers.get('retry-after')).toMatch(/ GMT$/)]],
  dateHeader: [['absent', ({ list }) => expect(list.headers.has('date')).toBe(false)]],
  successFlag: [['absent', ({ list }) => expect(Object.keys(list.json)).toEqual(['data'])]],
  invoiceRead: [
    ['named', ({ byUuid }) => expect(byUuid.json.data.invoice.external_id).toBe('order-1042')],
    ['bare', ({ byUuid }) => expect(byUuid.json.external_id).toBe('order-1042')],
  ],
  invoiceReadForm: [['creation', ({ byUuid }) => expect(Object.keys(byUuid.json.data)).toHaveLength(14)]],
  invoiceReadIdent: [
    ['uuid', ({ byUuid, byExternalId }) => expect([byUuid.status, byExternalId.status]).toEqual([200, 404])],
    ['external_id', ({ byUuid, byExternalId }) => expect([byUuid.status, byExternalId.status]).toEqual([404, 200])],
  ],
  withdrawalRead: [
    ['named', ({ withdrawal }) => expect(withdrawal.json.data.withdrawal.token).toBe('USDT')],
    ['bare', ({ withdrawal }) => expect(withdrawal.json.token).toBe('USDT')],
  ],
  deliveriesShape: [
    [
      'page',
      ({ deliveries }) =>
        expect(deliveries.json.data).toMatchObject({ total_items: 1, page: 1, items: [{ max_attempts: 7 }] }),
    ],
    ['named', ({ deliveries }) => expect(deliveries.json.data.deliveries).toHaveLength(1)],
    ['bare', ({ deliveries }) => expect(deliveries.json).toHaveLength(1)],
  ],
  deliveryNames: [
    [
      'counted',
      ({ deliveries }) =>
        expect(Object.keys(deliveries.json.data[0])).toEqual([
          'webhook_id',
          'event_name',
          'state',
          'attempt_count',
          'max_attempts',
          'last_http_status_code',
          'next_attempt_at',
          'received_at',
          'attempt_history',
        ]),
    ],
    [
      'short',
      ({ deliveries }) =>
        expect(Object.keys(deliveries.json.data[0])).toEqual([
          'delivery_id',
          'event',
          'status',
          'attempts',
          'max_attempts',
          'last_status_code',
          'next_retry',
          'delivered_time',
        ]),
    ],
  ],
  attemptNumbers: [
    ['text', ({ deliveries }) => expect(deliveries.json.data[0].attempt_log[0].status_code).toBe('500')],
  ],
  waitingDelivery: [['delivering', ({ pending }) => expect(pending.json.data[0].status).toBe('delivering')]],
  resendBody: [
    ['flag', ({ resend }) => expect(resend.json).toEqual({ success: true })],
    ['text', ({ resend }) => expect([resend.status, resend.text]).toEqual([200, 'OK'])],
    ['null', ({ resend }) => expect(resend.json).toEqual({ success: true, data: null })],
    ['message', ({ resend }) => expect(resend.json.data).toEqual({ message: expect.any(String) })],
    ['empty', ({ resend }) => expect([resend.status, resend.text]).toEqual([204, ''])],
  ],
  signatureEncoding: [
    ['hex_upper', ({ hook }) => expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^[0-9A-F]{64}$/)],
    [
      'base64_unpadded',
      ({ hook }) => expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^[0-9A-Za-z+/]{43}$/),
    ],
    [
      'base64url',
      ({ hook }) => {
        const [first] = hook.received;
        expect(first?.headers['x-webhook-signature']).toBe(
          createHmac('sha256', 'whsec_sandbox')
            .update(`${first?.headers['x-webhook-timestamp']}.`)
            .update(first?.body ?? '')
            .digest('base64url'),
        );
      },
    ],
    [
      'base64',
      ({ hook }) => {
        const [first] = hook.received;
        expect(first?.headers['x-webhook-signature']).toBe(
          createHmac('sha256', 'whsec_sandbox')
            .update(`${first?.headers['x-webhook-timestamp']}.`)
            .update(first?.body ?? '')
            .digest('base64'),
        );
      },
    ],
  ],
  signaturePrefix: [
    ['v1=', ({ hook }) => expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^v1=[0-9a-f]{64}$/)],
    [
      'sha256=',
      ({ hook }) => expect(hook.received[0]?.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/),
    ],
  ],
  timestampFormat: [
    [
      'seconds_fraction',
      ({ hook }) => expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{10}\.\d{3}$/),
    ],
    [
      'iso_offset',
      ({ hook }) =>
        expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}\+00:00$/),
    ],
    ['milliseconds', ({ hook }) => expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{13}$/)],
    [
      'iso',
      ({ hook }) => expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    ],
  ],
  orderIdMember: [
    ['order.id', ({ hook }) => expect(payload(hook)).toMatchObject({ order: { id: 'order-1042' } })],
    ['merchant_order_id', ({ hook }) => expect(payload(hook)).toMatchObject({ merchant_order_id: 'order-1042' })],
  ],
  eventSpelling: [
    ['upper', ({ hook }) => expect(payload(hook)).toMatchObject({ event: 'INVOICE_PAID' })],
    ['namespaced', ({ hook }) => expect(payload(hook)).toMatchObject({ event: 'com.merchant.invoice.paid' })],
    ['versioned', ({ hook }) => expect(payload(hook)).toMatchObject({ event: 'invoice.paid.v1' })],
  ],
  eventName: [
    ['type', ({ hook }) => expect(payload(hook)).toMatchObject({ type: 'invoice.paid' })],
    [
      'header',
      ({ hook }) =>
        expect([hook.received[0]?.headers['x-webhook-event'], payload(hook)['event']]).toEqual([
          'invoice.paid',
          undefined,
        ]),
    ],
    [
      'nowhere',
      ({ hook }) => expect(JSON.stringify([hook.received[0]?.headers, payload(hook)])).not.toContain('invoice.paid'),
    ],
  ],
  withoutCallback: [
    [
      'failed_delivery',
      ({ silent }) => expect(silent.json.data).toMatchObject([{ status: 'failed', attempts: 0, attempt_log: [] }]),
    ],
  ],
  withdrawalPageSize: [
    ['limit', ({ smallPage }) => expect(smallPage.json.data).toMatchObject({ per_page: 2, total_pages: 3 })],
  ],
  withdrawalDefaultSize: [[50, ({ withdrawals }) => expect(withdrawals.json.data.per_page).toBe(50)]],
  withdrawalNulls: [
    ['absent', ({ withdrawal }) => expect('tx_hash' in withdrawal.json.data).toBe(false)],
    ['empty', ({ withdrawal }) => expect(withdrawal.json.data.tx_hash).toBe('')],
  ],
  invoiceNulls: [
    [
      'mixed',
      ({ created }) =>
        expect([created.json.data.amount_to_send, 'success_url' in created.json.data]).toEqual([null, false]),
    ],
    ['absent', ({ created }) => expect(Object.keys(created.json.data)).toHaveLength(11)],
  ],
  amountToSendAtCreation: [['value', ({ created }) => expect(created.json.data.amount_to_send).toBe('25.50')]],
  listOrder: [
    [
      'oldest',
      ({ list }) =>
        expect(list.json.data.items.map((item: { external_id: string }) => item.external_id)).toEqual([
          'order-1042',
          'silent',
        ]),
    ],
  ],
  timeForm: [
    ['whole_seconds', ({ created }) => expect(created.json.data.created_at).toBe('2026-03-01T12:00:00Z')],
    ['blank', ({ created }) => expect(created.json.data.created_at).toBe('2026-03-01 12:00:00.000Z')],
    ['offset', ({ created }) => expect(created.json.data.created_at).toBe('2026-03-01T12:00:00.000+00:00')],
    ['micros', ({ created }) => expect(created.json.data.created_at).toBe('2026-03-01T12:00:00.000000Z')],
    ['zoneless', ({ withdrawal }) => expect(withdrawal.json.data.created_at).toBe('2026-03-01T09:36:00.000')],
  ],
  conflictDetails: [
    [
      'extra',
      ({ conflict }) =>
        expect(Object.keys(conflict.json.error.details)).toEqual(['external_id', 'status', 'invoice_uuid', 'hint']),
    ],
    [
      'nested',
      ({ conflict }) =>
        expect(conflict.json.error.details).toEqual({ invoice: { external_id: 'order-1042', status: 'pending' } }),
    ],
    ['null', ({ conflict }) => expect(conflict.json.error.details).toBe(null)],
    ['absent', ({ conflict }) => expect(Object.keys(conflict.json.error)).toEqual(['code', 'message'])],
  ],
  conflictIdMember: [
    [
      'order_id',
      ({ conflict }) => expect(conflict.json.error.details).toEqual({ order_id: 'order-1042', status: 'pending' }),
    ],
  ],
  authBody: [
    [
      'bare',
      ({ unauthorized }) => expect(unauthorized.json).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String) }),
    ],
    ['detail', ({ unauthorized }) => expect(unauthorized.json).toEqual({ detail: 'A valid API key is required.' })],
    [
      'html',
      ({ unauthorized }) =>
        expect([unauthorized.status, unauthorized.text]).toEqual([401, expect.stringMatching(/^<!doctype html>/)]),
    ],
    ['empty', ({ unauthorized }) => expect([unauthorized.status, unauthorized.text]).toEqual([401, ''])],
  ],
  notFoundStatus: [[410, ({ missing }) => expect(missing.status).toBe(410)]],
  notFoundBody: [['bare', ({ missing }) => expect(missing.json.code).toBe('NOT_FOUND')]],
  rateLimitBody: [['detail', ({ rateLimited }) => expect(rateLimited.json).toEqual({ detail: 'Too many requests.' })]],
  serverStatus: [[504, ({ broken }) => expect(broken.status).toBe(504)]],
  serverCode: [['INTERNAL_ERROR', ({ broken }) => expect(broken.json.error.code).toBe('INTERNAL_ERROR')]],
  serverBody: [['empty', ({ broken }) => expect([broken.status, broken.text]).toEqual([503, ''])]],
  deliveryNulls: [
    ['absent', ({ deliveries }) => expect('next_retry_at' in deliveries.json.data[0]).toBe(false)],
    ['empty', ({ deliveries }) => expect(deliveries.json.data[0].next_retry_at).toBe('')],
  ],
  attemptFlags: [
    ['number', ({ deliveries }) => expect(deliveries.json.data[0].attempt_log[0].success).toBe(0)],
    ['text', ({ deliveries }) => expect(deliveries.json.data[0].attempt_log[1].success).toBe('true')],
  ],
  attemptErrors: [
    [
      'object',
      ({ deliveries }) =>
        expect(deliveries.json.data[0].attempt_log[0].error).toEqual({
          type: 'delivery_failed',
          message: 'answered 500',
        }),
    ],
  ],
  attemptNulls: [['absent', ({ deliveries }) => expect('error' in deliveries.json.data[0].attempt_log[1]).toBe(false)]],
  resendStatus: [[202, ({ resend }) => expect(resend.status).toBe(202)]],
  webhookHeaders: [['some', ({ hook }) => expect(hook.received[0]?.headers['x-webhook-version']).toBe('1')]],
  webhookBody: [
    [
      'data',
      ({ hook }) =>
        expect(payload(hook)).toEqual({ event: 'invoice.paid', data: expect.objectContaining({ status: 'success' }) }),
    ],
  ],
  eventNulls: [['null', ({ paid }) => expect(paid).toMatchObject({ adjusted: false, original_amount: null })]],
  adjustedFlag: [
    ['when_true', ({ paid, hook }) => expect(['adjusted' in paid, payload(hook)['adjusted']]).toEqual([false, true])],
  ],
  withdrawalStatus: [['state', ({ unknownNames }) => expect(unknownNames.json.data.total_items).toBe(5)]],
  withdrawalPage: [['p', ({ unknownNames }) => expect(unknownNames.json.data.page).toBe(1)]],
  unknownQuery: [
    [
      'refused',
      ({ strange }) =>
        expect([strange.status, strange.json.error.details]).toEqual([422, { sort: [expect.any(String)] }]),
    ],
  ],
  pastEnd: [
    ['last', ({ beyond }) => expect(beyond.json.data).toMatchObject({ page: 1, items: [{}, {}] })],
    ['not_found', ({ beyond }) => expect([beyond.status, beyond.json.error.code]).toEqual([404, 'NOT_FOUND'])],
    [
      'invalid',
      ({ beyond }) => expect([beyond.status, Object.keys(beyond.json.error.details)]).toEqual([422, ['page']]),
    ],
  ],
  emptyPages: [
    [1, ({ none }) => expect(none.json.data).toMatchObject({ total_items: 0, total_pages: 1, has_next: false })],
  ],
  decimalForm: [
    [
      'padded',
      ({ created, hook }) =>
        expect([created.json.data.amount, payload(hook)['amount']]).toEqual(['25.00000000', '17.00000000']),
    ],
    [
      'trimmed',
      ({ created, withdrawal }) =>
        expect([created.json.data.amount, withdrawal.json.data.amount]).toEqual(['25', '250']),
    ],
  ],
  staleRates: [
    [
      'null',
      ({ rates }) => expect(rates.json.data.filter((row: { price: unknown }) => row.price === null)).toHaveLength(3),
    ],
    ['absent', ({ rates }) => expect(rates.json.data.filter((row: object) => !('price' in row))).toHaveLength(3)],
  ],
  rateLimits: [
    ['null', ({ rates }) => expect(rates.json.data[0]).toMatchObject({ min_amount: null, max_amount: null })],
    [
      'absent',
      ({ rates }) => expect(Object.keys(rates.json.data[0])).toEqual(['platform', 'asset', 'fiat', 'side', 'price']),
    ],
  ],
  newWords: [
    [
      'some',
      ({ list, withdrawals, rates }) =>
        expect([
          list.json.data.items.some((item: { status: string }) => item.status === 'refunded'),
          withdrawals.json.data.items.some((item: { status: string }) => item.status === 'on_hold'),
          rates.json.data.some((row: { side: string }) => row.side === 'mid'),
        ]).toEqual([true, true, true]),
    ],
  ],
  extraMembers: [
    [
      'some',
      ({ created, hook }) => expect(['risk_score' in created.json.data, 'meta' in payload(hook)]).toEqual([true, true]),
    ],
  ],
};

function payload(hook: Awaited<ReturnType<typeof receiver>>): Record<string, unknown> {
  return JSON.parse(hook.received[0]?.body.toString() ?? '{}');
}

describe('what a value changes', () => {
  const cases = Object.entries(EFFECTS).flatMap(([name, effects]) =>
    effects.map(([value, check]) => [name, value, check] as const),
  );

  it.each(cases)('%s: %j', async (name, value, check) => {
    check((await walk({ [name]: value })) as never); // never: the table's row types are per name, the walk's is one
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

  it('refuses an ident of a form that is not accepted, when asked to', async () => {
    const { api } = inProcess({ dialect: { invoiceReadIdent: 'uuid', identRefusal: 'invalid' } });
    await api('POST', '/invoices', ORDER);
    const { status, json } = await api('GET', '/invoices/order-1042');
    expect([status, json.error.code, json.error.details]).toEqual([
      422,
      'VALIDATION_ERROR',
      { ident: ['must be a UUID'] },
    ]);
  });

  it('is shown for every dialect there is', () => {
    expect(Object.keys(EFFECTS).concat('timestampPer', 'identRefusal').sort()).toEqual(Object.keys(DIALECTS).sort());
  });
});

it('has a default among the values of each dialect', () => {
  for (const entry of Object.values(DIALECTS)) {
    expect((entry.values as readonly unknown[]).includes(entry.default)).toBe(true);
  }
  expect(createSandbox().dialect).toEqual(
    Object.fromEntries(Object.entries(DIALECTS).map(([name, entry]) => [name, entry.default])),
  );
});

it.each(['{"createStatus":299}', '{"colour":"red"}', '{"toString":1}'])('refuses the dialect %s', (dialect) => {
  expect(() => createSandbox({ dialect: JSON.parse(dialect) })).toThrow(ConfigurationError);
});
