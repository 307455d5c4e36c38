import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Outcome } from '../../src/errors/codes.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { closedPort, type Step, serve } from '../support/fault-server.ts';
import * as steps from '../support/fault-steps.ts';
import { API_KEY, clientOf, errorOf } from '../support/test-client.ts';
import { untrusted } from '../support/tls-server.ts';
import { CALLS } from './calls.ts';

// No complete response came. May the work have been done, and did the client ask again? Three attempts are allowed, and a
// resend is repeated only where nothing was sent.

describe('an attempt that may have reached the service', () => {
  it.each<[string, (runtime: FakeRuntime) => Step]>([
    ['a reset before the request is read', () => steps.resetBeforeReading],
    ['a reset after the request is read', () => steps.resetAfterReading],
    ['a reset in the body', () => steps.resetMidBody()],
    ['a truncated body', () => steps.truncate()],
    ['no response in time', ({ expire }) => steps.stall(expire)],
    ['a body that stalls', ({ expire }) => steps.stallMidBody(expire)],
  ])('is unknown, and repeated unless it is a resend: %s', async (_name, step) => {
    for (const [name, call] of Object.entries(CALLS)) {
      const runtime = new FakeRuntime();
      const server = await serve(step(runtime));
      const error = await errorOf(call(clientOf(server.url, { runtime })));
      const requests = name === 'resend' ? 1 : 3;
      const stoppedBy = name === 'resend' ? 'not_retryable' : 'attempts';
      expect(error, name).toMatchObject({ outcome: 'unknown', stoppedBy, attempts: { length: requests } });
      expect(server.requests).toHaveLength(requests);
      expect(new Set(server.requests.map(({ body }) => body)).size, 'the bytes of every attempt').toBe(1);
      expect(runtime.pending, 'attempt timers left behind').toBe(0);
    }
  });
});

describe('what fetch gives or throws decides whether the request was sent', () => {
  const failed = (cause: unknown) => new TypeError('fetch failed', { cause });
  const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more });
  // The error of happy eyeballs: a code, no system call, and an error for each address.
  const aggregate = (...syscalls: string[]) =>
    Object.assign(new AggregateError(syscalls.map((syscall) => coded('ETIMEDOUT', { syscall }))), {
      code: 'ETIMEDOUT',
    });
  const tunnel = (status: number) =>
    Object.assign(new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`), { code: 'UND_ERR_ABORTED' });
  const deno = (words: string) => new TypeError(`error sending request for url (https://pay.example/): ${words}`);

  it.each<[string, Error, Outcome]>([
    ['ECONNREFUSED', failed(coded('ECONNREFUSED', { syscall: 'connect' })), 'not_sent'],
    ['ENOTFOUND', failed(coded('ENOTFOUND', { syscall: 'getaddrinfo' })), 'not_sent'],
    ...['EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EMFILE'].map(
      (code) => [code, failed(coded(code, { syscall: 'getaddrinfo' })), 'not_sent'] as [string, Error, Outcome],
    ),
    ['a name that c-ares does not find', failed(coded('ENODATA', { syscall: 'queryA' })), 'not_sent'],
    ['a file that is missing', failed(coded('ENOENT', { syscall: 'open' })), 'unknown'],
    ['several addresses, none of which is connected', failed(aggregate('connect', 'connect')), 'not_sent'],
    ['several addresses, one of which breaks later', failed(aggregate('connect', 'read')), 'unknown'],
    ['UND_ERR_CONNECT_TIMEOUT', failed(coded('UND_ERR_CONNECT_TIMEOUT')), 'not_sent'],
    ['a refusal without a system call, as Bun has it', failed(coded('ECONNREFUSED')), 'not_sent'],
    ['no route to the host', failed(coded('EHOSTUNREACH', { syscall: 'connect' })), 'not_sent'],
    ['a pipe that broke', failed(coded('EPIPE', { syscall: 'write' })), 'unknown'],
    ['no cause', failed(null), 'unknown'],
    [
      'a cut before TLS',
      failed(
        Object.assign(new Error('Client network socket disconnected before secure TLS connection was established'), {
          code: 'ECONNRESET',
        }),
      ),
      'not_sent',
    ],
    ['a proxy that fails', failed(tunnel(502)), 'not_sent'],
    [
      'a proxy that fails, in Bun',
      Object.assign(new Error('Proxy CONNECT failed: 502'), { code: 'ERR_PROXY_TUNNEL' }),
      'not_sent',
    ],
    // The address whose connection broke may have been the one that was used.
    ['two addresses', failed(new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')])), 'unknown'],
    // Deno 2 has no codes.
    ['a refusal in Deno', deno('client error (Connect): tcp connect error: Connection refused'), 'not_sent'],
    ['no address in Deno', deno('client error (Connect): dns error: failed to lookup address'), 'not_sent'],
    ['a lost connection in Deno', deno('client error (SendRequest): connection closed before message'), 'unknown'],
    ['a reset in Deno', deno('client error (ConnectionReset)'), 'unknown'],
  ])('%s', async (_name, thrown, outcome) => {
    const client = clientOf('https://pay.example', { fetch: () => Promise.reject(thrown) });
    const error = await errorOf(CALLS.resend(client));
    expect(error).toMatchObject({ kind: 'connection', code: 'SDK_CONNECTION', outcome });
    expect(error.attempts, 'a resend is repeated where nothing was sent').toHaveLength(outcome === 'not_sent' ? 3 : 1);
    expect((await errorOf(CALLS.create(client))).attempts).toHaveLength(3);
  });

  it.each([
    [407, /login: user and password belong into HTTPS_PROXY/],
    [403, /Ask whoever runs the proxy/],
  ])('a proxy that refuses the tunnel with %i is asked once, and the remedy is said', async (status, remedy) => {
    const client = clientOf('https://pay.example', { fetch: () => Promise.reject(failed(tunnel(status))) });
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(client));
      expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'not_sent', stoppedBy: 'not_retryable' });
      expect(error.attempts).toHaveLength(1);
      expect(error.message).toMatch(remedy);
    }
  });

  const answered = { response: { status: 404 }, status: 404 };
  it.each<[string, unknown, boolean]>([
    ['an error of its own', new Error('HTTP 404'), true],
    ['the error of an HTTP client', coded('ERR_BAD_REQUEST', answered), true],
    ['no error at all', 'HTTP 404', true],
    ['a mistake in it', new TypeError("Cannot read properties of undefined (reading 'status')"), true],
    ['a broken connection', failed(coded('ECONNRESET', { syscall: 'read' })), false],
    ['a refused connection', failed(coded('ECONNREFUSED', { syscall: 'connect' })), false],
  ])('a fetch of the merchant that throws %s is named where it is the cause: %s', async (_name, thrown, isNamed) => {
    const client = clientOf('https://pay.example', { fetch: () => Promise.reject(thrown) });
    const error = await errorOf(CALLS.resend(client));
    expect(error).toMatchObject({ code: 'SDK_CONNECTION' });
    if (isNamed) expect(error.outcome).toBe('unknown');
    const rule = /your fetch threw \(.*\)\..* It must return the Response for every status/;
    expect(rule.test(error.message), error.message).toBe(isNamed);
    expect(/no response from the service/.test(error.message)).toBe(!isNamed);
  });

  it('a service on this machine and a proxy in the environment: NO_PROXY is said', async () => {
    const address = await closedPort();
    const say = async () => (await errorOf(CALLS.create(clientOf(address, { retry: false })))).message;
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('HTTP_PROXY', 'http://proxy.example:3128');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await say()).toContain('set NO_PROXY=127.0.0.1,localhost');
    vi.stubEnv('NO_PROXY', 'intranet,127.0.0.1');
    expect(await say()).not.toContain('NO_PROXY');
  });

  it.each<[string, object | undefined, string]>([
    ['nothing', undefined, 'fetch returned no Response'],
    ['a mock', { ok: true, status: 201, headers: new Headers(), json: async () => ({}) }, 'it must return a Response'],
    ['no headers', { status: 200, body: null }, 'fetch returned no Response'],
    ['a network error', Response.error(), 'fetch returned a network error as its response'],
  ])('%s in place of a response is a lost connection', async (_name, response, message) => {
    const fetch = async () => response as Response; // what a fake may give
    for (const [call, attempts] of [
      [CALLS.create, 3],
      [CALLS.resend, 1],
    ] as const) {
      const error = await errorOf(call(clientOf('https://pay.example', { fetch })));
      expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'unknown', attempts: { length: attempts } });
      expect(error.message).toContain(message);
    }
  });

  it('a port where nobody listens: every call is repeated, and was not sent', async () => {
    for (const call of Object.values(CALLS)) {
      const error = await errorOf(call(clientOf(await closedPort(), { runtime: new FakeRuntime() })));
      expect(error).toMatchObject({ code: 'SDK_CONNECTION', outcome: 'not_sent', stoppedBy: 'attempts' });
      expect(error.attempts).toHaveLength(3);
      expect(error.message).toMatch(/ECONNREFUSED.*Nothing listens there/);
    }
  });
});

describe('a connection that cannot be made is not tried again', () => {
  const NEVER = { kind: 'connection', outcome: 'not_sent', stoppedBy: 'not_retryable', attempts: { length: 1 } };

  it('a certificate that nobody signed', async () => {
    let requests = 0;
    const address = await untrusted(() => {
      requests += 1;
    });
    for (const call of Object.values(CALLS)) {
      expect(await errorOf(call(clientOf(address)))).toMatchObject({ ...NEVER, code: 'SDK_TLS' });
    }
    expect(requests).toBe(0);
  });

  it.each([
    ['cipher', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }],
    ['protocol above it', { ALPNProtocols: ['other'] }],
    ['version', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ] as const)('a handshake without a common %s', async (_name, options) => {
    const address = await untrusted(() => {}, options);
    expect(await errorOf(CALLS.create(clientOf(address)))).toMatchObject({ ...NEVER, code: 'SDK_TLS' });
  });

  it('TLS to a port that speaks plain HTTP', async () => {
    const server = await serve(steps.ok([]));
    const error = await errorOf(CALLS.create(clientOf(server.url.replace('http:', 'https:'))));
    expect(error).toMatchObject({ ...NEVER, code: 'SDK_TLS' });
    expect(server.requests).toHaveLength(0);
  });

  it('a port that fetch refuses to use', async () => {
    const error = await errorOf(CALLS.create(clientOf('https://pay.example:6000')));
    expect(error).toMatchObject({ ...NEVER, code: 'SDK_CONNECTION' });
  });
});

describe('the outcome of a call counts all its attempts', () => {
  const refused = (status: number) => () => steps.refuse(status, null);

  it.each<[string, () => Step, string]>([
    ['429', refused(429), 'rate_limit'],
    ['401', refused(401), 'authentication'],
    ['422', refused(422), 'validation'],
    ['404', () => steps.refuse(404, 'NO_SUCH_THING'), 'not_found'],
    ['501', refused(501), 'server'],
    ['a redirect', () => steps.redirect(302, 'https://elsewhere.example/'), 'unexpected_response'],
    ['success: false', () => steps.refuse(200, 'NOT_ALLOWED'), 'request'],
  ])('a timeout, then %s: still unknown', async (_name, later, kind) => {
    const runtime = new FakeRuntime();
    const server = await serve(steps.stall(runtime.expire), later());
    const error = await errorOf(CALLS.create(clientOf(server.url, { runtime })));
    expect(error).toMatchObject({ kind, outcome: 'unknown' });
    expect(error.message).toContain('It may have been processed');
    expect(error.attempts[0]).toEqual({ code: 'SDK_ATTEMPT_TIMEOUT', status: null, outcome: 'unknown' });
  });

  it.each<[status: number, Outcome]>([
    [503, 'unknown'],
    [429, 'rejected'],
  ])('a %i, then nobody listens: %s', async (status, outcome) => {
    const targets = [(await serve(steps.refuse(status, null))).url];
    const later = await closedPort();
    const client = clientOf('https://pay.example', {
      fetch: (url, init) => fetch(url.replace('https://pay.example', targets.pop() ?? later), init),
    });
    const error = await errorOf(CALLS.create(client));
    expect(error).toMatchObject({ kind: 'connection', outcome });
    expect(error.attempts.map((attempt) => attempt.outcome)).toEqual([outcome, 'not_sent', 'not_sent']);
  });

  it('a timeout, then a key function that fails: still unknown', async () => {
    const runtime = new FakeRuntime();
    const server = await serve(steps.stall(runtime.expire));
    const keys = [API_KEY];
    const apiKey = () => keys.pop() ?? Promise.reject(new Error('vault is sealed'));
    const error = await errorOf(CALLS.create(clientOf(server.url, { runtime, apiKey })));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_API_KEY', outcome: 'unknown' });
  });
});
