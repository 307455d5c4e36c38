import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresStore, redisStore, sqliteStore, type WebhookStore } from '../../../src/webhooks/index.ts';
import { type Counts, countPool, countRedis, countSqlite } from '../../support/driver-counts.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { endpoint, send } from '../endpoint.ts';
import { openBetterSqlite3 } from './better-sqlite3.ts';

// What each delivery costs at the engine. A change that makes a delivery ask more often fails here. The business function
// makes one write in each case, except for Redis, which gives it no transaction.

const engines = await startEngines();
const files = temporaryFolder('round-trips');
const BetterSqlite3 = await openBetterSqlite3();
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await engines.stop();
  files.remove();
});

/** The cost of the first delivery of an event, and of its repeat. */
async function costs(store: WebhookStore, onPaid: unknown, counts: Counts): Promise<{ first: Counts; repeat: Counts }> {
  const shop = endpoint({ store, onPaid } as never); // its options know stores without additions only
  const cost = async (answer: string): Promise<Counts> => {
    const { statements, roundTrips } = counts;
    expect(await send(shop)).toMatchObject({ status: 200, body: answer });
    return { statements: counts.statements - statements, roundTrips: counts.roundTrips - roundTrips };
  };
  return { first: await cost('done'), repeat: await cost('duplicate') };
}

describe('over PostgreSQL', () => {
  const open = async (table: string) => {
    if (engines.postgres.missing !== null) throw new Error(engines.postgres.missing);
    const pool = openPool({ ...engines.postgres.connection, max: 1 });
    ends.push(() => pool.end());
    const counts = countPool(pool);
    const store = postgresStore(pool, { table });
    await store.migrate();
    await pool.query(`CREATE TABLE credits_${table} (usdt text)`);
    return { store, counts, write: `INSERT INTO credits_${table} VALUES ('26.91')` };
  };

  it('a first delivery asks five times with its write in context.tx, and a repeat once', async ({ skip }) => {
    if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
    const { store, counts, write } = await open('with_tx');
    const onPaid = (_event: unknown, { tx }: { tx: { query(text: string): unknown } }) => tx.query(write);
    expect(await costs(store, onPaid, counts)).toEqual({
      first: { statements: 5, roundTrips: 5 }, // claim, BEGIN, the write, completion, COMMIT
      repeat: { statements: 1, roundTrips: 1 },
    });
  });

  it('a first delivery asks twice without a transaction, and a repeat once', async ({ skip }) => {
    if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
    const { store, counts } = await open('without_tx');
    const { run: _run, ...plain } = store;
    expect(await costs(plain, () => {}, counts)).toEqual({
      first: { statements: 2, roundTrips: 2 }, // claim, completion
      repeat: { statements: 1, roundTrips: 1 },
    });
  });
});

describe('over Redis', () => {
  const clients = {
    ioredis: () => {
      const client = new Redis({ path: engines.redis.missing === null ? engines.redis.connection : '' });
      ends.push(() => client.quit());
      return { client, counts: countRedis(client, 'eval') };
    },
    'node-redis': async () => {
      const path = engines.redis.missing === null ? engines.redis.connection : '';
      const client = await createClient({ socket: { path, tls: false } }).connect();
      ends.push(() => client.close());
      return { client, counts: countRedis(client, 'eval') };
    },
  };
  it.for(Object.entries(clients))(
    'of %s a first delivery asks twice, and a repeat once',
    async ([name, open], { skip }) => {
      if (engines.redis.missing !== null) return skip(engines.redis.missing);
      const { client, counts } = await open();
      expect(await costs(redisStore(client, { prefix: `${name}:` }), () => {}, counts)).toEqual({
        first: { statements: 2, roundTrips: 2 }, // claim, completion
        repeat: { statements: 1, roundTrips: 1 },
      });
    },
  );
});

describe('over SQLite', () => {
  const drivers = {
    'node:sqlite': (file: string) => new DatabaseSync(file),
    'better-sqlite3': (file: string) => BetterSqlite3?.(file, { timeout: 0 }) ?? null,
  };
  const write = "INSERT INTO credits VALUES ('26.91')";

  it.for(Object.entries(drivers))(
    'of %s a repeat is one query, without the lock for writing',
    async ([name, open], { skip }) => {
      const db = open(join(files.folder, `${name.replace(':', '-')}.db`));
      if (db === null) return skip('the native part of better-sqlite3 does not load here');
      ends.push(() => db.close());
      const store = sqliteStore(db);
      await store.migrate();
      db.exec('CREATE TABLE credits (usdt TEXT)');
      const counts = countSqlite(db);
      const onPaid = (_event: unknown, { commit }: { commit(work: () => unknown): unknown }) =>
        commit(() => db.exec(write));
      expect(await costs(store, onPaid, counts)).toEqual({
        // Claim: PRAGMA, SELECT, BEGIN, INSERT, COMMIT. Commit: PRAGMA, BEGIN, UPDATE, the write, COMMIT.
        first: { statements: 10, roundTrips: 0 },
        repeat: { statements: 2, roundTrips: 0 }, // PRAGMA busy_timeout, SELECT
      });
    },
  );
});
