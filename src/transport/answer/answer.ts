import type { Check } from '../../contract/values/codecs.ts';
import { printable } from '../../printable.ts';
import type { Redactor } from '../secrecy/redact.ts';

/** A complete answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** When its headers came, on the monotonic clock. */
  readonly receivedAt: number;
  readonly requestId: string | null;
  /** The body's text as received. */
  readonly raw: string;
  /** The body was longer than the cap; `raw` is its beginning. */
  readonly cut: boolean;
  /** The body broke off or could not be decoded as UTF-8; `raw` is what came. */
  readonly broken: boolean;
  /** The fetch followed a redirect by itself: the key may have gone along, and who answered is unknown. */
  readonly redirected: boolean;
}

/** The parts of a call that decide how its answer is read. */
export interface Reading<Data> {
  readonly data: Check<Data>;
  readonly isWrite: boolean;
  /** True when repeating the request cannot do the work twice. */
  readonly isIdempotent: boolean;
  /** The page size that was asked for, or the service's default; null where no page is read. */
  readonly pageSize: number | null;
  readonly externalId: string | null;
  readonly redactor: Redactor;
  /** Told of the body of a success that was decoded, to compare it with the interface. */
  readonly onDecoded: ((body: unknown) => void) | null;
  /** Milliseconds since the epoch, when the answer is read. */
  readonly now: () => number;
}

const RAW_MAX = 2_000;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'] as const;

const REQUEST_ID_MAX = 200;

/** The request id header of an answer, in whichever of the usual names, safe to show. The interface names none. */
export function requestIdOf(headers: Headers, redactor: Redactor): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value !== null && value !== '') return printable(redactor.beginning(value, REQUEST_ID_MAX));
  }
  return null;
}

/** The beginning of a body, without key and secrets. It may hold a customer's data. */
export function excerpt({ raw, cut, broken }: Answer, redactor: Redactor): string {
  return redactor.beginning(raw, RAW_MAX, cut || broken);
}
