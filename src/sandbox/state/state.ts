import { ConfigurationError } from '../../errors/classes.ts';
import type { SandboxWithdrawal } from '../wire-types.ts';
import type { World } from '../world.ts';
import type { DeliveryRecord, InvoiceRecord } from './store.ts';

/** An invoice without what waits for the clock. */
export type InvoiceState = Omit<InvoiceRecord, 'expiry'>;
/** A delivery without what waits or runs; its invoice by uuid. */
export type DeliveryState = Omit<DeliveryRecord, 'invoice' | 'retry' | 'attempt'> & { readonly invoice: string };

const VERSION = 1;

/** What a sandbox holds, as plain JSON data. Its members are for `createSandbox`, not for reading. @experimental */
export interface SandboxState {
  readonly version: 1;
  readonly seed: number | string;
  /** Where the random ids stand. */
  readonly position: number;
  readonly requestCount: number;
  /** Epoch milliseconds: of the sandbox clock, and of the real one at the same moment. */
  readonly now: number;
  readonly wall: number;
  readonly invoices: readonly InvoiceState[];
  readonly deliveries: readonly DeliveryState[];
  readonly withdrawals: readonly SandboxWithdrawal[];
}

/** A copy: what happens later does not show in it. @internal */
export function stateOf(world: World): SandboxState {
  const { store, settings, clock, random, requestCount } = world;
  const state: SandboxState = {
    version: VERSION,
    seed: settings.seed,
    position: random.position(),
    requestCount,
    now: clock.now(),
    wall: settings.wallClock(),
    invoices: store.invoices().map(({ expiry: _, ...invoice }) => invoice),
    deliveries: store
      .deliveries()
      .map(({ retry: _, attempt: __, invoice, ...delivery }) => ({ ...delivery, invoice: invoice.uuid })),
    withdrawals: store.withdrawals,
  };
  return structuredClone(state);
}

const NUMBERS = ['position', 'requestCount', 'now', 'wall'] as const;
const LISTS = ['invoices', 'deliveries', 'withdrawals'] as const;

/** Checks what claims to be a state. Throws a ConfigurationError; the rows are our own writing and are not looked into. */
export function stateFrom(value: unknown): SandboxState {
  if (typeof value !== 'object' || value === null) throw unusable('it is not an object');
  const fields = value as Readonly<Record<string, unknown>>; // an object: its members are checked below
  if (fields['version'] !== VERSION) throw unusable(`its version is not ${VERSION}`);
  for (const name of NUMBERS) if (!Number.isFinite(fields[name])) throw unusable(`${name} is not a number`);
  for (const name of LISTS) if (!Array.isArray(fields[name])) throw unusable(`${name} is not a list`);
  return structuredClone(value as SandboxState); // every member was looked at, and the rows are our own writing
}

function unusable(problem: string): ConfigurationError {
  return new ConfigurationError(`This is not the state of a sandbox of this version: ${problem}`);
}
