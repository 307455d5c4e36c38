import { isLoopback } from './contract/values/scalars.ts';
import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  configurationFail,
  type Fail,
  keyProblem,
  kindOf,
  namesOf,
  readCount,
  readDuration,
} from './errors/checks.ts';
import { environment } from './errors/environment.ts';
import type { DriftEvent, Hooks } from './transport/hooks.ts';
import type { RetryPolicy } from './transport/retry.ts';
import type { ApiKey, CompleteOptions, FetchLike } from './transport/types.ts';
import { warnOfSandboxSecret } from './webhooks/verify/sandbox-secret.ts';
import { parseSecrets, type WebhookSecret } from './webhooks/verify/signature.ts';

// Every option of a client and of a call: its type with its default, and the function that checks and copies it.

/**
 * Options of a {@link MerchantClient}. Durations in milliseconds.
 *
 * @example
 * new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: () => vault.read('merchant-key'), deadline: 60_000 });
 */
export interface MerchantClientOptions {
  /**
   * Address of the service. A path prefix is kept.
   * @defaultValue the environment variable MERCHANT_BASE_URL
   */
  readonly baseUrl?: string | undefined;
  /**
   * The key, or a function that returns it before each attempt, for a vault or a rotation.
   * @defaultValue the environment variable MERCHANT_API_KEY
   */
  readonly apiKey?: ApiKey | undefined;
  /**
   * The secret of `webhooks.verify` and `webhooks.handler`: a text, or bytes if it is the hex or base64 form of a key. A
   * list while a secret is rotated.
   * @defaultValue the environment variable MERCHANT_WEBHOOK_SECRET
   */
  readonly webhookSecret?: WebhookSecret | undefined;
  /**
   * Limit of one attempt, body included.
   * @defaultValue 10_000
   */
  readonly timeout?: number | undefined;
  /**
   * Limit of the whole call, waits included. The default fits a checkout. Batch jobs raise it.
   * @defaultValue 30_000
   */
  readonly deadline?: number | undefined;
  /** Whether and when a failed attempt is repeated. `false`: never. */
  readonly retry?: false | ClientRetryOptions | undefined;
  /** Replaces the platform's fetch: `sandbox.fetch`, a proxy, a test's fake. Must not follow redirects. */
  readonly fetch?: FetchLike | undefined;
  /**
   * Added to every request. The client sets X-Api-Key, Host and Content-Length, and fetch cannot send Expect,
   * Transfer-Encoding, Upgrade and Keep-Alive: all of these are refused. A body is always sent as JSON.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called at each step of a call, for logs, metrics and traces. */
  readonly hooks?: Hooks | undefined;
  /** Allows plain http: to hosts other than loopback, for containers on a private network. */
  readonly allowHttp?: boolean | undefined;
  /** Called once for each drift: a difference of a response from the interface that the client accepts, such as a new field. */
  readonly onDrift?: Callback<[event: DriftEvent]> | undefined;
  /**
   * The service's names of the withdrawals query, which the interface does not show.
   * @defaultValue `status`, `page`, `per_page`
   */
  readonly withdrawalQuery?: WithdrawalQueryNames | undefined;
}

/**
 * Options of {@link MerchantClient.withOptions}. All other options, and the absent ones, are those of the first client.
 *
 * @example
 * const shop = merchant.withOptions({ apiKey: () => vault.read('shop-7'), timeout: 5_000 });
 */
export interface ClientOverrides {
  /**
   * The key of another business. Undefined is refused, because the calls would go to the business of this client. Keep
   * one client for each key: a new one has a new retry budget and rate-limit pause.
   */
  readonly apiKey?: ApiKey;
  /** The webhook secret of that business. A client with another key has none unless it is given. */
  readonly webhookSecret?: WebhookSecret | undefined;
  /** Milliseconds for one attempt, body included. */
  readonly timeout?: number | undefined;
  /** Milliseconds for a whole call, waits included. */
  readonly deadline?: number | undefined;
  /** `false`: one attempt. The size of the retry budget is that of this client. */
  readonly retry?: false | RetryOptions | undefined;
  /** Added to the headers of this client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Every option of {@link ClientOverrides}. */
const OVERRIDE_NAMES: ReadonlySet<string> = namesOf<ClientOverrides>({
  apiKey: true,
  webhookSecret: true,
  timeout: true,
  deadline: true,
  retry: true,
  headers: true,
});

/**
 * How your service names the query parameters of the withdrawals list.
 *
 * @example
 * new MerchantClient({ withdrawalQuery: { per_page: 'limit' } });
 */
export interface WithdrawalQueryNames {
  /** Name of the filter. @defaultValue `'status'` */
  readonly status?: string | undefined;
  /** Name of the page number. @defaultValue `'page'` */
  readonly page?: string | undefined;
  /** Name of the page size. @defaultValue `'per_page'` */
  readonly per_page?: string | undefined;
}

/** Every option of the client. */
const CLIENT_NAMES = namesOf<MerchantClientOptions>({
  baseUrl: true,
  apiKey: true,
  webhookSecret: true,
  timeout: true,
  deadline: true,
  retry: true,
  fetch: true,
  headers: true,
  hooks: true,
  allowHttp: true,
  onDrift: true,
  withdrawalQuery: true,
});

/** Throws the error of a wrong option. It names the option and never holds a value that could be a secret. */
const fail: Fail = configurationFail('MerchantClient');

function emptyVariable(name: string, content: string): string {
  return `the environment variable ${name} is set and empty: put ${content} into it, or give the option`;
}

/** Reads the base address, and returns it without a slash at its end. */
export function checkBaseUrl(given: string | undefined, allowHttp: boolean): string {
  const value: unknown = given ?? environment('MERCHANT_BASE_URL');
  const source = given === undefined ? 'MERCHANT_BASE_URL' : 'baseUrl';
  if (value === undefined) fail('baseUrl is undefined: give the address of the service, or set MERCHANT_BASE_URL');
  if (given === undefined && value === '') fail(emptyVariable('MERCHANT_BASE_URL', 'the address of the service'));
  if (typeof value !== 'string' || value === '')
    return fail(`baseUrl must be a string with an address, not ${kindOf(value)}`);
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) {
    fail(`${source} is not an absolute address such as https://pay.example.com`);
  }
  const url = new URL(value);
  // The address is not quoted before this point: it may hold a password.
  if (url.username !== '' || url.password !== '') fail(`${source} has credentials in it: remove the part before the @`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    fail(`${source} has the scheme ${url.protocol} and must be https:`);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    fail(
      `${source} is plain http: to ${url.hostname}, which would send the API key in clear text: use https:, or allowHttp: true on a private network`,
    );
  }
  if (url.search !== '' || url.hash !== '') fail(`${source} has a query or fragment: give the address up to the path`);
  const path = url.pathname.replace(/\/+$/, '');
  const apiPath = /\/api\/v1(?:\/external(?:\/.*)?)?$/i.exec(path)?.[0];
  if (apiPath !== undefined) {
    fail(`${source} ends in the API path ${apiPath}, which the client adds itself: give the address before it`);
  }
  return url.origin + path;
}

function readApiKey(given: ApiKey | undefined): ApiKey {
  const key = given ?? environment('MERCHANT_API_KEY');
  if (key === undefined) return fail('apiKey is undefined: give it, or set MERCHANT_API_KEY');
  if (given === undefined && key === '') fail(emptyVariable('MERCHANT_API_KEY', 'the key'));
  if (typeof key === 'function') return key;
  const problem = keyProblem(key);
  return problem === null ? key : fail(`${given === undefined ? 'MERCHANT_API_KEY' : 'apiKey'} ${problem}`);
}

/** Checks the hooks: a plain object of functions, or an instance of the merchant's class. */
function checkHooks(hooks: Hooks | undefined): void {
  if (hooks === undefined) return;
  const names = ['onRequest', 'onResponse', 'onRetry', 'onError', 'onEnd'];
  const isPlain = hooks !== null && [Object.prototype, null].includes(Object.getPrototypeOf(hooks));
  checkOptions('hooks', hooks, new Set(isPlain ? names : Object.keys(hooks ?? {})), fail);
  for (const name of names) checkCallbacks({ [`hooks.${name}`]: Reflect.get(hooks, name) }, fail);
}

/** Reads the option `withdrawalQuery`. */
function readQueryNames(names: WithdrawalQueryNames | undefined = {}): Record<string, string> {
  if (typeof names !== 'object' || names === null)
    return fail(`withdrawalQuery must be an object, not ${kindOf(names)}`);
  const checked: Record<string, string> = {};
  for (const [name, wire] of Object.entries(names)) {
    if (name !== 'status' && name !== 'page' && name !== 'per_page')
      fail('withdrawalQuery has the names status, page and per_page');
    if (wire === undefined) continue;
    if (typeof wire !== 'string' || !/^[\w.[\]-]{1,64}$/.test(wire))
      fail(`withdrawalQuery.${name} must be a query name`);
    checked[name] = wire;
  }
  return checked;
}

/**
 * Whether and when a failed attempt is repeated. Durations in milliseconds.
 *
 * @example
 * await merchant.invoices.get('order-1042', { retry: { attempts: 5, maxRetryAfter: 60_000 } });
 */
export interface RetryOptions {
  /**
   * Attempts in all, the first included: a whole number from 1.
   * @defaultValue 3
   */
  readonly attempts?: number | undefined;
  /**
   * Upper bound of the first wait, from 0. Twice that after a rate limit. It doubles with each attempt.
   * @defaultValue 500
   */
  readonly baseDelay?: number | undefined;
  /**
   * Upper bound of a wait for which the service sends no Retry-After, from 0.
   * @defaultValue 8_000
   */
  readonly maxDelay?: number | undefined;
  /**
   * The longest Retry-After the client waits for, from 0. A longer one fails at once, also when another call received it.
   * Batch jobs raise it.
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
   * Tokens of the retry budget that all calls share, a whole number from 0. A retry costs 14, after a rate limit 5, and a
   * success returns its price or 1. 500 pay for about 35 retries in a row. `false` switches the budget off.
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
  /**
   * Headers added to the request. The client sets X-Api-Key, Host and Content-Length, and fetch cannot send Expect,
   * Transfer-Encoding, Upgrade and Keep-Alive: all of these are refused. A body is always sent as JSON.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters added to the request, for a service that knows more than the interface. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** A row of a list that cannot be read. */
export interface InvalidItem {
  /** The number of its page. 1 for a list without pages. */
  readonly page: number;
  /** Place on the page, from 0. */
  readonly index: number;
  /** The first member that cannot be read, names joined with dots: `currency.code`. Empty if it is the row itself. */
  readonly path: string;
  /** The item as received. */
  readonly raw: unknown;
}

/**
 * Options of a call that returns a whole list at once.
 *
 * @example
 * await merchant.rates.list({ fiat: 'EUR' }, { onInvalidItem: ({ path }) => console.warn('unreadable rate', path) });
 */
export interface RowsOptions extends CallOptions {
  /**
   * Called with each row that cannot be read. Such a row is always left out. Errors thrown here change nothing. Without
   * this option, the call rejects if none of the rows can be read.
   */
  readonly onInvalidItem?: Callback<[item: InvalidItem]> | undefined;
}

/**
 * Options of a list.
 *
 * @example
 * merchant.invoices.list({}, { prefetch: 4, onInvalidItem: ({ page, path }) => console.warn('unreadable', page, path) });
 */
export interface ListOptions extends CallOptions {
  /**
   * Requests in flight while the list is walked, 1 to 32. The second page is requested when the first one is used up,
   * so a loop that ends within it costs one request. With 1, no page is read ahead.
   * @defaultValue 3: the page that the loop waits for, and two ahead
   */
  readonly prefetch?: number | undefined;
  /**
   * Called with each row that cannot be read, and again if its page is read again. The row is left out. Errors thrown
   * here change nothing. Without this option, the call rejects for such a page.
   */
  readonly onInvalidItem?: Callback<[item: InvalidItem]> | undefined;
}

const DEFAULT_TIMEOUT = 10_000;
const DEFAULT_DEADLINE = 30_000;
const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseDelay: 500, maxDelay: 8_000, maxRetryAfter: 10_000 };
const BUDGET = { byDefault: 500, min: 0 };

const FORBIDDEN_HEADERS = new Set(['x-api-key', 'host', 'content-length']);
/** Node's fetch rejects with a network error if one of these is set. */
const UNSENDABLE_HEADERS = new Set(['expect', 'transfer-encoding', 'upgrade', 'keep-alive']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The options of a client, checked and copied. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  readonly secrets: readonly (string | Uint8Array)[];
  readonly budget: number | false;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike | undefined;
  readonly hooks: Hooks | null;
  readonly onDrift: MerchantClientOptions['onDrift'];
  readonly allowHttp: boolean;
  /** The service's names of the withdrawals query. */
  readonly queryNames: Readonly<Record<string, string>>;
  /** The settings of a call that gives no options. */
  readonly settings: CompleteOptions;
}

/** Reads the options of a client. The environment supplies an absent address, key or secret. */
export function readClientOptions(options: MerchantClientOptions): ClientSettings {
  checkOptions('options', options, CLIENT_NAMES, fail);
  const { onDrift, fetch, allowHttp = false, hooks, retry, headers, webhookSecret } = options;
  checkHooks(hooks);
  checkCallbacks({ fetch, onDrift }, fail);
  if (typeof allowHttp !== 'boolean') fail(`allowHttp must be true or false, not ${kindOf(allowHttp)}`);
  const baseUrl = checkBaseUrl(options.baseUrl, allowHttp);
  const apiKey = readApiKey(options.apiKey);
  // An empty variable is not a mistake here, unlike that of the key: a deployment without webhooks may set it so.
  // One that is written as undefined is no secret: a program that receives nothing has none.
  const isWritten = Object.hasOwn(options, 'webhookSecret');
  const secret = isWritten ? webhookSecret : environment('MERCHANT_WEBHOOK_SECRET') || undefined;
  const secrets = secret === undefined ? [] : parseSecrets(secret, 'webhookSecret', fail);
  warnOfSandboxSecret(secrets, undefined);
  const policy = readRetry(retry, DEFAULT_RETRY, CLIENT_RETRY_NAMES, fail);
  const budget = retry === false ? undefined : retry?.budget;
  return {
    baseUrl,
    apiKey,
    secrets,
    budget: budget === false ? false : readCount('retry.budget', budget, BUDGET, fail),
    headers: readTexts(headers, 'headers', checkHeader, fail),
    fetch,
    hooks: hooks ?? null,
    onDrift,
    allowHttp,
    queryNames: readQueryNames(options.withdrawalQuery),
    settings: {
      timeout: readDuration('timeout', options.timeout, DEFAULT_TIMEOUT, fail),
      deadline: readDuration('deadline', options.deadline, DEFAULT_DEADLINE, fail),
      retry: policy,
      signal: null,
      headers: {},
      query: {},
    },
  };
}

/** Reads the options of `withOptions`. An absent option stays as in `client`. */
export function readOverrides(client: ClientSettings, options: ClientOverrides): ClientSettings {
  const refuse = configurationFail('MerchantClient.withOptions');
  const { headers, ...settings } = readCallOptions(client.settings, options, 'client', refuse);
  const isOther = 'apiKey' in options; // `in`, because a getter of a class may supply it
  const { apiKey = isOther ? undefined : client.apiKey, webhookSecret } = options;
  if (apiKey === undefined) return refuse('apiKey is undefined: leave it out to keep the key of this client');
  const problem = typeof apiKey === 'function' ? null : keyProblem(apiKey);
  if (problem !== null) refuse(`apiKey ${problem}`);
  // Another key means another business, whose receiver must not accept the deliveries of this one.
  const kept = isOther ? [] : client.secrets;
  const secrets = webhookSecret === undefined ? kept : parseSecrets(webhookSecret, 'webhookSecret', refuse);
  warnOfSandboxSecret(secrets, undefined);
  return {
    ...client,
    apiKey,
    secrets,
    headers: { ...client.headers, ...headers },
    settings: { ...settings, headers: {} },
  };
}

/** Reads and copies the options of one call. The client's settings apply where an option is absent. */
export function readCallOptions(
  client: CompleteOptions,
  options: CallOptions & Pick<RowsOptions, 'onInvalidItem'>,
  kind: keyof typeof OPTION_NAMES,
  fail: Fail,
): CompleteOptions {
  checkOptions('options', options, OPTION_NAMES[kind], fail);
  const { signal, timeout, deadline, retry, headers, query, onInvalidItem } = options;
  checkSignal('options.signal', signal, fail);
  checkCallbacks({ 'options.onInvalidItem': onInvalidItem }, fail);
  return {
    timeout: readDuration('options.timeout', timeout, client.timeout, fail),
    deadline: readDuration('options.deadline', deadline, client.deadline, fail),
    retry: readRetry(retry, client.retry, RETRY_NAMES, fail),
    signal: signal ?? null,
    headers: readTexts(headers, 'options.headers', checkHeader, fail),
    query: readTexts(query, 'options.query', checkQueryText, fail),
  };
}

const RETRY = { attempts: true, baseDelay: true, maxDelay: true, maxRetryAfter: true } as const;
const RETRY_NAMES = namesOf<RetryOptions>(RETRY);
const CLIENT_RETRY_NAMES = namesOf<ClientRetryOptions>({ ...RETRY, budget: true });
const CALL = { signal: true, timeout: true, deadline: true, retry: true, headers: true, query: true } as const;
/** The options of each kind of call. */
const OPTION_NAMES = {
  call: namesOf<CallOptions>(CALL),
  rows: namesOf<RowsOptions>({ ...CALL, onInvalidItem: true }),
  list: namesOf<ListOptions>({ ...CALL, onInvalidItem: true, prefetch: true }),
  client: OVERRIDE_NAMES,
} as const;

const PREFETCH = { byDefault: 3, min: 1, max: 32 };

/** Reads the number of requests in flight of a list. */
export function readPrefetch(prefetch: unknown, fail: Fail): number {
  return readCount('options.prefetch', prefetch, PREFETCH, fail);
}

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

/** Checks a header or a query parameter, and returns the name under which it is kept. Errors never quote a value. */
type CheckText = (name: string, value: unknown, what: string, fail: Fail) => string;

/** Reads headers or query parameters. An undefined header is left out. An undefined query parameter is refused. */
function readTexts(given: unknown, what: string, check: CheckText, fail: Fail): Record<string, string> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null)
    return fail(`${what} must be an object of strings, not ${kindOf(given)}`);
  const texts: Record<string, string> = {};
  for (const [name, value] of given instanceof Headers ? given : Object.entries(given)) {
    if (value !== undefined || check !== checkHeader) texts[check(name, value, what, fail)] = value;
  }
  return texts;
}

function checkHeader(name: string, value: unknown, what: string, fail: Fail): string {
  const header = name.toLowerCase();
  if (!HEADER_NAME.test(name)) fail(`${what} holds a name that is not a header name`);
  if (FORBIDDEN_HEADERS.has(header)) fail(`${what} cannot set ${name}: the client does`);
  if (UNSENDABLE_HEADERS.has(header)) fail(`${what} cannot set ${name}: fetch does not send it`);
  if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
    fail(`${what}: the value of ${name} is not text that a header can carry`);
  }
  return header;
}

function checkQueryText(name: string, value: unknown, what: string, fail: Fail): string {
  return typeof value === 'string'
    ? name
    : fail(`${what}: the value of ${name} must be a string, not ${kindOf(value)}`);
}
