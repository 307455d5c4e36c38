import { WebhookVerificationError } from '../../errors/classes.ts';

/**
 * The headers of a delivery in any form that runtimes use: `Headers`, Node's `request.headers` or `headersDistinct`,
 * `rawHeaders` (a flat list), or a list of pairs. Names may be in any case.
 */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const HEADER_NAMES = [
  'x-webhook-id',
  'x-webhook-signature',
  'x-webhook-timestamp',
  'x-webhook-event',
  'content-length',
  'content-encoding',
] as const;
type HeaderName = (typeof HEADER_NAMES)[number];
const LONGEST_NAME = 'x-webhook-signature'.length;
const MAX_HEADERS = 2_000;

/** Every value of the headers that matter here: text if a header was sent once, otherwise a list, or undefined if it is absent. */
export type HeaderValues = { readonly [Name in HeaderName]: string | readonly unknown[] | undefined };

/**
 * Reads the headers once. It skips the members of a prototype, which were never sent.
 *
 * @throws WebhookVerificationError `missing_header` if they have no readable form.
 */
export function readHeaders(headers: unknown): HeaderValues {
  // A list in the order of the names: members computed at run time would take twice as long.
  const found: HeaderValues[HeaderName][] = HEADER_NAMES.map(() => undefined);
  const add = (name: unknown, value: unknown): void => {
    if (typeof name !== 'string' || value === undefined || !mayMatter(name)) return;
    const at = (HEADER_NAMES as readonly string[]).indexOf(name.toLowerCase()); // any text may be looked for
    if (at < 0) return;
    const before = found[at];
    if (before === undefined) found[at] = typeof value === 'string' ? value : listOf(value);
    else found[at] = [...listOf(before), ...listOf(value)];
  };
  try {
    forEachHeader(headers, add);
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw error;
    throw unreadable(); // a getter, a proxy or an iterator that throws
  }
  const [id, signature, timestamp, event, length, encoding] = found;
  return {
    'x-webhook-id': id,
    'x-webhook-signature': signature,
    'x-webhook-timestamp': timestamp,
    'x-webhook-event': event,
    'content-length': length,
    'content-encoding': encoding,
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

// Every name above begins with c or x. Most headers of a request need no further check.
function mayMatter(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20;
  // Stryker disable next-line ConditionalExpression,EqualityOperator: saves time, and each name is compared in full later
  return name.length <= LONGEST_NAME && (first === 0x63 || first === 0x78);
}

function forEachHeader(headers: unknown, add: (name: unknown, value: unknown) => void): void {
  if (typeof headers !== 'object' || headers === null) throw unreadable();
  if (Array.isArray(headers) && typeof headers[0] === 'string') {
    for (let at = 0; at < headers.length; at += 2) add(headers[at], headers[at + 1]);
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
  const record = headers as Record<string, unknown>; // any object is a record of unknowns
  for (const name of Object.keys(record)) add(name, record[name]); // faster than Object.entries
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}

function unreadable(): WebhookVerificationError {
  return new WebhookVerificationError(
    'missing_header',
    'The headers cannot be read. Pass the request headers unchanged: a Headers object, request.headers of Node, or a list of pairs.',
  );
}

/**
 * Returns the single value of each header that a delivery must have.
 *
 * @throws WebhookVerificationError `missing_header`, `duplicate_header`, or malformed for a value that is not text.
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
export function requiredHeaders(values: HeaderValues): { id: string; signature: string; timestamp: string } {
  return {
    signature: single(values, 'x-webhook-signature', 'X-Webhook-Signature'),
    timestamp: single(values, 'x-webhook-timestamp', 'X-Webhook-Timestamp'),
    id: single(values, 'x-webhook-id', 'X-Webhook-Id'),
  };
}

const NOT_TEXT = {
  'x-webhook-id': 'missing_header',
  'x-webhook-signature': 'malformed_signature',
  'x-webhook-timestamp': 'malformed_timestamp',
} as const;

function single(values: HeaderValues, name: keyof typeof NOT_TEXT, shown: string): string {
  const found = values[name];
  if (typeof found === 'string' && found !== '' && !found.includes(',')) return found; // nearly always
  const [value, ...more] = listOf(found);
  // Node and Headers join repeated headers with a comma, and none of the three values can contain one.
  if (more.length > 0 || (typeof value === 'string' && value.includes(','))) {
    throw new WebhookVerificationError(
      'duplicate_header',
      `${shown} was sent more than once, or contains a comma, so it is not known which value counts. Something between the service and this endpoint added a header.`,
    );
  }
  if (value === undefined || value === null || value === '') {
    const what = value === '' ? 'is empty' : 'is missing';
    throw new WebhookVerificationError(
      'missing_header',
      `${shown} ${what}. Every delivery has it: a proxy may remove it, or the request is not from the service.`,
    );
  }
  if (typeof value !== 'string') {
    throw new WebhookVerificationError(
      NOT_TEXT[name],
      `${shown} is ${typeof value}, not text. Pass the headers as received.`,
    );
  }
  return value;
}

/** Content-Length, for a diagnosis only, or null if it is absent or not a number. */
export function contentLength(values: HeaderValues): number | null {
  const value = firstOf(values['content-length']);
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** An unsigned header as text: for reports, never for a decision about trust. */
export function unsignedHeader(
  values: HeaderValues,
  name: 'x-webhook-id' | 'x-webhook-timestamp' | 'x-webhook-event',
): string | null {
  const value = firstOf(values[name]);
  return typeof value === 'string' && value !== '' ? value : null;
}

function firstOf(found: HeaderValues[HeaderName]): unknown {
  return typeof found === 'object' ? found[0] : found;
}

// Other codings ("UTF-8", which some senders put there) are harmless: the signature covers the bytes.
const COMPRESSED = /^(?:(?:x-)?(?:gzip|compress)|aes128gcm|br|dcb|dcz|deflate|exi|pack200-gzip|zstd)$/i;

/** True for a compressed body: the signature covers the bytes before compression, and a small body can hold gigabytes. */
export function isCompressed(values: HeaderValues): boolean {
  return listOf(values['content-encoding']).some(
    (value) => typeof value === 'string' && value.split(',').some((each) => COMPRESSED.test(each.trim())),
  );
}
