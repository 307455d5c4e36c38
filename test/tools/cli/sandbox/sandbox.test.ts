import { afterEach, describe, expect, it } from 'vitest';
import { cli, firstLine, type Running, type Setting, start } from '../command-line.ts';
import { goodReceiver, serve } from '../receivers.ts';

const PLAIN_TERMINAL: Setting = { isTerminal: true, env: { NO_COLOR: '1' } };

const running: Running[] = [];

afterEach(async () => {
  for (const run of running.splice(0)) {
    run.interrupt();
    await run.ended;
  }
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
    expect(created).toMatch(/^[\d:]{8} {4}created +order-1 +€25\.00$/);
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
    const receiver = await serve(goodReceiver('another_secret_here'));
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
    await create(run.url, { external_id: 'order-2' });
    await cli(['sandbox', 'pay', 'order-2', '--amount', '17.00', '--url', run.url]);
    await run.until('paid less');
    expect(run.out()).toMatch(/! paid less +order-2 +€17\.00 of €25\.00, 18\.265682 USDT\n/);
    expect(
      Math.max(
        ...run
          .out()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });
});

it.each(['https://pay.example.com', 'http://10.0.0.7:4010', 'nonsense'])(
  'an action never goes to %s, which MERCHANT_BASE_URL names and is not on this machine',
  async (MERCHANT_BASE_URL) => {
    const { out, err } = await cli(['sandbox', 'status'], { env: { MERCHANT_BASE_URL } });
    expect(out + err).toContain('http://127.0.0.1:4010'); // whether a sandbox runs there or not
  },
);

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
});
