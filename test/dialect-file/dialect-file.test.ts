import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DialectFile } from '../../src/dialect-file/dialect-file.ts';
import { ConfigurationError, MerchantClient } from '../../src/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { memoryStore, signWebhook } from '../../src/webhooks/index.ts';

const point = (value: string | number) => ({ value, seen: 2, at: ['GET /api/v1/external/rates'] });
const fileOf = (values: Readonly<Record<string, string | number>>): DialectFile => ({
  merchantInvoicingDialect: 1,
  package: '0.1.0',
  points: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, point(value)])),
});
const SECRET = 'whsec_of_the_dashboard';
const client = (dialect: DialectFile | string, more: object = {}) =>
  new MerchantClient({ baseUrl: 'https://pay.test', apiKey: 'k', webhookSecret: SECRET, dialect, ...more });

/** What each entry does with a dialect file. */
const ENTRIES: readonly (readonly [string, (dialect: never) => unknown])[] = [
  ['the client', (dialect) => client(dialect)],
  ['the sandbox', (dialect) => createSandbox({ dialect })],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'merchant-dialect-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(ENTRIES)('%s', (_, open) => {
  const problemOf = (dialect: unknown): string => {
    try {
      open(dialect as never); // a caller who writes JavaScript
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as Error).message;
    }
    return 'accepted';
  };

  it('accepts the content and the path of a file', () => {
    const file = fileOf({ withdrawalPage: 'p', signatureEncoding: 'hex' });
    const path = join(folder, 'good.json');
    writeFileSync(path, JSON.stringify(file));
    expect(problemOf(file)).toBe('accepted');
    expect(problemOf(path)).toBe('accepted');
    expect(problemOf(JSON.parse(JSON.stringify(file)))).toBe('accepted');
  });

  it.each<[unknown, string]>([
    [
      { ...fileOf({}), merchantInvoicingDialect: 2 },
      'has the format 2, and this version reads 1: update merchant-invoicing',
    ],
    [
      { ...fileOf({}), merchantInvoicingDialect: '1' },
      'dialect.merchantInvoicingDialect must be 1, not a value of type string',
    ],
    [{ ...fileOf({}), points: [] }, 'dialect.points must be an object, not an array'],
    [{ ...fileOf({}), package: 7 }, 'dialect.package must be the version of the package, not 7'],
    [{ ...fileOf({}), extra: true }, 'dialect has no "extra"'],
    [{ ...fileOf({}), points: { timeForm: 'z' } }, 'dialect.points.timeForm must be an object'],
    [{ ...fileOf({}), points: { timeForm: { value: 'z', seen: 0, at: [] } } }, 'dialect.points.timeForm.seen must be'],
    [{ ...fileOf({}), points: { timeForm: { value: 'z', seen: 1, at: [7] } } }, 'dialect.points.timeForm.at must be'],
    [{ ...fileOf({}), points: { timeForm: { seen: 1, at: [] } } }, 'dialect.points.timeForm must have either value'],
    [{ ...fileOf({}), points: { timeForm: { ...point('z'), raw: 1 } } }, 'dialect.points.timeForm has no "raw"'],
    ['/no/such/file.json', 'dialect: the file "/no/such/file.json" cannot be read'],
  ])('refuses %j', (dialect, problem) => {
    expect(problemOf(dialect)).toContain(problem);
  });

  it('refuses a file that is not JSON', () => {
    const path = join(folder, 'bad.json');
    writeFileSync(path, '{ secret: 7');
    expect(problemOf(path)).toMatch(/^(?:\w+: )?dialect: the file ".*bad\.json" is not JSON\.$/);
  });
});

describe('a foreign file', () => {
  it('is named by the client and the handler', () => {
    expect(() => client({ name: 'other' } as never)).toThrow('dialect is not a dialect file');
  });

  it('has no point or value that the sandbox does not know', () => {
    expect(() => createSandbox({ dialect: fileOf({ moon: 'full' }) })).toThrow('dialect has no "moon"');
    expect(() => createSandbox({ dialect: fileOf({ timeForm: 'sundial' }) })).toThrow(
      'dialect.timeForm must be one of',
    );
  });

  it.each([
    [{ signatureEncoding: 'base32' }, 'dialect.points.signatureEncoding must be one of hex'],
    [{ timestampFormat: 'ticks' }, 'dialect.points.timestampFormat must be one of seconds'],
    [{ withdrawalPage: 'a b' }, 'a name of the withdrawals query must be a word'],
  ] as const)('with %j pins nothing', (values, problem) => {
    expect(() => client(fileOf(values))).toThrow(problem);
  });
});

describe('the pins of a file', () => {
  it('name the withdrawals query, under the names that are given', async () => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(new URL(url).search);
      return Response.json({
        data: { items: [], page: 1, per_page: 5, total_items: 0, total_pages: 0, has_next: false, has_prev: false },
      });
    };
    const file = fileOf({ withdrawalStatus: 'state', withdrawalPage: 'p', withdrawalPageSize: 'limit' });
    await client(file, { fetch }).withdrawals.list({ status: 'approved', page: 1, per_page: 5 });
    await client(file, { fetch, withdrawalQuery: { page: 'page_number' } }).withdrawals.list({ page: 1, per_page: 5 });
    expect(asked).toEqual(['?state=approved&p=1&limit=5', '?page_number=1&limit=5']);
  });

  const paid = (more: object) =>
    JSON.stringify({ invoice_uuid: 'i-1', status: 'success', amount: '25.00', credited_usdt: '27.1', ...more });

  it('read the order id where the file says, in verify and in the handler of the client', async () => {
    const body = paid({ event: 'invoice.paid', order_id: 'order-1' });
    const headers = await signWebhook(body, SECRET);
    const file = fileOf({ orderIdMember: 'order_id' });
    await expect(client(fileOf({})).webhooks.verify(body, headers)).rejects.toMatchObject({
      reason: 'malformed_payload',
    });
    await expect(client(file).webhooks.verify(body, headers)).resolves.toMatchObject({
      type: 'invoice.paid',
      external_id: 'order-1',
    });
    const done: string[] = [];
    const handler = client(file).webhooks.handler({
      store: memoryStore(),
      onPaid: (event) => void done.push(event.external_id),
      onCanceled() {},
    });
    expect((await handler.handle({ method: 'POST', headers, body })).status).toBe(200);
    expect(done).toEqual(['order-1']);
  });

  it('accept no other encoding and no other timestamp, unless an option says so', async () => {
    const body = paid({ external_id: 'order-1' });
    const headers = await signWebhook(body, SECRET, { encoding: 'hex', timestampFormat: 'seconds' });
    const file = fileOf({ signatureEncoding: 'base64url', timestampFormat: 'seconds_fraction' });
    await expect(client(file).webhooks.verify(body, headers)).rejects.toMatchObject({
      reason: 'malformed_signature',
    });
    await expect(client(file).webhooks.verify(body, headers, { encoding: 'hex' })).resolves.toMatchObject({
      external_id: 'order-1',
    });
    const iso = fileOf({ timestampFormat: 'iso_offset' });
    await expect(client(iso).webhooks.verify(body, headers)).rejects.toMatchObject({
      reason: 'malformed_timestamp',
    });
  });
});
