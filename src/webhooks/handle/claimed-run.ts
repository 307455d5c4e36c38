import type { Claim, WebhookStore } from '../stores/store.ts';
import type { WebhookTimers } from './handler-options.ts';
import { keepLease } from './lease.ts';

/** How a run under a claim ended. */
export type RunEnding =
  | { readonly verdict: 'done' | 'lease_lost' }
  | { readonly verdict: 'handler_failed' | 'failed_after_commit' | 'store_failed'; readonly error: unknown };

type Work<Extra> = (extra: Extra) => unknown;

/**
 * The second phase: the merchant's function, then the completion; on its failure the claim is given back, unless the
 * function had committed before: then the event is done, and a repeat would write twice. Never rejects. When the store fails after the function succeeded, the claim is kept: to give it back would invite a
 * second run at once.
 */
export async function runClaimed<Extra extends object>(
  store: WebhookStore<Extra>,
  claim: Claim,
  timers: WebhookTimers,
  work: Work<Extra>,
): Promise<RunEnding> {
  const endLease = keepLease(store, claim, timers);
  let began = false;
  let failure: { readonly error: unknown } | null = null;
  const watched = async (extra: Extra): Promise<void> => {
    began = true;
    try {
      await work(extra);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  // Read through a function, as the compiler does not see that `watched` assigns.
  const failed = (): { readonly error: unknown } | null => failure;
  try {
    const held = store.run === undefined ? await plainRun(store, claim, watched) : await store.run(claim, watched);
    if (!began) throw new Error('The store answered without running the work.');
    const failure = failed();
    // Lost first: a store may tell the loss to the function by throwing, and that is no failure of the function.
    if (!held) return { verdict: 'lease_lost' };
    // Only where the store says so in as many words: a store that swallows the failure must not make it a success.
    if (typeof held === 'object') return { verdict: 'failed_after_commit', error: held.failedAfterCommit };
    if (failure === null) return { verdict: 'done' };
    return await giveBack(store, claim, { verdict: 'handler_failed', error: failure.error });
  } catch (error) {
    const failure = failed();
    if (failure !== null) return await giveBack(store, claim, { verdict: 'handler_failed', error: failure.error });
    const ending = { verdict: 'store_failed', error } as const;
    return began ? ending : await giveBack(store, claim, ending);
  } finally {
    endLease();
  }
}

async function plainRun<Extra extends object>(
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

async function giveBack(store: Pick<WebhookStore, 'release'>, claim: Claim, ending: RunEnding): Promise<RunEnding> {
  try {
    await store.release(claim);
  } catch {
    // The lease ends by itself.
  }
  return ending;
}
