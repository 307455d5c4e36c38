import { isLoopback } from './contract/values/scalars.ts';
import {
  type Callback,
  callback,
  checkCallbacks,
  checkOptions,
  configurationFail,
  count,
  duration,
  type Fail,
  flag,
  keyProblem,
  kindOf,
  type OptionReader,
  type OptionTable,
  readGiven,
  readOptions,
  signal,
  unchecked,
} from './errors/checks.ts';
import { environment, SANDBOX_KEY, spoiltForm, underOtherName, whyMissing } from './errors/environment.ts';
import { warnOnce } from './errors/notify.ts';
import { HOOK_NAMES, type Hooks } from './transport/hooks.ts';
import type { ApiKey, CompleteOptions, FetchLike, RetryPolicy, WrongOptions } from './transport/types.ts';

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
   * Limit of one attempt, body included. At least 100.
   * @defaultValue 10_000
   */
  readonly timeout?: number | undefined;
  /**
   * Limit of the whole call, waits included. At least 100. The default fits a checkout. Batch jobs raise it.
   * @defaultValue 30_000
   */
  readonly deadline?: number | undefined;
  /** Whether and when a failed attempt is repeated. `false`: never. */
  readonly retry?: false | RetryOptions | undefined;
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
   * one client for each key: a new one knows nothing of the rate limits that this one met.
   */
  readonly apiKey?: ApiKey;
  /** Milliseconds for one attempt, body included. At least 100. */
  readonly timeout?: number | undefined;
  /** Milliseconds for a whole call, waits included. */
  readonly deadline?: number | undefined;
  /** `false`: one attempt. */
  readonly retry?: false | RetryOptions | undefined;
  /** Added to the headers of this client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

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

/** Throws the error of a wrong option. It names the option and never holds a value that could be a secret. */
const fail: Fail = configurationFail('MerchantClient');

function emptyVariable(name: string, content: string): string {
  return `the environment variable ${name} is set and empty: put ${content} into it, or give the option`;
}

function readBaseUrl(given: string | undefined, allowHttp: boolean): string {
  const value: unknown = given === undefined ? environment('MERCHANT_BASE_URL') : given;
  if (value === undefined)
    fail(
      `baseUrl is undefined: give the address of the service, or set MERCHANT_BASE_URL${whyMissing('MERCHANT_BASE_URL')}`,
    );
  if (given === undefined && value === '') fail(emptyVariable('MERCHANT_BASE_URL', 'the address of the service'));
  return checkBaseUrl(value, given === undefined ? 'MERCHANT_BASE_URL' : 'baseUrl', allowHttp, fail);
}

/** Checks the base address, and returns it without a slash at its end. `source`: what a message calls it. */
export function checkBaseUrl(value: unknown, source: string, allowHttp: boolean, fail: Fail): string {
  if (typeof value !== 'string' || value === '')
    return fail(`${source} must be a string with an address, not ${kindOf(value)}`);
  const wrong = spoiltForm(value);
  if (wrong !== null) fail(`${source} ${wrong.problem}. ${wrong.remedy}`);
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) {
    fail(`${source} is not an absolute address such as https://pay.example.com`);
  }
  const url = new URL(value);
  if (/^(?:undefined|null|nan)$/.test(url.hostname))
    fail(`${source} has the host ${url.hostname}, where a value was missing`);
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
  const key = given === undefined ? environment('MERCHANT_API_KEY') : given;
  if (key === undefined)
    return fail(`apiKey is undefined: give it, or set MERCHANT_API_KEY${whyMissing('MERCHANT_API_KEY')}`);
  if (given === undefined && key === '') fail(emptyVariable('MERCHANT_API_KEY', 'the key'));
  if (typeof key === 'function') return key;
  const problem = keyProblem(key);
  return problem === null ? key : fail(`${given === undefined ? 'MERCHANT_API_KEY' : 'apiKey'} ${problem}`);
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
   * The longest Retry-After the client waits for, from 0. A longer one fails at once, also when another call received
   * it. Batch jobs raise it.
   * @defaultValue 10_000
   */
  readonly maxRetryAfter?: number | undefined;
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

const FORBIDDEN_HEADERS = new Set(['x-api-key', 'host', 'content-length']);
/** Node's fetch rejects with a network error if one of these is set. */
const UNSENDABLE_HEADERS = new Set(['expect', 'transfer-encoding', 'upgrade', 'keep-alive']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

// The tables: each option with its check and its default. A table for one call has the client's settings as defaults.

const DEFAULTS: CompleteOptions = {
  timeout: 10_000,
  deadline: 30_000,
  retry: { attempts: 3, baseDelay: 500, maxDelay: 8_000, maxRetryAfter: 10_000 },
  signal: null,
  headers: {},
  query: {},
};
/** A shorter limit of a client was probably meant in seconds. A call's own may be shorter. */
const SHORTEST = 100;

/** The options that a client, `withOptions` and a call have in common. */
const common = (settings: CompleteOptions, min?: number) => ({
  timeout: duration({ default: settings.timeout, ...(min !== undefined && { min }) }),
  deadline: duration({ default: settings.deadline, ...(min !== undefined && { min }) }),
  retry: retryOption(settings.retry),
  headers: texts(checkHeader),
});
const clientTable = {
  baseUrl: unchecked<string | undefined>(),
  apiKey: unchecked<ApiKey | undefined>(),
  ...common(DEFAULTS, SHORTEST),
  fetch: callback<FetchLike>(),
  hooks: hooksOption,
  allowHttp: flag(false),
  withdrawalQuery: queryNamesOption,
} as const satisfies OptionTable<MerchantClientOptions>;
const overridesTable = (settings: CompleteOptions) =>
  ({
    apiKey: unchecked<ApiKey | undefined>(),
    ...common(settings, SHORTEST),
  }) as const satisfies OptionTable<ClientOverrides>;
const callTable = (settings: CompleteOptions) =>
  ({ signal: signal(), ...common(settings), query: queryTexts }) as const satisfies OptionTable<CallOptions>;
const rowsTable = (settings: CompleteOptions) =>
  ({
    ...callTable(settings),
    onInvalidItem: callback<NonNullable<RowsOptions['onInvalidItem']>>(),
  }) as const satisfies OptionTable<RowsOptions>;
const PREFETCH = 3;
const listTable = (settings: CompleteOptions) =>
  ({
    ...rowsTable(settings),
    prefetch: count({ default: PREFETCH, min: 1, max: 32 }),
  }) as const satisfies OptionTable<ListOptions>;
const retryTable = (policy: RetryPolicy) =>
  ({
    attempts: count({ default: policy.attempts, min: 1 }),
    baseDelay: delay(policy.baseDelay),
    maxDelay: delay(policy.maxDelay),
    maxRetryAfter: delay(policy.maxRetryAfter),
  }) as const satisfies OptionTable<RetryOptions>;

/** The options of a client, checked and copied. */
export interface ClientSettings {
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: FetchLike | undefined;
  readonly hooks: Hooks | undefined;
  readonly allowHttp: boolean;
  /** The service's names of the withdrawals query. */
  readonly queryNames: Readonly<Record<string, string>>;
  /** The settings of a call that gives no options. */
  readonly settings: CompleteOptions;
}

/** Where webhooks are received, for code of before. */
export const RECEIVER =
  'webhooks are received by createWebhookHandler({ secret, store, … }) of merchant-invoicing/webhooks';

/** Reads the options of a client. The environment fills what is not written. */
export function readClientOptions(options: MerchantClientOptions): ClientSettings {
  if (Object.hasOwn(Object(options), 'webhookSecret')) fail(`options has no "webhookSecret": ${RECEIVER}`);
  const read = readOptions('options', options, clientTable, fail);
  const { allowHttp, fetch, hooks, headers, retry, timeout, deadline } = read;
  // An explicit undefined usually is an unset variable. The environment's value could reach another host or business.
  for (const [name, variable] of [
    ['baseUrl', 'MERCHANT_BASE_URL'],
    ['apiKey', 'MERCHANT_API_KEY'],
  ] as const) {
    if (name in options && read[name] === undefined) {
      const why = underOtherName(variable) ?? '';
      fail(`${name} is undefined: give a value, or leave the name out to use the environment variable${why}`);
    }
  }
  const baseUrl = readBaseUrl(read.baseUrl, allowHttp);
  const apiKey = readApiKey(read.apiKey);
  const queryNames = read.withdrawalQuery;
  const made = { ...DEFAULTS, timeout, deadline, retry };
  return checkKey({ baseUrl, apiKey, headers, fetch, hooks, allowHttp, queryNames, settings: made }, fail);
}

/** Refuses the sandbox's key at a public address. */
function checkKey(client: ClientSettings, refuse: Fail): ClientSettings {
  const { baseUrl, apiKey, fetch } = client;
  const { protocol, hostname } = new URL(baseUrl);
  const isPublic = protocol === 'https:' && !isLoopback(hostname);
  if (apiKey === SANDBOX_KEY && isPublic && fetch === undefined && environment('MERCHANT_SANDBOX') !== '1') {
    refuse(
      `apiKey is ${SANDBOX_KEY}, the sandbox's public key, and baseUrl is a public address: give the key of the dashboard${underOtherName('MERCHANT_SANDBOX') ?? ''}`,
    );
  }
  if ('document' in globalThis)
    warnOnce(
      'page',
      'a MerchantClient runs in a page, where everybody can read the API key. Call it from your backend.',
    );
  return client;
}

/** Reads the options of `withOptions`. An absent option stays as in `client`. */
export function readOverrides(client: ClientSettings, options: ClientOverrides): ClientSettings {
  const refuse = configurationFail('MerchantClient.withOptions');
  const { headers, timeout, deadline, retry, ...read } = readOptions(
    'options',
    options,
    overridesTable(client.settings),
    refuse,
    'options.',
  );
  const apiKey = 'apiKey' in options ? read.apiKey : client.apiKey; // `in`, because a getter of a class may supply it
  if (apiKey === undefined) return refuse('apiKey is undefined: leave it out to keep the key of this client');
  const problem = typeof apiKey === 'function' ? null : keyProblem(apiKey);
  if (problem !== null) refuse(`apiKey ${problem}`);
  const settings = { ...client.settings, timeout, deadline, retry };
  return checkKey({ ...client, apiKey, headers: { ...client.headers, ...headers }, settings }, refuse);
}

/**
 * Reads and copies the options of one call. The client's settings apply where an option is absent. What is wrong is a
 * value, because `open` makes the error of it: it knows the order, and calls `onEnd`.
 */
export function readCallOptions(
  client: CompleteOptions,
  options: CallOptions | undefined,
): CompleteOptions | WrongOptions {
  if (options === undefined) return client;
  const read = readTable(options, callTable(client));
  return 'problem' in read ? read : complete(read);
}

function readTable<Table extends Readonly<Record<string, OptionReader<unknown>>>>(options: object, table: Table) {
  return readGiven('the options', (fail) => readOptions('options', options, table, fail, 'options.'));
}

/** Reads the options of a list that comes at once. */
export function readRowsOptions(
  client: CompleteOptions,
  options: RowsOptions | undefined,
): { readonly settings: CompleteOptions | WrongOptions; readonly onInvalidItem?: RowsOptions['onInvalidItem'] } {
  if (options === undefined) return { settings: client };
  const read = readTable(options, rowsTable(client));
  return 'problem' in read ? { settings: read } : { settings: complete(read), onInvalidItem: read.onInvalidItem };
}

/** Reads the options of a list that comes in pages. */
export function readListOptions(
  client: CompleteOptions,
  options: ListOptions | undefined,
): ReturnType<typeof readRowsOptions> & { readonly prefetch: number } {
  if (options === undefined) return { settings: client, prefetch: PREFETCH };
  const read = readTable(options, listTable(client));
  if ('problem' in read) return { settings: read, prefetch: PREFETCH };
  return { settings: complete(read), prefetch: read.prefetch, onInvalidItem: read.onInvalidItem };
}

function complete({
  timeout,
  deadline,
  retry,
  signal: own,
  headers,
  query,
}: Omit<CompleteOptions, 'signal'> & { readonly signal: AbortSignal | undefined }): CompleteOptions {
  return { timeout, deadline, retry, signal: own ?? null, headers, query };
}

function retryOption(policy: RetryPolicy): OptionReader<RetryPolicy> {
  return (retry, name, refuse) => {
    if (retry === undefined) return policy;
    if (retry === false) return { ...policy, attempts: 1 };
    if (typeof retry !== 'object' || retry === null)
      return refuse(`${name} must be false or an object, not ${kindOf(retry)}`);
    return readOptions('retry', retry, retryTable(policy), refuse, 'retry.');
  };
}

/** A number of milliseconds from 0. */
function delay(byDefault: number): OptionReader<number> {
  return (value, name, refuse) => {
    if (value === undefined) return byDefault;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    return refuse(`${name} must be a number of milliseconds from 0, not ${kindOf(value)}`);
  };
}

/** Checks the hooks: a plain object of functions, or an instance of the merchant's class. */
function hooksOption(hooks: unknown, name: string, refuse: Fail): Hooks | undefined {
  if (hooks === undefined) return undefined;
  const isPlain = typeof hooks !== 'object' || [Object.prototype, null].includes(Object.getPrototypeOf(hooks ?? {}));
  checkOptions(name, hooks, isPlain ? HOOK_NAMES : new Set(Object.keys(hooks ?? {})), refuse);
  const given = hooks as Hooks; // an object: each of its functions is checked here
  for (const each of HOOK_NAMES) checkCallbacks({ [`${name}.${each}`]: Reflect.get(given, each) }, refuse);
  return given;
}

function queryNamesOption(names: unknown, name: string, refuse: Fail): Readonly<Record<string, string>> {
  if (names === undefined) return {};
  const table = { status: queryName, page: queryName, per_page: queryName } as const;
  if (typeof names !== 'object' || names === null) return refuse(`${name} must be an object, not ${kindOf(names)}`);
  const read = readOptions(name, names, table satisfies OptionTable<WithdrawalQueryNames>, refuse, `${name}.`);
  return Object.fromEntries(Object.entries(read).flatMap(([each, wire]) => (wire === undefined ? [] : [[each, wire]])));
}

function queryName(value: unknown, name: string, refuse: Fail): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' && /^[\w.[\]-]{1,64}$/.test(value) ? value : refuse(`${name} must be a query name`);
}

/** Checks a header or a query parameter, and returns the name under which it is kept. Errors never quote a value. */
type CheckText = (name: string, value: unknown, what: string, fail: Fail) => string;

/** Headers or query parameters. An undefined header is left out. An undefined query parameter is refused. */
function texts(check: CheckText): OptionReader<Readonly<Record<string, string>>> {
  return (given, what, refuse) => {
    if (given === undefined) return {};
    if (typeof given !== 'object' || given === null)
      return refuse(`${what} must be an object of strings, not ${kindOf(given)}`);
    const isHeaders = given instanceof Headers;
    // The members of a Map or of URLSearchParams are not its entries, so that nothing of it would be sent.
    if (Symbol.iterator in given && !isHeaders)
      return refuse(`${what} must be an object of strings, not a list or a map: use Object.fromEntries`);
    const read: Record<string, string> = {};
    for (const [name, value] of isHeaders ? given : Object.entries(given)) {
      if (value !== undefined || check !== checkHeader) read[check(name, value, what, refuse)] = value;
    }
    return read;
  };
}

function checkHeader(name: string, value: unknown, what: string, refuse: Fail): string {
  const header = name.toLowerCase();
  if (!HEADER_NAME.test(name)) refuse(`${what} holds a name that is not a header name`);
  if (FORBIDDEN_HEADERS.has(header)) refuse(`${what} cannot set ${name}: the client does`);
  if (UNSENDABLE_HEADERS.has(header)) refuse(`${what} cannot set ${name}: fetch does not send it`);
  if (typeof value !== 'string' || !HEADER_VALUE.test(value)) {
    refuse(`${what}: the value of ${name} is not text that a header can carry`);
  }
  return header;
}

/** Query parameters that the caller names. */
export function queryTexts(given: unknown, what: string, refuse: Fail): Readonly<Record<string, string>> {
  return texts(checkQueryText)(given, what, refuse);
}

function checkQueryText(name: string, value: unknown, what: string, refuse: Fail): string {
  return typeof value === 'string'
    ? name
    : refuse(`${what}: the value of ${name} must be a string, not ${kindOf(value)}`);
}
