import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PGlite } from '@electric-sql/pglite';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  memoryStore,
  postgresStore,
  redisStore,
  sqliteStore,
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
  { singleConnection: true },
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
  { missing: engines.postgres.missing },
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
  { missing: engines.postgres.missing },
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
    const once = (): WebhookStore => {
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

  it.each<[string, (store: WebhookStore) => Partial<WebhookStore>]>([
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
