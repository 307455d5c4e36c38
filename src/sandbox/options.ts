import type { Dialect } from './dialect/dialect.ts';
import type { SandboxEvent } from './state/events.ts';
import type { SeedFault } from './state/faults.ts';
import type { SandboxState } from './state/saved-state.ts';
import type { SandboxMethod, SandboxRate, SandboxWithdrawal } from './wire-types.ts';

/** What the sandbox needs to send a webhook. The platform's fetch and one-line fakes fit. */
export type DeliveryFetch = (input: string, init: RequestInit) => Promise<Response>;

/** The business settings that an invoice falls back to. Null or absent: none. */
export interface SandboxDefaults {
  readonly callback_url?: string | null;
  readonly success_url?: string | null;
  readonly fail_url?: string | null;
}

/** An invoice that is there from the start. No webhook is sent for one that is final already. */
export interface SeedInvoice {
  readonly external_id: string;
  readonly customer_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly purpose?: string | null;
  readonly callback_url?: string | null;
  readonly success_url?: string | null;
  readonly fail_url?: string | null;
  /** Default `pending`. */
  readonly status?: 'pending' | 'success' | 'fail' | 'expired' | 'canceled';
  /** How long ago it was created; default 0. A pending one must be younger than the lifetime. */
  readonly age?: number | string;
  /** For `success`: the amount really paid, which makes it adjusted when it differs. */
  readonly paid?: string;
}

/** Everything is optional; `createSandbox()` works at once. */
export interface SandboxOptions {
  /** Default `sk_sandbox`. */
  readonly apiKey?: string;
  /** Default `whsec_sandbox`. It never changes by itself. */
  readonly webhookSecret?: string;
  /** Makes ids and choices repeat. Default: another one each time, so that receivers that remember ids see new ones. */
  readonly seed?: number | string;
  /** `virtual` (default) moves only by `advance()`; `real` runs, and can be put ahead by `advance()`. */
  readonly clock?: 'virtual' | 'real';
  /** Where the clock starts. Default: the wall clock's now. */
  readonly now?: Date | number | string;
  /** Time from creation to expiry, milliseconds or `"30m"`. Default 30 minutes. */
  readonly lifetime?: number | string;
  /** Business settings. */
  readonly defaults?: SandboxDefaults;
  /**
   * Plays the customer of orders whose external_id begins with a magic word, such as `pay-` or `fail-`: they end by
   * themselves one second after their creation, on the sandbox clock. Default false; the command line turns it on.
   * @see {@link MAGIC_OUTCOMES}
   */
  readonly magicOutcomes?: boolean;
  /** Faults that are there from the start; `reset()` brings them back. */
  readonly faults?: readonly SeedFault[];
  /** Goes on where `sandbox.state()` was taken, in this process or another: instead of `seedData`. */
  readonly state?: SandboxState;
  /** Instead of the built-in methods. They also say which currencies can be charged. */
  readonly methods?: readonly SandboxMethod[];
  /** Instead of the built-in rates. Every currency that is to be paid in needs one. */
  readonly rates?: readonly SandboxRate[];
  /** Instead of the built-in withdrawals. */
  readonly withdrawals?: readonly SandboxWithdrawal[];
  /** What is there from the start; `reset()` brings it back. */
  readonly seedData?: { readonly invoices?: readonly SeedInvoice[] };
  /** Host names beyond loopback that webhooks may go to, such as `shop.test` or `host.docker.internal`. */
  readonly deliverTo?: readonly string[];
  /** Sends the webhooks. Default: the global fetch, looked up at each delivery. */
  readonly fetch?: DeliveryFetch;
  /** How what the interface leaves unsaid is played. @see {@link Dialect} */
  readonly dialect?: Partial<Dialect>;
  /** Base address before `listen()`, and after it when given: for containers and proxies. Default https://sandbox.invalid. */
  readonly url?: string;
  /** Largest request body in bytes; default 1 MiB, answered with 413. */
  readonly maxBody?: number;
  /** Invoices kept; default 100,000. Beyond it the oldest is forgotten, with its deliveries, whatever its state. */
  readonly maxInvoices?: number;
  /** How long a receiver may take, milliseconds of real time. Default 15 seconds, as the service. */
  readonly deliveryTimeout?: number | string;
  /**
   * Stamps X-Webhook-Timestamp. Default `wall`: the real time, because a receiver judges the age by its own clock, which
   * does not move with `advance()`. `sandbox`: the sandbox clock, for receivers that share it.
   */
  readonly deliveryTimestamp?: 'wall' | 'sandbox';
  /** The real time in epoch milliseconds. Default Date.now. */
  readonly wallClock?: () => number;
  /** Waits real time, for delivery time-outs and slow bodies; ends early, without failing, on abort. Default a timer. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Told of everything that happens, as it happens. */
  readonly onEvent?: (event: SandboxEvent) => void;
}
