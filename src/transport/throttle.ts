import type { RetryClass } from './retry.ts';
import type { Runtime } from './runtime.ts';
import type { ApiKey } from './secrecy/api-key.ts';

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

/** Delays all calls of a client after one of them has met a rate limit. */
export class RateLimitGate {
  readonly #runtime: Runtime;
  #closedUntil = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Lets no attempt start for this many milliseconds. */
  close(milliseconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#runtime.monotonic() + milliseconds);
  }

  /** Milliseconds that an attempt has to wait: the rest of the closed time and up to a fifth more, or 0. */
  wait(): number {
    const left = Math.max(0, this.#closedUntil - this.#runtime.monotonic());
    return left === 0 ? 0 : left * (1 + SPREAD * this.#runtime.random());
  }
}

/** The budget and the gate of one key. */
export interface KeyLimits {
  readonly budget: RetryBudget;
  readonly gate: RateLimitGate;
}

/** Keys beyond which the one that was not asked for longest is forgotten. */
const REMEMBERED = 10_000;

/**
 * The limits of each key, for a platform that calls for many businesses. A key that is given again, for example with each
 * request of a server, has its limits again. A key that is a function is recognised by the function.
 */
export class KeyedLimits {
  readonly #make: () => KeyLimits;
  readonly #byText = new Map<number, KeyLimits>();
  readonly #byFunction = new WeakMap<object, KeyLimits>();

  constructor(capacity: number | false, runtime: Runtime) {
    this.#make = () => ({ budget: new RetryBudget(capacity), gate: new RateLimitGate(runtime) });
  }

  of(key: ApiKey): KeyLimits {
    if (typeof key === 'function') {
      const limits = this.#byFunction.get(key) ?? this.#make();
      this.#byFunction.set(key, limits);
      return limits;
    }
    const print = fingerprint(key);
    const limits = this.#byText.get(print) ?? this.#make();
    this.#byText.delete(print);
    this.#byText.set(print, limits); // now the latest
    const [oldest] = this.#byText.keys();
    if (this.#byText.size > REMEMBERED && oldest !== undefined) this.#byText.delete(oldest);
    return limits;
  }
}

/**
 * Returns 53 bits of a hash, so that the keys themselves do not outlive their clients. Two keys with the same bits would
 * share their limits and nothing else.
 */
function fingerprint(key: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
