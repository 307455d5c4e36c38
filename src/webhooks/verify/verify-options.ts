import { checkOptions, configurationFail, readCount, readWord } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isMerchantError } from '../../errors/guards.ts';
import { parseClock, type TimeSource } from '../clock.ts';
import { type EventNames, type PinnedNames, parseEventNames } from '../event/pinned-names.ts';
import { DiagnosisBudget } from './diagnosis-budget.ts';
import type { HmacKey } from './hmac.ts';
import { parseSecrets } from './secrets.ts';
import { SIGNATURE_ENCODINGS, type SignatureEncoding } from './signature-header.ts';
import { TIMESTAMP_FORMATS, type TimestampFormat } from './timestamp.ts';

/** 5 minutes. The interface says "a few minutes". */
const DEFAULT_TOLERANCE = 300_000;
/** With a smaller tolerance ordinary clocks fail. */
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
  readonly now?: TimeSource | undefined;
  /** The only encoding to accept. @defaultValue both, distinguished by their exact form */
  readonly encoding?: SignatureEncoding | undefined;
  /** The only format to accept. @defaultValue all three, distinguished by their exact form */
  readonly timestampFormat?: TimestampFormat | undefined;
  /**
   * The member of the payload with the merchant's order id: a name, or a path with dots (`order.id`). No other member is
   * then read.
   *
   * @defaultValue names that can mean nothing else, such as `external_id` and `merchant_order_id`
   * @see [Payload members](../../../docs/service-interface.md#payload-members)
   */
  readonly orderIdMember?: string | undefined;
  /**
   * Further names of the events: `{ paid: 'payment.settled', canceled: ['payment.expired', 'payment.failed'] }`.
   *
   * @defaultValue `invoice.paid` and `invoice.canceled` in any spelling. Any other name makes an event unknown
   */
  readonly eventNames?: EventNames | undefined;
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
  readonly orderIdMember: string | undefined;
  readonly eventNames: PinnedNames;
  readonly maxBodySize: number;
  /** Limits how many mismatches are diagnosed. */
  readonly diagnoses: DiagnosisBudget;
}

/** The names of the options of `verifyWebhook`. The handler has them as well. */
export const VERIFY_OPTIONS = [
  'tolerance',
  'now',
  'encoding',
  'timestampFormat',
  'orderIdMember',
  'eventNames',
  'maxBodySize',
] as const satisfies readonly (keyof VerifyWebhookOptions)[];

/** The function whose options are checked. */
export interface OptionsOwner {
  readonly name: string;
  /** All options that it has. */
  readonly known: ReadonlySet<string>;
  /** @defaultValue a new budget on the clock of the options */
  readonly diagnoses?: DiagnosisBudget;
}

/**
 * Checks the secrets and the options once.
 *
 * @throws ConfigurationError which names the option
 */
export function parseVerifyOptions(
  secret: unknown,
  options: VerifyWebhookOptions,
  owner: OptionsOwner,
): VerifySettings {
  try {
    return parseOptions(secret, options, owner);
  } catch (error) {
    if (isMerchantError(error)) throw error;
    throw new ConfigurationError('The secret or the options cannot be read.'); // a getter or a proxy that throws
  }
}

function parseOptions(secret: unknown, options: VerifyWebhookOptions, owner: OptionsOwner): VerifySettings {
  const fail = configurationFail(owner.name);
  checkOptions('options', options, owner.known, fail);
  const { tolerance = DEFAULT_TOLERANCE, orderIdMember, encoding, timestampFormat, eventNames } = options;
  if (typeof tolerance !== 'number' || !(tolerance >= MIN_TOLERANCE && tolerance <= MAX_TOLERANCE)) {
    fail(`tolerance must be ${MIN_TOLERANCE} to ${MAX_TOLERANCE} milliseconds: 30 seconds to 15 minutes`);
  }
  if (orderIdMember !== undefined && (typeof orderIdMember !== 'string' || orderIdMember.split('.').includes(''))) {
    fail('orderIdMember must be the name of a payload member, or a path such as "order.id", or omitted');
  }
  const clock = parseClock(options.now);
  return {
    secrets: parseSecrets(secret),
    tolerance,
    now: clock,
    encoding: readWord('encoding', SIGNATURE_ENCODINGS, encoding, fail),
    timestampFormat: readWord('timestampFormat', TIMESTAMP_FORMATS, timestampFormat, fail),
    orderIdMember,
    eventNames: parseEventNames(eventNames),
    maxBodySize: readCount('maxBodySize', options.maxBodySize, { byDefault: DEFAULT_MAX_BODY_SIZE, min: 1 }, fail),
    diagnoses: owner.diagnoses ?? new DiagnosisBudget(clock),
  };
}
