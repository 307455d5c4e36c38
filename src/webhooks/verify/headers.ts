import { ConfigurationError } from '../../errors/classes.ts';
import { memberOf } from '../framework.ts';
import { refusal } from '../reasons.ts';

// The headers of a request, in any form that runtimes use, read once.

/**
 * The headers of a delivery in any form that runtimes use: `Headers`, Node's `request.headers` or `headersDistinct`,
 * `rawHeaders` (a flat list), or a list of pairs. Names may be in any case. The values of a record may have any type,
 * as the headers of many frameworks do: only the three of a delivery are read, and one that is no text is refused.
 */
export type HeadersInput = Iterable<readonly [string, string]> | readonly string[] | Readonly<Record<string, unknown>>;

type HeaderName =
  | 'x-webhook-id'
  | 'x-webhook-signature'
  | 'x-webhook-timestamp'
  | 'content-length'
  | 'content-encoding';

/**
 * The values of the headers that are read here: text for a header that was sent once, a list for more, undefined for
 * none.
 */
export type HeaderValues = Record<HeaderName, string | readonly unknown[] | undefined>;

/**
 * Reads the headers once, in any form. Members of a prototype are skipped, because they were never sent.
 *
 * @throws WebhookVerificationError `missing_header` if they have no readable form.
 * @throws ConfigurationError for a promise of them.
 */
export function readHeaders(headers: unknown): HeaderValues {
  if (typeof memberOf(headers, 'then') === 'function')
    throw new ConfigurationError('The headers are a promise: signWebhook(…) was not awaited.');
  const found: HeaderValues = {
    'x-webhook-id': undefined,
    'x-webhook-signature': undefined,
    'x-webhook-timestamp': undefined,
    'content-length': undefined,
    'content-encoding': undefined,
  };
  try {
    for (const [given, value] of pairsOf(headers)) {
      const name = String(given).toLowerCase();
      if (value === undefined || !Object.hasOwn(found, name)) continue;
      const known = name as HeaderName; // the line above has looked it up
      const before = found[known];
      if (before !== undefined) found[known] = [...listOf(before), ...listOf(value)];
      else found[known] = typeof value === 'string' ? value : listOf(value);
    }
  } catch {
    throw refusal('missing_header', {
      cause: 'The headers cannot be read.',
      remedy: 'Pass the request headers unchanged: a Headers object, request.headers of Node, or a list of pairs.',
    });
  }
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

/** Headers of any form as pairs. Throws a TypeError for what is not an object. */
function pairsOf(headers: unknown): Iterable<readonly unknown[]> {
  const given = headers as HeadersInput; // each form is recognised below
  if (Array.isArray(given) && typeof given[0] === 'string') {
    return given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : []));
  }
  return Symbol.iterator in given ? (given as Iterable<readonly unknown[]>) : Object.entries(given); // it has an iterator
}

/**
 * The single value of each header that a delivery must have.
 *
 * @throws WebhookVerificationError `missing_header`, `duplicate_header`, or `malformed_…` for a value that is not text.
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
    const cause = `${shown} was sent more than once, or contains a comma, so it is not known which value counts.`;
    throw refusal('duplicate_header', { cause });
  }
  if (value === undefined || value === null || value === '') {
    const what = value === '' ? 'is empty' : 'is missing';
    const cause = `${shown} ${what}. Every delivery has it: a proxy may remove it, or the request is not from the service.`;
    throw refusal('missing_header', { cause });
  }
  if (typeof value !== 'string') {
    throw refusal(NOT_TEXT[name], {
      cause: `${shown} is ${typeof value}, not text.`,
      remedy: 'Pass the headers as received.',
    });
  }
  return value;
}

/** A header as text before the signature is verified: for reports, never for a decision about trust. */
export function unsignedHeader(values: HeaderValues, name: 'x-webhook-id' | 'x-webhook-timestamp'): string | null {
  const value = firstOf(values[name]);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function firstOf(found: HeaderValues[HeaderName]): unknown {
  return typeof found === 'object' ? found[0] : found;
}

// Other codings ("UTF-8", which some senders put there) are harmless: the signature covers the bytes.
const COMPRESSED = /^(?:(?:x-)?(?:gzip|compress)|aes128gcm|br|dcb|dcz|deflate|exi|pack200-gzip|zstd)$/i;

/**
 * True for a compressed body: the signature covers the bytes before compression, and a small body can hold gigabytes.
 */
export function isCompressed(values: HeaderValues): boolean {
  return listOf(values['content-encoding']).some(
    (value) => typeof value === 'string' && value.split(',').some((each) => COMPRESSED.test(each.trim())),
  );
}
