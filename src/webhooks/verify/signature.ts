import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { configurationFail, flag, type OptionTable, readOptions, unchecked, word } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { base64ToBytes, engine, hexToBase64, toBase64url, toHex, utf8 } from '../crypto.ts';
import { refusal } from '../reasons.ts';
import { parseSecrets } from './secrets.ts';

// The signing scheme of the service: HMAC-SHA256 with the webhook secret over "{timestamp}.{raw body}". The signature
// and the timestamp are headers.

/**
 * How the signature is written. The interface does not show it. `base64` is read in the standard alphabet and in that
 * of URLs.
 *
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export type SignatureEncoding = 'hex' | 'base64';
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const satisfies readonly SignatureEncoding[];

const HEX = /^[0-9a-fA-F]{64}$/;
// One of the two alphabets, never both. The 43rd character of a 32-byte value has two unused bits, which must be zero.
const BASE64 = /^(?:[A-Za-z0-9+/]{42}|[A-Za-z0-9_-]{42})[AEIMQUYcgkosw048]=?$/;
const PREFIX = /^(?:sha256[=:]|hmac-sha256=|v1=)/i;

/**
 * Reads the digest from the signature header, in lower-case hex. The exact form is checked before decoding: lenient
 * decoders stop at, or skip, characters that they do not know, and would accept a damaged signature. Hex may be in
 * either case, because both spell the same bytes.
 *
 * @throws WebhookVerificationError `malformed_signature`
 */
export function parseSignature(header: string, encoding: SignatureEncoding | undefined): string {
  const text = header.replace(PREFIX, '');
  if (HEX.test(text) && encoding !== 'base64') return text.toLowerCase();
  if (BASE64.test(text) && encoding !== 'hex') {
    return toHex(base64ToBytes(text.replaceAll('-', '+').replaceAll('_', '/')));
  }
  throw refusal('malformed_signature', { cause: signatureProblem(text, encoding), remedy: null });
}

function signatureProblem(text: string, encoding: SignatureEncoding | undefined): string {
  const asked = encoding === undefined ? '' : ` in ${encoding}`;
  const seen = HEX.test(text)
    ? 'is hex'
    : BASE64.test(text)
      ? 'is base64'
      : `has ${text.length} characters of another form`;
  const hint = text !== text.trim() ? ' It has white space around it.' : '';
  return `X-Webhook-Signature is not a SHA-256 signature${asked}: 64 hex characters or 44 of base64, with "sha256=", "sha256:", "hmac-sha256=" or "v1=" before them, or nothing. It ${seen}.${hint}`;
}

/**
 * How the timestamp is written. The interface does not show it.
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export type TimestampFormat = 'seconds' | 'milliseconds' | 'iso';

// Strict, because the signed text can be cut at another dot: ("T", "1.{}") and ("T.1", "{}") have the same signature.
// An event is a JSON object, so its body begins with "{", which no format of a timestamp contains. Therefore only one
// cut gives an event.
const PATTERNS: Readonly<Record<TimestampFormat, RegExp>> = {
  seconds: /^\d{10}(?:\.\d{1,9})?$/,
  milliseconds: /^\d{13}$/,
  iso: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/,
};
export const TIMESTAMP_FORMATS = ['seconds', 'milliseconds', 'iso'] as const satisfies readonly TimestampFormat[];

/**
 * Parses the timestamp header.
 *
 * @throws WebhookVerificationError `malformed_timestamp`
 */
export function parseTimestamp(header: string, format?: TimestampFormat | undefined): Date {
  const seen = TIMESTAMP_FORMATS.find((known) => PATTERNS[known].test(header));
  if (seen !== undefined && (format === undefined || format === seen)) {
    const time =
      seen === 'iso' ? dateFrom(header) : new Date(Math.round(Number(header) * (seen === 'seconds' ? 1000 : 1)));
    if (!(time instanceof Problem)) return time;
  }
  const expected = format ?? 'seconds (10 digits, perhaps with a fraction), milliseconds (13 digits) or ISO 8601';
  const found = seen === undefined ? `has ${header.length} characters of another form` : `is in ${seen}`;
  throw refusal('malformed_timestamp', {
    cause: `X-Webhook-Timestamp must be ${expected}. It ${found}.`,
    remedy: null,
  });
}

/**
 * Writes the timestamp header. Text is written unchanged.
 *
 * @throws ConfigurationError for a value that is not a time.
 */
export function formatTimestamp(timestamp: Date | number | string, format: TimestampFormat): string {
  if (typeof timestamp === 'string') return timestamp;
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) throw new ConfigurationError('The timestamp to sign is not a time.');
  if (format === 'iso') return date.toISOString();
  return String(format === 'seconds' ? Math.floor(date.getTime() / 1000) : date.getTime());
}

/** What is signed before the body. */
export function signedHead(timestamp: string): string {
  return `${timestamp}.`;
}

/**
 * The headers of a delivery: the three of the service, and the type of its body.
 *
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
// Not an interface, because `fetch` does not accept one as its headers.
export type WebhookHeaders = {
  'Content-Type': string;
  /** The delivery id, the same for every attempt. Not signed. */
  'X-Webhook-Id': string;
  /** HMAC-SHA256 over the timestamp, a dot and the raw body. */
  'X-Webhook-Signature': string;
  /** The time of signing, as it was signed. */
  'X-Webhook-Timestamp': string;
};

/**
 * Options of {@link signWebhook}.
 *
 * @example
 * await signWebhook(body, secret, { encoding: 'base64', timestampFormat: 'iso', prefix: true });
 */
export interface SignWebhookOptions {
  /** The delivery id. The signature does not cover it. @defaultValue a random UUID */
  readonly id?: string | undefined;
  /** The time of signing. A number is milliseconds since 1970. Text is signed and sent unchanged. @defaultValue now */
  readonly timestamp?: Date | number | string | undefined;
  /** The encoding of the signature. `base64url` has no padding. @defaultValue `'hex'` */
  readonly encoding?: SignatureEncoding | 'base64url' | undefined;
  /** Writes `sha256=` before the signature. @defaultValue false */
  readonly prefix?: boolean | undefined;
  /** The format of the timestamp. @defaultValue `'seconds'` */
  readonly timestampFormat?: TimestampFormat | undefined;
}

const SIGN_OPTIONS = {
  id: unchecked<string | undefined>(),
  timestamp: unchecked<Date | number | string | undefined>(),
  encoding: word<'hex' | 'base64' | 'base64url', 'hex'>([...SIGNATURE_ENCODINGS, 'base64url'], 'hex'),
  prefix: flag(false),
  timestampFormat: word(TIMESTAMP_FORMATS, 'seconds'),
} satisfies OptionTable<SignWebhookOptions>;

/**
 * Signs a delivery as the service does, for tests of a receiver.
 *
 * @param body The body exactly as it will be sent.
 * @param secret The webhook secret of the receiver.
 * @returns The headers of the delivery.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable secret or option.
 * @example
 * const body = JSON.stringify({ event: 'invoice.paid', invoice_uuid, external_id, status: 'success', amount: '25.00' });
 * const headers = await signWebhook(body, 'whsec_test_0123456789');
 * const response = await fetch(endpoint, { method: 'POST', headers, body });
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export async function signWebhook(
  body: string | Uint8Array,
  secret: string | Uint8Array,
  options: SignWebhookOptions = {},
): Promise<WebhookHeaders> {
  const [key = ''] = parseSecrets(secret);
  const fail = configurationFail('signWebhook');
  const { id, timestamp: at, encoding, prefix, timestampFormat } = readOptions('options', options, SIGN_OPTIONS, fail);
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    fail('the body must be text or bytes, exactly as it will be sent');
  }
  const timestamp = formatTimestamp(at ?? Date.now(), timestampFormat);
  const hmac = engine().hmacOf(key);
  const digest = await hmac(signedHead(timestamp), typeof body === 'string' ? utf8(body) : body);
  const base64 = hexToBase64(digest);
  const signature = { hex: digest, base64, base64url: toBase64url(base64) }[encoding];
  return {
    // Otherwise fetch would send a text as text/plain.
    'Content-Type': 'application/json',
    'X-Webhook-Id': id ?? crypto.randomUUID(),
    'X-Webhook-Signature': prefix ? `sha256=${signature}` : signature,
    'X-Webhook-Timestamp': timestamp,
  };
}
