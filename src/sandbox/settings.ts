import { checkOptions, kindOf, namesOf, readCount, readWord } from '../checks.ts';
import { isHttpAddress } from '../contract/values/hosts.ts';
import { dialectFrom } from './dialects.ts';
import { fail, parseDuration, shown } from './option-checks.ts';
import type { DeliveryFetch, SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
import { SEED_FAULT_NAMES } from './state/faults.ts';
import { randomSeed } from './state/random.ts';
import { parseRateLimit } from './state/rate-limit.ts';
import { parseState } from './state/saved-state.ts';
import { SEED_METHODS, SEED_RATES, seedWithdrawals } from './state/seed-data.ts';
import type { SandboxWithdrawal } from './wire-types.ts';

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

/** Checks and completes each option. The keys are the names that `createSandbox` accepts. */
const READERS = {
  apiKey: (value = 'sk_sandbox', name) => textOption(value, name),
  webhookSecret: (value = 'whsec_sandbox', name) => textOption(value, name),
  seed: (value = randomSeed()) => value,
  clock: (value, name) => readWord<'virtual' | 'real'>(name, ['virtual', 'real'], value, fail) ?? 'virtual',
  /** Null means the time of the wall clock, read again at each reset. */
  now: (value) => (value === undefined ? null : instant(value)),
  lifetime: (value = '30m', name) => parseDuration(value, name),
  merchantName: (value = 'Your shop', name) => textOption(value, name),
  defaults: (value = {}, name) => defaultsOption(value, name),
  magicOutcomes: (value) => value === true,
  rateLimit: (value) => (value === undefined ? null : parseRateLimit(value)),
  faults: (value = []) => {
    for (const row of value) checkOptions('A row of faults', row, SEED_FAULT_NAMES, fail);
    return value;
  },
  state: (value) => (value === undefined ? null : parseState(value)),
  methods: (value = SEED_METHODS) => value,
  rates: (value = SEED_RATES) => value,
  withdrawals: (value): ((start: number) => readonly SandboxWithdrawal[]) =>
    value === undefined ? seedWithdrawals : () => value,
  seedData: (value = {}, name) => {
    checkOptions(name, value, new Set(['invoices']), fail);
    const invoices = value.invoices ?? [];
    for (const row of invoices) checkOptions('An invoice of seedData', row, SEED_INVOICE_NAMES, fail);
    return invoices;
  },
  deliverTo: (value = []) => value.map(hostOption),
  fetch: (value): DeliveryFetch => value ?? ((input, init) => globalThis.fetch(input, init)),
  dialect: (value) => dialectFrom(value),
  url: (value, name) => addressOption(value, name)?.replace(/\/+$/, '') ?? null,
  maxBody: (value, name) => readCount(name, value, { byDefault: 1_048_576, min: 1 }, fail),
  maxInvoices: (value, name) => readCount(name, value, { byDefault: 100_000, min: 1 }, fail),
  deliveryTimeout: (value = '15s', name) => parseDuration(value, name),
  deliveryTimestamp: (value, name) => readWord<'wall' | 'sandbox'>(name, ['wall', 'sandbox'], value, fail) ?? 'wall',
  wallClock: (value = Date.now) => value,
  sleep: (value = timerSleep) => value,
  onEvent: (value) => value,
} satisfies { readonly [K in keyof Required<SandboxOptions>]: (value: SandboxOptions[K], name: string) => unknown };

type ReadOptions = { readonly [K in keyof typeof READERS]: ReturnType<(typeof READERS)[K]> };

/** The options with every default in place. */
export interface Settings extends ReadOptions {
  readonly isSeedGiven: boolean;
}

/** Checks the options and fills in the defaults. @throws ConfigurationError that names the right values. */
export function readSettings(options: SandboxOptions): Settings {
  checkOptions('createSandbox', options, new Set(Object.keys(READERS)), fail);
  const given: Readonly<Record<string, unknown>> = { ...options };
  const readers: Readonly<Record<string, (value: never, name: string) => unknown>> = READERS;
  const read = Object.entries(readers).map(([name, reader]) => {
    // Null means absent, except for a state: a lost state must not start an empty sandbox.
    const value = name === 'state' ? given[name] : (given[name] ?? undefined);
    return [name, reader(value as never, name)] as const; // each reader gets the value of its option
  });
  const settings = Object.fromEntries(read) as ReadOptions; // one member for each reader
  const isSeedGiven = (options.seed ?? null) !== null;
  return { ...settings, isSeedGiven, ...(!isSeedGiven && settings.state !== null && { seed: settings.state.seed }) };
}

function textOption(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '' && value.trim() === value) return value;
  const problem = value === '' || typeof value !== 'string' ? kindOf(value) : 'text with a space around it';
  return fail(`${name} must be text without spaces around it, not ${problem}`);
}

function instant(value: Date | number | string): number {
  const at = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(value);
  if (Number.isFinite(at)) return at;
  return fail(`now must be a Date, epoch milliseconds or ISO 8601 text, not ${shown(value)}`);
}

const DEFAULT_NAMES = namesOf<SandboxDefaults>({ callback_url: true, success_url: true, fail_url: true });

function defaultsOption(value: SandboxDefaults, option: string) {
  checkOptions(option, value, DEFAULT_NAMES, fail);
  const address = (name: keyof SandboxDefaults): string | null => addressOption(value[name], `${option}.${name}`);
  return {
    callback_url: address('callback_url'),
    success_url: address('success_url'),
    fail_url: address('fail_url'),
  };
}

function hostOption(host: unknown): string {
  if (typeof host === 'string' && /^[^\s/:@]+$|^\[[0-9a-f:.]+\]$/i.test(host)) return host.toLowerCase();
  return fail(`deliverTo takes host names alone, such as "shop.test", without scheme or port, not ${shown(host)}`);
}

function addressOption(value: string | null | undefined, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (isHttpAddress(value)) return value;
  return fail(`${name} must be an http:// or https:// address, not ${shown(value)}`);
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
