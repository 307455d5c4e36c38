import type { Verdict } from '../../webhooks/handle/verdict.ts';
import type { Settings } from '../options.ts';
import type { DeliveryFault } from '../service/faults.ts';
import type { SandboxAttempt } from '../wire-types.ts';
import { causeInAnswer } from './why-answer.ts';
import { causeOfBreak } from './why-connection.ts';

/** What is known of an attempt when it has ended. */
export type EndedAttempt = Omit<SandboxAttempt, 'why' | 'triggered_by' | 'created_at'>;

/** What is known of its circumstances. */
export interface Circumstances {
  readonly settings: Pick<Settings, 'dialect' | 'deliveryTimeout'>;
  /** 1 for the first. */
  readonly attempt: number;
  /** The timestamp sent minus the real time, milliseconds. */
  readonly skew: number;
}

/**
 * The cause of a refusal, and what to do, where what the sandbox sent and what came back can tell; else null. It claims
 * nothing that it cannot know: a bare 401 of a receiver that it does not know has no cause here.
 */
export function whyRefused(attempt: EndedAttempt, circumstances: Circumstances): string | null {
  const { fault, success, request, status_code } = attempt;
  if (request === null) return null; // nothing was sent, and `error` says why
  if (fault !== null && fault !== 'duplicate') return success ? ACCEPTED[fault] : spoilt(fault, status_code);
  if (success) return null;
  if (status_code === null) return causeOfBreak(attempt, circumstances.settings.deliveryTimeout);
  return fromSdk(attempt, circumstances) ?? causeInAnswer(attempt);
}

type Spoilt = Exclude<DeliveryFault['type'], 'duplicate'>;

const ACCEPTED: Readonly<Record<Spoilt, string>> = {
  wrong_signature:
    'It was signed with another secret on purpose and was accepted: this endpoint does not check the signature, so anybody can mark orders as paid.',
  late_timestamp:
    'Its timestamp was ten minutes or more off on purpose and was accepted: a recorded delivery can be played again. Refuse timestamps older than 5 minutes.',
  reserialized:
    'Its body was rewritten after signing on purpose and was accepted: the signature is not checked over the raw bytes.',
};

function spoilt(fault: Spoilt, status: number | null): string | null {
  if (status === null || status < 400 || status > 499) return null;
  return `Refused as it should be: the fault ${fault} spoilt this delivery on purpose.`;
}

const LOOK = '“Search for the cause” on its page of the dashboard tries to find out which.';
const REPORT = 'The onReport of your handler says which line to change.';

/** Status and meaning of the fixed words that the handler of merchant-invoicing/webhooks answers. */
const SDK_REPLIES: Readonly<Partial<Record<Verdict, readonly [status: number, meaning: string]>>> = {
  signature_mismatch: [
    401,
    `Your handler (merchant-invoicing/webhooks) has another secret, or was given a body that is not the raw one. ${LOOK}`,
  ],
  missing_header: [
    401,
    'Your handler misses one of X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp, and all three were sent: something on the way takes headers off.',
  ],
  malformed_signature: [
    400,
    'Your handler does not take the form of the signature: its option encoding differs from the sandbox’s signatureEncoding.',
  ],
  malformed_timestamp: [
    400,
    'Your handler does not take the form of the timestamp: its option timestampFormat differs from the sandbox’s timestampFormat.',
  ],
  duplicate_header: [400, 'Your handler saw a webhook header twice: something on the way adds headers.'],
  body_already_parsed: [400, `Your handler was given a parsed body instead of the raw bytes. ${REPORT}`],
  body_too_large: [413, 'The body is larger than the option maxBodySize of your handler.'],
  method_not_allowed: [
    405,
    'The delivery reached your handler with another method than POST: something on the way changed it.',
  ],
  unsupported_media_type: [
    415,
    'Your handler saw a compressed body, and none was sent: something on the way changed it.',
  ],
  malformed_payload: [
    500,
    'The signature holds, and your handler could not read the payload. Its onReport names the member; an order id under another name is pinned with orderIdMember.',
  ],
  unknown_payment: [
    500,
    'The signature holds, but your handler does not know the name of the event, and there is no onUnknown: pin the name with eventNames.',
  ],
  too_many_bodies: [503, 'Too many large bodies were being read by your process at that moment.'],
  handler_failed: [
    500,
    'The signature holds, and your own function threw. The onReport of your handler has the error.',
  ],
  setup: [500, `Your handler is wired wrongly: most often the body was parsed or read before. ${REPORT}`],
  store_failed: [503, 'The signature holds, and the store of your handler failed. Its onReport has the error.'],
  time_limit: [503, 'The signature holds, and your own function took longer than the time limit of your handler.'],
  duplicate_running: [409, 'An earlier delivery of the same event is still being handled: nothing to mend.'],
  lease_lost: [409, 'Your function outlived its lease, and another attempt took the event over.'],
};

function fromSdk(attempt: EndedAttempt, circumstances: Circumstances): string | null {
  const { status_code, response_body, response_headers } = attempt;
  if (!response_headers?.['content-type']?.startsWith('text/plain') || response_body === null) return null;
  if (status_code === 401 && /^timestamp_too_(?:old|new)$/.test(response_body)) return age(circumstances);
  const known = Object.hasOwn(SDK_REPLIES, response_body) ? SDK_REPLIES[response_body as Verdict] : undefined; // an own key of the table
  return known !== undefined && known[0] === status_code ? known[1] : null;
}

const MINUTE = 60_000;

function age({ settings, attempt, skew }: Circumstances): string {
  const off = Math.round(Math.abs(skew) / MINUTE);
  if (off === 0) {
    return 'The signature holds, and the timestamp was right by this machine’s clock: the clock of the receiver, or its tolerance, is off.';
  }
  const apart = `The timestamp was ${off} min ${skew < 0 ? 'behind' : 'ahead of'} the real time`;
  if (settings.dialect.timestampPer === 'delivery' && attempt > 1) {
    return `${apart}: the dialect timestampPer "delivery" repeats that of the first attempt.`;
  }
  return `${apart}: the option deliveryTimestamp "sandbox" stamps by the sandbox clock. Take "wall", or give your verifier the same clock.`;
}
