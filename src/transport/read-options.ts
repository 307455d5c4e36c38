import { checkOptions, checkSignal, type Fail, kindOf, readCount, readDuration } from '../checks.ts';
import type { CallOptions, ClientRetryOptions, RetryOptions } from './options.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';

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
