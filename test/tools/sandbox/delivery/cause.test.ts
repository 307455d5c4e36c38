import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { diagnoseStatus, sentenceOf } from '../../../../src/tools/sandbox/delivery/diagnose.ts';
import type { SandboxOptions } from '../../../../src/tools/sandbox/index.ts';
import type { Internals } from '../../../../src/tools/sandbox/sandbox-options.ts';
import { replyFor } from '../../../../src/webhooks/handle/reply.ts';
import {
  createWebhookHandler,
  memoryStore,
  toFetchHandler,
  type WebhookHandlerOptions,
} from '../../../../src/webhooks/index.ts';
import { REASONS, type Verdict } from '../../../../src/webhooks/reasons.ts';
import { inProcess, ORDER } from '../loopback.ts';

type Receiver = () => Response | Promise<Response>;

/** A sandbox whose paid order was sent to a receiver that responds so. */
async function sentTo(
  receiver: Receiver,
  options: SandboxOptions & Internals = {},
  fault?: 'wrong_signature' | 'late_timestamp' | 'reserialized',
) {
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return receiver();
  };
  const { sandbox, api } = inProcess({ fetch, ...options });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/hooks/pay' });
  if (fault !== undefined) sandbox.faults.next(fault);
  await sandbox.pay('order-1042');
  const cause = sandbox.deliveries()[0]?.attempt_log[0]?.cause ?? null;
  return { sandbox, cause, why: cause && sentenceOf(cause), sent: () => sent };
}

const responding =
  (status: number, body = '', headers: object = {}): Receiver =>
  () =>
    new Response(body, { status, headers: { ...headers } });

const broken = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
};

describe('the cause of a refused webhook', () => {
  it.each<[string, Receiver, string]>([
    ['302', responding(302, '', { Location: '/login' }), 'redirects to /login. A redirect counts as a failure'],
    ['404', responding(404), 'The receiver has no POST route at /hooks/pay'],
    ['404 of a route without a return', responding(404), 'and return the response of your webhook handler.'],
    ['405', responding(405), 'takes no POST'],
    ['413', responding(413), 'too large'],
    ['415', responding(415), 'does not take application/json'],
    ['502 of a proxy', responding(502, '<h1>502 Bad Gateway</h1>'), 'A proxy answered'],
    ['401 of a login', responding(401, '', { 'WWW-Authenticate': 'Basic realm="staging"' }), 'asks for a login'],
    ['403 of a CSRF guard', responding(403, '<h1>Forbidden</h1>CSRF verification failed.'), 'CSRF'],
    ['403 of a dev server', responding(403, 'Blocked request. This host is not allowed.'), 'refuses this host name'],
    [
      'a fetch in braces without return',
      () => undefined as never,
      'fetch of the sandbox resolved to no Response. Return',
    ],
    ['ECONNREFUSED', broken('ECONNREFUSED'), 'Nothing listens at 127.0.0.1:3000'],
    ['ENOTFOUND', broken('ENOTFOUND'), 'No address is known'],
    ['UND_ERR_SOCKET', broken('UND_ERR_SOCKET'), 'closed the connection without a response'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', broken('ERR_SSL_WRONG_VERSION_NUMBER'), 'does not speak TLS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'NODE_EXTRA_CA_CERTS'],
  ])('is proven by %s', async (_, receiver, text) => {
    const { cause, why, sandbox } = await sentTo(receiver);
    expect(why).toContain(text);
    expect(sandbox.events().at(-1)).toMatchObject({ kind: 'attempt', cause });
  });

  it.each([
    ['<!doctype html><title>Shop</title>', 'html_page'],
    ['\n<HTML lang="en">', 'html_page'],
    ['<h1>Shop</h1>', 'html_page'],
    ['ok', undefined],
    ['', undefined],
  ])('is a page for people where a 2xx has %j: the webhook counts as delivered', async (body, id) => {
    const { cause, sandbox } = await sentTo(responding(200, body, { 'Content-Type': 'text/html' }));
    expect([sandbox.deliveries()[0]?.status, cause?.id]).toEqual(['delivered', id]);
    const { state, why } = (await sandbox.adjust('order-1042', '20.00')).delivery ?? {};
    expect([state, why === null]).toEqual(['delivered', id === undefined]);
    if (id !== undefined) expect(why).toContain('An HTML page answered at /hooks/pay');
  });

  it('is a time-out where no response came', async () => {
    const { why } = await sentTo(() => new Promise(() => {}), { sleep: () => Promise.resolve() });
    expect(why).toBe(
      'No response came in time. The work takes long, or the route never calls its handler. Answer 2xx right after the commit. Give long work to a queue in the same transaction. Then send the webhook again.',
    );
  });

  it.each<[string, Receiver]>([
    ['400', responding(400, 'nope')],
    ['401', responding(401, 'invalid signature')],
    ['403', responding(403)],
    ['409', responding(409, 'busy')],
    ['422', responding(422, '{"detail":"no"}')],
    ['500', responding(500, 'Internal Server Error')],
    ['503', responding(503)],
    ['an unknown error', broken('EWHATEVER')],
  ])('is not proven by %s of a receiver that the sandbox does not know', async (_, receiver) => {
    const { cause } = await sentTo(receiver);
    expect(cause?.isProven).toBe(false);
    expect(['refused', 'forbidden', 'receiver_failed', 'connection_failed']).toContain(cause?.id);
  });

  it.each([
    ['connect ECONNREFUSED 10.0.0.5:5432', 'receiver_cannot_reach', 'connect ECONNREFUSED 10.0.0.5:5432.'],
    ['{"error":"connect ECONNREFUSED 10.0.0.5:5432"}', 'receiver_cannot_reach', 'connect ECONNREFUSED 10.0.0.5:5432.'],
    ['{"statusCode":500,"message":"getaddrinfo ENOTFOUND db"}', 'receiver_cannot_reach', 'getaddrinfo ENOTFOUND db.'],
    ['{"error":{"message":"no such table"}}', 'receiver_failed', 'no such table.'],
    ['{"error":"Internal","message":"no such table"}', 'receiver_failed', 'no such table.'],
    ['{"ok":false}', 'receiver_failed', '{"ok":false}.'],
    ['null', 'receiver_failed', 'null.'],
  ])('is the message of a response 500 with %s', async (body, id, message) => {
    const { cause } = await sentTo(responding(500, body));
    expect(cause).toMatchObject({ id, text: expect.stringContaining(` answers 500: ${message}`), isProven: false });
  });

  it.each<Verdict>([
    ...(['signature_mismatch', 'missing_header', 'malformed_signature', 'malformed_timestamp'] as const),
    ...(['duplicate_header', 'body_already_parsed', 'body_too_large', 'method_not_allowed'] as const),
    ...(['unsupported_media_type', 'malformed_payload', 'handler_failed', 'setup', 'store_failed'] as const),
    ...(['time_limit', 'duplicate_running', 'lease_lost', 'timestamp_too_old', 'timestamp_too_new'] as const),
  ])('is in the reply of our own handler: %s', async (verdict) => {
    const { status, body, headers } = replyFor(verdict);
    const { why } = await sentTo(responding(status, body, headers));
    expect(why).toContain(REASONS[verdict].cause);
    // The same word from somebody else is no proof.
    const { cause } = await sentTo(responding(status === 400 ? 422 : 400, body, headers));
    expect(cause?.id).toBe('refused');
  });

  it('is the clock of the receiver, or a timestamp that each attempt repeats', async () => {
    const { status, body, headers } = replyFor('timestamp_too_old');
    const { why, sandbox } = await sentTo(responding(status, body, headers), {
      dialect: { timestampPer: 'delivery' },
      wallClock: () => 1_700_000_000_000,
    });
    expect(why).toContain('Compare the clock of the receiver');
    await sandbox.advance('10m');
    const [first, , third] = sandbox.deliveries()[0]?.attempt_log ?? [];
    expect(third?.cause?.text).toMatch(/^Each attempt repeats the timestamp of the first/);
    // The real time has stood still, so that a stamp has to be as old as the clock of the sandbox says.
    const stamps = [first, third].map((attempt) => Number(attempt?.request?.headers['X-Webhook-Timestamp']));
    expect((stamps[0] ?? 0) - (stamps[1] ?? 0)).toBe(6 * 60);
  });

  it('is an advanced clock given to the handler: sandbox and receiver name the clock that stamps', async () => {
    const secret = 'whsec_of_the_sandbox_1';
    const told: string[] = [];
    /** A handler beside a sandbox whose clock is ten minutes ahead. */
    const playedWith = async (isGivenTheClock: boolean) => {
      const functions = { onPaid() {}, onAdjusted() {}, onCanceled() {} };
      const handler = createWebhookHandler({
        ...{ secret, store: memoryStore(), sandbox: true, ...functions },
        onReport: ({ message }) => void told.push(message),
        now: isGivenTheClock ? () => sandbox.now() : undefined,
      });
      const receive: (request: Request) => Promise<Response> = toFetchHandler(handler);
      const fetch = (url: string, init: RequestInit) => receive(new Request(url, init));
      const { sandbox, api } = inProcess({ now: new Date(), webhookSecret: secret, fetch });
      await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/' });
      await sandbox.advance('10m');
      return (await sandbox.pay('order-1042')).delivery;
    };
    expect(await playedWith(false)).toMatchObject({ state: 'delivered' });
    const advice = /stamps its webhooks by the clock of the machine, .*has an option now, leave it out/;
    expect(await playedWith(true)).toMatchObject({ status: 401, why: expect.stringMatching(advice) });
    expect(told).toEqual([expect.stringMatching(advice)]);
  });

  it.each([
    ['wrong_signature', 'does not check the signature'],
    ['late_timestamp', 'can be played again'],
    ['reserialized', 'not checked over the raw bytes'],
  ] as const)('is the fault %s: accepted is a finding, refused is as it should be', async (fault, finding) => {
    expect((await sentTo(responding(200), {}, fault)).why).toContain(finding);
    expect((await sentTo(responding(401), {}, fault)).why).toContain('Refused as it should be');
    expect((await sentTo(responding(500), {}, fault)).why).toContain('answers 500');
  });
});

describe('the cause that a receiver of this package names in sandbox mode', () => {
  const SECRET = 'whsec_of_the_tests';
  type Receive = (request: Request) => Promise<Response>;

  /** A sandbox whose paid order was sent through a proxy to a receiver. Counts the requests. */
  async function sentThrough(
    secret: string | Uint8Array,
    proxy: (body: string) => string = (body) => body,
    options: Partial<WebhookHandlerOptions> = { sandbox: true },
  ) {
    const receive: Receive = toFetchHandler(
      createWebhookHandler({
        secret,
        store: memoryStore(),
        onPaid: () => {},
        onAdjusted: () => {},
        onCanceled: () => {},
        onReport: () => {},
        ...options,
      }),
    );
    let requests = 0;
    const { sandbox, api } = inProcess({
      fetch: async (url, init) => {
        requests += 1;
        const { headers, body } = new Request(url, init);
        const changed = proxy(await new Response(body).text());
        return receive(new Request(url, { method: 'POST', headers, body: changed }));
      },
    });
    const order = { ...ORDER, external_id: 'Zürich/7', callback_url: 'http://127.0.0.1:3000/' };
    await api('POST', '/invoices', order);
    await sandbox.pay('Zürich/7');
    return { cause: sandbox.deliveries()[0]?.attempt_log[0]?.cause, requests };
  }

  const fingerprint = createHash('sha256').update(SECRET).digest('hex').slice(0, 8);
  const asPython = (json: string): string =>
    json.replaceAll('":', '": ').replaceAll(',"', ', "').replace('ü', '\\u00fc');
  const asPhp = (json: string): string => json.replaceAll('/', '\\/').replace('ü', '\\u00fc');
  const asNumbers = (json: string): string => json.replace('"25.00"', '25').replace(/"(26\.\d+)"/, '$1');
  it.each<[string, string | Uint8Array, ((body: string) => string)?]>([
    ['white_space_around_secret', Buffer.from(`${SECRET}\n`)],
    ['quotes_around_secret', Buffer.from(`"${SECRET}"`)],
    ['body_written_again', SECRET, asPython],
    ['body_written_again', SECRET, asPhp],
    ['amounts_as_numbers', SECRET, asNumbers],
  ])('is %s, shown at once and by one request (%#)', async (id, secret, proxy) => {
    expect(await sentThrough(secret, proxy)).toMatchObject({ cause: { id, isProven: true }, requests: 1 });
  });

  it('is another secret where the bytes are those that were sent', async () => {
    const { cause, requests } = await sentThrough('whsec_of_production_1');
    expect(cause).toMatchObject({ id: 'another_secret', isProven: true });
    expect(cause?.text).toContain(`fingerprint ${fingerprint}`);
    expect(requests).toBe(1);
  });

  it('is a changed body where the bytes are others, in whatever way they were changed', async () => {
    const sorted = (body: string): string =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).sort()));
    const { cause } = await sentThrough(SECRET, sorted);
    expect(cause).toMatchObject({ id: 'changed_body', isProven: true });
    expect(cause?.text).toContain('other bytes than were sent');
  });

  it('is not known outside of sandbox mode, and the remedy is to start it in that mode', async () => {
    const { cause, requests } = await sentThrough('whsec_of_production_1', undefined, { sandbox: false });
    expect(cause).toMatchObject({ id: 'signature_mismatch', isProven: false });
    expect(cause?.remedy).toContain('MERCHANT_SANDBOX=1');
    expect(requests).toBe(1);
  });
});

it('nothing is sent to another machine', async () => {
  const { sandbox } = inProcess();
  sandbox.create({ ...ORDER, callback_url: 'https://shop.example/' });
  await sandbox.pay('order-1042');
  const attempt = sandbox.deliveries()[0]?.attempt_log[0];
  expect(attempt).toMatchObject({ request: null, cause: { id: 'not_sent' } });
});

it.each([
  [
    403,
    'forbidden',
    'It answers 403, which no receiver of this package does. A firewall, a login or a guard stands before the route.',
  ],
  [429, 'rate_limited', 'A rate limit stands before the route.'],
  [404, 'no_route', 'The receiver has no POST route for the callback_url.'],
  [405, 'no_post', 'The receiver takes no POST for the callback_url.'],
])('a status %i without an address is told without one, and proves nothing', (status, id, text) => {
  expect(diagnoseStatus('your endpoint', null, status)).toMatchObject({ id, text, isProven: false });
});
