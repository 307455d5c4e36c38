import { describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/errors/codes.ts';
import type { AnyMerchantError } from '../../src/errors/guards.ts';
import type { FetchInit } from '../../src/transport/types.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, endless, redirect, resetMidBody, stall, stallMidBody, truncate } from '../support/fault-steps.ts';
import { alreadyExistsFailure, detailFailure, validationFailure } from '../support/fixtures/failures.ts';
import { createdInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';
import { CALLS } from './calls.ts';

// What a caller learns of an error response: its code, its kind, whether the work was done, and whether the client asked
// again. Three attempts are allowed.

interface Reaction {
  /** Whether a creation or a resend was done. */
  readonly write: Outcome;
  /** Whether a get or a list was done. */
  readonly read: Outcome;
  /** `if safe`: a resend is not repeated. */
  readonly repeated: 'never' | 'if safe' | 'always';
}

const REFUSED: Reaction = { write: 'rejected', read: 'rejected', repeated: 'never' };
const LIMITED: Reaction = { write: 'rejected', read: 'rejected', repeated: 'always' };
const FAILED: Reaction = { write: 'unknown', read: 'rejected', repeated: 'if safe' };
const TIMED_OUT: Reaction = { write: 'unknown', read: 'unknown', repeated: 'if safe' };
const TOO_EARLY: Reaction = { write: 'rejected', read: 'rejected', repeated: 'if safe' };
/** A conflict without its code, or a lock: a first attempt that still runs. */
const UNFINISHED: Reaction = { write: 'unknown', read: 'rejected', repeated: 'if safe' };
/** A redirect, or an error beside the invoice: the write may have been done, and a repeat would end the same. */
const DOUBTFUL: Reaction = { write: 'unknown', read: 'rejected', repeated: 'never' };

/** A body that is not text is sent as JSON. */
function respond(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(status === 304 ? null : text, { status, headers });
}

/** Makes each call against this response, and compares what the caller learns. */
async function expectError(response: () => Response, error: object, reaction: Reaction): Promise<void> {
  for (const name of ['get', 'create', 'resend'] as const) {
    const fetch = vi.fn(async (_url: string, _init: FetchInit) => response());
    const actual = await errorOf(CALLS[name](clientOf('https://pay.example', { fetch, runtime: new FakeRuntime() })));
    const isWrite = name !== 'get';
    const isRepeated = reaction.repeated === 'always' || (reaction.repeated === 'if safe' && name !== 'resend');
    expect(actual, name).toMatchObject({
      ...error,
      outcome: isWrite ? reaction.write : reaction.read,
      stoppedBy: isRepeated ? 'attempts' : 'not_retryable',
    });
    const ours = fetch.mock.calls.filter(([, { method }]) => (method === 'GET') === (name === 'get')); // not what is read back
    expect(ours, name).toHaveLength(isRepeated ? 3 : 1);
  }
}

/** The error of a creation that gets this response. */
function created(response: Response): Promise<AnyMerchantError> {
  return errorOf(clientOf('https://pay.example', { fetch: async () => response, retry: false }).invoices.create(order));
}

/** The error of a creation over a real connection, at the only attempt. */
async function createdAt(step: Step): Promise<AnyMerchantError> {
  return errorOf(clientOf((await serve(step)).url, { retry: false }).invoices.create(order));
}

const said = (code: string | null, details?: unknown) => ({
  success: false,
  error: { code, message: 'The service says no', details },
});

describe('the status decides where the code is unknown or missing', () => {
  const SPECIAL: Readonly<Record<number, readonly [kind: string, Reaction]>> = {
    401: ['authentication', REFUSED],
    403: ['authentication', REFUSED],
    404: ['not_found', REFUSED],
    409: ['request', UNFINISHED],
    408: ['request', TIMED_OUT],
    410: ['not_found', REFUSED],
    420: ['rate_limit', LIMITED],
    422: ['validation', REFUSED],
    423: ['request', UNFINISHED],
    425: ['request', TOO_EARLY],
    429: ['rate_limit', LIMITED],
    501: ['server', REFUSED],
    505: ['server', REFUSED],
  };
  const OTHERS = [400, 402, 405, 406, 412, 415, 418, 421, 426, 428, 431, 451, 499];
  const SERVER = [500, 502, 503, 504, 506, 507, 508, 511, 520, 522, 524, 530, 598, 599];

  it.each([...Object.keys(SPECIAL).map(Number), ...OTHERS, ...SERVER])(
    'HTTP %i is known by its status',
    async (status) => {
      const [kind, reaction] = SPECIAL[status] ?? (status < 500 ? ['request', REFUSED] : ['server', FAILED]);
      const code = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
      // Any proxy sends a 404: without a code it says nothing about an order.
      const alone = kind === 'not_found' ? 'request' : kind;
      await expectError(() => respond(status, ''), { code, kind: alone, status, answeredBy: 'other' }, reaction);
      const unknown = { code: 'ACCOUNT_ON_HOLD', kind, status, details: { until: 'tomorrow' }, answeredBy: 'service' };
      await expectError(() => respond(status, said('ACCOUNT_ON_HOLD', { until: 'tomorrow' })), unknown, reaction);
    },
  );

  it('fetch shows 407 as a lost connection', async () => {
    const server = await serve(answer(407));
    const error = await errorOf(CALLS.resend(clientOf(server.url)));
    expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  it('fetch repeats 421 once by itself, and the client does not', async () => {
    const error = await errorOf(CALLS.create(clientOf((await serve(answer(421))).url)));
    expect(error).toMatchObject({ code: 'SDK_HTTP_421', outcome: 'rejected', attempts: { length: 1 } });
  });
});

describe('a known code decides under any status', () => {
  const RATE_LIMITS = [
    ...['RATE_LIMIT', 'RATE_LIMITED', 'RATE_LIMIT_EXCEEDED', 'rate-limited', 'rateLimitExceeded', 'RateLimitError'],
    ...['RATE_LIMIT_ERROR', 'RATE_LIMITER_BUSY', 'RATE_EXCEEDED', 'REQUEST_LIMIT_EXCEEDED', 'API_RATE_LIMIT_EXCEEDED'],
    ...['user-rate-limited', 'TOO_MANY_REQUESTS', 'TOO_MANY_CALLS', 'TOO_MANY_OPEN_INVOICES', 'ERR_TOO_MANY_REQUESTS'],
    ...['THROTTLED', 'throttling.exception', 'Throttle', 'QUOTA_EXCEEDED', 'quotaExceeded', 'API_QUOTA'],
  ];
  const SERVER = ['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR', 'internal', 'SERVICE_UNAVAILABLE', 'MAINTENANCE'];
  const OTHERS = [
    ...['RATE_NOT_FOUND', 'EXCHANGE_RATE_EXPIRED', 'EXCHANGE_RATE_LIMIT_EXCEEDED', 'MARKET_RATE_LIMIT'],
    ...['GENERATE_LIMIT', 'AMOUNT_LIMIT_EXCEEDED', 'ACCOUNT_LIMIT_EXCEEDED', 'INVOICE_QUOTATION_EXPIRED'],
    ...['INTERNAL_TRANSFER_FORBIDDEN', 'SERVER_NAME_INVALID', 'PAYMENT_UNAVAILABLE', 'NOT_MAINTENANCE'],
  ];
  const ROWS: readonly (readonly [kind: string, codes: readonly string[], statuses: readonly number[], Reaction])[] = [
    ['conflict', ['INVOICE_ALREADY_EXISTS'], [200, 302, 400, 403, 409, 422, 429, 500, 503], REFUSED],
    ['conflict', ['invoice_already_exists', 'Invoice_Already_Exists'], [400], REFUSED],
    ['validation', ['VALIDATION_ERROR'], [200, 400, 404, 408, 429, 500], REFUSED],
    ['validation', ['validation_error'], [400], REFUSED],
    ['rate_limit', RATE_LIMITS, [200, 302, 400, 403, 503], LIMITED],
    ['server', SERVER, [200, 400, 409], FAILED],
    ['authentication', SERVER, [403], REFUSED],
    ['request', OTHERS, [200, 400], REFUSED],
    ['request', OTHERS, [301, 302, 303, 307, 308], DOUBTFUL],
  ];
  const cases = ROWS.flatMap(([kind, codes, statuses, reaction]) =>
    codes.map((code) => ({ code, kind, statuses, reaction, known: kind === 'conflict' || kind === 'validation' })),
  );

  it.each(cases)('$code is of the kind $kind under $statuses', async ({ code, kind, statuses, reaction, known }) => {
    const spelling = known ? code.toUpperCase() : code; // the interface's
    for (const status of statuses)
      await expectError(() => respond(status, said(code)), { code: spelling, kind, status }, reaction);
  });
});

describe('an error is found wherever a service puts it', () => {
  const error = { code: 'ACCOUNT_ON_HOLD', message: 'On hold', details: { until: 'tomorrow' } };
  const found = { kind: 'request', code: 'ACCOUNT_ON_HOLD', details: error.details };

  it.each<[string, unknown]>([
    ['in the envelope', { success: false, error }],
    ['without the flag', { error }],
    ['before an error in detail', { error, detail: { code: 'OTHER' } }],
  ])('%s, under any status', async (_name, body) => {
    for (const status of [200, 302, 400]) {
      const message = expect.stringContaining('"On hold"');
      await expectError(
        () => respond(status, body),
        { ...found, message, status },
        status === 302 ? DOUBTFUL : REFUSED,
      );
    }
  });

  it.each([undefined, null, false, true, 0, 1, '0', '1', '', 'false', 'False', 'true', 'no', 'yes', {}, []])(
    'beside success: %j',
    (success) => expectError(() => respond(200, { success, error }), found, REFUSED),
  );

  it.each<[string, unknown, string, string]>([
    ['as the body itself', error, 'ACCOUNT_ON_HOLD', '"On hold"'],
    ['in detail', { detail: error }, 'ACCOUNT_ON_HOLD', '"On hold"'],
    ['with its envelope in detail', { detail: { success: false, error } }, 'ACCOUNT_ON_HOLD', '"On hold"'],
    ['as a code of this package, which counts as none', { error: { code: 'SDK_TLS' } }, 'SDK_HTTP_400', 'HTTP_400'],
    ['as a message', { message: 'Not today' }, 'SDK_HTTP_400', '"Not today"'],
    ['as the text of detail', { detail: 'Not today' }, 'SDK_HTTP_400', '"Not today"'],
  ])('%s, under a status of errors', async (_name, body, code, message) => {
    const details = code === error.code ? error.details : null;
    await expectError(() => respond(400, body), { code, details, message: expect.stringContaining(message) }, REFUSED);
  });

  it.each([false, 0, '0', 'false', 'False', 'FALSE', ' false ', 'no', 'No'])(
    'in the flag alone: success: %j refuses, also beside data',
    (success) => {
      const body = { success, message: 'Not today', data: createdInvoice };
      return expectError(() => respond(200, body), { kind: 'request', code: 'SDK_HTTP_200' }, REFUSED);
    },
  );

  it.each<[string, object]>([
    ...[true, 1, 'true', 'yes', 'ok', null, undefined, '', 'maybe', {}].map(
      (success) => [`success: ${JSON.stringify(success)}`, { success }] as [string, object],
    ),
    ['an empty error', { error: {} }],
    ['an error of null', { success: true, error: null }],
    ['a code that is no text', { error: { code: 0 } }],
    ['an empty code', { error: { code: '' } }],
    ['an error inside the invoice', { data: { ...createdInvoice, error } }],
  ])('and not in %s: the invoice is created', async (_name, body) => {
    const fetch = async () => respond(200, { data: createdInvoice, ...body });
    const invoice = await clientOf('https://pay.example', { fetch }).invoices.create(order);
    expect(invoice.external_id).toBe('order-1042');
  });

  it.each([true, undefined, 'true', 1])(
    'beside the invoice and success: %j, nobody knows which is right',
    async (success) => {
      await expectError(() => respond(200, { success, error, data: createdInvoice }), found, DOUBTFUL);
      await expectError(() => respond(200, { success, error, data: { invoice: createdInvoice } }), found, DOUBTFUL);
    },
  );

  it('beside the invoice, a known code is believed', async () => {
    const body = { success: true, error: { code: 'VALIDATION_ERROR' }, data: createdInvoice };
    await expectError(() => respond(200, body), { kind: 'validation' }, REFUSED);
  });
});

describe('the fields of a refused request', () => {
  const invalid = (details: unknown) => ({
    success: false,
    error: { code: 'VALIDATION_ERROR', message: 'no', details },
  });
  const item = { loc: ['body', 'amount'], msg: 'wrong', type: 'greater_than' };
  const both = { ...validationFailure, ...detailFailure };
  const odd: unknown = JSON.parse('{"__proto__":["wrong"],"constructor":["x"]}');

  it.each<[string, unknown, Record<string, string[]>]>([
    ['both shapes at once', both, { callback_url: ['HTTPS is required'], 'items.0.name': ['Field required'] }],
    ['detail as text', { detail: 'Amount is too small' }, { '': ['Amount is too small'] }],
    ['detail of texts', { detail: ['one', 'two'] }, { '': ['one', 'two'] }],
    ['details of texts', invalid(['one', 'two']), { '': ['one', 'two'] }],
    ['details as text', invalid('wrong'), { '': ['wrong'] }],
    ['the envelope in detail', { detail: invalid({ amount: ['wrong'] }) }, { amount: ['wrong'] }],
    ['a field with one message', invalid({ amount: 'wrong' }), { amount: ['wrong'] }],
    ['a field with items', invalid({ amount: [{ code: 7 }, null, 3] }), { amount: ['{"code":7}', 'is invalid', '3'] }],
    ['a field without messages', invalid({ amount: [] }), {}],
    ['items as details', invalid([item]), { amount: ['wrong'] }],
    ['items in details', invalid({ detail: [item], currency: ['odd'] }), { amount: ['wrong'], currency: ['odd'] }],
    ['items beside the code', { error: { code: 'VALIDATION_ERROR', detail: [item] } }, { amount: ['wrong'] }],
    ['an item with a message', { detail: [{ loc: ['body', 'amount'], message: 'wrong' }] }, { amount: ['wrong'] }],
    ['loc as text', { detail: [{ loc: 'amount', msg: 'wrong' }] }, { amount: ['wrong'] }],
    ['no loc, no msg', { detail: [{}] }, { '': ['is invalid'] }],
    ['loc of strange parts', { detail: [{ ...item, loc: ['body', null, {}, 'a', 1] }] }, { 'a.1': ['wrong'] }],
    ['loc of "path"', { detail: [{ ...item, loc: ['path', 'ident'] }] }, { ident: ['wrong'] }],
    ['loc of "body" alone', { detail: [{ ...item, loc: ['body'] }] }, { '': ['wrong'] }],
    ['null everywhere', { success: false, error: null, detail: null }, {}],
    ['names of every object', invalid(odd), { constructor: ['x'], ['__proto__']: ['wrong'] }],
    ['null', null, {}],
    ['an array', ['wrong'], {}],
  ])('are read from %s', async (_name, body, fields) => {
    const error = await created(respond(422, body));
    expect(error).toMatchObject({ kind: 'validation', code: 'VALIDATION_ERROR', outcome: 'rejected' });
    if (error.kind !== 'validation') return;
    expect(Object.getPrototypeOf(error.fields)).toBeNull();
    if (body === both) expect(error.fields).toMatchObject(fields);
    else expect(Object.entries(error.fields).sort()).toEqual(Object.entries(fields).sort());
    expect({}).not.toHaveProperty('0');
  });

  it.each([
    [
      'the map of the interface',
      validationFailure,
      [
        { path: 'amount', message: 'Amount must be greater than 0' },
        { path: 'amount', message: 'At most 2 decimal places' },
        { path: 'callback_url', message: 'HTTPS is required' },
      ],
    ],
    [
      'the items of the interface',
      detailFailure,
      [
        { path: 'amount', message: 'Input should be greater than 0', type: 'greater_than' },
        { path: 'per_page', message: 'Input should be less than or equal to 100', type: 'less_than_equal' },
        { path: 'items.0.name', message: 'Field required', type: 'missing' },
      ],
    ],
  ])('come with their messages and types from %s', async (_name, body, issues) => {
    const error = await created(respond(422, body));
    expect(error).toMatchObject({ origin: 'service', issues });
    expect(error.message).toContain(`amount: ${issues[0]?.message}`);
  });

  it.each<[number, number, string]>([
    [3, 3, '(f0: no; f1: no; f2: no)'],
    [4, 4, '(f0: no; f1: no; f2: no; 4 in all)'],
    [21, 20, '(f0: no; f1: no; f2: no; more than 20 in all)'],
  ])('are %i: the error has %i of them, and its message names three', async (count, kept, message) => {
    const details = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, ['no']]));
    const error = await created(respond(422, invalid(details)));
    expect(error).toMatchObject({ issues: { length: kept }, message: expect.stringContaining(message) });
  });

  it('have their long messages and types cut', async () => {
    const error = await created(
      respond(422, { detail: [{ ...item, msg: 'm'.repeat(5_000), type: 't'.repeat(5_000) }] }),
    );
    expect(error).toMatchObject({ issues: [{ message: 'm'.repeat(1_000), type: 't'.repeat(128) }] });
  });
});

describe('an error response whose body says nothing', () => {
  const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
  const failing = (error: string) => `{"success":false,"error":${error}}`;

  it.each<[string, string]>([
    ['HTML', '<html>Not here</html>'],
    ['nothing', ''],
    ['half a JSON text', '{"success": false, "err'],
    ['an error of null', failing('null')],
    ['a code of an object', failing('{"code":{},"message":[]}')],
    ['an empty code', failing('{"code":""}')],
    ['null', 'null'],
    ['__proto__', '{"__proto__":{"code":"STOLEN"},"success":false}'],
    ['brackets', DEEP],
    ['brackets as the code', failing(`{"code":${DEEP}}`)],
    ['brackets as details', failing(`{"code":"INVOICE_ALREADY_EXISTS","details":${DEEP}}`)],
    ['6,000 levels of details', failing(`{"code":"NO","details":${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}}`)],
    ['10 MB of message', failing(`{"code":"NO","message":"${'x'.repeat(10_000_000)}"}`)],
  ])('is known by its status: %s', async (_name, body) => {
    const expected = { code: 'SDK_HTTP_404', kind: 'request', answeredBy: 'other', raw: expect.any(String) };
    await expectError(() => respond(404, body), expected, REFUSED);
    const error = await created(respond(404, body));
    expect('raw' in error && error.raw.length).toBeLessThanOrEqual(2_000);
    expect(JSON.stringify(error).length).toBeLessThan(2_000);
  });

  it.each<[string, Step]>([
    ['a reset', resetMidBody(404)],
    ['a truncated body', truncate(404)],
    ['a body without end', endless(404)],
    ['no UTF-8', { play: ({ response }) => response.writeHead(404).end(Buffer.of(0xff, 0xfe, 0x00)) }],
  ])('is known by its status, over a real connection: %s', async (_name, step) => {
    expect(await createdAt(step)).toMatchObject({ code: 'SDK_HTTP_404', kind: 'request', outcome: 'rejected' });
  });

  it.each<[string, (runtime: FakeRuntime) => Step, number]>([
    ['a reset in the body of a 503', () => resetMidBody(503), 3],
    ['a truncated body of a 503', () => truncate(503), 3],
    ['a 503 that stalls', ({ expire }) => stallMidBody(expire, 503, '{"error":{"co'), 3],
    ['a 401 that stalls', ({ expire }) => stallMidBody(expire, 401, '{"error":{"co'), 1],
  ])('is repeated as its status says: %s', async (_name, step, requests) => {
    const runtime = new FakeRuntime();
    const server = await serve(step(runtime));
    const error = await errorOf(CALLS.create(clientOf(server.url, { runtime })));
    expect(error).toMatchObject({ raw: expect.stringMatching(/^{/), attempts: { length: requests } });
    expect(server.requests).toHaveLength(requests);
  });

  it.each(['text/plain', 'text/html', 'application/problem+json', ''])(
    'is read as JSON, sent as "%s"',
    async (type) => {
      const error = await created(respond(409, alreadyExistsFailure, { 'content-type': type }));
      expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042' });
    },
  );

  it('a long code and a long message are cut', async () => {
    const error = await created(respond(400, { error: { code: 'C'.repeat(10_000), message: 'm'.repeat(900_000) } }));
    expect(error.code).toHaveLength(128);
    expect(error.message.length).toBeLessThan(1_000);
  });
});

describe('a conflict', () => {
  const conflict = (details: unknown) => created(respond(409, said('INVOICE_ALREADY_EXISTS', details)));
  const paid = { ...successInvoice, external_id: 'order-1042' };
  const { payment_url: _left, ...half } = paid;

  it.each<[string, unknown, string | null]>([
    ['the status, as documented', { external_id: 'order-1042', status: 'expired' }, 'expired'],
    ['the status under other names', { order_id: 'order-1042', existing_status: 'expired' }, 'expired'],
    ['the current status', { current_status: 'expired' }, 'expired'],
    ['the status in an invoice', { invoice: { external_id: 'order-1042', status: 'expired' } }, 'expired'],
    ['the status in the existing invoice', { existing_invoice: { status: 'expired' } }, 'expired'],
    ['the status beside one of HTTP', { status: 409, invoice_status: 'expired' }, 'expired'],
    ['a status that nobody knows', { status: 'refunded' }, 'refunded'],
    ['the status of half an invoice', { invoice: half }, 'success'],
    ['no status: another type', { external_id: 7, status: {} }, null],
    ['no status: an id of another type', { external_id: 7, order_id: 'order-1042' }, null],
    ['no status: the order in another case, with blanks', { external_id: ' Order-1042' }, null],
    ['no status: an id of the service', { order_id: successInvoice.uuid }, null],
    ['no status: the invoice in another case', { existing: { external_id: 'Order-1042' } }, null],
    ['no status: no details', undefined, null],
    ['no status: null', null, null],
    ['no status: a list', ['taken'], null],
  ])('tells %s', async (_name, details, existingStatus) => {
    const error = await conflict(details);
    expect(error).toMatchObject({ kind: 'conflict', externalId: 'order-1042', existingStatus, outcome: 'rejected' });
    expect(error).not.toHaveProperty('existing');
    const withStatus = existingStatus === null ? '' : ` with the status "${existingStatus}"`;
    expect(error.message).toContain(`The order "order-1042" exists${withStatus}. No second invoice was created.`);
  });

  it.each<[string, object]>([
    ['invoice', { external_id: 'order-1042', invoice: paid }],
    ['existing_invoice', { existing_invoice: paid }],
    ['existing', { existing: paid }],
    ['the details themselves', paid],
    ['the details beside an empty invoice', { invoice: {}, ...paid }],
  ])('has no existing invoice from %s: only one that was read and compared is there', async (_name, details) => {
    const error = await conflict(details);
    expect(error).toMatchObject({ kind: 'conflict', existingStatus: 'success' });
    expect(error).not.toHaveProperty('existing');
  });

  it.each<[string, object]>([
    ['its status', { external_id: 'order-7', status: 'success' }],
    ['its invoice', { invoice: { ...successInvoice, external_id: 'order-7', purpose: 'order-7' } }],
    ['what only its customer should see', { external_id: 'order-7', payment_url: 'https://pay.example/order-7' }],
  ])('that names another order shows nothing of that order: %s', async (_name, details) => {
    const taken = { error: { code: 'INVOICE_ALREADY_EXISTS', message: 'order-7 exists', details } };
    const error = await created(respond(409, taken));
    expect(error).toMatchObject({
      kind: 'conflict',
      outcome: 'unknown',
      externalId: 'order-1042',
      details: null,
      raw: '',
    });
    expect(error).toMatchObject({ existingStatus: null });
    expect(error).not.toHaveProperty('existing');
    expect(error.message).not.toContain('No second invoice');
    expect(error.message + JSON.stringify(error)).not.toContain('order-7');
  });

  it.each<[string, object | undefined, RegExp]>([
    ['neither order nor status', undefined, /order exists\. /],
    ['both', { external_id: 'order-7', status: 'expired' }, /order "order-7" exists with the status "expired"\. /],
  ])('of a call without an order says what the response names: %s', async (_name, details, message) => {
    const fetch = async () => respond(409, said('INVOICE_ALREADY_EXISTS', details));
    const error = await errorOf(clientOf('https://pay.example', { fetch }).rates.list());
    expect(error).toMatchObject({ kind: 'conflict', message: expect.stringMatching(message) });
  });
});

describe('a redirect is not followed', () => {
  it.each([300, 301, 302, 303, 304, 305, 307, 308])('HTTP %i: a write may have been done', (status) =>
    expectError(() => respond(status, { data: createdInvoice }), { code: 'SDK_REDIRECT', status }, DOUBTFUL),
  );

  it.each([301, 302, 303, 307, 308])('HTTP %i to another origin, which never sees the key', async (status) => {
    const elsewhere = await serve(answer(200));
    const server = await serve(redirect(status, `${elsewhere.url}/api/v1/external/invoices?token=abc`));
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(clientOf(server.url)));
      expect(error).toMatchObject({ kind: 'unexpected_response', code: 'SDK_REDIRECT', status });
      expect(error.message).toContain(elsewhere.url);
      expect(error.message).not.toContain('token=abc');
    }
    expect([server.requests.length, elsewhere.requests.length]).toEqual([4, 0]);
  });

  it('304 is called a cache', async () => {
    const { message } = await created(respond(304, ''));
    expect(message).toContain('a cache between you and the service');
    expect(message).not.toContain('redirects');
  });

  it('the flag alone does not make a redirect an error response', async () => {
    expect(await created(respond(307, { success: false }))).toMatchObject({ code: 'SDK_REDIRECT' });
  });

  it('a fetch that follows redirects is found out', async () => {
    const follow = () =>
      Object.defineProperties(respond(200, { data: createdInvoice }), { redirected: { value: true } });
    const message = expect.stringContaining('has followed a redirect');
    await expectError(follow, { code: 'SDK_REDIRECT', status: 200, message }, DOUBTFUL);
  });

  it('a browser shows a redirect as opaque', async () => {
    const opaque = () => Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    await expectError(opaque, { code: 'SDK_REDIRECT' }, DOUBTFUL);
  });
});

describe('a resend whose response holds a failed attempt', () => {
  const attempt = { status_code: 500, success: false, error: null, duration_ms: 31, triggered_by: 'manual' };
  const resent = (response: Response, retry?: false) => {
    const fetch = vi.fn(async () => response.clone());
    const client = clientOf('https://pay.example', {
      fetch,
      runtime: new FakeRuntime(),
      ...(retry === false && { retry }),
    });
    return { fetch, result: client.webhooks.resend('order-1042').result() };
  };

  it.each<[string, unknown]>([
    ['by all its members', attempt],
    ['by its error', { ...attempt, error: 'connection refused' }],
    ['by its trigger', { success: false, triggered_by: 'manual' }],
    ['by its duration', { success: false, duration_ms: 31 }],
    ['by an error that is text', { success: true, error: 'none' }],
    ['by an error without a code', { error: { message: 'last one' } }],
  ])('is a success, known %s', async (_name, body) => {
    expect(await resent(respond(200, body)).result).toEqual({ ok: true, value: undefined });
  });

  it.each<[string, number, unknown]>([
    ['in an envelope that says no', 200, { success: false, data: attempt }],
    ['with an error that has a code', 200, { ...attempt, error: { code: 'CONNECTION_REFUSED', message: 'No' } }],
    ['under a status of errors', 424, { ...said('DELIVERY_FAILED'), data: attempt }],
    ['with the code of a rate limit', 200, { ...said('TOO_MANY_ATTEMPTS'), data: attempt }],
  ])('%s: the resend was made, so its outcome is unknown and it is not repeated', async (_name, status, body) => {
    const { fetch, result } = resent(respond(status, body));
    const message = expect.stringContaining('It may have been processed: look at webhooks.deliveries');
    const error = { status, outcome: 'unknown', stoppedBy: 'not_retryable', message };
    expect(await result).toMatchObject({ ok: false, error });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it.each<[string, number, unknown]>([
    ['the flag', 200, { success: false }],
    ['the flag beside a status', 200, { success: false, status_code: 404 }],
    ['a code', 404, said('WEBHOOK_NOT_FOUND', { status_code: 404 })],
  ])('is not seen in %s: the resend was refused', async (_name, status, body) => {
    expect(await resent(respond(status, body)).result).toMatchObject({ ok: false, error: { outcome: 'rejected' } });
  });

  it('says nothing of a creation', async () => {
    expect(await created(respond(200, { success: false, duration_ms: 31 }))).toMatchObject({ outcome: 'rejected' });
    expect(await created(respond(400, { ...attempt, error: { code: 'NO' } }))).toMatchObject({ outcome: 'rejected' });
  });
});

describe('an error carries', () => {
  it.each(['get', 'deliveries', 'resend'] as const)(
    'the hint of an id with a slash, after %s was refused',
    async (name) => {
      const server = await serve(
        answer(404, '<title>404 Not Found</title>'),
        answer(404, '<title>404 Not Found</title>'),
      );
      const { invoices, webhooks } = clientOf(server.url);
      const call = { ...webhooks, get: invoices.get }[name];
      expect((await errorOf(call('A/7'))).message).toContain('The id has a slash');
      expect((await errorOf(call('A-7'))).message).not.toContain('slash');
    },
  );

  it('in its message what answered, if it was not the service', async () => {
    const html = respond(404, '<html><title>404 Not Found</title></html>', {
      'content-type': 'text/html; charset=utf-8',
    });
    expect((await created(html)).message).toContain('(text/html, "404 Not Found")');
    const json = respond(404, { detail: 'Not Found' }, { 'content-type': 'application/json' });
    const { message } = await created(json);
    expect(message).toContain(
      'without an error code (application/json, "Not Found"): by a proxy, or by another program',
    );
    expect(message.match(/Not Found/g), 'said once').toHaveLength(1);
  });

  it.each<[string, string, string]>([
    [
      `is outside the range of every payment method: ${'1 Card (5.00 to 2000.00), 2 Bank transfer (10.00 to 10000.00), '.repeat(9)}`,
      'method: 1 Card (5.00 to 2000.00), …',
      'an item',
    ],
    ['a number 10.00 '.repeat(40), 'a number …', 'a word'],
    ['9'.repeat(400), '9 …', 'one long word'],
  ])('the whole items of a long text (%#)', async (text, end) => {
    const named = await created(respond(422, said('VALIDATION_ERROR', { amount: [text] })));
    expect(named.message).toContain(`${end})`);
    const alone = await created(respond(400, { error: { code: 'NO', message: text } }));
    expect(alone.message).toMatch(/(?:\),|10\.00|number|a|9) …"\./);
    expect(named).toMatchObject({ fields: { amount: [text] } });
  });

  it('no advice that contradicts the doubt: a 400 or 422 after a timeout', async () => {
    for (const status of [400, 422]) {
      const runtime = new FakeRuntime();
      const server = await serve(stall(runtime.expire), answer(status, said('NO')));
      const { message } = await errorOf(CALLS.create(clientOf(server.url, { runtime })));
      expect(message).toContain('repeat with the same external_id');
      expect(message).not.toMatch(/fails again|Correct the/);
    }
  });

  it('no advice about fields where there are none', async () => {
    const { message } = await created(respond(422, { detail: 'Amount is too small' }));
    expect(message).not.toContain('error.fields');
    expect(message.match(/Amount is too small/g)).toHaveLength(1);
  });

  it('a word about a fetch that drops the headers, where one was given and the key is missing', async () => {
    expect((await created(respond(401, said('NO_KEY')))).message).toContain('new Headers(init.headers)');
    const own = await errorOf(clientOf((await serve(answer(401, said('NO_KEY')))).url).invoices.create(order));
    expect(own.message).not.toContain('new Headers');
  });

  it.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'])('the id in %s', async (name) => {
    const headers = { 'x-request-id': '', [name]: 'req-17' };
    expect(await created(respond(400, said(null), headers))).toMatchObject({ requestId: 'req-17' });
    expect(await created(respond(200, 'x', headers))).toMatchObject({ requestId: 'req-17' });
  });

  it.each([408, 409, 423, 425])('that the call is to be repeated later, for HTTP %i of a read', async (status) => {
    const fetch = async () => respond(status, said('BUSY'));
    const error = await errorOf(clientOf('https://pay.example', { fetch, retry: false }).invoices.get('order-1'));
    expect(error.message).toContain(`HTTP ${status} BUSY`);
    expect(error.message).toContain('The service or a proxy was not ready for it: repeat the call later.');
    expect(error.message).not.toContain('Correct the request');
  });

  it('operation, attempts and details, and no request id where the response has none', async () => {
    const error = await created(respond(400, said('NO')));
    const attempts = [{ code: 'NO', status: 400, outcome: 'rejected' }];
    expect(error).toMatchObject({ operation: 'invoices.create', requestId: null, details: null, attempts });
    expect(error.message).toBe(
      'invoices.create: HTTP 400 NO "The service says no". Correct the request. It fails again when it is repeated unchanged.',
    );
  });

  it.each<[number, string, string, string | null]>([
    [422, 'VALIDATION_ERROR', 'eur', 'The currency was sent as "eur": codes are usually written "EUR".'],
    [400, 'CURRENCY_NOT_ALLOWED', 'eur', 'codes are usually written "EUR"'],
    [422, 'VALIDATION_ERROR', 'EUR', null],
    [401, 'UNAUTHORIZED', 'eur', null],
  ])('a hint, where %i %s may come from a currency sent as %s', async (status, code, currency, hint) => {
    const fetch = async () => respond(status, said(code));
    const { message } = await errorOf(
      clientOf('https://pay.example', { fetch }).invoices.create({ ...order, currency }),
    );
    expect(message).toContain(hint ?? code);
    if (hint === null) expect(message).not.toContain('usually written');
  });
});
