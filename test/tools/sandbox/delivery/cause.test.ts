import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../../src/tools/sandbox/index.ts';
import type { Internals } from '../../../../src/tools/sandbox/options.ts';
import { sentenceOf } from '../../../../src/webhooks/diagnose.ts';
import { replyFor, type Verdict } from '../../../../src/webhooks/handle/verdict.ts';
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
    ['302', responding(302, '', { Location: '/login' }), 'It redirects to /login. A redirect counts as a failure'],
    ['404', responding(404), 'The receiver has no POST route at /hooks/pay'],
    ['405', responding(405), 'takes no POST'],
    ['413', responding(413), 'too large'],
    ['415', responding(415), 'does not take application/json'],
    ['502 of a proxy', responding(502, '<h1>502 Bad Gateway</h1>'), 'A proxy answered'],
    ['401 of a login', responding(401, '', { 'WWW-Authenticate': 'Basic realm="staging"' }), 'asks for a login'],
    ['403 of a CSRF guard', responding(403, '<h1>Forbidden</h1>CSRF verification failed.'), 'CSRF'],
    ['403 of a dev server', responding(403, 'Blocked request. This host is not allowed.'), 'refuses this host name'],
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

  it('is a time-out where no response came', async () => {
    const { why } = await sentTo(() => new Promise(() => {}), { sleep: () => Promise.resolve() });
    expect(why).toBe('No response came in time. Write and answer in one transaction; give long work to a queue.');
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
    expect(['refused', 'receiver_failed', 'connection_failed']).toContain(cause?.id);
  });

  it.each<Verdict>([
    ...(['signature_mismatch', 'missing_header', 'malformed_signature', 'malformed_timestamp'] as const),
    ...(['duplicate_header', 'body_already_parsed', 'body_too_large', 'method_not_allowed'] as const),
    ...(['unsupported_media_type', 'malformed_payload', 'handler_failed', 'setup', 'store_failed'] as const),
    ...(['time_limit', 'duplicate_running', 'lease_lost', 'timestamp_too_old', 'timestamp_too_new'] as const),
  ])('is in the reply of our own handler: %s', async (verdict) => {
    const { status, body, headers } = replyFor(verdict);
    const { why } = await sentTo(responding(status, body, headers));
    expect(why).toMatch(/handler|signature matches|earlier delivery/);
    // The same word from somebody else is no proof.
    const { cause } = await sentTo(responding(status === 400 ? 422 : 400, body, headers));
    expect(cause?.id).toBe('refused');
  });

  it('is the clock of the receiver, or a timestamp that each attempt repeats', async () => {
    const { status, body, headers } = replyFor('timestamp_too_old');
    const { why, sandbox } = await sentTo(responding(status, body, headers), { dialect: { timestampPer: 'delivery' } });
    expect(why).toContain('Correct the clock of the receiver');
    await sandbox.advance('10m');
    const repeated = sandbox.deliveries()[0]?.attempt_log.at(-1)?.cause;
    expect(repeated).toMatchObject({ text: expect.stringMatching(/^Each attempt repeats the timestamp of the first/) });
  });

  it.each([
    ['wrong_signature', 'does not check the signature'],
    ['late_timestamp', 'can be played again'],
    ['reserialized', 'not checked over the raw bytes'],
  ] as const)('is the fault %s: accepted is a finding, refused is as it should be', async (fault, finding) => {
    expect((await sentTo(responding(200), {}, fault)).why).toContain(finding);
    expect((await sentTo(responding(401), {}, fault)).why).toContain('Refused as it should be');
    expect((await sentTo(responding(500), {}, fault)).why).toContain('The receiver failed');
  });
});

/** What a receiver makes of a delivery, by hand: the expected signature. */
type Expected = (body: string, timestamp: string) => string;

const SECRET = 'whsec_of_the_tests';
const sign = (key: string, text: string, form: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', key).update(text).digest(form);
const withSecret =
  (secret: string, form: 'hex' | 'base64' = 'hex'): Expected =>
  (body, stamp) =>
    sign(secret, `${stamp}.${body}`, form);
const right = withSecret(SECRET);

/** A sandbox whose paid order was refused, unless its signature was the expected one. */
async function refusedBy(expected: Expected, options: SandboxOptions & Internals = {}) {
  let requests = 0;
  const { sandbox, api } = inProcess({
    ...options,
    fetch: async (_, init) => {
      requests += 1;
      const { headers, body } = new Request('http://x/', init);
      const text = await new Response(body).text();
      const fits = headers.get('x-webhook-signature') === expected(text, headers.get('x-webhook-timestamp') ?? '');
      return new Response(fits ? 'ok' : 'bad signature', { status: fits ? 200 : 401 });
    },
  });
  await api('POST', '/invoices', { ...ORDER, external_id: 'Zürich/7', callback_url: 'http://127.0.0.1:3000/' });
  await sandbox.pay('Zürich/7');
  const before = sandbox.deliveries();
  const finding = await sandbox.explain('Zürich/7');
  expect(sandbox.deliveries()).toEqual(before); // neither attempts nor schedule have changed
  return { finding, requests };
}

/** JSON as Python's json.dumps writes it, and as PHP's json_encode does. */
const asPython = (body: string): string => body.replaceAll('":', '": ').replaceAll(',"', ', "').replace('ü', '\\u00fc');
const asPhp = (body: string): string => body.replaceAll('/', '\\/').replace('ü', '\\u00fc');

describe('the search for the cause', () => {
  it.each<[string, Expected, (SandboxOptions & Internals)?]>([
    ['secret of the receiver ends with a line break', withSecret(`${SECRET}\n`)],
    ['Windows line break', withSecret(`${SECRET}\r\n`)],
    ['begins with a space', withSecret(` ${SECRET}`)],
    ['ends with a space', withSecret(`${SECRET} `)],
    ['has quotes', withSecret(`"${SECRET}"`)],
    ['lacks "whsec_"', withSecret('of_the_tests')],
    ['signs the body alone', (body) => sign(SECRET, body)],
    ['leaves out the dot', (body, stamp) => sign(SECRET, stamp + body)],
    ['as Python does', (body, stamp) => right(asPython(body), stamp)],
    ['as PHP does', (body, stamp) => right(asPhp(body), stamp)],
    ['indents', (body, stamp) => right(JSON.stringify(JSON.parse(body), null, 2), stamp)],
    ['signature in base64', withSecret(SECRET, 'base64')],
    ['amounts as numbers', (body, stamp) => right(body.replace('"25.00"', '25').replace(/"(26\.\d+)"/, '$1'), stamp)],
    ['expects "sha256="', (body, stamp) => `sha256=${right(body, stamp)}`],
    ['timestamp in milliseconds', (body, stamp) => (/^\d{13}$/.test(stamp) ? right(body, stamp) : 'refused')],
    // also in another dialect
    ['line break', withSecret(`${SECRET}\n`, 'base64'), { dialect: { signatureEncoding: 'base64' } }],
    ['line break', withSecret(`${SECRET}\n`), { dialect: { timestampFormat: 'iso' } }],
  ])('proves "%s", and changes neither attempts nor schedule (%#)', async (text, expected, options) => {
    const { finding } = await refusedBy(expected, options);
    expect(finding).toMatchObject({ isProven: true, text: expect.stringContaining(text) });
  });

  it.each<SandboxOptions>([{}, { dialect: { signatureEncoding: 'base64' } }, { dialect: { timestampFormat: 'iso' } }])(
    'proves nothing about another secret, and stops after a bounded number of requests: %j',
    async (options) => {
      const { finding, requests } = await refusedBy(withSecret('whsec_production'), options);
      const text = expect.stringContaining('None of the usual mistakes');
      expect(finding).toMatchObject({ isProven: false, text, requests: requests - 1 });
      expect(finding.requests).toBeLessThanOrEqual(30);
    },
  );

  it.each([
    [3, { isProven: false }],
    [1, { isProven: false, requests: 1, text: expect.stringContaining('accepted now') }],
  ])('proves nothing about a receiver that accepts after %i requests', async (turns, expected) => {
    let turn = 0;
    const { finding } = await refusedBy((body, stamp) => {
      turn += 1;
      return turn <= turns ? 'refused' : right(body, stamp);
    });
    expect(finding).toMatchObject(expected);
  });

  it.each([
    [404, '', 'The receiver has no POST route at /'],
    [500, '', 'The receiver failed.'],
    [500, 'handler_failed', 'your function threw'],
    [503, '', 'The receiver failed.'],
  ])('sends nothing where the response is no refusal of a signature: %i %s', async (status, body, text) => {
    const { sandbox, sent } = await sentTo(responding(status, body));
    const finding = await sandbox.explain('order-1042');
    expect(finding).toMatchObject({ requests: 0, text: expect.stringContaining(text) });
    expect(sent()).toBe(1);
  });

  it('sends nothing to another machine', async () => {
    const { sandbox } = inProcess();
    sandbox.create({ ...ORDER, callback_url: 'https://shop.example/' });
    await sandbox.pay('order-1042');
    expect(await sandbox.explain('order-1042')).toMatchObject({ id: 'not_sent', requests: 0 });
    const attempt = sandbox.deliveries()[0]?.attempt_log[0];
    expect(attempt).toMatchObject({ request: null, cause: { id: 'not_sent' } });
  });
});
