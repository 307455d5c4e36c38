import { execFile } from 'node:child_process';
import type { RequestListener } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type Dialect } from '../../../src/sandbox/index.ts';
import { BROKEN_ENVIRONMENTS } from '../broken/environments.ts';
import { patternOf } from '../broken/pattern.ts';
import { cli } from '../command-line.ts';
import { type Receiver, serve } from '../receivers.ts';

const servers: Receiver[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function service(listener: RequestListener): Promise<string> {
  const server = await serve(listener);
  servers.push(server);
  return new URL(server.url).origin;
}

async function diagnosed(env: Record<string, string>, ...flags: string[]) {
  const { code, out } = await cli(['doctor', '--json', ...flags], { env });
  const { ok, checks } = JSON.parse(out) as {
    ok: boolean;
    checks: { id: string; ok: boolean; verdict: string; text: string; fix: string }[];
  };
  const wrong = checks.filter(({ verdict }) => verdict === 'fail');
  return { code, ok, out, checks, ids: checks.map(({ id }) => id), wrong, wrongIds: wrong.map(({ id }) => id) };
}

const KEY = 'sk_live_secret_key';

describe('doctor', () => {
  it('finds nothing with a sandbox, and changes nothing there', async () => {
    const sandbox = createSandbox();
    await sandbox.listen();
    const env = {
      MERCHANT_BASE_URL: sandbox.url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
    };
    const found = await diagnosed(env);
    expect([found.code, found.ok]).toEqual([0, true]);
    expect(found.ids).toEqual([
      'node',
      'base-url',
      'api-key',
      'webhook-secret',
      'reachable',
      'redirects',
      'clock',
      'call',
    ]);
    expect(sandbox.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/payment-methods',
      'GET /api/v1/external/rates',
      'GET /api/v1/external/invoices',
      'GET /api/v1/external/withdrawals',
      'GET /api/v1/external/withdrawals',
    ]);
    const text = await cli(['doctor'], { env });
    expect(text.out).toContain('✓ the key works: 9 payment methods, BRL EUR INR TRY USD');
    await sandbox.close();
  });

  it('names what is missing, and asks nobody', async () => {
    const found = await diagnosed({});
    expect([found.code, found.wrongIds]).toEqual([1, ['base-url', 'api-key']]);
    for (const { fix } of found.wrong) expect(fix).toMatch(/^export MERCHANT_/);
  });

  it.each([
    ['base-url', { MERCHANT_BASE_URL: 'pay.example.com', MERCHANT_API_KEY: KEY }],
    ['base-url', { MERCHANT_BASE_URL: 'http://pay.example.com', MERCHANT_API_KEY: KEY }],
    ['api-key', { MERCHANT_BASE_URL: 'http://127.0.0.1:9', MERCHANT_API_KEY: `${KEY}\n` }],
  ])('judges the form of %s first', async (id, env) => {
    const found = await diagnosed(env);
    expect([found.code, found.wrongIds]).toEqual([1, [id]]);
    expect(found.out).not.toContain(KEY);
  });

  it.each([
    ['api-key', { MERCHANT_API_KEY: `'${KEY}'` }, 'MERCHANT_API_KEY has quotes around it'],
    ['webhook-secret', { MERCHANT_WEBHOOK_SECRET: '"whsec_live"' }, 'MERCHANT_WEBHOOK_SECRET has quotes around it'],
    ['base-url', { MERCHANT_BASE_URL: '"https://pay.example.com"' }, 'MERCHANT_BASE_URL has quotes around it'],
    ['base-url', { MERCHANT_BASE_URL: 'https://pay.example.com/x/api/v1/' }, 'ends in the path of the API'],
  ])('tells the causes apart: %s %o', async (id, env, text) => {
    const found = await diagnosed(env);
    expect(found.wrong.find((check) => check.id === id)?.text).toContain(text);
    expect(found.out).not.toContain('whsec_live');
    expect(found.out).not.toContain(KEY);
  });

  it('gives the base URL without the path of the API', async () => {
    const { wrong } = await diagnosed({ MERCHANT_BASE_URL: 'https://pay.example.com/x/api/v1/external/invoices' });
    expect(wrong.find(({ id }) => id === 'base-url')?.fix).toBe('export MERCHANT_BASE_URL=https://pay.example.com/x');
  });

  it('says that the secret is missing, without a failure', async () => {
    const sandbox = createSandbox();
    await sandbox.listen();
    const { code, out } = await cli(['doctor'], {
      env: { MERCHANT_BASE_URL: sandbox.url, MERCHANT_API_KEY: sandbox.apiKey },
    });
    await sandbox.close();
    expect([code, out]).toEqual([0, expect.stringContaining('! MERCHANT_WEBHOOK_SECRET is not set')]);
  });

  it.each([
    [200, 'text/html', '<h1>Welcome</h1>'],
    [404, 'text/plain', 'Cannot GET /api/v1/external/payment-methods'],
    [200, 'application/json', '{"hello":"world"}'],
  ])('finds another server at the address: %d %s', async (status, type, body) => {
    const url = await service((_, response) => void response.writeHead(status, { 'Content-Type': type }).end(body));
    const found = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    expect([found.code, found.wrongIds]).toEqual([1, ['call']]);
    expect(found.wrong[0]?.text).toContain('another server answers at 127.0.0.1');
  });

  it('prints nothing of a server as a command without quoting it', async () => {
    const url = await service(
      (_, response) => void response.writeHead(302, { Location: `http://x$(id)'\`;touch\${IFS}x/` }).end(),
    );
    const { wrong } = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    const fix = wrong.find(({ id }) => id === 'redirects')?.fix ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', `${fix}; printf %s "$MERCHANT_BASE_URL"`]);
    expect(stdout).toBe(`http://x$(id)'\`;touch\${ifs}x`);
  });

  it.each([
    ['https://pay.example.com', ['api-key', 'webhook-secret']],
    ['https://sandbox', []],
    ['https://10.1.2.3', []],
    ['https://127.0.0.1:9', []],
  ])('finds the values of a sandbox beside the public address %s', async (url, ids) => {
    const { checks } = await diagnosed({
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: ids.length > 0 ? 'sk_sandbox' : '',
      MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
    });
    const found = checks.filter(({ text }) => text.includes('is the one of the sandbox'));
    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  it('does not compare the clock of a sandbox, which is moved by hand', async () => {
    const sandbox = createSandbox();
    await sandbox.listen();
    await sandbox.advance('1d');
    const found = await diagnosed({ MERCHANT_BASE_URL: sandbox.url, MERCHANT_API_KEY: sandbox.apiKey });
    await sandbox.close();
    expect([found.code, found.wrongIds]).toEqual([0, []]);
  });

  it('shows no password of an address', async () => {
    for (const address of ['https://ann:tops3cret@pay.example.com', 'https://ann:tops3cret@pay.example.com/api/v1']) {
      const { out, err } = await cli(['doctor', '--json'], { env: { MERCHANT_BASE_URL: address } });
      expect(out).toContain('has credentials in it');
      expect(out + err).not.toContain('tops3cret');
    }
  });

  describe('the survey', () => {
    const surveyed = async (dialect: Partial<Dialect>) => {
      const sandbox = createSandbox({ seed: 7, dialect });
      await sandbox.listen();
      for (const [at, id] of ['order-1042', 'order-1043', 'order-1044'].entries()) {
        sandbox.create({ external_id: id, amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:9/' });
        await sandbox.advance(`${at + 1}m`);
      }
      await sandbox.pay('order-1044');
      const env = { MERCHANT_BASE_URL: sandbox.url, MERCHANT_API_KEY: sandbox.apiKey };
      const { out, code } = await cli(['doctor', '--json'], { env });
      const text = (await cli(['doctor'], { env })).out;
      const methods = sandbox.requests().map(({ method }) => method);
      await sandbox.close();
      const { survey } = JSON.parse(out) as {
        survey: { point: string; shows: string; client: string; pin: string }[];
      };
      const at = (point: string) => survey.find((each) => each.point === point);
      return { survey, at, out, code, text, methods };
    };

    it('says what a service shows, by reads alone, without a value of it', async () => {
      const { at, out, code, text, methods } = await surveyed({});
      expect([code, new Set(methods)]).toEqual([0, new Set(['GET'])]);
      expect(at('invoices.list order')?.shows).toBe('newest first');
      expect(at('invoices.list page size')?.shows).toBe('as asked for');
      expect(at('withdrawals.list status')).toMatchObject({ shows: 'selects rows', pin: '' });
      expect(at('invoices.get times')?.shows).toContain('ISO 8601 with Z');
      expect(at('webhooks.deliveries names')?.shows).toContain('attempt_log (');
      for (const private_ of ['order-104', '25.00', 'sk_sandbox', '127.0.0.1:9']) expect(out).not.toContain(private_);
      expect(text).toContain('What the interface leaves open, and this service shows');
    });

    it.each<readonly [Partial<Dialect>, string, object]>([
      [{ listOrder: 'oldest' }, 'invoices.list order', { shows: 'oldest first' }],
      [
        { laterVersion: 'some' },
        'members that the interface does not name',
        { shows: expect.stringContaining('invoices.list items.*.'), client: 'keeps them' },
      ],
      [{ readShape: 'named' }, 'webhooks.deliveries names', { shows: expect.stringContaining('attempt_log (') }],
      [
        { withdrawalQuery: 'other' },
        'withdrawals.list status',
        { shows: 'ignored: rows of another status came', pin: 'withdrawalQuery.status' },
      ],
    ])('sees %o', async (dialect, point, found) => {
      expect((await surveyed(dialect)).at(point)).toMatchObject(found);
    });
  });

  it('is code 3 when nobody is there', async () => {
    const url = await service(() => undefined);
    for (const server of servers.splice(0)) await server.close();
    const found = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    expect([found.code, found.wrongIds]).toEqual([3, ['reachable']]);
    expect(found.wrong[0]?.fix).toBe('npx merchant-invoicing sandbox');
  });

  it('finds a redirect, and never sends the key after it', async () => {
    const keys: unknown[] = [];
    const target = await service((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.end('{}');
    });
    const url = await service((_, response) => void response.writeHead(301, { Location: `${target}/new` }).end());
    const found = await diagnosed({ MERCHANT_BASE_URL: url, MERCHANT_API_KEY: KEY });
    expect([found.code, found.wrongIds]).toEqual([1, ['redirects', 'call']]);
    expect(found.wrong[0]?.fix).toBe(`export MERCHANT_BASE_URL=${target}`);
    expect(keys).toEqual([]);
  });

  it.each(BROKEN_ENVIRONMENTS)('says one cause and one remedy: $mistake', async ({ env, listener, code, ...row }) => {
    const sandbox = createSandbox();
    const url = listener === undefined ? (await sandbox.listen()).url : await service(listener ?? (() => undefined));
    if (listener === null) for (const server of servers.splice(0)) await server.close();
    const right = {
      MERCHANT_BASE_URL: url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: 'whsec_sandbox',
    };
    const found = await diagnosed({ ...right, ...(typeof env === 'function' ? env(url) : env) });
    await sandbox.close();
    const told = found.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'advice');
    expect([found.code, told[0]?.text, told[0]?.fix]).toEqual([
      code,
      expect.stringMatching(patternOf(row.finding)),
      expect.stringMatching(patternOf(row.remedy)),
    ]);
    expect(found.out).not.toContain(KEY);
    expect(found.out).not.toContain('whsec_live');
  });
});
