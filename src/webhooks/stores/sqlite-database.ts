import { ConfigurationError } from '../../errors.ts';

/** What the store binds. */
export type SqliteValue = string | number | null;

/** A prepared statement of node:sqlite or better-sqlite3. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  get(...values: SqliteValue[]): unknown;
}

/** What `DatabaseSync` of node:sqlite and `Database` of better-sqlite3 have in common. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

const EXPECTED =
  'sqliteStore needs an open, synchronous SQLite database: new DatabaseSync(file) of node:sqlite, or new Database(file) of better-sqlite3';

/** @throws ConfigurationError for anything that does not answer as a synchronous database does. */
export function checkDatabase(db: unknown): void {
  const form = db as Partial<SqliteDatabase> | null | undefined; // looked at, not trusted
  if (typeof form?.prepare !== 'function' || typeof form.exec !== 'function') {
    throw new ConfigurationError(`${EXPECTED}.`);
  }
  let answer: unknown;
  try {
    answer = firstValue((form as SqliteDatabase).prepare('SELECT 1').get()); // the two functions were just seen
  } catch (error) {
    if (isBusy(error)) return; // another process holds the lock: no other driver says so
    throw new ConfigurationError(`${EXPECTED}. This one could not run SELECT 1: is it open?`);
  }
  if (answer !== 1) throw new ConfigurationError(`${EXPECTED}. This one does not answer at once: is its driver async?`);
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

/** Whether a transaction is open on this connection; null where the driver is too old to say. */
export function inTransaction(db: SqliteDatabase): boolean | null {
  const { isTransaction, inTransaction } = db as { isTransaction?: unknown; inTransaction?: unknown }; // each driver has one
  if (typeof isTransaction === 'boolean') return isTransaction;
  return typeof inTransaction === 'boolean' ? inTransaction : null;
}

const SQLITE_BUSY = 5;

/** Whether another connection held the lock. node:sqlite gives the number, better-sqlite3 the name. */
export function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }; // looked at, not trusted
  if (typeof errcode === 'number') return (errcode & 0xff) === SQLITE_BUSY;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}

/** Whether the store's table is not there yet. */
export function isMissingTable(error: unknown, table: string): boolean {
  const name = table.replaceAll('"', '');
  return error instanceof Error && error.message.includes(`no such table: ${name}`);
}
