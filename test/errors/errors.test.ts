import { once } from 'node:events';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as errors from '../../src/errors/classes.ts';
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  MerchantError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  WebhookVerificationError,
} from '../../src/errors/classes.ts';
import { type AnyMerchantError, hasCode, hasKind, isMerchantError } from '../../src/errors/guards.ts';
import { Decimal } from '../../src/index.ts';

// A second copy of each module, as a second copy of the package in node_modules or its CommonJS build would be.
vi.resetModules();
const second = { ...(await import('../../src/errors/classes.ts')), ...(await import('../../src/errors/guards.ts')) };

const CUSTOMER = 'anna@customer.example';
// Three members are enough here.
const existing = {
  external_id: 'order-1042',
  customer_id: CUSTOMER,
  amount: new Decimal('25'),
} as errors.InvoiceMismatchError['existing'];
const response = { code: 'X', message: 'No', status: 400 };
const conflict = { ...response, code: 'INVOICE_ALREADY_EXISTS', externalId: 'order-1042', existingStatus: null };
const unread = { code: 'SDK_CONTRACT', message: 'No', status: 200 } as const;
const mismatch = { code: 'SDK_INVOICE_MISMATCH', message: 'No', differences: [], existing } as const;

/** One of each class, with its kind. */
const FAMILY: readonly (readonly [name: string, AnyMerchantError | ApiError, kind: string])[] = [
  ['ApiError', new ApiError(response), 'request'],
  ['ValidationError', new ValidationError({ ...response, issues: [], origin: 'service' }), 'validation'],
  ['InvoiceAlreadyExistsError', new InvoiceAlreadyExistsError(conflict), 'conflict'],
  ['AuthenticationError', new AuthenticationError(response), 'authentication'],
  ['NotFoundError', new NotFoundError(response), 'not_found'],
  ['RateLimitError', new RateLimitError(response), 'rate_limit'],
  ['ServerError', new ServerError(response), 'server'],
  ['ConnectionError', new ConnectionError({ code: 'SDK_CONNECTION', message: 'No' }), 'connection'],
  ['TimeoutError', new TimeoutError({ code: 'SDK_DEADLINE', message: 'No' }), 'timeout'],
  ['AbortedError', new AbortedError({ code: 'SDK_ABORTED', message: 'No' }), 'aborted'],
  ['UnexpectedResponseError', new UnexpectedResponseError(unread), 'unexpected_response'],
  ['InvoiceMismatchError', new InvoiceMismatchError(mismatch), 'mismatch'],
  ['WebhookVerificationError', new WebhookVerificationError('missing_header', 'No'), 'webhook'],
  ['ConfigurationError', new ConfigurationError('No'), 'configuration'],
];
const OF_A_RESPONSE = FAMILY.slice(0, 7).map(([name]) => name);

describe.each(FAMILY)('%s', (name, error, kind) => {
  it('has a literal name, its kind, a message and quiet defaults', () => {
    expect(String(error)).toBe(`${name}: No`);
    expect(error.stack).toContain('No');
    expect(error).toMatchObject({ name, kind, message: 'No', outcome: 'not_sent', operation: null, attempts: [] });
    expect(error.stoppedBy).toBe('not_retryable');
    for (const absent of ['cause', 'page', 'retryAfter']) expect(error).not.toHaveProperty(absent);
    expect('existing' in error).toBe(kind === 'mismatch'); // its whole point is the other invoice
    expect(error).toHaveProperty(
      'status',
      OF_A_RESPONSE.includes(name) ? 400 : kind === 'unexpected_response' ? 200 : null,
    );
    expect(error.requestId).toBeNull();
    if ('raw' in error) expect(error.raw).toBe('');
  });

  it('is one of the family', () => {
    expect(error).toBeInstanceOf(MerchantError);
    expect(error).toBeInstanceOf(Error);
    expect(isMerchantError(error)).toBe(true);
    expect(hasKind(error, 'request')).toBe(kind === 'request');
    expect(error instanceof ApiError).toBe(OF_A_RESPONSE.includes(name));
  });

  it('becomes plain data that says what it is', () => {
    const data = JSON.parse(JSON.stringify(error));
    expect(data).toMatchObject({ name, message: 'No', kind, code: error.code, outcome: 'not_sent' });
    expect(data).not.toHaveProperty('stack');
    expect(data).not.toHaveProperty('cause');
  });

  it('can be given another name', () => {
    const renamed = Object.create(error);
    renamed.name = 'Other';
    expect(renamed.name).toBe('Other');
    const descriptor = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(error), 'name');
    expect(descriptor).toMatchObject({ configurable: true, writable: true, enumerable: false });
  });

  it('is known by another copy of the package', () => {
    expect(error).not.toBeInstanceOf(second.MerchantError);
    expect(second.isMerchantError(error)).toBe(true);
    expect(second.hasCode(error, error.code)).toBe(true);
  });
});

it('the family has no other class', () => {
  const classes = Object.entries(errors).filter(
    ([, value]) => (value as { prototype?: unknown }).prototype instanceof Error,
  );
  const names = classes.map(([name]) => name).filter((name) => name !== 'MerchantError');
  expect(names.sort()).toEqual(FAMILY.map(([name]) => name).sort());
});

it.each([
  [new Error('No')],
  [new TypeError('No')],
  [{ name: 'ApiError', kind: 'request', code: 'X', message: 'No' }],
  [null],
  [undefined],
  ['ApiError'],
  [() => undefined],
])('the guards are false for anything else (%#)', (value) => {
  expect(isMerchantError(value)).toBe(false);
  expect(hasKind(value, 'request')).toBe(false);
  expect(hasCode(value, 'X' as string)).toBe(false);
});

it.each<[string, (error: Error) => boolean, string]>([
  ['no code', (error) => hasCode(error, undefined as never), 'hasCode(error, code): the error comes first, and'],
  ['swapped codes', (error) => hasCode('X', error as never), 'then a code or a list of them, not object'],
  ['a status', (error) => hasCode(error, 404 as never), 'a code or a list of them, not number'],
  ['a mistyped code of ours', (error) => hasCode(error, 'SDK_ABORTD'), 'no error has the code "SDK_ABORTD"'],
  ['another one in a list', (error) => hasCode(error, ['VALIDATION_ERROR', 'SDK_WEBHOOK_X']), 'code "SDK_WEBHOOK_X"'],
  ['a mistyped kind', (error) => hasKind(error, 'notfound' as never), 'no error has the kind "notfound"'],
  ['swapped kinds', (error) => hasKind('request', error as never), 'then a kind or a list of them, not object'],
])('%s is printed once and never thrown, because it would hide the error of the catch', (_name, ask, text) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const error = new ApiError(response);
  expect(ask(error)).toBe(false);
  expect(ask(error)).toBe(false);
  expect(warn.mock.calls).toEqual([[expect.stringContaining(text)]]);
  warn.mockRestore();
});

it('a code that no list has is printed nowhere, and nor is one of ours', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  for (const code of [
    'RATE_EXPIRED',
    'sdk_http_404',
    'SDK_WEBHOOK_MISSING_HEADER',
    'SDK_TLS',
    'INVOICE_ALREADY_EXISTS',
  ])
    hasCode(new ApiError(response), code);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

describe('the guards narrow', () => {
  it('by code, to the class and the literal', () => {
    const error: unknown = new InvoiceAlreadyExistsError({ ...conflict, existingStatus: 'success' });
    if (!hasCode(error, 'INVOICE_ALREADY_EXISTS')) throw new Error('not narrowed');
    expectTypeOf(error.code).toEqualTypeOf<'INVOICE_ALREADY_EXISTS'>();
    expectTypeOf(error).toExtend<InvoiceAlreadyExistsError>();
    expect(error).toMatchObject({ externalId: 'order-1042', existingStatus: 'success' });
  });

  it('by a code that no list has, without case', () => {
    const error: unknown = new ApiError({ ...response, code: 'PAYMENT_METHOD_DOWN' });
    expect(hasCode(error, 'PAYMENT_METHOD_DOWN')).toBe(true);
    expect(hasCode(error, 'payment_method_down')).toBe(true);
    expect(hasCode(error, 'VALIDATION_ERROR')).toBe(false);
  });

  it('by a list, to one of the classes', () => {
    const error: unknown = new RateLimitError({ ...response, code: 'SLOW_DOWN', retryAfter: 1_500 });
    expect(hasCode(error, ['VALIDATION_ERROR', 'slow_down'])).toBe(true);
    expect(hasCode(error, ['VALIDATION_ERROR', 'SDK_TLS'])).toBe(false);
    if (hasCode(error, ['VALIDATION_ERROR', 'SDK_DEADLINE']))
      expectTypeOf(error).toExtend<ValidationError | TimeoutError>();
    expect(hasKind(error, ['timeout', 'request'])).toBe(false);
    if (!hasKind(error, ['rate_limit', 'timeout'])) throw new Error('not narrowed');
    expectTypeOf(error).toEqualTypeOf<RateLimitError | TimeoutError>();
  });

  it('by kind, to the class', () => {
    const error: unknown = new RateLimitError({ ...response, retryAfter: 1_500 });
    if (!hasKind(error, 'rate_limit')) throw new Error('not narrowed');
    expectTypeOf(error).toEqualTypeOf<RateLimitError>();
    expect(error.retryAfter).toBe(1_500);
  });

  it('by kind, exhaustively', () => {
    // A kind that is missing here does not compile.
    const REACTIONS: Record<AnyMerchantError['kind'], string> = {
      request: 'fix',
      validation: 'fix',
      configuration: 'fix',
      conflict: 'compare',
      mismatch: 'compare',
      authentication: 'replace the key',
      not_found: 'give up',
      rate_limit: 'later',
      server: 'later',
      connection: 'later',
      timeout: 'later',
      aborted: 'nothing',
      unexpected_response: 'look',
      webhook: 'look',
    };
    expect(Object.keys(REACTIONS).sort()).toEqual(FAMILY.map(([, { kind }]) => kind).sort());
  });
});

describe('a ValidationError', () => {
  it('groups its issues by field', () => {
    const issues = [
      { path: 'amount', message: 'too small' },
      { path: 'currency', message: 'is required' },
      { path: 'amount', message: 'too many decimals', type: 'decimal_max_places' },
    ];
    const error = new ValidationError({ ...response, origin: 'client', issues });
    expect({ ...error.fields }).toEqual({ amount: ['too small', 'too many decimals'], currency: ['is required'] });
    expect(error).toMatchObject({ issues, origin: 'client' });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('takes a field called %j', (path) => {
    const error = new ValidationError({ ...response, origin: 'service', issues: [{ path, message: 'bad' }] });
    expect(Object.getPrototypeOf(error.fields)).toBeNull();
    expect(Object.entries(error.fields)).toEqual([[path, ['bad']]]);
    expect(JSON.stringify(error)).toContain(`"fields":{${JSON.stringify(path)}:["bad"]}`);
  });
});

describe('an error shows', () => {
  it('its fields, in inspection as in JSON', () => {
    const attempts = [{ code: 'VALIDATION_ERROR', status: 400, outcome: 'rejected' }] as const;
    const told = { operation: 'invoices.create', requestId: 'req-7', details: { limit: 5 }, attempts, page: 3 };
    const error = new ApiError({ ...response, ...told, raw: '{}' });
    expect(inspect(error, { depth: 5 })).toMatch(/req-7/);
    expect(error.toJSON()).toEqual({
      ...told,
      answeredBy: 'service',
      name: 'ApiError',
      message: 'No',
      kind: 'request',
      code: 'X',
      outcome: 'not_sent',
      externalId: null,
      stoppedBy: 'not_retryable',
      status: 400,
    });
  });

  it('its findings, for a response that is not as the interface says', () => {
    const issues = [{ path: 'amount', message: 'is required' }];
    const error = new UnexpectedResponseError({ ...unread, issues, requestId: 'req-7' });
    expect(error.toJSON()).toMatchObject({ issues, requestId: 'req-7' });
  });

  it('not the invoice that exists, which holds data of a customer and fills a screen', () => {
    for (const error of [
      new InvoiceAlreadyExistsError({ ...conflict, existing }),
      new InvoiceMismatchError(mismatch),
    ]) {
      expect(error.existing).toBe(existing);
      const uncaught = inspect(error, { customInspect: false, depth: 5 });
      for (const text of [uncaught, inspect(error), JSON.stringify(error)]) expect(text).not.toContain(CUSTOMER);
      expect(uncaught.split('\n').length).toBeLessThan(40);
    }
  });

  it.each<[string, ApiError | UnexpectedResponseError]>([
    ['an error response', new ApiError({ ...response, raw: CUSTOMER })],
    ['a conflict', new InvoiceAlreadyExistsError({ ...conflict, raw: CUSTOMER })],
    ['a success that cannot be read', new UnexpectedResponseError({ ...unread, raw: CUSTOMER })],
  ])('not the body of %s, which may hold data of a customer', (_name, error) => {
    expect(error.raw).toBe(CUSTOMER);
    const views = [
      inspect(error, { showHidden: true, depth: 10 }),
      inspect({ error, cause: new Error('x', { cause: error }) }, { showHidden: true, depth: 10 }),
      JSON.stringify(error),
      JSON.stringify(Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name))),
      inspect({ ...error }),
      inspect(structuredClone(error)),
      `${error} ${error.stack}`,
    ];
    for (const view of views) expect(view).not.toContain(CUSTOMER);
    expect(Object.create(error).raw).toBe('');
    expect(Reflect.get(Object.getPrototypeOf(error), 'raw')).toBe('');
  });

  it('not the reason of the caller, who may have put anything into it', () => {
    const error = new AbortedError({ code: 'SDK_ABORTED', message: 'Aborted', reason: { token: 'sk_live_1' } });
    expect(error.reason).toEqual({ token: 'sk_live_1' });
    for (const text of [inspect(error, { depth: 9 }), JSON.stringify(error), error.stack]) {
      expect(text).not.toContain('sk_live_1');
    }
  });

  it('not its cause, in JSON', () => {
    const error = new ConnectionError({ code: 'SDK_CONNECTION', message: 'No', cause: new Error('ECONNREFUSED') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error)).not.toContain('ECONNREFUSED');
  });
});

it('a delivery that is refused has a code for each reason', () => {
  const CODES = {
    missing_header: 'SDK_WEBHOOK_MISSING_HEADER',
    malformed_signature: 'SDK_WEBHOOK_MALFORMED_SIGNATURE',
    malformed_timestamp: 'SDK_WEBHOOK_MALFORMED_TIMESTAMP',
    timestamp_too_old: 'SDK_WEBHOOK_TIMESTAMP_TOO_OLD',
    timestamp_too_new: 'SDK_WEBHOOK_TIMESTAMP_TOO_NEW',
    signature_mismatch: 'SDK_WEBHOOK_SIGNATURE_MISMATCH',
    sandbox_secret: 'SDK_WEBHOOK_SANDBOX_SECRET',
    duplicate_header: 'SDK_WEBHOOK_DUPLICATE_HEADER',
    body_already_parsed: 'SDK_WEBHOOK_BODY_ALREADY_PARSED',
    body_too_large: 'SDK_WEBHOOK_BODY_TOO_LARGE',
    malformed_payload: 'SDK_WEBHOOK_MALFORMED_PAYLOAD',
  } as const satisfies Record<errors.WebhookVerificationError['reason'], string>;
  for (const [reason, code] of Object.entries(CODES)) {
    const error = new WebhookVerificationError(reason as keyof typeof CODES, 'No'); // the keys of the table above
    expect(error).toMatchObject({ reason, code });
  }
});

it('an error that came from a worker thread is known by its own members', async () => {
  const source = `
    const { parentPort } = require('node:worker_threads');
    const data = { name: 'RateLimitError', message: 'm', kind: 'rate_limit', code: 'RATE_LIMIT', outcome: 'rejected', attempts: [], retryAfter: 5 };
    parentPort.postMessage([data, Object.assign(new Error('m'), data), { ...data, kind: 'other' }, { ...data, attempts: 1 }, 7, null]);`;
  const worker = new Worker(source, { eval: true });
  const [values] = await once(worker, 'message');
  expect(values.map(isMerchantError)).toEqual([true, false, false, false, false, false]); // postMessage keeps the message only
  expect(hasKind(values[0], 'rate_limit') && values[0].retryAfter).toBe(5);
  expect(hasCode(values[0], 'rate_limit')).toBe(true);
});

it('an error that a worker thread throws is known by its own members', async () => {
  const source = `throw Object.assign(new Error('m'), { kind: 'timeout', code: 'SDK_DEADLINE', outcome: 'unknown', attempts: [] });`;
  const [error] = await once(new Worker(source, { eval: true }), 'error').catch((thrown) => [thrown]);
  expect(isMerchantError(error) && error.code).toBe('SDK_DEADLINE');
});
