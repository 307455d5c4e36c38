import type { Claim, WebhookStore } from '../stores/store.ts';
import type { WebhookTimers } from './handler-options.ts';
import { LEASE } from './replies.ts';

/** A claim of 50 seconds survives one renewal that fails. */
export const RENEW_EVERY = 20_000;
/** A function that has not settled 10 minutes after its claim is taken for dead: renewal ends, a repeat takes over. */
export const MAX_RUN = 600_000;

/** Prolongs a claim until the answer is called, it is lost, or its time is over. */
export function keepLease(store: Pick<WebhookStore, 'renew'>, claim: Claim, timers: WebhookTimers): () => void {
  let left = MAX_RUN / RENEW_EVERY;
  let timer: unknown;
  let ended = false;
  const end = (): void => {
    ended = true;
    timers.clearTimeout(timer);
  };
  const renew = async (): Promise<void> => {
    left -= 1;
    next(); // first, so that a renewal which hangs does not hold up the one after it
    try {
      if (!(await store.renew(claim, LEASE))) end();
    } catch {
      // The store may be back at the next turn; if not, the completion finds the claim lost, and says so.
    }
  };
  const next = (): void => {
    if (ended || left === 0) return;
    timer = timers.setTimeout(() => void renew(), RENEW_EVERY);
    unref(timer);
  };
  next();
  return end;
}

// A renewal alone is no reason for a Node process to stay alive.
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
}
