import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../option-checks.ts';

/** At most `requests` in any `window` of milliseconds. */
export interface RateLimit {
  readonly requests: number;
  readonly window: number;
}

const WINDOWS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, m: 60_000, h: 3_600_000 };
/** Bounds the memory of the counter, which holds the time of each request. */
const MOST = 100_000;

/** Reads `"10/s"`, `"100/min"` or `"5000/h"`. @throws ConfigurationError */
export function parseRateLimit(value: unknown): RateLimit {
  const [, count = '', unit = ''] =
    typeof value === 'string' ? (/^(\d{1,6})\/(s|min|m|h)$/.exec(value.trim()) ?? []) : [];
  const requests = Number(count);
  const window = WINDOWS[unit];
  if (window !== undefined && requests >= 1 && requests <= MOST) return { requests, window };
  throw new ConfigurationError(
    `rateLimit must be a number of requests from 1 to ${MOST} and their time, such as "10/s", "100/min" or "5000/h", not ${shown(value)}`,
  );
}

/** Counts the requests of the last window, in real time. @internal */
export class RequestCounter {
  readonly #limit: RateLimit | null;
  readonly #wallClock: () => number;
  /** The times of the admitted requests, oldest first. */
  #times: number[] = [];

  constructor(limit: RateLimit | null, wallClock: () => number) {
    this.#limit = limit;
    this.#wallClock = wallClock;
  }

  /** Admits a request and returns null, or returns the seconds until one is admitted. A refused request is not counted. */
  admit(): number | null {
    if (this.#limit === null) return null;
    const { requests, window } = this.#limit;
    const now = this.#wallClock();
    const begin = this.#times.findIndex((at) => at > now - window && at <= now); // a clock that was set back forgets
    if (begin !== 0) this.#times = begin === -1 ? [] : this.#times.slice(begin);
    const [oldest = now] = this.#times;
    if (this.#times.length >= requests) return Math.max(1, Math.ceil((oldest + window - now) / 1_000));
    this.#times.push(now);
    return null;
  }

  clear(): void {
    this.#times = [];
  }
}
