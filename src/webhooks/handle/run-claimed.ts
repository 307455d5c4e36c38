import type { Claim, WebhookStore } from '../stores/store.ts';
import { type Ending, LEASE } from './verdict.ts';

/** Timers, for tests. The defaults are the global functions. */
export interface WebhookTimers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

const MESSAGES = {
  done: 'The event was handled.',
  handler_failed: 'Your function threw. The claim was released, so that the next attempt can run the function again.',
  failed_after_commit:
    'Your function threw after its commit. The event is done and answered 200: the rest of the function will not run again.',
  store_failed: 'The store failed around your function. If the function succeeded, it may run again.',
  lease_lost: 'Your function outlived its lease, and another attempt took the event over.',
} as const;

function ended(verdict: keyof typeof MESSAGES, thrown?: { readonly error: unknown }): Ending {
  return { verdict, message: MESSAGES[verdict], ...thrown };
}

/**
 * The second phase: runs the merchant's function, then the completion. Never rejects.
 *
 * If the function fails, the claim is released, unless the function had committed before: the event is then done, and a
 * repeat would write twice. If the store fails after the function succeeded, the claim is kept: to release it would
 * start a second run at once.
 */
export async function runClaimed<Extra extends object>(
  store: WebhookStore<Extra>,
  claim: Claim,
  timers: WebhookTimers,
  work: (extra: Extra) => unknown,
): Promise<Ending> {
  const endLease = keepLease(store, claim, timers);
  const run: { hasBegun: boolean; failure: { readonly error: unknown } | null } = { hasBegun: false, failure: null };
  const watched = async (extra: Extra): Promise<void> => {
    run.hasBegun = true;
    try {
      await work(extra);
    } catch (error) {
      run.failure = { error };
      throw error;
    }
  };
  try {
    const result = store.run === undefined ? await runPlain(store, claim, watched) : await store.run(claim, watched);
    if (!run.hasBegun) throw new Error('The store answered without running the work.');
    // Before the failure: a store may report the loss to the function by throwing, which is not the function's failure.
    if (!result) return ended('lease_lost');
    // Only if the store reports it: a store that swallows the failure must not turn it into a success.
    if (typeof result === 'object') return ended('failed_after_commit', { error: result.failedAfterCommit });
    if (run.failure === null) return ended('done');
    throw run.failure.error;
  } catch (error) {
    const { hasBegun, failure } = run;
    if (failure !== null || !hasBegun) await releaseQuietly(store, claim);
    return failure === null ? ended('store_failed', { error }) : ended('handler_failed', failure);
  } finally {
    endLease();
  }
}

async function runPlain<Extra extends object>(
  store: WebhookStore<Extra>,
  claim: Claim,
  work: (extra: Extra) => Promise<void>,
): Promise<boolean> {
  await work({} as Extra); // a store without `run` promises no additions
  try {
    return await store.complete(claim);
  } catch {
    return await store.complete(claim); // once more: it may have been applied, and a lost one would repeat the work
  }
}

/** Releases a claim. Ignores a failure of the store, because the lease expires. */
export async function releaseQuietly(store: Pick<WebhookStore, 'release'>, claim: Claim): Promise<void> {
  try {
    await store.release(claim);
  } catch {
    // The lease expires.
  }
}

/** A claim of 50 seconds survives one renewal that fails. */
export const RENEW_EVERY = 20_000;
/** After 10 minutes a function that has not settled counts as dead: renewal ends, and a repeat takes the event over. */
export const MAX_RUN = 600_000;

/** Renews a claim until the returned function is called, the claim is lost, or its time has ended. */
export function keepLease(store: Pick<WebhookStore, 'renew'>, claim: Claim, timers: WebhookTimers): () => void {
  let left = MAX_RUN / RENEW_EVERY;
  let timer: unknown;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    timers.clearTimeout(timer);
  };
  const renew = async (): Promise<void> => {
    left -= 1;
    next(); // first, so that a renewal which hangs does not delay the next one
    try {
      if (!(await store.renew(claim, LEASE))) end();
    } catch {
      // The next renewal may succeed. If none does, the completion finds the claim lost and reports it.
    }
  };
  const next = (): void => {
    if (isOver || left === 0) return;
    timer = timers.setTimeout(() => void renew(), RENEW_EVERY);
    unref(timer);
  };
  next();
  return end;
}

// A renewal alone must not keep a Node process alive.
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
}
