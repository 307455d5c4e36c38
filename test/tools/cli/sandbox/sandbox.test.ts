import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli, firstLine, type Running, type Setting, start } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const FAILING: RequestListener = (request, response) =>
  void request.resume().on('end', () => response.writeHead(500).end());
const PLAIN_TERMINAL: Setting = { isTerminal: true, env: { NO_COLOR: '1' } };

const running: Running[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const run of running.splice(0)) {
    run.interrupt();
    await run.ended;
  }
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
    await expect(fetch(run.url)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^(?:ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/) },
    }); // the last two: of a connection that was kept
  });

  it('shows a banner and a line per request, with the why', async () => {
    const run = await sandbox([], PLAIN_TERMINAL);
    await create(run.url, {});
    await create(run.url, {});
    await run.until('409');
    const out = run.out();
    expect(out).toMatch(/^ {2}SANDBOX {2}nothing here is real money\n\n/);
    expect(out).toMatch(/API +http:\/\/127\.0\.0\.1:\d+ +key +sk_sandbox\n/);
    expect(out).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:\d+\/ +secret +whsec_sandbox\n/);
    expect(out).toMatch(
      / MERCHANT_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n +MERCHANT_API_KEY=sk_sandbox\n +MERCHANT_WEBHOOK_SECRET=whsec_sandbox\n/,
    );
    expect(out).toContain('try   npx merchant-invoicing sandbox create');
    const [created = '', refused = '', why = '', ...rest] = out.split('\n\n').at(-1)?.trimEnd().split('\n') ?? [];
    expect(created).toMatch(/^[\d:]{8} {4}created +order-1 +25\.00 EUR$/);
    expect(refused).toMatch(/^[\d:]{8} {2}✗ POST \/invoices +409 INVOICE_ALREADY_EXISTS$/);
    expect([why.trim(), rest]).toEqual(['external_id order-1 is taken by an invoice that is pending', []]);
    expect(out).not.toContain('demo-'); // what is there from the start is no news
  });

  it('puts the JSON line before the banner when it is piped, and has no orders at first', async () => {
    const run = await sandbox();
    expect(firstLine(run.out()).baseUrl).toBe(run.url);
    expect(run.out()).toContain('SANDBOX');
    expect(run.out()).not.toContain('\u001b');
    expect((await status(run.url)).invoices).toEqual([]);
  });

  it('lets no order id move the cursor', async () => {
    const run = await sandbox([], PLAIN_TERMINAL);
    await create(run.url, { external_id: 'a\u001b[2Jb' });
    await run.until('created');
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
    expect(second.err()).toMatch(/is in use, using (\d+)\. Actions need --url http:\/\/127\.0\.0\.1:\1\n/);
  });

  it('sends webhooks to --callback, and says why one was refused', async () => {
    const receiver = await serve(goodReceiver('another secret'));
    const run = await sandbox(['--callback', receiver], PLAIN_TERMINAL);
    await create(run.url, {});
    const { code, out: paid } = await cli(['sandbox', 'pay', 'order-1', '--url', run.url]);
    expect([code, paid]).toEqual([
      0,
      expect.stringMatching(
        /^✓ order-1 {2}Paid, 26\.861298 USDT credited\n✗ webhook retrying, 401\n {2}Your handler has another secret/,
      ),
    ]);
    await run.until('webhook 1 of 7');
    await cli(['sandbox', 'advance', '10m', '--url', run.url]);
    const out = run.out().split('\n');
    expect(out.filter((line) => /✗ webhook \d of 7 +order-1 +401 in \d+ ms, next [\d:]{8}$/.test(line))).toHaveLength(
      3,
    );
    expect(out.filter((line) => line.includes('Your handler has another secret'))).toHaveLength(1);
    expect(Math.max(...out.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('the keys', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');
  const seen = async (run: Running & { url: string }): Promise<number> =>
    Date.parse((await status(run.url)).now) - START;

  it('move the clock, stop it and let it run', async () => {
    const run = await sandbox([], PLAIN_TERMINAL);
    run.press('f');
    await run.until(', frozen');
    const before = await seen(run);
    expect(await seen(run)).toBe(before);
    const at = (later: number): string => new Date(START + before + later).toISOString();
    run.press('a');
    await run.until(`the clock is at ${at(60_000)}, frozen\n`);
    run.press('A');
    await run.until(`the clock is at ${at(3_660_000)}, frozen\n`);
    expect(await seen(run)).toBe(before + 3_660_000);
    run.press('f');
    await run.until('Z\n');
  });

  it('send waiting webhooks, reset, open the dashboard, help and stop', async () => {
    const receiver = await serve(FAILING);
    const run = await sandbox(['--frozen', '--callback', receiver], PLAIN_TERMINAL);
    run.press('n');
    await run.until('no webhook is waiting');
    await create(run.url, {});
    await cli(['sandbox', 'pay', 'order-1', '--url', run.url]);
    run.press('n');
    await run.until('webhook 2 of 7');
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
    await run.until('back to the beginning\n');
    expect((await status(run.url)).invoices).toEqual([]);
    run.press('x');
    run.press('\u0003');
    expect(await run.ended).toBe(0);
    expect(() => run.press('a')).toThrow('nobody listens to the keyboard');
  });
});

it.each(['https://pay.example.com', 'http://10.0.0.7:4010', 'nonsense'])(
  'an action never goes to %s, which MERCHANT_BASE_URL names and is not on this machine',
  async (MERCHANT_BASE_URL) => {
    const { out, err } = await cli(['sandbox', 'status'], { env: { MERCHANT_BASE_URL } });
    expect(out + err).toContain('http://127.0.0.1:4010'); // whether a sandbox runs there or not
  },
);

describe('--state', () => {
  it('goes on after a restart: orders, deliveries, clock and ids', async () => {
    const file = join(folder(), 'sandbox.json');
    const receiver = await serve(FAILING);
    const flags = ['--json', '--frozen', '--seed', '5', '--state', file];
    const first = await sandbox(flags);
    await create(first.url, { external_id: 'paid', callback_url: receiver });
    await create(first.url, { external_id: 'open' });
    await cli(['sandbox', 'pay', 'paid', '--url', first.url]);
    await cli(['sandbox', 'advance', '30s', '--url', first.url]);
    const before = await status(first.url);
    await stop(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const second = await sandbox(flags);
    expect(await status(second.url)).toEqual(JSON.parse(JSON.stringify(before).replaceAll(first.url, second.url)));
    expect(before.deliveries[0]).toMatchObject({ attempts: 1, status: 'pending' });
    expect((await create(second.url, { external_id: 'paid' })).status).toBe(409);
    const fresh = await create(second.url, { external_id: 'third' });
    expect(before.invoices.map(({ uuid }) => uuid)).not.toContain(fresh.body.data.uuid);

    await cli(['sandbox', 'advance', '30s', '--url', second.url]);
    expect((await status(second.url)).deliveries[0]).toMatchObject({ attempts: 2 }); // the retry was still due
    await cli(['sandbox', 'advance', '30m', '--url', second.url]);
    expect((await status(second.url)).invoices).toContainEqual(
      expect.objectContaining({ external_id: 'open', status: 'expired' }),
    );
  });

  it('is written as it goes, whole, and leaves no draft behind', async () => {
    const path = folder();
    const file = join(path, 'sandbox.json');
    const run = await sandbox(['--json', '--events', '--state', file]);
    await create(run.url, { external_id: 'kept' });
    const isWritten = () => existsSync(file) && readFileSync(file, 'utf8').includes('"kept"');
    for (let tries = 0; tries < 500 && !isWritten(); tries += 1) await fetch(`${run.url}/_/status`);
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(4);
    expect(readdirSync(path)).toEqual(['sandbox.json', 'sandbox.json.lock']);
    await stop(run);
    expect(readdirSync(path)).toEqual(['sandbox.json']);
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
  it('shows a webhook that is not due as such, and a held one as waiting', async () => {
    const { url } = await sandbox(['--json', '--callback', 'http://127.0.0.1:9/hook']);
    await create(url, {});
    expect((await cli(['sandbox', 'status', '--url', url])).out).toMatch(/^ {2}order-1 .* Open +Not yet$/m);
    const hold = () => cli(['sandbox', 'fault', 'hold', '--url', url]);
    await hold();
    await cli(['sandbox', 'pay', 'order-1', '--url', url]);
    expect((await cli(['sandbox', 'status', '--url', url])).out).toMatch(
      /1 webhooks, 0 not delivered[\s\S]*^ {2}order-1 .* Held$/m,
    );
    await hold();
    expect((await cli(['sandbox', 'resend', 'order-1', '--url', url])).out).toBe('  order-1  webhook: Held\n');
    const failed = await cli(['sandbox', 'resend', 'order-1', '--url', url]);
    expect(failed.out).toBe('✗ order-1  webhook: no response\n');
    expect((await cli(['sandbox', 'status', '--url', url])).out).toMatch(/^✗ order-1 .* Retrying · no response$/m);
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
