/// <reference lib="esnext.disposable" preserve="true" />
import type { FoundCause } from './delivery/cause-search.ts';
import type { Dialect } from './dialects.ts';
import type { ListenOptions, SandboxServer } from './http/server.ts';
import type { Faults } from './state/faults.ts';
import type { RequestEntry, SandboxEvent } from './state/log.ts';
import type { SandboxState } from './state/saved-state.ts';
import type { NewInvoice, Payment, SandboxDelivery, SandboxInvoice, SandboxWithdrawal } from './wire-types.ts';

/** The sandbox as a fetch. It takes the same arguments as the fetch of the platform. */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A local Merchant Invoicing Service, with its state in memory.
 *
 * `ident` is the `external_id` of the merchant or the uuid of the service. Functions that change an invoice resolve after
 * the first attempt of its webhook.
 *
 * @example
 * await using sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 * await merchant.invoices.create({ external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR' });
 * await sandbox.pay('order-1');
 */
export interface Sandbox extends AsyncDisposable {
  /** The service as a fetch, for the option `fetch` of a client. The host of the address does not matter. */
  readonly fetch: SandboxFetch;
  /** The key that requests need in X-Api-Key: the option `apiKey`. */
  readonly apiKey: string;
  /** The secret that webhooks are signed with: the option `webhookSecret`. */
  readonly webhookSecret: string;
  /** Base address: that of the server after `listen()`, https://sandbox.invalid before. The option `url` replaces it. */
  readonly url: string;
  /** The seed of this run. Give it to `createSandbox` to repeat the run. */
  readonly seed: number | string;
  /** How it fills in what the interface leaves open. Changed by `assume()`. */
  readonly dialect: Dialect;
  /**
   * Serves the sandbox over HTTP, by default on loopback and a free port.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the port is in use or the sandbox is closed.
   * @example
   * const { url } = await sandbox.listen({ port: 4010 });
   */
  listen(options?: ListenOptions): Promise<SandboxServer>;

  /**
   * The time of the sandbox clock.
   *
   * @example
   * sandbox.now().toISOString();
   */
  now(): Date;
  /**
   * Moves the clock and runs all work that falls due, in order, deliveries included.
   *
   * @param duration Milliseconds, or text such as `"6h"` or `"1h30m"`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if it is not a duration from 0 up to 100 years.
   * @example
   * await sandbox.advance('6h');
   */
  advance(duration: number | string): Promise<void>;
  /**
   * Stops a running clock. `advance()` still moves it.
   *
   * @example
   * sandbox.freeze();
   * await sandbox.advance('6h');
   */
  freeze(): void;
  /**
   * Lets the clock run with real time from its current time.
   *
   * @example
   * sandbox.unfreeze();
   */
  unfreeze(): void;
  /** True while only `advance()` moves the clock. */
  readonly frozen: boolean;
  /**
   * Resolves when no delivery attempt is in progress.
   *
   * @example
   * await sandbox.settle();
   */
  settle(): Promise<void>;
  /**
   * Restores the beginning: state, log, faults, and a virtual clock. With a given seed the ids repeat, too.
   * It never throws: the options were checked when the sandbox was made.
   *
   * @example
   * beforeEach(() => sandbox.reset());
   */
  reset(): void;

  /**
   * Creates an invoice, as a request to the service would.
   *
   * @param draft Amount and currency. `external_id` defaults to the next free `order-1001`, `customer_id` to `customer-1`.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a member that the service refuses, or a taken `external_id`.
   * @example
   * const { payment_url } = sandbox.create({ amount: '25.00', currency: 'EUR' });
   */
  create(draft: NewInvoice): SandboxInvoice;
  /**
   * Returns the withdrawals, newest first.
   *
   * @example
   * const waiting = sandbox.withdrawals().filter(({ status }) => status === 'pending');
   */
  withdrawals(): SandboxWithdrawal[];
  /**
   * Approves a pending withdrawal, which gets a `tx_hash`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such withdrawal, or it is decided already.
   * @example
   * const [waiting] = sandbox.withdrawals();
   * if (waiting !== undefined) sandbox.approve(waiting.uuid);
   */
  approve(uuid: string): SandboxWithdrawal;
  /**
   * Rejects a pending withdrawal.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such withdrawal, or it is decided already.
   * @example
   * const [waiting] = sandbox.withdrawals();
   * if (waiting !== undefined) sandbox.reject(waiting.uuid, 'unknown address');
   */
  reject(uuid: string, reason: string): SandboxWithdrawal;
  /**
   * Changes dialects from now on. What exists already is written in the new form, too.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a name or value that is not in `DIALECTS`.
   * @example
   * sandbox.assume({ conflictStatus: 422 });
   */
  assume(changes: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined }): Dialect;

  /**
   * Sets the payment method, by id or name. May be repeated while the invoice is pending.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the method does not take its currency or amount.
   * @example
   * const { amount_to_send } = sandbox.choose('order-1', 'Card');
   */
  choose(ident: string, method: number | string): SandboxInvoice;
  /**
   * Pays the ordered amount, or another `amount`, which makes the invoice adjusted.
   *
   * @param options `method` is an id or name. Default: the chosen method, or the first that takes the amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or no method takes the amount.
   * @example
   * const { settled_amount_usdt } = await sandbox.pay('order-1', { method: 'Card' });
   */
  pay(ident: string, options?: Payment): Promise<SandboxInvoice>;
  /**
   * Pays less than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the amount is not less than ordered.
   * @example
   * await sandbox.underpay('order-1', '20.00');
   */
  underpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxInvoice>;
  /**
   * Pays more than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, it is final, or the amount is not more than ordered.
   * @example
   * await sandbox.overpay('order-1', '30.00');
   */
  overpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `fail`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.fail('order-1');
   */
  fail(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `canceled`.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.cancel('order-1');
   */
  cancel(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice as `expired` without moving the clock.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.expire('order-1');
   */
  expire(ident: string): Promise<SandboxInvoice>;
  /**
   * Ends the invoice with the given status. `success` pays it exactly.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is final.
   * @example
   * await sandbox.finish('order-1', 'success');
   */
  finish(ident: string, status: 'success' | 'fail' | 'expired' | 'canceled'): Promise<SandboxInvoice>;
  /**
   * Corrects the paid amount after a dispute, without a second webhook. A pending invoice is paid with this amount.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it ended without a payment.
   * @example
   * await sandbox.pay('order-1');
   * await sandbox.adjust('order-1', '20.00');
   */
  adjust(ident: string, amount: string): Promise<SandboxInvoice>;

  /**
   * Returns one invoice.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice.
   * @example
   * const { status } = sandbox.invoice('order-1');
   */
  invoice(ident: string): SandboxInvoice;
  /**
   * Returns all invoices, newest first.
   *
   * @example
   * const [newest] = sandbox.invoices();
   */
  invoices(): SandboxInvoice[];
  /**
   * Returns the deliveries of one invoice, or of all, newest first.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice.
   * @example
   * const [latest] = sandbox.deliveries('order-1');
   */
  deliveries(ident?: string): SandboxDelivery[];
  /**
   * Sends the latest delivery now and waits for the attempt. A queued one is expedited.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such invoice, or it has no delivery.
   * @example
   * await sandbox.resend('order-1');
   */
  resend(ident: string): Promise<SandboxDelivery>;
  /**
   * Searches for the cause of a refused delivery. The receiver gets up to 25 requests, each of which only a receiver with
   * one certain mistake accepts. The delivery and its schedule stay unchanged.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice has no delivery that was sent.
   * @example
   * const { text } = await sandbox.explain('order-1');
   */
  explain(ident: string): Promise<FoundCause>;
  /**
   * Returns the webhook of a final invoice as a signed Request, for a receiver without a port.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the sandbox has no such invoice, or it is pending.
   * @example
   * await sandbox.pay('order-1');
   * const response = await receive(await sandbox.webhookRequest('order-1'));
   */
  webhookRequest(ident: string, url?: string): Promise<Request>;

  /** The injected failures. */
  readonly faults: Faults;
  /**
   * Returns the requests, oldest first, each with the cause of its refusal. The last 2,000 events are kept.
   *
   * @example
   * const paths = sandbox.requests().map(({ path }) => path);
   */
  requests(): RequestEntry[];
  /**
   * Returns requests, changes of invoices, delivery attempts and notes, oldest first.
   *
   * @example
   * for (const event of sandbox.events()) console.log(describeEvent(event));
   */
  events(): SandboxEvent[];
  /**
   * Returns the content as plain JSON data for the option `state`, without faults and log.
   *
   * @example
   * const copy = createSandbox({ state: sandbox.state() });
   */
  state(): SandboxState;
  /**
   * Ends deliveries, timers and servers.
   *
   * @example
   * await sandbox.close();
   */
  close(): Promise<void>;
}
