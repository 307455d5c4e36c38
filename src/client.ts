import { type Call, CallPromise } from './call/call.ts';
import type { ClientOverrides, MerchantClientOptions } from './client-options.ts';
import { ClientParts } from './client-parts.ts';
import { ConfigurationError } from './errors/classes.ts';
import { buildInvoices, type Invoices } from './resources/invoices.ts';
import { buildPaymentMethods, type PaymentMethods } from './resources/payment-methods.ts';
import { buildRates, type Rates } from './resources/rates.ts';
import { type RawRequest, sendRequest } from './resources/request.ts';
import { buildWebhooks, type Webhooks } from './resources/webhooks.ts';
import { buildWithdrawals, type Withdrawals } from './resources/withdrawals.ts';
import type { CallOptions } from './transport/options.ts';

/** The parts of each client. Kept outside of it, so that a test can use a plain object in place of a client. */
const PARTS = new WeakMap<object, ClientParts>();

function partsOf(client: object | undefined): ClientParts {
  const parts = client === undefined ? undefined : PARTS.get(client);
  if (parts !== undefined) return parts;
  throw new ConfigurationError('MerchantClient: call request and withOptions as methods of the client.');
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
    const parts = options instanceof ClientParts ? options : ClientParts.read(options);
    const { core, secrets, queryNames } = parts;
    PARTS.set(this, parts);
    this.invoices = buildInvoices(core);
    this.withdrawals = buildWithdrawals(core, queryNames);
    this.paymentMethods = buildPaymentMethods(core);
    this.rates = buildRates(core);
    this.webhooks = buildWebhooks(core, secrets);
  }

  /**
   * Creates a client for another business of the same service, or with other limits. It is cheap: a server can make one
   * for each request. It shares fetch, hooks, logger and clock. Retry budget and rate-limit pause belong to the key. All
   * clients with that key that come from one first client share them, up to 10,000 keys.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option, and for an `apiKey` of undefined.
   * @example
   * const shop = merchant.withOptions({ apiKey: await vault.read('shop-7') });
   * await shop.invoices.create(params);
   */
  withOptions(options: ClientOverrides): MerchantClient {
    const parts: object = partsOf(this).with(options);
    return new MerchantClient(parts); // the constructor recognises them
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
