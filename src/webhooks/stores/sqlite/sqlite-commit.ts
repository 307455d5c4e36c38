import { ConfigurationError } from '../../../errors/classes.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { type LockWaiting, whenUnlocked } from './sqlite-lock.ts';
import { transaction } from './sqlite-transaction.ts';

/**
 * Writes and the completion of the event in one transaction: all of it, or nothing. Takes a synchronous function, calls
 * it between BEGIN and COMMIT, and resolves with its result. At most once for an event.
 *
 * Where the lock is free, all of that happens before the call returns. While another process holds it, the call waits
 * for up to `busyTimeout` without blocking this process, and the function is not called before the lock is there.
 *
 * What the function throws is rolled back and thrown on. Where another attempt has taken the event over, the function
 * is not called, and the call rejects with an Error: let it pass.
 *
 * @throws ConfigurationError for an async function, a second call, a call after the handler ended, an open transaction.
 */
export type SqliteCommit<Db> = <T>(work: (db: Db) => T extends PromiseLike<unknown> ? never : T) => Promise<T>;

/** What became of one event's `commit`. */
export interface CommitEnd {
  readonly state: CommitState;
  /** The failure of a call whose promise nobody looked at: a forgotten `await` must not turn it into a success. */
  readonly unheard: { readonly error: unknown } | null;
}

type CommitState = 'unused' | 'waiting' | 'committed' | 'lost';

/** One event's `commit`. */
export interface CommitOnce<Db> {
  readonly commit: SqliteCommit<Db>;
  /** Waits for a call that is under way, refuses further ones, and says how it went. */
  end(): Promise<CommitEnd>;
}

/** @param complete marks the event done if the claim still holds, and says whether it does. */
export function commitOnce<Db extends SqliteDatabase>(
  db: Db,
  { busyTimeout, waiting }: { readonly busyTimeout: number; readonly waiting: LockWaiting },
  complete: () => boolean,
): CommitOnce<Db> {
  let state: CommitState = 'unused';
  let closed = false;
  const calls: { readonly watched: Watched<unknown>; readonly outcome: Promise<{ readonly error: unknown } | null> }[] =
    [];

  const attempt = async <T>(work: (db: Db) => T): Promise<T> => {
    if (closed) throw new ConfigurationError('context.commit was called after the handler had ended: await your work.');
    if (state === 'committed' || state === 'waiting') {
      throw new ConfigurationError('context.commit was called twice: put all writes of the event into one call.');
    }
    refuseAsyncFunction(work);
    state = 'waiting';
    try {
      const result = await whenUnlocked(waiting, busyTimeout, () =>
        transaction(db, 'EXCLUSIVE', () => {
          // First, as under this lock nobody can take the claim: a late loser's function does not even begin.
          if (!complete()) throw new ClaimLost('Another attempt took the event over. Nothing was written.');
          return refusePromise(work(db));
        }),
      );
      state = 'committed';
      return result;
    } catch (error) {
      state = error instanceof ClaimLost ? 'lost' : 'unused';
      throw error;
    }
  };
  const commit = <T>(work: (db: Db) => T): Promise<T> => {
    const watched = new Watched<T>((resolve, reject) => void attempt(work).then(resolve, reject));
    calls.push({ watched, outcome: watched.outcome() });
    return watched;
  };
  return {
    commit,
    async end() {
      closed = true;
      let unheard: CommitEnd['unheard'] = null;
      for (const { watched, outcome } of calls) {
        const failure = await outcome;
        if (!watched.heard) unheard ??= failure;
      }
      return { state, unheard };
    },
  };
}

class ClaimLost extends Error {}

/** A promise that knows whether somebody waits for it. */
class Watched<T> extends Promise<T> {
  heard = false;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has one, and an `await` of this class calls it
  override then<A = T, B = never>(
    onResolve?: ((value: T) => A | PromiseLike<A>) | null,
    onReject?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.heard = true;
    return super.then(onResolve, onReject);
  }

  /** The failure, or null; to ask is not to hear. */
  outcome(): Promise<{ readonly error: unknown } | null> {
    return super.then(
      () => null,
      (error: unknown) => ({ error }),
    );
  }
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
