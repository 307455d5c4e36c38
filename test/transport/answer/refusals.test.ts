import { describe, expect, test } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  InvoiceAlreadyExistsError,
  MerchantError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../../../src/errors/classes.ts';
import { hasCode, hasKind, isMerchantError } from '../../../src/errors/guards.ts';
import { FakeRuntime } from '../../support/fake-runtime.ts';
import { type Step, serve } from '../../support/fault-server.ts';
import { answer, drip, endless, ok, refuse, resetMidBody, stallMidBody, truncate } from '../../support/fault-steps.ts';
import { alreadyExistsFailure, detailFailure, validationFailure } from '../../support/fixtures/failures.ts';
import { createdInvoice, successInvoice } from '../../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../../support/test-client.ts';

/** The error of a creation that is answered like this, at the only attempt. */
async function refused(step: Step) {
  const server = await serve(step);
  return errorOf(clientOf(server.url, { retry: false }).invoices.create(order));
}

describe('code first, status second', () => {
  test.each([
    [401, AuthenticationError, 'authentication'],
    [403, AuthenticationError, 'authentication'],
    [404, NotFoundError, 'not_found'],
    [410, NotFoundError, 'not_found'],
    [422, ValidationError, 'validation'],
    [429, RateLimitError, 'rate_limit'],
    [500, ServerError, 'server'],
    [501, ServerError, 'server'],
    [503, ServerError, 'server'],
    [599, ServerError, 'server'],
    [400, ApiError, 'request'],
    [402, ApiError, 'request'],
    [408, ApiError, 'request'],
    [409, ApiError, 'request'],
    [418, ApiError, 'request'],
    [200, ApiError, 'request'],
  ] as const)('HTTP %i with a code that nobody knows', async (status, ErrorClass, kind) => {
    const error = await refused(refuse(status, 'ACCOUNT_ON_HOLD', { until: 'tomorrow' }));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toBeInstanceOf(MerchantError);
    expect(Object.getPrototypeOf(error)).toBe(ErrorClass.prototype);
    expect(error).toMatchObject({ code: 'ACCOUNT_ON_HOLD', kind, status, details: { until: 'tomorrow' } });
    expect(error.name).toBe(ErrorClass.prototype.name);
    expect(error.message).toContain('The service says no');
  });

  test.each([200, 400, 403, 409, 422, 429, 500])('INVOICE_ALREADY_EXISTS under %i', async (status) => {
    const error = await refused(
      refuse(status, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'success' }),
    );
    expect(error).toBeInstanceOf(InvoiceAlreadyExistsError);
    expect(error).toMatchObject({ kind: 'conflict', status, existingStatus: 'success', outcome: 'rejected' });
  });

  test.each([200, 400, 404, 429, 500])('VALIDATION_ERROR under %i', async (status) => {
    const error = await refused(refuse(status, 'VALIDATION_ERROR', { amount: ['is too small'] }));
    expect(error).toMatchObject({
      kind: 'validation',
      status,
      fields: { amount: ['is too small'] },
      outcome: 'rejected',
    });
  });

  test.each([
    'RATE_LIMIT',
    'RATE_LIMITED',
    'RATE_LIMIT_EXCEEDED',
    'API_RATE_LIMIT_EXCEEDED',
    'TOO_MANY_REQUESTS',
    'THROTTLED',
    'rate-limited',
    'rateLimitExceeded',
    'RateLimitError',
    'RATE_LIMIT_ERROR',
    'RATE_EXCEEDED',
    'REQUEST_LIMIT_EXCEEDED',
    'TOO_MANY_CALLS',
    'TOO_MANY_OPEN_INVOICES',
    'RATE_LIMITER_BUSY',
    'throttling.exception',
    'Throttle',
    'QUOTA_EXCEEDED',
    'quotaExceeded',
    'API_QUOTA',
    'ERR_TOO_MANY_REQUESTS',
    'user-rate-limited',
  ])('%s is a rate limit under any status', async (code) => {
    for (const status of [200, 400, 403, 503])
      expect(await refused(refuse(status, code))).toMatchObject({ kind: 'rate_limit', code, outcome: 'rejected' });
  });

  test.each([
    'RATE_NOT_FOUND',
    'EXCHANGE_RATE_EXPIRED',
    'EXCHANGE_RATE_LIMIT_EXCEEDED',
    'MARKET_RATE_LIMIT',
    'GENERATE_LIMIT',
    'AMOUNT_LIMIT_EXCEEDED',
    'ACCOUNT_LIMIT_EXCEEDED',
    'INVOICE_QUOTATION_EXPIRED',
  ])('%s is none', async (code) => expect(await refused(refuse(400, code))).toMatchObject({ kind: 'request', code }));

  test.each(['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR', 'internal', 'SERVICE_UNAVAILABLE', 'MAINTENANCE'])(
    '%s is a failure of the service, also where the status does not say so',
    async (code) => {
      for (const status of [200, 400, 409]) {
        const server = await serve(refuse(status, code), refuse(status, code), ok(createdInvoice));
        const client = clientOf(server.url, { runtime: new FakeRuntime() });
        expect(await client.invoices.create(order)).toMatchObject({ external_id: 'order-1042' });
        expect(await refused(refuse(status, code))).toMatchObject({ kind: 'server', code, status, outcome: 'unknown' });
      }
      expect(await refused(refuse(403, code))).toMatchObject({ kind: 'authentication', outcome: 'rejected' });
    },
  );

  test.each(['INTERNAL_TRANSFER_FORBIDDEN', 'SERVER_NAME_INVALID', 'PAYMENT_UNAVAILABLE', 'NOT_MAINTENANCE'])(
    '%s is none',
    async (code) => expect(await refused(refuse(400, code))).toMatchObject({ kind: 'request', outcome: 'rejected' }),
  );

  test('without a code: 422 is VALIDATION_ERROR, any other status names itself', async () => {
    expect(await refused(answer(422, {}))).toMatchObject({ code: 'VALIDATION_ERROR', kind: 'validation', issues: [] });
    expect(await refused(answer(409, {}))).toMatchObject({ code: 'SDK_HTTP_409', kind: 'request', details: null });
    expect(await refused(answer(503, '<h1>503</h1>'))).toMatchObject({ code: 'SDK_HTTP_503', raw: '<h1>503</h1>' });
  });

  test('guards narrow by code and kind', async () => {
    const error: unknown = await refused(answer(409, alreadyExistsFailure));
    expect(isMerchantError(error)).toBe(true);
    expect(hasCode(error, 'VALIDATION_ERROR')).toBe(false);
    expect(hasKind(error, 'validation')).toBe(false);
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS') || !hasKind(error, 'conflict')) throw new Error('is a conflict');
    expect(error.externalId).toBe('order-1042');
    expect([undefined, null, 'x', {}, new Error('x')].some(isMerchantError)).toBe(false);
  });
});

describe('both shapes of a 422 are one thing', () => {
  test('the map of field to messages', async () => {
    const error = await refused(answer(422, validationFailure));
    expect(error).toMatchObject({
      kind: 'validation',
      code: 'VALIDATION_ERROR',
      origin: 'service',
      fields: {
        amount: ['Amount must be greater than 0', 'At most 2 decimal places'],
        callback_url: ['HTTPS is required'],
      },
      issues: [
        { path: 'amount', message: 'Amount must be greater than 0' },
        { path: 'amount', message: 'At most 2 decimal places' },
        { path: 'callback_url', message: 'HTTPS is required' },
      ],
    });
    expect(error.message).toContain('amount: Amount must be greater than 0');
  });

  test('the array of items with loc, msg and type', async () => {
    expect(await refused(answer(422, detailFailure))).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: {
        amount: ['Input should be greater than 0'],
        per_page: ['Input should be less than or equal to 100'],
        'items.0.name': ['Field required'],
      },
      issues: [
        { path: 'amount', type: 'greater_than' },
        { path: 'per_page', type: 'less_than_equal' },
        { path: 'items.0.name', type: 'missing' },
      ],
    });
  });

  test.each([
    [
      'both at once',
      { ...validationFailure, ...detailFailure },
      { callback_url: ['HTTPS is required'], 'items.0.name': ['Field required'] },
    ],
    ['detail as text', { detail: 'Amount is too small' }, { '': ['Amount is too small'] }],
    ['detail of plain strings', { detail: ['one', 'two'] }, { '': ['one', 'two'] }],
    ['details of plain strings', failure(['one', 'two']), { '': ['one', 'two'] }],
    ['details as text', failure('wrong'), { '': ['wrong'] }],
    ['a field with one message', failure({ amount: 'wrong' }), { amount: ['wrong'] }],
    ['a field with items', failure({ amount: [{ code: 7 }, null, 3] }), { amount: ['{"code":7}', 'is invalid', '3'] }],
    ['a field without messages', failure({ amount: [] }), {}],
    ['items inside details', failure([{ loc: ['body', 'amount'], msg: 'wrong' }]), { amount: ['wrong'] }],
    ['loc as text', { detail: [{ loc: 'amount', msg: 'wrong' }] }, { amount: ['wrong'] }],
    ['no loc, no msg', { detail: [{}] }, { '': ['is invalid'] }],
    ['loc of strange parts', { detail: [{ loc: ['body', null, {}, 'a', 1], msg: 'wrong' }] }, { 'a.1': ['wrong'] }],
    ['only "body"', { detail: [{ loc: ['body'], msg: 'wrong' }] }, { '': ['wrong'] }],
    ['null everywhere', { success: false, error: null, detail: null }, {}],
    ['a number', 422, {}],
    ['null', null, {}],
    ['an array', ['wrong'], {}],
  ])('%s', async (_name, body, fields) => {
    const error = await refused(answer(422, JSON.stringify(body), { 'content-type': 'application/json' }));
    expect(error).toMatchObject({ kind: 'validation', code: 'VALIDATION_ERROR', status: 422, fields });
    expect(error instanceof ValidationError && Object.getPrototypeOf(error.fields)).toBeNull();
  });

  test('a field of the name __proto__ is a field like any other', async () => {
    const body = '{"error":{"code":"VALIDATION_ERROR","details":{"__proto__":["wrong"],"constructor":["x"]}}}';
    const error = await refused(answer(422, body));
    if (!(error instanceof ValidationError)) throw new Error('is a validation error');
    expect(Object.keys(error.fields)).toEqual(['__proto__', 'constructor']);
    expect(error.issues).toEqual([
      { path: '__proto__', message: 'wrong' },
      { path: 'constructor', message: 'x' },
    ]);
    expect(Object.getPrototypeOf(error.details)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(error)).fields).toHaveProperty('constructor');
    expect(({} as Record<string, unknown>)['wrong']).toBeUndefined();
  });
});

describe('whatever the body is', () => {
  test.each([
    ['HTML', answer(404, '<html>Not here</html>')],
    ['empty', answer(404, '')],
    ['half a JSON text', answer(404, '{"success": false, "err')],
    ['an error of null', answer(404, { success: false, error: null })],
    ['an error of a number', answer(404, { success: false, error: 7 })],
    ['a code of an object', answer(404, { success: false, error: { code: {}, message: [] } })],
    ['an empty code', answer(404, { success: false, error: { code: '' } })],
    ['null', answer(404, 'null')],
    ['a stack of arrays', answer(404, '['.repeat(100_000))],
    ['deep details', answer(404, `{"error":{"details":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}`)],
    ['a reset', resetMidBody(404)],
    ['truncated', truncate(404)],
    ['2 MiB', answer(404, 'x'.repeat(2 * 1024 * 1024))],
    ['without end', endless(404)],
    ['no UTF-8', { play: ({ response }) => response.writeHead(404).end(Buffer.of(0xff, 0xfe, 0x00)) } satisfies Step],
  ])('%s', async (_name, step) => {
    const error = await refused(step);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'SDK_HTTP_404', kind: 'not_found', status: 404, outcome: 'rejected' });
    expect((error as NotFoundError).raw.length).toBeLessThanOrEqual(2_000);
    expect(() => JSON.stringify(error)).not.toThrow();
  });

  test.each(['text/plain', 'text/html', 'application/problem+json', ''])('JSON sent as "%s" is read', async (type) => {
    const error = await refused(answer(409, JSON.stringify(alreadyExistsFailure), { 'content-type': type }));
    expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042' });
  });

  test('one byte at a time', async () => {
    expect(await refused(drip(409, alreadyExistsFailure))).toMatchObject({ kind: 'conflict' });
  });

  test('a code beside the envelope is found', async () => {
    expect(await refused(answer(400, { code: 'BAD_THING', message: 'm' }))).toMatchObject({ code: 'BAD_THING' });
    expect(await refused(answer(400, { error: 'BAD_THING' }))).toMatchObject({ code: 'BAD_THING' });
    expect(await refused(answer(400, { error: 'Something bad.' }))).toMatchObject({ code: 'SDK_HTTP_400' });
  });

  test('a very long code or message is cut', async () => {
    const long = answer(400, { error: { code: 'C'.repeat(10_000), message: 'm'.repeat(100_000) } });
    const error = await refused(long);
    expect(error.code).toHaveLength(128);
    expect(error.message.length).toBeLessThan(1_000);
  });

  test('a body that stalls costs one attempt its time, and the status counts', async () => {
    const runtime = new FakeRuntime();
    const server = await serve(stallMidBody(runtime.expire, 403, '{"error":{"code":"FORBIDDEN"'));
    const error = await errorOf(clientOf(server.url, { runtime }).invoices.get('a'));
    expect(error).toMatchObject({ kind: 'authentication', code: 'SDK_HTTP_403', raw: '{"error":{"code":"FORBIDDEN"' });
  });
});

describe('an envelope in the member detail, as some frameworks put it', () => {
  test.each([
    ['itself', (error: object) => ({ detail: error })],
    ['with its envelope', (error: object) => ({ detail: { success: false, error } })],
  ])('%s', async (_name, wrap) => {
    const details = { external_id: 'order-1042', status: 'expired' };
    const conflict = await refused(answer(409, wrap({ code: 'INVOICE_ALREADY_EXISTS', message: 'Taken', details })));
    expect(conflict).toMatchObject({ kind: 'conflict', existingStatus: 'expired', details });
    expect(conflict.message).toContain('"Taken"');
    expect(await refused(answer(403, wrap({ code: 'RATE_LIMITED' })))).toMatchObject({ kind: 'rate_limit' });
    const fields = { amount: ['is too small'] };
    const invalid = await refused(answer(422, wrap({ code: 'VALIDATION_ERROR', message: 'Bad', details: fields })));
    expect(invalid).toMatchObject({ kind: 'validation', fields, issues: [{ path: 'amount' }] });
  });

  test('an error beside it comes first', async () => {
    const both = { error: { code: 'ACCOUNT_ON_HOLD', message: 'On hold' }, detail: { code: 'OTHER' } };
    expect(await refused(answer(400, both))).toMatchObject({ code: 'ACCOUNT_ON_HOLD' });
  });

  test('items of the second shape in the details of the first are fields', async () => {
    const item = { loc: ['body', 'amount'], msg: 'is too small', type: 'greater_than' };
    const error = await refused(refuse(422, 'VALIDATION_ERROR', { detail: [item], currency: ['is unknown'] }));
    expect(error).toMatchObject({ fields: { amount: ['is too small'], currency: ['is unknown'] } });
    expect(Object.keys(error.kind === 'validation' ? error.fields : {}).sort()).toEqual(['amount', 'currency']);
  });
});

describe('a success that says that it is none', () => {
  const resend = async (step: Step) => {
    const server = await serve(step);
    return await clientOf(server.url, { retry: false }).webhooks.resend('order-1042').result();
  };
  const attempt = { status_code: 500, success: false, error: null, duration_ms: 31, triggered_by: 'manual' };

  test.each([
    ['an attempt that failed', attempt],
    ['an attempt with its error', { ...attempt, error: 'connection refused' }],
    ['an attempt by its trigger', { success: false, triggered_by: 'manual' }],
    ['an attempt by its duration', { success: false, duration_ms: 31 }],
    ['an error that is text, and a flag', { success: true, error: 'none' }],
    ['an error of no code', { error: { message: 'last one' } }],
  ])('is one to resend: %s', async (_name, body) => {
    expect(await resend(answer(200, body))).toEqual({ ok: true, value: undefined });
  });

  test.each([
    ['the flag', { success: false }],
    ['the flag beside a status', { success: false, status_code: 404 }],
    ['an error with a code', { error: { code: 'WEBHOOK_NOT_FOUND', message: 'None' } }],
    ['an error with a code, the flag null', { success: null, error: { code: 'WEBHOOK_NOT_FOUND' } }],
    ['an error with a code beside an attempt', { ...attempt, error: { code: 'WEBHOOK_NOT_FOUND' } }],
  ])('is none to resend: %s', async (_name, body) => {
    expect(await resend(answer(200, body))).toMatchObject({ ok: false, error: { kind: 'request', status: 200 } });
  });

  test('a conflict without the flag is a conflict', async () => {
    const { error } = alreadyExistsFailure;
    expect(await refused(answer(200, { error }))).toMatchObject({ kind: 'conflict', status: 200 });
  });
});

describe('a conflict', () => {
  test.each([
    ['as documented', { external_id: 'order-1042', status: 'expired' }, 'order-1042', 'expired'],
    ['other names', { order_id: 'order-1042', existing_status: 'expired' }, 'order-1042', 'expired'],
    ['an invoice in it', { invoice: { external_id: 'order-1042', status: 'expired' } }, 'order-1042', 'expired'],
    ['further names', { existing_status: 'expired' }, 'order-1042', 'expired'],
    ['a current status', { current_status: 'expired' }, 'order-1042', 'expired'],
    ['an HTTP status beside it', { status: 409, invoice_status: 'expired' }, 'order-1042', 'expired'],
    ['an id of another type beside it', { external_id: 7, order_id: 'order-1042' }, 'order-1042', null],
    ['an unknown status', { status: 'refunded' }, 'order-1042', 'refunded'],
    ['members of other types', { external_id: 7, status: {} }, 'order-1042', null],
    ['the id in another case', { external_id: 'Order-1042' }, 'order-1042', null],
    ['another id under another name', { order_id: 'ORD-7' }, 'order-1042', null],
    ['the id of the invoice in it in another case', { existing: { external_id: 'Order-1042' } }, 'order-1042', null],
    ['a status of the invoice in it', { existing_invoice: { status: 'expired' } }, 'order-1042', 'expired'],
    ['missing', undefined, 'order-1042', null],
    ['null', null, 'order-1042', null],
    ['a list', ['taken'], 'order-1042', null],
  ])('details: %s', async (_name, details, externalId, existingStatus) => {
    const error = await refused(refuse(409, 'INVOICE_ALREADY_EXISTS', details));
    expect(error).toMatchObject({ kind: 'conflict', externalId, existingStatus, outcome: 'rejected' });
    expect(error).not.toHaveProperty('existing');
  });

  const paid = { ...successInvoice, external_id: 'order-1042' };
  test.each([
    ['invoice', { external_id: 'order-1042', invoice: paid }],
    ['existing_invoice', { existing_invoice: paid }],
    ['existing', { existing: paid }],
    ['the details themselves', paid],
    ['beside an empty one', { invoice: {}, ...paid }],
  ])('the invoice whole, as %s', async (_name, details) => {
    const error = await refused(refuse(409, 'INVOICE_ALREADY_EXISTS', details));
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw new Error('is a conflict');
    expect(error.existing?.uuid).toBe(successInvoice.uuid);
    expect(error.existing?.amount.toFixed()).toBe('100');
    expect(error.existing?.finished_at).toBeInstanceOf(Date);
  });

  test('and as it is, also where it repeats what was asked for', async () => {
    const asked = {
      ...order,
      customer_id: 'customer-7',
      purpose: 'Invoice',
      callback_url: 'https://shop.example/hook',
    };
    const { external_id, customer_id, purpose, callback_url } = asked;
    const invoice = { ...successInvoice, external_id, customer_id, purpose, callback_url };
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', { invoice }));
    const error = await errorOf(clientOf(server.url).invoices.create(asked));
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw new Error('is a conflict');
    expect(error.existing).toMatchObject({ customer_id, purpose, callback_url, payment_url: invoice.payment_url });
    expect(error.existingStatus).toBe('success');
    expect(error.details).toEqual({ invoice });
  });

  test.each(['Invoice', 'Pending', 'STATUS', 'Details', 'Currency', 'Customer_Id'])(
    'a purpose that is the word %s hides no name of the response',
    async (purpose) => {
      const details = { currency: ['x'], customer_id: ['y'], invoice: { status: 'pending' } };
      const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', details));
      const error = await errorOf(clientOf(server.url).invoices.create({ ...order, purpose }));
      expect(error).toMatchObject({ details, existingStatus: 'pending' });
    },
  );

  test.each([
    ['neither order nor status', undefined, /order exists\. /],
    ['a status', { status: 'expired' }, /order exists with the status "expired"\. /],
    ['an order', { external_id: 'order-7' }, /order "order-7" exists\. /],
    ['both', { external_id: 'order-7', status: 'expired' }, /order "order-7" exists with the status "expired"\. /],
  ])('of a call without an order says what the response names: %s', async (_name, details, message) => {
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', details));
    const error = await errorOf(clientOf(server.url, { retry: false }).rates.list());
    expect(error).toMatchObject({ kind: 'conflict', message: expect.stringMatching(message) });
  });

  test('half an invoice is no invoice', async () => {
    const { payment_url: _left, ...half } = { ...successInvoice, external_id: 'order-1042' };
    const error = await refused(refuse(409, 'INVOICE_ALREADY_EXISTS', { invoice: half }));
    expect(error).not.toHaveProperty('existing');
    expect(error).toMatchObject({ existingStatus: 'success' });
  });
});

describe('what an error carries', () => {
  test.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'])(
    'the id in %s',
    async (name) => {
      expect(await refused(refuse(400, null, undefined, { [name]: 'req-17' }))).toMatchObject({ requestId: 'req-17' });
      expect(await refused(answer(200, 'x', { [name]: 'req-18' }))).toMatchObject({ requestId: 'req-18' });
    },
  );

  test('the id of the next header where one is empty', async () => {
    const headers = { 'x-request-id': '', 'cf-ray': 'req-19' };
    expect(await refused(refuse(400, null, undefined, headers))).toMatchObject({ requestId: 'req-19' });
  });

  test('operation, attempts, outcome, and no request id where there is none', async () => {
    expect(await refused(refuse(400, 'NO'))).toMatchObject({
      operation: 'invoices.create',
      requestId: null,
      attempts: [{ code: 'NO', status: 400, outcome: 'rejected' }],
    });
  });

  test('toJSON is plain data without a stack', async () => {
    const error = await refused(answer(422, validationFailure, { 'x-request-id': 'r1' }));
    const json = JSON.parse(JSON.stringify(error));
    expect(json).toMatchObject({
      name: 'ValidationError',
      kind: 'validation',
      code: 'VALIDATION_ERROR',
      status: 422,
      requestId: 'r1',
      operation: 'invoices.create',
      outcome: 'rejected',
      stoppedBy: 'not_retryable',
      fields: { callback_url: ['HTTPS is required'] },
    });
    expect(json).not.toHaveProperty('stack');
    expect(json.message).toBe(error.message);
  });

  test('a success of an older answer shape is no refusal', async () => {
    const server = await serve(ok([]), answer(200, []));
    const client = clientOf(server.url);
    expect(await client.rates.list()).toEqual([]);
    expect(await client.rates.list()).toEqual([]);
  });
});

function failure(details: unknown): object {
  return { success: false, error: { code: 'VALIDATION_ERROR', message: 'no', details } };
}
