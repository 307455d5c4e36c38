import {
  configurationFail,
  count,
  type Fail,
  flag,
  type OptionTable,
  type Read,
  readOptions,
  word,
} from '../../errors/checks.ts';
import { ConfigurationError, type WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { bytesFrom, type RawBody } from '../body.ts';
import { areEqual, engine, type Hmac, type HmacKey, webEngine } from '../crypto.ts';
import { decodeEvent, type EventOrigin } from '../event/decode.ts';
import type { InvoiceEvent } from '../event/event-types.ts';
import { malformed } from '../event/payload.ts';
import { refusal, SANDBOX_CLOCK } from '../reasons.ts';
import { parseClock, type TimeSource } from '../time-source.ts';
import { type HeadersInput, type HeaderValues, readHeaders, requiredHeaders } from './headers.ts';
import { isSandboxAllowed, isSandboxSecret, warnOfSandboxSecret } from './sandbox-secret.ts';
import { readSecrets, type WebhookSecret } from './secrets.ts';
import { parseSignature, parseTimestamp, SIGNATURE_ENCODINGS, signedHead, TIMESTAMP_FORMATS } from './signature.ts';
import { visibleMistake } from './why.ts';

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
  /**
   * The time to compare with: a Date, milliseconds since 1970, or a function that returns one. Not that of a sandbox,
   * which stamps its webhooks by the clock of the machine. @defaultValue the clock
   */
  readonly now?: Date | number | (() => Date | number) | undefined;
  /** The only encoding to accept. @defaultValue both, distinguished by their exact form */
  readonly encoding?: 'hex' | 'base64' | undefined;
  /** The only format to accept. @defaultValue all three, distinguished by their exact form */
  readonly timestampFormat?: 'seconds' | 'milliseconds' | 'iso' | undefined;
  /**
   * The member of the payload with the merchant's order id: a name, or a path with dots (`order.id`). No other member
   * is then read.
   *
   * @defaultValue `external_id`, and names that can mean nothing else, such as `merchant_order_id`
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly orderIdMember?: string | undefined;
  /**
   * The member of the payload with the event's name: a name, or a path with dots (`event.type`). A delivery without it
   * is an unknown event. Null: names are ignored, and the status decides.
   *
   * @defaultValue `event`, `event_type` or `event_name`, or the `type` of an envelope; without a name the status
   * decides
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly eventMember?: string | null | undefined;
  /**
   * The member of the payload that says whether a payment was adjusted: a name, or a path with dots. Its value is true
   * or false. Where it says false, and any other member says that the payment was adjusted, the delivery is refused as
   * malformed.
   *
   * @defaultValue `adjusted` or `is_adjusted`
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly adjustedMember?: string | undefined;
  /**
   * For a service that leaves the member out when it is false. With `as_ordered`, a payment without the member counts as
   * paid as ordered. A member that is there is still read. By default, a payment without the member is refused as
   * malformed, because it may be the payment of a part.
   */
  readonly adjustedAbsent?: 'as_ordered' | undefined;
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

/** The table of the options of `verifyWebhook`. The handler has them as well. */
export const VERIFY_OPTIONS = {
  tolerance(value: unknown, name: string, fail: Fail): number {
    if (value === undefined) return DEFAULT_TOLERANCE;
    if (typeof value === 'number' && value >= MIN_TOLERANCE && value <= MAX_TOLERANCE) return value;
    return fail(`${name} must be ${MIN_TOLERANCE} to ${MAX_TOLERANCE} milliseconds: 30 seconds to 15 minutes`);
  },
  now: (value: unknown): (() => number) => parseClock(value as TimeSource | undefined), // which checks it
  encoding: word(SIGNATURE_ENCODINGS, undefined),
  timestampFormat: word(TIMESTAMP_FORMATS, undefined),
  orderIdMember: pathOption('order.id'),
  eventMember(value: unknown, name: string, fail: Fail): string | null | undefined {
    if (value === undefined || value === null || isPath(value)) return value;
    return fail(`${name} must be the name of a payload member, a path such as "event.type", or null, or omitted`);
  },
  adjustedMember: pathOption('payment.adjusted'),
  adjustedAbsent: word(['as_ordered'] as const, undefined),
  sandbox: flag(undefined),
  maxBodySize: count({ default: DEFAULT_MAX_BODY_SIZE, min: 1 }),
} satisfies OptionTable<VerifyWebhookOptions>;

function pathOption(example: string) {
  return (value: unknown, name: string, fail: Fail): string | undefined => {
    if (value === undefined || isPath(value)) return value;
    return fail(`${name} must be the name of a payload member, or a path such as "${example}", or omitted`);
  };
}

function isPath(member: unknown): member is string {
  return typeof member === 'string' && !member.split('.').includes('');
}

/** The options after their check, and the secrets. */
export interface VerifySettings extends Read<typeof VERIFY_OPTIONS> {
  readonly secrets: readonly HmacKey[];
  /** The HMAC of each secret, in the same order. */
  readonly hmacs: readonly Hmac[];
}

/** Puts the secrets beside the options that were read. Warns of the public secret of the sandbox. */
export function verifySettings(secrets: readonly HmacKey[], read: Read<typeof VERIFY_OPTIONS>): VerifySettings {
  warnOfSandboxSecret(secrets, read.sandbox);
  return { ...read, secrets, hmacs: secrets.map(engine().hmacOf) };
}

/**
 * Verifies a delivery and returns its event. It rejects for anything that is not genuine, so there is no boolean to
 * forget.
 *
 * @param rawBody The bytes as they arrived, not a parsed object.
 * @param headers The request's headers, unchanged.
 * @param secret The webhook secret of the dashboard, or the old and the new one. `event.secretIndex` says which
 * matched. Without this argument it is MERCHANT_WEBHOOK_SECRET.
 * @throws WebhookVerificationError (`SDK_WEBHOOK_<REASON>`) whose `reason` says why.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable secret or option.
 * @example
 * const event = await verifyWebhook(await request.arrayBuffer(), request.headers);
 * if (event.type === 'invoice.paid') await fulfil(event.order, event.credited_usdt);
 * @see [Authentication](../../../docs/service-interface.md#authentication)
 */
export function verifyWebhook(rawBody: RawBody, headers: HeadersInput): Promise<InvoiceEvent>;
export function verifyWebhook(
  rawBody: RawBody,
  headers: HeadersInput,
  secret: WebhookSecret,
  options?: VerifyWebhookOptions,
): Promise<InvoiceEvent>;
export async function verifyWebhook(
  rawBody: RawBody,
  headers: HeadersInput,
  ...rest: readonly [secret?: unknown, options?: VerifyWebhookOptions]
): Promise<InvoiceEvent> {
  try {
    const [secret, options] = rest;
    const read = options === undefined ? defaults() : readVerifyOptions(options);
    const settings = verifySettings(readSecrets(rest.length === 0 ? null : { secret }), read);
    const given = bytesFrom(rawBody, settings.maxBodySize);
    const { body, origin } = await verifyDelivery(given, readHeaders(headers), settings);
    return decodeEvent(body, origin, settings);
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('verifyWebhook: its arguments cannot be read.', { cause: error });
  }
}

function readVerifyOptions(options: VerifyWebhookOptions): Read<typeof VERIFY_OPTIONS> {
  return readOptions('options', options, VERIFY_OPTIONS, configurationFail('verifyWebhook'));
}

let noOptions: Read<typeof VERIFY_OPTIONS> | undefined; // read at the first use: an import does nothing

/** What a call without options has read. */
function defaults(): Read<typeof VERIFY_OPTIONS> {
  noOptions ??= readVerifyOptions({});
  return noOptions;
}

/** The parsed payload of a genuine delivery, and the facts about its event that it does not state. */
export interface VerifiedPayload {
  readonly body: unknown;
  readonly origin: EventOrigin;
}

/** Verifies a delivery as {@link verifyWebhook} does, with bytes, headers and options that were read before. */
export async function verifyDelivery(
  given: Uint8Array,
  headers: HeaderValues,
  settings: VerifySettings,
): Promise<VerifiedPayload> {
  const { id, signature, timestamp } = requiredHeaders(headers);
  const digest = parseSignature(signature, settings.encoding);
  const signed_at = parseTimestamp(timestamp, settings.timestampFormat);
  // WebCrypto is asynchronous, and a caller may reuse its buffer meanwhile. The verified bytes must be those that are
  // parsed. Not slice(): on a Buffer it returns a view of the same memory.
  const body = engine() === webEngine ? new Uint8Array(given) : given;
  let secretIndex = -1;
  for (const [index, hmac] of settings.hmacs.entries()) {
    const expected = hmac(signedHead(timestamp), body);
    if (!areEqual(typeof expected === 'string' ? expected : await expected, digest)) continue;
    secretIndex = index;
    break;
  }
  if (secretIndex < 0) throw mismatch(body, headers);
  if (isSandboxSecret(settings.secrets[secretIndex]) && !isSandboxAllowed(settings.sandbox))
    throw refusal('sandbox_secret');
  // The age is checked after the signature, so that "too old" is always about a genuine delivery: about the service or
  // a clock.
  checkAge(readClock(settings) - signed_at.getTime(), settings);
  const origin = { source: 'webhook', id, signed_at, secretIndex } as const;
  return { body: parseJson(body), origin };
}

/** The error for a signature that does not match. It names only mistakes that need no HMAC. */
function mismatch(body: Uint8Array, headers: HeaderValues): WebhookVerificationError {
  const seen = visibleMistake(body, headers);
  if (seen === null) return refusal('signature_mismatch');
  return refusal('signature_mismatch', { cause: `The signature does not match. ${seen.text}`, remedy: seen.remedy });
}

function readClock(settings: VerifySettings): number {
  try {
    return settings.now();
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('The now function threw.');
  }
}

function checkAge(age: number, { tolerance, sandbox }: VerifySettings): void {
  const advice = isSandboxAllowed(sandbox) ? { remedy: SANDBOX_CLOCK } : {};
  if (age > tolerance) {
    const cause = `The signature matches, but the timestamp is ${durationText(age)} old, and the tolerance is ${durationText(tolerance)}. Possible causes: a replay, a slow queue, a wrong clock here, or a service that does not sign repeats again.`;
    throw refusal('timestamp_too_old', { cause, ...advice });
  }
  if (-age > tolerance) {
    const cause = `The signature matches, but the timestamp is ${durationText(-age)} ahead of this machine's clock, and the tolerance is ${durationText(tolerance)}.`;
    throw refusal('timestamp_too_new', { cause, ...advice });
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
