import type { Callback } from '../checks.ts';
import type { Operation } from '../contract/endpoint.ts';
import type { DriftKind } from '../contract/values/drift.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';

/** What the client needs of `fetch`. The platform's own, `sandbox.fetch` and one-line fakes all fit. */
export type FetchLike = (input: string, init: FetchInit) => Promise<Response>;

/** What the client gives to {@link FetchLike}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** How failures are repeated. All durations in milliseconds. */
export interface RetryOptions {
  /** Attempts in all, the first included. Default 3. */
  readonly attempts?: number | undefined;
  /** Upper bound of the first wait; doubles with each attempt. Default 500. */
  readonly baseDelay?: number | undefined;
  /** Upper bound of any wait of our own. Default 8,000. */
  readonly maxDelay?: number | undefined;
  /** The longest Retry-After that is waited; a longer one fails at once with the real error. Default 10,000: batch jobs raise it. */
  readonly maxRetryAfter?: number | undefined;
}

/** Retry options of a client. */
export interface ClientRetryOptions extends RetryOptions {
  /** Tokens of the retry budget that all calls share; `false` switches it off. Default 500: some 35 retries in a row. */
  readonly budget?: number | false | undefined;
}

/** Options of a single call; each one left out is the client's. */
export interface CallOptions {
  /** Ends the call at whatever stage it is; the error is an AbortedError that carries the signal's reason. */
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

/** A row of an answer that is not what the interface describes. */
export interface InvalidRow {
  /** Place in the answer, from 0. */
  readonly index: number;
  /** The first member that is wrong; empty for the row as a whole. */
  readonly path: string;
  /** The row as it came. */
  readonly raw: unknown;
}

/** Options of a call that answers all its rows at once. */
export interface RowsOptions extends CallOptions {
  /**
   * Called with each row that cannot be read, which is always left out. Errors thrown here are ignored. Without this
   * option an answer none of whose rows can be read rejects.
   */
  readonly onInvalidItem?: Callback<[row: InvalidRow]> | undefined;
}

/** What hooks and the logger are told. Never a body, a header or a secret; `url` is the template, not the address. */
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
 * How an answer departed from the interface in a way that was forgiven. Reported once per operation, kind and path.
 *
 * | kind | what came | what the client does |
 * |---|---|---|
 * | `unknown_field` | a member that the interface does not name | keeps it |
 * | `unknown_word` | a word that is not listed, such as a new status | passes it |
 * | `number_for_decimal` | a JSON number where a decimal string should be | reads it, where it is surely exact |
 * | `text_for_number` | digits as text where an integer should be | reads them |
 * | `list_for_object` | `[]` where an object or null should be | takes it for null |
 * | `null_for_list` | null where a list should be | takes it for an empty list |
 * | `no_envelope` | the payload without its envelope | reads it |
 * | `unreadable_member` | a member of a withdrawal that cannot be read | null; what came is in `unreadable` |
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

/** Called at each step of a call. A hook that throws or rejects changes nothing. */
export interface Hooks {
  /** Before each attempt. */
  readonly onRequest?: Callback<[event: CallEvent]> | undefined;
  /** After each complete answer, whatever its status. */
  readonly onResponse?: Callback<[event: ResponseEvent]> | undefined;
  /** Before each wait. */
  readonly onRetry?: Callback<[event: RetryEvent]> | undefined;
  /** Once, when the call fails for good. */
  readonly onError?: Callback<[event: ErrorEvent]> | undefined;
}

/** Where one line per step goes: `console` fits. Silent by default. */
export interface Logger {
  readonly debug?: Callback<[message: string, event: object]> | undefined;
  readonly info?: Callback<[message: string, event: object]> | undefined;
  readonly warn?: Callback<[message: string, event: object]> | undefined;
  readonly error?: Callback<[message: string, event: object]> | undefined;
}
