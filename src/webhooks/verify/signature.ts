import { checkOptions, configurationFail, readWord } from '../../checks.ts';
import { engine, hexToBase64, toBase64url, utf8 } from './hmac.ts';
import { parseSecrets } from './secrets.ts';
import { SIGNATURE_ENCODINGS, type SignatureEncoding } from './signature-header.ts';
import { formatTimestamp, TIMESTAMP_FORMATS, type TimestampFormat } from './timestamp.ts';

/**
 * The headers of a delivery: the three of the service, and the type of its body.
 *
 * @see [Headers on every delivery](../../../docs/service-interface.md#headers-on-every-delivery)
 */
// A type, because `fetch` does not take an interface as its headers.
export type WebhookHeaders = {
  'Content-Type': string;
  'X-Webhook-Id': string;
  'X-Webhook-Signature': string;
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

const SIGN_OPTIONS: ReadonlySet<string> = new Set<keyof SignWebhookOptions>([
  'id',
  'timestamp',
  'encoding',
  'prefix',
  'timestampFormat',
]);

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
  checkOptions('options', options, SIGN_OPTIONS, fail);
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    fail('the body must be text or bytes, exactly as it will be sent');
  }
  const encoding = readWord('encoding', [...SIGNATURE_ENCODINGS, 'base64url'], options.encoding, fail) ?? 'hex';
  const format = readWord('timestampFormat', TIMESTAMP_FORMATS, options.timestampFormat, fail) ?? 'seconds';
  const timestamp = formatTimestamp(options.timestamp ?? Date.now(), format);
  const digest = await engine().hmac(key, `${timestamp}.`, typeof body === 'string' ? utf8(body) : body);
  const base64 = hexToBase64(digest);
  const signature = { hex: digest, base64, base64url: toBase64url(base64) }[encoding];
  return {
    // Without it fetch would send a body of text as text/plain.
    'Content-Type': 'application/json',
    'X-Webhook-Id': options.id ?? crypto.randomUUID(),
    'X-Webhook-Signature': options.prefix ? `sha256=${signature}` : signature,
    'X-Webhook-Timestamp': timestamp,
  };
}
