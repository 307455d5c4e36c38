import type { Runtime } from './runtime.ts';

const SPREAD = 0.2;

/** A rate limit seen by one call delays its siblings, spread out so that they do not come back in lockstep. */
export class RateLimitGate {
  readonly #runtime: Runtime;
  #closedUntil = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** No call of this client starts for this many milliseconds. */
  close(milliseconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#runtime.monotonic() + milliseconds);
  }

  /** The wait of an attempt that has not started: what is left, and up to a fifth more; 0 when the gate is open. */
  wait(): number {
    const left = Math.max(0, this.#closedUntil - this.#runtime.monotonic());
    return left === 0 ? 0 : left * (1 + SPREAD * this.#runtime.random());
  }
}
