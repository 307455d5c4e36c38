import type { EndpointName } from '../../contract/endpoints.ts';
import { INVOICE_STATUS_NAMES } from '../../contract/statuses.ts';
import { instantFrom, isHttpAddress } from '../../contract/values/scalars.ts';
import {
  type Callback,
  callback,
  checkOptions,
  configurationFail,
  flag,
  kindOf,
  type OptionTable,
  quoted,
  readOptions,
  word,
} from '../../errors/checks.ts';
import { type Dialect, dialectFrom } from './dialects.ts';
import { parseDuration } from './duration.ts';
import { type RequestFault, SEED_FAULT_NAMES, type SeedFault } from './state/faults.ts';
import type { SandboxEvent } from './state/log.ts';
import { randomSeed, randomText } from './state/random.ts';
import { NEW_INVOICE_NAMES } from './state/records.ts';
import { SEED_METHODS, SEED_RATES, seedWithdrawals } from './state/seed-data.ts';
import type { SandboxMethod, SandboxRate, SandboxWithdrawal } from './types.ts';

const fail = configurationFail();

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
  /** Unique among the invoices of the sandbox. */
  readonly external_id: string;
  /** Any id of the paying customer. */
  readonly customer_id: string;
  /** Decimal text, greater than 0, at most 2 decimals. */
  readonly amount: string;
  /** A code that a payment method serves, such as `EUR`. */
  readonly currency: string;
  /** Text for the customer. */
  readonly purpose?: string | null | undefined;
  /** @defaultValue 'pending' */
  readonly status?: 'pending' | 'success' | 'fail' | 'expired' | 'canceled' | undefined;
  /**
   * The time since its creation, milliseconds or text. A pending one that is older than the lifetime expires at once.
   * @defaultValue 0
   */
  readonly age?: number | string | undefined;
  /** For `success`: the paid amount as decimal text. Default: `amount`. Another one makes the invoice adjusted. */
  readonly paid?: string | undefined;
}

/**
 * The options of `createSandbox`. All are optional.
 *
 * @example
 * const sandbox = createSandbox({ lifetime: '10m', deliverTo: ['shop.test'], dialect: { signatureEncoding: 'base64' } });
 */
export interface SandboxOptions {
  /** The key that requests need in X-Api-Key. Text without spaces around it. Default: a random one. */
  readonly apiKey?: string | undefined;
  /** The secret that webhooks are signed with. Text without spaces around it. Default: a random one. */
  readonly webhookSecret?: string | undefined;
  /** The same seed gives the same ids and choices. Default: a random one, so that receivers get new ids. */
  readonly seed?: number | string | undefined;
  /** `virtual` moves only by `advance()`. `real` runs, and `advance()` sets it ahead. @defaultValue 'virtual' */
  readonly clock?: 'virtual' | 'real' | undefined;
  /** The initial time of the clock: a Date, epoch milliseconds or ISO 8601 text. Default: the real time. */
  readonly now?: Date | number | string | undefined;
  /**
   * Time from creation to expiry: milliseconds, or text such as `"90s"` or `"1h30m"`, up to 100 years.
   * @defaultValue '30m'
   */
  readonly lifetime?: number | string | undefined;
  /** The name of the shop on the payment page. @defaultValue 'Your shop' */
  readonly merchantName?: string | undefined;
  /** Addresses for invoices that name none. Default: none, so that no webhook is sent for them. */
  readonly defaults?: SandboxDefaults | undefined;
  /** Initial faults. `reset()` restores them. */
  readonly faults?: readonly SeedFault[] | undefined;
  /** Replaces the built-in methods. Their currencies are the active ones. */
  readonly methods?: readonly SandboxMethod[] | undefined;
  /** Replaces the built-in rates. Each currency needs a rate before a payment. */
  readonly rates?: readonly SandboxRate[] | undefined;
  /** Replaces the built-in withdrawals. */
  readonly withdrawals?: readonly SandboxWithdrawal[] | undefined;
  /** Initial invoices. `reset()` restores them. */
  readonly seedData?: { readonly invoices?: readonly SeedInvoice[] | undefined } | undefined;
  /**
   * Host names beyond loopback that webhooks may go to, such as `shop.test` or `host.docker.internal`, without scheme
   * or port. Addresses of invoices may name them with plain http. Default: none.
   */
  readonly deliverTo?: readonly string[] | undefined;
  /** Sends the webhooks. Default: the global fetch at the time of each delivery. */
  readonly fetch?: DeliveryFetch | undefined;
  /**
   * The choices where the interface is not specific.
   * @see {@link Dialect}
   */
  readonly dialect?: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } | undefined;
  /** Base address, for containers and proxies. Default: https://sandbox.invalid, and after `listen()` the server's. */
  readonly url?: string | undefined;
  /** Called with each event. Errors thrown here are printed on the console and change nothing. */
  readonly onEvent?: Callback<[event: SandboxEvent]> | undefined;
  /** True prints no line on the console, such as that of a webhook that was refused or had no address. @defaultValue false */
  readonly quiet?: boolean | undefined;
}

/** Clock and timer of the machine, which tests and `storm` replace. @internal */
export interface Internals {
  /** The real time in epoch milliseconds, which X-Webhook-Timestamp carries. Default: Date.now. */
  readonly wallClock?: (() => number) | undefined;
  /** Waits real time, for delivery timeouts and slow bodies. Resolves early on abort. Default: a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Writes the body of a webhook. Services write other spaces and escapes. Default: JSON.stringify. */
  readonly writeBody?: ((members: object) => string) | undefined;
  /** The fault of a request, asked before the queue of faults. Default: none. */
  readonly requestFault?:
    | ((operation: EndpointName | null, order: () => string | null) => RequestFault | null)
    | undefined;
}

/** An array, each row of which somebody else checks, or the default. */
const list =
  <Row>(byDefault: readonly Row[]) =>
  (value: unknown, name: string): readonly Row[] => {
    if (value === undefined || value === null) return byDefault;
    return Array.isArray(value) ? value : fail(`${name} must be an array, not ${kindOf(value)}`);
  };

const text =
  (byDefault: () => string) =>
  (value: unknown, name: string): string => {
    const given = value ?? byDefault();
    if (typeof given === 'string' && given !== '' && given.trim() === given) return given;
    const problem = given === '' || typeof given !== 'string' ? kindOf(given) : 'text with a space around it';
    return fail(`${name} must be text without spaces around it, not ${problem}`);
  };

const address = () => (value: unknown, name: string) => addressOption(value as string | null | undefined, name); // checks it

const DEFAULTS = {
  callback_url: address(),
  success_url: address(),
  fail_url: address(),
} satisfies OptionTable<SandboxDefaults>;

const SETTINGS = {
  apiKey: text(() => `sk_sandbox_${randomText()}`),
  webhookSecret: text(() => `whsec_sandbox_${randomText()}`),
  seed(value: unknown): { readonly seed: number | string; readonly isGiven: boolean } {
    if (value === undefined) return { seed: randomSeed(), isGiven: false };
    if (typeof value === 'string' || typeof value === 'number') return { seed: value, isGiven: true };
    return fail(`seed must be a number or text, not ${kindOf(value)}`);
  },
  clock: word<'virtual' | 'real', 'virtual'>(['virtual', 'real'], 'virtual'),
  /** Null means the time of the wall clock, read again at each reset. */
  now: (value: unknown) => (value === undefined ? null : instant(value as Date | number | string)), // checked there
  lifetime: (value: unknown) => parseDuration(value ?? '30m', 'lifetime'),
  merchantName: text(() => 'Your shop'),
  defaults: (value: unknown, name: string) => readOptions(name, value ?? {}, DEFAULTS, fail, 'defaults.'),
  faults(value: unknown, name: string) {
    const rows = list<SeedFault>([])(value, name);
    for (const row of rows) checkOptions('A row of faults', row, SEED_FAULT_NAMES, fail);
    return rows;
  },
  methods(value: unknown, name: string) {
    const rows = list<SandboxMethod>(SEED_METHODS)(value, name);
    for (const member of Object.keys(SEED_METHODS[0] ?? {}) as (keyof SandboxMethod)[]) // of an object without others
      if (rows.some((row) => (row?.[member] ?? '') === '')) fail(`${name}: each method needs ${member}`);
    return rows;
  },
  rates: list<SandboxRate>(SEED_RATES),
  withdrawals(value: unknown, name: string): (start: number) => readonly SandboxWithdrawal[] {
    if (value === undefined) return seedWithdrawals;
    const rows = list<SandboxWithdrawal>([])(value, name);
    return () => rows;
  },
  seedData(value: unknown, name: string) {
    const { invoices } = readOptions(name, value ?? {}, { invoices: list<SeedInvoice>([]) }, fail, 'seedData.');
    const names = new Set([...NEW_INVOICE_NAMES, 'status', 'age', 'paid']);
    for (const row of invoices) {
      checkOptions('An invoice of seedData', row, names, fail);
      word(INVOICE_STATUS_NAMES, 'pending')(row.status ?? undefined, `${name}.status`, fail);
      for (const each of ['external_id', 'customer_id'] as const) {
        if (typeof row[each] !== 'string' || !/^.{1,128}$/su.test(row[each]))
          fail(`${name}.${each} must be text of 1 to 128 characters`);
      }
      for (const each of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[])
        DEFAULTS[each](row[each], `${name}.${each}`);
    }
    return invoices;
  },
  deliverTo: (value: unknown, name: string) => list<string>([])(value, name).map(hostOption),
  fetch(value: unknown, name: string): DeliveryFetch {
    const given = callback<DeliveryFetch>()(value, name, fail);
    return given ?? ((input, init) => globalThis.fetch(input, init));
  },
  dialect: (value: unknown) => dialectFrom((value ?? {}) as SandboxOptions['dialect']), // checks names and values
  url: (value: unknown, name: string) => address()(value, name)?.replace(/\/+$/, '') ?? null,
  onEvent: callback<SandboxOptions['onEvent']>(),
  quiet: flag(false),
} satisfies OptionTable<SandboxOptions>;

/** The options with every default in place. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Checks the options and fills in the defaults. Null means absent.
 * @throws ConfigurationError that names the right values.
 */
export function readSettings(options: SandboxOptions, internals: Internals = {}) {
  const given = Object.entries(options ?? {}).filter(([name, value]) => value !== null || !(name in SETTINGS));
  const what = options === null || typeof options !== 'object' ? options : Object.fromEntries(given);
  const {
    seed: { seed, isGiven },
    ...settings
  } = readOptions('createSandbox', what, SETTINGS, fail);
  const { wallClock = Date.now, sleep = timerSleep, writeBody = JSON.stringify, requestFault = () => null } = internals;
  return { ...settings, seed, isSeedGiven: isGiven, wallClock, sleep, writeBody, requestFault };
}

function instant(value: Date | number | string): number {
  return instantFrom(value) ?? fail(`now must be a Date, epoch milliseconds or ISO 8601 text, not ${quoted(value)}`);
}

function hostOption(host: unknown): string {
  if (typeof host === 'string' && /^[^\s/:@]+$|^\[[0-9a-f:.]+\]$/i.test(host)) return host.toLowerCase();
  return fail(`deliverTo takes host names alone, such as "shop.test", without scheme or port, not ${quoted(host)}`);
}

function addressOption(value: string | null | undefined, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (isHttpAddress(value)) return value;
  return fail(`${name} must be an http:// or https:// address, not ${quoted(value)}`);
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
