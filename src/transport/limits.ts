// What the calls of one client share: its clock, and the rate limit that one of them met.

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
 * The milliseconds that a wait must leave of the deadline, so that the next attempt can get a response: a tenth
 * of the timeout or of the deadline, whichever is shorter, and at most a second.
 */
export function shortestAttempt(timeout: number, deadline: number): number {
  return Math.min(SHORTEST_MAX, timeout * SHORTEST_SHARE, deadline * SHORTEST_SHARE);
}

/** The largest share of a wait that is added at random, so that waiting calls do not start at the same moment. */
const SPREAD = 0.2;

/** The rate limit that a call of the client met. The others hold back until it is over. */
export class RateLimit {
  readonly #runtime: Runtime;
  #until = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Notes that the service asked to wait. */
  hold(milliseconds: number): void {
    this.#until = Math.max(this.#until, this.#runtime.monotonic() + milliseconds);
  }

  /**
   * The milliseconds that an attempt waits: until the limit is over and up to a fifth more. 0 if there is no limit, or
   * if it outlasts `longest` or the time left: the attempt is then made at once.
   */
  wait(longest: number, timeLeft: number): number {
    const left = this.#until - this.#runtime.monotonic();
    if (left <= 0 || left > longest) return 0;
    const wait = left * (1 + SPREAD * this.#runtime.random());
    return wait < timeLeft ? wait : 0;
  }
}
