import { PGlite } from '@electric-sql/pglite';
import { Client, type Pool } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, type PostgresStoreOptions, postgresStore } from '../../../src/webhooks/index.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { endpoint, send } from '../endpoint.ts';

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
const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };
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

  it('rolls a late loser’s writes back', async () => {
    await bench.store.claim({ ...request, lease: 0 });
    expect(await bench.store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'taken_over' });
    const held = await bench.store.run(A, async ({ tx }) => void (await (tx as Tx).query(INSERT)));
    expect(held).toBe(false);
    expect(await bench.credits()).toBe(0);
    expect(await bench.store.run({ ...A, owner: 'b' }, async () => {})).toBe(true);
  });

  it('keeps nothing when a statement failed, though the function went on', async () => {
    await bench.store.claim(request);
    const work = bench.store.run(A, async ({ tx }) => {
      await (tx as Tx).query(INSERT);
      await (tx as Tx).query('SELECT 1 FROM nowhere').catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await bench.credits()).toBe(0);
    expect(await bench.store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
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
    await expect(store.claim(request)).rejects.toThrow(ConfigurationError);
    await expect(store.claim(request)).rejects.toThrow('run store.migrate() once');
  });

  it('cleans up what is older than the retention, and nothing else', async ({ skip }) => {
    const { store, query } = await benchOf(need(skip) as PGlite, { retention: 2_592_000_000 });
    for (const key of ['old', 'young', 'running', 'dead']) await store.claim({ ...request, key });
    for (const key of ['old', 'young']) await store.complete({ ...A, key });
    const age = (column: string, days: number, key: string) =>
      query(
        `UPDATE merchant_webhook_events SET ${column} = now() - interval '${days} days' WHERE event_key = '${key}'`,
      );
    await age('done_at', 31, 'old');
    await age('done_at', 29, 'young');
    await age('lease_end', 31, 'dead');
    expect(await store.cleanUp()).toBe(2);
    expect(await store.claim({ ...request, key: 'young' })).toMatchObject({ state: 'done' });
    expect(await store.claim({ ...request, key: 'running' })).toMatchObject({ state: 'running' });
    await query(store.cleanUpStatement ?? '');
    await query(store.schema);
  });

  it('keeps for ever by default, and says so', async ({ skip }) => {
    const { store } = await benchOf(need(skip) as PGlite);
    expect(store).toMatchObject({ retention: null, cleanUpStatement: null });
    await expect(store.cleanUp()).rejects.toThrow(ConfigurationError);
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
      await store.claim(request);
      const work = store.run(A, async ({ tx }) => {
        await (tx as Tx).query(INSERT);
        await (tx as Tx).query(statement);
      });
      await expect(work).rejects.toThrow(ConfigurationError);
      expect(await credits()).toBe(0);
    },
  );

  it('finds out that the transaction was ended by a statement inside of another', async () => {
    const { store } = await benchOf(given);
    await store.claim(request);
    const work = store.run(A, async ({ tx }) => void (await (tx as Tx).query('SELECT 1; COMMIT')));
    await expect(work).rejects.toThrow('ended the transaction');
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
  });

  it('lets the function use savepoints', async () => {
    const { store, credits } = await benchOf(given);
    await store.claim(request);
    const held = await store.run(A, async ({ tx }) => {
      await (tx as Tx).query(INSERT);
      await (tx as Tx).query('SAVEPOINT step');
      await (tx as Tx).query('SELECT 1 FROM nowhere').catch(() => undefined);
      await (tx as Tx).query('ROLLBACK TO step');
      await (tx as Tx).query('rollback work to savepoint step');
    });
    expect([held, await credits()]).toEqual([true, 1]);
  });

  it('does not complete an event twice in two transactions of one claim', async () => {
    const { store, credits } = await benchOf(given);
    await store.claim(request);
    const write = async ({ tx }: { tx: unknown }): Promise<void> => void (await (tx as Tx).query(INSERT));
    expect([await store.run(A, write), await store.run(A, write)]).toEqual([true, false]);
    expect(await credits()).toBe(1);
  });

  it('survives the loss of the connection in the middle of the work', async () => {
    const { store, credits, query } = await benchOf(given);
    await store.claim(request);
    const work = store.run(A, async ({ tx }) => {
      const { rows } = await (tx as Tx).query('SELECT pg_backend_pid() AS pid');
      await (tx as Tx).query(INSERT);
      await query(`SELECT pg_terminate_backend(${(rows[0] as { pid: number }).pid})`);
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
    expect(given.totalCount - given.idleCount).toBe(0);
  });

  it('runs the transaction in the isolation it was told', async () => {
    const { store } = await benchOf(given, { isolation: 'serializable' });
    await store.claim(request);
    await store.run(A, async ({ tx }) => {
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
