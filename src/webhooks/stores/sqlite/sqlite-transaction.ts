import { ConfigurationError } from '../../../errors/classes.ts';
import { inTransaction, isLocked, type SqliteDatabase } from './sqlite-database.ts';
import { LockHeld, withoutBlocking } from './sqlite-lock.ts';

/**
 * Which lock a transaction takes at its begin.
 *
 * - `IMMEDIATE`: the one for writing. Without WAL its COMMIT can still find readers in the way, and is then rolled back
 *   and repeated as a whole: for the store's own moves.
 * - `EXCLUSIVE`: without WAL the one that COMMIT needs, so that the work runs once and its COMMIT waits for nobody. With
 *   WAL it is the same as IMMEDIATE.
 */
export type SqliteLock = 'IMMEDIATE' | 'EXCLUSIVE';

/**
 * Runs `work` between BEGIN and COMMIT; what it throws is rolled back and thrown on. Synchronous from end to end, so that
 * no statement of anybody else on this connection can slip in, and without waiting for a lock.
 *
 * @throws LockHeld when another connection is in the way; nothing was written.
 * @throws ConfigurationError when a transaction is open already, or `work` ended this one.
 */
export function transaction<T>(db: SqliteDatabase, lock: SqliteLock, work: () => T): T {
  if (inTransaction(db) === true) throw openAlready();
  return withoutBlocking(db, () => {
    begin(db, lock);
    try {
      const result = work();
      if (inTransaction(db) === false)
        throw new ConfigurationError('Your function ended the transaction of the store.');
      commit(db, lock);
      return result;
    } catch (error) {
      if (inTransaction(db) !== false) rollBack(db);
      throw error;
    }
  });
}

function begin(db: SqliteDatabase, lock: SqliteLock): void {
  try {
    db.exec(`BEGIN ${lock}`);
  } catch (error) {
    if (isLocked(error)) throw new LockHeld(error);
    if (error instanceof Error && error.message.includes('within a transaction')) throw openAlready(error);
    throw error;
  }
}

function commit(db: SqliteDatabase, lock: SqliteLock): void {
  try {
    db.exec('COMMIT');
  } catch (error) {
    throw lock === 'IMMEDIATE' && isLocked(error) ? new LockHeld(error) : error;
  }
}

function openAlready(cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    'A transaction is open on this SQLite connection, and the store would become a part of it. Call context.commit outside of transactions, and give the store a connection of its own if yours stay open across an await.',
    cause === undefined ? {} : { cause },
  );
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}
