import { WebhookVerificationError } from '../errors/classes.ts';
import type { WebhookReason } from '../errors/codes.ts';

// How a request, an event of `catchUp` or a report can end: one row for each reason. Response, report, console,
// `webhooks verify`, `webhooks check`, `order` and the sandbox take status and words from here.

/** What is known of a reason. */
interface ReasonRow {
  /** The status of the response. Never 2xx while work is left. Null: the report is not about a response. */
  readonly status: number | null;
  /** Whether the service should send the delivery again, because a later attempt can do what this one did not. */
  readonly again: boolean;
  /**
   * What the console prints without `onReport`. `each`: every one, because an order waits until somebody repairs the
   * cause. `counted`: the first, then their number, so that a stranger cannot fill a log. `never`: it is normal.
   */
  readonly console: 'each' | 'counted' | 'never';
  /** What is wrong, as a sentence that is true without knowledge of the request. */
  readonly cause: string;
  /** What to do. Null if there is nothing to do. */
  readonly remedy: string | null;
}

/** The work is done, or there is none. */
const done = (cause: string, remedy: string | null = null, console: ReasonRow['console'] = 'never') =>
  ({ status: 200, again: false, console, cause, remedy }) as const;
/** The request is not a delivery, or was changed on its way. A stranger can cause it, so it is counted. */
const refused = <Status extends number>(status: Status, cause: string, remedy: string, again = true) =>
  ({ status, again, console: 'counted', cause, remedy }) as const;
/** The delivery is genuine, and not done. */
const failed = <Status extends number>(status: Status, cause: string, remedy: string | null) =>
  ({ status, again: true, console: remedy === null ? 'never' : 'each', cause, remedy }) as const;
/** A report beside a response, or without one. */
const noted = (cause: string, remedy: string | null = null) =>
  ({ status: null, again: false, console: remedy === null ? 'never' : 'each', cause, remedy }) as const;

const LET_PASS =
  'A proxy before the receiver must pass on X-Webhook-Id, X-Webhook-Signature and X-Webhook-Timestamp unchanged.';
const CLOCK =
  'Compare the clock of the receiver (date -u) with another one, and let NTP set it. The option tolerance is 5 minutes by default.';

/** What to do about an age where a sandbox may be the sender: its clock is known. */
export const SANDBOX_CLOCK = `A sandbox stamps its webhooks by the clock of the machine, which advance() does not move. If the handler has an option now, leave it out; in a storm it is service.now. ${CLOCK}`;

const ROWS = {
  done: done('The event was handled.'),
  duplicate: done(
    'The event was handled before, by this handler or another one over the same store. Nothing was done.',
  ),
  duplicate_differs: done(
    'The event was handled before, with other amounts or another status. Nothing was done.',
    'Compare the invoice with your books.',
    'each',
  ),
  no_handler: done('An unknown event was acknowledged, because there is no onUnknown.', null, 'counted'),
  failed_after_commit: done(
    'Your function failed after its commit. The event is done, and the rest of the function does not run again.',
    'Do the rest of this event by hand, and correct the error.',
    'each',
  ),
  method_not_allowed: refused(
    405,
    'The request is not a POST. A redirect on the way turned POST into GET, or the request is not from the service.',
    'Give the service the final address.',
    false,
  ),
  unsupported_media_type: refused(
    415,
    'The body is compressed (Content-Encoding), and the signature covers the bytes before compression.',
    'Turn off the compression of requests in the proxy before the receiver.',
    false,
  ),
  body_too_large: refused(
    413,
    'The body is larger than the limit. Webhooks of the service have about a kilobyte.',
    'The option maxBodySize sets the limit.',
    false,
  ),
  aborted: refused(
    400,
    'The sender closed the connection before its body was complete.',
    'If this repeats, look at the proxy before the receiver.',
  ),
  missing_header: refused(
    401,
    'The endpoint did not get the three headers that every delivery has, or the request is not from the service.',
    LET_PASS,
  ),
  duplicate_header: refused(400, 'A header of the delivery came more than once, so no value can be trusted.', LET_PASS),
  malformed_signature: refused(
    400,
    'The signature has a form that the receiver does not read, or the request is not from the service.',
    'Leave out the option encoding, or set the encoding of the sender.',
  ),
  malformed_timestamp: refused(
    400,
    'The timestamp has a form that the receiver does not read, or the request is not from the service.',
    'Leave out the option timestampFormat, or set the format of the sender.',
  ),
  body_already_parsed: refused(
    400,
    'The body was parsed before it reached the receiver, and the signature covers the raw bytes.',
    'Give the receiver the raw bytes.',
  ),
  signature_mismatch: refused(
    401,
    'The signature does not match. The receiver has another secret, or something changed the body on its way.',
    'Compare the secret with the dashboard: sandbox and production differ. "npx merchant-invoicing webhooks verify" names the cause.',
  ),
  sandbox_secret: refused(
    401,
    'The delivery is signed with whsec_sandbox, the public secret of the sandbox, which everybody knows.',
    'In production, use the secret of the dashboard. For development, set MERCHANT_SANDBOX=1, or give the option sandbox: true.',
  ),
  timestamp_too_old: refused(
    401,
    'The signature matches, but the timestamp is too old. The clock is fast, a queue was slow, or a recorded delivery was sent again.',
    CLOCK,
  ),
  timestamp_too_new: refused(
    401,
    'The signature matches, but the timestamp is ahead of the clock of the receiver.',
    CLOCK,
  ),
  malformed_payload: failed(
    500,
    'The signature matches, but the payload is not as the interface says.',
    'The report names the member. If the service has it under another name, set the option orderIdMember or adjustedMember.',
  ),
  key_of_another_order: failed(
    500,
    'The store has an event of another order under the same invoice. Your function did not run.',
    'Two sandboxes with one seed, or two businesses, share one store. Empty the table of a sandbox, or give the store of each business a namespace.',
  ),
  unknown_payment: failed(
    500,
    'An unknown event may be about money, and there is no onUnknown.',
    'If the event is an ordinary payment, set eventMember to the member that names it, or to null: then the status decides. For other events, give onUnknown.',
  ),
  handler_failed: failed(
    500,
    'Your function threw.',
    'Correct the error, which the report and the console of the receiver show. What the function wrote outside of context.tx or commit stays, and the repeat writes it again. If the order was already booked, return instead of throwing.',
  ),
  setup: refused(
    500,
    'The endpoint is set up wrongly.',
    'The report and the console of the receiver name the line to change.',
  ),
  store_failed: failed(
    503,
    'The signature matches, and the store failed. Whether the event is done is not known.',
    'The report and the console of the receiver show the error of the database.',
  ),
  time_limit: failed(
    503,
    'The delivery took longer than the time limit of the receiver. The function continues if it has begun.',
    'Give long work to a queue. Write the job in the transaction of the store, and answer after the commit.',
  ),
  duplicate_running: failed(
    409,
    'Another attempt is handling the same event. If its process has died, the event is free at once with PostgreSQL. With another store, the event is free 50 seconds later.',
    null,
  ),
  lease_lost: failed(
    409,
    'Your function ran longer than its lease, and another attempt took the event over.',
    'Give long work to a queue.',
  ),
  weak_secret: noted(
    'A webhook secret has fewer than 16 bytes, and could be guessed.',
    'Use the secret of the dashboard, or create a longer one there.',
  ),
  taken_over: noted('An earlier attempt at this event did not end. The event is handled again now.'),
  completed_late: noted('Your function succeeded after the time limit. The repeat finds the event done.'),
  unknown_order: noted(
    'The service knows no invoice of this order.',
    'Check that the id is right, and belongs to this business.',
  ),
  order_not_read: noted(
    'The invoice of this order could not be read.',
    'The next run tries again. If the service refuses the id, pass the uuid of the invoice.',
  ),
} satisfies Readonly<Record<string, ReasonRow> & Record<WebhookReason, ReasonRow>>;

/** The rows by reason. */
export const REASONS: Readonly<Record<keyof typeof ROWS, ReasonRow>> = ROWS;

/** How the handling of a request, or of an event, ended. */
export type Verdict = {
  readonly [Reason in keyof typeof ROWS]: (typeof ROWS)[Reason]['status'] extends null ? never : Reason;
}[keyof typeof ROWS];

/**
 * Why a report is made: why a delivery was refused, how an event ended, or what was noticed beside it. `message` says
 * what each means and what to do.
 *
 * @see [Reports](../../docs/receive-webhooks.md#reports)
 */
export type WebhookReportReason = Exclude<keyof typeof ROWS, 'done'>;

/** A fact about one case, in place of the general words of its row. */
export interface Fact {
  /** As a sentence. */
  readonly cause?: string;
  readonly remedy?: string | null;
}

/** A reason as text for people: what is wrong, then what to do. */
export function reasonText(reason: keyof typeof ROWS, { cause, remedy }: Fact = {}): string {
  const row = REASONS[reason];
  const advice = remedy === undefined ? row.remedy : remedy;
  return advice === null ? (cause ?? row.cause) : `${cause ?? row.cause} ${advice}`;
}

/** The error of a delivery that is refused. */
export function refusal(reason: WebhookReason, fact?: Fact): WebhookVerificationError {
  return new WebhookVerificationError(reason, reasonText(reason, fact));
}
