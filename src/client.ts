import { ConfigurationError } from './errors/classes.ts';
import { hiding } from './errors/hide.ts';
import {
  type CallOptions,
  type ClientOverrides,
  type ClientSettings,
  type MerchantClientOptions,
  RECEIVER,
  readClientOptions,
  readOverrides,
} from './options.ts';
import { type Call, CallPromise } from './resources/call-promise.ts';
import { buildInvoices, type Invoices } from './resources/invoices.ts';
import { buildPaymentMethods, type PaymentMethods } from './resources/payment-methods.ts';
import { buildRates, type Rates } from './resources/rates.ts';
import { type RawRequest, rawRequest } from './resources/request.ts';
import { buildWebhooks, type Webhooks } from './resources/webhooks.ts';
import { buildWithdrawals, type Withdrawals } from './resources/withdrawals.ts';
import { debugHooks } from './transport/hooks.ts';
import { createKy } from './transport/http.ts';
import { PLATFORM, RateLimit, type Runtime } from './transport/limits.ts';
import type { ClientCore } from './transport/types.ts';

/** The parts of a client. A class, so that the constructor can tell it from user options. */
class Parts {
  readonly options: ClientSettings;
  readonly core: ClientCore;

  constructor(options: ClientSettings, core: ClientCore) {
    this.options = options;
    this.core = core;
  }
}

/**
 * The internals of each client. They are no members, so that a plain object can stand in for a client in a test, and
 * inspection shows no secret.
 */
const PARTS = new WeakMap<object, Parts>();

function partsOf(client: object | undefined): Parts {
  const parts = client === undefined ? undefined : PARTS.get(client);
  if (parts !== undefined) return parts;
  throw new ConfigurationError('MerchantClient: call request and withOptions as methods of the client.');
}

/**
 * Makes the parts of a client.
 *
 * @param from The clock and the printed lines that a client of `withOptions` shares with the first client.
 * @param others The keys of earlier clients, which the new one also hides.
 */
function partsFor(
  options: ClientSettings,
  from: Partial<Pick<ClientCore, 'runtime' | 'printed'>>,
  others: readonly string[],
): Parts {
  const { apiKey, baseUrl, fetch, allowHttp, hooks, settings } = options;
  const { runtime = PLATFORM, printed = new Set() } = from;
  return new Parts(options, {
    // The platform's fetch is looked up at each call, so that a tool that replaces it later is seen.
    http: createKy(fetch ?? ((url, init) => globalThis.fetch(url, init)), baseUrl, options.headers),
    baseUrl,
    apiKey,
    hasOwnFetch: fetch !== undefined,
    secrets: others,
    hide: hiding(typeof apiKey === 'string' ? [apiKey, ...others] : others),
    runtime,
    limit: new RateLimit(runtime),
    hooks: [hooks, debugHooks(() => runtime.monotonic())].filter((each) => each !== undefined),
    allowHttp,
    settings,
    printed,
  });
}

/** Creates a client with another clock, other timers or another source of randomness, for tests. @internal */
export function clientWithRuntime(options: MerchantClientOptions, runtime: Runtime): MerchantClient {
  return clientOf(partsFor(readClientOptions(options), { runtime }, []));
}

/** `merchant.webhooks.handler` and `verify` of old code. Not enumerable, and in no type. */
function moved(): never {
  throw new ConfigurationError(`merchant.webhooks receives nothing: ${RECEIVER}.`);
}

function clientOf(parts: object): MerchantClient {
  return new MerchantClient(parts); // `object`, because the constructor declares only options
}

/**
 * The client of the Merchant Invoicing Service. One per process is enough: its calls hold back together when the
 * service limits the rate. Jobs use a client of `withOptions({})`, so that no checkout waits for them. It shows no key
 * and no secret when it is logged, inspected or serialised.
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
  /** Creates, reads and lists invoices. */
  readonly invoices: Invoices;
  /** Reads and lists withdrawals of the business. */
  readonly withdrawals: Withdrawals;
  /** Says which currencies and amounts can be charged. */
  readonly paymentMethods: PaymentMethods;
  /** Lists market rates of USDT. */
  readonly rates: Rates;
  /** Lists the deliveries of webhooks, and sends one again. `merchant-invoicing/webhooks` receives them. */
  readonly webhooks: Webhooks;

  constructor(options: MerchantClientOptions = {}) {
    const parts = options instanceof Parts ? options : partsFor(readClientOptions(options), {}, []);
    const { core } = parts;
    PARTS.set(this, parts);
    this.invoices = buildInvoices(core);
    this.withdrawals = buildWithdrawals(core, parts.options.queryNames);
    this.paymentMethods = buildPaymentMethods(core);
    this.rates = buildRates(core);
    this.webhooks = Object.defineProperties(buildWebhooks(core), {
      handler: { value: moved },
      verify: { value: moved },
    });
  }

  /**
   * Creates a client for another business of the same service, or with other limits. It shares fetch
   * and hooks, and knows nothing of the rate limits that the first one met: keep one client for each business.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an `apiKey` of undefined.
   * @example
   * const shop = merchant.withOptions({ apiKey: await vault.read('shop-7') });
   * await shop.invoices.create(params);
   */
  withOptions(options: ClientOverrides): MerchantClient {
    const { core, options: own } = partsOf(this);
    const { apiKey, secrets } = core;
    const others = typeof apiKey === 'string' ? [apiKey, ...secrets] : secrets;
    return clientOf(partsFor(readOverrides(own, options), core, others));
  }

  /**
   * Calls an endpoint that this version of the package does not know, with key, retries, deadline and typed errors.
   * GET, PUT and DELETE are retried after a failure, and others only with `idempotent: true`. Resolves to the `data` of
   * the envelope, or to the whole body where there is no envelope, as the service sent it.
   *
   * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for a path that could leave the service, or data that JSON
   * cannot write. No request is made.
   * @example
   * const balances = await merchant.request({ method: 'GET', path: '/api/v1/external/balances' });
   */
  request(request: RawRequest, options?: CallOptions): Call<unknown> {
    return new CallPromise(rawRequest(partsOf(this).core, request, options));
  }
}
