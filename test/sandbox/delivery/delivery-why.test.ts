import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { replyFor, type Verdict } from '../../../src/webhooks/handle/verdict.ts';
import { inProcess, ORDER } from '../loopback.ts';

/** The why of the first attempt at a receiver that answers so. */
async function why(answer: () => Response | Promise<Response>, options: SandboxOptions = {}): Promise<string | null> {
  const { sandbox, api } = inProcess({ fetch: async () => answer(), ...options });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/hooks/pay' });
  await sandbox.pay('order-1042');
  return sandbox.deliveries()[0]?.attempt_log[0]?.why ?? null;
}

const answer =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  () =>
    new Response(body, { status, headers });

const broken = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
};

describe('the cause of a refused delivery', () => {
  it.each([
    [
      'redirect',
      answer(302, '', { Location: '/login' }),
      'A redirect is not followed, it counts as a failure. Make the final address the callback_url: /login',
    ],
    ['unknown path', answer(404), 'The receiver knows no /hooks/pay'],
    ['Express without the route', answer(404, '<pre>Cannot POST /hooks/pay</pre>'), 'Express has no POST route'],
    [
      'Fastify without the route',
      answer(404, '{"message":"Route POST:/hooks/pay not found"}'),
      'Fastify has no POST route',
    ],
    ['no POST', answer(405), 'takes no POST'],
    ['too large', answer(413), 'too large'],
    ['type', answer(415), 'does not take application/json'],
    ['proxy', answer(502, '<h1>502 Bad Gateway</h1>'), 'A proxy answered'],
    ['login', answer(401, '', { 'WWW-Authenticate': 'Basic realm="staging"' }), 'asks for a login'],
    ['CSRF', answer(403, '<h1>Forbidden</h1>CSRF verification failed.'), 'CSRF'],
    ['development server', answer(403, 'Blocked request. This host is not allowed.'), 'refuses this host name'],
    [
      'missing timestamp',
      answer(400, '{"error":"Missing X-Webhook-Timestamp header"}'),
      'X-Webhook-Timestamp is missing, and it was sent',
    ],
    ['nobody listens', broken('ECONNREFUSED'), 'Nothing listens at 127.0.0.1:3000'],
    ['unknown name', broken('ENOTFOUND'), 'No address is known'],
    ['closed', broken('UND_ERR_SOCKET'), 'closed the connection without an answer'],
    ['no TLS', broken('ERR_SSL_WRONG_VERSION_NUMBER'), 'does not speak TLS'],
    ['own certificate', broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'NODE_EXTRA_CA_CERTS'],
  ])('%s', async (_, receiver, text) => {
    expect(await why(receiver)).toContain(text);
  });

  it('a time-out', async () => {
    const never = (): Promise<Response> => new Promise(() => {});
    expect(await why(never, { sleep: () => Promise.resolve() })).toBe(
      'No answer came within 15 s. Answer 2xx first, work afterwards.',
    );
  });

  it.each([
    [400, 'nope'],
    [401, 'invalid signature'],
    [403, ''],
    [409, 'busy'],
    [422, '{"detail":"no"}'],
    [500, 'Internal Server Error'],
    [503, ''],
  ])('claims nothing of a bare %s from a receiver it does not know', async (status, body) => {
    expect(await why(answer(status, body))).toBeNull();
  });

  it('claims nothing of an error it does not know, of a delivery that was not sent, and of a success', async () => {
    expect(await why(broken('EWHATEVER'))).toBeNull();
    expect(await why(answer(200))).toBeNull();
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', { ...ORDER, callback_url: 'https://shop.example/webhook' });
    await sandbox.pay('order-1042');
    expect(sandbox.deliveries()[0]?.attempt_log[0]).toMatchObject({ request: null, why: null });
  });
});

describe('the replies of our own handler', () => {
  const KNOWN: readonly Verdict[] = [
    'signature_mismatch',
    'missing_header',
    'malformed_signature',
    'malformed_timestamp',
    'duplicate_header',
    'body_already_parsed',
    'body_too_large',
    'method_not_allowed',
    'unsupported_media_type',
    'malformed_payload',
    'handler_failed',
    'setup',
    'store_failed',
    'time_limit',
    'duplicate_running',
    'lease_lost',
    'timestamp_too_old',
    'timestamp_too_new',
  ];

  it.each(KNOWN)('%s is understood as the handler answers it', async (verdict) => {
    const { status, body, headers } = replyFor(verdict);
    expect(await why(answer(status, body, { ...headers }))).toEqual(expect.any(String));
    // The same word from somebody else is no proof.
    expect(await why(answer(status === 400 ? 422 : 400, body, { ...headers }))).toBeNull();
  });

  it('says which clock is behind', async () => {
    const old = replyFor('timestamp_too_old');
    const refuse = answer(old.status, old.body, { ...old.headers });
    const wallClock = (): number => Date.parse('2026-03-01T12:20:00Z');
    expect(await why(refuse, { wallClock, deliveryTimestamp: 'sandbox' })).toContain('20 min behind the real time');
    expect(await why(refuse, { wallClock })).toContain('the clock of the receiver');
  });
});

describe('a delivery that was spoilt on purpose', () => {
  it.each([
    ['wrong_signature', 'does not check the signature'],
    ['late_timestamp', 'can be played again'],
    ['reserialized', 'not checked over the raw bytes'],
  ] as const)('%s: accepted is a finding, refused is as it should be', async (fault, finding) => {
    for (const [status, text] of [
      [200, finding],
      [401, 'Refused as it should be'],
    ] as const) {
      const { sandbox, api } = inProcess({ fetch: async () => new Response('', { status }) });
      await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
      sandbox.faults.next(fault);
      await sandbox.pay('order-1042');
      expect(sandbox.deliveries()[0]?.attempt_log[0]).toMatchObject({ fault, why: expect.stringContaining(text) });
    }
  });
});

it('stands in the line for the terminal', async () => {
  const { describeEvent } = await import('../../../src/sandbox/index.ts');
  const { sandbox, api } = inProcess({ fetch: async () => new Response('', { status: 404 }) });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/hooks' });
  await sandbox.pay('order-1042');
  expect(sandbox.events().map(describeEvent).at(-1)).toContain('why: The receiver knows no /hooks');
});
