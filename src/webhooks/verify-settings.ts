import { ConfigurationError, isMerchantError } from '../errors.ts';
import { secretsFrom } from './secrets.ts';
import {
  oneOf,
  SIGNATURE_ENCODINGS,
  type SignatureEncoding,
  TIMESTAMP_FORMATS,
  type TimestampFormat,
} from './signature.ts';

/** How old, or how far ahead, a timestamp may be: 5 minutes. "A few minutes" says the interface. */
export const DEFAULT_TOLERANCE = 300_000;
/** Narrower than this, ordinary clocks fail. */
export const MIN_TOLERANCE = 30_000;
/** Wider than this, a recorded delivery can be replayed at leisure. */
export const MAX_TOLERANCE = 900_000;
/** 256 KiB; a delivery of the service has less than one. */
export const DEFAULT_MAX_BODY_SIZE = 262_144;

/** How a delivery is verified. */
export interface VerifyWebhookOptions {
  /** Greatest age, and greatest lead, of the timestamp in milliseconds: 30,000 to 900,000; default 300,000. */
  readonly tolerance?: number | undefined;
  /** The time to compare with: a Date, milliseconds since 1970, or a function that gives one. Default the clock. */
  readonly now?: Date | number | (() => Date | number) | undefined;
  /** Accept this encoding only. Default: both, told apart by their exact form. */
  readonly encoding?: SignatureEncoding | undefined;
  /** Accept this format only. Default: all three, told apart by their exact form. */
  readonly timestampFormat?: TimestampFormat | undefined;
  /**
   * Name of the payload member that carries the merchant's order id, the only one that is then looked for. Default: its
   * plausible names, the most telling first. @see service interface, "Payload members"
   */
  readonly orderIdMember?: string | undefined;
  /** Greatest size of the body in bytes; default 262,144. */
  readonly maxBodySize?: number | undefined;
}

/** Secrets and options, checked once. */
export interface VerifySettings {
  readonly secrets: readonly string[];
  readonly tolerance: number;
  readonly now: () => number;
  readonly encoding: SignatureEncoding | undefined;
  readonly timestampFormat: TimestampFormat | undefined;
  readonly orderIdMember: string | undefined;
  readonly maxBodySize: number;
}

/** @throws ConfigurationError which names the option */
export function verifySettings(secret: unknown, options: VerifyWebhookOptions): VerifySettings {
  try {
    return settingsFrom(secret, options);
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('The secret or the options cannot be read.'); // a getter or a proxy that throws
  }
}

function settingsFrom(secret: unknown, options: VerifyWebhookOptions): VerifySettings {
  if (typeof options !== 'object' || options === null) throw new ConfigurationError('The options must be an object.');
  const { tolerance = DEFAULT_TOLERANCE, now, orderIdMember, maxBodySize = DEFAULT_MAX_BODY_SIZE } = options;
  if (typeof tolerance !== 'number' || !(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE)) {
    throw new ConfigurationError(
      `tolerance must be ${MIN_TOLERANCE} to ${MAX_TOLERANCE} milliseconds: 30 seconds to 15 minutes.`,
    );
  }
  if (!Number.isSafeInteger(maxBodySize) || maxBodySize < 1) {
    throw new ConfigurationError('maxBodySize must be a whole number of bytes, at least 1.');
  }
  if (orderIdMember !== undefined && (typeof orderIdMember !== 'string' || orderIdMember === '')) {
    throw new ConfigurationError('orderIdMember must be the name of a payload member, or left out.');
  }
  return {
    secrets: secretsFrom(secret),
    tolerance,
    now: clockFrom(now),
    encoding: oneOf('encoding', SIGNATURE_ENCODINGS, options.encoding),
    timestampFormat: oneOf('timestampFormat', TIMESTAMP_FORMATS, options.timestampFormat),
    orderIdMember,
    maxBodySize,
  };
}

/** The clock as a function that gives finite milliseconds, or throws: with NaN no timestamp would ever be too old. */
export function clockFrom(now: VerifyWebhookOptions['now']): () => number {
  if (now === undefined) return () => Date.now();
  if (typeof now === 'function') return () => finite(now());
  const fixed = finite(now);
  return () => fixed;
}

function finite(time: unknown): number {
  const ms = typeof time === 'number' ? time : time instanceof Date ? time.getTime() : Number.NaN;
  if (!Number.isFinite(ms)) {
    throw new ConfigurationError('now must be a Date, milliseconds since 1970, or a function that gives one of them.');
  }
  return ms;
}
