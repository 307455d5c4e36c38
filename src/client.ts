import { checkCallbacks, checkOptions } from './checks.ts';
import {
  CLIENT_NAMES,
  checkApiKey,
  checkBaseUrl,
  checkFunctions,
  checkQueryNames,
  checkWebhookSecrets,
  fail,
  type MerchantClientOptions,
} from './client-options.ts';
import { readDialectFile } from './dialect-file/dialect-file.ts';
import { expectedDrift, queryPins, receiverPins } from './dialect-file/pins.ts';
import { buildInvoices, type Invoices } from './resources/invoices.ts';
import { buildPaymentMethods, type PaymentMethods } from './resources/payment-methods.ts';
import { buildRates, type Rates } from './resources/rates.ts';
import { buildWebhooks, type Webhooks } from './resources/webhooks.ts';
import { buildWithdrawals, type Withdrawals } from './resources/withdrawals.ts';
import { StrictDrift } from './transport/drift/strict-drift.ts';
import { DriftReporter, Observer } from './transport/observer.ts';
import { checkHeaders, readClientSettings } from './transport/read-options.ts';
import { runtimeOf } from './transport/runtime.ts';
import type { ClientCore } from './transport/scope.ts';
import { apiKeySource } from './transport/secrecy/api-key.ts';
import { Redactor } from './transport/secrecy/redact.ts';
import { RateLimitGate, RetryBudget } from './transport/throttle.ts';
import { Transport } from './transport/transport.ts';

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
  readonly invoices: Invoices;
  readonly withdrawals: Withdrawals;
  readonly paymentMethods: PaymentMethods;
  readonly rates: Rates;
  readonly webhooks: Webhooks;

  constructor(options: MerchantClientOptions = {}) {
    checkOptions('options', options, CLIENT_NAMES, fail);
    checkFunctions(options.hooks, 'hooks', ['onRequest', 'onResponse', 'onRetry', 'onError'], true);
    checkFunctions(options.logger, 'logger', ['debug', 'info', 'warn', 'error'], false);
    checkFunctions(options.runtime, 'runtime', ['now', 'monotonic', 'random', 'timer'], true);
    const { onDrift, dialect } = options;
    checkCallbacks({ fetch: options.fetch, ...(onDrift !== 'throw' && { onDrift }) }, fail);
    const file = dialect === undefined ? null : readDialectFile(dialect, fail);
    const baseUrl = checkBaseUrl(options.baseUrl, options.allowHttp === true);
    const apiKey = checkApiKey(options.apiKey);
    const secrets = checkWebhookSecrets(options.webhookSecret);
    const { budget, settings } = readClientSettings(options, fail);
    const headers = checkHeaders(options.headers, 'headers', fail);
    const redactor = new Redactor([...secrets, apiKey].filter((secret) => typeof secret === 'string'));
    const runtime = runtimeOf(options.runtime);
    // Looked up at each call, so that a tool that replaces the platform's fetch later is seen.
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const core: ClientCore = {
      transport: new Transport({ fetch, baseUrl, headers, redactor }),
      readKey: apiKeySource(apiKey, redactor),
      runtime,
      budget: new RetryBudget(budget),
      gate: new RateLimitGate(runtime),
      observer: options.hooks || options.logger ? new Observer(options.hooks ?? {}, options.logger ?? {}) : null,
      redactor,
      drift:
        onDrift === 'throw'
          ? new StrictDrift(file === null ? new Set() : expectedDrift(file), redactor)
          : onDrift === undefined
            ? null
            : new DriftReporter(onDrift, redactor),
      settings,
    };
    this.invoices = buildInvoices(core);
    this.withdrawals = buildWithdrawals(
      core,
      checkQueryNames(options.withdrawalQuery, file === null ? {} : queryPins(file, fail)),
    );
    this.paymentMethods = buildPaymentMethods(core);
    this.rates = buildRates(core);
    this.webhooks = buildWebhooks(core, secrets, file === null ? {} : receiverPins(file, fail));
  }
}
