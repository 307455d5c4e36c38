import { defineEntity, p, TransactionPropagation } from '@mikro-orm/core';
import { type EntityManager as MikroManager, MikroORM } from '@mikro-orm/postgresql';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import knexOf, { type Knex } from 'knex';
import { CompiledQuery, Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { QueryTypes, Sequelize, type Transaction } from 'sequelize';
import { DataSource, type EntityManager, EntitySchema, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAKE_WEBHOOK_SECRET, fakePaidEvent, signedRequest, storeConformance } from '../../src/tools/testing/index.ts';
import {
  createWebhookHandler,
  type PostgresPool,
  type PostgresTransactions,
  postgresStore,
  toFetchHandler,
  type WebhookHandlerOptions,
  type WebhookReport,
  type WebhookStore,
} from '../../src/webhooks/index.ts';
import { startEngines } from '../support/engines.ts';
import { openPool, type PostgresAddress } from '../support/postgres.ts';

// postgresStore in the transactions of the frameworks that own them, as docs/databases.md shows, on a real PostgreSQL.

const engines = await startEngines();
const { missing } = engines.postgres;
const ends: (() => unknown)[] = [() => engines.stop()];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** A framework whose transactions the store joins. */
interface Joined<Tx extends object> {
  readonly transactions: PostgresTransactions<Tx>;
  insert(tx: Tx): Promise<unknown>;
  /** Inserts in a transaction inside of the transaction, in the way of the framework. */
  insertNested(tx: Tx): Promise<unknown>;
  /** Ends the transaction, as a function may do by mistake. */
  commit(tx: Tx): Promise<unknown>;
  close(): Promise<unknown>;
}

const USDT = '26.86';

async function overTypeOrm(address: PostgresAddress): Promise<Joined<EntityManager>> {
  const Credit = new EntitySchema<{ usdt: string }>({
    name: 'credits',
    columns: { usdt: { type: 'text', primary: true } },
  });
  const { user, ...rest } = address;
  const dataSource = new DataSource({ type: 'postgres', ...rest, username: user, entities: [Credit] });
  await dataSource.initialize();
  const insert = (tx: EntityManager) => tx.insert(Credit, { usdt: USDT });
  return {
    transactions: {
      query: (text, values) => dataSource.query(text, values),
      transaction: (run) => dataSource.transaction(run),
    },
    insert,
    insertNested: (tx) => tx.transaction(insert),
    commit: async (tx) => await tx.queryRunner?.commitTransaction(),
    close: () => dataSource.destroy(),
  };
}

interface MikroTx {
  readonly em: MikroManager;
}
async function overMikroOrm(address: PostgresAddress): Promise<Joined<MikroTx>> {
  const Credit = defineEntity({ name: 'Credit', tableName: 'credits', properties: { usdt: p.text().primary() } });
  const { database, ...rest } = address;
  const orm = await MikroORM.init({ ...rest, dbName: database, entities: [Credit] });
  const query = async (em: MikroManager, text: string, values: unknown[]) => {
    const connection = em.getTransactionContext<Kysely<object>>() ?? em.getConnection().getClient();
    return await connection.executeQuery(CompiledQuery.raw(text, values));
  };
  const insert = async ({ em }: MikroTx) => await em.insert(Credit, { usdt: USDT });
  return {
    transactions: {
      query: (text, values) => query(orm.em, text, values),
      transaction: (run) =>
        orm.em.transactional((em) => run({ em, query: (text, values) => query(em, text, values) }), {
          propagation: TransactionPropagation.REQUIRES_NEW,
        }),
    },
    insert,
    insertNested: ({ em }) => em.transactional((inner) => insert({ em: inner })),
    commit: ({ em }) => query(em, 'COMMIT', []),
    close: () => orm.close(),
  };
}

async function overKnex(address: PostgresAddress): Promise<Joined<{ readonly trx: Knex.Transaction }>> {
  const knex = knexOf({ client: 'pg', connection: { ...address } });
  /** Knex writes a value as `?`, once for each use. */
  const raw = (on: Knex, text: string, values: unknown[]) =>
    on.raw<{ rows: unknown[] }>(
      text.replace(/\$\d+/g, '?'),
      [...text.matchAll(/\$(\d+)/g)].map(([, at]) => String(values[Number(at) - 1])),
    );
  return {
    transactions: {
      query: async (text, values) => await raw(knex, text, values),
      transaction: (run) =>
        knex.transaction((trx) => run({ trx, query: async (text, values) => await raw(trx, text, values) })),
    },
    insert: async ({ trx }) => await trx('credits').insert({ usdt: USDT }),
    insertNested: ({ trx }) => trx.transaction(async (inner) => await inner('credits').insert({ usdt: USDT })),
    commit: async ({ trx }) => await trx.raw('COMMIT'),
    close: () => knex.destroy(),
  };
}

async function overSequelize(address: PostgresAddress): Promise<Joined<{ readonly transaction: Transaction }>> {
  const { user, ...rest } = address;
  const sequelize = new Sequelize({ dialect: 'postgres', ...rest, username: user, logging: false });
  const query = (text: string, bind: unknown[], transaction: Transaction | null) =>
    sequelize.query<object>(text, { bind, transaction, type: QueryTypes.SELECT });
  const insert = (transaction: Transaction) => query('INSERT INTO credits VALUES ($1)', [USDT], transaction);
  return {
    transactions: {
      query: (text, values) => query(text, values, null),
      transaction: (run) =>
        sequelize.transaction((transaction) =>
          run({ transaction, query: (text, values) => query(text, values, transaction) }),
        ),
    },
    insert: ({ transaction }) => insert(transaction),
    insertNested: ({ transaction }) => sequelize.transaction({ transaction }, insert),
    commit: ({ transaction }) => query('COMMIT', [], transaction),
    close: () => sequelize.close(),
  };
}

interface Shop {
  credits: { usdt: string };
}
async function overKysely(address: PostgresAddress): Promise<Joined<{ readonly db: KyselyTransaction<Shop> }>> {
  const db = new Kysely<Shop>({ dialect: new PostgresDialect({ pool: openPool({ ...address }) }) });
  const insert = (on: KyselyTransaction<Shop>) => on.insertInto('credits').values({ usdt: USDT }).execute();
  return {
    transactions: {
      query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)),
      transaction: (run) =>
        db
          .transaction()
          .execute((trx) =>
            run({ db: trx, query: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values)) }),
          ),
    },
    insert: ({ db: trx }) => insert(trx),
    insertNested: async ({ db: trx }) => {
      await trx.executeQuery(CompiledQuery.raw('SAVEPOINT step')); // Kysely nests no transaction
      await insert(trx);
    },
    commit: ({ db: trx }) => trx.executeQuery(CompiledQuery.raw('COMMIT')),
    close: () => db.destroy(),
  };
}

type DrizzleTx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
async function overDrizzle(address: PostgresAddress): Promise<Joined<{ readonly db: DrizzleTx }>> {
  const credits = pgTable('credits', { usdt: text('usdt').notNull() });
  const pool = openPool({ ...address });
  const db = drizzle(pool);
  /** Drizzle takes a statement with its values in their places. */
  const statement = (given: string, values: unknown[]): SQL =>
    sql.join(
      given.split(/\$(\d+)/).map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
    );
  const insert = (on: DrizzleTx) => on.insert(credits).values({ usdt: USDT });
  return {
    transactions: {
      query: (given, values) => db.execute(statement(given, values)),
      transaction: (run) =>
        db.transaction((tx) => run({ db: tx, query: (given, values) => tx.execute(statement(given, values)) })),
    },
    insert: ({ db: tx }) => insert(tx),
    insertNested: ({ db: tx }) => tx.transaction(insert),
    commit: ({ db: tx }) => tx.execute(sql`COMMIT`),
    close: () => pool.end(),
  };
}

const body = fakePaidEvent({ credited_usdt: USDT });

/** A handler over a store. Returns the replies to one event that is sent as often as there are functions for it. */
async function deliver<Extra extends object>(
  store: WebhookStore<Extra>,
  ...functions: readonly ((extra: Extra) => Promise<unknown>)[]
) {
  const reports: WebhookReport[] = [];
  const replies: string[] = [];
  for (const onPaid of functions) {
    const options: WebhookHandlerOptions<Extra> = {
      secret: FAKE_WEBHOOK_SECRET,
      store,
      onPaid: async (_event, context) => void (await onPaid(context)),
      onAdjusted: () => {},
      onCanceled: () => {},
      onReport: (report) => void reports.push(report),
    };
    const response = await toFetchHandler(createWebhookHandler(options))(await signedRequest(body));
    replies.push(`${response.status} ${await response.text()}`);
  }
  return { replies, reports };
}

function fail(): never {
  throw new Error('the shop fails after its write');
}

let admin: Pool;
async function rows(): Promise<unknown[]> {
  return (await admin.query('SELECT usdt FROM credits')).rows;
}
beforeAll(() => {
  if (engines.postgres.missing !== null) return;
  admin = openPool(engines.postgres.connection);
  ends.push(() => admin.end());
});

function joins<Tx extends object>(name: string, open: (address: PostgresAddress) => Promise<Joined<Tx>>): void {
  describe(`postgresStore in the transactions of ${name}`, () => {
    let opened: Promise<Joined<Tx>> | undefined;
    /** The framework, opened once, over empty tables. */
    const framework = async (): Promise<Joined<Tx>> => {
      if (engines.postgres.missing !== null) throw new Error(engines.postgres.missing);
      opened ??= open(engines.postgres.connection);
      const joined = await opened;
      await admin.query(
        'DROP TABLE IF EXISTS merchant_webhook_events, credits; CREATE TABLE credits (usdt text NOT NULL)',
      );
      await postgresStore(joined.transactions).migrate();
      return joined;
    };
    afterAll(async () => await (await opened)?.close());

    it.each(
      storeConformance(async () => postgresStore((await framework()).transactions), {
        form: 'transaction',
        shared: false,
      }),
    )('$name', async ({ run }) => {
      await run();
    });

    it('writes once, whatever fails after the write', async () => {
      const { transactions, insert } = await framework();
      const store = postgresStore<Tx>(transactions);
      const seen = await deliver(
        store,
        ({ tx }) => insert(tx).then(fail),
        ({ tx }) => insert(tx),
        ({ tx }) => insert(tx),
      );
      expect(seen.replies).toEqual(['500 handler_failed', '200 done', '200 duplicate']);
      expect(await rows()).toEqual([{ usdt: USDT }]);
    });

    it('takes a transaction inside of it back, too', async () => {
      const { transactions, insertNested } = await framework();
      const store = postgresStore<Tx>(transactions);
      const seen = await deliver(
        store,
        ({ tx }) => insertNested(tx).then(fail),
        ({ tx }) => insertNested(tx),
      );
      expect(seen.replies).toEqual(['500 handler_failed', '200 done']);
      expect(await rows()).toEqual([{ usdt: USDT }]);
    });

    it.each([
      ['throws', fail],
      ['returns', (): void => {}],
    ])('reports a function that ends the transaction by itself and then %s', async (_name, end) => {
      const { transactions, insert, commit } = await framework();
      const store = postgresStore<Tx>(transactions);
      const ending = async ({ tx }: { readonly tx: Tx }) => {
        await insert(tx);
        await commit(tx);
        end();
      };
      const seen = await deliver(store, ending, ({ tx }) => insert(tx));
      expect(seen.replies).toEqual(['200 failed_after_commit', '200 duplicate']);
      expect(seen.reports[0]).toMatchObject({
        reason: 'failed_after_commit',
        message: expect.stringMatching(
          /Your function, or a transaction of your framework .* committed the transaction .*write with context\.tx/,
        ),
      });
      expect(await rows()).toEqual([{ usdt: USDT }]);
    });
  });
}

describe.skipIf(missing !== null)(`PostgreSQL${missing === null ? '' : `: ${missing}`}`, () => {
  joins('TypeORM', overTypeOrm);
  joins('MikroORM', overMikroOrm);
  joins('Knex', overKnex);
  joins('Sequelize', overSequelize);
  joins('Kysely', overKysely);
  joins('Drizzle', overDrizzle);

  it('a pool whose connections are query runners of TypeORM: a nested transaction that commits is reported', async () => {
    if (engines.postgres.missing !== null) return;
    const { user, ...rest } = engines.postgres.connection;
    const dataSource = new DataSource({ type: 'postgres', ...rest, username: user });
    await dataSource.initialize();
    ends.push(() => dataSource.destroy());
    await admin.query('DROP TABLE IF EXISTS merchant_webhook_events, credits; CREATE TABLE credits (usdt text)');
    const pool = {
      query: async (given: string, values?: unknown[]) => ({ rows: await dataSource.query(given, values) }),
      connect: async () => {
        const runner: QueryRunner = dataSource.createQueryRunner();
        const query = async (given: string, values?: unknown[]) => ({ rows: await runner.query(given, values) });
        return { query, runner, release: () => void runner.release() };
      },
    } satisfies PostgresPool;
    const store = postgresStore(pool);
    await store.migrate();
    const seen = await deliver(
      store,
      async ({ tx }) => {
        await tx.runner.startTransaction(); // a service of the shop
        await tx.query(`INSERT INTO credits VALUES ('${USDT}')`);
        await tx.runner.commitTransaction();
        fail();
      },
      async () => undefined,
    );
    expect(seen.replies).toEqual(['200 failed_after_commit', '200 duplicate']);
    expect(await rows()).toEqual([{ usdt: USDT }]);
  });

  it('statements that do not run in the transaction are found before the function begins', async () => {
    if (engines.postgres.missing !== null) return;
    const { transactions, close } = await overKysely(engines.postgres.connection);
    await postgresStore(transactions).migrate();
    const store = postgresStore<object>({
      query: transactions.query,
      transaction: async (run) => await run({ query: transactions.query }), // each statement commits by itself
    });
    const seen = await deliver(store, fail, fail);
    expect(seen.replies).toEqual(['503 store_failed', '503 store_failed']);
    expect(seen.reports[0]?.message).toContain('whose query() works inside of the transaction');
    await close();
  });
});
