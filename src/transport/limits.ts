import type { RetryClass } from './retry.ts';
import type { Runtime } from './runtime.ts';

// State that the calls of a client share, so that together they do not overload a service in an outage.

const TRANSIENT_COST = 14;
const RATE_LIMIT_COST = 5;
const SUCCESS_GAIN = 1;

/**
 * A token bucket that pays for retries. In an outage the tokens run out, and the retries end instead of tripling the load.
 * A success returns the price of its last retry, or one token.
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

  /** Returns tokens after a success. `lastCost`: the price of the last retry of the call, or null. */
  give(lastCost: number | null): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (lastCost ?? SUCCESS_GAIN));
  }
}

/** Part of the wait that is added at random, so that waiting calls do not start at the same moment. */
const SPREAD = 0.2;

/** Delays all calls of a client after one of them has met a rate limit. `Limited` is what a call that cannot wait is told. */
export class RateLimitGate<Limited> {
  readonly #runtime: Runtime;
  #closedUntil = 0;
  #limited: Limited | null = null;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Lets no attempt start for this many milliseconds. */
  close(milliseconds: number, limited: Limited): void {
    const until = this.#runtime.monotonic() + milliseconds;
    if (until <= this.#closedUntil) return;
    this.#closedUntil = until;
    this.#limited = limited;
  }

  /** The rest of the closed time in milliseconds, with the answer that closed the gate, or null for an open gate. */
  closed(): { readonly left: number; readonly limited: Limited } | null {
    const left = this.#closedUntil - this.#runtime.monotonic();
    return left > 0 && this.#limited !== null ? { left, limited: this.#limited } : null;
  }

  /** Milliseconds that an attempt has to wait: the rest of the closed time and up to a fifth more, or 0. */
  wait(): number {
    return (this.closed()?.left ?? 0) * (1 + SPREAD * this.#runtime.random());
  }
}
