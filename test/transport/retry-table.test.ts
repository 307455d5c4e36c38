import { describe, expect, test } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { closedPort, type Step, serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';
import { untrusted } from '../support/tls-server.ts';
import { CALLS, requestsOf } from './requests-of.ts';

// The retry table of the interface's handling strategy, told as how many requests a server sees of a call that may
// make three. "Again" and "never" are for calls that are safe to repeat; resend is safe only where nothing was done.

type Row = readonly [name: string, step: (runtime: FakeRuntime) => Step, safe: 1 | 3, resend: 1 | 3];

const status = (code: number, safe: 1 | 3, resend: 1 | 3): Row => [
  `HTTP ${code}`,
  () => steps.answer(code),
  safe,
  resend,
];

const TABLE: readonly Row[] = [
  // Every other status: every-status.test.ts.
  ...[400, 401, 403, 404, 409, 410, 422, 501, 505].map((code) => status(code, 1, 1)),
  ...[408, 425, 500, 502, 503, 504, 599].map((code) => status(code, 3, 1)),
  status(420, 3, 3),
  status(429, 3, 3),
  ...[300, 301, 302, 303, 304, 307, 308].map((code) => status(code, 1, 1)),
  ['a rate-limit code under 400', () => steps.refuse(400, 'RATE_LIMIT_EXCEEDED'), 3, 3],
  ['a rate-limit code under 403', () => steps.refuse(403, 'TOO_MANY_REQUESTS'), 3, 3],
  ['a rate-limit code under 503', () => steps.refuse(503, 'RATE_LIMITED'), 3, 3],
  ['a rate-limit code under 302', () => steps.refuse(302, 'RATE_LIMITED'), 3, 3],
  ['a code that nobody knows under 302', () => steps.refuse(302, 'MOVED'), 1, 1],
  ['a limit of exchange rates under 400', () => steps.refuse(400, 'EXCHANGE_RATE_LIMIT_EXCEEDED'), 1, 1],
  ['a rate-limit code under 200', () => steps.refuse(200, 'RATE_LIMIT'), 3, 3],
  ['an unknown code under 500', () => steps.refuse(500, 'DATABASE_GONE'), 3, 1],
  ['VALIDATION_ERROR under 500', () => steps.refuse(500, 'VALIDATION_ERROR'), 1, 1],
  ['VALIDATION_ERROR under 408', () => steps.refuse(408, 'VALIDATION_ERROR'), 1, 1],
  ['INVOICE_ALREADY_EXISTS under 503', () => steps.refuse(503, 'INVOICE_ALREADY_EXISTS'), 1, 1],
  ['success: false under 200', () => steps.refuse(200, 'NO_SUCH_THING'), 1, 1],
  ['a reset before the request is read', () => steps.resetBeforeReading, 3, 1],
  ['a reset after the request is read', () => steps.resetAfterReading, 3, 1],
  ['a reset in the body', () => steps.resetMidBody(), 3, 1],
  ['a truncated body', () => steps.truncate(), 3, 1],
  ['a reset in the body of a 503', () => steps.resetMidBody(503), 3, 1],
  ['a truncated body of a 404', () => steps.truncate(404), 1, 1],
  ['no response in time', (runtime) => steps.stall(runtime.expire), 3, 1],
  ['a body that stalls', (runtime) => steps.stallMidBody(runtime.expire), 3, 1],
  ['a 503 whose body stalls', (runtime) => steps.stallMidBody(runtime.expire, 503), 3, 1],
  ['a 401 whose body stalls', (runtime) => steps.stallMidBody(runtime.expire, 401), 1, 1],
];

describe.each(TABLE)('%s', (_name, step, safe, resend) => {
  test(`get ${safe}, create ${safe}, resend ${resend}`, async () => {
    expect(await requestsOf(step)).toEqual({ get: safe, list: safe, create: safe, resend });
  });
});

describe('what the platform keeps to itself', () => {
  test('407: fetch shows it as a broken connection', async () => {
    const server = await serve(steps.answer(407));
    expect(await errorOf(CALLS.resend(clientOf(server.url)))).toMatchObject({
      code: 'SDK_CONNECTION',
      outcome: 'unknown',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('421: fetch asks once more, on a new connection; the client does not', async () => {
    const server = await serve(steps.answer(421));
    const error = await errorOf(CALLS.create(clientOf(server.url)));
    expect(error).toMatchObject({ code: 'SDK_HTTP_421', status: 421, outcome: 'rejected', stoppedBy: 'not_retryable' });
    expect(error.attempts).toHaveLength(1);
  });
});

describe('what only a success may look like', () => {
  const reads = { get: CALLS.get, list: CALLS.list, create: CALLS.create };

  test.each([
    ['HTML', steps.answer(200, '<html>Welcome</html>'), 'SDK_UNREADABLE_BODY', 3],
    ['an empty body', steps.answer(200, ''), 'SDK_UNREADABLE_BODY', 3],
    ['no content', { play: ({ response }) => response.writeHead(204).end() } satisfies Step, 'SDK_UNREADABLE_BODY', 3],
    ['half a JSON text', steps.answer(200, '{"success": true, "da'), 'SDK_UNREADABLE_BODY', 3],
    ['bytes that are no UTF-8', answerBytes(Buffer.from([0x22, 0xff, 0xfe, 0x22])), 'SDK_UNREADABLE_BODY', 3],
    ['another shape', steps.ok({ hello: 'world' }), 'SDK_CONTRACT', 1],
  ])('%s', async (_name, step, code, requests) => {
    for (const call of Object.values(reads)) {
      const server = await serve(step);
      const error = await errorOf(call(clientOf(server.url, { runtime: new FakeRuntime() })));
      expect(error).toMatchObject({ kind: 'unexpected_response', code, outcome: 'unknown' });
      expect(server.requests).toHaveLength(requests);
    }
  });

  test('what came of a broken body is in the error', async () => {
    const server = await serve(steps.resetMidBody(200, '{"success":true,"data":{"half'));
    const error = await errorOf(clientOf(server.url, { retry: false }).invoices.get('a'));
    expect(error).toMatchObject({ raw: '{"success":true,"data":{"half' });
  });

  test('a slow body is a body', async () => {
    const server = await serve(steps.drip(200, { success: true, data: [] }));
    await expect(clientOf(server.url).paymentMethods.list()).resolves.toEqual([]);
  });

  test.each([
    ['nothing', steps.answer(200, '')],
    ['no content', { play: ({ response }) => response.writeHead(204).end() } satisfies Step],
    ['text', steps.answer(202, 'queued')],
    ['an envelope', steps.ok({ queued: true })],
  ])('resend takes %s', async (_name, step) => {
    const server = await serve(step);
    await expect(clientOf(server.url).webhooks.resend('order-1042')).resolves.toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });
});

describe('what surely was not sent', () => {
  test.each(Object.entries(CALLS))('refused: %s is repeated', async (_name, call) => {
    const runtime = new FakeRuntime();
    const error = await errorOf(call(clientOf(await closedPort(), { runtime })));
    expect(error).toMatchObject({
      kind: 'connection',
      code: 'SDK_CONNECTION',
      outcome: 'not_sent',
      stoppedBy: 'attempts',
    });
    expect(error.attempts).toHaveLength(3);
    expect(error.message).toContain('ECONNREFUSED');
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])('%s: resend is repeated', async (code) => {
    const error = await errorOf(
      CALLS.resend(
        clientOf('https://pay.example', {
          fetch: () =>
            Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) })),
        }),
      ),
    );
    expect(error).toMatchObject({ kind: 'connection', code: 'SDK_CONNECTION', outcome: 'not_sent' });
    expect(error.attempts).toHaveLength(3);
  });

  test.each([
    ['no route to the host', { code: 'EHOSTUNREACH', syscall: 'connect' }, 'not_sent'],
    ['a pipe that broke', { code: 'EPIPE', syscall: 'write' }, 'unknown'],
    ['a failure without a cause', null, 'unknown'],
  ] as const)('%s', async (_name, given, outcome) => {
    const cause = given === null ? null : Object.assign(new Error('x'), given);
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed', { cause }));
    const error = await errorOf(CALLS.resend(clientOf('https://pay.example', { fetch })));
    expect(error).toMatchObject({ kind: 'connection', code: 'SDK_CONNECTION', outcome });
  });

  test('a connection that broke to one of several addresses may have been the one that was used', async () => {
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const reset = Object.assign(new Error('no'), { code: 'ECONNRESET' });
    const both = clientOf('https://pay.example', {
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError([refused, reset]) })),
    });
    expect(await errorOf(CALLS.create(both))).toMatchObject({ outcome: 'unknown' });
  });
});

describe('what is never repeated', () => {
  test('a certificate that nobody signed', async () => {
    let requests = 0;
    const address = await untrusted(() => {
      requests += 1;
    });
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(clientOf(address)));
      expect(error).toMatchObject({
        kind: 'connection',
        code: 'SDK_TLS',
        outcome: 'not_sent',
        stoppedBy: 'not_retryable',
      });
      expect(error.attempts).toHaveLength(1);
    }
    expect(requests).toBe(0);
  });

  test.each([
    ['cipher', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }],
    ['protocol above it', { ALPNProtocols: ['other'] }],
    ['version', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ] as const)('a handshake without a common %s', async (_name, options) => {
    const address = await untrusted(() => {}, options);
    const error = await errorOf(CALLS.create(clientOf(address)));
    expect(error).toMatchObject({ code: 'SDK_TLS', outcome: 'not_sent', stoppedBy: 'not_retryable' });
  });

  test('TLS to a port that speaks plain HTTP', async () => {
    const server = await serve(steps.ok([]));
    const error = await errorOf(CALLS.create(clientOf(server.url.replace('http:', 'https:'))));
    expect(error).toMatchObject({ code: 'SDK_TLS', outcome: 'not_sent', stoppedBy: 'not_retryable' });
    expect(server.requests).toHaveLength(0);
  });

  test('a port that fetch refuses to use', async () => {
    const error = await errorOf(CALLS.create(clientOf('https://pay.example:6000')));
    expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'not_sent', stoppedBy: 'not_retryable' });
    expect(error.attempts).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect to another origin with %i, which never sees the key',
    async (code) => {
      const elsewhere = await serve(steps.ok([]));
      const server = await serve(steps.redirect(code, `${elsewhere.url}/api/v1/external/invoices?token=abc`));
      for (const [name, call] of Object.entries(CALLS)) {
        const error = await errorOf(call(clientOf(server.url)));
        expect(error).toMatchObject({
          kind: 'unexpected_response',
          code: 'SDK_REDIRECT',
          status: code,
          outcome: name === 'get' || name === 'list' ? 'rejected' : 'unknown',
        });
        expect(error.message).toContain(elsewhere.url);
        expect(error.message).not.toContain('token=abc');
      }
      expect(server.requests).toHaveLength(4);
      expect(elsewhere.requests).toHaveLength(0);
    },
  );
});

function answerBytes(bytes: Buffer): Step {
  return { play: ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end(bytes) };
}
