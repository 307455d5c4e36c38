import { inspect } from 'node:util';
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

const existing = { external_id: 'order-1042', status: 'success' } as errors.InvoiceMismatchError['existing']; // two members are enough here
const answer = { code: 'X', message: 'No', status: 400 };

/** One of each class, its name and its kind as the design lists them. */
const FAMILY: readonly (readonly [string, AnyMerchantError | ApiError, string])[] = [
  ['ApiError', new ApiError(answer), 'request'],
  ['ValidationError', new ValidationError({ ...answer, issues: [], origin: 'service' }), 'validation'],
  [
    'InvoiceAlreadyExistsError',
    new InvoiceAlreadyExistsError({ ...answer, externalId: 'order-1042', existingStatus: null }),
    'conflict',
  ],
  ['AuthenticationError', new AuthenticationError(answer), 'authentication'],
  ['NotFoundError', new NotFoundError(answer), 'not_found'],
  ['RateLimitError', new RateLimitError(answer), 'rate_limit'],
  ['ServerError', new ServerError(answer), 'server'],
  ['ConnectionError', new ConnectionError({ code: 'SDK_CONNECTION', message: 'No' }), 'connection'],
  ['TimeoutError', new TimeoutError({ code: 'SDK_DEADLINE', message: 'No' }), 'timeout'],
  ['AbortedError', new AbortedError({ code: 'SDK_ABORTED', message: 'No' }), 'aborted'],
  [
    'UnexpectedResponseError',
    new UnexpectedResponseError({ code: 'SDK_CONTRACT', message: 'No', status: 200 }),
    'unexpected_response',
  ],
  [
    'InvoiceMismatchError',
    new InvoiceMismatchError({ code: 'SDK_INVOICE_MISMATCH', message: 'No', differences: [], existing }),
    'mismatch',
  ],
  ['WebhookVerificationError', new WebhookVerificationError('missing_header', 'No'), 'webhook'],
  ['ConfigurationError', new ConfigurationError('No'), 'configuration'],
];

describe('what an error says by default', () => {
  it('is the code of a wrong configuration, and no request id', () => {
    expect(new ConfigurationError('No').code).toBe('SDK_CONFIGURATION');
    const init = { code: 'SDK_CONTRACT', message: 'No', status: 200 } as const;
    expect(new UnexpectedResponseError(init).requestId).toBeNull();
    expect(new UnexpectedResponseError({ ...init, requestId: 'req-7' }).requestId).toBe('req-7');
  });
});

describe.each(FAMILY)('%s', (name, error, kind) => {
  it('has a literal name, its kind and a message', () => {
    expect(error.name).toBe(name);
    expect(error.kind).toBe(kind);
    expect(error.message).toBe('No');
    expect(String(error)).toBe(`${name}: No`);
    expect(error.stack).toContain('No');
  });

  it('is one of the family', () => {
    expect(error).toBeInstanceOf(MerchantError);
    expect(error).toBeInstanceOf(Error);
    expect(isMerchantError(error)).toBe(true);
    expect(hasKind(error, 'request')).toBe(kind === 'request');
  });

  it('becomes plain data that says what it is', () => {
    const data = JSON.parse(JSON.stringify(error));
    expect(data).toMatchObject({ name, message: 'No', kind, code: error.code, outcome: 'not_sent' });
    expect(data).not.toHaveProperty('stack');
    expect(data).not.toHaveProperty('cause');
  });

  it('has quiet defaults', () => {
    expect(error).toMatchObject({ outcome: 'not_sent', operation: null, attempts: [], stoppedBy: 'not_retryable' });
    expect(error.cause).toBeUndefined();
    for (const absent of ['cause', 'page', 'retryAfter']) expect(error).not.toHaveProperty(absent);
    expect('existing' in error).toBe(kind === 'mismatch'); // its whole point is the other invoice
    if ('raw' in error) expect(error.raw).toBe('');
    if (error.kind === 'unexpected_response') expect(error).toMatchObject({ issues: [] });
  });

  it('can be given another name, by a subclass and by hand', () => {
    class Renamed extends ConfigurationError {
      override name = 'Renamed';
    }
    expect(new Renamed('No').name).toBe('Renamed');
    const named = Object.create(error);
    named.name = 'Other';
    expect(named.name).toBe('Other');
    const descriptor = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(error), 'name');
    expect(descriptor).toMatchObject({ configurable: true, writable: true, enumerable: false });
  });

  it('is known by another copy of the package', () => {
    expect(second.MerchantError).not.toBe(MerchantError); // it is another copy
    expect(error).not.toBeInstanceOf(second.MerchantError);
    expect(second.isMerchantError(error)).toBe(true);
    expect(second.hasCode(error, error.code)).toBe(true);
  });
});

it('is the whole family', () => {
  const classes = Object.entries(errors).filter(
    ([, value]) => (value as { prototype?: unknown }).prototype instanceof Error,
  );
  const names = classes.map(([name]) => name).filter((name) => name !== 'MerchantError');
  expect(names.sort()).toEqual(FAMILY.map(([name]) => name).sort());
});

it('keeps the refusals of the service together', () => {
  const refusals = FAMILY.filter(([, error]) => error instanceof ApiError).map(([name]) => name);
  expect(refusals).toEqual([
    'ApiError',
    'ValidationError',
    'InvoiceAlreadyExistsError',
    'AuthenticationError',
    'NotFoundError',
    'RateLimitError',
    'ServerError',
  ]);
});

describe('isMerchantError', () => {
  const lookalike = { name: 'ApiError', kind: 'request', code: 'X', message: 'No' };
  it.each([
    [new Error('No')],
    [new TypeError('No')],
    [lookalike],
    [JSON.parse(JSON.stringify(new ApiError(answer)))],
    [null],
    [undefined],
    ['ApiError'],
    [() => undefined],
  ])('is false for anything else (%#)', (value) => {
    expect(isMerchantError(value)).toBe(false);
    expect(hasKind(value, 'request')).toBe(false);
    expect(hasCode(value, 'X' as string)).toBe(false);
  });
});

describe('narrowing', () => {
  const conflict: unknown = new InvoiceAlreadyExistsError({
    ...answer,
    code: 'INVOICE_ALREADY_EXISTS',
    externalId: 'order-1042',
    existingStatus: 'success',
  });

  it('by code gives the class and the literal', () => {
    if (!hasCode(conflict, 'INVOICE_ALREADY_EXISTS')) throw new Error('not narrowed');
    expectTypeOf(conflict.code).toEqualTypeOf<'INVOICE_ALREADY_EXISTS'>();
    expectTypeOf(conflict).toExtend<InvoiceAlreadyExistsError>();
    expect(conflict.externalId).toBe('order-1042');
    expect(conflict.existingStatus).toBe('success');
  });

  it('by code knows codes that nobody listed', () => {
    const error: unknown = new ApiError({ ...answer, code: 'PAYMENT_METHOD_DOWN' });
    expect(hasCode(error, 'PAYMENT_METHOD_DOWN')).toBe(true);
    expect(hasCode(error, 'payment_method_down'), 'compared without case').toBe(true);
    expect(hasCode(error, 'VALIDATION_ERROR')).toBe(false);
  });

  it('by kind gives the class', () => {
    const error: unknown = new RateLimitError({ ...answer, retryAfter: 1_500 });
    if (!hasKind(error, 'rate_limit')) throw new Error('not narrowed');
    expectTypeOf(error).toEqualTypeOf<RateLimitError>();
    expect(error.retryAfter).toBe(1_500);
  });

  it('by kind is exhaustive', () => {
    // A kind that is forgotten here does not compile.
    const reaction = (error: AnyMerchantError): string => {
      switch (error.kind) {
        case 'request':
        case 'validation':
        case 'configuration':
          return 'fix';
        case 'conflict':
        case 'mismatch':
          return 'compare';
        case 'authentication':
          return 'replace the key';
        case 'not_found':
          return 'give up';
        case 'rate_limit':
        case 'server':
        case 'connection':
        case 'timeout':
          return 'later';
        case 'aborted':
          return 'nothing';
        case 'unexpected_response':
        case 'webhook':
          return 'look';
        default:
          return error satisfies never;
      }
    };
    const seen = FAMILY.map(([, error]) => reaction(error as AnyMerchantError)); // ApiError itself is of kind request here
    expect(seen).not.toContain(undefined);
    expect(seen).toHaveLength(14);
  });
});

describe('ValidationError', () => {
  it('groups its issues by field', () => {
    const error = new ValidationError({
      ...answer,
      origin: 'client',
      issues: [
        { path: 'amount', message: 'too small' },
        { path: 'currency', message: 'is required' },
        { path: 'amount', message: 'too many decimals', type: 'decimal_max_places' },
      ],
    });
    expect({ ...error.fields }).toEqual({ amount: ['too small', 'too many decimals'], currency: ['is required'] });
    expect(error.issues).toHaveLength(3);
    expect(error.origin).toBe('client');
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('takes a field called %j', (path) => {
    const error = new ValidationError({ ...answer, origin: 'service', issues: [{ path, message: 'bad' }] });
    expect(Object.getPrototypeOf(error.fields)).toBeNull();
    expect(Object.keys(error.fields)).toEqual([path]);
    expect(Object.entries(error.fields)).toEqual([[path, ['bad']]]);
    expect(JSON.stringify(error)).toContain(JSON.stringify({ [path]: 1 }).slice(1, -3)); // the name survives
    expect({}).not.toHaveProperty('bad');
  });

  it('has no fields that nobody named', () => {
    const error = new ValidationError({ ...answer, origin: 'service', issues: [] });
    expect(error.fields['constructor']).toBeUndefined();
    expect(Reflect.get(error.fields, '__proto__')).toBeUndefined();
  });
});

describe('what only some errors carry', () => {
  it('the page at which a walk can resume', () => {
    expect(new NotFoundError({ ...answer, page: 3 }).page).toBe(3);
    expect(new NotFoundError({ ...answer, page: 3 }).toJSON()).toMatchObject({ page: 3 });
  });

  it('the findings in a response that is not as the interface says', () => {
    const issues = [{ path: 'amount', message: 'is required' }];
    const error = new UnexpectedResponseError({ code: 'SDK_CONTRACT', message: 'No', status: 200, issues, raw: '{}' });
    expect(error).toMatchObject({ issues, raw: '{}' });
  });

  it('the invoice that is there already', () => {
    const conflict = { ...answer, externalId: 'order-1042', existingStatus: null, existing };
    expect(new InvoiceAlreadyExistsError(conflict).existing).toBe(existing);
  });
});

describe('what an error shows', () => {
  it('is its fields, in inspection as in JSON', () => {
    const error = new ApiError({
      ...answer,
      operation: 'invoices.create',
      requestId: 'req-7',
      details: { limit: 5 },
      raw: '{}',
      attempts: [{ code: 'X', status: 400, outcome: 'rejected' }],
    });
    for (const text of [inspect(error, { depth: 5 }), JSON.stringify(error)]) {
      expect(text).toContain('req-7');
      expect(text).toContain('invoices.create');
    }
    expect(error.toJSON()).toEqual({
      name: 'ApiError',
      message: 'No',
      kind: 'request',
      code: 'X',
      outcome: 'not_sent',
      operation: 'invoices.create',
      externalId: null,
      attempts: [{ code: 'X', status: 400, outcome: 'rejected' }],
      stoppedBy: 'not_retryable',
      status: 400,
      details: { limit: 5 },
      requestId: 'req-7',
    });
  });

  it('is not the invoice that exists, which holds data of a customer and fills a screen', () => {
    const invoice = { ...existing, customer_id: 'anna@customer.example', amount: new Decimal('25') };
    const init = { ...answer, externalId: null, existingStatus: null, differences: [], existing: invoice };
    for (const error of [new InvoiceAlreadyExistsError(init), new InvoiceMismatchError(init)]) {
      expect(error.existing).toBe(invoice);
      const uncaught = inspect(error, { customInspect: false, depth: 5 });
      for (const text of [uncaught, inspect(error), JSON.stringify(error)]) expect(text).not.toContain('anna');
      expect(uncaught.split('\n').length).toBeLessThan(40);
    }
  });

  it.each<[string, ApiError | UnexpectedResponseError]>([
    ['a refusal', new ApiError({ ...answer, raw: 'anna@customer.example' })],
    [
      'a conflict',
      new InvoiceAlreadyExistsError({
        ...answer,
        raw: 'anna@customer.example',
        externalId: null,
        existingStatus: null,
      }),
    ],
    [
      'a success that cannot be read',
      new UnexpectedResponseError({ code: 'SDK_CONTRACT', message: 'No', status: 200, raw: 'anna@customer.example' }),
    ],
  ])('is nothing of the body of %s, which may hold a customer’s data', (_name, error) => {
    expect(error.raw).toBe('anna@customer.example');
    const { raw: _raw, ...members } = Object.getOwnPropertyDescriptors(error);
    expect(members).not.toHaveProperty('raw');
    const views = [
      inspect(error, { showHidden: true, depth: 10 }),
      inspect({ error, cause: new Error('x', { cause: error }) }, { showHidden: true, depth: 10 }),
      JSON.stringify(error),
      JSON.stringify(Object.entries(error)),
      JSON.stringify(Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name))),
      inspect({ ...error }),
      inspect(structuredClone(error)),
      `${error} ${error.stack}`,
    ];
    for (const view of views) expect(view).not.toContain('customer.example');
    expect(Object.create(error).raw).toBe('');
    expect(Reflect.get(Object.getPrototypeOf(error), 'raw')).toBe('');
  });

  it('is not the reason of the caller, who may have put anything into it', () => {
    const error = new AbortedError({ code: 'SDK_ABORTED', message: 'Aborted', reason: { token: 'sk_live_1' } });
    expect(error.reason).toEqual({ token: 'sk_live_1' });
    for (const text of [inspect(error, { depth: 9 }), JSON.stringify(error), String(error), error.stack ?? '']) {
      expect(text).not.toContain('sk_live_1');
    }
    expect(Object.keys(error)).not.toContain('reason');
  });

  it('is not its cause, in JSON', () => {
    const error = new ConnectionError({ code: 'SDK_CONNECTION', message: 'No', cause: new Error('ECONNREFUSED') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error)).not.toContain('ECONNREFUSED');
  });

  it('is a code per reason, for a delivery that is refused', () => {
    const reasons = {
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
    for (const [reason, code] of Object.entries(reasons)) {
      const error = new WebhookVerificationError(reason as keyof typeof reasons, 'No'); // the keys of the table above
      expect(error).toMatchObject({ reason, code });
    }
  });
});
