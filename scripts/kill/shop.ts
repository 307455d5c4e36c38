import type { InvoicePaidEvent, WebhookContext, WebhookStore } from '../../src/webhooks/index.ts';
import type { ShopQueue } from './queues/queue.ts';

/** A line of the merchant's books. Where the engine makes it once, nothing in it is unique, so that a second one would show. */
export interface Credit {
  readonly invoice: string;
  readonly usdt: string;
}

/** A merchant's database: the store of events, and the books that must balance. */
export interface Shop<Extra extends object = object> {
  readonly store: WebhookStore<Extra>;
  /** Makes the tables. */
  setUp(): Promise<void>;
  /** The right way to credit. `written` is called between the write and its commit, where there is such a moment. */
  credit(event: InvoicePaidEvent, context: WebhookContext & Extra, written: () => void): unknown;
  /** The wrong way: a separate write, outside the transaction of the store and without a check for repeats. */
  creditAlone(event: InvoicePaidEvent): unknown;
  credits(): Promise<Credit[]>;
  close(): Promise<unknown> | unknown;
  /** Where `credit` only enqueues. */
  readonly queue?: ShopQueue;
}

/** Where a database is: a file, a folder with a socket, a socket. */
export interface ShopAddress {
  readonly kind: 'sqlite' | 'postgres' | 'redis' | 'pg-boss' | 'bullmq';
  readonly at: string;
  /** BullMQ only: the folder with the socket of the shop's PostgreSQL. */
  readonly database?: string;
  /** SQLite only: the driver, and how the file keeps its journal. Default: node:sqlite with a write-ahead log. */
  readonly sqlite?: {
    readonly driver: SqliteDriver;
    readonly journal: SqliteJournal;
    /** Whether a lock of another process blocks the receiver: the fault that the run must find. */
    readonly blocking?: boolean;
  };
}

export type SqliteDriver = 'node:sqlite' | 'better-sqlite3';
export type SqliteJournal = 'WAL' | 'DELETE';

/** Opens the shop and passes it to `use`. Loads only the driver it needs, because receivers start hundreds of times. */
export async function withShop<Result>(
  address: ShopAddress,
  use: <Extra extends object>(shop: Shop<Extra>) => Result,
): Promise<Result> {
  const { kind, at } = address;
  if (kind === 'sqlite') return use(await (await import('./sqlite-shop.ts')).sqliteShop(address));
  if (kind === 'postgres') return use((await import('./postgres-shop.ts')).postgresShop(at));
  if (kind === 'pg-boss') return use((await import('./queues/pg-boss-shop.ts')).pgBossShop(at));
  if (kind === 'bullmq') return use(await (await import('./queues/bullmq-shop.ts')).bullmqShop(address));
  return use(await (await import('./redis-shop.ts')).redisShop(at));
}
