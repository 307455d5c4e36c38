import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli, firstLine, type Running, type Setting, start } from '../command-line.ts';
import { goodReceiver, type Receiver, serve } from '../receivers.ts';

const running: Running[] = [];
const receivers: Receiver[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const run of running.splice(0)) {
    run.interrupt();
    await run.ended;
  }
  for (const receiver of receivers.splice(0)) await receiver.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function sandbox(args: readonly string[] = [], setting: Setting = {}): Promise<Running & { url: string }> {
  const run = start(['sandbox', '--port', '0', ...args], setting);
  running.push(run);
  await run.until('http://127.0.0.1:');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(run.out()) ?? [];
  return { ...run, url };
}

async function stop(run: Running): Promise<number> {
  run.interrupt();
  running.splice(running.indexOf(run), 1);
  return run.ended;
}

async function create(
  url: string,
  order: Record<string, string>,
): Promise<{ status: number; body: { data: { uuid: string; status: string } } }> {
  const response = await fetch(`${url}/api/v1/external/invoices`, {
    method: 'POST',
    headers: { 'X-Api-Key': 'sk_sandbox', 'Content-Type': 'application/json' },
    body: JSON.stringify({ external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR', ...order }),
  });
  return { status: response.status, body: await response.json() };
}

async function status(url: string): Promise<{
  now: string;
  invoices: { external_id: string; uuid: string; status: string }[];
  deliveries: { id: string; status: string; next_retry_at: string | null; attempts: number }[];
}> {
  return JSON.parse((await cli(['sandbox', 'status', '--json', '--url', url])).out);
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'merchant-invoicing-state-'));
  folders.push(path);
  return path;
}

describe('sandbox', () => {
  it('says one line of JSON and then nothing with --json', async () => {
    const run = await sandbox(['--json']);
    await create(run.url, {});
    expect(JSON.parse(run.out())).toEqual({
      baseUrl: run.url,
      apiKey: 'sk_sandbox',
      webhookSecret: 'whsec_sandbox',
      dashboard: `${run.url}/`,
    });
    expect((await fetch(`${run.url}/`)).status).toBe(200);
    expect([await stop(run), run.err()]).toEqual([0, '']);
    await expect(fetch(run.url)).rejects.toThrow();
  });

  it('adds a line of JSON per event with --events', async () => {
    const run = await sandbox(['--json', '--events']);
    await create(run.url, { amount: '0' });
    await run.until('VALIDATION_ERROR');
    const [, event = ''] = run.out().split('\n');
    expect(JSON.parse(event)).toMatchObject({ kind: 'request', status: 422, code: 'VALIDATION_ERROR' });
  });

  it('shows a banner and a line per request, with the why', async () => {
    const run = await sandbox([], { isTerminal: true, env: { NO_COLOR: '1' } });
    await create(run.url, {});
    await create(run.url, {});
    await run.until('409');
    const out = run.out();
    expect(out).toMatch(/^ {2}SANDBOX {2}nothing here is real money, nothing leaves this machine\n\n/);
    expect(out).toMatch(/API +http:\/\/127\.0\.0\.1:\d+ +key +sk_sandbox\n/);
    expect(out).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:\d+\/ +secret +whsec_sandbox\n/);
    expect(out).toMatch(
      / MERCHANT_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n +MERCHANT_API_KEY=sk_sandbox\n +MERCHANT_WEBHOOK_SECRET=whsec_sandbox\n/,
    );
    expect(out).toContain("try   curl -s -H 'X-Api-Key: sk_sandbox' http://127.0.0.1:");
    expect(out).toContain('POST /api/v1/external/invoices  201');
    expect(out).toContain('409  INVOICE_ALREADY_EXISTS  why: external_id order-1 is taken');
    expect(out).not.toContain('demo-'); // what is there from the start is no news
  });

  it('puts the JSON line before the banner when it is piped', async () => {
    const run = await sandbox();
    expect(firstLine(run.out()).baseUrl).toBe(run.url);
    expect(run.out()).toContain('SANDBOX');
    expect(run.out()).not.toContain('\u001b');
  });

  it('lets no order id move the cursor', async () => {
    const run = await sandbox([], { isTerminal: true, env: { NO_COLOR: '1' } });
    await create(run.url, { external_id: 'a\u001b[2Jb' });
    await run.until('201');
    expect(run.out()).not.toContain('\u001b');
    expect(run.out()).toContain('a\\u001b[2Jb');
  });

  it('takes the next port when one is busy, and says so', async () => {
    const first = await sandbox(['--json']);
    const port = Number(new URL(first.url).port);
    const second = start(['sandbox', '--json', '--port', String(port)]);
    running.push(second);
    await second.until('baseUrl');
    expect(Number(new URL(firstLine(second.out()).baseUrl).port)).toBeGreaterThan(port);
    expect(second.err()).toMatch(
      /is in use by another program, using (\d+)\. Actions need --url http:\/\/127\.0\.0\.1:\1\n/,
    );
  });

  it('has no orders, and some in every state with --demo', async () => {
    const run = await sandbox(['--json', '--demo']);
    const read = async (path: string) =>
      (await (await fetch(`${run.url}/api/v1/external/${path}`, { headers: { 'X-Api-Key': 'sk_sandbox' } })).json())
        .data;
    const invoices: { status: string; is_adjusted: boolean; currency: { code: string } }[] = (await read('invoices'))
      .items;
    expect(new Set(invoices.map((invoice) => invoice.status))).toEqual(
      new Set(['pending', 'success', 'fail', 'expired', 'canceled']),
    );
    expect(invoices.filter((invoice) => invoice.is_adjusted)).toHaveLength(2);
    expect(new Set(invoices.map(({ currency }) => currency.code)).size).toBeGreaterThanOrEqual(4);
    const withdrawals: { status: string }[] = (await read('withdrawals')).items;
    expect(new Set(withdrawals.map((row) => row.status))).toEqual(new Set(['pending', 'approved', 'rejected']));
    const empty = await sandbox(['--json']);
    expect((await status(empty.url)).invoices).toEqual([]);
  });

  it('plays dialects and faults by flag, and brings the faults back after a reset', async () => {
    const run = await sandbox(['--json', '--dialect', 'createStatus=200', '--fault', 'html@invoices.create']);
    expect((await fetch(`${run.url}/api/v1/external/rates`, { headers: { 'X-Api-Key': 'sk_sandbox' } })).status).toBe(
      200,
    );
    const broken = (): Promise<number> =>
      fetch(`${run.url}/api/v1/external/invoices`, { method: 'POST' }).then((answer) => answer.status);
    expect(await broken()).toBe(502);
    expect((await create(run.url, {})).status).toBe(200);
    await cli(['sandbox', 'reset', '--yes', '--url', run.url]);
    expect(await broken()).toBe(502);
  });

  it('lets a fault strike by chance, the same ones with the same seed', async () => {
    const pattern = async (): Promise<number[]> => {
      const run = await sandbox(['--json', '--seed', '7', '--fault', 'server_error:0.3', '--fault', 'rate_limit:0.2']);
      const statuses: number[] = [];
      for (let count = 0; count < 40; count += 1) {
        const answer = await fetch(`${run.url}/api/v1/external/rates`, { headers: { 'X-Api-Key': 'sk_sandbox' } });
        statuses.push(answer.status);
      }
      await stop(run);
      return statuses;
    };
    const first = await pattern();
    expect(new Set(first)).toEqual(new Set([200, 429, 503]));
    expect(await pattern()).toEqual(first);
  });

  it('sends webhooks to --callback, and says why one was refused', async () => {
    const receiver = await serve(goodReceiver('another secret'));
    receivers.push(receiver);
    const run = await sandbox(['--callback', receiver.url], { isTerminal: true, env: { NO_COLOR: '1' } });
    await create(run.url, {});
    const { code, out } = await cli(['sandbox', 'pay', 'order-1', '--url', run.url]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^order-1 {2}success, 26\.861298 USDT credited {2}webhook answered 401, next try /),
    ]);
    await run.until('try 1 of 7');
    expect(run.out()).toMatch(/answered 401 .*next try/);
    expect(run.out()).toContain('it said: ');
  });
});

describe('the keys', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');
  const seen = async (run: Running & { url: string }): Promise<number> =>
    Date.parse((await status(run.url)).now) - START;

  it('move the clock, stop it and let it run', async () => {
    const run = await sandbox([], { isTerminal: true, env: { NO_COLOR: '1' } });
    run.press('f');
    await run.until('frozen');
    const before = await seen(run);
    expect(await seen(run)).toBe(before);
    run.press('a');
    await run.until('(+1m)');
    run.press('A');
    await run.until('(+1h)');
    expect(await seen(run)).toBe(before + 3_660_000);
    run.press('f');
    await run.until('  runs');
  });

  it('try waiting webhooks, reset, open the dashboard, help and stop', async () => {
    const receiver = await serve(
      (request, response) => void request.resume().on('end', () => response.writeHead(500).end()),
    );
    receivers.push(receiver);
    const run = await sandbox(['--frozen', '--callback', receiver.url], {
      isTerminal: true,
      env: { NO_COLOR: '1' },
    });
    run.press('n');
    await run.until('no webhook is waiting');
    await create(run.url, {});
    await cli(['sandbox', 'pay', 'order-1', '--url', run.url]);
    run.press('n');
    await run.until('try 2 of 7, resent');
    run.press('?');
    await run.until('let it run\n');
    run.press('o');
    expect(run.opened).toEqual([`${run.url}/`]);
    run.press('r');
    await run.until('r again removes 1 invoice, any other key keeps them');
    run.press('?');
    run.press('r'); // the first press again, because another key came between
    expect((await status(run.url)).invoices).toHaveLength(1);
    run.press('r');
    await run.until('reset: ');
    expect((await status(run.url)).invoices).toEqual([]);
    run.press('x');
    run.press('\u0003');
    expect(await run.ended).toBe(0);
    expect(() => run.press('a')).toThrow();
  });
});

describe('the actions', () => {
  it('refuse an order that has ended, with code 1', async () => {
    const run = await sandbox(['--json']);
    await create(run.url, {});
    const pay = () => cli(['sandbox', 'pay', 'order-1', '--method', 'Bank transfer', '--url', run.url]);
    expect(await pay()).toMatchObject({ code: 0, out: expect.stringContaining('order-1  success') });
    const again = await pay();
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/which is final.*\n {2}try: npx merchant-invoicing sandbox status/);
  });

  it('advance moves the clock, status counts', async () => {
    const run = await sandbox(['--frozen', '--json']);
    await create(run.url, {});
    expect((await cli(['sandbox', 'advance', '31m', '--url', run.url])).out).toMatch(/^the clock is at \d{4}-/);
    const { out } = await cli(['sandbox', 'status', '--url', run.url]);
    expect(out).toContain('1 invoices: 0 pending, 0 success, 0 fail, 1 expired, 0 canceled');
    const soon = await cli(['sandbox', 'advance', 'soon', '--url', run.url]);
    expect(soon).toMatchObject({ code: 1, err: expect.stringContaining('must be milliseconds') });
  });

  it('say with code 3 that no sandbox is there', async () => {
    const other = await serve((_, response) => void response.end('hello'));
    receivers.push(other);
    const { code, err } = await cli(['sandbox', 'status', '--url', new URL(other.url).origin]);
    expect([code, err]).toEqual([3, expect.stringContaining('is not a sandbox')]);
    const { url } = other;
    await other.close();
    receivers.length = 0;
    const gone = await cli(['sandbox', 'pay', 'order-1', '--url', new URL(url).origin]);
    expect([gone.code, gone.err]).toEqual([
      3,
      expect.stringMatching(/no sandbox listens.*\n {2}try: npx merchant-invoicing sandbox\n/),
    ]);
  });
});

describe('--state', () => {
  it('goes on after a restart: orders, deliveries, clock and ids', async () => {
    const file = join(folder(), 'sandbox.json');
    const receiver = await serve(
      (request, response) => void request.resume().on('end', () => response.writeHead(500).end()),
    );
    receivers.push(receiver);
    const flags = ['--json', '--frozen', '--seed', '5', '--state', file];
    const first = await sandbox(flags);
    await create(first.url, { external_id: 'paid', callback_url: receiver.url });
    await create(first.url, { external_id: 'open' });
    await cli(['sandbox', 'pay', 'paid', '--url', first.url]);
    await cli(['sandbox', 'advance', '30s', '--url', first.url]);
    const before = await status(first.url);
    await stop(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const second = await sandbox(flags);
    const after = await status(second.url);
    expect(after.now).toBe(before.now);
    expect(after.invoices.map(({ external_id, uuid }) => [external_id, uuid])).toEqual(
      before.invoices.map(({ external_id, uuid }) => [external_id, uuid]),
    );
    expect(after.deliveries).toEqual(before.deliveries);
    expect(after.deliveries[0]).toMatchObject({ attempts: 1, status: 'pending' });
    expect((await create(second.url, { external_id: 'paid' })).status).toBe(409);
    const fresh = await create(second.url, { external_id: 'third' });
    expect(before.invoices.map(({ uuid }) => uuid)).not.toContain(fresh.body.data.uuid);

    await cli(['sandbox', 'advance', '30s', '--url', second.url]);
    expect((await status(second.url)).deliveries[0]).toMatchObject({ attempts: 2 }); // the retry was still due
    await cli(['sandbox', 'advance', '30m', '--url', second.url]);
    const states = (await status(second.url)).invoices.map(({ external_id, status: state }) => [external_id, state]);
    expect(states).toContainEqual(['open', 'expired']);
  });

  it('is written as it goes, whole, and leaves no draft behind', async () => {
    const path = folder();
    const file = join(path, 'sandbox.json');
    const run = await sandbox(['--json', '--events', '--state', file]);
    await create(run.url, { external_id: 'kept' });
    for (
      let tries = 0;
      tries < 500 && !readFileSync(file, { encoding: 'utf8', flag: 'a+' }).includes('"kept"');
      tries += 1
    ) {
      await fetch(`${run.url}/_/status`);
    }
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(3);
    expect(readdirSync(path)).toEqual(['sandbox.json', 'sandbox.json.lock']);
    await stop(run);
    expect(readdirSync(path)).toEqual(['sandbox.json']);
  });

  it('refuses a file that can never be written, before anything runs', async () => {
    const file = join(folder(), 'nowhere', 'sandbox.json');
    const { code, err } = await cli(['sandbox', '--port', '0', '--state', file]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/cannot be written: ENOENT[\s\S]*try: npx merchant-invoicing/),
    ]);
  });

  it('refuses a file that is something else, and leaves it alone', async () => {
    const file = join(folder(), 'notes.json');
    for (const text of ['{"version":1}', 'my notes', '[]']) {
      writeFileSync(file, text);
      const { code, err } = await cli(['sandbox', '--port', '0', '--state', file]);
      expect([code, err]).toEqual([2, expect.stringContaining(`try: mv ${file} ${file}.old`)]);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('a running sandbox, from another terminal', () => {
  it('makes an order and prints its payment link', async () => {
    const run = await sandbox([]);
    const { code, out } = await cli(['sandbox', 'create', '25', 'EUR', '--id', 'mine', '--url', run.url]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^mine {2}25 EUR {2}http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f-]{36}\n$/),
    ]);
    const json = JSON.parse((await cli(['sandbox', 'create', '5.50', 'USD', '--json', '--url', run.url])).out);
    expect(json).toMatchObject({ external_id: 'order-1001', customer_id: 'customer-1', amount: '5.50' });
    const again = await cli(['sandbox', 'create', '25', 'EUR', '--id', 'mine', '--url', run.url]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('external_id mine is taken')]);
    expect((await cli(['sandbox', 'create', '25', '--url', run.url])).err).toContain(
      'create needs an amount and a currency',
    );
  });

  it('approves and rejects withdrawals, which status names', async () => {
    const run = await sandbox([]);
    const act = (...words: string[]) => cli(['sandbox', ...words, '--url', run.url]);
    const [, uuid = ''] = /withdrawals? pending: ([0-9a-f-]{36})/.exec((await act('status')).out) ?? [];
    expect((await act('reject', uuid, 'unknown address')).out).toMatch(new RegExp(`^${uuid} {2}rejected`));
    expect(await act('approve', uuid)).toMatchObject({ code: 1, err: expect.stringContaining('is rejected already') });
  });

  it('follows what happens, until Ctrl-C or until the sandbox stops', async () => {
    const run = await sandbox([]);
    for (const flags of [[], ['--json']]) {
      const follower = start(['sandbox', 'events', ...flags, '--url', run.url]);
      if (flags.length === 0) await follower.until('following');
      for (let tries = 0; tries < 500 && !follower.out().includes('wanted'); tries += 1) {
        await create(run.url, { external_id: `wanted-${flags.length}-${tries}` });
      }
      expect(follower.out()).toContain(flags.length === 0 ? 'invoice wanted-0-' : '"external_id":"wanted-1-');
      if (flags.length === 0) follower.interrupt();
      else await stop(run);
      expect(await follower.ended).toBe(0);
    }
    expect(await cli(['sandbox', 'events', '--url', run.url])).toMatchObject({ code: 3 });
  });

  it('asks before a reset on a terminal, unless --yes is given', async () => {
    const run = await sandbox([]);
    await create(run.url, {});
    for (const [key, left] of [
      ['n', 1],
      ['\u001b', 1],
      ['y', 0],
    ] as const) {
      const asked = start(['sandbox', 'reset', '--url', run.url], { isTerminal: true });
      await asked.until('Remove everything in the sandbox at ');
      asked.press(key);
      expect(await asked.ended).toBe(0);
      expect((await status(run.url)).invoices).toHaveLength(left);
    }
    await create(run.url, {});
    const unasked = await cli(['sandbox', 'reset', '--url', run.url]);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toContain(`sandbox reset --url ${run.url} --yes`); // the same sandbox, not the one on port 4010
    expect((await status(run.url)).invoices).toHaveLength(1);
    await cli(['sandbox', 'reset', '--yes', '--url', run.url], { isTerminal: true });
    expect((await status(run.url)).invoices).toEqual([]);
  });
});

describe('two sandboxes', () => {
  it('never keep one state file, and actions find the one that does', async () => {
    const file = join(folder(), 'shop.json');
    const first = await sandbox(['--state', file]);
    const second = await cli(['sandbox', '--port', '0', '--state', file]);
    expect(second).toMatchObject({
      code: 2,
      err: expect.stringContaining(`is kept by the sandbox at ${first.url} (pid ${process.pid})`),
    });
    await cli(['sandbox', 'create', '25', 'EUR', '--id', 'mine', '--state', file]);
    expect((await status(first.url)).invoices).toMatchObject([{ external_id: 'mine' }]);
    await stop(first);
    expect(await cli(['sandbox', 'status', '--state', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no running sandbox keeps'),
    });
    const again = await sandbox(['--state', file]);
    expect((await status(again.url)).invoices).toMatchObject([{ external_id: 'mine' }]);
  });

  it.each([
    ['of a process that has ended', '{"pid":4194303,"url":"http://127.0.0.1:1"}'],
    ['of a killed process whose id this one has', `{"pid":${process.pid},"url":"http://127.0.0.1:1"}`],
    ['that is half written', '{"pid'],
    ['of another program', '[]'],
  ])('a lock %s is taken over', async (_, text) => {
    const file = join(folder(), 'shop.json');
    writeFileSync(`${file}.lock`, text);
    const run = await sandbox(['--state', file]);
    expect(JSON.parse(readFileSync(`${file}.lock`, 'utf8'))).toMatchObject({ pid: process.pid, url: run.url });
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('shop.json.lock'))).toEqual(['shop.json.lock']);
  });
});

describe('typing errors', () => {
  it.each([
    [['sandbx'], 'Did you mean sandbox?'],
    [['sandbox', 'pya', 'order-1'], 'Did you mean pay?'],
    [['sandbox', '--sate', 'x.json'], 'Did you mean state?'],
    [['webhooks', 'chekc', 'http://127.0.0.1:1'], 'Did you mean check?'],
    [['sandbox', 'constructor'], 'sandbox has no action "constructor", only create'],
  ])('%o', async (args, said) => {
    expect(await cli(args)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
  });
});

it.each([
  ['creatStatus=201', '--dialect has no "creatStatus". Did you mean createStatus?'],
  ['__proto__=1', '--dialect has no "__proto__"'],
])('the dialect %s is refused by name', async (dialect, said) => {
  const refused = { code: 2, err: expect.stringContaining(said) };
  expect(await cli(['sandbox', '--port', '0', '--dialect', dialect])).toMatchObject(refused);
});
