import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import {
  createWebhookHandler,
  type InvoicePaidEvent,
  memoryStore,
  postgresStore,
  redisStore,
  sqliteStore,
  type WebhookContext,
  type WebhookStore,
} from '../../src/webhooks/index.ts';
import { type Counts, countPool, countRedis, countSqlite } from '../../test/support/driver-counts.ts';
import { temporaryFolder } from '../../test/support/engine-process.ts';
import { startEngines } from '../../test/support/engines.ts';
import { openPool } from '../../test/support/postgres.ts';
import { byHandInMemory, byHandInPostgres, byHandInRedis, byHandInSqlite, type HandMade } from './by-hand.ts';
import type { Delivery } from './run.ts';

/** One receiver: a store, and what its function does. */
export interface ReceiverRow {
  readonly name: string;
  readonly counts: Counts;
  deliver(delivery: Delivery): Promise<unknown>;
  /** How often the business function ran. */
  fulfilled(): number;
}

const NOTHING: Counts = { statements: 0, roundTrips: 0 };
const CREDITS = 'CREATE TABLE IF NOT EXISTS credits (order_id TEXT, usdt TEXT)';
type OnPaid<Extra> = (event: InvoicePaidEvent, context: WebhookContext & Extra) => unknown;

/** Opens every row whose engine is installed. */
export async function openRows(secret: string): Promise<{ rows: ReceiverRow[]; close(): Promise<void> }> {
  const rows: ReceiverRow[] = [];
  const ends: (() => unknown)[] = [];
  const packaged = <Extra extends object>(
    name: string,
    counts: Counts,
    store: WebhookStore<Extra>,
    work: OnPaid<Extra>,
  ): void => {
    let fulfilled = 0;
    const onPaid = async (event: InvoicePaidEvent, context: WebhookContext & Extra): Promise<void> => {
      await work(event, context);
      fulfilled += 1;
    };
    const handler = createWebhookHandler<Extra>({ secret, store, onPaid, onCanceled: () => {} });
    const deliver = async ({ body, headers }: Delivery): Promise<void> => {
      const { status } = await handler.handle({ method: 'POST', headers, body });
      if (status !== 200) throw new Error(`${name} answered ${status}`);
    };
    rows.push({ name, counts, deliver, fulfilled: () => fulfilled });
  };
  const handMade = (name: string, counts: Counts, make: HandMade): void => {
    let fulfilled = 0;
    const deliver = make(secret, () => {
      fulfilled += 1;
    });
    rows.push({ name, counts, deliver, fulfilled: () => fulfilled });
  };

  packaged('memoryStore', NOTHING, memoryStore({ maxEntries: 1_000_000 }), () => {});
  handMade('a Set, by hand', NOTHING, byHandInMemory());

  const { folder, remove } = temporaryFolder('bench-receiver');
  ends.push(remove);
  const drivers = { 'node:sqlite': DatabaseSync, 'better-sqlite3': Database };
  for (const [name, Driver] of Object.entries(drivers)) {
    const open = () => {
      const db = new Driver(join(folder, `${rows.length}.db`));
      db.exec('PRAGMA journal_mode = WAL');
      db.exec(CREDITS);
      ends.push(() => db.close());
      return { db, counts: countSqlite(db) };
    };
    const insert = 'INSERT INTO credits VALUES (?, ?)';
    const [inside, outside, hand] = [open(), open(), open()];
    const store = sqliteStore(inside.db);
    await store.migrate();
    packaged(`sqliteStore, ${name}, context.commit`, inside.counts, store, (event, { commit }) =>
      commit((db) => db.prepare(insert).run(event.external_id, event.credited_usdt.toFixed())),
    );
    const plain = sqliteStore(outside.db);
    await plain.migrate();
    packaged(`sqliteStore, ${name}, without`, outside.counts, plain, (event) =>
      outside.db.prepare(insert).run(event.external_id, event.credited_usdt.toFixed()),
    );
    handMade(`${name}, by hand`, hand.counts, byHandInSqlite(hand.db));
  }

  const engines = await startEngines();
  ends.push(() => engines.stop());
  if (engines.postgres.missing === null) {
    const address = engines.postgres.connection;
    const open = async () => {
      const pool = openPool({ ...address, max: 4 });
      ends.push(() => pool.end());
      const counts = countPool(pool);
      await pool.query(CREDITS);
      return { pool, counts };
    };
    const insert = 'INSERT INTO credits VALUES ($1, $2)';
    const [inside, outside, hand] = [await open(), await open(), await open()];
    const store = postgresStore(inside.pool, { table: 'with_tx' });
    await store.migrate();
    packaged('postgresStore, context.tx', inside.counts, store, (event, { tx }) =>
      tx.query(insert, [event.external_id, event.credited_usdt.toFixed()]),
    );
    const { run: _run, ...plain } = postgresStore(outside.pool, { table: 'without_tx' });
    await postgresStore(outside.pool, { table: 'without_tx' }).migrate();
    packaged('postgresStore without run', outside.counts, plain, (event) =>
      outside.pool.query(insert, [event.external_id, event.credited_usdt.toFixed()]),
    );
    handMade('PostgreSQL, by hand', hand.counts, await byHandInPostgres(hand.pool));
  }
  if (engines.redis.missing === null) {
    const path = engines.redis.connection;
    const io = new Redis({ path });
    const node = await createClient({ socket: { path, tls: false } }).connect();
    ends.push(
      () => io.quit(),
      () => node.close(),
    );
    packaged('redisStore, ioredis', countRedis(io, 'sendCommand'), redisStore(io, { prefix: 'io:' }), () => {});
    packaged('redisStore, redis', countRedis(node, 'eval'), redisStore(node, { prefix: 'node:' }), () => {});
    const hand = new Redis({ path });
    ends.push(() => hand.quit());
    handMade('ioredis, by hand', countRedis(hand, 'sendCommand'), byHandInRedis(hand));
  }
  return {
    rows,
    async close() {
      for (const end of ends.reverse()) await end();
    },
  };
}
