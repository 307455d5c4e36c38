import { once } from 'node:events';
import {
  type InvoicePaidEvent,
  postgresStore,
  redisStore,
  sqliteStore,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';

/** A line of the merchant's books. Nothing in it is unique in SQLite and PostgreSQL, so that a second one would show. */
export interface Credit {
  readonly invoice: string;
  readonly usdt: string;
}

/** A merchant's database: the store of events, and the books that must balance. */
export interface Shop<Extra extends object = object> {
  readonly store: WebhookStore<Extra>;
  setUp(): Promise<unknown>;
  /** The right way to credit. `written` is called between the write and its commit, where there is such a moment. */
  credit(event: InvoicePaidEvent, context: Extra & { readonly dedupeKey: string }, written: () => void): unknown;
  /** The wrong way: a separate write, outside of the transaction of the store. */
  creditAlone(event: InvoicePaidEvent): unknown;
  credits(): Promise<Credit[]>;
  close(): unknown;
}

export const DRIVERS = ['node:sqlite', 'node:sqlite without WAL', 'better-sqlite3', 'pg', 'redis', 'ioredis'] as const;
export type Driver = (typeof DRIVERS)[number];

/** Opens the shop at a file, a folder with a socket, or a socket. Loads one driver, because receivers start hundreds of times. */
export async function withShop<Result>(
  driver: Driver,
  at: string,
  use: <Extra extends object>(shop: Shop<Extra>) => Result,
): Promise<Result> {
  if (driver === 'pg') return use(await postgresShop(at));
  if (driver === 'redis' || driver === 'ioredis') return use(await redisShop(driver, at));
  return use(await sqliteShop(driver, at));
}

async function sqliteShop(driver: Driver, file: string) {
  const isNode = driver !== 'better-sqlite3';
  const { DatabaseSync } = await import('node:sqlite');
  const db = isNode ? new DatabaseSync(file, { timeout: 5_000 }) : new (await import('better-sqlite3')).default(file);
  db.exec('PRAGMA synchronous = NORMAL'); // processes die here, never the machine
  const store = sqliteStore(db);
  const write = ({ invoice_uuid, credited_usdt }: InvoicePaidEvent): void =>
    void db.prepare('INSERT INTO credits (invoice, usdt) VALUES (?, ?)').run(invoice_uuid, credited_usdt.toFixed());
  return {
    store,
    async setUp() {
      if (driver === 'node:sqlite') db.prepare('PRAGMA journal_mode = WAL').all();
      db.exec('CREATE TABLE credits (invoice TEXT, usdt TEXT)');
      await store.migrate();
    },
    credit: (
      event: InvoicePaidEvent,
      { commit }: { commit(work: () => void): Promise<unknown> },
      written: () => void,
    ) =>
      commit(() => {
        write(event);
        written();
      }),
    creditAlone: write,
    credits: async () => db.prepare('SELECT invoice, usdt FROM credits').all() as unknown as Credit[], // of this table
    close: () => db.close(),
  };
}

async function postgresShop(host: string) {
  const { Pool } = await import('pg');
  const pool = new Pool({ host, user: 'postgres', database: 'postgres', max: 8 });
  pool.on('error', (error) => console.error(error.message)); // without a listener the loss of an idle connection ends us
  const store = postgresStore(pool);
  type Writer = { query(text: string, values: unknown[]): Promise<unknown> };
  const write = async (to: Writer, { invoice_uuid, credited_usdt }: InvoicePaidEvent): Promise<void> => {
    await to.query('INSERT INTO credits (invoice, usdt) VALUES ($1, $2)', [invoice_uuid, credited_usdt.toFixed()]);
  };
  return {
    store,
    async setUp() {
      await pool.query('DROP TABLE IF EXISTS credits, merchant_webhook_events');
      await pool.query('CREATE TABLE credits (invoice text, usdt text)');
      await store.migrate();
    },
    async credit(event: InvoicePaidEvent, { tx }: { tx: Writer }, written: () => void) {
      await write(tx, event);
      written();
    },
    creditAlone: (event: InvoicePaidEvent) => write(pool, event),
    credits: async () => (await pool.query<Credit>('SELECT invoice, usdt FROM credits')).rows,
    close: () => pool.end(),
  };
}

/** Redis has no transaction to share, so the credit itself bears repetition: one field for each event. */
async function redisShop(driver: 'redis' | 'ioredis', socket: string) {
  const { client, store, close } = driver === 'redis' ? await overRedis(socket) : await overIoredis(socket);
  const textOf = ({ invoice_uuid, credited_usdt }: InvoicePaidEvent) =>
    JSON.stringify({ invoice: invoice_uuid, usdt: credited_usdt.toFixed() });
  return {
    store,
    setUp: () => client(['FLUSHDB']),
    async credit(event: InvoicePaidEvent, { dedupeKey }: { dedupeKey: string }, written: () => void) {
      await client(['HSETNX', 'credits', dedupeKey, textOf(event)]);
      written();
    },
    creditAlone: (event: InvoicePaidEvent) => client(['RPUSH', 'more', textOf(event)]),
    async credits() {
      const lines = [await client(['HVALS', 'credits']), await client(['LRANGE', 'more', '0', '-1'])].flat();
      return lines.map((line): Credit => JSON.parse(String(line)));
    },
    close,
  };
}

async function overRedis(path: string) {
  const client = (await import('redis')).createClient({ socket: { path, tls: false } });
  await client.on('error', (error) => console.error(error)).connect();
  return {
    client: (command: string[]): Promise<unknown> => client.sendCommand(command),
    store: redisStore(client),
    close: () => client.close(),
  };
}

/** In a database of its own, beside that of the other client. */
async function overIoredis(path: string) {
  const client = new (await import('ioredis')).Redis(path, { db: 1 }).on('error', (error) => console.error(error));
  await once(client, 'ready');
  const call = ([name = '', ...values]: string[]): Promise<unknown> => client.call(name, ...values);
  return { client: call, store: redisStore(client), close: () => client.disconnect() };
}
