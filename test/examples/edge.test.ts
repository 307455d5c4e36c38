import { DatabaseSync } from 'node:sqlite';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { storeConformance } from 'merchant-invoicing/testing';
import { describe, expect, it } from 'vitest';
import { httpStore, type RunSql, SCHEMA } from '../../examples/edge/http-store.ts';
import worker, { type Env } from '../../examples/edge/worker.ts';

/** SQLite behind the interface of a database over HTTP: one statement for each request. */
function openSql(): { db: DatabaseSync; run: RunSql } {
  const db = new DatabaseSync(':memory:');
  db.exec(SCHEMA);
  db.exec('CREATE TABLE credits (event_key TEXT PRIMARY KEY, order_id TEXT, usdt TEXT)');
  db.exec("CREATE TABLE orders (external_id TEXT PRIMARY KEY, status TEXT DEFAULT 'pending', created_at TEXT)");
  return { db, run: async (sql, values) => db.prepare(sql).all(...values) };
}

describe('examples/edge/http-store.ts', () => {
  const { run } = openSql();
  const checks = storeConformance(() => httpStore(run));
  it.each(checks.map(({ name, run }) => [name, run] as const))('%s', (_, check) => check());
});

describe('examples/edge/worker.ts', () => {
  it('credits a payment once, and catches up', async () => {
    const { db, run } = openSql();
    const prepare = (sql: string) => ({
      bind: (...values: readonly (string | number)[]) => ({
        all: async () => ({ results: [...(await run(sql, values))] }),
      }),
    });
    let isDown = false;
    const fetch = async (url: string, init: RequestInit) =>
      isDown ? new Response(null, { status: 502 }) : worker.fetch(new Request(url, init), env);
    const sandbox = createSandbox({ fetch });
    const env: Env = {
      DB: { prepare },
      MERCHANT_BASE_URL: (await sandbox.listen()).url,
      MERCHANT_API_KEY: sandbox.apiKey,
      MERCHANT_WEBHOOK_SECRET: sandbox.webhookSecret,
    };
    for (const external_id of ['order-1', 'order-2']) {
      db.prepare('INSERT INTO orders (external_id) VALUES (?)').run(external_id);
      await sandbox.fetch(`${sandbox.url}/api/v1/external/invoices`, {
        method: 'POST',
        headers: { 'X-Api-Key': sandbox.apiKey },
        body: JSON.stringify({
          external_id,
          customer_id: 'c-7',
          amount: '25.00',
          currency: 'EUR',
          callback_url: 'http://localhost/webhook',
        }),
      });
    }
    await sandbox.pay('order-1');
    await sandbox.resend('order-1');
    isDown = true;
    await sandbox.pay('order-2');
    await worker.scheduled(null, env);
    await sandbox.close();
    expect(db.prepare('SELECT order_id, usdt FROM credits ORDER BY order_id').all()).toEqual([
      { order_id: 'order-1', usdt: '26.861298' },
      { order_id: 'order-2', usdt: '26.861298' },
    ]);
    expect((await worker.fetch(new Request('http://localhost/'), env)).status).toBe(404);
  });
});
