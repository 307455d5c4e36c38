import { WebhookVerificationError } from '../../errors/classes.ts';

/**
 * The headers of a delivery, in any of the forms in which runtimes hand them over: `Headers`, Node's
 * `request.headers` or `headersDistinct`, `rawHeaders` (a flat list), or a list of pairs. Names in any case.
 */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header values that a delivery is judged by. */
export interface DeliveryHeaders {
  readonly id: string;
  readonly signature: string;
  readonly timestamp: string;
  /** For the diagnosis only; null when absent or not a number. */
  readonly contentLength: number | null;
}

const ID = 'x-webhook-id';
const SIGNATURE = 'x-webhook-signature';
const TIMESTAMP = 'x-webhook-timestamp';
const EVENT = 'x-webhook-event';
const CONTENT_LENGTH = 'content-length';
const CONTENT_ENCODING = 'content-encoding';
type Name =
  | typeof ID
  | typeof SIGNATURE
  | typeof TIMESTAMP
  | typeof EVENT
  | typeof CONTENT_LENGTH
  | typeof CONTENT_ENCODING;
const NAMES: ReadonlySet<string> = new Set<Name>([ID, SIGNATURE, TIMESTAMP, EVENT, CONTENT_LENGTH, CONTENT_ENCODING]);
const LONGEST_NAME = SIGNATURE.length;
const MAX_HEADERS = 2_000;

/** Every value of the few headers that matter here: a text that was there once, else a list; undefined when absent. */
export type HeaderValues = { readonly [name in Name]: string | readonly unknown[] | undefined };

/**
 * Reads the headers once, own members only: a header that lives on a prototype was never sent.
 *
 * @throws WebhookVerificationError `missing_header` when they are in no form that can be read.
 */
export function readHeaders(headers: unknown): HeaderValues {
  const found = noHeaders();
  const add = (name: unknown, value: unknown): void => {
    if (typeof name !== 'string' || name.length > LONGEST_NAME || value === undefined || !mayMatter(name)) return;
    const known = name.toLowerCase();
    if (!isName(known)) return;
    const before = found[known];
    if (before === undefined) found[known] = typeof value === 'string' ? value : listOf(value);
    else found[known] = [...listOf(before), ...listOf(value)];
  };
  try {
    eachHeader(headers, add);
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error;
    throw unreadable(); // a getter, a proxy or an iterator that throws
  }
  return found;
}

// Names written out: keys computed at run time would make this many times slower.
const noHeaders = (): Found => ({
  'x-webhook-id': undefined,
  'x-webhook-signature': undefined,
  'x-webhook-timestamp': undefined,
  'x-webhook-event': undefined,
  'content-length': undefined,
  'content-encoding': undefined,
});

type Found = { -readonly [name in Name]: HeaderValues[name] };

function isName(name: string): name is Name {
  return NAMES.has(name);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

// Every name above begins with c or x: most headers of a request need no further look.
function mayMatter(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20;
  return first === 0x63 || first === 0x78;
}

function eachHeader(headers: unknown, add: (name: unknown, value: unknown) => void): void {
  if (typeof headers !== 'object' || headers === null) throw unreadable();
  if (Array.isArray(headers) && typeof headers[0] === 'string') {
    for (let at = 0; at + 1 < headers.length; at += 2) add(headers[at], headers[at + 1]);
    return;
  }
  if (isIterable(headers)) {
    let count = 0;
    for (const pair of headers) {
      count += 1;
      if (count > MAX_HEADERS) throw unreadable();
      if (Array.isArray(pair)) add(pair[0], pair[1]);
    }
    return;
  }
  const record: Record<string, unknown> = headers as Record<string, unknown>; // any object is a record of unknowns
  for (const name of Object.keys(record)) add(name, record[name]);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}

function unreadable(): WebhookVerificationError {
  return new WebhookVerificationError(
    'missing_header',
    'The headers cannot be read. Give the request headers as they are: a Headers object, request.headers of Node, or a list of pairs.',
  );
}

/**
 * The one value of each header of a delivery.
 *
 * @throws WebhookVerificationError `missing_header`, `duplicate_header`, or malformed for a value that is not text.
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
export function deliveryHeaders(values: HeaderValues): DeliveryHeaders {
  return {
    signature: single(values, SIGNATURE, 'X-Webhook-Signature'),
    timestamp: single(values, TIMESTAMP, 'X-Webhook-Timestamp'),
    id: single(values, ID, 'X-Webhook-Id'),
    contentLength: contentLength(values),
  };
}

function single(values: HeaderValues, name: Name, shown: string): string {
  const found = values[name];
  if (typeof found === 'string' && found !== '' && !found.includes(',')) return found; // as nearly always
  const [value, ...more] = listOf(found);
  // Node and Headers join repeated headers with a comma; none of the three values can hold one.
  if (more.length > 0 || (typeof value === 'string' && value.includes(','))) {
    throw new WebhookVerificationError(
      'duplicate_header',
      `${shown} is there more than once, or holds a comma: which one counts cannot be known. Something on the way added a header.`,
    );
  }
  if (value === undefined || value === null || value === '') {
    const what = value === '' ? 'is empty' : 'is missing';
    throw new WebhookVerificationError(
      'missing_header',
      `${shown} ${what}. Every delivery has it: a proxy may strip it, or the request is not from the service.`,
    );
  }
  if (typeof value !== 'string') {
    const reason = name === TIMESTAMP ? 'malformed_timestamp' : name === ID ? 'missing_header' : 'malformed_signature';
    throw new WebhookVerificationError(reason, `${shown} is ${typeof value}, not text. Give the headers as received.`);
  }
  return value;
}

function contentLength(values: HeaderValues): number | null {
  const value = firstOf(values[CONTENT_LENGTH]);
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** One unsigned header, as text: for reports, never for a decision about trust. */
export function unsignedHeader(
  values: HeaderValues,
  name: 'x-webhook-id' | 'x-webhook-timestamp' | 'x-webhook-event',
): string | null {
  const value = firstOf(values[name]);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Every value of an unsigned header that is text. */
export function unsignedHeaders(values: HeaderValues, name: 'content-encoding'): readonly string[] {
  return listOf(values[name]).filter((value) => typeof value === 'string');
}

function firstOf(found: HeaderValues[Name]): unknown {
  return typeof found === 'object' ? found[0] : found;
}
