import type { Callback } from '../checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import { type Dialect, dialectFrom } from './dialect/dialects.ts';
import { durationFrom, shown } from './duration.ts';
import type { SandboxEvent } from './events.ts';
import {
  checkOptionNames,
  DEFAULTS_NAMES,
  SANDBOX_NAMES,
  SEED_DATA_NAMES,
  SEED_FAULT_NAMES,
  SEED_INVOICE_NAMES,
} from './option-names.ts';
import { randomSeed } from './random.ts';
import type { SeedFault } from './service/faults.ts';
import { SEED_METHODS, SEED_RATES, seedWithdrawals } from './state/seed-data.ts';
import { type SandboxState, stateFrom } from './state/state.ts';
import type { SandboxMethod, SandboxRate, SandboxWithdrawal } from './wire-types.ts';

/** What the sandbox needs to send a webhook. The platform's fetch and one-line fakes fit. */
export type DeliveryFetch = (input: string, init: RequestInit) => Promise<Response>;

/** The business settings that an invoice falls back to. Null or absent: none. */
export interface SandboxDefaults {
  readonly callback_url?: string | null | undefined;
  readonly success_url?: string | null | undefined;
  readonly fail_url?: string | null | undefined;
}

/** An invoice that is there from the start. No webhook is sent for one that is final already. */
export interface SeedInvoice {
  readonly external_id: string;
  readonly customer_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly purpose?: string | null | undefined;
  readonly callback_url?: string | null | undefined;
  readonly success_url?: string | null | undefined;
  readonly fail_url?: string | null | undefined;
  /** Default `pending`. */
  readonly status?: 'pending' | 'success' | 'fail' | 'expired' | 'canceled' | undefined;
  /** How long ago it was created; default 0. A pending one must be younger than the lifetime. */
  readonly age?: number | string | undefined;
  /** For `success`: the amount really paid, which makes it adjusted when it differs. */
  readonly paid?: string | undefined;
}

/** Everything is optional; `createSandbox()` works at once. */
export interface SandboxOptions {
  /** Default `sk_sandbox`. */
  readonly apiKey?: string | undefined;
  /** Default `whsec_sandbox`. It never changes by itself. */
  readonly webhookSecret?: string | undefined;
  /** Makes ids and choices repeat. Default: another one each time, so that receivers that remember ids see new ones. */
  readonly seed?: number | string | undefined;
  /** `virtual` (default) moves only by `advance()`; `real` runs, and can be put ahead by `advance()`. */
  readonly clock?: 'virtual' | 'real' | undefined;
  /** Where the clock starts. Default: the wall clock's now. */
  readonly now?: Date | number | string | undefined;
  /** Time from creation to expiry, milliseconds or `"30m"`. Default 30 minutes. */
  readonly lifetime?: number | string | undefined;
  /** Business settings. */
  readonly defaults?: SandboxDefaults | undefined;
  /**
   * Plays the customer of orders whose external_id begins with a magic word, such as `pay-` or `fail-`: they end by
   * themselves one second after their creation, on the sandbox clock. Default false; the command line turns it on.
   * @see {@link MAGIC_OUTCOMES}
   */
  readonly magicOutcomes?: boolean | undefined;
  /** Faults that are there from the start; `reset()` brings them back. */
  readonly faults?: readonly SeedFault[] | undefined;
  /** Goes on where `sandbox.state()` was taken, in this process or another: instead of `seedData`. */
  readonly state?: SandboxState | undefined;
  /** Instead of the built-in methods. They also say which currencies can be charged. */
  readonly methods?: readonly SandboxMethod[] | undefined;
  /** Instead of the built-in rates. Every currency that is to be paid in needs one. */
  readonly rates?: readonly SandboxRate[] | undefined;
  /** Instead of the built-in withdrawals. */
  readonly withdrawals?: readonly SandboxWithdrawal[] | undefined;
  /** What is there from the start; `reset()` brings it back. */
  readonly seedData?: { readonly invoices?: readonly SeedInvoice[] | undefined } | undefined;
  /** Host names beyond loopback that webhooks may go to, such as `shop.test` or `host.docker.internal`. */
  readonly deliverTo?: readonly string[] | undefined;
  /** Sends the webhooks. Default: the global fetch, looked up at each delivery. */
  readonly fetch?: DeliveryFetch | undefined;
  /** How what the interface leaves unsaid is played. @see {@link Dialect} */
  readonly dialect?: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } | undefined;
  /** Base address before `listen()`, and after it when given: for containers and proxies. Default https://sandbox.invalid. */
  readonly url?: string | undefined;
  /** Largest request body in bytes; default 1 MiB, answered with 413. */
  readonly maxBody?: number | undefined;
  /** Invoices kept; default 100,000. Beyond it the oldest is forgotten, with its deliveries, whatever its state. */
  readonly maxInvoices?: number | undefined;
  /** How long a receiver may take, milliseconds of real time. Default 15 seconds, as the service. */
  readonly deliveryTimeout?: number | string | undefined;
  /**
   * Stamps X-Webhook-Timestamp. Default `wall`: the real time, because a receiver judges the age by its own clock, which
   * does not move with `advance()`. `sandbox`: the sandbox clock, for receivers that share it.
   */
  readonly deliveryTimestamp?: 'wall' | 'sandbox' | undefined;
  /** The real time in epoch milliseconds. Default Date.now. */
  readonly wallClock?: (() => number) | undefined;
  /** Waits real time, for delivery time-outs and slow bodies; ends early, without failing, on abort. Default a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Told of everything that happens, as it happens. */
  readonly onEvent?: Callback<[event: SandboxEvent]> | undefined;
}

/** Every member is there, and none of them is undefined. */
type Given<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** The options with every default in place. @internal */
export interface Settings
  extends Given<
    Omit<
      SandboxOptions,
      'state' | 'lifetime' | 'now' | 'url' | 'dialect' | 'deliveryTimeout' | 'onEvent' | 'withdrawals' | 'defaults'
    >
  > {
  readonly lifetime: number;
  readonly deliveryTimeout: number;
  /** Null: the wall clock's now, read again at each reset. */
  readonly start: number | null;
  readonly url: string | null;
  readonly dialect: Dialect;
  readonly defaults: Given<SandboxDefaults>;
  readonly onEvent: SandboxOptions['onEvent'];
  readonly withdrawals: (start: number) => readonly SandboxWithdrawal[];
  readonly seedGiven: boolean;
  readonly state: SandboxState | null;
}

function textOption(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.trim() === value) return value;
  const problem =
    typeof value === 'string'
      ? value === ''
        ? 'it is empty'
        : 'it begins or ends with a blank'
      : `got ${typeof value}`;
  throw new ConfigurationError(`${name} must be text without blanks around it: ${problem}`);
}

function instant(value: Date | number | string): number {
  const at = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(value);
  if (Number.isFinite(at)) return at;
  throw new ConfigurationError(`now must be a Date, epoch milliseconds or ISO 8601 text; got ${shown(value)}`);
}

function hostOption(host: unknown): string {
  if (typeof host === 'string' && /^[^\s/:@]+$|^\[[0-9a-f:.]+\]$/i.test(host)) return host.toLowerCase();
  throw new ConfigurationError(
    `deliverTo takes host names alone, such as "shop.test", without scheme or port; got ${shown(host)}`,
  );
}

function addressOption(value: string | null | undefined, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)) return value;
  throw new ConfigurationError(`${name} must be an http:// or https:// address; got ${shown(value)}`);
}

function countOption(value: unknown, name: string, of: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new ConfigurationError(`${name} must be a whole number of ${of}; got ${shown(value)}`);
}

function timerSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Checks the options and fills in the defaults. Throws a ConfigurationError that says what to give instead. @internal */
export function settingsFrom(options: SandboxOptions): Settings {
  checkOptionNames('createSandbox', options, SANDBOX_NAMES);
  checkOptionNames('defaults', options.defaults ?? {}, DEFAULTS_NAMES);
  checkOptionNames('seedData', options.seedData ?? {}, SEED_DATA_NAMES);
  for (const row of options.seedData?.invoices ?? [])
    checkOptionNames('An invoice of seedData', row, SEED_INVOICE_NAMES);
  for (const row of options.faults ?? []) checkOptionNames('A row of faults', row, SEED_FAULT_NAMES);
  const { clock = 'virtual', deliveryTimestamp = 'wall', defaults = {} } = options;
  if (clock !== 'virtual' && clock !== 'real')
    throw new ConfigurationError(`clock must be "virtual" or "real"; got ${shown(clock)}`);
  if (deliveryTimestamp !== 'wall' && deliveryTimestamp !== 'sandbox') {
    throw new ConfigurationError(`deliveryTimestamp must be "wall" or "sandbox"; got ${shown(deliveryTimestamp)}`);
  }
  const { methods = SEED_METHODS, withdrawals } = options;
  const state = options.state === undefined ? null : stateFrom(options.state);
  return {
    apiKey: textOption(options.apiKey ?? 'sk_sandbox', 'apiKey'),
    webhookSecret: textOption(options.webhookSecret ?? 'whsec_sandbox', 'webhookSecret'),
    seed: options.seed ?? state?.seed ?? randomSeed(),
    seedGiven: options.seed !== undefined,
    clock,
    start: options.now === undefined ? null : instant(options.now),
    faults: options.faults ?? [],
    magicOutcomes: options.magicOutcomes === true,
    state,
    lifetime: durationFrom(options.lifetime ?? '30m', 'lifetime'),
    defaults: {
      callback_url: addressOption(defaults.callback_url, 'defaults.callback_url'),
      success_url: addressOption(defaults.success_url, 'defaults.success_url'),
      fail_url: addressOption(defaults.fail_url, 'defaults.fail_url'),
    },
    methods,
    rates: options.rates ?? SEED_RATES,
    withdrawals: withdrawals === undefined ? seedWithdrawals : () => withdrawals,
    seedData: options.seedData ?? {},
    deliverTo: (options.deliverTo ?? []).map(hostOption),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    dialect: dialectFrom(options.dialect),
    url: addressOption(options.url, 'url')?.replace(/\/+$/, '') ?? null,
    maxBody: countOption(options.maxBody ?? 1_048_576, 'maxBody', 'bytes'),
    maxInvoices: countOption(options.maxInvoices ?? 100_000, 'maxInvoices', 'invoices'),
    deliveryTimeout: durationFrom(options.deliveryTimeout ?? '15s', 'deliveryTimeout'),
    deliveryTimestamp,
    wallClock: options.wallClock ?? Date.now,
    sleep: options.sleep ?? timerSleep,
    onEvent: options.onEvent,
  };
}
