// The drivers as far as they are used, typed by hand: the declarations must not need the types of `pg` or PGlite.

/** The part of a query's result that the store reads. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** Anything that runs a statement. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection of a pool. */
export interface PostgresClient extends PostgresQueryable {
  release(destroy?: boolean): void;
}

/** `Pool` of the package `pg`, or a compatible pool. */
export interface PostgresPool extends PostgresQueryable {
  connect(): Promise<PostgresClient>;
}

/** PostgreSQL in the process: `PGlite` of @electric-sql/pglite. */
export interface PGliteDatabase extends PostgresQueryable {
  transaction<T>(work: (tx: PostgresQueryable & { rollback(): Promise<void> }) => Promise<T>): Promise<T | undefined>;
}

/** The type of `context.tx` for this database: the connection type of the pool, or PGlite's transaction. */
export type PostgresTx<Database> = Database extends {
  connect: { (): Promise<infer Client>; (callback: never): unknown };
}
  ? Client
  : Database extends { connect(): Promise<infer Client> }
    ? Client
    : Database extends { transaction<T>(work: (tx: infer Tx) => Promise<T>): unknown }
      ? Tx
      : PostgresQueryable;

/** A statement with a parameter for each value. */
export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly string[];
}

/** A connection to PostgreSQL, over a pool or PGlite. */
export interface PostgresConnection {
  /** Runs one statement, which commits at once. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
  /**
   * Runs `work`, then the completion, and commits. Rolls back and resolves with false if the completion returned no row.
   * An error of `work` rolls back and is rethrown.
   */
  transaction(work: (tx: unknown) => Promise<void>, completion: PostgresStatement): Promise<boolean>;
}
