import type { CallOptions, ClientRetryOptions, RetryOptions } from '../call/options.ts';
import {
  argumentFail,
  checkOptions,
  checkSignal,
  configurationFail,
  type Fail,
  kindOf,
  readCount,
  readDuration,
} from '../checks.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';

export const DEFAULT_TIMEOUT = 10_000;
export const DEFAULT_DEADLINE = 30_000;

const FORBIDDEN_HEADERS = new Set(['x-api-key', 'host', 'content-length']);
/** Node's fetch fails on these as if the network had. */
const UNSENDABLE_HEADERS = new Set(['expect', 'transfer-encoding', 'upgrade', 'keep-alive']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Every limit of one call, after its own options and the client's. Durations in milliseconds. */
export interface CallLimits {
  readonly timeout: number;
  readonly deadline: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The client's own limits; throws a ConfigurationError that names the option and never quotes a secret. */
export function clientLimits(options: {
  readonly timeout?: number | undefined;
  readonly deadline?: number | undefined;
  readonly retry?: false | ClientRetryOptions | undefined;
}): CallLimits & { readonly budget: number | false } {
  const fail = configurationFail('MerchantClient');
  const { retry } = options;
  checkRetry(retry, CLIENT_RETRY_NAMES, fail);
  const budget = retry === false || retry?.budget === undefined ? DEFAULT_RETRY.budget : retry.budget;
  return {
    timeout: readDuration('timeout', options.timeout, DEFAULT_TIMEOUT, fail),
    deadline: readDuration('deadline', options.deadline, DEFAULT_DEADLINE, fail),
    retry: policyOf(retry, DEFAULT_RETRY, fail),
    budget:
      budget === false ? false : readCount('retry.budget', budget, { byDefault: DEFAULT_RETRY.budget, min: 0 }, fail),
    signal: null,
    headers: {},
    query: {},
  };
}

/** The limits of one call: its options over the client's. */
export function limitsOf(
  client: CallLimits,
  options: CallOptions,
  operation: string,
  externalId: () => string | null,
): CallLimits {
  const fail: Fail = (problem) => argumentFail(operation, externalId())(problem);
  checkOptions('options', options, CALL_NAMES, fail);
  const { signal } = options;
  checkSignal('options.signal', signal, fail);
  checkRetry(options.retry, RETRY_NAMES, fail);
  return {
    timeout: readDuration('options.timeout', options.timeout, client.timeout, fail),
    deadline: readDuration('options.deadline', options.deadline, client.deadline, fail),
    retry: policyOf(options.retry, client.retry, fail),
    signal: signal ?? null,
    headers: checkHeaders(options.headers, 'options.headers', fail),
    query: checkQuery(options.query, fail),
  };
}

function checkRetry(retry: unknown, names: ReadonlySet<string>, fail: Fail): void {
  if (retry === undefined || retry === false) return;
  if (typeof retry !== 'object' || retry === null) fail(`retry must be false or an object, not ${kindOf(retry)}`);
  checkOptions('retry', retry, names, fail);
}

const RETRY_NAMES: ReadonlySet<string> = new Set<keyof RetryOptions>([
  'attempts',
  'baseDelay',
  'maxDelay',
  'maxRetryAfter',
]);
const CLIENT_RETRY_NAMES: ReadonlySet<string> = new Set<string>([
  ...RETRY_NAMES,
  'budget' satisfies keyof ClientRetryOptions,
]);
/** Every option of a call. */
export const CALL_NAMES: ReadonlySet<string> = new Set<keyof CallOptions>([
  'signal',
  'timeout',
  'deadline',
  'retry',
  'headers',
  'query',
]);

function policyOf(retry: false | RetryOptions | undefined, defaults: RetryPolicy, fail: Fail): RetryPolicy {
  if (retry === false) return { ...defaults, attempts: 1 };
  return {
    attempts: readCount('retry.attempts', retry?.attempts, { byDefault: defaults.attempts, min: 1 }, fail),
    baseDelay: amount('retry.baseDelay', retry?.baseDelay, defaults.baseDelay, fail),
    maxDelay: amount('retry.maxDelay', retry?.maxDelay, defaults.maxDelay, fail),
    maxRetryAfter: amount('retry.maxRetryAfter', retry?.maxRetryAfter, defaults.maxRetryAfter, fail),
  };
}

function amount(name: string, value: unknown, byDefault: number, fail: Fail): number {
  if (value === undefined) return byDefault;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  return fail(`${name} must be a number of milliseconds from 0, not ${kindOf(value)}`);
}

/** Headers to add; the values are never quoted. */
export function checkHeaders(headers: unknown, name: string, fail: Fail): Record<string, string> {
  if (headers === undefined) return {};
  if (typeof headers !== 'object' || headers === null)
    return fail(`${name} must be an object of strings, not ${kindOf(headers)}`);
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const checked: Record<string, string> = {};
  for (const [header, value] of entries) {
    if (value === undefined) continue;
    if (!HEADER_NAME.test(header)) fail(`${name} holds a name that is no header name`);
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
