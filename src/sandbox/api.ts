/// <reference lib="esnext.disposable" preserve="true" />
import type { SandboxActions } from './actions.ts';
import type { FoundCause } from './delivery/cause-search.ts';
import type { Dialect } from './dialect/dialects.ts';
import type { ListenOptions, SandboxServer } from './http/server.ts';
import type { Faults } from './state/faults.ts';
import type { RequestEntry, SandboxEvent } from './state/log.ts';
import type { SandboxState } from './state/saved-state.ts';
import type { SandboxDelivery, SandboxInvoice } from './wire-types.ts';

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
export interface Sandbox extends SandboxActions, AsyncDisposable {
  /** The service as a fetch, for the option `fetch` of a client. The host of the address does not matter. */
  readonly fetch: SandboxFetch;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Base address: that of the server after `listen()`, https://sandbox.invalid before. The option `url` replaces it. */
  readonly url: string;
  /** The seed of this run. Give it to `createSandbox` to repeat the run. */
  readonly seed: number | string;
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
