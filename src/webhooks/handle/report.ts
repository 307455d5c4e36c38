import type { Callback } from '../../checks.ts';
import type { WebhookReason } from '../../errors/codes.ts';
import { notify } from '../../notify.ts';
import { printable } from '../../printable.ts';
import type { InvoiceEvent } from '../event/event-types.ts';
import { parseTimestamp } from '../verify/signature.ts';
import { type HeaderValues, unsignedHeader } from '../verify/verify.ts';
import type { Ending, Verdict } from './verdict.ts';

// What the merchant is told of a request, or of an event: to `onReport`, or to the console.

/**
 * Why a report is made. The ten reasons of {@link WebhookReason}, and:
 *
 * - `method_not_allowed`, `unsupported_media_type` (a compressed body), `aborted` (the sender closed the connection while
 *   sending): not a delivery.
 * - `weak_secret`: a secret has fewer than 16 bytes. Reported once, when the handler is created.
 * - `setup`: this endpoint is set up wrongly. `message` names the line to change.
 * - `duplicate`: a repeat of a completed event. Answered 200, not handled.
 * - `duplicate_differs`: the same, but with other amounts or another status: compare the two.
 * - `duplicate_running`: a repeat while the first delivery is being handled. Answered 409.
 * - `store_forgot`: the store had to drop completed records, so a late repeat can run again and `catchUp` refuses. Once.
 * - `taken_over`: an earlier attempt at this event did not end. The event is handled again now.
 * - `no_handler`: an unknown event, and no `onUnknown`. Answered 200.
 * - `unknown_payment`: the same, but it may be about money (status `success`, or `credited_usdt`). Answered 500.
 * - `handler_failed`: your function threw `error`. Answered 500, and the service repeats.
 * - `failed_after_commit`: your function threw `error` after `context.commit` had committed. Answered 200: the event is
 *   done, and the rest of the function does not run again.
 * - `time_limit`: your function took longer than `timeout`. Answered 503. It continues, and its claim is kept.
 * - `completed_late`: the function succeeded after that. The repeat will find the event done.
 * - `store_failed`: the store rejected with `error`. Answered 503.
 * - `lease_lost`: your function outlived its lease, and another attempt took the event over.
 * - `unknown_order`: `catchUp` asked for an order that the service does not know, or whose id it does not accept.
 * - `order_not_read`: `catchUp` could not read the invoice of an order. `error` says why.
 */
export type WebhookReportReason =
  | Exclude<Verdict, 'done'>
  | 'weak_secret'
  | 'store_forgot'
  | 'taken_over'
  | 'completed_late'
  | 'unknown_order'
  | 'order_not_read';

/** A report about one request. It contains no body and no secret. */
export interface WebhookReport {
  /** What happened. The text of {@link WebhookReportReason} says what each word means. */
  readonly reason: WebhookReportReason;
  /** The problem and the remedy, for a log line. */
  readonly message: string;
  /** The status of the answer, or null if the report is not about the answer. */
  readonly status: number | null;
  /**
   * X-Webhook-Id as sent, cut at 128 characters, with unprintable characters escaped. It is not signed, so anybody may
   * have written it. Null if it is absent.
   */
  readonly deliveryId: string | null;
  /**
   * The current time minus the delivery's timestamp, in milliseconds, or null if the timestamp cannot be read. A great age
   * shows that the service does not renew the timestamp of a repeat.
   */
  readonly ageMs: number | null;
  /** The dedupe key, or null before the delivery is known to be genuine. */
  readonly key: string | null;
  /**
   * The merchant's order id, or null before the delivery is known to be genuine, and if the event has none. Of an order that
   * `catchUp` could not read: the id that it was given.
   */
  readonly external_id: string | null;
  /** The error of your function or the store, unchanged. Log it: its stack shows the line. */
  readonly error?: unknown;
}

// Without `onReport` these go to the console: an order waits until somebody repairs the cause. Refused strangers do not.
const FAILURES: ReadonlySet<WebhookReportReason> = new Set([
  ...(['handler_failed', 'failed_after_commit', 'lease_lost', 'store_failed'] as const),
  ...(['malformed_payload', 'unknown_payment', 'duplicate_differs'] as const),
  ...(['setup', 'body_already_parsed', 'weak_secret', 'store_forgot'] as const),
  ...(['unknown_order', 'order_not_read'] as const),
]);

/** The unsigned facts of a delivery that a report shows. */
interface Received {
  readonly headers: HeaderValues;
  readonly now: () => number;
}

const MAX_ID = 128;

/** Makes the reports about one request, or one invoice. Whatever `onReport` does, the delivery is not affected. */
export class Reporter {
  readonly #onReport: Callback<[report: WebhookReport]> | undefined;
  /** The dedupe key, once it is known. */
  key: string | null = null;
  /** The event, once the delivery is known to be genuine. */
  event: InvoiceEvent | null = null;
  received: Received | null = null;
  /** The order that is asked for, while no event is known. */
  order: string | null = null;

  constructor(onReport: Callback<[report: WebhookReport]> | undefined) {
    this.#onReport = onReport;
  }

  report(reason: WebhookReportReason, message: string, status: number | null = null, error?: unknown): void {
    const id = this.received === null ? null : unsignedHeader(this.received.headers, 'x-webhook-id');
    const report: WebhookReport = {
      reason,
      // A message can quote what was sent. In a log, control and direction marks would forge lines and hide words.
      message: printable(message),
      status,
      deliveryId: id === null ? null : printable(id.slice(0, MAX_ID)),
      ageMs: this.received === null ? null : ageOf(this.received),
      key: this.key,
      external_id: this.event === null ? this.order : this.event.external_id,
      ...(error === undefined ? {} : { error }),
    };
    const onReport = this.#onReport;
    if (onReport !== undefined) notify(() => onReport(report));
    else if (FAILURES.has(reason) || (reason === 'time_limit' && this.event !== null)) toConsole(report);
  }

  /** Reports work that ended after the time limit had been reported. */
  reportLate({ verdict, message, error }: Ending): void {
    if (verdict === 'done') this.report('completed_late', 'Your function succeeded after the time limit.');
    else this.report(verdict, message, null, error);
  }
}

function ageOf({ headers, now }: Received): number | null {
  const timestamp = unsignedHeader(headers, 'x-webhook-timestamp');
  try {
    return timestamp === null ? null : now() - parseTimestamp(timestamp).getTime();
  } catch {
    return null;
  }
}

/** One line, then the error with its stack. */
function toConsole({ reason, message, external_id, error }: WebhookReport): void {
  const order = external_id === null ? '' : ` of order ${printable(external_id)}`;
  const line = `merchant-invoicing: webhook${order}: ${reason}: ${message}`;
  if (error === undefined) console.error(line);
  else console.error(line, error);
}
