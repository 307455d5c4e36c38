import { checkOptions, configurationFail, readWord } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { engine } from './hmac.ts';
import { secretsFrom } from './secrets.ts';
import { encoder } from './utf8.ts';

/**
 * How the signature is written: `base64` is read in the standard alphabet and in that of URLs. The interface does not
 * show it.
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export type SignatureEncoding = 'hex' | 'base64';
/**
 * How the timestamp is written. The interface does not show it.
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export type TimestampFormat = 'seconds' | 'milliseconds' | 'iso';

const SIGNATURE_PREFIX = 'sha256=';
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const satisfies readonly SignatureEncoding[];
export const TIMESTAMP_FORMATS = ['seconds', 'milliseconds', 'iso'] as const satisfies readonly TimestampFormat[];

/**
 * The headers of a delivery: the service's three, and the type of its body.
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
export interface WebhookHeaders {
  'Content-Type': string;
  'X-Webhook-Id': string;
  'X-Webhook-Signature': string;
  'X-Webhook-Timestamp': string;
}

/** How {@link signWebhook} signs. */
export interface SignWebhookOptions {
  /** Delivery id; default a random UUID. It is not part of what is signed. */
  readonly id?: string | undefined;
  /** Default now. A number is milliseconds since 1970; text becomes the header as it is, and is what is signed. */
  readonly timestamp?: Date | number | string | undefined;
  /** Default `hex`. `base64url` is without padding. */
  readonly encoding?: SignatureEncoding | 'base64url' | undefined;
  /** Write `sha256=` before the signature; default false. */
  readonly prefix?: boolean | undefined;
  /** Default `seconds`. */
  readonly timestampFormat?: TimestampFormat | undefined;
}

const SIGN_OPTIONS: ReadonlySet<string> = new Set<keyof SignWebhookOptions>([
  'id',
  'timestamp',
  'encoding',
  'prefix',
  'timestampFormat',
]);

/**
 * Makes the headers of a signed delivery, as the service does: for tests of a receiver, and for the sandbox.
 *
 * @throws ConfigurationError for an unusable secret or option.
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export async function signWebhook(
  body: string | Uint8Array,
  secret: string | Uint8Array,
  options: SignWebhookOptions = {},
): Promise<WebhookHeaders> {
  const [key = ''] = secretsFrom(secret);
  const fail = configurationFail('signWebhook');
  checkOptions('options', options, SIGN_OPTIONS, fail);
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    throw new ConfigurationError('signWebhook signs text or bytes. Give it the body exactly as it will be sent.');
  }
  const encoding = readWord('encoding', [...SIGNATURE_ENCODINGS, 'base64url'], options.encoding, fail) ?? 'hex';
  const format = readWord('timestampFormat', TIMESTAMP_FORMATS, options.timestampFormat, fail) ?? 'seconds';
  const timestamp = timestampText(options.timestamp ?? Date.now(), format);
  const digest = await engine().hmac(key, timestamp, typeof body === 'string' ? encoder.encode(body) : body);
  const signature = encoding === 'hex' ? digest : encoding === 'base64' ? base64(digest) : base64url(base64(digest));
  return {
    // Else fetch would call a body of text text/plain.
    'Content-Type': 'application/json',
    'X-Webhook-Id': options.id ?? crypto.randomUUID(),
    'X-Webhook-Signature': options.prefix ? SIGNATURE_PREFIX + signature : signature,
    'X-Webhook-Timestamp': timestamp,
  };
}

function base64(hex: string): string {
  return btoa(hex.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))));
}

/** Standard base64 in the alphabet of URLs, without padding. */
export function base64url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function timestampText(timestamp: Date | number | string, format: TimestampFormat): string {
  if (typeof timestamp === 'string') return timestamp;
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) throw new ConfigurationError('The timestamp to sign is not a time.');
  if (format === 'iso') return date.toISOString();
  return String(format === 'seconds' ? Math.floor(date.getTime() / 1000) : date.getTime());
}
