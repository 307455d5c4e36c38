import type { DatabaseSync } from 'node:sqlite';
import type { PGlite, Transaction } from '@electric-sql/pglite';
import type {
  ALBEvent,
  ALBHandler,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyEventV2WithJWTAuthorizer,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  APIGatewayProxyWithCognitoAuthorizerEvent,
  APIGatewayProxyWithLambdaAuthorizerEvent,
  Handler,
  LambdaFunctionURLEvent,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import type Database from 'better-sqlite3';
import type { Redis } from 'ioredis';
import type { Pool, PoolClient } from 'pg';
import type { RedisClientType } from 'redis';
import type { DataSource, EntityManager } from 'typeorm';
import { describe, expectTypeOf, it } from 'vitest';
import {
  createWebhookHandler,
  type PostgresTransactions,
  postgresStore,
  redisStore,
  type SqliteDatabase,
  sqliteStore,
  toLambdaHandler,
  verifyWebhook,
  type WebhookHandler,
} from '../../../src/webhooks/index.ts';

// The declarations of real drivers and of AWS fit without a cast. Older compilers read some of them in another way: with
// TypeScript 5.4 to 5.9 the same calls were compiled by hand.

declare const webhook: WebhookHandler;
declare const pool: Pool;
declare const pglite: PGlite;
declare const dataSource: DataSource;
declare const nodeRedis: RedisClientType;
declare const ioRedis: Redis;
declare const better: Database.Database;
declare const node: DatabaseSync;

/** `Database` of bun:sqlite as bun-types 1.4 declares it; its whole declarations would replace those of Node here. */
interface BunDatabase {
  exec<Params extends BunBinding[]>(sql: string, ...bindings: Params[]): BunChanges;
  prepare<Row, Params extends BunBinding | BunBinding[]>(
    sql: string,
    params?: Params,
  ): BunStatement<Row, Params extends unknown[] ? Params : [Params]>;
  get inTransaction(): boolean;
}
type BunBinding =
  | string
  | bigint
  | NodeJS.TypedArray
  | number
  | boolean
  | null
  | Record<string, string | number | null>;
interface BunChanges {
  changes: number;
  lastInsertRowid: number | bigint;
}
interface BunStatement<Row, Params extends BunBinding[]> {
  run(...params: Params): BunChanges;
  get(...params: Params): Row | null;
}
declare const bun: BunDatabase;

describe('the context of a function', () => {
  const functions = { secret: 's', onAdjusted: () => {}, onCanceled: () => {} };

  it('has the transaction of the merchant’s own driver with PostgreSQL', () => {
    createWebhookHandler({
      ...functions,
      store: postgresStore(pool),
      onPaid: (_event, { tx, signal }) => {
        expectTypeOf(tx).toEqualTypeOf<PoolClient>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
    });
    createWebhookHandler({
      ...functions,
      store: postgresStore(pglite),
      onPaid: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<Transaction>(),
    });
  });

  it('has the transaction of a framework that owns it', () => {
    const named: PostgresTransactions<EntityManager> = {
      query: (sql, values) => dataSource.query(sql, values),
      transaction: (run) => dataSource.transaction(run),
    };
    createWebhookHandler({
      ...functions,
      store: postgresStore(named),
      onPaid: (_event, { tx }) => expectTypeOf(tx).toEqualTypeOf<EntityManager>(),
    });
    createWebhookHandler({
      ...functions,
      store: postgresStore<{ readonly orders: string }>({
        query: async () => [],
        // @ts-expect-error what the function gets lacks query()
        transaction: (run) => run({ orders: '' }),
      }),
      onPaid: (_event, { tx }) => expectTypeOf(tx.orders).toEqualTypeOf<string>(),
    });
  });

  it('has a commit with SQLite that gives the merchant’s own database, and takes no async function', () => {
    expectTypeOf(node).toExtend<SqliteDatabase>();
    createWebhookHandler({
      ...functions,
      store: sqliteStore(node),
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
    });
    createWebhookHandler({
      ...functions,
      store: sqliteStore(better),
      onPaid: async (_event, { commit }) => {
        expectTypeOf(await commit((db) => db.prepare('DELETE FROM carts').run().changes)).toEqualTypeOf<number>();
        await commit((db) => db.transaction(() => 1)());
      },
    });
    createWebhookHandler({
      ...functions,
      store: sqliteStore(bun),
      onPaid: (_event, { commit }) => commit((db) => db.prepare('DELETE FROM carts').run().changes),
    });
    // @ts-expect-error the name of a file
    sqliteStore('shop.db');
    // @ts-expect-error an asynchronous driver
    sqliteStore({ exec: async () => {}, prepare: async () => ({}) });
  });

  it('has nothing more with Redis', () => {
    redisStore(ioRedis);
    createWebhookHandler({
      ...functions,
      store: redisStore(nodeRedis),
      // @ts-expect-error there is no transaction to share
      onPaid: (_event, { tx }) => tx,
    });
  });
});

describe('verifyWebhook', () => {
  it('takes headers whose values have any type, as those of many frameworks, and no promise of them', () => {
    verifyWebhook('{}', {} as Record<string, unknown>, 's');
    verifyWebhook('{}', {} as import('node:http').IncomingHttpHeaders, 's');
    verifyWebhook('{}', new Headers(), 's');
    // @ts-expect-error the headers of Next, which must be awaited
    verifyWebhook('{}', Promise.resolve(new Headers()), 's');
  });
});

describe('toLambdaHandler', () => {
  it('is a handler of each kind of HTTP event', () => {
    expectTypeOf(toLambdaHandler(webhook)).toExtend<APIGatewayProxyHandler>();
    expectTypeOf(toLambdaHandler(webhook)).toExtend<APIGatewayProxyHandlerV2>();
    expectTypeOf(toLambdaHandler(webhook)).toExtend<LambdaFunctionURLHandler>();
    expectTypeOf(toLambdaHandler(webhook)).toExtend<ALBHandler>();
    expectTypeOf(toLambdaHandler(webhook)).toExtend<Handler<APIGatewayProxyEvent, APIGatewayProxyResult>>();
  });

  it('takes each event, with any authorizer', () => {
    type Taken = Parameters<ReturnType<typeof toLambdaHandler>>[0];
    expectTypeOf<APIGatewayProxyEvent>().toExtend<Taken>();
    expectTypeOf<APIGatewayProxyWithLambdaAuthorizerEvent<{ user: string }>>().toExtend<Taken>();
    expectTypeOf<APIGatewayProxyWithCognitoAuthorizerEvent>().toExtend<Taken>();
    expectTypeOf<APIGatewayProxyEventV2>().toExtend<Taken>();
    expectTypeOf<APIGatewayProxyEventV2WithJWTAuthorizer>().toExtend<Taken>();
    expectTypeOf<LambdaFunctionURLEvent>().toExtend<Taken>();
    expectTypeOf<ALBEvent>().toExtend<Taken>();
  });

  it('gives each result', () => {
    type Given = Awaited<ReturnType<ReturnType<typeof toLambdaHandler>>>;
    expectTypeOf<Given>().toExtend<APIGatewayProxyResult>();
    expectTypeOf<Given>().toExtend<APIGatewayProxyStructuredResultV2>();
    expectTypeOf<Given>().toExtend<ALBResult>();
  });
});
