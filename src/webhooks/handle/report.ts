import { notify } from '../../callbacks.ts';
import type { WebhookReason } from '../../errors/codes.ts';
import { printable } from '../../printable.ts';
import { type HeaderValues, unsignedHeader } from '../verify/delivery-headers.ts';
import { timeFrom } from '../verify/timestamp-form.ts';

/**
 * Why a report is made. The ten reasons of {@link WebhookReason}, and:
 *
 * - `method_not_allowed`, `unsupported_media_type` (a compressed body), `aborted` (the sender hung up while sending): not
 *   a delivery.
 * - `too_many_bodies`: too many large bodies are being read at the same time; answered 503.
 * - `weak_secret`: a secret has under 16 bytes; reported once, when the handler is made.
 * - `setup`: this endpoint is wired wrongly; `message` names the line to change.
 * - `duplicate`: a repeat of a completed event; answered 200, not handled.
 * - `duplicate_differs`: the same, but with other amounts or another status: look at it.
 * - `duplicate_running`: a repeat while the first one runs; answered 409.
 * - `store_forgot`: the store had to drop completed records, so a late repeat can run again and `catchUp` refuses. Once.
 * - `taken_over`: an earlier attempt at this event died or stalled; it is handled again now.
 * - `no_handler`: an unknown event, and no `onUnknown`; answered 200.
 * - `unknown_payment`: the same, but it may be about money (status `success`, or `credited_usdt`); answered 500.
 * - `handler_failed`: your function threw; `error` is what it threw. Answered 500, and the service repeats.
 * - `failed_after_commit`: your function threw after `context.commit` was kept; `error` is what it threw. Answered 200:
 *   the event is done, and the rest of the function will not be repeated.
 * - `time_limit`: your function took longer than `timeout`; answered 503. It goes on, and its claim is kept.
 * - `completed_late`: it succeeded after that; the repeat will find the event done.
 * - `store_failed`: the store rejected; `error` is why. Answered 503.
 * - `lease_lost`: your function outlived its lease and another attempt took the event over.
 */
export type WebhookReportReason =
  | WebhookReason
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'aborted'
  | 'too_many_bodies'
  | 'weak_secret'
  | 'setup'
  | 'duplicate'
  | 'duplicate_differs'
  | 'duplicate_running'
  | 'store_forgot'
  | 'taken_over'
  | 'no_handler'
  | 'unknown_payment'
  | 'handler_failed'
  | 'failed_after_commit'
  | 'time_limit'
  | 'completed_late'
  | 'store_failed'
  | 'lease_lost';

/** One finding about one request. Holds no body and no secret. */
export interface WebhookReport {
  readonly reason: WebhookReportReason;
  /** What is the matter, for a log line. */
  readonly message: string;
  /** The status answered for it; null where the finding does not decide the answer. */
  readonly status: number | null;
  /**
   * X-Webhook-Id as sent, cut at 128 characters and with what cannot be printed escaped; not signed, so a stranger may
   * have written it. Null when absent.
   */
  readonly deliveryId: string | null;
  /** Now minus the delivery's timestamp, in milliseconds; null when it cannot be read. Shows repeats that are not stamped anew. */
  readonly ageMs: number | null;
  /** The dedupe key, once the delivery is proven genuine; else null. */
  readonly key: string | null;
  /** What your function or the store threw, as it is. */
  readonly error?: unknown;
}

/** What every report of one request has in common. */
export interface RequestFacts {
  readonly deliveryId: string | null;
  readonly ageMs: number | null;
}

const MAX_ID = 128;

/** What the unsigned headers say. Never throws: it is for reports on requests of any kind. */
export function requestFacts(headers: HeaderValues | null, now: () => number): RequestFacts {
  if (headers === null) return { deliveryId: null, ageMs: null };
  const id = unsignedHeader(headers, 'x-webhook-id');
  const deliveryId = id === null ? null : printable(id.slice(0, MAX_ID));
  const timestamp = unsignedHeader(headers, 'x-webhook-timestamp');
  try {
    return { deliveryId, ageMs: timestamp === null ? null : now() - timeFrom(timestamp, undefined).getTime() };
  } catch {
    return { deliveryId, ageMs: null };
  }
}

/** Hands a report to the merchant's function, which cannot affect the delivery. */
export function tell(onReport: ((report: WebhookReport) => unknown) | undefined, report: WebhookReport): void {
  // Messages can quote what a stranger sent: control and direction characters would forge lines of a log.
  if (onReport !== undefined) notify(() => onReport({ ...report, message: printable(report.message) }));
}
