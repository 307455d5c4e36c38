import { checkOptions, configurationFail, namesOf } from '../checks.ts';
import type { ListenOptions } from './http/server.ts';
import type { SandboxDefaults, SandboxOptions, SeedInvoice } from './options.ts';
import type { Fault, FaultOptions, FaultType, SeedFault } from './service/faults.ts';

// The names of every options object of the sandbox. A mistyped one is refused, because it would be ignored in silence.

export const SANDBOX_NAMES = namesOf<SandboxOptions>({
  apiKey: true,
  webhookSecret: true,
  seed: true,
  clock: true,
  now: true,
  lifetime: true,
  defaults: true,
  magicOutcomes: true,
  faults: true,
  state: true,
  methods: true,
  rates: true,
  withdrawals: true,
  seedData: true,
  deliverTo: true,
  fetch: true,
  dialect: true,
  url: true,
  maxBody: true,
  maxInvoices: true,
  deliveryTimeout: true,
  deliveryTimestamp: true,
  wallClock: true,
  sleep: true,
  onEvent: true,
});
export const DEFAULTS_NAMES = namesOf<SandboxDefaults>({ callback_url: true, success_url: true, fail_url: true });
export const SEED_DATA_NAMES = namesOf<NonNullable<SandboxOptions['seedData']>>({ invoices: true });
export const SEED_INVOICE_NAMES = namesOf<SeedInvoice>({
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
export const LISTEN_NAMES = namesOf<ListenOptions>({ port: true, host: true, allowedHosts: true });
export const PAY_NAMES: ReadonlySet<string> = new Set(['method', 'amount']);
export const PAY_OTHER_NAMES: ReadonlySet<string> = new Set(['method']);
export const FAULT_OPTION_NAMES = namesOf<FaultOptions>({ operation: true, times: true, rate: true, seed: true });
export const SEED_FAULT_NAMES: ReadonlySet<string> = new Set<keyof SeedFault>([
  'fault',
  'operation',
  'times',
  'rate',
  'seed',
]);

/** The members of each fault. */
const FAULT_MEMBERS = {
  rate_limit: ['retryAfter'],
  server_error: ['status', 'retryAfter', 'afterWork'],
  html: ['status', 'afterWork'],
  hang: ['afterWork'],
  reset_before: [],
  reset_after: [],
  truncated: [],
  malformed: [],
  slow: ['delay', 'pieces'],
  wrong_signature: [],
  late_timestamp: ['age'],
  duplicate: [],
  reserialized: [],
} as const satisfies Readonly<Record<FaultType, readonly string[]>>;

/** Refuses what is not an object, and a name that it cannot have. */
export function checkOptionNames(what: string, options: unknown, names: ReadonlySet<string>): void {
  checkOptions(what, options, names, configurationFail());
}

export function checkFaultNames(fault: Fault): void {
  checkOptionNames(`The fault ${fault.type}`, fault, new Set(['type', ...FAULT_MEMBERS[fault.type]]));
}
