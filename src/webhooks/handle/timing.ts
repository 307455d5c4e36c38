import type { Claim, WebhookStore } from '../stores/store.ts';
import type { HandlerSettings } from './handler-options.ts';
import type { Ending } from './verdict.ts';

// How long the handling of an event may take: the time limit of a delivery, and the lease of its claim.

/** Timers, for tests. The defaults are the global functions. */
export interface WebhookTimers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const globalTimers: WebhookTimers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>), // the result of setTimeout above
};

/**
 * Runs work under the time limit of a delivery: the caller gets an answer in time, and the work continues. The work must
 * not reject. Its signal is aborted at the limit, or when `stop` is.
 *
 * @returns How the work ended, or null if the time limit came first, and the work itself, which continues after the limit.
 */
export async function runWithTimeLimit(
  { timers, timeout }: Pick<HandlerSettings<object>, 'timers' | 'timeout'>,
  begin: (signal: AbortSignal) => Promise<Ending>,
  stop?: AbortSignal,
): Promise<{ readonly ending: Ending | null; readonly work: Promise<Ending> }> {
  const limit = new AbortController();
  const onStop = (): void => limit.abort(stop?.reason);
  let timer: unknown;
  const overdue = new Promise<null>((resolve) => {
    timer = timers.setTimeout(() => {
      resolve(null); // before the abort, which may make the work end at once
      limit.abort(new DOMException(`The time limit of ${timeout} ms has ended.`, 'TimeoutError'));
    }, timeout);
  });
  stop?.addEventListener('abort', onStop);
  const work = begin(limit.signal);
  const ending = await Promise.race([work, overdue]);
  timers.clearTimeout(timer);
  stop?.removeEventListener('abort', onStop);
  return { ending, work };
}

/** The lease of a claim. The service first repeats a delivery after a minute, so that repeat finds a crash. */
export const LEASE = 50_000;
/** A claim of 50 seconds survives one renewal that fails. */
const RENEW_EVERY = 20_000;
/** After 10 minutes a function that has not settled counts as dead: renewal ends, and a repeat takes the event over. */
const MAX_RUN = 600_000;

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
