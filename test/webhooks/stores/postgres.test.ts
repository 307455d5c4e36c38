import { PGlite } from '@electric-sql/pglite';
import { Client, type Pool } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, type PostgresStoreOptions, postgresStore } from '../../../src/webhooks/index.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { deferred, endpoint, send } from '../endpoint.ts';

const engines = await startEngines();
const pglite = new PGlite();
const pool: Pool | null =
  engines.postgres.missing === null ? openPool({ ...engines.postgres.connection, max: 4 }) : null;
afterAll(async () => {
  await pool?.end();
  await pglite.close();
  await engines.stop();
});

const TABLES = 'DROP TABLE IF EXISTS merchant_webhook_events, credits; CREATE TABLE credits (usdt text)';
const INSERT = "INSERT INTO credits VALUES ('26.91')";
const A = { key: 'k:paid', digest: 'd', signal: new AbortController().signal };
const nothing = async (): Promise<void> => {};
type Tx = { query(text: string): Promise<{ rows: unknown[] }> };
type Paid = (event: unknown, context: { readonly tx: Tx; readonly dedupeKey: string }) => unknown;

interface Bench {
  readonly store: ReturnType<typeof postgresStore<PGlite | Pool>>;
  credits(): Promise<number>;
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

async function benchOf(database: Pool | PGlite, options?: PostgresStoreOptions): Promise<Bench> {
  const query = (text: string): Promise<{ readonly rows: readonly unknown[] }> =>
    database instanceof PGlite ? database.query(text) : database.query(text);
  for (const statement of TABLES.split(';')) await query(statement);
  const store = postgresStore(database, options);
  await store.migrate();
  return {
    store,
    credits: async () => (await query('SELECT * FROM credits')).rows.length,
    query,
  };
}

describe.each([
  ['PGlite', pglite, null],
  ['a pg Pool', pool, engines.postgres.missing],
] as const)('context.tx of %s', (_name, database, missing) => {
  let bench: Bench;
  beforeEach(async ({ skip }) => {
    if (database === null) return skip(missing ?? '');
    bench = await benchOf(database);
  });

  const at = (onPaid: Paid) => endpoint({ store: bench.store, onPaid } as never); // its options know plain stores only

  it('holds the write and the completion, or neither', async () => {
    const receiver = at((_event, { tx }) => tx.query(INSERT));
    expect(await send(receiver)).toMatchObject({ status: 200 });
    expect(await send(receiver)).toMatchObject({ status: 200 });
    expect(await bench.credits()).toBe(1);
    expect(receiver.reasons()).toEqual(['duplicate']);
  });

  it('rolls back what throws, and gives the claim back', async () => {
    let times = 0;
    const receiver = at(async (_event, { tx }) => {
      times += 1;
      await tx.query(INSERT);
      if (times === 1) throw new Error('no such account');
    });
    expect(await send(receiver)).toMatchObject({ status: 500 });
    expect(await bench.credits()).toBe(0);
    expect(await send(receiver)).toMatchObject({ status: 200 });
    expect(await bench.credits()).toBe(1);
  });

  it('keeps nothing when a statement failed, though the function went on', async () => {
    const work = bench.store.runOnce(A, async ({ tx }) => {
      await (tx as Tx).query(INSERT);
      await (tx as Tx).query('SELECT 1 FROM nowhere').catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await bench.credits()).toBe(0);
    expect(await bench.store.runOnce(A, nothing)).toEqual({ state: 'committed' });
  });
});

describe.each([
  ['PGlite', pglite, null],
  ['PostgreSQL', pool, engines.postgres.missing],
] as const)('on %s', (_name, database, missing) => {
  const need = (skip: (reason: string) => unknown) => database ?? skip(missing ?? '');

  it('names the way out where the table is missing', async ({ skip }) => {
    const given = need(skip) as PGlite;
    await given.query('DROP TABLE IF EXISTS merchant_webhook_events');
    const store = postgresStore(given);
    await expect(store.runOnce(A, nothing)).rejects.toThrow(ConfigurationError);
    await expect(store.runOnce(A, nothing)).rejects.toThrow('run store.migrate() once');
  });

  it('cleans up what is older than the retention, and nothing else', async ({ skip }) => {
    const { store, query } = await benchOf(need(skip) as PGlite, { retention: 2_592_000_000 });
    for (const key of ['old', 'young']) await store.runOnce({ ...A, key }, nothing);
    const age = (days: number, key: string) =>
      query(`UPDATE merchant_webhook_events SET done_at = now() - interval '${days} days' WHERE event_key = '${key}'`);
    await age(31, 'old');
    await age(29, 'young');
    expect(await store.cleanUp()).toBe(1);
    expect(await store.runOnce({ ...A, key: 'young' }, nothing)).toEqual({ state: 'done', digest: 'd' });
    expect(await store.runOnce({ ...A, key: 'old' }, nothing)).toEqual({ state: 'committed' });
    await query(store.cleanUpStatement ?? '');
    await query(store.schema);
  });

  it('keeps for ever by default, and says so', async ({ skip }) => {
    const { store } = await benchOf(need(skip) as PGlite);
    expect(store).toMatchObject({ retention: null, cleanUpStatement: null });
    await expect(store.cleanUp()).rejects.toThrow(ConfigurationError);
  });
});

// The table of the first form, which had leases.
const VERSION_1 = `CREATE TABLE merchant_webhook_events (event_key text PRIMARY KEY, owner text NOT NULL, digest text NOT NULL,
  previous_digest text, lease_end timestamptz NOT NULL, done_at timestamptz)`;

describe.each([
  ['PGlite', pglite, null],
  ['PostgreSQL', pool, engines.postgres.missing],
] as const)('a table of version 1 on %s', (_name, database, missing) => {
  const old = async (skip: (reason: string) => unknown, rows: string) => {
    const given = (database ?? skip(missing ?? '')) as PGlite;
    for (const text of ['DROP TABLE IF EXISTS merchant_webhook_events', VERSION_1]) await given.query(text);
    await given.query(
      `INSERT INTO merchant_webhook_events (event_key, owner, digest, lease_end, done_at) VALUES ${rows}`,
    );
    return postgresStore(given);
  };
  const DONE = "('done', 'o', 'd', now(), now())";

  it('is refused until it is migrated, and its records without done_at are not done', async ({ skip }) => {
    const store = await old(skip, `${DONE}, ('dead', 'o', 'd', now() - interval '1 hour', NULL)`);
    await expect(store.runOnce({ ...A, key: 'dead' }, nothing)).rejects.toThrow('earlier version');
    expect(await store.migrate()).toEqual({ from: 1, unfinished: 1 });
    expect(await store.runOnce({ ...A, key: 'done' }, nothing)).toEqual({ state: 'done', digest: 'd' });
    expect(await store.runOnce({ ...A, key: 'dead' }, nothing)).toEqual({ state: 'committed' });
    expect(await store.migrate()).toEqual({ from: 2, unfinished: 0 });
  });

  it('is not migrated while one of its events runs', async ({ skip }) => {
    const store = await old(skip, `${DONE}, ('running', 'o', 'd', now() + interval '1 minute', NULL)`);
    await expect(store.migrate()).rejects.toThrow('still running');
    await expect(store.runOnce({ ...A, key: 'done' }, nothing)).rejects.toThrow('earlier version');
  });

  it('that is not there is made, once by many processes', async ({ skip }) => {
    const given = (database ?? skip(missing ?? '')) as PGlite;
    await given.query('DROP TABLE IF EXISTS merchant_webhook_events');
    const made = await Promise.all(Array.from({ length: 4 }, () => postgresStore(given).migrate()));
    expect(made).toContainEqual({ from: null, unfinished: 0 });
  });
});

describe('a pg Pool', () => {
  beforeEach(({ skip }) => {
    if (pool === null) skip(engines.postgres.missing ?? '');
  });
  const given = pool as Pool; // the tests are skipped without it

  it.each(['COMMIT', ' rollback', 'BEGIN', 'start  transaction', 'END;', 'ABORT', "PREPARE TRANSACTION 'x'"])(
    'refuses that the function says %j',
    async (statement) => {
      const { store, credits } = await benchOf(given);
      const work = store.runOnce(A, async ({ tx }) => {
        await (tx as Tx).query(INSERT);
        await (tx as Tx).query(statement);
      });
      await expect(work).rejects.toThrow(ConfigurationError);
      expect(await credits()).toBe(0);
    },
  );

  it('finds out that the transaction was ended by a statement inside of another', async () => {
    const { store } = await benchOf(given);
    const work = store.runOnce(A, async ({ tx }) => void (await (tx as Tx).query('SELECT 1; COMMIT')));
    await expect(work).rejects.toThrow('ended the transaction');
    // Its own COMMIT kept the record, too.
    expect(await store.runOnce(A, nothing)).toEqual({ state: 'done', digest: 'd' });
  });

  it('lets the function use savepoints', async () => {
    const { store, credits } = await benchOf(given);
    const held = await store.runOnce(A, async ({ tx }) => {
      await (tx as Tx).query(INSERT);
      await (tx as Tx).query('SAVEPOINT step');
      await (tx as Tx).query('SELECT 1 FROM nowhere').catch(() => undefined);
      await (tx as Tx).query('ROLLBACK TO step');
      await (tx as Tx).query('rollback work to savepoint step');
    });
    expect([held, await credits()]).toEqual([{ state: 'committed' }, 1]);
  });

  it('answers a duplicate of a running event at once, also while the function waits for a row', async () => {
    const { store, query } = await benchOf(given);
    await query("INSERT INTO credits VALUES ('1')");
    const holder = await given.connect();
    await holder.query("BEGIN; UPDATE credits SET usdt = '2'");
    const begun = deferred();
    const work = store.runOnce(A, async ({ tx }) => {
      begun.resolve();
      await (tx as Tx).query("UPDATE credits SET usdt = '3'");
    });
    await begun.promise;
    expect(await store.runOnce(A, nothing)).toEqual({ state: 'running' });
    await holder.query('COMMIT');
    holder.release();
    expect(await work).toEqual({ state: 'committed' });
    expect((await query('SELECT usdt FROM credits')).rows).toEqual([{ usdt: '3' }]);
  });

  it('is given back by a function that was cut off after the idle timeout', async () => {
    const { store, credits } = await benchOf(given, { idleTimeout: 1_000 });
    const cut = deferred();
    const work = store.runOnce(A, async ({ tx }) => {
      await (tx as Tx).query(INSERT);
      (tx as unknown as Client).once('error', cut.resolve);
      await cut.promise;
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    // PostgreSQL tells the client first, and lets the lock of the ended session go a moment later.
    let again = await store.runOnce(A, nothing);
    for (let left = 1_000; again.state === 'running' && left > 0; left -= 1) again = await store.runOnce(A, nothing);
    expect(again).toEqual({ state: 'committed' });
  });

  it('has failed with whatever SQLSTATE a statement of the function had, and ran it once', async () => {
    const { store, query } = await benchOf(given);
    for (const code of ['40001', '40P01', '55P03', '23505', '42P01', '42703', '25P03']) {
      let times = 0;
      const work = store.runOnce(A, async ({ tx }) => {
        times += 1;
        await (tx as Tx).query(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`);
      });
      await expect(work).rejects.toMatchObject({ code });
      expect([code, times]).toEqual([code, 1]);
    }
    expect((await query('SELECT * FROM merchant_webhook_events')).rows).toEqual([]);
  });

  it('is free at once where the function threw at COMMIT', async () => {
    const { store, query } = await benchOf(given);
    await query('ALTER TABLE credits ADD CONSTRAINT one UNIQUE (usdt) DEFERRABLE INITIALLY DEFERRED');
    const work = store.runOnce(A, async ({ tx }) => void (await (tx as Tx).query(`${INSERT}, ('26.91')`)));
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await store.runOnce(A, nothing)).toEqual({ state: 'committed' });
  });

  it('survives the loss of the connection in the middle of the work', async () => {
    const { store, credits, query } = await benchOf(given);
    const work = store.runOnce(A, async ({ tx }) => {
      const { rows } = await (tx as Tx).query('SELECT pg_backend_pid() AS pid');
      await (tx as Tx).query(INSERT);
      await query(`SELECT pg_terminate_backend(${(rows[0] as { pid: number }).pid})`);
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    expect(await store.runOnce(A, nothing)).toEqual({ state: 'committed' });
    expect(given.totalCount - given.idleCount).toBe(0);
  });

  it('runs the transaction in the isolation it was told', async () => {
    const { store } = await benchOf(given, { isolation: 'serializable' });
    await store.runOnce(A, async ({ tx }) => {
      const { rows } = await (tx as Tx).query('SHOW transaction_isolation');
      expect(rows).toEqual([{ transaction_isolation: 'serializable' }]);
    });
  });
});

describe('options', () => {
  it.each([
    { table: 'Events' },
    { table: 'events; DROP TABLE credits' },
    { table: '' },
    { table: 'a.b.c' },
    { retention: 1_000 },
    { retention: '30d' },
    { isolation: 'snapshot' },
    { namespace: 'a b' },
    { isolationLevel: 'serializable' },
    { busyTimeout: 5 },
    { idleTimeout: 10 },
    null,
  ])('refuse %j', (options) => {
    expect(() => postgresStore(pglite, options as never)).toThrow(ConfigurationError);
  });

  it.each([
    ['nothing', undefined],
    ['an address', 'postgres://127.0.0.1'],
    ['a database of another kind', { prepare() {}, exec() {} }],
    ['a single client', new Client()],
  ])('refuse %s instead of a pool', (_name, database) => {
    expect(() => postgresStore(database as never)).toThrow(ConfigurationError);
    expect(() => postgresStore(database as never)).toThrow(/new Pool.* of the package pg, or PGlite/);
  });
});
