import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Client, Pool, PoolClient } from 'pg';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Decimal } from '../../../src/contract/values/decimal.ts';
import {
  ConfigurationError,
  type PostgresStoreOptions,
  postgresStore,
  type WebhookHandlerOptions,
} from '../../../src/webhooks/index.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { deferred, endpoint, send } from '../endpoint.ts';

// What is special to PostgreSQL. What every store does is checked in conformance.test.ts.

const engines = await startEngines();
const pglite = new PGlite();
const pool: Pool | null =
  engines.postgres.missing === null ? openPool({ ...engines.postgres.connection, max: 4 }) : null;
afterAll(async () => {
  await pool?.end();
  await pglite.close();
  await engines.stop();
});

const INSERT = "INSERT INTO credits VALUES ('26.91')";
const A = { key: 'k:paid', digest: 'd', signal: new AbortController().signal };
type Tx = { query(text: string): Promise<{ rows: unknown[] }> };
type Work = (tx: Tx) => Promise<unknown>;

/** A store over a database with a table of credits, and with one for the events, unless it is told what to do instead. */
async function benchOf(
  given: Pool | PGlite,
  options: PostgresStoreOptions = {},
  setup: readonly string[] | null = null,
) {
  const database = given as PGlite; // both have query and make a store
  const query = async (text: string) => (await database.query(text)).rows;
  const tables = ['DROP TABLE IF EXISTS merchant_webhook_events, credits', 'CREATE TABLE credits (usdt text)'];
  for (const statement of [...tables, ...(setup ?? [])]) await query(statement);
  const store = postgresStore(database, options);
  if (setup === null) await store.migrate();
  return {
    store,
    query,
    credits: async () => (await query('SELECT * FROM credits')).length,
    /** Runs work for an event of this key. */
    once: (work: Work = async () => {}, key = A.key) =>
      store.runOnce({ ...A, key }, async ({ tx }) => void (await work(tx as unknown as Tx))), // the part of it used here
  };
}

/** A receiver whose function writes with the transaction. */
function receiver(store: Awaited<ReturnType<typeof benchOf>>['store'], work: Work) {
  const onPaid = async (_event: unknown, { tx }: { readonly tx: Tx }) => void (await work(tx));
  return endpoint({ store, onPaid } as unknown as Partial<WebhookHandlerOptions>); // its own options know plain stores
}

// The table of the first form, which had leases.

describe.each([
  ['PGlite', pglite],
  ['a pg Pool', pool],
] as const)('a store over %s', (_name, database) => {
  beforeEach(({ skip }) => {
    if (database === null) skip(engines.postgres.missing ?? '');
  });
  const given = database as Pool | PGlite; // the tests are skipped without it

  it('holds the write of a function and the completion, or neither', async () => {
    const { store, credits } = await benchOf(given);
    let times = 0;
    const shop = receiver(store, async (tx) => {
      times += 1;
      await tx.query(INSERT);
      if (times === 1) throw new Error('no such account');
    });
    expect(await send(shop)).toMatchObject({ status: 500 });
    expect(await credits()).toBe(0);
    expect(await send(shop)).toMatchObject({ status: 200, body: 'done' });
    expect(await send(shop)).toMatchObject({ status: 200, body: 'duplicate' });
    expect(await credits()).toBe(1);
  });

  it('keeps nothing when a statement failed, though the function went on', async () => {
    const { once, credits } = await benchOf(given);
    const work = once(async (tx) => {
      await tx.query(INSERT);
      await tx.query('SELECT 1 FROM nowhere').catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    expect(await once()).toEqual({ state: 'committed' });
  });

  it('names the remedy where its table is missing', async () => {
    const { once } = await benchOf(given, {}, []);
    const message = expect.stringContaining('run store.migrate() once');
    await expect(once()).rejects.toMatchObject({ code: 'SDK_CONFIGURATION', message });
  });

  it('cleans up what is older than the retention, and nothing else', async () => {
    const { store, query, once } = await benchOf(given, { retention: 2_592_000_000 });
    for (const [key, days] of [
      ['old', 31],
      ['young', 29],
    ] as const) {
      await once(undefined, key);
      await query(
        `UPDATE merchant_webhook_events SET done_at = now() - interval '${days} days' WHERE event_key = '${key}'`,
      );
    }
    expect(await store.cleanUp()).toBe(1);
    expect(await once(undefined, 'young')).toEqual({ state: 'done', digest: 'd' });
    expect(await once(undefined, 'old')).toEqual({ state: 'committed' });
    await query(store.cleanUpStatement ?? '');
    await query(store.schema);
  });

  it('keeps records for ever by default, and says so', async () => {
    const { store } = await benchOf(given);
    expect(store).toMatchObject({ retention: null, cleanUpStatement: null });
    await expect(store.cleanUp()).rejects.toThrow(ConfigurationError);
  });

  it('makes its table once, for many processes', async () => {
    const { store } = await benchOf(given, {}, []);
    await Promise.all(Array.from({ length: 4 }, () => store.migrate()));
    expect(await store.runOnce(A, async () => {})).toEqual({ state: 'committed' });
  });

  it('refuses a table of this name with other columns, in migrate and in a claim', async () => {
    const { store, once } = await benchOf(given, {}, ['CREATE TABLE merchant_webhook_events (event_key text)']);
    await expect(store.migrate()).rejects.toThrow('has no column digest, done_at');
    await expect(once()).rejects.toThrow('lacks a column');
  });
});

describe('a transaction of a pg Pool', () => {
  beforeEach(({ skip }) => {
    if (pool === null) skip(engines.postgres.missing ?? '');
  });
  const given = pool as Pool; // the tests are skipped without it

  it.each(['COMMIT', ' rollback', 'BEGIN', 'start  transaction', 'END;', 'ABORT', "PREPARE TRANSACTION 'x'"])(
    'refuses that the function says %j',
    async (statement) => {
      const { once, credits } = await benchOf(given);
      const work = once(async (tx) => {
        await tx.query(INSERT);
        await tx.query(statement);
      });
      await expect(work).rejects.toThrow(ConfigurationError);
      expect(await credits()).toBe(0);
    },
  );

  it('writes an amount of an event, and what is computed of it, as a number without quotes', async () => {
    const amount = new Decimal('25.10');
    const values = [amount, amount.times(2), new Decimal('0.0000001')];
    const { rows } = await given.query('SELECT $1::text AS a, $2::numeric::text AS b, $3::text AS c', values);
    expect(rows).toEqual([{ a: '25.1', b: '50.2', c: '0.0000001' }]);
  });

  it('a COMMIT hidden in a statement of several is detected', async () => {
    const { once } = await benchOf(given);
    const error = expect.objectContaining({ message: expect.stringContaining('ended the transaction') });
    expect(await once((tx) => tx.query('SELECT 1; COMMIT'))).toEqual({ state: 'failed_after_commit', error });
    // Its own COMMIT kept the record, too.
    expect(await once()).toEqual({ state: 'done', digest: 'd' });
  });

  it('belongs to the store: the function can neither release it nor use it afterwards', async () => {
    const { once, credits } = await benchOf(given);
    let late: Tx | undefined;
    await expect(
      once(async (tx) => {
        late = tx;
        (tx as unknown as PoolClient).release(); // what it is
      }),
    ).rejects.toThrow('releases the connection');
    await expect(late?.query(INSERT)).rejects.toThrow('used after its end');
    expect(await credits()).toBe(0);
  });

  it('lets the function use savepoints', async () => {
    const { once, credits } = await benchOf(given);
    const held = await once(async (tx) => {
      await tx.query(INSERT);
      await tx.query('SAVEPOINT step');
      await tx.query('SELECT 1 FROM nowhere').catch(() => undefined);
      await tx.query('ROLLBACK TO step');
      await tx.query('rollback work to savepoint step');
    });
    expect([held, await credits()]).toEqual([{ state: 'committed' }, 1]);
  });

  it('lets a duplicate of its event be answered at once, also while the function waits for a row', async () => {
    const { once, query } = await benchOf(given);
    await query("INSERT INTO credits VALUES ('1')");
    const holder = await given.connect();
    await holder.query("BEGIN; UPDATE credits SET usdt = '2'");
    const begun = deferred();
    const work = once(async (tx) => {
      begun.resolve();
      await tx.query("UPDATE credits SET usdt = '3'");
    });
    await begun.promise;
    expect(await once()).toEqual({ state: 'running' });
    await holder.query('COMMIT');
    holder.release();
    expect(await work).toEqual({ state: 'committed' });
    expect(await query('SELECT usdt FROM credits')).toEqual([{ usdt: '3' }]);
  });

  it('is cut off after the idle timeout', async () => {
    const { once, credits } = await benchOf(given, { idleTimeout: 1_000 });
    const cut = deferred();
    const work = once(async (tx) => {
      await tx.query(INSERT);
      (tx as unknown as Client).once('error', cut.resolve); // a client of the pool
      await cut.promise;
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    // PostgreSQL tells the client first, and lets the lock of the ended session go a moment later.
    let again = await once();
    for (let left = 1_000; again.state === 'running' && left > 0; left -= 1) again = await once();
    expect(again).toEqual({ state: 'committed' });
  });

  it('has failed with whatever SQLSTATE a statement of the function had, and ran it once', async () => {
    const { once, query } = await benchOf(given);
    for (const code of ['40001', '40P01', '55P03', '23505', '42P01', '42703', '25P03']) {
      let times = 0;
      const work = once(async (tx) => {
        times += 1;
        await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`);
      });
      await expect(work).rejects.toMatchObject({ code });
      expect([code, times]).toEqual([code, 1]);
    }
    expect(await query('SELECT * FROM merchant_webhook_events')).toEqual([]);
  });

  it('is free at once where the function threw at COMMIT', async () => {
    const { once, query } = await benchOf(given);
    await query('ALTER TABLE credits ADD CONSTRAINT one UNIQUE (usdt) DEFERRABLE INITIALLY DEFERRED');
    await expect(once((tx) => tx.query(`${INSERT}, ('26.91')`))).rejects.toMatchObject({ code: '23505' });
    expect(await once()).toEqual({ state: 'committed' });
  });

  it('survives the loss of the connection in the middle of the work', async () => {
    const { once, credits, query } = await benchOf(given);
    const work = once(async (tx) => {
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid');
      await tx.query(INSERT);
      await query(`SELECT pg_terminate_backend(${(rows[0] as { pid: number }).pid})`); // as the query names it
    });
    await expect(work).rejects.toThrow();
    expect(await credits()).toBe(0);
    expect(await once()).toEqual({ state: 'committed' });
    expect(given.totalCount - given.idleCount).toBe(0);
  });

  it('gives its connection back at once when the connection is lost, though the function waits for something else', async () => {
    const { store, query } = await benchOf(given, { idleTimeout: 1_000 });
    const lost = store.runOnce({ ...A, key: 'waits' }, () => new Promise(() => {}));
    await expect(lost).rejects.toThrow('terminat');
    expect(given.totalCount - given.idleCount).toBe(0);
    expect(await query('SELECT * FROM merchant_webhook_events')).toEqual([]);
  });

  it.each([
    ['its socket was cut', async () => {}, (socket: Socket) => void socket.destroy(new Error('read ECONNRESET'))],
    [
      'the server ended it, whose message nobody has read',
      async (socket: Socket, pid: number) => {
        socket.pause();
        await given.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
      },
      (socket: Socket) => void socket.resume(),
    ],
  ])('begins once more where the connection died before the claim: %s', async (_title, end, read) => {
    // Over TCP, where a write to a closed connection is no error, so that the message is what the driver sees first.
    const road = await roadTo(String(given.options.host));
    const { once, credits } = await benchOf(road);
    const dying = await road.connect();
    const { rows } = await dying.query('SELECT pg_backend_pid() AS pid');
    const { stream } = (dying as unknown as { connection: { stream: Socket } }).connection;
    await end(stream, rows[0].pid);
    const { query } = dying;
    let died = 0;
    // It dies under its next statement, as one that the server closed while the machine was frozen.
    dying.query = ((...values: unknown[]) => {
      dying.query = query;
      died += 1;
      read(stream);
      return Reflect.apply(query, dying, values);
    }) as typeof query;
    dying.release();
    expect(await once((tx) => tx.query(INSERT))).toEqual({ state: 'committed' });
    expect([died, await credits()]).toEqual([1, 1]);
  });

  it('is reported with the pool where the function waits for a connection of its own pool', async () => {
    const one = openPool({ ...(engines.postgres.missing === null ? engines.postgres.connection : {}), max: 1 });
    onTestFinished(() => one.end());
    const { store, credits } = await benchOf(one, { idleTimeout: 1_000 });
    const shop = receiver(store, () => one.query(INSERT));
    const sent = send(shop);
    while (one.waitingCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await shop.clock.advance(12_000);
    expect(await sent).toMatchObject({ status: 503, body: 'time_limit' });
    expect(shop.reports[0]?.message).toMatch(/1 caller waits for a connection of the store's pool.*Use context\.tx/);
    await expect.poll(() => shop.reasons(), { timeout: 60_000 }).toEqual(['time_limit', 'store_failed']);
    expect(shop.reports[1]?.message).toMatch(/1 callers waited for a connection of the pool.*Use context\.tx/);
    expect(await credits()).toBe(1); // a write outside of context.tx is not undone
  });

  it('has the isolation that it was told', async () => {
    const { once } = await benchOf(given, { isolation: 'serializable' });
    await once(async (tx) => {
      const { rows } = await tx.query('SHOW transaction_isolation');
      expect(rows).toEqual([{ transaction_isolation: 'serializable' }]);
    });
  });
});

// The work is done, and then a response of PostgreSQL is lost. The event must count as done, or its repeat would write twice.
// For a store with leases, conformance.test.ts checks the repeated completion, and handle/stores.test.ts that it is made.

/**
 * A road to PostgreSQL over TCP. It can break a connection once it says COMMIT: before it arrives, or before the response
 * leaves.
 */
async function roadTo(folder: string, breaks?: 'before' | 'after') {
  const road = createServer((client) => {
    const server = connect(join(folder, '.s.PGSQL.5432'));
    let cut = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on('data', (bytes) => {
      cut ||= breaks !== undefined && bytes.includes('COMMIT');
      if (cut && breaks === 'before') end();
      else server.write(bytes);
    });
    server.on('data', (bytes) => (cut ? end() : client.write(bytes)));
    for (const side of [client, server]) side.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(road, 'listening');
  onTestFinished(() => void road.close());
  const { port } = road.address() as AddressInfo; // a TCP server has one
  const pool = openPool({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  onTestFinished(() => pool.end());
  return pool;
}

it.for([
  ['after it was applied is done, and written once', 'after', { status: 200, body: 'done' }, 1],
  ['before it arrived is a failure of the store, and wrote nothing', 'before', { status: 503 }, 0],
] as const)('a COMMIT of PostgreSQL that was lost %s', async ([_name, breaks, response, written], { skip }) => {
  if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
  const { store, credits } = await benchOf(await roadTo(engines.postgres.connection.host, breaks));
  const shop = receiver(store, (tx) => tx.query(INSERT));
  expect(await send(shop)).toMatchObject(response);
  expect(await credits()).toBe(written);
  // A server that has not noticed the broken connection yet still holds the event.
  const next = breaks === 'after' ? 'duplicate' : expect.stringMatching(/^(?:store_failed|duplicate_running)$/);
  expect(await send(shop)).toMatchObject({ body: next });
});
