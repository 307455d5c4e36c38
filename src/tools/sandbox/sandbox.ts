/// <reference lib="esnext.disposable" preserve="true" />
import type { Dialect } from './dialects.ts';
import type { ListenOptions, SandboxServer } from './http/server.ts';
import type { Faults } from './state/faults.ts';
import type { RequestEntry, SandboxEvent } from './state/log.ts';
import type { SandboxState } from './state/saved-state.ts';
import type {
  NewInvoice,
  Payment,
  SandboxDelivery,
  SandboxEnding,
  SandboxInvoice,
  SandboxWithdrawal,
} from './wire-types.ts';

/** The sandbox as a fetch. It takes the same arguments as the fetch of the platform. */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A local Merchant Invoicing Service, with its state in memory.
 *
 * `ident` is the `external_id` of the merchant or the uuid of the service. Functions that end an invoice resolve after
 * the first attempt of its webhook, to the invoice and what became of that webhook. A webhook that was refused or had
 * no address is also reported in one line on the console, once for each cause, unless the option `quiet` is true.
 * Functions throw a ConfigurationError (`SDK_CONFIGURATION`) for an invoice or a withdrawal that the sandbox does not
 * have, and for one whose final status does not allow the change.
 *
 * @example
 * await using sandbox = createSandbox();
 * const merchant = new MerchantClient({ apiKey: sandbox.apiKey, baseUrl: sandbox.url, fetch: sandbox.fetch });
 * await merchant.invoices.create({ external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR' });
 * const { delivery } = await sandbox.pay('order-1');
 * expect(delivery?.state).toBe('delivered');
 */
export interface Sandbox extends AsyncDisposable {
  /** The service as a fetch, for the option `fetch` of a client. The host of the address does not matter. */
  readonly fetch: SandboxFetch;
  /** The key that requests need in X-Api-Key: the option `apiKey`. */
  readonly apiKey: string;
  /** The secret that webhooks are signed with: the option `webhookSecret`. */
  readonly webhookSecret: string;
  /** Base address: https://sandbox.invalid, and after `listen()` the server's. The option `url` replaces both. */
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

  /** The time of the sandbox clock. */
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
  /** Stops a running clock. `advance()` still moves it. */
  freeze(): void;
  /** Lets the clock run with real time from its current time. */
  unfreeze(): void;
  /** True while only `advance()` moves the clock. */
  readonly frozen: boolean;
  /**
   * Resolves when no delivery attempt is in progress. With `quiet` it also waits for that many milliseconds of real
   * time in which no request and no attempt begins or ends, as a sign that a shop in another process has no work left.
   *
   * @example
   * await sandbox.settle({ quiet: 10 });
   */
  settle(options?: { readonly quiet?: number | undefined }): Promise<void>;
  /**
   * Restores the beginning: the `seedData`, the faults of the options, an empty log, and the time of the clock. With
   * the option `seed` the ids repeat too. Dialects that `assume()` has changed stay.
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
  /** Returns the withdrawals, newest first. */
  withdrawals(): SandboxWithdrawal[];
  /** Approves a pending withdrawal, which gets a `tx_hash`. */
  approve(uuid: string): SandboxWithdrawal;
  /** Rejects a pending withdrawal. */
  reject(uuid: string, reason: string): SandboxWithdrawal;
  /**
   * Changes dialects from now on. What exists already is also written in the new form.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) for a name or value that is not in `DIALECTS`.
   * @example
   * sandbox.assume({ conflictStatus: 422 });
   */
  assume(changes: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined }): Dialect;

  /**
   * Sets the payment method, by id or name. May be repeated while the invoice is pending.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the method does not take its currency or amount.
   */
  choose(ident: string, method: number | string): SandboxInvoice;
  /**
   * Pays the ordered amount, or another `amount`, which makes the invoice adjusted. With `late` it pays an invoice that has
   * ended unpaid.
   *
   * @param options `method` is an id or name. Default: the chosen method, or the first that takes the amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if no method takes the amount.
   * @example
   * const { invoice, delivery } = await sandbox.pay('order-1', { method: 'Card' });
   * await sandbox.pay('expired-order', { late: true });
   */
  pay(ident: string, options?: Payment): Promise<SandboxEnding>;
  /**
   * Pays less than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the amount is not less than ordered.
   */
  underpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxEnding>;
  /**
   * Pays more than ordered. The invoice becomes adjusted.
   *
   * @param amount Decimal text without the commission, as the ordered amount.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the amount is not more than ordered.
   */
  overpay(ident: string, amount: string, options?: Pick<Payment, 'method'>): Promise<SandboxEnding>;
  /** Ends the invoice as `fail`. */
  fail(ident: string): Promise<SandboxEnding>;
  /** Ends the invoice as `canceled`. */
  cancel(ident: string): Promise<SandboxEnding>;
  /** Ends the invoice as `expired` without moving the clock. */
  expire(ident: string): Promise<SandboxEnding>;
  /**
   * Ends the invoice with this status. `success` pays it exactly.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if there is no such status.
   * @example
   * await sandbox.finish('order-1', 'success');
   */
  finish(ident: string, status: 'success' | 'fail' | 'expired' | 'canceled'): Promise<SandboxEnding>;
  /**
   * Corrects the paid amount after a dispute, without a second webhook. A pending invoice is paid with this amount.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if it ended without a payment.
   * @example
   * await sandbox.pay('order-1');
   * await sandbox.adjust('order-1', '20.00');
   */
  adjust(ident: string, amount: string): Promise<SandboxEnding>;

  /** Returns one invoice. */
  invoice(ident: string): SandboxInvoice;
  /** Returns all invoices, newest first. */
  invoices(): SandboxInvoice[];
  /** Returns the deliveries of one invoice, or of all, newest first. */
  deliveries(ident?: string): SandboxDelivery[];
  /**
   * Sends the delivery now and waits for the attempt. A queued one is expedited.
   *
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice has no delivery.
   */
  resend(ident: string): Promise<SandboxDelivery>;
  /**
   * Returns the webhook of a final invoice as a signed Request, for a receiver without a port. It uses up the next
   * queued fault that changes a request: `wrong_signature`, `late_timestamp` or `reserialized`.
   *
   * @param url Default: the `callback_url` of the invoice, else http://localhost/webhook.
   * @throws ConfigurationError (`SDK_CONFIGURATION`) if the invoice is pending.
   * @example
   * await sandbox.pay('order-1');
   * const response = await receive(await sandbox.webhookRequest('order-1'));
   */
  webhookRequest(ident: string, url?: string): Promise<Request>;

  /** The injected failures. */
  readonly faults: Faults;
  /** Returns the requests, oldest first, each with the cause of its refusal. The last 2,000 events are kept. */
  requests(): RequestEntry[];
  /** Returns requests, changes of invoices, delivery attempts and notes, oldest first. */
  events(): SandboxEvent[];
  /**
   * Returns the content as plain JSON data for the option `state`, without faults and log.
   *
   * @example
   * const copy = createSandbox({ state: sandbox.state() });
   */
  state(): SandboxState;
  /** Ends deliveries, timers and servers. */
  close(): Promise<void>;
}
