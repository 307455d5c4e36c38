import type { Check } from '../contract/codecs.ts';
import type { Redactor } from './redact.ts';

/** A complete answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | null;
  /** The body's text as received. */
  readonly raw: string;
  /** The body was longer than the cap; `raw` is its beginning. */
  readonly cut: boolean;
  /** The body broke off or could not be decoded as UTF-8; `raw` is what came. */
  readonly broken: boolean;
}

/** What of the call the reading of an answer depends on. */
export interface Reading<Data> {
  readonly data: Check<Data>;
  readonly isWrite: boolean;
  readonly externalId: string | null;
  readonly redactor: Redactor;
  /** Told of the body of a success that was decoded, to compare it with the interface. */
  readonly onDecoded: ((body: unknown) => void) | null;
  /** Milliseconds since the epoch, when the answer is read. */
  readonly now: () => number;
}

const RAW_MAX = 2_000;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'] as const;

/** The request id header of an answer, in whichever of the usual names. The interface names none. */
export function requestIdOf(headers: Headers, redactor: Redactor): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value !== null && value !== '') return redactor.text(value).slice(0, 200);
  }
  return null;
}

/** The beginning of a body, safe to show. */
export function excerpt({ raw, cut, broken }: Answer, redactor: Redactor): string {
  // Redacted before the cut, so that no half of a secret stays at its end.
  return (cut || broken ? redactor.brokenText(raw) : redactor.text(raw)).slice(0, RAW_MAX);
}
