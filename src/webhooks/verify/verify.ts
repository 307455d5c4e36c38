import { ConfigurationError, isMerchantError, WebhookVerificationError } from '../../errors/classes.ts';
import { decodeEvent, malformed } from '../event/event-decoder.ts';
import type { InvoiceEvent } from '../event/events.ts';
import {
  deliveryHeaders,
  type HeadersInput,
  type HeaderValues,
  readHeaders,
  unsignedHeader,
} from './delivery-headers.ts';
import { DiagnosisBudget } from './diagnosis-budget.ts';
import { engine, equalDigests, webEngine } from './hmac.ts';
import { explainMismatch } from './mismatch.ts';
import { bytesFrom, type RawBody } from './raw-body.ts';
import type { WebhookSecret } from './secrets.ts';
import { digestFrom } from './signature-form.ts';
import { timeFrom } from './timestamp-form.ts';
import { decoder } from './utf8.ts';
import {
  type OptionsOwner,
  VERIFY_OPTIONS,
  type VerifySettings,
  type VerifyWebhookOptions,
  verifySettings,
} from './verify-settings.ts';

const OWNER: OptionsOwner = {
  name: 'verifyWebhook',
  known: new Set(VERIFY_OPTIONS),
  // One for the whole process, as each call has settings of its own; on a clock that nobody sets.
  diagnoses: new DiagnosisBudget(() => performance.now()),
};

/**
 * Verifies a delivery and gives its event. Never a boolean: what is not genuine rejects.
 *
 * @param rawBody The bytes as they arrived, not a parsed object.
 * @param headers The request's headers as they are.
 * @param secret The webhook secret of the dashboard, or the old and the new one; `event.secretIndex` says which matched.
 * @throws WebhookVerificationError whose `reason` says why, one of ten.
 * @throws ConfigurationError for an unusable secret or option.
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options: VerifyWebhookOptions = {},
): Promise<InvoiceEvent> {
  // Not an async function around an async function: the second promise can be saved.
  try {
    const settings = verifySettings(secret, options, OWNER);
    const body = bytesFrom(rawBody, settings.maxBodySize);
    return verifyDelivery(body, readHeaders(headers), settings);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The same with everything read: bytes, headers, checked settings. */
export async function verifyDelivery(
  given: Uint8Array,
  headers: HeaderValues,
  settings: VerifySettings,
): Promise<InvoiceEvent> {
  const { id, signature, timestamp, contentLength } = deliveryHeaders(headers);
  const digest = digestFrom(signature, settings.encoding);
  const signed_at = timeFrom(timestamp, settings.timestampFormat);

  const crypto = engine();
  // WebCrypto answers later, and a caller may reuse its buffer meanwhile: what is verified must be what is read.
  const body = crypto === webEngine ? given.slice() : given;
  let secretIndex = -1;
  for (const [index, secret] of settings.secrets.entries()) {
    const expected = crypto.hmac(secret, timestamp, body);
    if (!equalDigests(typeof expected === 'string' ? expected : await expected, digest)) continue;
    secretIndex = index;
    break;
  }
  if (secretIndex < 0) {
    const { secrets, diagnoses } = settings;
    const why = await explainMismatch({ engine: crypto, secrets, timestamp, body, digest, contentLength, diagnoses });
    throw new WebhookVerificationError('signature_mismatch', why);
  }

  // Age after signature: "too old" then means a genuine delivery, which is a finding about the service or the clock.
  checkAge(readClock(settings) - signed_at.getTime(), settings.tolerance);
  const headerName = unsignedHeader(headers, 'x-webhook-event');
  const origin = { source: 'webhook', id, signed_at, secretIndex, headerName } as const;
  return decodeEvent(parse(body), origin, settings);
}

function readClock(settings: VerifySettings): number {
  try {
    return settings.now();
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('The now function threw.');
  }
}

function checkAge(age: number, tolerance: number): void {
  if (age > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The signature holds, but the timestamp is ${spoken(age)} old; the tolerance is ${spoken(tolerance)}. A replay, a slow queue before this check, a wrong clock here, or a service that does not stamp repeats anew.`,
    );
  }
  if (-age > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The signature holds, but the timestamp is ${spoken(-age)} ahead of this machine's clock; the tolerance is ${spoken(tolerance)}. Check the clock.`,
    );
  }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function spoken(ms: number): string {
  const [unit, size] =
    UNITS.find(([, length]) => ms >= 2 * length) ?? (ms >= 60_000 ? UNITS[2] : (['second', 1000] as const));
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    throw malformed('it is not JSON'); // the platform's message quotes the body
  }
}
