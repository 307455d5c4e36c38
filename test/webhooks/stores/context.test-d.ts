import type { DatabaseSync } from 'node:sqlite';
import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import type { RedisClientType } from 'redis';
import { describe, expectTypeOf, it } from 'vitest';
import { createWebhookHandler, postgresStore, redisStore, sqliteStore } from '../../../src/webhooks/index.ts';

declare const pool: Pool;
declare const pglite: PGlite;
declare const sqlite: DatabaseSync;
declare const nodeRedis: RedisClientType;
declare const ioRedis: Redis;

describe('the context', () => {
  it('has the transaction in the type of the merchant’s own driver', () => {
    createWebhookHandler({
      secret: 's',
      store: postgresStore(pool),
      onPaid: (_event, { tx, signal }) => {
        expectTypeOf(tx).toEqualTypeOf<PoolClient>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
      onAdjusted: () => {},
      onCanceled: () => {},
    });
    createWebhookHandler({
      secret: 's',
      store: postgresStore(pglite),
      onPaid: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>(),
      onAdjusted: () => {},
      onCanceled: () => {},
    });
  });

  it('has a commit that gives the merchant’s own database, and takes no async function', () => {
    createWebhookHandler({
      secret: 's',
      store: sqliteStore(sqlite),
      onPaid: async (_event, { commit }) => {
        const changes = await commit((db) => {
          expectTypeOf(db).toEqualTypeOf<DatabaseSync>();
          return db.prepare('DELETE FROM carts').run().changes;
        });
        expectTypeOf(changes).toEqualTypeOf<number | bigint>();
        await commit(() => {});
        // @ts-expect-error what an async function does after its first await is outside of the transaction
        await commit(async () => {});
      },
      onAdjusted: () => {},
      onCanceled: () => {},
    });
  });

  it('has nothing more with Redis', () => {
    redisStore(ioRedis);
    createWebhookHandler({
      secret: 's',
      store: redisStore(nodeRedis),
      // @ts-expect-error there is no transaction to share
      onPaid: (_event, { tx }) => tx,
      onAdjusted: () => {},
      onCanceled: () => {},
    });
  });
});
