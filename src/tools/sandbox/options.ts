import { instantFrom, isHttpAddress } from '../../contract/values/scalars.ts';
import { type Callback, checkCallbacks, checkOptions, kindOf, namesOf, readWord } from '../../errors/checks.ts';
import { type Dialect, dialectFrom } from './dialects.ts';
import { fail, parseDuration, quoted } from './option-checks.ts';
import { SEED_FAULT_NAMES, type SeedFault } from './state/faults.ts';
import type { SandboxEvent } from './state/log.ts';
import { randomSeed, randomText } from './state/random.ts';
import { parseState, type SandboxState } from './state/saved-state.ts';
import { SEED_METHODS, SEED_RATES, seedWithdrawals } from './state/seed-data.ts';
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
  /** The time since its creation, milliseconds or text. A pending one that is older than the lifetime expires at once. @defaultValue 0 */
  readonly age?: number | string | undefined;
  /** For `success`: the paid amount as decimal text. Default: `amount`. Another one makes the invoice adjusted. */
  readonly paid?: string | undefined;
}

/**
 * The options of `createSandbox`. All are optional.
 *
 * @example
 * const sandbox = createSandbox({ lifetime: '10m', deliverTo: ['shop.test'], dialect: { createStatus: 200 } });
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
  /** Time from creation to expiry: milliseconds, or text such as `"90s"` or `"1h30m"`, up to 100 years. @defaultValue '30m' */
  readonly lifetime?: number | string | undefined;
  /** The name of the shop on the payment page. @defaultValue 'Your shop' */
  readonly merchantName?: string | undefined;
  /** Addresses for invoices that name none. Default: none, so that no webhook is sent for them. */
  readonly defaults?: SandboxDefaults | undefined;
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
  /**
   * Host names beyond loopback that webhooks may go to, such as `shop.test` or `host.docker.internal`, without scheme or
   * port. Addresses of invoices may name them with plain http. Default: none.
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
  /** True prints no line on the console for a webhook that was refused or had no address. @defaultValue false */
  readonly quiet?: boolean | undefined;
}

/** Clock and timer of the machine, which tests and `storm` replace. @internal */
export interface Internals {
  /** The real time in epoch milliseconds, which X-Webhook-Timestamp carries. Default: Date.now. */
  readonly wallClock?: (() => number) | undefined;
  /** Waits real time, for delivery timeouts and slow bodies. Resolves early on abort. Default: a timer. */
  readonly sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

const SEED_INVOICE_NAMES = namesOf<SeedInvoice>({
  external_id: true,
  customer_id: true,
  amount: true,
  currency: true,
  purpose: true,
  callback_url: true,
  success_url: true,
  fail_url: true,
  status: true,
  age: true,
  paid: true,
});

const DEFAULT_NAMES = namesOf<SandboxDefaults>({ callback_url: true, success_url: true, fail_url: true });

/** The options with every default in place. */
export type Settings = ReturnType<typeof readSettings>;

/** Checks the options and fills in the defaults. @throws ConfigurationError that names the right values. */
export function readSettings(options: SandboxOptions, internals: Internals = {}) {
  // Null means absent, except for a state: a lost state must not start an empty sandbox.
  const given = Object.entries(options ?? {}).filter(([name, value]) => value !== null || name === 'state');
  const settings = completed(Object.fromEntries(given));
  checkOptions('createSandbox', options, new Set(Object.keys(settings)), fail);
  const { seed, state } = settings;
  return {
    ...settings,
    seed: seed ?? state?.seed ?? randomSeed(),
    isSeedGiven: seed !== undefined,
    wallClock: internals.wallClock ?? Date.now,
    sleep: internals.sleep ?? timerSleep,
  };
}

function completed({ defaults = {}, faults = [], seedData = {}, now, state, withdrawals, ...given }: SandboxOptions) {
  const { fetch, onEvent, methods, rates, deliverTo, seed, quiet = false } = given;
  checkCallbacks({ fetch, onEvent }, fail);
  if (typeof quiet !== 'boolean') fail(`quiet must be true or false, not ${kindOf(quiet)}`);
  const lists = { faults, methods, rates, withdrawals, deliverTo, 'seedData.invoices': seedData.invoices };
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined && list !== null && !Array.isArray(list))
      fail(`${name} must be an array, not ${kindOf(list)}`);
  }
  if (seed !== undefined && typeof seed !== 'string' && typeof seed !== 'number') {
    fail(`seed must be a number or text, not ${kindOf(seed)}`);
  }
  checkOptions('defaults', defaults, DEFAULT_NAMES, fail);
  checkOptions('seedData', seedData, new Set(['invoices']), fail);
  for (const row of seedData.invoices ?? []) {
    checkOptions('An invoice of seedData', row, SEED_INVOICE_NAMES, fail);
    addresses(row, 'seedData');
  }
  for (const row of faults) checkOptions('A row of faults', row, SEED_FAULT_NAMES, fail);
  return {
    apiKey: textOption(given.apiKey ?? `sk_sandbox_${randomText()}`, 'apiKey'),
    webhookSecret: textOption(given.webhookSecret ?? `whsec_sandbox_${randomText()}`, 'webhookSecret'),
    seed: given.seed,
    clock: readWord<'virtual' | 'real'>('clock', ['virtual', 'real'], given.clock, fail) ?? 'virtual',
    /** Null means the time of the wall clock, read again at each reset. */
    now: now === undefined ? null : instant(now),
    lifetime: parseDuration(given.lifetime ?? '30m', 'lifetime'),
    merchantName: textOption(given.merchantName ?? 'Your shop', 'merchantName'),
    defaults: addresses(defaults, 'defaults'),
    faults,
    state: state === undefined ? null : parseState(state),
    methods: given.methods ?? SEED_METHODS,
    rates: given.rates ?? SEED_RATES,
    withdrawals: withdrawals === undefined ? seedWithdrawals : (): readonly SandboxWithdrawal[] => withdrawals,
    seedData: seedData.invoices ?? [],
    deliverTo: (given.deliverTo ?? []).map(hostOption),
    fetch: given.fetch ?? ((input: string, init: RequestInit) => globalThis.fetch(input, init)),
    dialect: dialectFrom(given.dialect),
    url: addressOption(given.url, 'url')?.replace(/\/+$/, '') ?? null,
    onEvent,
    quiet,
  } satisfies Record<keyof SandboxOptions, unknown>;
}

function textOption(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.trim() === value) return value;
  const problem = value === '' || typeof value !== 'string' ? kindOf(value) : 'text with a space around it';
  return fail(`${name} must be text without spaces around it, not ${problem}`);
}

function instant(value: Date | number | string): number {
  return instantFrom(value) ?? fail(`now must be a Date, epoch milliseconds or ISO 8601 text, not ${quoted(value)}`);
}

function hostOption(host: unknown): string {
  if (typeof host === 'string' && /^[^\s/:@]+$|^\[[0-9a-f:.]+\]$/i.test(host)) return host.toLowerCase();
  return fail(`deliverTo takes host names alone, such as "shop.test", without scheme or port, not ${quoted(host)}`);
}

function addresses({ callback_url, success_url, fail_url }: SandboxDefaults, owner: string) {
  return {
    callback_url: addressOption(callback_url, `${owner}.callback_url`),
    success_url: addressOption(success_url, `${owner}.success_url`),
    fail_url: addressOption(fail_url, `${owner}.fail_url`),
  };
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
