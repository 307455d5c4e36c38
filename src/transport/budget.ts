import type { RetryClass } from './retry.ts';

const TRANSIENT_COST = 14;
const RATE_LIMIT_COST = 5;
const SUCCESS_GAIN = 1;

/**
 * Token bucket that all calls of a client share: in an outage the retries dry up instead of tripling the load.
 * A success gives back what its last retry cost, or one token.
 */
export class RetryBudget {
  readonly #capacity: number;
  #tokens: number;

  /** `false` switches the budget off. */
  constructor(capacity: number | false) {
    this.#capacity = capacity === false ? Number.POSITIVE_INFINITY : capacity;
    this.#tokens = this.#capacity;
  }

  /** Takes the price of one retry; null when there is not enough left. */
  take(retryClass: RetryClass): number | null {
    const cost = retryClass === 'rate_limit' ? RATE_LIMIT_COST : TRANSIENT_COST;
    if (this.#tokens < cost) return null;
    this.#tokens -= cost;
    return cost;
  }

  /** `lastCost`: what the last retry of the call that succeeded had cost. */
  give(lastCost: number | null): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (lastCost ?? SUCCESS_GAIN));
  }
}
