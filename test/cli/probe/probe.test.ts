import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDialectFile, valuesOf } from '../../../src/dialect-file/dialect-file.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../../../src/sandbox/index.ts';
import { type Account, livedInAccount } from '../../probe/account.ts';
import { type Relay, relayTo } from '../../probe/relay.ts';
import { cli } from '../command-line.ts';

const fail = (problem: string): never => {
  throw new Error(problem);
};
let folder: string;
let file: string;
let account: Account;
let relay: Relay;

async function service(dialect: Partial<Dialect> = {}): Promise<void> {
  account = await livedInAccount(dialect);
  relay = await relayTo(account.sandbox);
}

function probe(...flags: string[]) {
  const env = { MERCHANT_BASE_URL: relay.url, MERCHANT_API_KEY: account.sandbox.apiKey };
  return cli(['probe', '--file', file, '--pace', '0', ...flags], { env });
}

const written = () => readDialectFile(file, fail);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchant-probe-'));
  file = join(folder, 'dialect.json');
});
afterEach(async () => {
  await relay?.close();
  await account?.sandbox.close();
  rmSync(folder, { recursive: true });
});

describe('probe', () => {
  it('makes nothing but GETs, each shown before it is made, and never shows the key', async () => {
    await service();
    const { code, out } = await probe();
    expect(code).toBe(0);
    expect(relay.asked.every((line) => line.startsWith('GET '))).toBe(true);
    expect(relay.asked.length).toBeGreaterThan(20);
    expect(relay.asked.length).toBeLessThan(60);
    expect(out.match(/^ +\d+ {2}GET /gm)).toHaveLength(relay.asked.length);
    expect(out).not.toContain(account.sandbox.apiKey);
    expect(relay.keys.filter((key) => key !== account.sandbox.apiKey)).toHaveLength(1);
  });

  it.each([
    ['--create', [], /^POST \/api\/v1\/external\/invoices$/],
    ['--conflict', ['order-paid'], /^POST \/api\/v1\/external\/invoices$/],
    ['--resend', ['order-paid'], /^POST \/api\/v1\/external\/invoices\/order-paid\/resend-webhook$/],
  ] as const)('%s adds one POST, with a warning before it', async (flag, words, post) => {
    await service();
    const { out } = await probe(flag, ...words);
    expect(relay.asked.filter((line) => !line.startsWith('GET '))).toEqual([expect.stringMatching(post)]);
    expect(out.indexOf(flag)).toBeLessThan(out.indexOf('GET '));
    expect(out.indexOf(flag)).toBeGreaterThanOrEqual(0);
  });

  it('creates nothing for a --conflict with an order that does not exist', async () => {
    await service();
    const { out } = await probe('--conflict', 'no-such-order');
    expect(relay.asked.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(out).toContain('? conflictStatus');
  });

  it('lists its requests with --dry-run, and makes none', async () => {
    await service();
    const { code, out } = await probe('--dry-run', '--resend', 'order-paid');
    expect([code, relay.asked]).toEqual([0, []]);
    expect(out).toContain('  GET  /api/v1/external/invoices/{uuid}\n');
    expect(out).toContain('  POST /api/v1/external/invoices/{ident}/resend-webhook\n');
    expect(existsSync(file)).toBe(false);
  });

  it('writes a file of words of the tables, counts and templates', async () => {
    await service({ listOrder: 'oldest', withdrawalPage: 'p' });
    await probe();
    const { points } = written();
    const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
    for (const [name, { value, seen, at }] of Object.entries(points)) {
      if (value !== undefined) expect(table[name]?.values).toContain(value);
      expect(seen).toBeGreaterThan(0);
      for (const template of at) expect(template).toMatch(/^GET \/api\/v1\/external\/[a-z-]+/);
    }
    expect(valuesOf(written())).toMatchObject({ listOrder: 'oldest', withdrawalPage: 'p' });
  });

  it('adds to what the file knows', async () => {
    await service({ createStatus: 202 });
    await probe();
    const before = written().points;
    expect(before['createStatus']).toBeUndefined();
    await probe('--create');
    const { points } = written();
    expect(points['createStatus']).toMatchObject({ value: 202, seen: 1 });
    expect(points['authStatus']?.seen).toBe((before['authStatus']?.seen ?? 0) + 1);
    await probe();
    expect(written().points['createStatus']).toMatchObject({ value: 202, seen: 1 });
  });

  it('compares with the file in --check, which changes nothing and ends with 1 for a difference', async () => {
    await service({ listOrder: 'oldest' });
    await probe();
    const text = readFileSync(file, 'utf8');
    expect((await probe('--check')).code).toBe(0);
    await relay.close();
    await service({ listOrder: 'newest' });
    const { code, out } = await probe('--check');
    expect(code).toBe(1);
    expect(out).toContain('listOrder is newest, and the file said oldest');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('prints one JSON object with --json', async () => {
    await service();
    const { code, out } = await probe('--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      stop: null,
      points: { authStatus: { kind: 'known', value: 401, seen: 1 }, createStatus: { kind: 'unseen', need: 'create' } },
      plan: expect.arrayContaining([expect.objectContaining({ points: expect.arrayContaining(['createStatus']) })]),
    });
  });

  it('obeys a rate limit in the middle, and records it', async () => {
    await service({ retryAfterForm: 'seconds', rateLimitCode: 'THROTTLED' });
    account.sandbox.faults.next({ type: 'rate_limit', retryAfter: 1 }, { operation: 'withdrawals.list' });
    const { code, out } = await probe();
    expect(code).toBe(0);
    expect(out).toContain('the service limits the rate: the next request is made in 2 s');
    const lists = relay.asked.filter((line) => line === 'GET /api/v1/external/withdrawals');
    expect(lists).toHaveLength(2);
    expect(valuesOf(written())).toMatchObject({
      rateLimitStatus: 429,
      rateLimitCode: 'THROTTLED',
      retryAfterForm: 'seconds',
    });
  });

  it('ends at a wait of many minutes, with what it has learned', async () => {
    await service();
    account.sandbox.faults.next({ type: 'rate_limit', retryAfter: 3_600 }, { operation: 'withdrawals.list' });
    const { code, out } = await probe();
    expect(code).toBe(1);
    expect(out).toContain('the service asks for a long wait');
    expect(valuesOf(written())).toMatchObject({ rateLimitStatus: 429, invoiceRead: 'envelope' });
  });
});

describe('misuse of probe', () => {
  it('is a key that the service refuses: code 1, and no file', async () => {
    await service();
    const env = { MERCHANT_BASE_URL: relay.url, MERCHANT_API_KEY: 'another' };
    const { code, err } = await cli(['probe', '--file', file], { env });
    expect(code).toBe(1);
    expect(err).toContain('HTTP 401');
    expect(relay.asked).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['no JSON', 'no', 'is not JSON'],
    ['no dialect file', '{}', 'has no merchantInvoicingDialect'],
    ['a newer format', '{"merchantInvoicingDialect":2}', 'format 2'],
    ['an unknown point', fileWith({ moon: { value: 'full', seen: 1, at: [] } }), 'dialect has no "moon"'],
    [
      'an unknown value',
      fileWith({ listOrder: { value: 'random', seen: 1, at: [] } }),
      'dialect.listOrder must be one of',
    ],
  ])('is a file with %s, which is left as it is', async (_, text, problem) => {
    await service();
    writeFileSync(file, text);
    const { code, err } = await probe();
    expect(code).toBe(2);
    expect(err).toContain(problem);
    expect(relay.asked).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is --check with a writing option', async () => {
    await service();
    expect((await probe('--check', '--create')).code).toBe(2);
    expect(relay.asked).toEqual([]);
  });
});

function fileWith(points: object): string {
  return JSON.stringify({ merchantInvoicingDialect: 1, package: '0.1.0', points });
}
