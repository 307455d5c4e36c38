import { checkOptions, configurationFail, readCount, readWord } from '../../checks.ts';
import { ConfigurationError, isMerchantError } from '../../errors/classes.ts';
import { type EventNames, type PinnedNames, pinnedNames } from '../event/event-name.ts';
import { DiagnosisBudget } from './diagnosis-budget.ts';
import type { HmacKey } from './hmac.ts';
import { secretsFrom } from './secrets.ts';
import { SIGNATURE_ENCODINGS, type SignatureEncoding, TIMESTAMP_FORMATS, type TimestampFormat } from './signature.ts';

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
   * Where the payload carries the merchant's order id, the only place that is then looked at: a member's name, or a path
   * with dots (`order.id`). Default: names that can mean nothing else, such as `external_id` and `merchant_order_id`.
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly orderIdMember?: string | undefined;
  /**
   * Further names of the two events: `{ paid: 'payment.settled', canceled: ['payment.expired', 'payment.failed'] }`.
   * Default: `invoice.paid` and `invoice.canceled` in any spelling; any other name makes an event unknown.
   */
  readonly eventNames?: EventNames | undefined;
  /** Greatest size of the body in bytes; default 262,144. */
  readonly maxBodySize?: number | undefined;
}

/** Secrets and options, checked once. */
export interface VerifySettings {
  readonly secrets: readonly HmacKey[];
  readonly tolerance: number;
  readonly now: () => number;
  readonly encoding: SignatureEncoding | undefined;
  readonly timestampFormat: TimestampFormat | undefined;
  readonly orderIdMember: string | undefined;
  readonly eventNames: PinnedNames;
  readonly maxBodySize: number;
  /** How many more mismatches may be diagnosed. */
  readonly diagnoses: DiagnosisBudget;
}

/** The names of the options of `verifyWebhook`, which the handler has as well. */
export const VERIFY_OPTIONS = [
  'tolerance',
  'now',
  'encoding',
  'timestampFormat',
  'orderIdMember',
  'eventNames',
  'maxBodySize',
] as const satisfies readonly (keyof VerifyWebhookOptions)[];

/** Whose options are read. */
export interface OptionsOwner {
  readonly name: string;
  /** Every option that it has. */
  readonly known: ReadonlySet<string>;
  /** Default: a budget of its own, on the clock of the options. */
  readonly diagnoses?: DiagnosisBudget;
}

/**
 * Reads the options once.
 *
 * @throws ConfigurationError which names the option
 */
export function verifySettings(secret: unknown, options: VerifyWebhookOptions, owner: OptionsOwner): VerifySettings {
  try {
    return settingsFrom(secret, options, owner);
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('The secret or the options cannot be read.'); // a getter or a proxy that throws
  }
}

function settingsFrom(secret: unknown, options: VerifyWebhookOptions, owner: OptionsOwner): VerifySettings {
  const fail = configurationFail(owner.name);
  checkOptions('options', options, owner.known, fail);
  const { tolerance = DEFAULT_TOLERANCE, now, orderIdMember } = options;
  if (typeof tolerance !== 'number' || !(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE)) {
    throw new ConfigurationError(
      `tolerance must be ${MIN_TOLERANCE} to ${MAX_TOLERANCE} milliseconds: 30 seconds to 15 minutes.`,
    );
  }
  if (orderIdMember !== undefined && (typeof orderIdMember !== 'string' || orderIdMember.split('.').includes(''))) {
    throw new ConfigurationError(
      'orderIdMember must be the name of a payload member, or a path such as "order.id", or left out.',
    );
  }
  const clock = clockFrom(now);
  return {
    secrets: secretsFrom(secret),
    tolerance,
    now: clock,
    encoding: readWord('encoding', SIGNATURE_ENCODINGS, options.encoding, fail),
    timestampFormat: readWord('timestampFormat', TIMESTAMP_FORMATS, options.timestampFormat, fail),
    orderIdMember,
    eventNames: pinnedNames(options.eventNames),
    maxBodySize: readCount('maxBodySize', options.maxBodySize, { byDefault: DEFAULT_MAX_BODY_SIZE, min: 1 }, fail),
    diagnoses: owner.diagnoses ?? new DiagnosisBudget(clock),
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
