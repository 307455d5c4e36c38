import { type Callback, checkOptions, checkSignal, type Fail, kindOf, readCount, readDuration } from '../checks.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';

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

const DEFAULT_TIMEOUT = 10_000;
const DEFAULT_DEADLINE = 30_000;
const BUDGET = { byDefault: DEFAULT_RETRY.budget, min: 0 };

const FORBIDDEN_HEADERS = new Set(['x-api-key', 'host', 'content-length']);
/** Node's fetch fails on these with a network error. */
const UNSENDABLE_HEADERS = new Set(['expect', 'transfer-encoding', 'upgrade', 'keep-alive']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The options of one call, complete. Durations in milliseconds. */
export interface CallSettings {
  readonly timeout: number;
  readonly deadline: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the options of a client that its calls can override. */
export function readClientSettings(
  options: {
    readonly timeout?: number | undefined;
    readonly deadline?: number | undefined;
    readonly retry?: false | ClientRetryOptions | undefined;
  },
  fail: Fail,
): { readonly settings: CallSettings; readonly budget: number | false } {
  const retry = readRetry(options.retry, DEFAULT_RETRY, CLIENT_RETRY_NAMES, fail);
  const budget = options.retry === false ? undefined : options.retry?.budget;
  return {
    settings: {
      timeout: readDuration('timeout', options.timeout, DEFAULT_TIMEOUT, fail),
      deadline: readDuration('deadline', options.deadline, DEFAULT_DEADLINE, fail),
      retry,
      signal: null,
      headers: {},
      query: {},
    },
    budget: budget === false ? false : readCount('retry.budget', budget, BUDGET, fail),
  };
}

/**
 * Reads and copies the options of one call. Settings of the client apply where an option is absent.
 *
 * @param names The options that exist.
 */
export function readCallOptions(
  client: CallSettings,
  options: CallOptions,
  names: ReadonlySet<string>,
  fail: Fail,
): CallSettings {
  checkOptions('options', options, names, fail);
  const { signal, timeout, deadline, retry, headers, query } = options;
  checkSignal('options.signal', signal, fail);
  return {
    timeout: readDuration('options.timeout', timeout, client.timeout, fail),
    deadline: readDuration('options.deadline', deadline, client.deadline, fail),
    retry: readRetry(retry, client.retry, RETRY_NAMES, fail),
    signal: signal ?? null,
    headers: checkHeaders(headers, 'options.headers', fail),
    query: checkQuery(query, fail),
  };
}

const RETRY_NAMES = new Set<keyof RetryOptions>(['attempts', 'baseDelay', 'maxDelay', 'maxRetryAfter']);
const CLIENT_RETRY_NAMES = new Set<keyof ClientRetryOptions>([...RETRY_NAMES, 'budget']);
/** Every option of a call. */
export const CALL_NAMES = new Set<keyof CallOptions>(['signal', 'timeout', 'deadline', 'retry', 'headers', 'query']);

function readRetry(
  retry: false | RetryOptions | undefined,
  defaults: RetryPolicy,
  names: ReadonlySet<string>,
  fail: Fail,
): RetryPolicy {
  if (retry === undefined) return defaults;
  if (retry === false) return { ...defaults, attempts: 1 };
  if (typeof retry !== 'object' || retry === null) fail(`retry must be false or an object, not ${kindOf(retry)}`);
  checkOptions('retry', retry, names, fail);
  return {
    attempts: readCount('retry.attempts', retry.attempts, { byDefault: defaults.attempts, min: 1 }, fail),
    baseDelay: readDelay('retry.baseDelay', retry.baseDelay, defaults.baseDelay, fail),
    maxDelay: readDelay('retry.maxDelay', retry.maxDelay, defaults.maxDelay, fail),
    maxRetryAfter: readDelay('retry.maxRetryAfter', retry.maxRetryAfter, defaults.maxRetryAfter, fail),
  };
}

function readDelay(name: string, value: unknown, byDefault: number, fail: Fail): number {
  if (value === undefined) return byDefault;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  return fail(`${name} must be a number of milliseconds from 0, not ${kindOf(value)}`);
}

/** Reads headers to add. Errors never quote a value. */
export function checkHeaders(headers: unknown, name: string, fail: Fail): Record<string, string> {
  if (headers === undefined) return {};
  if (typeof headers !== 'object' || headers === null)
    return fail(`${name} must be an object of strings, not ${kindOf(headers)}`);
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const checked: Record<string, string> = {};
  for (const [header, value] of entries) {
    if (value === undefined) continue;
    if (!HEADER_NAME.test(header)) fail(`${name} holds a name that is not a header name`);
    if (FORBIDDEN_HEADERS.has(header.toLowerCase())) fail(`${name} cannot set ${header}: the client does`);
    if (UNSENDABLE_HEADERS.has(header.toLowerCase())) fail(`${name} cannot set ${header}: fetch does not send it`);
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      fail(`${name}: the value of ${header} is not text that a header can carry`);
    checked[header.toLowerCase()] = value;
  }
  return checked;
}

function checkQuery(query: unknown, fail: Fail): Record<string, string> {
  if (query === undefined) return {};
  if (typeof query !== 'object' || query === null)
    return fail(`options.query must be an object of strings, not ${kindOf(query)}`);
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string') fail(`options.query: the value of ${name} must be a string, not ${kindOf(value)}`);
    checked[name] = value;
  }
  return checked;
}
