import type { Endpoint } from '../contract/endpoint.ts';
import type { Check } from '../contract/values/codecs.ts';
import { codePoints } from '../contract/values/scalars.ts';
import type { CallLimits } from './limits.ts';
import type { PreparedRequest } from './transport.ts';

/** Refinements that a resource may ask for. */
export interface CallTraits<Data> {
  /** Decodes in place of the endpoint's own codec. */
  readonly data?: Check<Data>;
  /** Gives the order that the call is about, for its errors. */
  readonly externalId?: () => unknown;
  /** The wire's names of query parameters that the interface does not name. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** The page of a list that is asked for, for errors that should name it. */
  readonly page?: number;
  /** When the call must be over at the latest, on the monotonic clock. */
  readonly deadlineAt?: number;
}

/** One call: what the caller gave, read once, carried unchanged through attempts, recovery and comparison. */
export interface CallScope<Data> {
  readonly endpoint: Endpoint<Data>;
  readonly request: PreparedRequest;
  readonly limits: CallLimits;
  readonly data: Check<Data>;
  readonly externalId: string | null;
  readonly page: number | undefined;
  /** Monotonic clock. */
  readonly startedAt: number;
  /** Monotonic clock. */
  readonly deadlineAt: number;
}

const ORDER_MAX = 128;

/** The order that a call is about, as the caller gave it; null where it is not a text that could be one. */
export function orderOf(given: unknown): string | null {
  if (typeof given !== 'string' || given === '' || given.length > ORDER_MAX * 2) return null;
  return codePoints(given) <= ORDER_MAX ? given : null;
}
