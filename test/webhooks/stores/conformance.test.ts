import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PGlite } from '@electric-sql/pglite';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type LeaseStore,
  memoryStore,
  postgresStore,
  redisStore,
  sqliteStore,
  type TransactionStore,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import type { StoreConformanceOptions } from '../../../src/webhooks/stores/conformance.ts';
import { storeConformance } from '../../../src/webhooks/stores/conformance.ts';
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

const one = new DatabaseSync(join(files.folder, 'one.db'));
ends.push(() => one.close());
conforms('sqliteStore, one connection of node:sqlite', async () => {
  const store = sqliteStore(one);
  await store.migrate();
  return store;
});

conforms('sqliteStore, a connection for each store, set to bigint and arrays', async () => {
  const db = new DatabaseSync(join(files.folder, 'many.db'), { readBigInts: true, returnArrays: true });
  ends.push(() => db.close());
  const store = sqliteStore(db, { table: 'events', retention: 2_592_000_000 });
  await store.migrate();
  return store;
});

conforms(
  'sqliteStore over better-sqlite3',
  async () => {
    const db = BetterSqlite3?.(join(files.folder, 'better.db'));
    if (db === undefined) throw new Error('not installed');
    ends.push(() => db.close());
    const store = sqliteStore(db);
    await store.migrate();
    return store;
  },
  { missing: BetterSqlite3 === null ? 'the native part of better-sqlite3 does not load here' : null },
);

const pglite = once(
  () => new PGlite(),
  (db) => db.close(),
);
conforms(
  'postgresStore over PGlite',
  async () => {
    const store = postgresStore(await pglite());
    await store.migrate();
    return store;
  },
  { form: 'transaction', singleConnection: true },
);

const address = engines.postgres.missing === null ? engines.postgres.connection : {};
const pool = once(
  () => openPool({ ...address, max: 10 }),
  (opened) => opened.end(),
);
conforms(
  'postgresStore over a pg Pool',
  async () => {
    const store = postgresStore(await pool());
    await store.migrate();
    return store;
  },
  { form: 'transaction', missing: engines.postgres.missing },
);

const strictPool = once(
  () => openPool({ ...address, max: 10, options: '-c default_transaction_isolation=serializable' }),
  (opened) => opened.end(),
);
conforms(
  'postgresStore where every transaction is serializable',
  async () => {
    const store = postgresStore(await strictPool(), { table: 'public.strict_events' });
    await store.migrate();
    return store;
  },
  { form: 'transaction', missing: engines.postgres.missing },
);

for (const isolation of ['repeatable read', 'serializable'] as const) {
  conforms(
    `postgresStore in ${isolation}`,
    async () => {
      const store = postgresStore(await pool(), { table: `in_${isolation.replace(' ', '_')}`, isolation });
      await store.migrate();
      return store;
    },
    { form: 'transaction', missing: engines.postgres.missing },
  );
}

const onePool = once(
  () => openPool({ ...address, max: 1 }),
  (opened) => opened.end(),
);
conforms(
  'postgresStore over a pool of one connection',
  async () => {
    const store = postgresStore(await onePool(), { table: 'one_connection' });
    await store.migrate();
    return store;
  },
  { form: 'transaction', singleConnection: true, missing: engines.postgres.missing },
);

const socket = engines.redis.missing === null ? engines.redis.connection : '';
const nodeRedis = once(
  () => createClient({ socket: { path: socket, tls: false } }).connect(),
  (client) => client.close(),
);
conforms('redisStore over node-redis', async () => redisStore(await nodeRedis()), { missing: engines.redis.missing });

const ioRedis = once(
  () => new Redis({ path: socket, keyPrefix: 'shop:' }),
  (client) => client.quit(),
);
conforms('redisStore over ioredis', async () => redisStore(await ioRedis()), { missing: engines.redis.missing });

describe('the checks of a store that holds the claim in its transaction find', () => {
  /** Such a store in memory: records appear when the work has ended. */
  function inMemory(): TransactionStore & { readonly records: Map<string, string> } {
    const [records, held] = [new Map<string, string>(), new Set<string>()];
    return {
      records,
      retention: null,
      async runOnce({ key, digest, signal }, work) {
        const found = records.get(key);
        if (found !== undefined) return { state: 'done', digest: found };
        if (held.has(key)) return { state: 'running' };
        held.add(key);
        const aborted = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        try {
          await Promise.race([work({}), aborted]);
          records.set(key, digest);
          return { state: 'committed' };
        } finally {
          held.delete(key);
        }
      },
    };
  }
  const failing = async (change: (store: ReturnType<typeof inMemory>) => Partial<TransactionStore>) => {
    const makeStore = () => {
      const store = inMemory();
      return { ...store, ...change(store) };
    };
    const failed: string[] = [];
    for (const { name, run } of storeConformance(makeStore, { form: 'transaction', shared: false })) {
      await run().catch(() => failed.push(name));
    }
    return failed;
  };

  it('nothing in a store that keeps its promises', async () => {
    expect(await failing(() => ({}))).toEqual([]);
  });

  it.each<[string, string, (store: ReturnType<typeof inMemory>) => Partial<TransactionStore>]>([
    [
      'a record that stays when the work failed',
      'remembers nothing',
      (store) => ({
        runOnce: (request, work) =>
          store.runOnce(request, async (extra) => {
            store.records.set(request.key, request.digest);
            await work(extra);
          }),
      }),
    ],
    [
      'a second run after an error with a code',
      'without a second run',
      (store) => ({
        runOnce: (request, work) =>
          store.runOnce(request, work).catch((error) => {
            if (error.code === undefined) throw error;
            return store.runOnce(request, work);
          }),
      }),
    ],
    [
      'an ignored signal',
      'when its signal is aborted',
      (store) => ({
        runOnce: (request, work) => store.runOnce({ ...request, signal: new AbortController().signal }, work),
      }),
    ],
    [
      'another digest',
      'with its digest',
      (store) => ({ runOnce: (request, work) => store.runOnce({ ...request, digest: 'x' }, work) }),
    ],
    [
      'keys without case',
      'similar keys',
      (store) => ({
        runOnce: (request, work) => store.runOnce({ ...request, key: request.key.toLowerCase() }, work),
      }),
    ],
  ])(
    '%s',
    async (_name, check, change) => {
      expect(await failing(change)).toContainEqual(expect.stringContaining(check));
    },
    20_000,
  );

  it('a store of the other form', async () => {
    const [first] = storeConformance(() => inMemory());
    await expect(first?.run()).rejects.toThrow("form: 'transaction'");
    const [other] = storeConformance(() => memoryStore(), { form: 'transaction' });
    await expect(other?.run()).rejects.toThrow("form: 'lease'");
  });
});

describe('the checks find', () => {
  const failing = async (makeStore: () => WebhookStore): Promise<string[]> => {
    const failed: string[] = [];
    for (const { name, run } of storeConformance(makeStore, { shared: false })) {
      await run().catch(() => failed.push(name));
    }
    return failed;
  };
  it('nothing in a store that keeps its promises', async () => {
    expect(await failing(() => memoryStore())).toEqual([]);
  });

  it('a completion that is refused when it comes again', async () => {
    const once = (): LeaseStore => {
      const store = memoryStore();
      const done = new Set<string>();
      return {
        ...store,
        complete: async (claim) =>
          !done.has(claim.key) && (await store.complete(claim)) && done.add(claim.key).size > 0,
      };
    };
    expect(await failing(once)).toEqual([expect.stringContaining('repeated completion')]);
  });

  it.each<[string, (store: LeaseStore) => Partial<LeaseStore>]>([
    [
      'cuts the namespace off',
      (store) => ({ claim: (claim) => store.claim({ ...claim, key: claim.key.replace(/^.*\//, '') }) }),
    ],
    ['has an empty one', () => ({ namespace: '' })],
    ['has one that is no text', () => ({ namespace: 5 as never })],
  ])('a store that %s', async (_name, change) => {
    const store = memoryStore();
    expect(await failing(() => ({ ...store, ...change(store) }))).toContainEqual(expect.stringContaining('namespace'));
  });

  it('an option that they do not have', () => {
    expect(() => storeConformance(() => memoryStore(), { singleConection: true } as never)).toThrow(ConfigurationError);
  });
});
