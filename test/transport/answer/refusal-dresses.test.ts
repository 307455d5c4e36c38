import { describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/errors/guards.ts';
import { FakeRuntime } from '../../support/fake-runtime.ts';
import { type Step, serve } from '../../support/fault-server.ts';
import { answer, ok, refuse } from '../../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../../support/test-client.ts';

// A refusal is one in every dress that a service could plausibly give it. See docs/errors.md.

const created = async (step: Step) =>
  errorOf(clientOf((await serve(step)).url, { retry: false }).invoices.create(order));
const read = async (step: Step) =>
  errorOf(clientOf((await serve(step)).url, { retry: false }).invoices.get('order-1042'));
const resent = async (step: Step) =>
  clientOf((await serve(step)).url, { retry: false })
    .webhooks.resend('order-1042')
    .result();

const error = { code: 'ACCOUNT_ON_HOLD', message: 'On hold', details: { until: 'tomorrow' } };

describe('an error with a code', () => {
  test.each([undefined, null, false, true, 0, 1, '0', '1', '', 'false', 'False', 'true', 'no', 'yes', {}, []])(
    'is a refusal beside success: %j',
    async (success) => {
      const refused = {
        kind: 'request',
        code: 'ACCOUNT_ON_HOLD',
        status: 200,
        outcome: 'rejected',
        details: error.details,
      };
      for (const call of [created, read]) expect(await call(answer(200, { success, error }))).toMatchObject(refused);
      expect(await resent(answer(200, { success, error }))).toMatchObject({ ok: false, error: refused });
    },
  );

  test.each<[string, unknown]>([
    ['in a list of errors', { errors: [error] }],
    ['behind one without a code', { errors: [{ message: 'first' }, error] }],
    ['behind what is no object', { errors: [null, 7, 'sorry', error] }],
    ['as a list', { error: [error] }],
    ['in the data', { data: { error } }],
    ['in the data, beside the flag', { success: false, data: { error } }],
    ['in a list in the data', { success: 'false', data: { errors: [error] } }],
    ['beside an error of null', { error: null, errors: [error] }],
  ])('%s', async (_name, body) => {
    for (const status of [200, 302, 400]) {
      const refused = { kind: 'request', code: 'ACCOUNT_ON_HOLD', status, outcome: 'rejected', details: error.details };
      expect(await created(answer(status, body))).toMatchObject(refused);
      expect(await read(answer(status, body))).toMatchObject(refused);
      expect((await created(answer(status, body))).message).toContain('"On hold"');
    }
  });

  test('of which the first that has a code counts', async () => {
    const body = { errors: [{ code: null }, { code: 7 }, { code: '' }, error, { code: 'OTHER' }] };
    expect(await created(answer(400, body))).toMatchObject({ code: 'ACCOUNT_ON_HOLD' });
    expect(await created(answer(400, { error, errors: [{ code: 'OTHER' }] }))).toMatchObject({
      code: 'ACCOUNT_ON_HOLD',
    });
  });

  test('in text of a list, where nothing has a code', async () => {
    expect(await created(answer(400, { errors: ['NO_FUNDS'] }))).toMatchObject({ code: 'NO_FUNDS' });
    const said = await created(answer(400, { errors: ['No funds'] }));
    expect(said).toMatchObject({ code: 'SDK_HTTP_400' });
    expect(said.message).toContain('"No funds"');
  });

  test.each([
    ['an empty error', { success: true, error: {}, data: createdInvoice }],
    ['an error of null', { success: true, error: null, errors: null, data: createdInvoice }],
    ['an empty list', { success: true, errors: [], data: createdInvoice }],
    ['a code that is no text', { success: true, error: { code: 0 }, data: createdInvoice }],
    ['an empty code', { success: true, error: { code: '' }, data: createdInvoice }],
    ['an error inside the invoice', { success: true, data: { ...createdInvoice, error } }],
  ])('is not %s', async (_name, body) => {
    const server = await serve(answer(200, body));
    expect(await clientOf(server.url).invoices.create(order)).toMatchObject({ external_id: 'order-1042' });
  });

  test('beside the invoice that was asked for: nobody knows which is right', async () => {
    for (const success of [true, undefined, 'true', 1]) {
      const body = { success, error, data: createdInvoice };
      expect(await created(answer(200, body))).toMatchObject({ code: 'ACCOUNT_ON_HOLD', outcome: 'unknown' });
      expect(await read(answer(200, body))).toMatchObject({ code: 'ACCOUNT_ON_HOLD', outcome: 'rejected' });
    }
    expect(await created(answer(200, { success: false, error, data: createdInvoice }))).toMatchObject({
      outcome: 'rejected',
    });
  });
});

describe('the flag alone', () => {
  test.each([false, 0, '0', 'false', 'False', 'FALSE', ' false ', 'no', 'No'])(
    'success: %j is a refusal without a code',
    async (success) => {
      const refused = { kind: 'request', code: 'SDK_HTTP_200', outcome: 'rejected' };
      expect(await created(answer(200, { success, message: 'Not today', data: createdInvoice }))).toMatchObject(
        refused,
      );
      expect(await resent(answer(200, { success }))).toMatchObject({ ok: false, error: refused });
    },
  );

  test.each([true, 1, 'true', 'yes', 'ok', null, undefined, '', 'maybe', {}])(
    'success: %j is none: the data counts',
    async (success) => {
      const server = await serve(answer(200, { success, data: createdInvoice }));
      expect(await clientOf(server.url).invoices.create(order)).toMatchObject({ external_id: 'order-1042' });
    },
  );
});

describe('codes are compared without case', () => {
  test.each(['INVOICE_ALREADY_EXISTS', 'invoice_already_exists', 'Invoice_Already_Exists'])('%s', async (code) => {
    const conflict = await created(refuse(400, code, { external_id: 'order-1042', status: 'expired' }));
    expect(conflict).toMatchObject({ kind: 'conflict', code, existingStatus: 'expired', outcome: 'rejected' });
    expect(hasCode(conflict, 'INVOICE_ALREADY_EXISTS')).toBe(true);
    expect(hasCode(conflict, 'VALIDATION_ERROR')).toBe(false);
    const server = await serve(refuse(409, code), ok(pendingInvoice));
    expect(await clientOf(server.url).invoices.createOrGet(order)).toMatchObject({ created: false });
  });

  test('validation_error, and one that nobody knows', async () => {
    const invalid = await created(refuse(400, 'validation_error', { amount: ['is too small'] }));
    expect(invalid).toMatchObject({
      kind: 'validation',
      code: 'validation_error',
      fields: { amount: ['is too small'] },
    });
    expect(hasCode(await created(refuse(400, 'account_on_hold')), 'ACCOUNT_ON_HOLD' as string)).toBe(true);
  });
});

describe('a redirect', () => {
  const redirected = (status: number, body: unknown = '') =>
    answer(status, body, { location: 'https://elsewhere.example/' });

  test.each([300, 301, 302, 303, 305, 307, 308])('%i of a write may have done it', async (status) => {
    expect(await created(redirected(status))).toMatchObject({
      code: 'SDK_REDIRECT',
      outcome: 'unknown',
      stoppedBy: 'not_retryable',
    });
    expect(await resent(redirected(status))).toMatchObject({
      ok: false,
      error: { code: 'SDK_REDIRECT', outcome: 'unknown' },
    });
    expect(await read(redirected(status))).toMatchObject({ code: 'SDK_REDIRECT', outcome: 'rejected' });
  });

  test('with a refusal in its body is that refusal', async () => {
    const conflict = await created(redirected(302, { success: false, error: { code: 'INVOICE_ALREADY_EXISTS' } }));
    expect(conflict).toMatchObject({ kind: 'conflict', status: 302, outcome: 'rejected' });
    expect(await created(redirected(307, { success: false }))).toMatchObject({ code: 'SDK_REDIRECT' });
    expect(await created(redirected(307, { data: createdInvoice }))).toMatchObject({ code: 'SDK_REDIRECT' });
  });

  test('304 is a cache between', async () => {
    const cached = await created({ play: ({ response }) => response.writeHead(304).end() });
    expect(cached).toMatchObject({ code: 'SDK_REDIRECT', status: 304, outcome: 'unknown' });
    expect(cached.message).toContain('a cache between you and the service');
    expect(cached.message).not.toContain('redirects');
  });

  const fetched = (made: () => Response) =>
    clientOf('https://pay.example', { runtime: new FakeRuntime(), fetch: () => Promise.resolve(made()) });

  test('that a fetch has followed is one, whatever came of it', async () => {
    const elsewhere = await serve(ok(createdInvoice), ok([]));
    const server = await serve(answer(307, '', { location: `${elsewhere.url}/there` }));
    const follow = clientOf(server.url, {
      runtime: new FakeRuntime(),
      fetch: (url, init) => fetch(url, { ...init, redirect: 'follow' }),
    });
    const write = await errorOf(follow.invoices.create(order));
    expect(write).toMatchObject({ kind: 'unexpected_response', code: 'SDK_REDIRECT', status: 200, outcome: 'unknown' });
    expect(write.message).toContain('has followed a redirect');
    expect(write.attempts).toHaveLength(1);
    expect(await errorOf(follow.rates.list())).toMatchObject({ code: 'SDK_REDIRECT', outcome: 'rejected' });
  });

  test('opaque, as browsers show it, is one; a network error as a response is a lost connection', async () => {
    const opaque = Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
    expect(await errorOf(fetched(() => opaque).invoices.create(order))).toMatchObject({
      code: 'SDK_REDIRECT',
      outcome: 'unknown',
    });
    for (const made of [() => Response.error()]) {
      const lost = await errorOf(fetched(made).invoices.create(order));
      expect(lost).toMatchObject({
        kind: 'connection',
        code: 'SDK_CONNECTION',
        outcome: 'unknown',
        stoppedBy: 'attempts',
      });
      expect(await errorOf(fetched(made).webhooks.resend('a'))).toMatchObject({
        outcome: 'unknown',
        attempts: { length: 1 },
      });
    }
  });
});

describe('a resend that is answered with an attempt that failed', () => {
  const attempt = { status_code: 500, success: false, error: 'HTTP 500', duration_ms: 31, triggered_by: 'manual' };

  test.each<[string, number, unknown]>([
    ['in an envelope that says no', 200, { success: false, data: attempt }],
    ['with an error that has a code', 200, { ...attempt, error: { code: 'CONNECTION_REFUSED', message: 'No' } }],
    ['beside an error', 200, { success: false, error: { code: 'DELIVERY_FAILED' }, data: { attempt } }],
    ['in the log of a delivery', 200, { success: false, data: { id: 'd-1', attempt_log: [attempt] } }],
    ['in the details of the error', 200, { success: false, error: { code: 'DELIVERY_FAILED', details: { attempt } } }],
    ['under a status of refusals', 424, { success: false, error: { code: 'DELIVERY_FAILED' }, data: attempt }],
    ['with the code of a rate limit', 200, { success: false, error: { code: 'TOO_MANY_ATTEMPTS' }, data: attempt }],
  ])('%s: it was made, so the outcome is unknown, and it is not repeated', async (_name, status, body) => {
    const server = await serve(answer(status, body));
    const failed = await errorOf(clientOf(server.url, { runtime: new FakeRuntime() }).webhooks.resend('order-1042'));
    expect(failed).toMatchObject({ status, outcome: 'unknown', stoppedBy: 'not_retryable' });
    expect(failed.message).toContain(
      'It may have been processed: look at webhooks.deliveries before you send it again.',
    );
    expect(server.requests).toHaveLength(1);
  });

  test('a refusal without one is rejected', async () => {
    const refused = await resent(refuse(404, 'WEBHOOK_NOT_FOUND', { status_code: 404 }));
    expect(refused).toMatchObject({ ok: false, error: { outcome: 'rejected' } });
  });

  test('of a creation, such members say nothing', async () => {
    expect(await created(answer(200, { success: false, duration_ms: 31 }))).toMatchObject({
      code: 'SDK_HTTP_200',
      outcome: 'rejected',
    });
    expect(await created(answer(400, { ...attempt, error }))).toMatchObject({ outcome: 'rejected' });
  });
});

describe('the message of a conflict', () => {
  test.each([
    [
      { external_id: 'order-1042', status: 'expired' },
      'The order "order-1042" exists with the status "expired". No second',
    ],
    [undefined, 'The order "order-1042" exists. No second'],
    [{ external_id: 'Order-1042 ' }, 'The order "order-1042" exists. No second'], // the same, in the service's spelling
  ])('%j: %s', async (details, sentence) => {
    expect((await created(refuse(409, 'INVOICE_ALREADY_EXISTS', details))).message).toContain(sentence);
  });
});

test('a message never says "the parameters is"', async () => {
  const client = clientOf('https://pay.example');
  for (const wrong of [undefined, null, 7, 'order-1042', []] as never[]) {
    const { message } = await errorOf(client.invoices.create(wrong));
    expect(message).toMatch(
      /^invoices\.create: the parameters (?:are required|must be an object)\. No request was made\.$/,
    );
  }
});
