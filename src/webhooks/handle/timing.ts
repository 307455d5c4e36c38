import type { Claim, LeaseStore } from '../stores/store.ts';

// How long an event may take: the time limit of a delivery, the lease of a claim, and the longest run of a function.

/** Timers, for tests. The defaults are the global functions. */
export interface WebhookTimers {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export const globalTimers: WebhookTimers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>), // the result of setTimeout above
};

/** The time limit of a delivery. The caller gets a response in time, and work that has begun continues. */
export interface TimeLimit {
  /** Aborted at the limit, and when the caller stops. */
  readonly signal: AbortSignal;
  /** Resolves with the result of the work, or with null if the limit came first. The work must not reject. */
  race<Result>(work: Promise<Result>): Promise<Result | null>;
  /** Ends the timer. */
  end(): void;
}

/** Starts the time limit. `stop`, the signal of a caller of `catchUp`, aborts its signal early. */
export function startTimeLimit(
  { timers, timeout }: { readonly timers: WebhookTimers; readonly timeout: number },
  stop?: AbortSignal,
): TimeLimit {
  const limit = new AbortController();
  const onStop = (): void => limit.abort(stop?.reason);
  let expire = (_ending: null): void => {};
  const overdue = new Promise<null>((resolve) => {
    expire = resolve;
  });
  const timer = timers.setTimeout(() => {
    expire(null); // before the abort, which may make the work end at once
    limit.abort(new DOMException(`The time limit of ${timeout} ms has ended.`, 'TimeoutError'));
  }, timeout);
  stop?.addEventListener('abort', onStop);
  return {
    signal: limit.signal,
    race: (work) => Promise.race([work, overdue]),
    end() {
      timers.clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
    },
  };
}

/**
 * The lease of a claim. It is shorter than the minute until the first repeat of the service, which can then take over
 * after a crash.
 */
export const LEASE = 50_000;
/** A lease of 50 seconds survives one extension that fails. */
const EXTEND_EVERY = 20_000;
/** After 10 minutes a function that has not settled counts as dead: no extension follows, and a repeat takes the event over. */
const MAX_RUN = 600_000;

/** A signal that is aborted when a function that has not settled counts as dead. `end` ends the timer. */
export function limitRun(timers: WebhookTimers): { readonly signal: AbortSignal; end(): void } {
  const dead = new AbortController();
  const timer = timers.setTimeout(
    () => dead.abort(new Error('The function ran for ten minutes: the store ended its transaction.')),
    MAX_RUN,
  );
  unref(timer);
  return { signal: dead.signal, end: () => timers.clearTimeout(timer) };
}

/** Extends a claim until the returned function is called, the claim is lost, or its time has ended. */
export function keepLease(store: Pick<LeaseStore, 'extend'>, claim: Claim, timers: WebhookTimers): () => void {
  let left = MAX_RUN / EXTEND_EVERY;
  let timer: unknown;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    timers.clearTimeout(timer);
  };
  const extend = async (): Promise<void> => {
    left -= 1;
    next(); // first, so that an extension which hangs does not delay the next one
    try {
      if (!(await store.extend(claim, LEASE))) end();
    } catch {
      // The next extension may succeed. If none does, the completion finds the claim lost and reports it.
    }
  };
  const next = (): void => {
    if (isOver || left === 0) return;
    timer = timers.setTimeout(() => void extend(), EXTEND_EVERY);
    unref(timer);
  };
  next();
  return end;
}

/** Lets Node end the process although the timer is running. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref();
}
