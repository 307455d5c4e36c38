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
import { type Invoices, InvoicesResource } from './resources/invoices.ts';
import { type PaymentMethods, PaymentMethodsResource } from './resources/payment-methods.ts';
import { type Rates, RatesResource } from './resources/rates.ts';
import { type Webhooks, WebhooksResource } from './resources/webhooks.ts';
import { type Withdrawals, WithdrawalsResource } from './resources/withdrawals.ts';
import { RetryBudget } from './transport/budget.ts';
import { DriftReporter } from './transport/drift-reporter.ts';
import { RateLimitGate } from './transport/gate.ts';
import { checkHeaders, clientLimits } from './transport/limits.ts';
import { Observer } from './transport/observer.ts';
import { Runner } from './transport/runner.ts';
import { runtimeOf } from './transport/runtime.ts';
import { apiKeySource } from './transport/secrecy/api-key.ts';
import { Redactor } from './transport/secrecy/redact.ts';
import { Transport } from './transport/transport.ts';

/**
 * The client of the Merchant Invoicing Service. One per process is enough: its calls share a retry budget and wait
 * together when the service limits the rate.
 *
 * Throws a ConfigurationError for an unusable option. Shows no key and no secret when logged, inspected or serialised.
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
    checkCallbacks({ fetch: options.fetch, onDrift: options.onDrift }, fail);
    const baseUrl = checkBaseUrl(options.baseUrl, options.allowHttp === true);
    const apiKey = checkApiKey(options.apiKey);
    const secrets = checkWebhookSecrets(options.webhookSecret);
    const { budget, ...limits } = clientLimits(options);
    const hidden = [...secrets, apiKey].filter((secret) => typeof secret === 'string');
    const redactor = new Redactor(hidden);
    const runtime = runtimeOf(options.runtime);
    // Looked up at each call, so that a tool that replaces the platform's fetch later is seen.
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const runner = new Runner({
      transport: new Transport(fetch, apiKeySource(apiKey, redactor)),
      runtime,
      budget: new RetryBudget(budget),
      gate: new RateLimitGate(runtime),
      observer: new Observer(options.hooks ?? {}, options.logger ?? {}),
      redactor,
      drift: options.onDrift === undefined ? null : new DriftReporter(options.onDrift, redactor),
      baseUrl,
      headers: checkHeaders(options.headers, 'headers', fail),
      limits,
    });
    this.invoices = new InvoicesResource(runner);
    this.withdrawals = new WithdrawalsResource(runner, checkQueryNames(options.withdrawalQuery));
    this.paymentMethods = new PaymentMethodsResource(runner);
    this.rates = new RatesResource(runner);
    this.webhooks = new WebhooksResource(runner, secrets);
  }
}
