import { ConfigurationError } from '../../../errors/classes.ts';

/**
 * A prepared statement of node:sqlite, better-sqlite3 or bun:sqlite. Which values it takes is left open: the drivers
 * declare that in ways of which no common type is read alike by all versions of TypeScript. The store binds text and numbers.
 */
export interface SqliteStatement {
  run(...values: never[]): { readonly changes: number | bigint };
  get(...values: never[]): unknown;
}

/** What `DatabaseSync` of node:sqlite and `Database` of better-sqlite3 and of bun:sqlite have in common. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

const EXPECTED =
  'sqliteStore needs an open, synchronous SQLite database: new DatabaseSync(file) of node:sqlite, or new Database(file) of better-sqlite3 or bun:sqlite';

/** @throws ConfigurationError for anything that does not answer as a synchronous database does. */
export function checkDatabase(db: unknown): void {
  const form = db as Partial<SqliteDatabase> | null | undefined; // looked at, not trusted
  if (typeof form?.prepare !== 'function' || typeof form.exec !== 'function') {
    throw new ConfigurationError(`${EXPECTED}.`);
  }
  let answer: unknown;
  try {
    answer = busyTimeoutOf(form as SqliteDatabase); // the two functions were just seen
  } catch (cause) {
    if (isLocked(cause)) return; // no other driver says so
    throw new ConfigurationError(`${EXPECTED}. This one could not run a statement: is it open?`, { cause });
  }
  if (typeof answer !== 'number')
    throw new ConfigurationError(`${EXPECTED}. This one does not answer at once: is its driver async?`);
}

/** The values of a row, whether it came as an object or as an array; null where there is none. */
export function valuesOf(row: unknown): readonly unknown[] | null {
  return typeof row === 'object' && row !== null ? Object.values(row) : null;
}

/** The first value of a row; integers may come as bigint. */
export function firstValue(row: unknown): unknown {
  const value = valuesOf(row)?.[0];
  return typeof value === 'bigint' ? Number(value) : value;
}

interface BoundStatement {
  run(...values: (string | number)[]): { readonly changes: number | bigint };
  get(...values: (string | number)[]): unknown;
}

/** A statement of the store itself. */
export function prepared(db: SqliteDatabase, sql: string): BoundStatement {
  return db.prepare(sql) as BoundStatement; // every SQLite driver binds text and numbers
}

/** SQLite's own waiting for locks in milliseconds. Needs no lock of the file, but one of a cache that is shared. */
export function busyTimeoutOf(db: SqliteDatabase): unknown {
  return firstValue(prepared(db, 'PRAGMA busy_timeout').get());
}

/** Whether a transaction is open on this connection; null where the driver is too old to say. */
export function inTransaction(db: SqliteDatabase): boolean | null {
  const { isTransaction, inTransaction } = db as { isTransaction?: unknown; inTransaction?: unknown }; // each driver has one
  if (typeof isTransaction === 'boolean') return isTransaction;
  return typeof inTransaction === 'boolean' ? inTransaction : null;
}

/** SQLITE_BUSY: another connection has the lock. SQLITE_LOCKED: the same, between connections with one shared cache. */
const LOCKED_CODES: readonly unknown[] = [5, 6];
const LOCKED_NAME = /^SQLITE_(?:BUSY|LOCKED)/;

/** Whether another connection is in the way. node:sqlite gives the number, better-sqlite3 and Bun the name. */
export function isLocked(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }; // looked at, not trusted
  // The low byte is the family: SQLITE_BUSY_SNAPSHOT is 517.
  if (typeof errcode === 'number') return LOCKED_CODES.includes(errcode & 0xff);
  return typeof code === 'string' && LOCKED_NAME.test(code);
}

/** Whether the store's table is not there yet. */
export function isMissingTable(error: unknown, table: string): boolean {
  const name = table.replaceAll('"', '');
  return error instanceof Error && error.message.includes(`no such table: ${name}`);
}
