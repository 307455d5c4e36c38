/**
 * Clocks, timers and randomness of a client. Replace them in tests to control time.
 *
 * @experimental
 * @example
 * let now = 0; // a clock that waits for nobody: each wait ends at once
 * const runtime: Runtime = {
 *   now: () => now,
 *   monotonic() { return now; },
 *   random: () => 0.5,
 *   timer(milliseconds, callback) {
 *     now += milliseconds;
 *     queueMicrotask(callback);
 *     return () => {};
 *   },
 * };
 * const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch, runtime });
 */
export interface Runtime {
  /** Milliseconds since the epoch, for dates. */
  now(): number;
  /**
   * Milliseconds since any fixed moment, for durations: never set back or forward.
   * Default `performance.now()`, or `now` where that is replaced.
   */
  monotonic(): number;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Calls back once after a number of milliseconds. Returns a function that cancels the timer. */
  timer(milliseconds: number, callback: () => void): () => void;
}

// setTimeout fires at once above this, so a longer wait is cut to 24.8 days.
const LONGEST_TIMER = 2_147_483_647;

/** The clocks, timers and randomness of the platform, looked up at each use so that fake timers apply. */
const platform: Runtime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  timer(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(milliseconds, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

/** Returns the platform's runtime with the given members replaced. They are called on the object, which may be a class instance. */
export function runtimeOf(given: { readonly [Name in keyof Runtime]?: Runtime[Name] | undefined } = {}): Runtime {
  const now = (): number => (given.now === undefined ? platform.now() : given.now());
  return {
    now,
    monotonic: () => {
      if (given.monotonic !== undefined) return given.monotonic();
      // A clock that is replaced alone drives durations as well.
      return given.now === undefined ? platform.monotonic() : now();
    },
    random: () => (given.random === undefined ? platform.random() : given.random()),
    timer: (milliseconds, callback) =>
      given.timer === undefined ? platform.timer(milliseconds, callback) : given.timer(milliseconds, callback),
  };
}

/** Resolves after the time, or at once when the signal aborts. The caller checks the signal. */
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
