import { namesOf } from '../checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import { dialectFrom } from './dialect/dialect-option.ts';
import { checkOptionNames, durationFrom, shown } from './option-checks.ts';
import type { DeliveryFetch, SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
import { SEED_FAULT_NAMES } from './state/faults.ts';
import { randomSeed } from './state/random.ts';
import { stateFrom } from './state/saved-state.ts';
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
  apiKey: (value, name) => textOption(value ?? 'sk_sandbox', name),
  webhookSecret: (value, name) => textOption(value ?? 'whsec_sandbox', name),
  seed: (value) => value ?? randomSeed(),
  clock: (value = 'virtual', name) => wordOption<'virtual' | 'real'>(value, name, ['virtual', 'real']),
  /** Null stands for the time of the wall clock, read again at each reset. */
  now: (value) => (value === undefined ? null : instant(value)),
  lifetime: (value, name) => durationFrom(value ?? '30m', name),
  defaults: (value): Required<SandboxDefaults> => defaultsOption(value ?? {}),
  magicOutcomes: (value) => value === true,
  faults: (value) => {
    for (const row of value ?? []) checkOptionNames('A row of faults', row, SEED_FAULT_NAMES);
    return value ?? [];
  },
  state: (value) => (value === undefined ? null : stateFrom(value)),
  methods: (value = SEED_METHODS) => value,
  rates: (value) => value ?? SEED_RATES,
  withdrawals: (value): ((start: number) => readonly SandboxWithdrawal[]) =>
    value === undefined ? seedWithdrawals : () => value,
  seedData: (value) => {
    checkOptionNames('seedData', value ?? {}, new Set(['invoices']));
    for (const row of value?.invoices ?? []) checkOptionNames('An invoice of seedData', row, SEED_INVOICE_NAMES);
    return value?.invoices ?? [];
  },
  deliverTo: (value) => (value ?? []).map(hostOption),
  fetch: (value): DeliveryFetch => value ?? ((input, init) => globalThis.fetch(input, init)),
  dialect: (value) => dialectFrom(value),
  url: (value, name) => addressOption(value, name)?.replace(/\/+$/, '') ?? null,
  maxBody: (value, name) => countOption(value ?? 1_048_576, name, 'bytes'),
  maxInvoices: (value, name) => countOption(value ?? 100_000, name, 'invoices'),
  deliveryTimeout: (value, name) => durationFrom(value ?? '15s', name),
  deliveryTimestamp: (value = 'wall', name) => wordOption<'wall' | 'sandbox'>(value, name, ['wall', 'sandbox']),
  wallClock: (value) => value ?? Date.now,
  sleep: (value) => value ?? timerSleep,
  onEvent: (value) => value,
} satisfies { readonly [K in keyof Required<SandboxOptions>]: (value: SandboxOptions[K], name: string) => unknown };

type ReadOptions = { readonly [K in keyof typeof READERS]: ReturnType<(typeof READERS)[K]> };

/** The options with every default in place. */
export interface Settings extends ReadOptions {
  readonly isSeedGiven: boolean;
}

/** Checks the options and fills in the defaults. Throws a ConfigurationError that says what to give instead. */
export function settingsFrom(options: SandboxOptions): Settings {
  checkOptionNames('createSandbox', options, new Set(Object.keys(READERS)));
  const given: Readonly<Record<string, unknown>> = { ...options };
  const readers: Readonly<Record<string, (value: never, name: string) => unknown>> = READERS;
  const read = Object.entries(readers).map(([name, reader]) => [name, reader(given[name] as never, name)]); // each reader gets its own option
  const settings = Object.fromEntries(read) as ReadOptions; // one member for each reader
  const isSeedGiven = options.seed !== undefined;
  return { ...settings, isSeedGiven, ...(!isSeedGiven && settings.state !== null && { seed: settings.state.seed }) };
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

function wordOption<Word extends string>(value: Word, name: string, words: readonly [Word, Word]): Word {
  if (words.includes(value)) return value;
  throw new ConfigurationError(`${name} must be "${words[0]}" or "${words[1]}"; got ${shown(value)}`);
}

function instant(value: Date | number | string): number {
  const at = value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Date.parse(value);
  if (Number.isFinite(at)) return at;
  throw new ConfigurationError(`now must be a Date, epoch milliseconds or ISO 8601 text; got ${shown(value)}`);
}

function defaultsOption(defaults: SandboxDefaults): Required<SandboxDefaults> {
  const names = namesOf<SandboxDefaults>({ callback_url: true, success_url: true, fail_url: true });
  checkOptionNames('defaults', defaults, names);
  const { callback_url, success_url, fail_url } = defaults;
  return {
    callback_url: addressOption(callback_url, 'defaults.callback_url'),
    success_url: addressOption(success_url, 'defaults.success_url'),
    fail_url: addressOption(fail_url, 'defaults.fail_url'),
  };
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
