import { checkOptions, configurationFail, kindOf, readCount, readWord } from '../../errors/checks.ts';
import { ConfigurationError, WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { bytesFrom, RAW_BODY_ADVICE, type RawBody } from '../body.ts';
import { decodeEvent, type EventPins } from '../event/decode.ts';
import type { InvoiceEvent } from '../event/event-types.ts';
import { malformed } from '../event/payload.ts';
import { parseClock, type TimeSource } from '../time-source.ts';
import { isSandboxAllowed, isSandboxSecret, warnOfSandboxSecret } from './sandbox-secret.ts';
import {
  engine,
  equalDigests,
  type HmacKey,
  parseSecrets,
  parseSignature,
  parseTimestamp,
  SIGNATURE_ENCODINGS,
  type SignatureEncoding,
  TIMESTAMP_FORMATS,
  type TimestampFormat,
  type WebhookSecret,
  webEngine,
} from './signature.ts';

// The verification of a delivery, in the order in which it happens: headers, signature, age, payload. The bytes are
// verified before anything is parsed.

/** 5 minutes. The interface says "a few minutes". */
const DEFAULT_TOLERANCE = 300_000;
/** Ordinary clocks differ too much for a smaller tolerance. */
const MIN_TOLERANCE = 30_000;
/** With a greater tolerance a recorded delivery can be replayed much later. */
const MAX_TOLERANCE = 900_000;
/** 256 KiB. A delivery of the service has less than one. */
const DEFAULT_MAX_BODY_SIZE = 262_144;

/**
 * Options of {@link verifyWebhook}.
 *
 * @example
 * await verifyWebhook(body, headers, secret, { tolerance: 120_000, orderIdMember: 'order.id' });
 */
export interface VerifyWebhookOptions {
  /** Greatest age, and greatest lead, of the timestamp: 30,000 to 900,000 milliseconds. @defaultValue 300,000 */
  readonly tolerance?: number | undefined;
  /** The time to compare with: a Date, milliseconds since 1970, or a function that returns one. @defaultValue the clock */
  readonly now?: Date | number | (() => Date | number) | undefined;
  /** The only encoding to accept. @defaultValue both, distinguished by their exact form */
  readonly encoding?: 'hex' | 'base64' | undefined;
  /** The only format to accept. @defaultValue all three, distinguished by their exact form */
  readonly timestampFormat?: 'seconds' | 'milliseconds' | 'iso' | undefined;
  /**
   * The member of the payload with the merchant's order id: a name, or a path with dots (`order.id`). No other member is
   * then read.
   *
   * @defaultValue `external_id`, and names that can mean nothing else, such as `merchant_order_id`
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly orderIdMember?: string | undefined;
  /**
   * The member of the payload with the event's name: a name, or a path with dots (`event.type`). A delivery without it is an
   * unknown event. Null: names are ignored, and the status decides.
   *
   * @defaultValue `event`, `event_type` or `event_name`, or the `type` of an envelope; without a name the status decides
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly eventMember?: string | null | undefined;
  /**
   * Whether deliveries signed with `whsec_sandbox`, the public secret of the command `sandbox`, are accepted. Otherwise
   * they are refused as `sandbox_secret`, because anybody can make them. Never true in production.
   *
   * @defaultValue true if the environment variable MERCHANT_SANDBOX is `1`, otherwise false
   */
  readonly sandbox?: boolean | undefined;
  /** Greatest size of the body in bytes. @defaultValue 262,144 */
  readonly maxBodySize?: number | undefined;
}

/** The secrets and options after their check. */
export interface VerifySettings {
  readonly secrets: readonly HmacKey[];
  readonly tolerance: number;
  readonly now: () => number;
  readonly encoding: SignatureEncoding | undefined;
  readonly timestampFormat: TimestampFormat | undefined;
  readonly pins: EventPins;
  readonly sandbox: boolean | undefined;
  readonly maxBodySize: number;
}

/** The names of the options of `verifyWebhook`. The handler has them as well. */
export const VERIFY_OPTIONS = [
  'tolerance',
  'now',
  'encoding',
  'timestampFormat',
  'orderIdMember',
  'eventMember',
  'maxBodySize',
  'sandbox',
] as const satisfies readonly (keyof VerifyWebhookOptions)[];

/**
 * Checks the secrets and the options once.
 *
 * @param owner The function whose options they are, for messages.
 * @param known All options that it has.
 * @throws ConfigurationError which names the option
 */
export function parseVerifyOptions(
  secret: unknown,
  options: VerifyWebhookOptions,
  owner: string,
  known: ReadonlySet<string>,
): VerifySettings {
  const fail = configurationFail(owner);
  checkOptions('options', options, known, fail);
  const { tolerance = DEFAULT_TOLERANCE, orderIdMember, eventMember, encoding, timestampFormat, sandbox } = options;
  if (typeof tolerance !== 'number' || !(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE)) {
    fail(`tolerance must be ${MIN_TOLERANCE} to ${MAX_TOLERANCE} milliseconds: 30 seconds to 15 minutes`);
  }
  if (orderIdMember !== undefined && !isPath(orderIdMember)) {
    fail('orderIdMember must be the name of a payload member, or a path such as "order.id", or omitted');
  }
  if (eventMember !== undefined && eventMember !== null && !isPath(eventMember)) {
    fail('eventMember must be the name of a payload member, a path such as "event.type", or null, or omitted');
  }
  const secrets = parseSecrets(secret);
  if (sandbox !== undefined && typeof sandbox !== 'boolean')
    fail(`sandbox must be true or false, not ${kindOf(sandbox)}`);
  warnOfSandboxSecret(secrets, sandbox);
  return {
    secrets,
    tolerance,
    now: parseClock(options.now satisfies TimeSource | undefined),
    encoding: readWord('encoding', SIGNATURE_ENCODINGS, encoding, fail),
    timestampFormat: readWord('timestampFormat', TIMESTAMP_FORMATS, timestampFormat, fail),
    pins: { orderIdMember, eventMember },
    sandbox,
    maxBodySize: readCount('maxBodySize', options.maxBodySize, { byDefault: DEFAULT_MAX_BODY_SIZE, min: 1 }, fail),
  };
}

function isPath(member: unknown): boolean {
  return typeof member === 'string' && !member.split('.').includes('');
}

const KNOWN: ReadonlySet<string> = new Set(VERIFY_OPTIONS);

/**
 * Verifies a delivery and returns its event. It rejects for anything that is not genuine, so there is no boolean to
 * forget.
 *
 * @param rawBody The bytes as they arrived, not a parsed object.
 * @param headers The request's headers, unchanged.
 * @param secret The webhook secret of the dashboard, or the old and the new one. `event.secretIndex` says which matched.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_<REASON>`) whose `reason` says why.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable secret or option.
 * @example
 * const secret = process.env.MERCHANT_WEBHOOK_SECRET ?? '';
 * const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret);
 * if (event.type === 'invoice.paid') await fulfil(event.external_id, event.credited_usdt);
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options: VerifyWebhookOptions = {},
): Promise<InvoiceEvent> {
  try {
    const settings = parseVerifyOptions(secret, options, 'verifyWebhook', KNOWN);
    return await verifyDelivery(bytesFrom(rawBody, settings.maxBodySize), readHeaders(headers), settings);
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('verifyWebhook: its arguments cannot be read.', { cause: error });
  }
}

/** Verifies a delivery as {@link verifyWebhook} does, with bytes, headers and options that were read before. */
export async function verifyDelivery(
  given: Uint8Array,
  headers: HeaderValues,
  settings: VerifySettings,
): Promise<InvoiceEvent> {
  const { id, signature, timestamp } = requiredHeaders(headers);
  const digest = parseSignature(signature, settings.encoding);
  const signed_at = parseTimestamp(timestamp, settings.timestampFormat);
  const crypto = engine();
  // WebCrypto is asynchronous, and a caller may reuse its buffer meanwhile. The verified bytes must be those that are
  // parsed. Not slice(): on a Buffer it returns a view of the same memory.
  const body = crypto === webEngine ? new Uint8Array(given) : given;
  let secretIndex = -1;
  for (const [index, secret] of settings.secrets.entries()) {
    const expected = crypto.hmac(secret, `${timestamp}.`, body);
    if (!equalDigests(typeof expected === 'string' ? expected : await expected, digest)) continue;
    secretIndex = index;
    break;
  }
  if (secretIndex < 0) throw new WebhookVerificationError('signature_mismatch', mismatch(body, headers, settings));
  if (isSandboxSecret(settings.secrets[secretIndex]) && !isSandboxAllowed(settings.sandbox)) {
    throw new WebhookVerificationError('sandbox_secret', SANDBOX_SECRET_REFUSED);
  }
  // The age is checked after the signature, so that "too old" is always about a genuine delivery: about the service or
  // a clock.
  checkAge(readClock(settings) - signed_at.getTime(), settings.tolerance);
  const origin = { source: 'webhook', id, signed_at, secretIndex } as const;
  return decodeEvent(parseJson(body), origin, settings.pins);
}

const SANDBOX_SECRET_REFUSED =
  'The delivery is signed with whsec_sandbox, the secret of every sandbox, which everybody knows. In production, use the secret of the dashboard. For development, set MERCHANT_SANDBOX=1, or give the option sandbox: true.';

/** Returns the message for a signature that does not match. It names only causes that are visible without a search. */
function mismatch(body: Uint8Array, headers: HeaderValues, { secrets }: VerifySettings): string {
  const start = 'The signature does not match';
  const mistake = bodyMistake(body, headers);
  if (mistake !== null) return `${start}: ${mistake} ${RAW_BODY_ADVICE}`;
  const many = secrets.length > 1 ? `none of the ${secrets.length} secrets fits` : 'the secret is another one';
  return `${start}: either ${many}, or the body is not the raw one. ${COMPARE_THE_SECRET} A body that was parsed and serialised again can look the same; "npx merchant-invoicing webhooks verify" finds out which. ${RAW_BODY_ADVICE}`;
}

/** What to do about a signature that nothing else explains. @internal */
export const COMPARE_THE_SECRET = 'Compare the secret with the dashboard: sandbox and production differ.';

/**
 * Returns what is visibly wrong with a body: it is empty, or has another length than Content-Length. Null if neither.
 * @internal
 */
export function bodyMistake(body: Uint8Array, headers: HeaderValues): string | null {
  if (body.length === 0) return 'the body is empty. Something else read the request first.';
  const length = firstOf(headers['content-length']);
  if (typeof length !== 'string' || !/^\d{1,15}$/.test(length) || Number(length) === body.length) return null;
  return `the body has ${body.length} bytes, but Content-Length says ${length}. It was parsed and serialised again, or decoded.`;
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

// Created at the first use, because jsdom lacks the class.
let textDecoder: TextDecoder | undefined;

function parseJson(body: Uint8Array): unknown {
  try {
    textDecoder ??= new TextDecoder('utf-8', { fatal: true });
    return JSON.parse(textDecoder.decode(body));
  } catch {
    throw malformed('it is not JSON'); // the message of the platform quotes the body
  }
}

/**
 * The headers of a delivery in any form that runtimes use: `Headers`, Node's `request.headers` or `headersDistinct`,
 * `rawHeaders` (a flat list), or a list of pairs. Names may be in any case.
 */
export type HeadersInput =
  | Iterable<readonly [string, string]>
  | readonly string[]
  | Readonly<Record<string, string | readonly string[] | undefined>>;

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
 */
export function readHeaders(headers: unknown): HeaderValues {
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
    throw new WebhookVerificationError(
      'missing_header',
      'The headers cannot be read. Pass the request headers unchanged: a Headers object, request.headers of Node, or a list of pairs.',
    );
  }
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? Array.from(value) : [value];
}

/** Returns headers of any form as pairs. Throws a TypeError for what is not an object. */
function pairsOf(headers: unknown): Iterable<readonly unknown[]> {
  const given = headers as HeadersInput; // each form is recognised below
  if (Array.isArray(given) && typeof given[0] === 'string') {
    return given.flatMap((name, at) => (at % 2 === 0 ? [[name, given[at + 1]]] : []));
  }
  return Symbol.iterator in given ? (given as Iterable<readonly unknown[]>) : Object.entries(given); // it has an iterator
}

/**
 * Returns the single value of each header that a delivery must have.
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

/** Returns a header as text before the signature is verified: for reports, never for a decision about trust. */
export function unsignedHeader(values: HeaderValues, name: 'x-webhook-id' | 'x-webhook-timestamp'): string | null {
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
