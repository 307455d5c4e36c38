import { ConfigurationError } from '../../../errors/classes.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { type LockWaiting, transaction, whenUnlocked } from './sqlite-transaction.ts';

/**
 * Makes your writes and the completion of the event in one transaction: all of it, or nothing. It takes a synchronous
 * function, calls it between BEGIN and COMMIT, and resolves with its result. At most once for an event.
 *
 * If the lock is free, all of that happens before the call returns. While another process holds the lock, the call waits
 * for up to `busyTimeout` without blocking this process. The function is called when the lock is held.
 *
 * If the function throws, its writes are rolled back and the error is rethrown. If another attempt has taken the event
 * over, the function is not called, and the call rejects with an Error. Do not catch it.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an async function, a second call, a call after the handler ended, an open transaction.
 * @example
 * createWebhookHandler({
 *   secret,
 *   store: sqliteStore(db),
 *   onPaid: (event, { commit }) =>
 *     commit((db) => void db.prepare('UPDATE orders SET paid = 1 WHERE id = ?').run(event.external_id)),
 *   onCanceled: () => {},
 * });
 */
export type SqliteCommit<Db> = <T>(work: (db: Db) => T extends PromiseLike<unknown> ? never : T) => Promise<T>;

/** How the `commit` of one event ended. */
interface CommitEnd {
  readonly state: CommitState;
  /** The failure of a call whose promise was not awaited: a forgotten `await` must not turn it into a success. */
  readonly unhandled: { readonly error: unknown } | null;
}

type CommitState = 'unused' | 'waiting' | 'committed' | 'lost';

/** The `commit` of one event. */
interface CommitOnce<Db> {
  readonly commit: SqliteCommit<Db>;
  /** Waits for a running call, refuses further ones, and returns how it ended. */
  end(): Promise<CommitEnd>;
}

/** @param complete Marks the event done if the claim still holds, and returns whether it does. */
export function commitOnce<Db extends SqliteDatabase>(
  db: Db,
  { busyTimeout, waiting }: { readonly busyTimeout: number; readonly waiting: LockWaiting },
  complete: () => boolean,
): CommitOnce<Db> {
  let state: CommitState = 'unused';
  let closed = false;
  const calls: { readonly watched: Watched<unknown>; readonly failure: Promise<CommitEnd['unhandled']> }[] = [];

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
          // First, because under this lock no other attempt can take the claim. The function of a lost claim does not begin.
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
    calls.push({ watched, failure: watched.failure() });
    return watched;
  };
  return {
    commit,
    async end() {
      closed = true;
      let unhandled: CommitEnd['unhandled'] = null;
      for (const { watched, failure } of calls) {
        const thrown = await failure;
        if (!watched.isAwaited) unhandled ??= thrown;
      }
      return { state, unhandled };
    },
  };
}

class ClaimLost extends Error {}

/** A promise that knows whether it is awaited. */
class Watched<T> extends Promise<T> {
  isAwaited = false;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: overrides that of Promise, which `await` calls
  override then<A = T, B = never>(
    onResolve?: ((value: T) => A | PromiseLike<A>) | null,
    onReject?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onResolve, onReject);
  }

  /** The failure, or null. This call does not count as waiting. */
  failure(): Promise<CommitEnd['unhandled']> {
    return super.then(
      () => null,
      (error: unknown) => ({ error }),
    );
  }
}

const SYNCHRONOUS =
  'context.commit takes a synchronous function: an async one would continue after its first await outside of the transaction, or inside of another one. Nothing was written.';

function refuseAsyncFunction(work: unknown): void {
  if (typeof work !== 'function') throw new ConfigurationError('context.commit takes a function: (db) => { … }.');
  if (Object.prototype.toString.call(work) === '[object AsyncFunction]') throw new ConfigurationError(SYNCHRONOUS);
}

function refusePromise<T>(result: T): T {
  if (typeof result !== 'object' || result === null || !('then' in result)) return result;
  void Promise.resolve(result).catch(() => undefined); // refused here, so its failure must not become an unhandled rejection
  throw new ConfigurationError(SYNCHRONOUS);
}
