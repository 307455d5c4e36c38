import type { KyInstance } from 'ky';
import { type Call, CallPromise } from './call/call.ts';
import { checkCallbacks, checkOptions, configurationFail, keyProblem } from './checks.ts';
import {
  CLIENT_NAMES,
  type ClientOverrides,
  checkApiKey,
  checkBaseUrl,
  checkHooks,
  checkQueryNames,
  checkWebhookSecrets,
  fail,
  type MerchantClientOptions,
  OVERRIDE_NAMES,
} from './client-options.ts';
import { refuseSandboxCredential } from './environment.ts';
import { ConfigurationError } from './errors/classes.ts';
import { buildInvoices, type Invoices } from './resources/invoices.ts';
import { buildPaymentMethods, type PaymentMethods } from './resources/payment-methods.ts';
import { buildRates, type Rates } from './resources/rates.ts';
import { type RawRequest, sendRequest } from './resources/request.ts';
import { buildWebhooks, type Webhooks } from './resources/webhooks.ts';
import { buildWithdrawals, type Withdrawals } from './resources/withdrawals.ts';
import { hiding } from './transport/hide.ts';
import { DriftReporter } from './transport/hooks.ts';
import { connect } from './transport/http.ts';
import { RateLimitGate, RetryBudget } from './transport/limits.ts';
import { type CallOptions, checkHeaders, readCallOptions, readClientSettings } from './transport/options.ts';
import { type Runtime, runtimeOf } from './transport/runtime.ts';
import type { ApiKey, ClientCore } from './transport/scope.ts';
import { parseSecrets } from './webhooks/verify/signature.ts';

type Secrets = readonly (string | Uint8Array)[];

/** The parts of a client. A client of {@link MerchantClient.withOptions} shares most of them with the first one. */
interface Parts {
  readonly core: ClientCore;
  readonly secrets: Secrets;
  /** The service's names of the withdrawals query. */
  readonly queryNames: Readonly<Record<string, string>>;
  readonly budget: number | false;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes the HTTP client of other headers, to the same address and with the same fetch. */
  readonly connect: (headers: Readonly<Record<string, string>>) => KyInstance;
}

/** Kept outside of the clients, so that a test can use a plain object in place of one, and no print shows them. */
const PARTS = new WeakMap<object, Parts>();

function partsOf(client: object | undefined): Parts {
  const parts = client === undefined ? undefined : PARTS.get(client);
  if (parts !== undefined) return parts;
  throw new ConfigurationError('MerchantClient: call request and withOptions as methods of the client.');
}

function readParts(options: MerchantClientOptions, given: Partial<Runtime> | undefined): Parts {
  checkOptions('options', options, CLIENT_NAMES, fail);
  const { onDrift, fetch, allowHttp = false, hooks } = options;
  checkHooks(hooks);
  checkCallbacks({ fetch, onDrift }, fail);
  const baseUrl = checkBaseUrl(options.baseUrl, allowHttp === true);
  const apiKey = checkApiKey(options.apiKey);
  const secrets = checkWebhookSecrets(options.webhookSecret);
  refuseSandboxCredential('apiKey', [apiKey], fail);
  refuseSandboxCredential('webhookSecret', secrets, fail);
  const { budget, settings } = readClientSettings(options, fail);
  const headers = checkHeaders(options.headers, 'headers', fail);
  const runtime = runtimeOf(given);
  // Looked up at each call, so that a tool that replaces the platform's fetch later is seen.
  const connectWith: Parts['connect'] = (all) =>
    connect(fetch ?? ((url, init) => globalThis.fetch(url, init)), baseUrl, all);
  const core: ClientCore = {
    http: connectWith(headers),
    ...credentialsOf(apiKey, secrets),
    runtime,
    ...limitsOf(budget, runtime),
    hooks: hooks ?? null,
    drift: onDrift === undefined ? null : new DriftReporter(onDrift),
    allowHttp: allowHttp === true,
    settings,
  };
  return { core, secrets, queryNames: checkQueryNames(options.withdrawalQuery), budget, headers, connect: connectWith };
}

function otherParts(parts: Parts, options: ClientOverrides): Parts {
  const { core } = parts;
  const refuse = configurationFail('MerchantClient.withOptions');
  const { headers: more, ...settings } = readCallOptions(core.settings, options, OVERRIDE_NAMES, refuse);
  // Also where a getter of a class gives it.
  const isOther = 'apiKey' in options;
  const { apiKey = isOther ? undefined : core.apiKey, webhookSecret } = options;
  if (apiKey === undefined) return refuse('apiKey is undefined: leave it out to keep the key of this client');
  const problem = typeof apiKey === 'function' ? null : keyProblem(apiKey);
  if (problem !== null) refuse(`apiKey ${problem}`);
  // The deliveries of one business must not pass as those of another.
  const kept = isOther ? [] : parts.secrets;
  const secrets = webhookSecret === undefined ? kept : parseSecrets(webhookSecret, 'webhookSecret', refuse);
  refuseSandboxCredential('apiKey', [apiKey], refuse);
  refuseSandboxCredential('webhookSecret', secrets, refuse);
  const headers = { ...parts.headers, ...more };
  return {
    ...parts,
    core: {
      ...core,
      http: parts.connect(headers),
      ...credentialsOf(apiKey, [...secrets, ...core.secrets, ...textOf(core.apiKey)]),
      ...limitsOf(parts.budget, core.runtime),
      settings: { ...settings, headers: {} },
    },
    secrets,
    headers,
  };
}

function textOf(apiKey: ApiKey): string[] {
  return typeof apiKey === 'string' ? [apiKey] : [];
}

/** The key, and what hides it and the secrets. A client also hides those of the client that it comes from. */
function credentialsOf(apiKey: ApiKey, all: Secrets): Pick<ClientCore, 'apiKey' | 'secrets' | 'hide'> {
  const secrets = all.filter((secret) => typeof secret === 'string');
  return { apiKey, secrets, hide: hiding([...textOf(apiKey), ...secrets]) };
}

function limitsOf(budget: number | false, runtime: Runtime): Pick<ClientCore, 'budget' | 'gate'> {
  return { budget: new RetryBudget(budget), gate: new RateLimitGate(runtime) };
}

/** Creates a client with another clock, other timers or another source of randomness, for tests. @internal */
export function clientWithRuntime(options: MerchantClientOptions, runtime: Partial<Runtime>): MerchantClient {
  return clientOf(readParts(options, runtime));
}

/** The constructor recognises parts, which no user has. */
const READY = new WeakSet<object>();

function clientOf(parts: Parts): MerchantClient {
  READY.add(parts);
  const options: object = parts;
  return new MerchantClient(options);
}

function isReady(options: object | null): options is Parts {
  return options !== null && READY.has(options);
}

/**
 * The client of the Merchant Invoicing Service. One per process is enough: its calls share a retry budget and wait
 * together when the service limits the rate. It shows no key and no secret when it is logged, inspected or serialised.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const merchant = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: process.env.MERCHANT_KEY });
 * const invoice = await merchant.invoices.create({
 *   external_id: 'order-1042',
 *   amount: '25.00',
 *   currency: 'EUR',
 *   customer_id: 'customer-7',
 * });
 */
export class MerchantClient {
  /** Creates, reads and lists charges. */
  readonly invoices: Invoices;
  /** Reads and lists withdrawals of the business. */
  readonly withdrawals: Withdrawals;
  /** Says which currencies and amounts can be charged. */
  readonly paymentMethods: PaymentMethods;
  /** Lists market rates of USDT. */
  readonly rates: Rates;
  /** Receives webhooks, lists deliveries and sends one again. */
  readonly webhooks: Webhooks;

  constructor(options: MerchantClientOptions = {}) {
    const parts = isReady(options) ? options : readParts(options, undefined);
    const { core, secrets, queryNames } = parts;
    PARTS.set(this, parts);
    this.invoices = buildInvoices(core);
    this.withdrawals = buildWithdrawals(core, queryNames);
    this.paymentMethods = buildPaymentMethods(core);
    this.rates = buildRates(core);
    this.webhooks = buildWebhooks(core, secrets);
  }

  /**
   * Creates a client for another business of the same service, or with other limits. It shares fetch,
   * hooks and `onDrift`, and has its own retry budget and rate-limit pause: keep one client for each business.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an `apiKey` of undefined.
   * @example
   * const shop = merchant.withOptions({ apiKey: await vault.read('shop-7') });
   * await shop.invoices.create(params);
   */
  withOptions(options: ClientOverrides): MerchantClient {
    return clientOf(otherParts(partsOf(this), options));
  }

  /**
   * Calls an endpoint that this version of the package does not know, and decodes its data.
   *
   * @throws UnexpectedResponseError (`SDK_CONTRACT`) if `decode` throws.
   * @example
   * const count = await merchant.request({
   *   method: 'GET',
   *   path: '/api/v1/external/balances',
   *   decode: (data) => (Array.isArray(data) ? data.length : 0),
   * });
   */
  request<T>(request: RawRequest & { readonly decode: (data: unknown) => T }, options?: CallOptions): Call<T>;
  /**
   * Calls an endpoint that this version of the package does not know, with key, retries, deadline and typed errors. GET,
   * PUT and DELETE are repeated after a failure, and others only with `idempotent: true`. Resolves to the `data` of the envelope, or to
   * the whole body where there is no envelope. Amounts stay text: nothing is decoded.
   *
   * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for a path that could leave the service, or data that JSON does not
   * know. No request is made.
   * @example
   * const balances = await merchant.request({ method: 'GET', path: '/api/v1/external/balances' });
   */
  request(request: RawRequest, options?: CallOptions): Call<unknown>;
  request(
    request: RawRequest & { readonly decode?: (data: unknown) => unknown },
    options?: CallOptions,
  ): Call<unknown> {
    return new CallPromise(sendRequest(partsOf(this).core, request, options));
  }
}
