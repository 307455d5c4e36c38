import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../../src/tools/sandbox/index.ts';
import { closedPort, listen } from '../../../support/fault-server.ts';
import { successInvoice } from '../../../support/fixtures/invoices.ts';
import { testSandbox } from '../../../support/test-sandbox.ts';
import { cli, patternOf } from '../command-line.ts';

const service = (listener: RequestListener): Promise<string> => listen(createServer(listener));

async function diagnosed(env: Record<string, string>, ...flags: string[]) {
  const { code, out } = await cli(['doctor', '--json', ...flags], { env });
  const { ok, checks } = JSON.parse(out) as {
    ok: boolean;
    checks: { id: string; ok: boolean; grade: string; text: string; fix: string }[];
  };
  const wrong = checks.filter(({ grade }) => grade === 'fail');
  return { code, ok, out, checks, ids: checks.map(({ id }) => id), wrong, wrongIds: wrong.map(({ id }) => id) };
}

const KEY = 'sk_live_secret_key';

type Mistake = readonly [
  mistake: string,
  /** Over a right environment. */
  env: Readonly<Record<string, string>>,
  finding: string,
  remedy: string,
  /** What answers at the address. Default: a sandbox. Null: nothing. */
  listener?: RequestListener | null | undefined,
  /** Default: 1. */
  code?: number,
];
const STRANGER = 'another server answers at …: it does not speak the interface of the service';
const BASE_URL = 'export MERCHANT_BASE_URL=…   # the address of the service, without a path';
const EXAMPLE = 'export MERCHANT_BASE_URL=https://pay.example.com   # or http://127.0.0.1:4010, the sandbox';
const PAY = 'https://pay.example.com';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const answers =
  (status: number, headers: Readonly<Record<string, string>>, body = ''): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const inTenMinutes: RequestListener = (request, response) => {
  response.setHeader('Date', new Date(Date.now() + 600_000).toUTCString());
  answers(200, JSON_TYPE, '{"success":true,"data":[]}')(request, response);
};

/** Environments with one mistake, and what `doctor` says of it. `…` stands for what differs between two runs. */
const MISTAKES: readonly Mistake[] = [
  ['no address', { MERCHANT_BASE_URL: '' }, 'MERCHANT_BASE_URL is not set', EXAMPLE],
  ['no scheme', { MERCHANT_BASE_URL: 'pay.example.com' }, '… is not an absolute address …', EXAMPLE],
  ['plain http', { MERCHANT_BASE_URL: 'http://pay.example.com' }, '… is plain http: to pay.example.com…', EXAMPLE],
  [
    'the path of the API',
    { MERCHANT_BASE_URL: `${PAY}/x/api/v1/external/invoices` },
    '…ends in the API path /api/v1/external/invoices, which the client adds itself…',
    EXAMPLE,
  ],
  ['a password', { MERCHANT_BASE_URL: 'https://ann:tops3cret@pay.example.com/api/v1' }, '…has credentials in it…', '…'],
  ['a quoted address', { MERCHANT_BASE_URL: `"${PAY}"` }, '… has quotes around it…', EXAMPLE],
  ['no key', { MERCHANT_API_KEY: '' }, 'MERCHANT_API_KEY is not set', 'export MERCHANT_API_KEY=…'],
  [
    'a quoted key',
    { MERCHANT_API_KEY: `'${KEY}'` },
    'MERCHANT_API_KEY has quotes around it…',
    'export MERCHANT_API_KEY=…',
  ],
  ['a line break after the key', { MERCHANT_API_KEY: `${KEY}\n` }, 'MERCHANT_API_KEY has white space …', '…'],
  [
    'a quoted secret',
    { MERCHANT_WEBHOOK_SECRET: '"whsec_live"' },
    'MERCHANT_WEBHOOK_SECRET has quotes around it…',
    'export MERCHANT_WEBHOOK_SECRET=…   # the webhook secret, from the dashboard',
  ],
  [
    'white space after the secret',
    { MERCHANT_WEBHOOK_SECRET: 'whsec_live\n' },
    'MERCHANT_WEBHOOK_SECRET has white space around it…',
    'export MERCHANT_WEBHOOK_SECRET=…   # the webhook secret, from the dashboard',
  ],
  [
    'the key as the secret',
    { MERCHANT_API_KEY: KEY, MERCHANT_WEBHOOK_SECRET: KEY },
    'MERCHANT_WEBHOOK_SECRET is an API key. The webhook secret is another value of the dashboard',
    'export MERCHANT_WEBHOOK_SECRET=…   # the webhook secret, from the dashboard',
  ],
  [
    'a secret as the key',
    { MERCHANT_API_KEY: 'whsec_9f0c' },
    'MERCHANT_API_KEY is a webhook secret: it begins with whsec_. The API key is another value of the dashboard',
    'export MERCHANT_API_KEY=…   # the API key, from the dashboard',
  ],
  [
    'no secret, which is no failure',
    { MERCHANT_WEBHOOK_SECRET: '' },
    'MERCHANT_WEBHOOK_SECRET is not set. Only a receiver of webhooks needs it',
    'export MERCHANT_WEBHOOK_SECRET=…   # whsec_sandbox for the sandbox',
    undefined,
    0,
  ],
  ['a page at the address', {}, STRANGER, BASE_URL, answers(200, { 'Content-Type': 'text/html' }, '<h1>Hi</h1>')],
  ['no such path', {}, STRANGER, BASE_URL, answers(404, { 'Content-Type': 'text/plain' }, 'Cannot GET /api')],
  ['another interface', {}, STRANGER, BASE_URL, answers(200, JSON_TYPE, '{"a":1}')],
  [
    'a redirect',
    {},
    `… redirects to ${PAY}. The client never follows a redirect, because it would send the key there`,
    `export MERCHANT_BASE_URL=${PAY}`,
    answers(301, { Location: `${PAY}/` }),
  ],
  ['nobody there', {}, 'cannot reach …', 'npx merchant-invoicing sandbox --port …', null, 3],
  [
    'a key of another business',
    { MERCHANT_API_KEY: KEY },
    'the service refused the key (401 UNAUTHORIZED)',
    'export MERCHANT_API_KEY=…   # the key of this business, or sk_sandbox for the sandbox',
  ],
  [
    'the clock of this machine',
    {},
    "this machine's clock is … behind the service's: webhooks will be refused as too new",
    'timedatectl set-ntp true   # or the command that sets the clock of your system',
    inTenMinutes,
  ],
];

describe('doctor', () => {
  it('finds nothing with a sandbox, whose clock was moved by hand, and changes nothing there', async () => {
    const sandbox = testSandbox();
    await sandbox.listen();
    await sandbox.advance('1d');
    const env = {
      MERCHANT_BASE_URL: sandbox.url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
    };
    const found = await diagnosed(env);
    expect([found.code, found.ok]).toEqual([0, true]);
    const all = 'base-url api-key webhook-secret reachable redirects clock call webhooks';
    expect(found.ids.join(' ')).toBe(all);
    expect(sandbox.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/invoices',
    ]);
    const text = await cli(['doctor'], { env });
    expect(text.out).toContain('✓ the key works: 9 payment methods, BRL EUR INR TRY USD');
    expect(text.out).toMatch(/\? no webhook was seen: no invoice is paid yet\n\n {2}✓ ready, 1 not seen\n$/);
    await sandbox.close();
  });

  it('has each command on a line of its own, in 80 columns, and says where to start', async () => {
    const { out } = await cli(['doctor'], { env: {} });
    expect(out).toMatch(/\n {6}fix: export MERCHANT_BASE_URL=\S+\n {11}# or http:\S+, the sandbox\n/);
    expect(out).toMatch(/\n {6}fix: export MERCHANT_API_KEY=… {3}# sk_sandbox for the sandbox\n/);
    expect(out).toMatch(/✗ 2 to correct\. Start with the first\.\n$/);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('prints nothing of a server as a command without quoting it', async () => {
    const url = await service(answers(302, { Location: `http://x$(id)'\`;touch\${IFS}x/` }));
    const { wrong } = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    const fix = wrong.find(({ id }) => id === 'redirects')?.fix ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', `${fix}; printf %s "$MERCHANT_BASE_URL"`]);
    expect(stdout).toBe(`http://x$(id)'\`;touch\${ifs}x`);
  });

  describe('the last webhooks', () => {
    /** A sandbox whose shop answers with these statuses, one for each payment, a minute apart. */
    async function foundAfter(statuses: readonly (number | 'no address')[]) {
      let status = 200;
      const sandbox = testSandbox({ now: '2026-03-01T02:00:00Z', fetch: async () => new Response(null, { status }) });
      await sandbox.listen();
      for (const [at, each] of statuses.entries()) {
        await sandbox.advance('1m');
        const order = { external_id: `order-${at + 1}`, amount: '25.00', currency: 'EUR' };
        sandbox.create({
          ...order,
          ...(each !== 'no address' && { callback_url: 'http://127.0.0.1:3000/hook?token=x' }),
        });
        if (each !== 'no address') status = each;
        await sandbox.pay(order.external_id);
      }
      const env = {
        MERCHANT_BASE_URL: sandbox.url,
        MERCHANT_API_KEY: sandbox.apiKey,
        MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
      };
      const { code, out } = await cli(['doctor'], { env });
      const { checks } = await diagnosed(env);
      const methods = new Set(sandbox.requests().map(({ method }) => method));
      await sandbox.close();
      return {
        code,
        out,
        webhooks: checks.find(({ id }) => id === 'webhooks'),
        methods,
        width: Math.max(...out.split('\n').map(({ length }) => length)),
      };
    }
    const repeated = <Each>(count: number, each: Each): Each[] => Array.from({ length: count }, () => each);

    it.each<readonly [readonly (number | 'no address')[], number, string, string, string]>([
      [repeated(12, 200), 0, 'pass', '10 of the last 10 webhooks were accepted, the last …', ''],
      [[200], 0, 'pass', 'the last webhook was accepted …', ''],
      [
        [...repeated(2, 200), ...repeated(20, 500)],
        1,
        'fail',
        '10 of the last 10 webhooks were not accepted by http://127.0.0.1:3000/hook, at least since 02:13 UTC (older ones were not read), €250.00: 500',
        'npx merchant-invoicing order order-22   # says why',
      ],
      [
        [...repeated(9, 200), 401],
        1,
        'fail',
        '1 of the last 10 webhooks was not accepted by http://127.0.0.1:3000/hook, at 02:10 UTC, €25.00: 401',
        'npx merchant-invoicing order order-10   # says why',
      ],
      [
        [200, 'no address', 200],
        0,
        'inconclusive',
        '2 of the last 3 webhooks were accepted, …. 1 has no delivery: not seen',
        '',
      ],
      [
        repeated(3, 'no address' as const),
        0,
        'inconclusive',
        'no webhook was seen of the last 3 paid invoices: 3 have no delivery',
        '',
      ],
    ])('%j', async (statuses, code, grade, text, fix) => {
      const found = await foundAfter(statuses);
      expect([found.code, found.webhooks]).toEqual([
        code,
        { id: 'webhooks', ok: grade === 'pass', grade, fix, text: expect.stringMatching(patternOf(text)) },
      ]);
      expect([found.methods, found.width <= 80]).toEqual([new Set(['GET']), true]);
      expect(found.out).toMatch(code === 0 ? /✓ ready/ : /✗ 1 to correct/);
    });

    it('has a line for each endpoint and status, with the money', async () => {
      const answers: Record<string, number> = { '/a': 200, '/b': 401, '/c': 500 };
      const fetch = async (url: unknown) => new Response(null, { status: answers[new URL(String(url)).pathname] ?? 0 });
      const sandbox = testSandbox({ now: '2026-03-01T02:00:00Z', fetch });
      await sandbox.listen();
      for (const [at, path] of ['a', 'b', 'c', 'b', 'a'].entries()) {
        const order = { external_id: `order-${at + 1}`, amount: '25.00', currency: at === 3 ? 'USD' : 'EUR' };
        sandbox.create({ ...order, callback_url: `http://127.0.0.1:3000/${path}` });
        await sandbox.pay(order.external_id);
        await sandbox.advance('10s');
      }
      const { checks } = await diagnosed({ MERCHANT_BASE_URL: sandbox.url, MERCHANT_API_KEY: sandbox.apiKey });
      await sandbox.close();
      expect(checks.filter(({ id }) => id === 'webhooks').map(({ text, fix }) => [text, fix])).toEqual([
        [
          '2 of the last 5 webhooks were not accepted by http://127.0.0.1:3000/b, the first at 02:00 UTC, $25.00 and €25.00: 401',
          'npx merchant-invoicing order order-4   # says why',
        ],
        [
          '1 of the last 5 webhooks was not accepted by http://127.0.0.1:3000/c, at 02:00 UTC, €25.00: 500',
          'npx merchant-invoicing order order-3   # says why',
        ],
      ]);
    });

    it('a refused webhook does not hide that an invoice has no delivery', async () => {
      const { out } = await foundAfter([200, 'no address', 500]);
      expect(out).toMatch(
        /✗ 1 of the last 3 webhooks was not accepted[\s\S]*\? of the last 3 paid invoices, 1 has no delivery: not seen\n/,
      );
    });

    /** A service with these paid invoices on its first page, and this history of each. */
    async function foundOf(ages: readonly number[], total_pages: number, history: (at: number) => [number, string]) {
      const items = ages.map((days, at) => ({
        ...successInvoice,
        uuid: `019b1c2a-0000-7000-8000-${String(at).padStart(12, '0')}`,
        external_id: `order-${at}`,
        created_at: new Date(Date.now() - days * 86_400_000).toISOString(),
        finished_at: new Date(Date.now() - days * 86_400_000 + 60_000).toISOString(),
      }));
      const page = { items, page: 1, per_page: 20, total_items: 20 * total_pages, total_pages };
      const data = { ...page, has_next: total_pages > 1, has_prev: false };
      const url = await service((request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://x');
        const ofOrder = /(\d{12})\/webhooks$/.exec(pathname)?.[1];
        const body = pathname.endsWith('/invoices') ? data : [];
        const [status, text] = ofOrder
          ? history(Number(ofOrder))
          : [200, JSON.stringify({ success: true, data: body })];
        return answers(status, JSON_TYPE, text)(request, response);
      });
      const { checks, code } = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
      const told = checks.filter(({ id }) => id === 'webhooks').map(({ grade, text }) => `${grade} ${text}`);
      return { code, told };
    }
    const delivery = (status: string, codes: readonly number[]) =>
      JSON.stringify({
        success: true,
        data: [
          {
            ...{ id: 'd', event_type: 'invoice.paid', status, attempts: codes.length, max_attempts: 7 },
            last_http_status: codes.at(-1) ?? null,
            attempt_log: codes.map((status_code) => ({ status_code, created_at: new Date().toISOString() })),
          },
        ],
      });
    const fine: [number, string] = [200, delivery('delivered', [200])];
    const notFound: [number, string] = [404, '{"success":false,"error":{"code":"NO_HISTORY","message":"x"}}'];
    const notLast =
      'inconclusive no webhook was seen: the list of paid invoices has several pages, and does not begin with the newest';
    const tenOf = <Each>(one: (at: number) => Each): Each[] => Array.from({ length: 10 }, (_, at) => one(at));

    it.each<readonly [string, readonly number[], number, (at: number) => [number, string], readonly string[]]>([
      ['a long list, oldest first', [90, 80, 70], 8, () => fine, [notLast]],
      ['a long list of one time', [5, 5, 5], 8, () => fine, [notLast]],
      ['a long list without order', [5, 9, 3], 8, () => fine, [notLast]],
      [
        'a long list, newest first',
        [1, 2, 3],
        8,
        () => fine,
        ['pass 3 of the last 3 webhooks were accepted, the last …'],
      ],
      [
        'a short list, oldest first',
        [3, 2, 1],
        1,
        () => fine,
        ['pass 3 of the last 3 webhooks were accepted, the last …'],
      ],
      [
        'ten histories that fail',
        tenOf((at) => at),
        1,
        () => notFound,
        ['inconclusive no webhook was seen of the last 10 paid invoices: 10 histories could not be read (NO_HISTORY)'],
      ],
      [
        'deliveries without an attempt',
        [1, 2],
        1,
        () => [200, delivery('pending', [])],
        ['inconclusive no webhook was seen of the last 2 paid invoices: 2 have a delivery without an attempt'],
      ],
      [
        'some of each',
        [1, 2, 3, 4, 5],
        1,
        (at) =>
          [fine, notFound, [200, delivery('pending', [])], [200, '{"success":true,"data":[]}'], fine][at] as never,
        [
          'inconclusive 2 of the last 5 webhooks were accepted, the last …. 1 has no delivery, 1 has a delivery without an attempt, 1 history could not be read (NO_HISTORY): not seen',
        ],
      ],
      [
        'a refused one beside histories that fail',
        [1, 2, 3],
        1,
        (at) => (at === 0 ? [200, delivery('failed', [500])] : notFound),
        [
          'fail 1 of the last 3 webhooks was not accepted by …: 500',
          'inconclusive of the last 3 paid invoices, 2 histories could not be read (NO_HISTORY): not seen',
        ],
      ],
    ])('%s', async (_name, ages, pages, history, told) => {
      const found = await foundOf(ages, pages, history);
      expect(found.told).toEqual(told.map((text) => expect.stringMatching(patternOf(text))));
    });

    it('a history or a list that cannot be read is not seen, and no green', async () => {
      const list = { items: [successInvoice], total: 1, page: 1, per_page: 20 };
      for (const failing of ['/webhooks', '/invoices']) {
        const url = await service((request, response) => {
          const { pathname } = new URL(request.url ?? '', 'http://x');
          if (pathname.endsWith(failing))
            return answers(
              500,
              JSON_TYPE,
              '{"success":false,"error":{"code":"INTERNAL","message":"x"}}',
            )(request, response);
          return answers(
            200,
            JSON_TYPE,
            JSON.stringify({ success: true, data: pathname.endsWith('/invoices') ? list : [] }),
          )(request, response);
        });
        const { checks } = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
        expect(checks.find(({ id }) => id === 'webhooks')).toMatchObject({
          grade: 'inconclusive',
          ok: false,
          text: expect.stringContaining('no webhook was seen'),
        });
      }
    });
  });

  describe('the survey', () => {
    const surveyed = async (dialect: Partial<Dialect>) => {
      const sandbox = testSandbox({ seed: 7, dialect });
      await sandbox.listen();
      for (const [at, id] of ['order-1042', 'order-1043', 'order-1044'].entries()) {
        sandbox.create({ external_id: id, amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:9/' });
        await sandbox.advance(`${at + 1}m`);
      }
      await sandbox.pay('order-1044');
      const env = { MERCHANT_BASE_URL: sandbox.url, MERCHANT_API_KEY: sandbox.apiKey };
      const { out, code } = await cli(['doctor', '--json', '--survey'], { env });
      const text = (await cli(['doctor', '--survey'], { env })).out;
      const methods = sandbox.requests().map(({ method }) => method);
      await sandbox.close();
      const { survey } = JSON.parse(out) as {
        survey: { point: string; shows: string; client: string; pin: string }[];
      };
      const at = (point: string) => survey.find((each) => each.point === point);
      return { survey, at, out, code, text, methods };
    };

    it('says what a service shows, by reads alone, without a value of it', async () => {
      const { at, survey, code, text, methods } = await surveyed({});
      expect([code, new Set(methods)]).toEqual([1, new Set(['GET'])]); // nobody listens to its webhook
      expect(at('invoices.list order')?.shows).toBe('newest first');
      expect(at('invoices.list page size')?.shows).toBe('as asked for');
      expect(at('withdrawals.list status')).toMatchObject({ shows: 'selects rows', pin: '' });
      expect(at('invoices.get times')?.shows).toContain('ISO 8601 with Z');
      expect(at('webhooks.deliveries names')?.shows).toContain('attempt_log (');
      for (const private_ of ['order-104', '25.00', 'sk_sandbox', '127.0.0.1:9'])
        expect(JSON.stringify(survey)).not.toContain(private_);
      expect(text).toContain('The forms that this service uses');
    });

    it.each<readonly [Partial<Dialect>, string, object]>([
      [
        { laterVersion: 'some' },
        'members that the interface does not name',
        { shows: expect.stringContaining('invoices.list risk_score'), client: 'keeps them' },
      ],
      [
        { withdrawalQuery: 'other' },
        'withdrawals.list status',
        { shows: 'ignored: rows of another status came', pin: 'withdrawalQuery.status' },
      ],
    ])('sees %o', async (dialect, point, found) => {
      expect((await surveyed(dialect)).at(point)).toMatchObject(found);
    });
  });

  it('never sends the key after a redirect', async () => {
    const keys: unknown[] = [];
    const target = await service((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.end('{}');
    });
    const url = await service(answers(301, { Location: `${target}/new` }));
    const { wrong } = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    expect([wrong[0]?.fix, keys]).toEqual([`export MERCHANT_BASE_URL=${target}`, []]);
  });

  it.each(MISTAKES.map((row) => [row[0], row] as const))('says one cause and one remedy: %s', async (_, row) => {
    const [, env, finding, remedy, listener, code = 1] = row;
    const sandbox = testSandbox();
    const serving = async (): Promise<string> =>
      listener === undefined ? (await sandbox.listen()).url : listener === null ? closedPort() : service(listener);
    const right = {
      MERCHANT_BASE_URL: await serving(),
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
    };
    const found = await diagnosed({ ...right, ...env });
    await sandbox.close();
    const told = found.checks.filter(({ grade }) => grade === 'fail' || grade === 'advice');
    expect([found.code, told[0]?.text, told[0]?.fix]).toEqual([
      code,
      expect.stringMatching(patternOf(finding)),
      expect.stringMatching(patternOf(remedy)),
    ]);
    expect(found.out).not.toMatch(/sk_live_secret_key|whsec_live|tops3cret/);
  });
});
