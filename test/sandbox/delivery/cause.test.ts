import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import type { Internals } from '../../../src/sandbox/options.ts';
import { sentenceOf } from '../../../src/webhooks/diagnose.ts';
import { replyFor, type Verdict } from '../../../src/webhooks/handle/verdict.ts';
import { inProcess, ORDER } from '../loopback.ts';

type Answer = () => Response | Promise<Response>;

/** A sandbox whose paid order was sent to a receiver that answers so. */
async function sentTo(
  answer: Answer,
  options: SandboxOptions & Internals = {},
  fault?: 'wrong_signature' | 'late_timestamp' | 'reserialized',
) {
  let sent = 0;
  const { sandbox, api } = inProcess({
    fetch: async () => {
      sent += 1;
      return answer();
    },
    ...options,
  });
  await api('POST', '/invoices', { ...ORDER, callback_url: 'http://127.0.0.1:3000/hooks/pay' });
  if (fault !== undefined) sandbox.faults.next(fault);
  await sandbox.pay('order-1042');
  const cause = sandbox.deliveries()[0]?.attempt_log[0]?.cause ?? null;
  return { sandbox, cause, why: cause && sentenceOf(cause), sent: () => sent };
}

const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(body, { status, headers });

const broken = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
};

describe('the cause that a response proves', () => {
  it.each([
    [answer(302, '', { Location: '/login' }), 'It redirects to /login. A redirect counts as a failure'],
    [answer(404), 'The receiver has no POST route at /hooks/pay'],
    [answer(405), 'takes no POST'],
    [answer(413), 'too large'],
    [answer(415), 'does not take application/json'],
    [answer(502, '<h1>502 Bad Gateway</h1>'), 'A proxy answered'],
    [answer(401, '', { 'WWW-Authenticate': 'Basic realm="staging"' }), 'asks for a login'],
    [answer(403, '<h1>Forbidden</h1>CSRF verification failed.'), 'CSRF'],
    [answer(403, 'Blocked request. This host is not allowed.'), 'refuses this host name'],
    [broken('ECONNREFUSED'), 'Nothing listens at 127.0.0.1:3000'],
    [broken('ENOTFOUND'), 'No address is known'],
    [broken('UND_ERR_SOCKET'), 'closed the connection without a response'],
    [broken('ERR_SSL_WRONG_VERSION_NUMBER'), 'does not speak TLS'],
    [broken('DEPTH_ZERO_SELF_SIGNED_CERT'), 'NODE_EXTRA_CA_CERTS'],
  ] as const)('%o: %s', async (receiver, text) => {
    const { why, sandbox } = await sentTo(receiver);
    expect(why).toContain(text);
    const last = sandbox.events().at(-1);
    expect(last?.kind === 'attempt' && last.cause && sentenceOf(last.cause)).toBe(why);
  });

  it('is a time-out', async () => {
    const never = (): Promise<Response> => new Promise(() => {});
    const { why } = await sentTo(never, { sleep: () => Promise.resolve() });
    expect(why).toBe('No response came in time. Answer 2xx first, and do the work afterwards.');
  });

  it.each([
    answer(400, 'nope'),
    answer(401, 'invalid signature'),
    answer(403),
    answer(409, 'busy'),
    answer(422, '{"detail":"no"}'),
    answer(500, 'Internal Server Error'),
    answer(503),
    broken('EWHATEVER'),
  ])('is not proven for a receiver that it does not know: %#', async (receiver) => {
    const { cause } = await sentTo(receiver);
    expect(cause?.isProven).toBe(false);
    expect(['refused', 'receiver_failed', 'connection_failed']).toContain(cause?.id);
  });

  it.each<Verdict>([
    ...([
      'signature_mismatch',
      'missing_header',
      'malformed_signature',
      'malformed_timestamp',
      'duplicate_header',
    ] as const),
    ...(['body_already_parsed', 'body_too_large', 'method_not_allowed', 'unsupported_media_type'] as const),
    ...(['malformed_payload', 'handler_failed', 'setup', 'store_failed', 'time_limit'] as const),
    ...(['duplicate_running', 'lease_lost', 'timestamp_too_old', 'timestamp_too_new'] as const),
  ])('is in the reply of our own handler: %s', async (verdict) => {
    const { status, body, headers } = replyFor(verdict);
    expect((await sentTo(answer(status, body, { ...headers }))).why).toMatch(
      /handler|signature matches|earlier delivery/,
    );
    // The same word from somebody else is no proof.
    expect((await sentTo(answer(status === 400 ? 422 : 400, body, { ...headers }))).cause?.id).toBe('refused');
  });

  it('says which clock is behind', async () => {
    const old = replyFor('timestamp_too_old');
    const refuse = answer(old.status, old.body, { ...old.headers });
    const wallClock = (): number => Date.parse('2026-03-01T12:20:00Z');
    const bySandbox = await sentTo(refuse, { wallClock, deliveryTimestamp: 'sandbox' });
    expect(bySandbox.why).toContain('20 min behind the real time');
    expect((await sentTo(refuse, { wallClock })).why).toContain('Correct the clock of the receiver');
  });

  it.each([
    ['wrong_signature', 'does not check the signature'],
    ['late_timestamp', 'can be played again'],
    ['reserialized', 'not checked over the raw bytes'],
  ] as const)('is the fault %s: accepted is a finding, refused is as it should be', async (fault, finding) => {
    expect((await sentTo(answer(200), {}, fault)).why).toContain(finding);
    expect((await sentTo(answer(401), {}, fault)).why).toContain('Refused as it should be');
  });
});

/** What a receiver makes of a delivery, by hand: the expected signature. */
type Expected = (body: string, timestamp: string) => string;

const hex = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');
const right: Expected = (body, timestamp) => hex('whsec_of_the_tests', `${timestamp}.${body}`);
const withSecret =
  (secret: string): Expected =>
  (body, timestamp) =>
    hex(secret, `${timestamp}.${body}`);

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
  return { sandbox, explain: () => sandbox.explain('Zürich/7'), requests: () => requests };
}

/** JSON as Python's json.dumps writes it. */
const asPython = (body: string): string =>
  JSON.stringify(JSON.parse(body), null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\{ /, '{')
    .replace(/ \}/, '}')
    .replace('ü', '\\u00fc');
const asPhp = (body: string): string => body.replaceAll('/', '\\/').replace('ü', '\\u00fc');

describe('the search for the cause', () => {
  it.each<[string, Expected]>([
    ['secret of the receiver ends with a line break', withSecret('whsec_of_the_tests\n')],
    ['Windows line break', withSecret('whsec_of_the_tests\r\n')],
    ['begins with a space', withSecret(' whsec_of_the_tests')],
    ['ends with a space', withSecret('whsec_of_the_tests ')],
    ['has quotes', withSecret('"whsec_of_the_tests"')],
    ['lacks "whsec_"', withSecret('of_the_tests')],
    ['signs the body alone', (body) => hex('whsec_of_the_tests', body)],
    ['leaves out the dot', (body, stamp) => hex('whsec_of_the_tests', stamp + body)],
    ['as Python does', (body, stamp) => right(asPython(body), stamp)],
    ['as PHP does', (body, stamp) => right(asPhp(body), stamp)],
    ['indents', (body, stamp) => right(JSON.stringify(JSON.parse(body), null, 2), stamp)],
    ['signature in base64', (body, stamp) => Buffer.from(right(body, stamp), 'hex').toString('base64')],
    ['amounts as numbers', (body, stamp) => right(body.replace('"25.00"', '25').replace(/"(26\.\d+)"/, '$1'), stamp)],
    ['expects "sha256="', (body, stamp) => `sha256=${right(body, stamp)}`],
    ['timestamp in milliseconds', (body, stamp) => (/^\d{13}$/.test(stamp) ? right(body, stamp) : 'refused')],
  ])('proves: %s', async (text, expected) => {
    const { explain, sandbox } = await refusedBy(expected);
    const before = sandbox.deliveries();
    expect(await explain()).toMatchObject({ isProven: true, text: expect.stringContaining(text) });
    expect(sandbox.deliveries()).toEqual(before); // neither attempts nor schedule have changed
  });

  it('proves nothing about another secret, and stops after a bounded number of requests', async () => {
    const { explain, requests } = await refusedBy(withSecret('whsec_production'));
    const finding = await explain();
    expect(finding).toMatchObject({ isProven: false, text: expect.stringContaining('None of the usual mistakes') });
    expect(finding.requests).toBeLessThanOrEqual(30);
    expect(requests()).toBe(1 + finding.requests);
  });

  it.each([
    [3, { isProven: false }],
    [1, { isProven: false, requests: 1, text: expect.stringContaining('accepted now') }],
  ])('proves nothing about a receiver that accepts after %i requests', async (turns, finding) => {
    let turn = 0;
    const { explain } = await refusedBy((body, stamp) => {
      turn += 1;
      return turn <= turns ? 'refused' : right(body, stamp);
    });
    expect(await explain()).toMatchObject(finding);
  });

  it.each([{ signatureEncoding: 'base64' }, { timestampFormat: 'iso' }] as const)(
    'also in another dialect: %j',
    async (dialect) => {
      const form = 'signatureEncoding' in dialect ? 'base64' : 'hex';
      const signs =
        (key: string): Expected =>
        (body, stamp) =>
          createHmac('sha256', key).update(`${stamp}.${body}`).digest(form);
      expect(await (await refusedBy(signs('nothing'), { dialect })).explain()).toMatchObject({ isProven: false });
      expect(await (await refusedBy(signs('whsec_of_the_tests\n'), { dialect })).explain()).toMatchObject({
        isProven: true,
      });
    },
  );

  it.each([
    [404, '', 'The receiver has no POST route at /'],
    [500, '', 'The receiver failed.'],
    [500, 'handler_failed', 'your function threw'],
    [503, '', 'The receiver failed.'],
  ])('sends nothing where the response is no refusal of a signature: %i %s', async (status, body, text) => {
    const { sandbox, sent } = await sentTo(answer(status, body));
    expect(await sandbox.explain('order-1042')).toMatchObject({
      requests: 0,
      text: expect.stringContaining(text),
    });
    expect(sent()).toBe(1);
  });

  it('has the time of the deliveries, for a receiver with the clock of the sandbox', async () => {
    const noon = String(Date.parse('2026-03-01T12:00:00Z') / 1000);
    const expected: Expected = (body, stamp) =>
      stamp === noon ? withSecret('whsec_of_the_tests\n')(body, stamp) : 'too new';
    const { explain } = await refusedBy(expected, { deliveryTimestamp: 'sandbox' });
    expect(await explain()).toMatchObject({ isProven: true, text: expect.stringContaining('line break') });
  });

  it('needs something that was sent', async () => {
    const { sandbox, api } = inProcess();
    await api('POST', '/invoices', ORDER);
    await expect(sandbox.explain('order-1042')).rejects.toThrow('nothing to explain');
    await api('POST', '/invoices', { ...ORDER, external_id: 'far', callback_url: 'https://shop.example/' });
    await sandbox.pay('far');
    expect(await sandbox.explain('far')).toMatchObject({ id: 'not_sent', requests: 0 });
    expect(sandbox.deliveries('far')[0]?.attempt_log[0]).toMatchObject({ request: null, cause: { id: 'not_sent' } });
  });
});
