import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../../../../src/index.ts';
import { RULES } from '../../../../src/tools/cli/webhooks/cases.ts';
import { createWebhookHandler, memoryStore, toNodeHandler } from '../../../../src/webhooks/index.ts';
import { testSandbox } from '../../../support/test-sandbox.ts';
import { cli } from '../command-line.ts';
import { goodReceiver, handWritten, serve } from '../receivers.ts';

const SECRET = 'whsec_of_the_shop';
const API_KEY = 'sk_of_the_shop_1234';

const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, text = ''): RequestListener =>
  (request, response) =>
    void request.resume().on('end', () => response.writeHead(status, headers).end(text));

/** The package's own receiver with this function for each event. */
const receiverWith = (
  handle: (event: { invoice_uuid: string; external_id: string; status: string }) => Promise<void>,
): RequestListener =>
  toNodeHandler(
    createWebhookHandler({
      ...{ secret: SECRET, store: memoryStore(), onReport() {} },
      ...{ onPaid: handle, onAdjusted: handle, onCanceled: handle },
    }),
  );

/** A receiver with one mistake, and words of the cause and the remedy that `webhooks check` tells. */
const BROKEN: readonly (readonly [mistake: string, listener: RequestListener, cause: RegExp, remedy: RegExp])[] = [
  [
    'it redirects',
    answers(308, { Location: '/login' }),
    /redirects to \/login/,
    /the final address as the callback_url/,
  ],
  [
    'it works before it answers',
    () => undefined,
    /No response came in time/,
    /Answer 2xx right after the commit. Give long work to a\s+queue/,
  ],
  [
    'a page answers',
    answers(200, { 'Content-Type': 'text/html' }, '<!doctype html><title>Shop'),
    /An HTML page answered at \/webhook/,
    /the path of the callback_url/,
  ],
  ['a 404 handler stands above it', answers(404), /no POST route at/, /put the route above/],
  ['a page asks for a login', answers(401, {}, '<html>Log in'), /answers 401\./, /a login or a firewall/],
  ['it crashes', answers(500), /\/webhook answers 500\./, /Repair the receiver: its log/],
  [
    'it refuses an order that it does not know',
    receiverWith(({ external_id }) => Promise.reject(new Error(`no order ${external_id}`))),
    /Your function threw/,
    /name one that it knows: --external-id ORDER --amount 25.00/,
  ],
  ['a CSRF guard protects it', answers(419, {}, 'Page Expired'), /CSRF/, /Exempt this route/],
  [
    'a login protects it',
    answers(401, { 'WWW-Authenticate': 'Basic' }),
    /asks for a login/,
    /no login: exempt this route/,
  ],
  [
    'another secret',
    goodReceiver('whsec_another_one_here'),
    /has another secret.*fingerprint/,
    /Compare MERCHANT_WEBHOOK_SECRET/,
  ],
  ['a line break after the secret', goodReceiver(Buffer.from(`${SECRET}\n`)), /line break at its end/, /Trim it/],
];

/** What a receiver that is not of this package does not say. It is told what to compare, and gets one delivery. */
const STRANGERS: readonly (readonly [mistake: string, listener: RequestListener])[] = [
  ['another secret', handWritten('whsec_another_one_here')],
  ['the API key as the secret', handWritten(API_KEY)],
  ['a body written again', handWritten(SECRET, { asPython: true })],
  ['base64', handWritten(SECRET, { base64: true })],
];

const NEXT = ['--secret', 'whsec_next'];
const DIALECT = ['signatureEncoding=base64', 'timestampFormat=iso', 'orderIdMember=order_id'].flatMap((each) => [
  '--dialect',
  each,
]);
const [OWN_SECRET, BOTH_SECRETS] = [goodReceiver(SECRET), goodReceiver([SECRET, 'whsec_next'])];
const PINNED = goodReceiver(SECRET, [], { orderIdMember: 'order_id' });

const EVERY_FORGERY = `refuses-unsigned refuses-no-timestamp refuses-wrong-signature refuses-wrong-secret
     refuses-tampered-body refuses-empty-signature refuses-cut-signature
     refuses-old-timestamp refuses-restamped-replay refuses-oversized
     (refuses-get) (refuses-timestamp-that-is-none) (refuses-future-timestamp)`;
/** The service counts any 2xx as delivered, a page for people too. */
const withPages: RequestListener = (request, response) => {
  const { end } = response;
  response.end = function (this: typeof response, ...given: unknown[]) {
    if (this.statusCode < 300) return Reflect.apply(end, this, given);
    this.statusCode = 200;
    return end.call(this.setHeader('Content-Type', 'text/html'), '<!doctype html>', 'utf8');
  };
  OWN_SECRET(request, response);
};

/** Receivers, and the rules that each breaks. An advice stands in brackets. */
const RECEIVERS: readonly (readonly [receiver: string, RequestListener, found: string, flags?: readonly string[]])[] = [
  ["the package's own receiver", OWN_SECRET, ''],
  ['a sound receiver written by hand', handWritten(SECRET), ''],
  ['a receiver of both secrets', BOTH_SECRETS, '', NEXT],
  ['a receiver of one of two secrets', OWN_SECRET, 'accepts-each-secret', NEXT],
  ['a receiver that pins the name of the order id', PINNED, '', DIALECT],
  ['a receiver that would have to guess that name', OWN_SECRET, 'accepts-paid', DIALECT],
  ['a receiver that rewrites the body', handWritten(SECRET, { rewritten: true }), 'accepts-raw-bytes'],
  [
    'a receiver that does not look at the age',
    handWritten(SECRET, { noAge: true }),
    'refuses-old-timestamp (refuses-timestamp-that-is-none) (refuses-future-timestamp)',
  ],
  [
    'a receiver that compares as many characters as came',
    handWritten(SECRET, { prefix: true }),
    'refuses-empty-signature refuses-cut-signature',
  ],
  [
    'a receiver that refuses a repeat',
    handWritten(SECRET, { refusesRepeats: true }),
    'repeat-same repeat-restamped repeat-other-id',
  ],
  [
    'a receiver that makes its handler and its memory in the route',
    (request, response) => goodReceiver(SECRET)(request, response),
    'repeat-same repeat-restamped repeat-other-id repeat-at-once',
  ],
  ['a receiver that takes a GET', handWritten(SECRET, { anyMethod: true }), '(refuses-get)'],
  ['a receiver that accepts everything', answers(200), EVERY_FORGERY],
  ['a receiver that refuses with a page and 200', withPages, EVERY_FORGERY],
];

interface Report {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly checks: readonly {
    readonly id: string;
    readonly grade: string;
    readonly why: string;
    readonly fix: string;
  }[];
  readonly questions: readonly unknown[];
}

async function examined(
  listener: RequestListener,
  ...flags: readonly string[]
): Promise<Report & { code: number; text: string }> {
  const { code, out } = await cli(['webhooks', 'check', await serve(listener), '--secret', SECRET, '--json', ...flags]);
  return { ...(JSON.parse(out) as Report), code, text: out };
}

const idsOf = ({ checks }: Report, grade: string): string[] =>
  checks.filter((check) => check.grade === grade).map(({ id }) => id);

describe('webhooks check', () => {
  it('passes a receiver that looks the invoice up, with orders that it creates in a running sandbox', async () => {
    const sandbox = testSandbox();
    const { url } = await sandbox.listen();
    const merchant = new MerchantClient({ baseUrl: url, apiKey: sandbox.apiKey });
    const listener = () =>
      receiverWith(async (event) => {
        const { external_id, status } = await merchant.invoices.get(event.invoice_uuid);
        if (external_id !== event.external_id || status !== event.status) throw new Error('another order');
      });
    const found = await examined(listener(), '--sandbox', url);
    const alone = await examined(listener(), '--sandbox', 'http://127.0.0.1:1');
    await sandbox.close();
    expect([found.code, idsOf(found, 'fail')]).toEqual([0, []]);
    expect([alone.code, idsOf(alone, 'fail')]).toEqual([1, ['accepts-paid']]); // ids that nobody has
  });

  it("handles each order once with the package's own receiver, and asks what it cannot see", async () => {
    const handled: string[] = [];
    const report = await examined(goodReceiver(SECRET, handled));
    expect(report.passed).toBe(RULES.flatMap(({ cases }) => cases).length - 1);
    expect(report.questions).toHaveLength(6);
    expect(new Set(handled).size).toBe(handled.length);
    expect(handled.length).toBeGreaterThan(12);
  });

  it.each(RECEIVERS.map(([name, listener, found, flags = []]) => ({ name, listener, found, flags })))(
    'finds what is wrong with $name',
    async ({ listener, found, flags }) => {
      const report = await examined(listener, ...flags);
      const [failed, advised] = [idsOf(report, 'fail'), idsOf(report, 'advice').map((id) => `(${id})`)];
      expect([...failed, ...advised]).toEqual(found.match(/\S+/g) ?? []);
      expect([report.ok, report.code]).toEqual(failed.length === 0 ? [true, 0] : [false, 1]);
      if (failed.length === 0)
        expect(idsOf(report, 'inconclusive')).toEqual(flags === NEXT ? [] : ['accepts-each-secret']);
      for (const { grade, why, fix } of report.checks) {
        if (grade === 'fail' || grade === 'advice') expect([why, fix]).not.toContain('');
      }
    },
  );

  it('does not say that a receiver verifies the bytes where it takes a forgery', async () => {
    const { checks } = await examined(answers(200));
    expect(checks.find(({ id }) => id === 'accepts-raw-bytes')).toMatchObject({
      grade: 'inconclusive',
      why: expect.stringContaining('shows nothing'),
    });
  });

  it('stops at a receiver that refuses everything, and repeats no secret of its response', async () => {
    const report = await examined((request, response) => {
      request.resume().on('end', () => response.writeHead(401).end(`expected ${SECRET}`));
    });
    expect([report.code, idsOf(report, 'fail'), report.checks.length]).toEqual([1, ['accepts-paid'], 1]);
    expect(report.text).not.toContain(SECRET);
    expect(report.text).toContain('expected [redacted]');
  });

  it('says what a person needs, in plain text', async () => {
    const receiver = await serve(handWritten(SECRET, { noAge: true }));
    const { code, out } = await cli(['webhooks', 'check', receiver, '--secret', SECRET]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /✗ refuses an old timestamp \(10 minutes\) +200 in \d+ ms\n {6}a recorded delivery can be replayed/,
    );
    expect(out).toContain('fix: Refuse a timestamp older than five minutes');
    expect(out).toMatch(/\n {2}1 failed, 26 passed, 2 with advice, 1 inconclusive\n/);
    expect(out).not.toContain(SECRET);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    for (const { heading } of RULES) expect(out.split(`\n  ${heading}\n`), heading).toHaveLength(2); // printed once
  });

  it.each(BROKEN)(
    'stops at the first delivery and tells one cause and one remedy: %s',
    async (_, listener, cause, remedy) => {
      const receiver = await serve(listener);
      const flags = ['--secret', SECRET, '--json', '--timeout', '300ms'];
      const { code, out } = await cli(['webhooks', 'check', receiver, ...flags], {
        env: { MERCHANT_API_KEY: API_KEY },
      });
      const { checks } = JSON.parse(out) as Report;
      expect([code, checks.length]).toEqual([1, 1]);
      expect(checks[0]).toMatchObject({
        id: 'accepts-paid',
        grade: 'fail',
        why: expect.stringMatching(cause),
        fix: expect.stringMatching(remedy),
      });
      expect(out).not.toContain(API_KEY);
    },
  );

  it.each(STRANGERS)('sends one delivery to a receiver by hand, and says what to compare: %s', async (_, listener) => {
    let requests = 0;
    const counting: RequestListener = (request, response) => {
      requests += 1;
      listener(request, response);
    };
    const { checks } = await examined(counting);
    expect(requests).toBe(1);
    expect(checks.map(({ id, grade }) => [id, grade])).toEqual([['accepts-paid', 'fail']]);
    for (const thing of [/its secret/, /bytes .* as they arrived/, /\{timestamp\}\.\{body\}/])
      expect(checks[0]?.fix).toMatch(thing);
  });

  it('says first that its orders do not exist, names them at the end, and asks for each', async () => {
    const receiver = await serve(goodReceiver(SECRET));
    const none = ['--sandbox', 'http://127.0.0.1:1'];
    const { out } = await cli(['webhooks', 'check', receiver, '--secret', SECRET, ...none]);
    expect(out).toMatch(/^\n {2}Uses orders that do not exist\. A receiver that looks them up refuses/);
    expect(out).toMatch(/Was each order of this check fulfilled exactly once/);
    expect(out).toMatch(/process dies after it has answered 200/);
    expect(out).toMatch(/\n\n {2}orders check-([0-9a-f]{8})-1 to check-\1-\d+, \d+ in\s+all/);
  });
});
