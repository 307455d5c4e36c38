import { ConfigurationError } from '../../../errors/classes.ts';
import type { SandboxWithdrawal } from '../wire-types.ts';
import type { DeliveryRecord, InvoiceRecord } from './records.ts';

/** An invoice without its scheduled expiry. */
export type InvoiceState = Omit<InvoiceRecord, 'expiry'>;
/** A delivery without its scheduled retry and running attempt, with its invoice by uuid. */
export type DeliveryState = Omit<DeliveryRecord, 'invoice' | 'retry' | 'attempt'> & { readonly invoice: string };

/** Raised whenever a member of a row changes. A test fails while the members differ from those of this version. */
export const VERSION = 4;

/** The content of a sandbox as plain JSON data, for the option `state`. Its members may change in any version. @experimental */
export interface SandboxState {
  readonly version: 4;
  /** The seed of the run. */
  readonly seed: number | string;
  /** The position of the random ids. */
  readonly position: number;
  /** Requests answered so far, from which their ids are made. */
  readonly requestCount: number;
  /** Epoch milliseconds of the sandbox clock. */
  readonly now: number;
  /** Epoch milliseconds of the real clock at the same moment. */
  readonly wall: number;
  readonly invoices: readonly InvoiceState[];
  readonly deliveries: readonly DeliveryState[];
  readonly withdrawals: readonly SandboxWithdrawal[];
}

/** Checks the version of a given state. The rest is as a sandbox of this version wrote it. @throws ConfigurationError */
export function parseState(value: unknown): SandboxState {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (version === VERSION) return structuredClone(value as SandboxState); // a sandbox of this version wrote it
  throw new ConfigurationError(`This is not the state of a sandbox of this version: its version is not ${VERSION}`);
}
