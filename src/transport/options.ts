import type { Callback } from '../checks.ts';
import type { Operation } from '../contract/endpoints.ts';
import type { DriftKind } from '../contract/values/drift.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';

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

/** A row of an answer that cannot be read. */
export interface InvalidRow {
  /** Place in the answer, from 0. */
  readonly index: number;
  /** The first member that is wrong. Empty for the row as a whole. */
  readonly path: string;
  /** The row as received. */
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
  readonly onInvalidItem?: Callback<[row: InvalidRow]> | undefined;
}

/** The event of hooks and the logger. It never holds a body, a header or a secret. */
export interface CallEvent {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST';
  /** Path template, such as `/api/v1/external/invoices/{ident}`. */
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
}
export interface ResponseEvent extends CallEvent {
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | null;
}
export interface RetryEvent extends CallEvent {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly outcome: Outcome;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}
export interface ErrorEvent extends CallEvent {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly outcome: Outcome;
  /** The whole call, waits included. */
  readonly durationMs: number;
}

/**
 * A deviation of an answer from the interface that was accepted. Reported once per operation, kind and path.
 *
 * | kind | what came | what the client does |
 * |---|---|---|
 * | `unknown_field` | a member that the interface does not name | keeps it |
 * | `unknown_word` | a word that is not listed, such as a new status | passes it |
 * | `number_for_decimal` | a JSON number where a decimal string should be | reads it, if it is certainly exact |
 * | `text_for_number` | digits as text where an integer should be | reads them |
 * | `list_for_object` | `[]` where an object or null should be | treats it as null |
 * | `null_for_list` | null where a list should be | treats it as an empty list |
 * | `no_envelope` | the payload without its envelope | reads it |
 * | `unreadable_member` | a member of a withdrawal that cannot be read | null, and the received value is in `unreadable` |
 * | `invalid_item` | a row that cannot be read, of a list that leaves such rows out | leaves it out |
 * | `filter_ignored` | a row that contradicts the filter: the service may use another name for it | leaves it out |
 * | `size_ignored` | pages of another size than was asked for | walks the list with that size |
 * | `count_mismatch` | fewer rows than `total_items`, and none of them twice | ends the walk |
 */
export interface DriftEvent {
  readonly operation: Operation;
  /** Members joined with dots, `*` for each item of a list: `items.*.amount`. Empty for the payload as a whole. */
  readonly path: string;
  readonly kind: DriftKind | 'invalid_item' | 'filter_ignored' | 'size_ignored' | 'count_mismatch';
}

/**
 * Functions that are called at each step of a call. Errors thrown in them are ignored.
 *
 * @example
 * const hooks: Hooks = { onRetry: ({ operation, code }) => console.warn(`${operation} is repeated after ${code}`) };
 */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: Callback<[event: CallEvent]> | undefined;
  /** After each complete answer, whatever its status. */
  readonly onResponse?: Callback<[event: ResponseEvent]> | undefined;
  /** Before each wait. */
  readonly onRetry?: Callback<[event: RetryEvent]> | undefined;
  /** Once, when the call fails finally. */
  readonly onError?: Callback<[event: ErrorEvent]> | undefined;
}

/**
 * Receives one line per step. `console` fits.
 *
 * @example
 * new MerchantClient({ logger: { warn: (message, event) => log.warn(event, message) } });
 */
export interface Logger {
  readonly debug?: Callback<[message: string, event: object]> | undefined;
  readonly info?: Callback<[message: string, event: object]> | undefined;
  readonly warn?: Callback<[message: string, event: object]> | undefined;
  readonly error?: Callback<[message: string, event: object]> | undefined;
}
