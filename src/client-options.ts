import type { ClientRetryOptions, DriftEvent, FetchLike, Hooks, Logger } from './call/options.ts';
import {
  type Callback,
  checkCallbacks,
  checkOptions,
  configurationFail,
  type Fail,
  isBytes,
  kindOf,
} from './checks.ts';
import { isLoopback } from './contract/values/hosts.ts';
import type { Runtime } from './transport/runtime.ts';
import { type ApiKey, keyProblem } from './transport/secrecy/api-key.ts';

/** Options of a {@link MerchantClient}. Durations in milliseconds. */
export interface MerchantClientOptions {
  /** Address of the service; a path prefix is kept. Default: the environment variable MERCHANT_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** The key, or a function read before each attempt (a vault, a rotation). Default: MERCHANT_API_KEY. */
  readonly apiKey?: ApiKey | undefined;
  /**
   * For `webhooks.verify` and `webhooks.handler`: text, or bytes where it is given as hex or base64 of a key; a list while
   * a secret is rotated. Default: MERCHANT_WEBHOOK_SECRET.
   */
  readonly webhookSecret?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** One attempt, body included. Default 10,000. */
  readonly timeout?: number | undefined;
  /** The whole call, waits included. Default 30,000, which fits a checkout: batch jobs raise it. */
  readonly deadline?: number | undefined;
  /** How failures are repeated; `false`: never. */
  readonly retry?: false | ClientRetryOptions | undefined;
  /** Replaces the platform's fetch: `sandbox.fetch`, a proxy, a test's fake. Must not follow redirects. */
  readonly fetch?: FetchLike | undefined;
  /** Added to every request. X-Api-Key, Host and Content-Length cannot be set. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly hooks?: Hooks | undefined;
  /** Where a line per step goes. Silent by default. */
  readonly logger?: Logger | undefined;
  /** Allows plain http: to hosts other than loopback, for containers on a private network. */
  readonly allowHttp?: boolean | undefined;
  /** Told once of each departure of an answer from the interface that was forgiven: a new field, an unlisted word. */
  readonly onDrift?: Callback<[event: DriftEvent]> | undefined;
  /** The wire's names of the withdrawals query, which the interface does not show. Default: `status`, `page`, `per_page`. */
  readonly withdrawalQuery?: WithdrawalQueryNames | undefined;
  /** Clock, timers and randomness, for tests. */
  readonly runtime?: { readonly [Name in keyof Runtime]?: Runtime[Name] | undefined } | undefined;
}

/** How this service names the query parameters of the withdrawals list, once you know. */
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
  'logger',
  'allowHttp',
  'onDrift',
  'withdrawalQuery',
  'runtime',
]);

/** A wrong option: says which and what was given, never its value where that could be a secret. */
export const fail: Fail = configurationFail('MerchantClient');

/** A variable of the platform's environment; undefined where it is not set or may not be read (Deno). */
function environment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined;
  }
}

function emptyVariable(name: string, content: string): string {
  return `the environment variable ${name} is set and empty: put ${content} into it, or give the option`;
}

/** The base address without a slash at its end. */
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
    fail(`${source} has the scheme ${url.protocol}; it must be https:`);
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

/**
 * The webhook secrets as copies, oldest rotation included; none is fine until a webhook method needs one. The rule is
 * that of the receiver, which may not be loaded here.
 */
export function checkWebhookSecrets(given: MerchantClientOptions['webhookSecret']): readonly (string | Uint8Array)[] {
  // A deployment that receives no webhooks may well set the variable to nothing.
  const value: unknown = given ?? (environment('MERCHANT_WEBHOOK_SECRET') || undefined);
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) fail('webhookSecret is an empty list');
  return Array.from(list, (secret) => {
    if (isBytes(secret)) return secret.byteLength > 0 ? new Uint8Array(secret) : fail('webhookSecret has no bytes');
    if (typeof secret !== 'string' || secret === '')
      return fail(`webhookSecret must be a string, a Uint8Array or a list of them, not ${kindOf(secret)}`);
    return secret.trim() === secret
      ? secret
      : fail('webhookSecret has white space or a line break at its start or end: trim it');
  });
}

/** `closed`: a plain object may hold nothing else. An instance of a class may, and so may a logger. */
export function checkFunctions(
  holder: object | undefined,
  name: string,
  methods: readonly string[],
  closed: boolean,
): void {
  if (holder === undefined) return;
  const isPlain = holder !== null && [Object.prototype, null].includes(Object.getPrototypeOf(holder));
  checkOptions(name, holder, new Set(closed && isPlain ? methods : Object.keys(holder ?? {})), fail);
  for (const method of methods) {
    checkCallbacks({ [`${name}.${method}`]: Reflect.get(holder, method) }, fail);
  }
}

/** The pinned names of the withdrawals query. */
export function checkQueryNames(names: WithdrawalQueryNames | undefined): Record<string, string> {
  if (names === undefined) return {};
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
