import type { Runtime } from '../../src/transport/limits.ts';

/** When the fake clock starts: a whole second, so that HTTP dates can name it. */
export const START = Date.UTC(2026, 0, 31, 9, 30);

/** The limit of one attempt in the tests: a timer of this length is an attempt's, any other one is a wait. */
export const TIMEOUT = 10_000;

/**
 * A clock that stands still until something waits. Waits pass at once, move the clock and are recorded; an attempt's
 * timer runs out only when the test says so.
 */
export class FakeRuntime implements Runtime {
  /** Every wait, in order, in milliseconds. */
  readonly waits: number[] = [];
  /** The wall clock. It can be set without any time passing. */
  time = START;
  /** The monotonic clock. */
  ticks = 1_000_000;
  /** Timers of this length are an attempt's. */
  attemptLimit = TIMEOUT;
  /** Runs in place of a wait's passing, when set. */
  onWait: ((milliseconds: number) => void) | null = null;
  readonly #randoms: number[];
  readonly #attempts = new Set<() => void>();

  /** `randoms` are given out in turn; the last one repeats. */
  constructor(...randoms: number[]) {
    this.#randoms = randoms.length === 0 ? [0.5] : randoms;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.ticks;
  }

  /** Time passes. */
  pass(milliseconds: number): void {
    this.time += milliseconds;
    this.ticks += milliseconds;
  }

  random(): number {
    return (this.#randoms.length > 1 ? this.#randoms.shift() : this.#randoms[0]) ?? 0.5;
  }

  timer(milliseconds: number, callback: () => void): () => void {
    if (milliseconds === this.attemptLimit) {
      this.#attempts.add(callback);
      return () => this.#attempts.delete(callback);
    }
    this.waits.push(milliseconds);
    if (this.onWait !== null) {
      this.onWait(milliseconds);
      return () => {};
    }
    const timer = setImmediate(() => {
      this.pass(milliseconds);
      callback();
    });
    return () => clearImmediate(timer);
  }

  /** Lets the timers of all running attempts run out. */
  readonly expire = (): void => {
    this.pass(TIMEOUT);
    for (const callback of [...this.#attempts]) callback();
  };

  /** Attempt timers that nobody took back. */
  get pending(): number {
    return this.#attempts.size;
  }
}
