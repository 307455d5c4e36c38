import { inspect } from 'node:util';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import knexOf from 'knex';
import { Kysely, PostgresDialect, type PostgresPoolClient, SqliteDialect, sql as sqlOfKysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FAKE_WEBHOOK_SECRET, fakePaidEvent, signedRequest } from '../../src/tools/testing/index.ts';
import {
  createWebhookHandler,
  postgresStore,
  type SqliteCommit,
  sqliteStore,
  toFetchHandler,
} from '../../src/webhooks/index.ts';
import { startEngines } from '../support/engines.ts';
import { openPool } from '../support/postgres.ts';

// docs/databases.md promises these, of the real libraries on real engines.

const engines = await startEngines();
const pool: Pool | null =
  engines.postgres.missing === null ? openPool({ ...engines.postgres.connection, max: 3 }) : null;
afterAll(async () => {
  await pool?.end();
  await engines.stop();
});

interface Shop {
  credits: { usdt: string };
}

const event = fakePaidEvent({ credited_usdt: '26.86' });
const row = { usdt: '26.86' };
const failing = (): never => {
  throw new Error('the shop fails after its write');
};

/** The ways in which a builder writes one row over the connection of the store. */
interface Builder {
  insert(tx: PoolClient): Promise<unknown>;
  insertInTransaction(tx: PoolClient): Promise<unknown>;
  execute(tx: PoolClient, statement: string): Promise<unknown>;
}

const credits = pgTable('credits', { usdt: text('usdt').notNull() });
const drizzled: Builder = {
  insert: (tx) => drizzle(tx).insert(credits).values(row),
  insertInTransaction: (tx) => drizzle(tx).transaction((inner) => inner.insert(credits).values(row)),
  execute: (tx, statement) => drizzle(tx).execute(sql.raw(statement)),
};

function kyselyOver(tx: PoolClient): Kysely<Shop> {
  const query: PostgresPoolClient['query'] = tx.query.bind(tx);
  const one = { options: {}, connect: async () => ({ query, release: () => {} }), end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool: one }) });
}
const kyselyed: Builder = {
  insert: (tx) => kyselyOver(tx).insertInto('credits').values(row).execute(),
  insertInTransaction: (tx) =>
    kyselyOver(tx)
      .transaction()
      .execute((inner) => inner.insertInto('credits').values(row).execute()),
  execute: (tx, statement) => sqlOfKysely.raw(statement).execute(kyselyOver(tx)),
};

const knex = knexOf({ client: 'pg' });
const knexed: Builder = {
  insert: async (tx) => await knex('credits').insert(row).connection(tx),
  insertInTransaction: (tx) =>
    knex.transaction(async (inner) => await inner('credits').insert(row), { connection: tx }),
  execute: async (tx, statement) => await knex.raw(statement).connection(tx),
};

describe.each([
  ['Drizzle', drizzled],
  ['Kysely', kyselyed],
  ['Knex', knexed],
] as const)('%s over context.tx', (_name, builder) => {
  beforeEach(async ({ skip }) => {
    if (pool === null) return skip(engines.postgres.missing ?? '');
    await pool.query('DROP TABLE IF EXISTS merchant_webhook_events, credits');
    await pool.query('CREATE TABLE credits (usdt text NOT NULL)');
  });

  async function delivered(database: Pool, ...tries: readonly ((tx: PoolClient) => Promise<unknown>)[]) {
    const store = postgresStore(database);
    await store.migrate();
    const errors: unknown[] = [];
    const answers: string[] = [];
    for (const onPaid of tries) {
      const handler = createWebhookHandler({
        secret: FAKE_WEBHOOK_SECRET,
        store,
        onPaid: (_event, { tx }) => onPaid(tx),
        onAdjusted: failing,
        onCanceled: failing,
        onReport: ({ error }) => void errors.push(error),
      });
      answers.push(await (await toFetchHandler(handler)(await signedRequest(event))).text());
    }
    const { rows } = await database.query('SELECT usdt FROM credits');
    return { answers, rows, errors };
  }

  it('writes once, whatever fails after the write', async () => {
    if (pool === null) return;
    const failsLate = (tx: PoolClient) => builder.insert(tx).then(failing);
    const seen = await delivered(pool, failsLate, builder.insert, builder.insert);
    expect(seen).toMatchObject({ answers: ['handler_failed', 'done', 'duplicate'], rows: [row] });
  });

  it('cannot begin a transaction of its own', async () => {
    if (pool === null) return;
    const { answers, rows, errors } = await delivered(pool, builder.insertInTransaction);
    expect(answers).toEqual(['handler_failed']);
    expect(rows).toEqual([]);
    expect(inspect(errors[0])).toContain('Use SAVEPOINT for steps inside'); // Drizzle makes it the cause of another error
  });

  it('takes one step back with a savepoint', async () => {
    if (pool === null) return;
    const seen = await delivered(pool, async (tx) => {
      await builder.insert(tx);
      await builder.execute(tx, 'SAVEPOINT step');
      await builder.insert(tx);
      await builder.execute(tx, 'ROLLBACK TO SAVEPOINT step');
    });
    expect(seen).toMatchObject({ answers: ['done'], rows: [row] });
  });
});

describe.each([
  [
    'Drizzle',
    (file: Database.Database) => () =>
      void drizzleSqlite(file)
        .insert(sqliteTable('credits', { usdt: sqliteText('usdt') }))
        .values(row)
        .run(),
  ],
  [
    'Kysely',
    (file: Database.Database) => {
      const db = new Kysely<Shop>({ dialect: new SqliteDialect({ database: file }) });
      const { sql: statement, parameters } = db.insertInto('credits').values(row).compile();
      return () => void file.prepare(statement).run(...parameters);
    },
  ],
] as const)('%s inside context.commit', (_name, writerOf) => {
  it('writes once, whatever fails after the write', async () => {
    const file = new Database(':memory:');
    file.exec('CREATE TABLE credits (usdt TEXT NOT NULL)');
    const store = sqliteStore(file);
    await store.migrate();
    const write = writerOf(file);
    const late = () => {
      write();
      failing();
    };
    const answers: string[] = [];
    for (const work of [late, write, write]) {
      const onPaid = (_event: unknown, { commit }: { readonly commit: SqliteCommit<Database.Database> }) =>
        commit(work);
      const handler = createWebhookHandler({
        secret: FAKE_WEBHOOK_SECRET,
        store,
        onPaid,
        onAdjusted: failing,
        onCanceled: failing,
      });
      answers.push(await (await toFetchHandler(handler)(await signedRequest(event))).text());
    }
    expect(answers).toEqual(['handler_failed', 'done', 'duplicate']);
    expect(file.prepare('SELECT usdt FROM credits').all()).toEqual([row]);
  });
});
