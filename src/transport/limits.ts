import type { RetryClass } from './retry.ts';

// What the calls of one client share: its clock, the budget of retries, and the gate that a rate limit closes.

/** Clocks, timer and randomness. Tests pass their own, to control time. */
export interface Runtime {
  /** Milliseconds since the epoch, for dates. */
  now(): number;
  /** Milliseconds since any fixed moment, for durations. Nobody can set this clock. */
  monotonic(): number;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Calls back once after a number of milliseconds. Returns a function that cancels the timer. */
  timer(milliseconds: number, callback: () => void): () => void;
}

// setTimeout fires at once for a longer time, so a longer wait is cut to this: 24.8 days.
const LONGEST_TIMER = 2_147_483_647;

/** The clocks, timer and randomness of the platform, looked up at each use so that fake timers apply. */
export const PLATFORM: Runtime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  timer(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

/** Resolves after the time, or at once when the signal is aborted. The caller checks the signal. */
export function pause(runtime: Runtime, milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    let cancel = (): void => {};
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done);
    cancel = runtime.timer(milliseconds, done); // a test's timer may call back at once
  });
}

const SHORTEST_SHARE = 0.1;
const SHORTEST_MAX = 1_000;

/**
 * Returns the milliseconds that a wait must leave of the deadline, so that the next attempt can get a response: a tenth
 * of the timeout or of the deadline, whichever is shorter, and at most a second.
 */
export function shortestAttempt(timeout: number, deadline: number): number {
  return Math.min(SHORTEST_MAX, timeout * SHORTEST_SHARE, deadline * SHORTEST_SHARE);
}

const TRANSIENT_COST = 14;
const RATE_LIMIT_COST = 5;
const SUCCESS_GAIN = 1;

/**
 * A token bucket from which retries are paid. In an outage the tokens run out, so that retries do not triple the load.
 * A success gives back the price of its last retry, or one token.
 */
export class RetryBudget {
  readonly #capacity: number;
  #tokens: number;

  /** `false` switches the budget off. */
  constructor(capacity: number | false) {
    this.#capacity = capacity === false ? Number.POSITIVE_INFINITY : capacity;
    this.#tokens = this.#capacity;
  }

  /** Takes the price of one retry and returns it, or null when too few tokens are left. */
  take(retryClass: RetryClass): number | null {
    const cost = retryClass === 'rate_limit' ? RATE_LIMIT_COST : TRANSIENT_COST;
    if (this.#tokens < cost) return null;
    this.#tokens -= cost;
    return cost;
  }

  /**
   * Gives back tokens after a success. `lastCost`: the price of the last retry of the call, or null without a retry.
   */
  give(lastCost: number | null): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (lastCost ?? SUCCESS_GAIN));
  }
}

/** The largest share of a wait that is added at random, so that waiting calls do not start at the same moment. */
const SPREAD = 0.2;

/** A closed gate, as a call meets it. */
export interface ClosedGate<Limited> {
  /** Milliseconds until the gate opens. */
  readonly left: number;
  /** Milliseconds that an attempt waits: `left`, and up to a fifth more. */
  readonly wait: number;
  /** The failure that closed the gate, for a call that cannot wait. */
  readonly limited: Limited;
}

/** The longest time that the gate is closed: a wrong Retry-After of a day must not stop a shop for a day. */
const LONGEST_CLOSED = 60_000;

/** Delays all calls of a client after one of them met a rate limit. */
export class RateLimitGate<Limited> {
  readonly #runtime: Runtime;
  #closedUntil = 0;
  #limited: Limited | null = null;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Lets no attempt start for this many milliseconds, at most a minute. */
  close(milliseconds: number, limited: Limited): void {
    const until = this.#runtime.monotonic() + Math.min(milliseconds, LONGEST_CLOSED);
    if (until <= this.#closedUntil) return;
    this.#closedUntil = until;
    this.#limited = limited;
  }

  /** Returns how long the gate is closed, or null if it is open. */
  closed(): ClosedGate<Limited> | null {
    if (this.#limited === null) return null;
    const left = this.#closedUntil - this.#runtime.monotonic();
    if (left <= 0) return null;
    return { left, wait: left * (1 + SPREAD * this.#runtime.random()), limited: this.#limited };
  }
}
