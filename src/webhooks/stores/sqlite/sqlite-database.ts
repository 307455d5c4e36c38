import { ConfigurationError } from '../../../errors/classes.ts';

/**
 * A prepared statement of node:sqlite, better-sqlite3 or bun:sqlite. The types of its values are open, because no common
 * type works for all drivers in all versions of TypeScript. The store binds text and numbers.
 */
export interface SqliteStatement {
  run(...values: never[]): { readonly changes: number | bigint };
  get(...values: never[]): unknown;
}

/** The part that is common to `DatabaseSync` of node:sqlite, and `Database` of better-sqlite3 and bun:sqlite. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

const EXPECTED =
  'sqliteStore needs an open, synchronous SQLite database: new DatabaseSync(file) of node:sqlite, or new Database(file) of better-sqlite3 or bun:sqlite';

/** @throws ConfigurationError for anything but an open, synchronous database. */
export function checkDatabase(db: unknown): void {
  const members = db as Partial<SqliteDatabase> | null | undefined; // checked below
  if (typeof members?.prepare !== 'function' || typeof members.exec !== 'function') {
    throw new ConfigurationError(`${EXPECTED}.`);
  }
  let answer: unknown;
  try {
    answer = busyTimeoutOf(members as SqliteDatabase); // the two functions were checked above
  } catch (cause) {
    if (isLocked(cause)) return; // only a synchronous driver throws this
    throw new ConfigurationError(`${EXPECTED}. This one could not run a statement: is it open?`, { cause });
  }
  if (typeof answer !== 'number')
    throw new ConfigurationError(`${EXPECTED}. This one does not return a result at once: is its driver async?`);
}

/** The values of a row, which may be an object or an array, or null if there is no row. */
export function valuesOf(row: unknown): readonly unknown[] | null {
  return typeof row === 'object' && row !== null ? Object.values(row) : null;
}

/** The first value of a row. Integers may come as bigint. */
export function firstValue(row: unknown): unknown {
  const value = valuesOf(row)?.[0];
  return typeof value === 'bigint' ? Number(value) : value;
}

interface BoundStatement {
  run(...values: (string | number)[]): { readonly changes: number | bigint };
  get(...values: (string | number)[]): unknown;
}

/** Prepares a statement of the store. */
export function prepared(db: SqliteDatabase, sql: string): BoundStatement {
  return db.prepare(sql) as BoundStatement; // every SQLite driver binds text and numbers
}

/** How long SQLite waits for locks, in milliseconds. The query needs no lock of the file, but one of a shared cache. */
export function busyTimeoutOf(db: SqliteDatabase): unknown {
  return firstValue(prepared(db, 'PRAGMA busy_timeout').get());
}

/** Whether a transaction is open on this connection, or null if the driver is too old to tell. */
export function inTransaction(db: SqliteDatabase): boolean | null {
  const { isTransaction, inTransaction } = db as { isTransaction?: unknown; inTransaction?: unknown }; // each driver has one
  if (typeof isTransaction === 'boolean') return isTransaction;
  return typeof inTransaction === 'boolean' ? inTransaction : null;
}

/** SQLITE_BUSY: another connection has the lock. SQLITE_LOCKED: the same, between connections with one shared cache. */
const LOCKED_CODES: readonly unknown[] = [5, 6];
const LOCKED_NAME = /^SQLITE_(?:BUSY|LOCKED)/;

/** Whether another connection holds the lock. node:sqlite has the number, better-sqlite3 and Bun have the name. */
export function isLocked(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }; // checked below
  // The low byte is the family: SQLITE_BUSY_SNAPSHOT is 517.
  if (typeof errcode === 'number') return LOCKED_CODES.includes(errcode & 0xff);
  return typeof code === 'string' && LOCKED_NAME.test(code);
}

/** Whether the table of the store does not exist yet. */
export function isMissingTable(error: unknown, table: string): boolean {
  const name = table.replaceAll('"', '');
  return error instanceof Error && error.message.includes(`no such table: ${name}`);
}
