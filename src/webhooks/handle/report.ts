import type { Callback } from '../../errors/checks.ts';
import { notify } from '../../errors/notify.ts';
import { printable } from '../../errors/printable.ts';
import { type Fact, REASONS, reasonText, type WebhookReportReason } from '../reasons.ts';
import { type HeaderValues, unsignedHeader } from '../verify/headers.ts';
import { parseTimestamp } from '../verify/signature.ts';
import type { Ending } from './reply.ts';

// The report about a request, or about an event of `catchUp`: for `onReport`, otherwise for the console.

/** A report about one request. It contains no body and no secret. */
export interface WebhookReport {
  /** What happened. */
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
   * The current time minus the delivery's timestamp, in milliseconds, or null if the timestamp cannot be read. A great
   * age shows that the service does not sign repeats again.
   */
  readonly ageMs: number | null;
  /** The dedupe key, or null before the delivery is known to be genuine. */
  readonly key: string | null;
  /**
   * The external_id of the invoice, or null before the delivery is known to be genuine, and if the event has none. Of an
   * order that `catchUp` could not read: the id that it was given.
   */
  readonly external_id: string | null;
  /** The id of the order, or null where it is not known. */
  readonly order: string | null;
  /** The error of your function or the store, unchanged. Log it: its stack shows the line. */
  readonly error?: unknown;
}

/** What a report is about. */
export interface ReportSubject extends Pick<WebhookReport, 'deliveryId' | 'ageMs' | 'key' | 'external_id' | 'order'> {
  /** A request without any header of a delivery. It is not from the service. */
  readonly isStranger: boolean;
}

/** What a report says about its subject. Cause and remedy default to those of the reason. */
export interface ReportedFact extends Fact, Pick<WebhookReport, 'reason' | 'error'> {
  /** The whole text, if it was written before. */
  readonly message?: string | undefined;
  /** The cause was found, so the console prints it in place of the usual ones. */
  readonly isCauseKnown?: boolean | undefined;
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
  order: null,
  isStranger: false,
};

const MAX_ID = 128;

/** What is known of a request before its signature is verified. */
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
  const { reason, status = null, error } = fact;
  const { isStranger, ...about } = subject;
  // A message can quote what a stranger sent: unprintable characters in it could forge lines of a log, and hide words.
  const message = printable(fact.message ?? reasonText(reason, fact));
  const made: WebhookReport = { reason, message, status, ...about, ...(error !== undefined && { error }) };
  const { onReport } = settings;
  notify(() =>
    onReport === undefined ? toConsole(made, isStranger, settings.verify.now, fact.isCauseKnown) : onReport(made),
  );
}

/** Reports work that ended after the time limit had been reported. */
export function reportLate(settings: ReportSettings, subject: ReportSubject, late: Ending): void {
  const { verdict, ...fact } = late;
  report(settings, subject, { reason: verdict === 'done' ? 'completed_late' : verdict, ...fact });
}

// What is printed if a handler has no `onReport`. Each failure of a genuine event is printed, because an order waits
// until somebody repairs the cause. Of refused requests the first of each reason is printed with its usual causes, and
// then their number at intervals that double, so that a stranger cannot fill a log. No line about a refused request
// holds a byte of it.

/** Reasons that are counted, and whose message itself names the line to change. It holds nothing of the request. */
const OWN_WORDS: ReadonlySet<WebhookReportReason> = new Set(['setup', 'body_already_parsed', 'no_handler']);

const STRANGER =
  'a request without any webhook header was refused: it is not from the service.\n  Usual causes: a health check, a browser or a scanner. In a test: signWebhook(…) was not awaited. If the service sent it, a proxy removes the headers. This is printed once.';

const FIRST_INTERVAL = 60_000;
const LONGEST_INTERVAL = 3_600_000;

/**
 * What was printed for each reason, and how many came since. Shared by all handlers, because they write to one console.
 */
const counts = new Map<string, { unprinted: number; interval: number; printedAt: number }>();

/** Writes one report to the console, if it is one that must be seen. */
function toConsole(report: WebhookReport, isStranger: boolean, now: () => number, isCauseKnown = false): void {
  const { reason, message, key, external_id, status, error } = report;
  const row = REASONS[reason];
  if (row.console === 'never') return; // repeats and takeovers are normal
  const isOfEvent = (key ?? external_id) !== null || row.status === null;
  // The time limit also ends requests of strangers who do not send their whole body.
  if (row.console === 'each' && (isOfEvent || reason !== 'time_limit')) {
    const order = external_id === null ? '' : ` of order ${printable(external_id)}`;
    const again = row.again && status !== null ? ` The handler answers ${status}, and the service tries again.` : '';
    print(`webhook${order}: ${reason}: ${message}${again}`, error);
    return;
  }
  const isStrange = isStranger && !OWN_WORDS.has(reason); // an endpoint that is set up wrongly may see no header
  const unprinted = countOf(isStrange ? 'stranger' : reason, timeOf(now));
  const [cause, remedy] = isCauseKnown || OWN_WORDS.has(reason) ? [message] : [row.cause, row.remedy];
  const ended = status === 200 ? 'acknowledged' : `refused, ${status}`;
  if (unprinted === 0)
    print(isStrange ? STRANGER : `webhook ${ended} ${reason}. ${[cause, remedy].filter(Boolean).join('\n  ')}`, error);
  else if (unprinted > 0 && !isStrange) print(`${unprinted} more webhooks ${ended} ${reason}. ${cause}`, error);
}

/** The time of the handler. Its clock may be what the report is about. */
function timeOf(now: () => number): number {
  try {
    return now();
  } catch {
    return Date.now();
  }
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
  console.error(`merchant-invoicing: ${line}`, ...(error === undefined ? [] : [error]));
}
