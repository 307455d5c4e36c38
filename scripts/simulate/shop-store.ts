import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type Claim,
  memoryStore,
  postgresStore,
  type SqliteDatabase,
  sqliteStore,
  type WebhookContext,
  type WebhookStore,
} from '../../src/webhooks/index.ts';
import { type Counts, countPool, countSqlite } from '../../test/support/driver-counts.ts';
import { temporaryFolder } from '../../test/support/engine-process.ts';
import { openPool, startPostgres } from '../../test/support/postgres.ts';
import type { EventClock } from './event-clock.ts';

export const STORES = ['memory', 'sqlite', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];
/** The members that the stores add to the context: `commit` with SQLite, `tx` with PostgreSQL, and nothing in memory. */
export interface Extra {
  readonly commit?: (work: (db: SqliteDatabase) => void) => Promise<void>;
  readonly tx?: { query(text: string, values: unknown[]): Promise<unknown> };
}

/** A shop: the store of its receivers, and the table of its credits. */
export interface ShopStore {
  readonly store: WebhookStore<Extra>;
  /** Statements that the store and the credits have cost. Null in memory. */
  readonly counts: Counts | null;
  /** Called before the work: true if an earlier attempt that did not end has credited the order. */
  isCredited(order: string, context: WebhookContext): boolean;
  /** Credits an order, exactly once where the store has a transaction. */
  credit(order: string, context: WebhookContext & Extra): Promise<void>;
  /** Orders with the number of their credits. */
  credits(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** Opens an empty store whose leases use the virtual clock. Throws if its engine is not installed. */
export async function openShopStore(name: StoreName, clock: EventClock, connections: number): Promise<ShopStore> {
  if (name === 'memory') return inMemory(clock);
  return name === 'sqlite' ? await inSqlite(clock) : await inPostgres(clock, connections);
}

function inMemory({ now }: EventClock): ShopStore {
  const credits = new Map<string, number>();
  return {
    store: memoryStore({ maxEntries: 10_000_000, now }),
    counts: null,
    // As the documentation asks for: a function that takes over looks whether its work is done.
    isCredited: (order, { takenOver }) => takenOver && credits.has(order),
    async credit(order) {
      credits.set(order, (credits.get(order) ?? 0) + 1);
    },
    credits: async () => credits,
    close: async () => {},
  };
}

async function inSqlite({ now }: EventClock): Promise<ShopStore> {
  const { folder, remove } = temporaryFolder('simulate');
  const db = new DatabaseSync(join(folder, 'shop.db'));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE credits (order_id TEXT)');
  const store = sqliteStore(db, { now });
  await store.migrate();
  const rows = db.prepare('SELECT order_id, count(*) AS count FROM credits GROUP BY order_id');
  return {
    store,
    counts: countSqlite(db),
    isCredited: () => false,
    async credit(order, { commit }) {
      await commit?.(() => void db.prepare('INSERT INTO credits VALUES (?)').run(order));
    },
    credits: async () => new Map(rows.all().map(({ order_id, count }) => [String(order_id), Number(count)])),
    async close() {
      db.close();
      remove();
    },
  };
}

const CLOCK_SCHEMA = `CREATE SCHEMA virtual;
CREATE TABLE virtual.clock (now timestamptz NOT NULL);
INSERT INTO virtual.clock VALUES ('epoch');
CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now FROM virtual.clock';
CREATE TABLE credits (order_id text)`;
/** Leases last 50 seconds, so the clock of the database may be late by this. */
const LATE = 500;

/** PostgreSQL with a virtual clock: its store asks the database for the time, and finds this function first. */
async function inPostgres(clock: EventClock, connections: number): Promise<ShopStore> {
  const engine = await startPostgres();
  if (engine.missing !== null) throw new Error(engine.missing);
  const settings = openPool({ ...engine.connection, max: 1 });
  await settings.query(CLOCK_SCHEMA);
  const options = '-c search_path=virtual,public,pg_catalog';
  const pool = openPool({ ...engine.connection, max: connections, options });
  const counts = countPool(pool);
  const inner = postgresStore(pool, { table: 'public.events' });
  await inner.migrate();
  let shown = Number.NEGATIVE_INFINITY;
  const setClock = async (): Promise<void> => {
    if (clock.now() - shown < LATE) return;
    shown = clock.now();
    await settings.query(`UPDATE virtual.clock SET now = to_timestamp($1)`, [shown / 1000]);
  };
  const store: WebhookStore<Extra> = {
    retention: null,
    claim: async (request) => {
      await setClock();
      return await inner.claim(request);
    },
    renew: async (claim, lease) => {
      await setClock();
      return await inner.renew(claim, lease);
    },
    complete: inner.complete,
    release: inner.release,
    run: async (claim: Claim, work) => await inner.run(claim, work),
  };
  return {
    store,
    counts,
    isCredited: () => false,
    async credit(order, { tx }) {
      await clock.real(async () => await tx?.query('INSERT INTO credits VALUES ($1)', [order]));
    },
    async credits() {
      const { rows } = await pool.query('SELECT order_id, count(*)::int AS count FROM credits GROUP BY order_id');
      return new Map(rows.map(({ order_id, count }) => [String(order_id), Number(count)]));
    },
    async close() {
      await pool.end();
      await settings.end();
      await engine.stop();
    },
  };
}
