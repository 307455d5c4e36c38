import type { Callback } from '../../errors/checks.ts';
import type { WebhookReason } from '../../errors/codes.ts';
import { notify } from '../../errors/notify.ts';
import { printable } from '../../errors/printable.ts';
import { parseTimestamp } from '../verify/signature.ts';
import { type HeaderValues, unsignedHeader } from '../verify/verify.ts';
import type { Ending, Verdict } from './verdict.ts';

// The report about a request, or about an event of `catchUp`: for `onReport`, otherwise for the console.

/**
 * Why a report is made. The reasons of {@link WebhookReason}, and:
 *
 * - `method_not_allowed`, `unsupported_media_type` (a compressed body), `aborted` (the sender closed the connection while
 *   sending): not a delivery.
 * - `weak_secret`: a secret has fewer than 16 bytes. Reported once, when the handler is created.
 * - `setup`: this endpoint is set up wrongly. `message` names the line to change.
 * - `duplicate`: a repeat of a completed event. Answered 200, not handled.
 * - `duplicate_differs`: a repeat of a completed event, with other amounts or another status. Answered 200: compare the
 *   two.
 * - `duplicate_running`: a repeat while the first delivery is being handled. Answered 409.
 * - `store_forgot`: the store had to drop records, so a late repeat can run again and `catchUp` refuses.
 *   Reported once.
 * - `taken_over`: an earlier attempt at this event did not end. The event is handled again now.
 * - `no_handler`: an unknown event, and no `onUnknown`. Answered 200.
 * - `unknown_payment`: an unknown event that may be about money (status `success`, or `credited_usdt`), and no
 *   `onUnknown`. Answered 500.
 * - `handler_failed`: your function threw `error`. Answered 500, and the service repeats.
 * - `failed_after_commit`: your function threw `error` after `context.commit` had committed. Answered 200: the event is
 *   done, and the rest of the function does not run again.
 * - `time_limit`: the delivery took longer than `timeout`. Answered 503. A function that has begun continues, and
 *   its claim is kept.
 * - `completed_late`: your function succeeded after the time limit. The repeat will find the event done.
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
  /** The status of the response, or null if the report is not about the response. */
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

/** What a report is about. */
export interface ReportSubject extends Pick<WebhookReport, 'deliveryId' | 'ageMs' | 'key' | 'external_id'> {
  /** A request without any header of a delivery. It is not from the service. */
  readonly isStranger: boolean;
}

/** What a report says about its subject. */
export interface ReportedFact extends Pick<WebhookReport, 'reason' | 'message' | 'error'> {
  readonly status?: number | null;
}

/** The part of the handler's settings that a report needs. */
export interface ReportSettings {
  readonly onReport: Callback<[report: WebhookReport]> | undefined;
  readonly verify: { readonly now: () => number };
}

/** The subject of a report about no request and no order. */
export const NO_SUBJECT: ReportSubject = {
  deliveryId: null,
  ageMs: null,
  key: null,
  external_id: null,
  isStranger: false,
};

const MAX_ID = 128;

/** Returns what is known of a request before its signature is verified. */
export function subjectOf(headers: HeaderValues, now: () => number): ReportSubject {
  const id = unsignedHeader(headers, 'x-webhook-id');
  return {
    ...NO_SUBJECT,
    deliveryId: id === null ? null : printable(id.slice(0, MAX_ID)),
    ageMs: ageOf(unsignedHeader(headers, 'x-webhook-timestamp'), now),
    isStranger:
      headers['x-webhook-id'] === undefined &&
      headers['x-webhook-signature'] === undefined &&
      headers['x-webhook-timestamp'] === undefined,
  };
}

function ageOf(timestamp: string | null, now: () => number): number | null {
  try {
    return timestamp === null ? null : now() - parseTimestamp(timestamp).getTime();
  } catch {
    return null;
  }
}

/** Calls `onReport`, or prints the report. Whatever these do, the delivery is not affected. */
export function report(settings: ReportSettings, subject: ReportSubject, fact: ReportedFact): void {
  const { reason, message, status = null, error } = fact;
  const { isStranger, ...about } = subject;
  // A message can quote what a stranger sent: unprintable characters in it could forge lines of a log, and hide words.
  const withoutError: WebhookReport = { reason, message: printable(message), status, ...about };
  const made: WebhookReport = error === undefined ? withoutError : { ...withoutError, error };
  const { onReport } = settings;
  notify(() => (onReport === undefined ? toConsole(made, isStranger, settings.verify.now) : onReport(made)));
}

/** Reports work that ended after the time limit had been reported. */
export function reportLate(
  settings: ReportSettings,
  subject: ReportSubject,
  { verdict, message, error }: Ending,
): void {
  if (verdict === 'done') {
    report(settings, subject, { reason: 'completed_late', message: 'Your function succeeded after the time limit.' });
  } else report(settings, subject, { reason: verdict, message, error });
}

// What is printed if a handler has no `onReport`. Each failure of a genuine event is printed, because an order waits
// until somebody repairs the cause. Of refused requests the first of each reason is printed with its usual causes, and
// then their number at intervals that double, so that a stranger cannot fill a log. No line about a refused request
// holds a byte of it.

/** The reasons that are printed each time: failures of genuine events, and what is reported only once. */
const EACH: ReadonlySet<WebhookReportReason> = new Set([
  ...(['handler_failed', 'failed_after_commit', 'lease_lost', 'store_failed'] as const),
  ...(['malformed_payload', 'unknown_payment', 'duplicate_differs'] as const),
  ...(['weak_secret', 'store_forgot', 'unknown_order', 'order_not_read'] as const),
]);

const RAW_BODY = 'the body was parsed and written again before it reached the handler (express.json(), a proxy)';
const FIND = 'Find out which with: npx merchant-invoicing webhooks verify';

/** The usual causes and the remedy, by reason. */
const CAUSES: Partial<Record<WebhookReportReason, string>> = {
  signature_mismatch: `Usual causes: another secret (compare it with the dashboard: sandbox and production differ), or ${RAW_BODY}.\n  ${FIND}`,
  timestamp_too_old:
    "Usual causes: this machine's clock is fast, a delivery was sent again from a log, or a queue in between is slow.\n  Compare the clock (date -u) with another machine's. The option tolerance is 5 minutes by default.",
  timestamp_too_new:
    "Usual cause: this machine's clock is slow.\n  Compare the clock (date -u) with another machine's, and let NTP set it.",
  missing_header:
    'Usual cause: a proxy or a gateway in between removes headers of the service.\n  Let it pass X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp unchanged.',
  duplicate_header:
    'Usual cause: a proxy in between adds headers of the service a second time.\n  Let it pass X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp unchanged.',
  malformed_signature:
    'Usual causes: a stranger, or the service signs in a form that this version does not read.\n  Report the form of X-Webhook-Signature, if it is from the service.',
  malformed_timestamp:
    'Usual causes: a stranger, or the service writes the time in a form that this version does not read.\n  Report the form of X-Webhook-Timestamp, if it is from the service.',
  sandbox_secret:
    'It is signed with the public secret whsec_sandbox. In production, use the secret of the dashboard.\n  For development, set MERCHANT_SANDBOX=1, or give the option sandbox: true.',
  body_too_large:
    'Usual cause: a stranger. Webhooks of the service have less than a kilobyte.\n  The option maxBodySize sets the limit.',
  unsupported_media_type:
    'The body is compressed, and the signature covers the bytes before compression.\n  Turn compression of requests off in the proxy in between.',
  aborted:
    'The sender closed the connection before its body was complete.\n  If it repeats, look at the proxy in between.',
  time_limit:
    'The sender did not send its whole body within the time limit.\n  If it repeats, look at the proxy in between.',
  method_not_allowed: 'Usual cause: a redirect in between turned POST into GET.\n  Give the service the final address.',
};
/** Reasons that are counted like those of refused requests, with a message that itself names the remedy. */
const COUNTED: ReadonlySet<WebhookReportReason> = new Set(['setup', 'body_already_parsed', 'no_handler']);

const STRANGER =
  'a request without any webhook header was refused: it is not from the service.\n  Usual causes: a health check, a browser or a scanner. This is printed once. If the service sent it, a proxy removes its headers.';

const FIRST_INTERVAL = 60_000;
const LONGEST_INTERVAL = 3_600_000;

/**
 * What was printed for each reason, and how many came since. Shared by all handlers, because they write to one console.
 */
const counts = new Map<string, { unprinted: number; interval: number; printedAt: number }>();

/** Writes one report to the console, if it is one that must be seen. */
function toConsole(report: WebhookReport, isStranger: boolean, now: () => number): void {
  const { reason, message, key, external_id, status, error } = report;
  const order = external_id === null ? '' : ` of order ${printable(external_id)}`;
  if (EACH.has(reason) || (reason === 'time_limit' && (key ?? external_id) !== null)) {
    print(`webhook${order}: ${reason}: ${message}`, error);
    return;
  }
  const text = COUNTED.has(reason) ? message : CAUSES[reason];
  if (text === undefined) return; // repeats and takeovers are normal
  const isStrange = isStranger && !COUNTED.has(reason); // an endpoint that is set up wrongly may see no header
  const unprinted = countOf(isStrange ? 'stranger' : reason, now());
  const ended = status === 200 ? 'acknowledged' : `refused, ${status}`;
  if (unprinted === 0) print(isStrange ? STRANGER : `webhook ${ended} ${reason}. ${text}`, error);
  else if (unprinted > 0 && !isStrange)
    print(`${unprinted} more webhooks ${ended} ${reason}. ${text.split('\n')[0]}`, error);
}

/**
 * Counts a report. Returns 0 for the first of its reason, the number since the last line if a line is due, otherwise
 * -1.
 */
function countOf(reason: string, now: number): number {
  const entry = counts.get(reason);
  if (entry === undefined) {
    counts.set(reason, { unprinted: 0, interval: FIRST_INTERVAL, printedAt: now });
    return 0;
  }
  entry.unprinted += 1;
  if (now - entry.printedAt < entry.interval) return -1;
  const { unprinted } = entry;
  entry.unprinted = 0;
  entry.printedAt = now;
  entry.interval = Math.min(2 * entry.interval, LONGEST_INTERVAL);
  return unprinted;
}

/** Forgets what was printed, for tests. @internal */
export function forgetPrinted(): void {
  counts.clear();
}

function print(line: string, error: unknown): void {
  if (error === undefined) console.error(`merchant-invoicing: ${line}`);
  else console.error(`merchant-invoicing: ${line}`, error);
}
