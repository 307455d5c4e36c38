import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PGlite } from '@electric-sql/pglite';
import { Redis } from 'ioredis';
import type { Pool, PoolConfig } from 'pg';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import type { StoreConformanceOptions } from '../../../src/tools/testing/conformance.ts';
import { storeConformance } from '../../../src/tools/testing/conformance.ts';
import {
  ConfigurationError,
  type LeaseStore,
  memoryStore,
  type PostgresStoreOptions,
  postgresStore,
  redisStore,
  type SqliteStoreOptions,
  sqliteStore,
  type TransactionStore,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';
import { openBetterSqlite3 } from './better-sqlite3.ts';

const engines = await startEngines();
const files = temporaryFolder('stores');
const BetterSqlite3 = await openBetterSqlite3();
const ends: (() => unknown)[] = [() => files.remove(), () => engines.stop()];

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Opened when the first check of a store asks, closed after the last test. */
function once<T>(open: () => Promise<T> | T, close: (opened: T) => unknown): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= Promise.resolve(open()).then((it) => {
      ends.push(() => close(it));
      return it;
    });
    return opened;
  };
}

async function migrated<Store extends { migrate(): Promise<unknown> }>(store: Store): Promise<Store> {
  await store.migrate();
  return store;
}

function conforms(
  name: string,
  makeStore: () => WebhookStore | Promise<WebhookStore>,
  options: StoreConformanceOptions & { missing?: string | null } = {},
): void {
  const { missing = null, ...known } = options;
  describe(name, () => {
    for (const { name: promise, run } of storeConformance(makeStore, known)) {
      it(promise, async ({ skip }) => {
        if (missing !== null) skip(missing);
        await run();
      });
    }
  });
}

const memory = memoryStore();
conforms('memoryStore', () => memory);

const MISSING = BetterSqlite3 === null ? 'the native part of better-sqlite3 does not load here' : null;
const fileOf = (name: string): string => join(files.folder, `${name}.db`);
const one = once(
  () => new DatabaseSync(fileOf('one')),
  (db) => db.close(),
);
const SQLITE: readonly (readonly [name: string, open: () => unknown, options?: SqliteStoreOptions])[] = [
  ['one connection of node:sqlite', one],
  [
    'a connection for each store, set to bigint and arrays',
    () => new DatabaseSync(fileOf('many'), { readBigInts: true, returnArrays: true }),
    { table: 'events', retention: 2_592_000_000 },
  ],
  ['better-sqlite3', () => BetterSqlite3?.(fileOf('better'))],
];
for (const [name, open, options] of SQLITE) {
  const makeStore = async () => {
    const db = (await open()) as DatabaseSync; // better-sqlite3 has the same members
    if (open !== one) ends.push(() => db.close());
    return await migrated(sqliteStore(db, options));
  };
  conforms(`sqliteStore over ${name}`, makeStore, { missing: name === 'better-sqlite3' ? MISSING : null });
}

const { missing } = engines.postgres;
const pooled = (config: PoolConfig) =>
  once(
    () => openPool({ ...(engines.postgres.missing === null ? engines.postgres.connection : {}), max: 10, ...config }),
    (pool) => pool.end(),
  );
const pool = pooled({});
const strict = pooled({ options: '-c default_transaction_isolation=serializable' });
const POSTGRES: readonly (readonly [name: string, pool: () => Promise<Pool>, options?: PostgresStoreOptions])[] = [
  ['a pg Pool', pool],
  ['a pool where every transaction is serializable', strict, { table: 'public.strict_events' }],
  ['a pg Pool in repeatable read', pool, { table: 'in_repeatable_read', isolation: 'repeatable read' }],
  ['a pg Pool in serializable', pool, { table: 'in_serializable', isolation: 'serializable' }],
  ['a pool of one connection', pooled({ max: 1 }), { table: 'one_connection' }],
];
for (const [name, opened, options] of POSTGRES) {
  const makeStore = async () => await migrated(postgresStore(await opened(), options));
  const singleConnection = name === 'a pool of one connection';
  conforms(`postgresStore over ${name}`, makeStore, { form: 'transaction', singleConnection, missing });
}
const pglite = once(
  () => new PGlite(),
  (db) => db.close(),
);
conforms('postgresStore over PGlite', async () => await migrated(postgresStore(await pglite())), {
  form: 'transaction',
  singleConnection: true,
});

const socket = engines.redis.missing === null ? engines.redis.connection : '';
const nodeRedis = once(
  () => createClient({ socket: { path: socket, tls: false } }).connect(),
  (client) => client.close(),
);
const ioRedis = once(
  () => new Redis({ path: socket, keyPrefix: 'shop:' }),
  (client) => client.quit(),
);
conforms('redisStore over node-redis', async () => redisStore(await nodeRedis()), { missing: engines.redis.missing });
conforms('redisStore over ioredis', async () => redisStore(await ioRedis()), { missing: engines.redis.missing });

/** The names of the checks that a store fails. */
async function failing(makeStore: () => WebhookStore, options: StoreConformanceOptions = {}): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of storeConformance(makeStore, { shared: false, ...options })) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

/** A store in memory that holds the claim in its transaction: records appear when the work has ended. */
function inMemory(): TransactionStore & { readonly records: Map<string, string> } {
  const [records, held] = [new Map<string, string>(), new Set<string>()];
  return {
    records,
    retention: null,
    async runOnce({ key, digest, signal, again = false }, work) {
      const found = records.get(key);
      if (found !== undefined && !again) return { state: 'done', digest: found };
      if (held.has(key)) return { state: 'running' };
      held.add(key);
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      try {
        await Promise.race([work({}), aborted]);
        records.set(key, found ?? digest);
        return { state: 'committed' };
      } finally {
        held.delete(key);
      }
    },
  };
}

const ONCE = { form: 'transaction' } as const;
it('the checks find nothing in a store that keeps its promises', async () => {
  expect(await failing(() => memoryStore())).toEqual([]);
  expect(await failing(inMemory, ONCE)).toEqual([]);
});

it.each<[string, string, (store: ReturnType<typeof inMemory>) => TransactionStore['runOnce']]>([
  [
    'a record that stays when the work failed',
    'remembers nothing',
    (store) => (request, work) =>
      store.runOnce(request, async (extra) => {
        store.records.set(request.key, request.digest);
        await work(extra);
      }),
  ],
  [
    'a second run after an error with a code',
    'without a second run',
    (store) => (request, work) =>
      store.runOnce(request, work).catch((error) => {
        if (error.code === undefined) throw error;
        return store.runOnce(request, work);
      }),
  ],
  [
    'an ignored signal',
    'when its signal is aborted',
    (store) => (request, work) => store.runOnce({ ...request, signal: new AbortController().signal }, work),
  ],
  [
    'a replay that is a duplicate',
    'again: runs the work',
    (store) => (request, work) => store.runOnce({ ...request, again: false }, work),
  ],
  ['another digest', 'with its digest', (store) => (request, work) => store.runOnce({ ...request, digest: 'x' }, work)],
  [
    'keys without case',
    'similar keys',
    (store) => (request, work) => store.runOnce({ ...request, key: request.key.toLowerCase() }, work),
  ],
])('the checks of a store that holds the claim in its transaction find %s', async (_name, check, change) => {
  const makeStore = () => {
    const store = inMemory();
    return { ...store, runOnce: change(store) };
  };
  expect(await failing(makeStore, ONCE)).toContainEqual(expect.stringContaining(check));
});

it('the checks find a store of the other form', async () => {
  const [first] = storeConformance(() => inMemory());
  await expect(first?.run()).rejects.toThrow("form: 'transaction'");
  const [other] = storeConformance(() => memoryStore(), ONCE);
  await expect(other?.run()).rejects.toThrow("form: 'lease'");
});

it('the checks find a completion that is refused when it comes again', async () => {
  const makeStore = (): LeaseStore => {
    const store = memoryStore();
    const done = new Set<string>();
    const complete: LeaseStore['complete'] = async (claim) =>
      !done.has(claim.key) && (await store.complete(claim)) && done.add(claim.key).size > 0;
    return { ...store, complete };
  };
  expect(await failing(makeStore)).toContainEqual(expect.stringContaining('repeated completion'));
});

it.each<[string, (store: LeaseStore) => Partial<LeaseStore>]>([
  [
    'cuts the namespace off',
    (store) => ({ claim: (claim) => store.claim({ ...claim, key: claim.key.replace(/^.*\//, '') }) }),
  ],
  ['has an empty namespace', () => ({ namespace: '' })],
  ['has a namespace that is no text', () => ({ namespace: 5 as never })],
])('the checks find a store that %s', async (_name, change) => {
  const store = memoryStore();
  expect(await failing(() => ({ ...store, ...change(store) }))).toContainEqual(expect.stringContaining('namespace'));
});

it('the checks find a store that does not claim a done event again', async () => {
  const makeStore = (): LeaseStore => {
    const store = memoryStore();
    return { ...store, claim: (request) => store.claim({ ...request, again: false }) };
  };
  expect(await failing(makeStore)).toEqual([
    expect.stringContaining('again: claims a done event'),
    expect.stringContaining('again: leaves the event done'),
  ]);
});

it('storeConformance refuses an option that it does not have', () => {
  expect(() => storeConformance(() => memoryStore(), { singleConection: true } as never)).toThrow(ConfigurationError);
});
