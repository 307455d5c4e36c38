import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../../src/client.ts';
import type { MerchantClientOptions } from '../../src/client-options.ts';
import { NotFoundError, RateLimitError, ServerError, ValidationError } from '../../src/errors/classes.ts';
import { CODE_KINDS, WEBHOOK_REASONS } from '../../src/errors/codes.ts';
import type { KnownCode } from '../../src/errors/guards.ts';
import { hasCode, isMerchantError } from '../../src/errors/guards.ts';
import { fakeError } from '../../src/testing/index.ts';
import { verifyWebhook } from '../../src/webhooks/index.ts';
import { closedPort, type Step, serve } from '../support/fault-server.ts';
import { answer, ok, redirect, refuse, resetAfterReading, stall } from '../support/fault-steps.ts';
import { createdInvoice, emptyPage, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

/** What a fake must have as the client's error has it. */
function shapeOf(error: unknown): object {
  if (!isMerchantError(error)) throw new Error('not an error of the package');
  const { name, kind, code, outcome, operation, stoppedBy, attempts } = error;
  const members = Object.keys(error).sort();
  return {
    name,
    kind,
    code,
    outcome,
    operation,
    stoppedBy,
    attempts,
    members,
    status: 'status' in error ? error.status : null,
  };
}

type Use = (merchant: MerchantClient) => PromiseLike<unknown>;
const create: Use = (merchant) => merchant.invoices.create(order);
const read: Use = (merchant) => merchant.invoices.get('order-1042');
const resend: Use = (merchant) => merchant.webhooks.resend('order-1042');

async function realError(use: Use, steps: readonly Step[], options: MerchantClientOptions = {}) {
  const server = await serve(...steps);
  return errorOf(use(clientOf(server.url, options)));
}

describe('a fake error has the shape of the error that the client makes', () => {
  const missing = { ...createdInvoice, amount: undefined };
  it.each<[KnownCode, Use, Step, object]>([
    ['VALIDATION_ERROR', create, refuse(422, 'VALIDATION_ERROR', { amount: ['must be above 0'] }), {}],
    ['SDK_HTTP_400', create, refuse(400, null), {}],
    ['SDK_HTTP_401', create, refuse(401, null), {}],
    ['SDK_HTTP_404', read, refuse(404, null), {}],
    ['SDK_HTTP_408', create, refuse(408, null), {}],
    ['SDK_HTTP_429', create, refuse(429, null), {}],
    ['SDK_HTTP_500', create, refuse(500, null), {}],
    ['SDK_HTTP_500', read, refuse(500, null), { operation: 'invoices.get' }],
    ['SDK_HTTP_501', create, refuse(501, null), {}],
    ['SDK_HTTP_503', resend, refuse(503, null), { operation: 'webhooks.resend' }],
    ['SDK_CONNECTION', create, resetAfterReading, {}],
    ['SDK_REDIRECT', create, redirect(302, 'https://other.example/'), {}],
    ['SDK_REDIRECT', read, redirect(302, 'https://other.example/'), { operation: 'invoices.get' }],
    ['SDK_UNREADABLE_BODY', create, answer(200, '<html>'), {}],
    ['SDK_BODY_TOO_LARGE', create, answer(200, 'x'.repeat(10 * 1024 * 1024 + 1)), {}],
    ['SDK_CONTRACT', create, ok(missing), {}],
  ])('%s (%#)', async (code, use, step, overrides) => {
    expect(shapeOf(fakeError(code, overrides))).toEqual(shapeOf(await realError(use, [step])));
  });

  it('INVOICE_ALREADY_EXISTS', async () => {
    const details = { external_id: order.external_id, status: 'success' };
    const real = await realError(create, [refuse(409, 'INVOICE_ALREADY_EXISTS', details)]);
    const fake = fakeError('INVOICE_ALREADY_EXISTS', { existingStatus: 'success', externalId: order.external_id });
    expect(shapeOf(fake)).toEqual(shapeOf(real));
    expect(fake).toMatchObject({ existingStatus: 'success', externalId: order.external_id, details });
  });

  it('SDK_INVOICE_MISMATCH', async () => {
    const steps = [refuse(409, 'INVOICE_ALREADY_EXISTS'), ok({ ...pendingInvoice, amount: '26.00' })];
    const real = await realError((merchant) => merchant.invoices.createOrGet(order), steps);
    expect(shapeOf(fakeError('SDK_INVOICE_MISMATCH', { operation: 'invoices.createOrGet' }))).toEqual({
      ...shapeOf(real),
      operation: 'invoices.createOrGet',
    });
  });

  it('SDK_PAGE', async () => {
    const walk: Use = async (merchant) => {
      for await (const _ of merchant.invoices.list({ page: 2 }));
    };
    const page = {
      ...emptyPage,
      items: Array.from({ length: 1_001 }, () => pendingInvoice),
      page: 2,
      total_items: 1_001,
    };
    expect(shapeOf(fakeError('SDK_PAGE', { page: 2 }))).toEqual(shapeOf(await realError(walk, [ok(page)])));
  });

  it('SDK_CONNECTION before the request is sent', async () => {
    const real = await errorOf(create(clientOf(await closedPort())));
    expect(shapeOf(fakeError('SDK_CONNECTION', { outcome: 'not_sent' }))).toEqual(shapeOf(real));
  });

  it('SDK_ATTEMPT_TIMEOUT and SDK_DEADLINE', async () => {
    for (const [code, options] of [
      ['SDK_ATTEMPT_TIMEOUT', { timeout: 5 }],
      ['SDK_DEADLINE', { deadline: 20, timeout: 5_000 }],
    ] as const) {
      const real = await realError(create, [stall()], options);
      expect(shapeOf(fakeError(code))).toEqual(shapeOf(real));
    }
  });

  it('SDK_ABORTED', async () => {
    const controller = new AbortController();
    const server = await serve(stall(() => controller.abort()));
    const real = await errorOf(clientOf(server.url).invoices.create(order, { signal: controller.signal }));
    const fake = fakeError('SDK_ABORTED');
    expect(shapeOf(fake)).toEqual(shapeOf(real));
    expect(fake.reason).toMatchObject({ name: 'AbortError' });
  });

  it('errors before a request', async () => {
    const noKey = clientOf('http://127.0.0.1:1', { apiKey: () => Promise.reject(new Error('no')) });
    const merchant = clientOf('http://127.0.0.1:1');
    const wrong = merchant.invoices.create({ ...order, amount: '0' });
    expect(shapeOf(fakeError('SDK_API_KEY'))).toEqual(shapeOf(await errorOf(create(noKey))));
    expect(shapeOf(fakeError('VALIDATION_ERROR', { origin: 'client' }))).toEqual(shapeOf(await errorOf(wrong)));
    const argument = merchant.invoices.get('o', { timeout: -1 });
    expect(shapeOf(fakeError('SDK_INVALID_ARGUMENT', { operation: 'invoices.get' }))).toEqual(
      shapeOf(await errorOf(argument)),
    );
    const option = await errorOf(Promise.resolve().then(() => new MerchantClient({ baseUrl: 'nowhere', apiKey: 'k' })));
    expect(shapeOf(fakeError('SDK_CONFIGURATION'))).toEqual(shapeOf(option));
    const delivery = await errorOf(verifyWebhook('', {}, 'whsec_a'));
    expect(shapeOf(fakeError('SDK_WEBHOOK_MISSING_HEADER'))).toEqual(shapeOf(delivery));
  });
});

describe('fakeError', () => {
  const plainCodes = Object.keys(CODE_KINDS) as (keyof typeof CODE_KINDS)[];
  it.each(plainCodes)('makes %s, of its kind', (code) => {
    const error = fakeError(code);
    expect(hasCode(error, code)).toBe(true);
    expect(error.kind).toBe(CODE_KINDS[code]);
    expect(() => JSON.stringify(error)).not.toThrow();
  });

  it.each(WEBHOOK_REASONS)('makes the refusal of a delivery: %s', (reason) => {
    const code = `SDK_WEBHOOK_${reason.toUpperCase() as Uppercase<typeof reason>}` as const;
    expect(fakeError(code)).toMatchObject({ code, reason, kind: 'webhook' });
  });

  it('chooses the class of a status, and of a code of the service', () => {
    expect(fakeError('SDK_HTTP_404')).toBeInstanceOf(NotFoundError);
    expect(fakeError('SDK_HTTP_422')).toBeInstanceOf(ValidationError);
    expect(fakeError('SDK_HTTP_429', { retryAfter: 2_000 })).toMatchObject({
      retryAfter: 2_000,
      stoppedBy: 'attempts',
    });
    expect(fakeError('RATE_LIMITED_BY_US' as string, { status: 403 })).toMatchObject({
      kind: 'rate_limit',
      status: 403,
    });
    expect(fakeError('TOO_MANY_REQUESTS' as string)).toBeInstanceOf(RateLimitError);
    expect(fakeError('INTERNAL_ERROR' as string)).toBeInstanceOf(ServerError);
    expect(fakeError('ACCOUNT_FROZEN' as string, { status: 403 })).toMatchObject({
      kind: 'authentication',
      code: 'ACCOUNT_FROZEN',
    });
    expect(fakeError('ACCOUNT_FROZEN' as string)).toMatchObject({ kind: 'request', status: 400, outcome: 'rejected' });
  });

  it('completes what was given', () => {
    expect(fakeError('SDK_HTTP_429', { retryAfter: 60_000 })).toMatchObject({
      stoppedBy: 'retry_after',
      attempts: { length: 1 },
    });
    const lost = { code: 'SDK_CONNECTION', status: null, outcome: 'unknown' } as const;
    expect(fakeError('SDK_HTTP_401', { attempts: [lost] }).outcome).toBe('unknown');
    expect(fakeError('SDK_TLS', { outcome: 'unknown' }).outcome).toBe('unknown');
    const issues = [{ path: 'currency', message: 'is not active' }];
    expect(fakeError('VALIDATION_ERROR', { issues }).fields).toEqual({ currency: ['is not active'] });
    expect(fakeError('SDK_HTTP_500', { raw: '<html>' }).raw).toBe('<html>');
    expect(fakeError('SDK_ABORTED', { reason: 'gone' }).reason).toBe('gone');
    expect(fakeError('SDK_DEADLINE', { message: 'too late' }).stack).toMatch(/^TimeoutError: too late\n/);
  });

  it('has a stack that begins with the caller', () => {
    expect(fakeError('SDK_TLS').stack?.split('\n')[1]).toContain('fake-error.test.ts');
  });

  it.each<[string, object, RegExp]>([
    ['SDK_TIMEOUT', {}, /"SDK_TIMEOUT" is not a code of this package\. The codes are SDK_CONFIGURATION,/],
    ['SDK_HTTP_', {}, /is not a code/],
    ['SDK_WEBHOOK_ODD', {}, /is not a code/],
    ['SDK___PROTO__', {}, /is not a code/],
    ['SDK_TLS', { retry: 1 }, /has no "retry"/],
  ])('refuses %s with %o', (code, overrides, message) => {
    expect(() => fakeError(code as string, overrides)).toThrow(message);
  });
});
