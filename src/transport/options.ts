import type { Callback } from '../checks.ts';

/**
 * The part of `fetch` that the client uses. The platform's `fetch`, `sandbox.fetch` and one-line fakes fit.
 *
 * @example
 * const fetch: FetchLike = async () => Response.json({ success: true, data: [] });
 */
export type FetchLike = (input: string, init: FetchInit) => Promise<Response>;

/** The second argument of {@link FetchLike}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/**
 * How failed attempts are repeated. Durations in milliseconds.
 *
 * @example
 * await merchant.invoices.get('order-1042', { retry: { attempts: 5, maxRetryAfter: 60_000 } });
 */
export interface RetryOptions {
  /**
   * Attempts in all, the first included.
   * @defaultValue 3
   */
  readonly attempts?: number | undefined;
  /**
   * Upper bound of the first wait. It doubles with each attempt.
   * @defaultValue 500
   */
  readonly baseDelay?: number | undefined;
  /**
   * Upper bound of a wait for which the service sends no Retry-After.
   * @defaultValue 8_000
   */
  readonly maxDelay?: number | undefined;
  /**
   * The longest Retry-After that is waited. A longer one fails at once with the error of the answer. Batch jobs raise it.
   * @defaultValue 10_000
   */
  readonly maxRetryAfter?: number | undefined;
}

/**
 * Retry options of a client.
 *
 * @example
 * new MerchantClient({ retry: { attempts: 2, budget: false } });
 */
export interface ClientRetryOptions extends RetryOptions {
  /**
   * Tokens of the retry budget that all calls share. 500 pay for about 35 retries in a row. `false` switches it off.
   * @defaultValue 500
   */
  readonly budget?: number | false | undefined;
}

/**
 * Options of a single call. The client's option applies where one is absent.
 *
 * @example
 * await merchant.invoices.create(params, { timeout: 5_000, signal: AbortSignal.timeout(20_000) });
 */
export interface CallOptions {
  /** Ends the call at any stage with an AbortedError, which holds the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, body included. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, waits included. */
  readonly deadline?: number | undefined;
  /** `false`: one attempt. */
  readonly retry?: false | RetryOptions | undefined;
  /** Headers added to the request. X-Api-Key, Host and Content-Length cannot be set. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters added to the request, for what a service understands beyond the interface. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** An item of a list that cannot be read. */
export interface InvalidItem {
  /** The page on which it came, 1 for a list without pages. */
  readonly page: number;
  /** Place on the page, from 0. */
  readonly index: number;
  /** The first member that is wrong. Empty for the row as a whole. */
  readonly path: string;
  /** The item as received. */
  readonly raw: unknown;
}

/**
 * Options of a call that answers all its rows at once.
 *
 * @example
 * await merchant.rates.list({ fiat: 'EUR' }, { onInvalidItem: ({ path }) => console.warn('unreadable rate', path) });
 */
export interface RowsOptions extends CallOptions {
  /**
   * Called with each row that cannot be read, which is always left out. Errors thrown here are ignored. Without this
   * option an answer none of whose rows can be read rejects.
   */
  readonly onInvalidItem?: Callback<[item: InvalidItem]> | undefined;
}
