import type { Finding } from './delivery/why-search.ts';
import type { Dialect } from './dialect/dialects.ts';
import type { RequestEntry, SandboxEvent } from './events.ts';
import type { ListenOptions, SandboxServer } from './http/server.ts';
import type { Faults } from './service/faults.ts';
import type { SandboxState } from './state/state.ts';
import type { SandboxDelivery, SandboxInvoice } from './wire-types.ts';

/** The sandbox as a fetch: takes whatever the platform's fetch takes. */
export type SandboxFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A local Merchant Invoicing Service: state in memory, nothing leaves the machine. `ident` is the merchant's external_id
 * or the service's uuid. Functions that move an invoice resolve when the first attempt of its webhook has ended, and
 * throw a ConfigurationError that names the way out when the move is not possible.
 */
export interface Sandbox extends AsyncDisposable {
  /** The service as a fetch: give it to a client. Any host will do; nothing is sent anywhere. */
  readonly fetch: SandboxFetch;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Base address: https://sandbox.invalid until `listen()`, then the server's, unless the option `url` is given. */
  readonly url: string;
  /** Give it to `createSandbox` again to repeat this run. */
  readonly seed: number | string;
  readonly dialect: Dialect;
  /** Serves the same over HTTP, on loopback and a free port by default. Once at a time. */
  listen(options?: ListenOptions): Promise<SandboxServer>;

  /** The sandbox clock. */
  now(): Date;
  /** Moves the clock by milliseconds or text such as `"6h"`; runs what falls due, in order, deliveries included. */
  advance(duration: number | string): Promise<void>;
  /** Stops a running clock where it is; `advance()` still moves it. */
  freeze(): void;
  /** Lets the clock run with real time from where it stands. */
  unfreeze(): void;
  readonly frozen: boolean;
  /** Resolves when no delivery attempt is under way. */
  settle(): Promise<void>;
  /** Back to the beginning: state, log, faults; with a given seed also ids; a virtual clock goes back, too. */
  reset(): void;

  /** The customer picks a method, by id or name; may be repeated while pending. */
  choose(ident: string, method: number | string): SandboxInvoice;
  /**
   * Pays exactly, by the given method, else by the chosen one, else by the first that takes the amount. Another `amount`
   * makes the invoice adjusted, as `underpay` and `overpay` do.
   */
  pay(
    ident: string,
    options?: { readonly method?: number | string | undefined; readonly amount?: string | undefined },
  ): Promise<SandboxInvoice>;
  /** Pays less than ordered: the invoice becomes adjusted. `amount` leaves the commission out, as the order amount does. */
  underpay(
    ident: string,
    amount: string,
    options?: { readonly method?: number | string | undefined },
  ): Promise<SandboxInvoice>;
  /** Pays more than ordered. */
  overpay(
    ident: string,
    amount: string,
    options?: { readonly method?: number | string | undefined },
  ): Promise<SandboxInvoice>;
  fail(ident: string): Promise<SandboxInvoice>;
  cancel(ident: string): Promise<SandboxInvoice>;
  /** Ends it as expired without moving the clock. */
  expire(ident: string): Promise<SandboxInvoice>;
  finish(ident: string, status: 'success' | 'fail' | 'expired' | 'canceled'): Promise<SandboxInvoice>;
  /** A dispute corrects the paid amount. On a paid invoice no second webhook is sent; a pending one is paid with it. */
  adjust(ident: string, amount: string): Promise<SandboxInvoice>;

  invoice(ident: string): SandboxInvoice;
  /** Newest first. */
  invoices(): SandboxInvoice[];
  /** Of one invoice, or all; newest first. */
  deliveries(ident?: string): SandboxDelivery[];
  /** Sends the latest delivery now and waits for the attempt: a queued one is expedited, else a fresh attempt is made. */
  resend(ident: string): Promise<SandboxDelivery>;
  /**
   * Searches, by trial, for the cause of a refused delivery: the receiver sees up to 25 requests, each of which only a
   * receiver with one certain mistake accepts. The delivery and its schedule stay as they are.
   */
  explain(ident: string): Promise<Finding>;
  /** The terminal webhook of an invoice as a signed Request, for a receiver under test that has no port. */
  webhookRequest(ident: string, url?: string): Promise<Request>;

  readonly faults: Faults;
  /** The requests so far, oldest first, each with the why of its refusal. The last 2,000 events are kept. */
  requests(): RequestEntry[];
  /** Requests, moves of invoices, delivery attempts and notes, oldest first. */
  events(): SandboxEvent[];
  /**
   * Invoices, deliveries, withdrawals, clock and ids as plain JSON data, for the option `state`. Faults and the log are
   * left out.
   */
  state(): SandboxState;
  /** Ends deliveries, timers and servers. */
  close(): Promise<void>;
}
