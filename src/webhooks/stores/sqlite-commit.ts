import { ConfigurationError } from '../../errors.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { immediately, withBusyTimeout } from './sqlite-transaction.ts';

/**
 * Writes and the completion of the event in one transaction: all of it, or nothing. Takes a synchronous function, calls
 * it between BEGIN IMMEDIATE and COMMIT, and gives its result back. At most once for an event.
 *
 * What the function throws is rolled back and thrown on. Where another attempt has taken the event over, the function
 * is not called, and an Error is thrown: let it pass.
 *
 * @throws ConfigurationError for an async function, a second call, a call after the handler ended, an open transaction.
 */
export type SqliteCommit<Db> = <T>(work: (db: Db) => T extends PromiseLike<unknown> ? never : T) => T;

/** One event's `commit`, and what became of it. */
export interface CommitOnce<Db> {
  readonly commit: SqliteCommit<Db>;
  state(): 'unused' | 'committed' | 'lost';
  /** After this the function refuses. */
  close(): void;
}

/** @param complete marks the event done if the claim still holds, and says whether it does. */
export function commitOnce<Db extends SqliteDatabase>(
  db: Db,
  busyTimeout: number,
  complete: () => boolean,
): CommitOnce<Db> {
  let state: 'unused' | 'committed' | 'lost' = 'unused';
  let closed = false;

  const commit: SqliteCommit<Db> = (work) => {
    if (closed) throw new ConfigurationError('context.commit was called after the handler had ended: await your work.');
    if (state === 'committed') {
      throw new ConfigurationError('context.commit was called twice: put all writes of the event into one call.');
    }
    refuseAsyncFunction(work);
    return withBusyTimeout(db, busyTimeout, () => {
      const result = immediately(db, () => {
        // First, as under this lock nobody can take the claim: a late loser's function does not even begin.
        if (!complete()) {
          state = 'lost';
          throw new Error('Another attempt took the event over. Nothing was written.');
        }
        return refusePromise(work(db));
      });
      state = 'committed';
      return result;
    });
  };
  return {
    commit,
    state: () => state,
    close: () => {
      closed = true;
    },
  };
}

const SYNCHRONOUS =
  'context.commit takes a synchronous function: what an async one does after its first await would be outside of the transaction, or inside of somebody else’s. Nothing was written.';

function refuseAsyncFunction(work: unknown): void {
  if (typeof work !== 'function') throw new ConfigurationError('context.commit takes a function: (db) => { … }.');
  if (Object.prototype.toString.call(work) === '[object AsyncFunction]') throw new ConfigurationError(SYNCHRONOUS);
}

function refusePromise<T>(result: T): T {
  if (typeof result !== 'object' || result === null || !('then' in result)) return result;
  void Promise.resolve(result).catch(() => undefined); // refused here: its own failure has nobody to hear it
  throw new ConfigurationError(SYNCHRONOUS);
}
