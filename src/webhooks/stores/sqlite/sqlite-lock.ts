import { busyTimeoutOf, isLocked, type SqliteDatabase } from './sqlite-database.ts';

/** Between two tries at a lock that another connection holds, in milliseconds; the wait doubles from the first to the longest. */
const FIRST_WAIT = 5;
const LONGEST_WAIT = 100;

/** What waiting needs of its surroundings: a clock that never jumps, timers, and chance. Injected by tests. */
export interface LockWaiting {
  /** Milliseconds since some moment. */
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

/** Thrown by an attempt that found the lock held; `cause` is the error of the driver. */
export class LockHeld extends Error {
  constructor(cause: unknown) {
    super('The SQLite database is locked by another connection.', { cause });
  }
}

/**
 * Repeats an attempt that throws {@link LockHeld} until it succeeds or `busyTimeout` is over. Between two tries the event
 * loop is free: the process serves its other requests. Waits differ by chance, so that processes do not try in step.
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
 * Runs `work` with SQLite's own waiting switched off, so that each try at a lock returns at once instead of blocking the
 * process, and restores it: `timeout` of `DatabaseSync` and of better-sqlite3, whose default is 5 seconds.
 *
 * @throws LockHeld
 */
export function withoutBlocking<T>(db: SqliteDatabase, work: () => T): T {
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
  try {
    return Number(busyTimeoutOf(db));
  } catch (error) {
    throw isLocked(error) ? new LockHeld(error) : error;
  }
}
