import { ConfigurationError } from '../../errors.ts';
import { firstValue, inTransaction, isBusy, type SqliteDatabase } from './sqlite-database.ts';

/** Between two tries at a lock that another process holds. */
const FIRST_WAIT = 5;
const LONGEST_WAIT = 100;

/**
 * Runs `work` between BEGIN IMMEDIATE and COMMIT; what it throws is rolled back and thrown on. Synchronous from end to
 * end, so that no statement of anybody else on this connection can slip in.
 *
 * @throws ConfigurationError when a transaction is open already, or `work` ended this one.
 */
export function immediately<T>(db: SqliteDatabase, work: () => T): T {
  if (inTransaction(db) === true) throw openAlready();
  begin(db);
  try {
    const result = work();
    if (inTransaction(db) === false) throw new ConfigurationError('Your function ended the transaction of the store.');
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (inTransaction(db) !== false) rollBack(db);
    throw error;
  }
}

function begin(db: SqliteDatabase): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    if (error instanceof Error && error.message.includes('within a transaction')) throw openAlready();
    throw error;
  }
}

function openAlready(): ConfigurationError {
  return new ConfigurationError(
    'A transaction is open on this SQLite connection, and the store would become a part of it. Call context.commit outside of transactions, and give the store a connection of its own if yours stay open across an await.',
  );
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}

/** As {@link immediately}, repeated while another connection holds the lock, without blocking the process meanwhile. */
export async function eventually<T>(db: SqliteDatabase, busyTimeout: number, work: () => T): Promise<T> {
  let waited = 0;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return immediately(db, work);
    } catch (error) {
      if (!isBusy(error) || waited >= busyTimeout) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    waited += wait;
  }
}

/** Runs `work` with SQLite's own waiting for locks set to at least `busyTimeout`: where nothing may be awaited. */
export function withBusyTimeout<T>(db: SqliteDatabase, busyTimeout: number, work: () => T): T {
  const before = Number(firstValue(db.prepare('PRAGMA busy_timeout').get()) ?? 0);
  if (before >= busyTimeout) return work();
  db.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
  try {
    return work();
  } finally {
    db.exec(`PRAGMA busy_timeout = ${before}`);
  }
}
