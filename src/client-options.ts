import {
  type Callback,
  checkCallbacks,
  checkOptions,
  configurationFail,
  type Fail,
  keyProblem,
  kindOf,
  namesOf,
} from './checks.ts';
import { isLoopback } from './contract/values/hosts.ts';
import { environment } from './environment.ts';
import type { DriftEvent, Hooks } from './transport/hooks.ts';
import type { ClientRetryOptions, FetchLike, RetryOptions } from './transport/options.ts';
import type { ApiKey } from './transport/scope.ts';
import { parseSecrets, type WebhookSecret } from './webhooks/verify/signature.ts';

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
  /** How failures are repeated. `false`: never. */
  readonly retry?: false | ClientRetryOptions | undefined;
  /** Replaces the platform's fetch: `sandbox.fetch`, a proxy, a test's fake. Must not follow redirects. */
  readonly fetch?: FetchLike | undefined;
  /** Added to every request. X-Api-Key, Host and Content-Length cannot be set. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called at each step of a call, for logs, metrics and traces. */
  readonly hooks?: Hooks | undefined;
  /** Allows plain http: to hosts other than loopback, for containers on a private network. */
  readonly allowHttp?: boolean | undefined;
  /** Called once for each accepted deviation of an answer from the interface, such as a new field. */
  readonly onDrift?: Callback<[event: DriftEvent]> | undefined;
  /**
   * The service's names of the withdrawals query, which the interface does not show.
   * @defaultValue `status`, `page`, `per_page`
   */
  readonly withdrawalQuery?: WithdrawalQueryNames | undefined;
}

/**
 * Options of {@link MerchantClient.withOptions}. What is left out stays as it is. The new client shares everything else.
 *
 * @example
 * const shop = merchant.withOptions({ apiKey: () => vault.read('shop-7'), timeout: 5_000 });
 */
export interface ClientOverrides {
  /**
   * The key of another business. Undefined is refused, because the calls would go to the business of this client. Keep the
   * client: each one has a separate retry budget and rate-limit pause.
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
export const OVERRIDE_NAMES: ReadonlySet<string> = namesOf<ClientOverrides>({
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
  readonly status?: string | undefined;
  readonly page?: string | undefined;
  readonly per_page?: string | undefined;
}

/** Every option of the client. */
export const CLIENT_NAMES: ReadonlySet<string> = new Set<keyof MerchantClientOptions>([
  'baseUrl',
  'apiKey',
  'webhookSecret',
  'timeout',
  'deadline',
  'retry',
  'fetch',
  'headers',
  'hooks',
  'allowHttp',
  'onDrift',
  'withdrawalQuery',
]);

/** Throws the error of a wrong option. It names the option and never holds a value that could be a secret. */
export const fail: Fail = configurationFail('MerchantClient');

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

export function checkApiKey(given: ApiKey | undefined): ApiKey {
  const key = given ?? environment('MERCHANT_API_KEY');
  if (key === undefined) return fail('apiKey is undefined: give it, or set MERCHANT_API_KEY');
  if (given === undefined && key === '') fail(emptyVariable('MERCHANT_API_KEY', 'the key'));
  if (typeof key === 'function') return key;
  const problem = keyProblem(key);
  return problem === null ? key : fail(`${given === undefined ? 'MERCHANT_API_KEY' : 'apiKey'} ${problem}`);
}

/** The webhook secrets, by the rule of the receiver. The list is empty until a webhook method needs one. */
export function checkWebhookSecrets(given: MerchantClientOptions['webhookSecret']): readonly (string | Uint8Array)[] {
  // A deployment that receives no webhooks may set the variable to nothing.
  const value = given ?? (environment('MERCHANT_WEBHOOK_SECRET') || undefined);
  return value === undefined ? [] : parseSecrets(value, 'webhookSecret', fail);
}

/** Checks the hooks: a plain object of functions, or an instance of the merchant's class. */
export function checkHooks(hooks: Hooks | undefined): void {
  if (hooks === undefined) return;
  const names = ['onRequest', 'onResponse', 'onRetry', 'onError', 'onEnd'];
  const isPlain = hooks !== null && [Object.prototype, null].includes(Object.getPrototypeOf(hooks));
  checkOptions('hooks', hooks, new Set(isPlain ? names : Object.keys(hooks ?? {})), fail);
  for (const name of names) checkCallbacks({ [`hooks.${name}`]: Reflect.get(hooks, name) }, fail);
}

/** Reads the pinned names of the withdrawals query. */
export function checkQueryNames(names: WithdrawalQueryNames | undefined = {}): Record<string, string> {
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
