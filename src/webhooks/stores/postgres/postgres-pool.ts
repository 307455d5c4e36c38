import { ConfigurationError } from '../../../errors/classes.ts';
import { PGliteConnection } from './pglite-connection.ts';
import { PoolConnection } from './pool-connection.ts';

/** What a query gives back, as far as the store looks. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** Anything that runs a statement. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection that a pool lends. */
export interface PostgresClient extends PostgresQueryable {
  release(destroy?: boolean): void;
}

/** `Pool` of the package `pg`, and what is compatible with it. */
export interface PostgresPool extends PostgresQueryable {
  connect(): Promise<PostgresClient>;
}

/** PostgreSQL in the process: `PGlite` of @electric-sql/pglite. */
export interface PGliteDatabase extends PostgresQueryable {
  transaction<T>(work: (tx: PostgresQueryable & { rollback(): Promise<void> }) => Promise<T>): Promise<T | undefined>;
}

/** What `context.tx` is for this database: the connection type of the pool, or PGlite's transaction. */
export type PostgresTx<Database> = Database extends {
  connect: { (): Promise<infer Client>; (callback: never): unknown };
}
  ? Client
  : Database extends { connect(): Promise<infer Client> }
    ? Client
    : Database extends { transaction<T>(work: (tx: infer Tx) => Promise<T>): unknown }
      ? Tx
      : PostgresQueryable;

/** The two ways to PostgreSQL, seen alike. */
export interface PostgresConnection {
  /** One statement, which commits on its own. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
  /** `work` says whether to commit. What it throws is rolled back and thrown on. */
  transaction(work: (tx: unknown, query: PostgresQueryable['query']) => Promise<boolean>): Promise<boolean>;
}

/** @throws ConfigurationError for anything but a pool or PGlite. */
export function connectionOf(database: unknown, isolation: string): PostgresConnection {
  const form = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // looked at, not trusted
  const isClient = 'connectionParameters' in form || 'release' in form;
  if (typeof form['query'] === 'function' && !isClient) {
    if (typeof form['connect'] === 'function') return new PoolConnection(database as PostgresPool, isolation); // the form of a pool
    if (typeof form['transaction'] === 'function') return new PGliteConnection(database as PGliteDatabase, isolation); // of PGlite
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite${isClient ? '; this is a single Client, and the store needs a second connection' : ''}.`,
  );
}
