import { ConfigurationError, WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { decodeEvent, malformed } from '../event/event-decoder.ts';
import type { InvoiceEvent } from '../event/events.ts';
import { DiagnosisBudget } from './diagnosis-budget.ts';
import {
  contentLength,
  type HeadersInput,
  type HeaderValues,
  readHeaders,
  requiredHeaders,
  unsignedHeader,
} from './headers.ts';
import { engine, equalDigests, webEngine } from './hmac.ts';
import type { Mismatch } from './mismatch.ts';
import { bytesFrom, type RawBody } from './raw-body.ts';
import type { WebhookSecret } from './secrets.ts';
import { parseSignature } from './signature-header.ts';
import { parseTimestamp } from './timestamp.ts';
import {
  type OptionsOwner,
  parseVerifyOptions,
  VERIFY_OPTIONS,
  type VerifySettings,
  type VerifyWebhookOptions,
} from './verify-options.ts';

// The signing scheme of the service: HMAC-SHA256 with the webhook secret over "{timestamp}.{raw body}". The signature and
// the timestamp are headers. Everything here runs before the body is parsed. This room may import the events, and nothing
// else of the receiver.

const OWNER: OptionsOwner = {
  name: 'verifyWebhook',
  known: new Set(VERIFY_OPTIONS),
  // One for the whole process, because each call parses its options again. On a clock that cannot be set.
  diagnoses: new DiagnosisBudget(() => performance.now()),
};

/**
 * Verifies a delivery and returns its event. It never returns a boolean: it rejects for anything that is not genuine.
 *
 * @param rawBody The bytes as they arrived, not a parsed object.
 * @param headers The request's headers, unchanged.
 * @param secret The webhook secret of the dashboard, or the old and the new one. `event.secretIndex` says which matched.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_<REASON>`) whose `reason` says why, one of ten.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable secret or option.
 * @example
 * const secret = process.env.MERCHANT_WEBHOOK_SECRET ?? '';
 * const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret);
 * if (event.type === 'invoice.paid') await fulfil(event.external_id, event.credited_usdt);
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options: VerifyWebhookOptions = {},
): Promise<InvoiceEvent> {
  // Not async, because an async function around another one costs a second promise.
  try {
    const settings = parseVerifyOptions(secret, options, OWNER);
    const body = bytesFrom(rawBody, settings.maxBodySize);
    return verifyDelivery(body, readHeaders(headers), settings);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Does the same for bytes, headers and options that are checked. */
export async function verifyDelivery(
  given: Uint8Array,
  headers: HeaderValues,
  settings: VerifySettings,
): Promise<InvoiceEvent> {
  const { id, signature, timestamp } = requiredHeaders(headers);
  const digest = parseSignature(signature, settings.encoding);
  const signed_at = parseTimestamp(timestamp, settings.timestampFormat);

  const crypto = engine();
  // WebCrypto is asynchronous, and a caller may reuse its buffer meanwhile. The bytes that are verified must be those read.
  // Not slice(): that of a Buffer gives a view of the same memory.
  const body = crypto === webEngine ? new Uint8Array(given) : given;
  let secretIndex = -1;
  for (const [index, secret] of settings.secrets.entries()) {
    const expected = crypto.hmac(secret, `${timestamp}.`, body);
    if (!equalDigests(typeof expected === 'string' ? expected : await expected, digest)) continue;
    secretIndex = index;
    break;
  }
  if (secretIndex < 0) {
    const { secrets, diagnoses } = settings;
    const length = contentLength(headers);
    const mismatch = { engine: crypto, secrets, timestamp, body, digest, contentLength: length, diagnoses };
    throw new WebhookVerificationError('signature_mismatch', await explanation(mismatch));
  }

  // The age after the signature: "too old" then means a genuine delivery, which says something about the service or the clock.
  checkAge(readClock(settings) - signed_at.getTime(), settings.tolerance);
  const headerName = unsignedHeader(headers, 'x-webhook-event');
  const origin = { source: 'webhook', id, signed_at, secretIndex, headerName } as const;
  return decodeEvent(parseJson(body), origin, settings);
}

let explain: typeof import('./mismatch.ts').explainMismatch | null = null;

/**
 * Loaded at the first mismatch, and kept: another `import()` would double the cost of a refusal. A signature that does not
 * match is refused, also where the file cannot be loaded.
 */
async function explanation(mismatch: Mismatch): Promise<string> {
  if (explain !== null) return explain(mismatch);
  const kept = { ...mismatch, body: new Uint8Array(mismatch.body) }; // the caller may reuse its buffer meanwhile
  explain = await import('./mismatch.ts').then(
    ({ explainMismatch }) => explainMismatch,
    () => null,
  );
  return explain === null ? 'The signature does not match.' : explain(kept);
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
      `The signature matches, but the timestamp is ${durationText(age)} old, and the tolerance is ${durationText(tolerance)}. Possible causes: a replay, a slow queue, a wrong clock here, or a service that does not renew the timestamp of a repeat.`,
    );
  }
  if (-age > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The signature matches, but the timestamp is ${durationText(-age)} ahead of this machine's clock, and the tolerance is ${durationText(tolerance)}. Check the clock.`,
    );
  }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function durationText(ms: number): string {
  const [unit, size] =
    UNITS.find(([, length]) => ms >= 2 * length) ?? (ms >= 60_000 ? UNITS[2] : (['second', 1000] as const));
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

// Created at first use: jsdom has no TextDecoder.
let textDecoder: TextDecoder | undefined;

function parseJson(body: Uint8Array): unknown {
  try {
    textDecoder ??= new TextDecoder('utf-8', { fatal: true });
    return JSON.parse(textDecoder.decode(body));
  } catch {
    throw malformed('it is not JSON'); // the message of the platform quotes the body
  }
}
