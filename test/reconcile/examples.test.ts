import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool, startPostgres } from '../support/postgres.ts';
import { testSandbox } from '../support/test-sandbox.ts';

// The nightly jobs of examples/reconcile, each as a process of its own over the built package and a real engine.

const FOLDER = fileURLToPath(new URL('../../examples/reconcile', import.meta.url));
const TABLES = `CREATE TABLE orders (
  id TEXT PRIMARY KEY, amount NUMERIC_TYPE NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL,
  created_at TIME_TYPE NOT NULL, changed_at TIME_TYPE NOT NULL);
  CREATE TABLE payments (order_id TEXT NOT NULL, credited_usdt NUMERIC_TYPE NOT NULL);
  INSERT INTO payments VALUES ('shipped', '26'), ('shipped', '0.861298')`;
const DAY = 86_400_000;

const engine = await startPostgres();
if (engine.missing !== null) console.warn(`Tests are skipped: ${engine.missing}`);
afterAll(async () => {
  if (engine.missing === null) await engine.stop();
});

/** A service with three paid orders of three days ago, and one of a month ago. */
async function service() {
  const order = { customer_id: 'c', amount: '25.00', currency: 'EUR', status: 'success' as const };
  const invoices = ['shipped', 'missed', 'stranger'].map((external_id) => ({ ...order, external_id, age: '3d' }));
  const sandbox = testSandbox({
    seed: 7,
    seedData: { invoices: [...invoices, { ...order, external_id: 'old', age: '30d' }] },
  });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  return { PATH: process.env['PATH'] ?? '', MERCHANT_BASE_URL: url, MERCHANT_API_KEY: sandbox.apiKey };
}

/** The rows of the shop: one that is shipped, one whose payment it has missed. */
const ROWS = [
  ['shipped', '25.00', 'EUR', 'paid'],
  ['missed', '25.00', 'EUR', 'pending'],
  ['gone', '25.00', 'EUR', 'canceled'],
  ['lost', '25.00', 'EUR', 'sent_to_mars'],
  ['cart', '25.00', 'EUR', 'new'],
  ['old', '25.00', 'EUR', 'pending'],
].map((row) => {
  const at = new Date(Date.now() - (row[0] === 'old' ? 30 : 3) * DAY).toISOString();
  return [...row, at, at];
});

async function ran(file: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [join(FOLDER, file)], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const [code] = await once(child, 'close');
  const lines = out.trimEnd().split('\n');
  return { code, err, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function expectFindings({ code, err, lines }: Awaited<ReturnType<typeof ran>>): void {
  expect([code, err]).toEqual([1, '']);
  expect(lines.pop()).toEqual({ matched: 2, findings: 2, notCompared: 1 });
  const named = lines.splice(
    lines.findIndex(({ kind }) => kind === 'not_compared'),
    1,
  );
  expect(named).toEqual([
    expect.objectContaining({ external_id: 'lost', problem: expect.stringContaining('not "sent_to_mars"') }),
  ]);
  const told = lines.map(({ external_id, kind, confirmed }) => [external_id, kind, confirmed]);
  expect(told.sort()).toEqual([
    ['missed', 'paid_not_fulfilled', true],
    ['stranger', 'invoice_without_order', true],
  ]);
}

describe('examples/reconcile', () => {
  it('sqlite.ts finds what is wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rec-examples-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'shop.db');
    const db = new DatabaseSync(path);
    db.exec(TABLES.replaceAll('NUMERIC_TYPE', 'TEXT').replaceAll('TIME_TYPE', 'TEXT'));
    for (const row of ROWS) db.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)').run(...row);
    db.close();
    expectFindings(await ran('sqlite.ts', { ...(await service()), SHOP_DB: path }));
  });

  it('postgres.ts finds what is wrong', async ({ skip }) => {
    if (engine.missing !== null) return skip(engine.missing);
    const { host, user, database } = engine.connection;
    const pool = openPool(engine.connection);
    onTestFinished(() => pool.end());
    await pool.query(TABLES.replaceAll('NUMERIC_TYPE', 'NUMERIC(38, 18)').replaceAll('TIME_TYPE', 'TIMESTAMPTZ'));
    for (const row of ROWS) await pool.query('INSERT INTO orders VALUES ($1, $2, $3, $4, $5, $6)', row);
    expectFindings(
      await ran('postgres.ts', { ...(await service()), PGHOST: host, PGUSER: user, PGDATABASE: database }),
    );
  });
});
