import { ConfigurationError } from '../../../errors/classes.ts';
import { busyTimeoutOf, inTransaction, isLocked, type SqliteDatabase } from './sqlite-database.ts';

/**
 * The lock that a transaction takes at its start.
 *
 * - `IMMEDIATE`: the lock for writing, for the operations of the store. Without WAL readers can still block its COMMIT. The
 *   transaction is then rolled back and repeated as a whole.
 * - `EXCLUSIVE`: without WAL the lock that COMMIT needs, so that the work runs once and its COMMIT never waits. With WAL it
 *   is the same as IMMEDIATE.
 */
type SqliteLock = 'IMMEDIATE' | 'EXCLUSIVE';

/**
 * Runs `work` between BEGIN and COMMIT. Rolls back and rethrows if it throws. It is synchronous, so that no other statement
 * on this connection can run in between, and it does not wait for a lock.
 *
 * @param withoutLock Called before BEGIN. If it returns a result, there is no transaction: a repeat of a completed event
 * needs no lock for writing.
 * @throws LockHeld if another connection holds the lock. Nothing was written.
 * @throws ConfigurationError if a transaction is already open, or `work` ended this one.
 */
export function transaction<T>(db: SqliteDatabase, lock: SqliteLock, work: () => T, withoutLock?: () => T | null): T {
  if (inTransaction(db) === true) throw openAlready();
  return withoutBlocking(db, () => {
    const known = withoutLock === undefined ? null : readUnlocked(withoutLock);
    if (known !== null) return known;
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

function readUnlocked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isLocked(error) ? new LockHeld(error) : error; // without WAL a COMMIT of another connection blocks readers
  }
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
    'A transaction is open on this SQLite connection, and the writes of the store would become a part of it. Call context.commit outside of transactions. Give the store a separate connection if yours has transactions that stay open across an await.',
    cause === undefined ? {} : { cause },
  );
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, for example because the disk is full.
  }
}

/** Milliseconds between two tries at a lock that another connection holds. The wait doubles from the first to the longest. */
const FIRST_WAIT = 5;
const LONGEST_WAIT = 100;

/** A monotonic clock, a timer and random numbers. Injected by tests. */
export interface LockWaiting {
  /** Milliseconds since an arbitrary moment. */
  elapsed(): number;
  sleep(ms: number): Promise<void>;
  /** A number from 0 to 1. */
  random(): number;
}

export const realWaiting: LockWaiting = {
  elapsed: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
};

/** Thrown if another connection holds the lock. `cause` is the error of the driver. */
class LockHeld extends Error {
  constructor(cause: unknown) {
    super('The SQLite database is locked by another connection.', { cause });
  }
}

/**
 * Repeats an attempt that throws {@link LockHeld} until it succeeds or `busyTimeout` ends. Between two tries the event
 * loop is free. Waits are partly random, so that processes do not try at the same moments.
 */
export async function whenUnlocked<T>(waiting: LockWaiting, busyTimeout: number, attempt: () => T): Promise<T> {
  const deadline = waiting.elapsed() + busyTimeout;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
      const left = deadline - waiting.elapsed();
      if (!(left > 0)) throw lockedFor(busyTimeout, error.cause);
      await waiting.sleep(Math.min(left, wait * (0.5 + waiting.random() / 2)));
    }
  }
}

function lockedFor(busyTimeout: number, cause: unknown): Error {
  return new Error(
    `The SQLite database is locked: another connection held its lock for ${busyTimeout} ms (busyTimeout). Nothing was written.`,
    { cause },
  );
}

/**
 * Runs `work` with the waiting of SQLite switched off, so that each try at a lock returns at once instead of blocking the
 * process. Afterwards restores it: `timeout` of `DatabaseSync` and of better-sqlite3, whose default is 5 seconds.
 *
 * @throws LockHeld
 */
function withoutBlocking<T>(db: SqliteDatabase, work: () => T): T {
  const before = timeoutBefore(db);
  if (before === 0) return work();
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return work();
  } finally {
    db.exec(`PRAGMA busy_timeout = ${before}`);
  }
}

function timeoutBefore(db: SqliteDatabase): number {
  return readUnlocked(() => Number(busyTimeoutOf(db)));
}
