import type { Callback } from '../checks.ts';
import type { Dialect } from './dialects.ts';
import type { SeedFault } from './state/faults.ts';
import type { SandboxEvent } from './state/log.ts';
import type { SandboxState } from './state/saved-state.ts';
import type { SandboxMethod, SandboxRate, SandboxWithdrawal } from './wire-types.ts';

/** The function that sends webhooks. The fetch of the platform fits, and so do short fakes. */
export type DeliveryFetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * The business settings: addresses for invoices that have none. Null or absent means no address.
 *
 * @example
 * const sandbox = createSandbox({ defaults: { callback_url: 'http://127.0.0.1:3000/webhook' } });
 */
export interface SandboxDefaults {
  /** Receives the terminal webhook. */
  readonly callback_url?: string | null | undefined;
  /** Where the customer goes after a payment. */
  readonly success_url?: string | null | undefined;
  /** Where the customer goes after a failed payment. */
  readonly fail_url?: string | null | undefined;
}

/**
 * An initial invoice. A final one sends no webhook.
 *
 * @example
 * const paid = { external_id: 'order-1', customer_id: 'c-1', amount: '25.00', currency: 'EUR', status: 'success' } as const;
 * const sandbox = createSandbox({ seedData: { invoices: [paid] } });
 */
export interface SeedInvoice extends SandboxDefaults {
  readonly external_id: string;
  readonly customer_id: string;
  readonly amount: string;
  readonly currency: string;
  /** Text for the customer. */
  readonly purpose?: string | null | undefined;
  /** @defaultValue 'pending' */
  readonly status?: 'pending' | 'success' | 'fail' | 'expired' | 'canceled' | undefined;
  /** The time since its creation, milliseconds or text. A pending one must be younger than the lifetime. @defaultValue 0 */
  readonly age?: number | string | undefined;
  /** For `success`: the paid amount. Another amount than the ordered one makes the invoice adjusted. */
  readonly paid?: string | undefined;
}

/**
 * The options of `createSandbox`. All are optional.
 *
 * @example
 * const sandbox = createSandbox({ lifetime: '10m', deliverTo: ['shop.test'], dialect: { createStatus: 200 } });
 */
export interface SandboxOptions {
  /** @defaultValue 'sk_sandbox' */
  readonly apiKey?: string | undefined;
  /** @defaultValue 'whsec_sandbox' */
  readonly webhookSecret?: string | undefined;
  /** The same seed gives the same ids and choices. Default: a random one, so that receivers get new ids. */
  readonly seed?: number | string | undefined;
  /** `virtual` moves only by `advance()`. `real` runs, and `advance()` sets it ahead. @defaultValue 'virtual' */
  readonly clock?: 'virtual' | 'real' | undefined;
  /** The initial time of the clock. Default: the real time. */
  readonly now?: Date | number | string | undefined;
  /** Time from creation to expiry, in milliseconds or as text. @defaultValue '30m' */
  readonly lifetime?: number | string | undefined;
  /** The name of the shop on the payment page. @defaultValue 'Your shop' */
  readonly merchantName?: string | undefined;
  /** Business settings. */
  readonly defaults?: SandboxDefaults | undefined;
  /**
   * Ends orders whose `external_id` begins with a certain prefix, such as `pay-` or `fail-`. They end one second after
   * their creation, on the sandbox clock. The command line turns this on.
   * @defaultValue false
   * @see {@link MAGIC_OUTCOMES}
   */
  readonly magicOutcomes?: boolean | undefined;
  /**
   * Refuses requests beyond this number with the rate limit of the dialect, such as `"10/s"`, `"100/min"` or `"5000/h"`.
   * Counts in real time, over any window of that length. Default: no limit.
   */
  readonly rateLimit?: string | undefined;
  /** Initial faults. `reset()` restores them. */
  readonly faults?: readonly SeedFault[] | undefined;
  /** Continues from the result of `sandbox.state()`, of this process or another. Replaces `seedData`. */
  readonly state?: SandboxState | undefined;
  /** Replaces the built-in methods. Their currencies are the active ones. */
  readonly methods?: readonly SandboxMethod[] | undefined;
  /** Replaces the built-in rates. Each currency needs a rate before a payment. */
  readonly rates?: readonly SandboxRate[] | undefined;
  /** Replaces the built-in withdrawals. */
  readonly withdrawals?: readonly SandboxWithdrawal[] | undefined;
  /** Initial invoices. `reset()` restores them. */
  readonly seedData?: { readonly invoices?: readonly SeedInvoice[] | undefined } | undefined;
  /** Host names beyond loopback that webhooks may go to, such as `shop.test` or `host.docker.internal`. */
  readonly deliverTo?: readonly string[] | undefined;
  /** Sends the webhooks. Default: the global fetch at the time of each delivery. */
  readonly fetch?: DeliveryFetch | undefined;
  /**
   * The choices where the interface is not specific.
   * @see {@link Dialect}
   */
  readonly dialect?: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } | undefined;
  /** Base address, for containers and proxies. Default: https://sandbox.invalid, after `listen()` that of the server. */
  readonly url?: string | undefined;
  /** Largest request body in bytes. A larger one is answered with 413. @defaultValue 1_048_576 */
  readonly maxBody?: number | undefined;
  /** The number of kept invoices. Beyond it the oldest is dropped with its deliveries. @defaultValue 100_000 */
  readonly maxInvoices?: number | undefined;
  /** The time limit of a receiver, in milliseconds of real time or as text. @defaultValue '15s' */
  readonly deliveryTimeout?: number | string | undefined;
  /**
   * The clock of X-Webhook-Timestamp. `wall` is the real time, by which a receiver compares the age. `sandbox` is the
   * sandbox clock, for receivers that share it.
   * @defaultValue 'wall'
   */
  readonly deliveryTimestamp?: 'wall' | 'sandbox' | undefined;
  /** The real time in epoch milliseconds. @defaultValue Date.now */
  readonly wallClock?: (() => number) | undefined;
  /** Waits real time, for delivery timeouts and slow bodies. Resolves early on abort. Default: a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Called with each event. Errors thrown here are ignored. */
  readonly onEvent?: Callback<[event: SandboxEvent]> | undefined;
}
