import type { WireRecord } from '../contract/endpoint.ts';
import type { Invoice } from '../contract/types.ts';

/** When a call began, on each of its clocks, and how long ago that is. Milliseconds. */
export interface CallAge {
  /** Wall clock, when the call began. */
  readonly startedOn: number;
  /** Time until the answer's headers came, on the monotonic clock, which stands still while a machine sleeps. */
  readonly elapsed: number;
  /** Time passed on the wall clock, which may have been set meanwhile. */
  readonly elapsedOnWall: number;
}

/**
 * Who made an invoice that a repeated creation met. `own`: this call, by all that can be seen. `older`: it was there
 * before the call. `unclear`: neither is certain.
 */
export type InvoiceOrigin = 'own' | 'older' | 'unclear';

/** Servers round their Date and their created_at to seconds, and their own clocks differ a little. */
const OWN_MARGIN = 3_000;
/** An order that exists must not be declared foreign by a clock that is slightly off. */
const OLDER_MARGIN = 5_000;
/** Where the service does not tell its time, ours may be wrong by a time zone. */
const UNKNOWN_CLOCK_MARGIN = 24 * 60 * 60_000;

/**
 * Judged on the service's clock: the Date header of the answer that carried the invoice, less the time since the call
 * began. Only an invoice that is still pending can be `own`: this call's caller has not seen its payment link yet.
 */
export function originOf(invoice: Invoice, sent: WireRecord, headers: Headers, age: CallAge): InvoiceOrigin {
  const createdAt = invoice.created_at.getTime();
  const serviceTime = timeOf(headers);
  const began = serviceTime === null ? age.startedOn : serviceTime - age.elapsed;
  const beganAtEarliest = serviceTime === null ? began : serviceTime - Math.max(age.elapsed, age.elapsedOnWall);
  const margin = serviceTime === null ? UNKNOWN_CLOCK_MARGIN : OLDER_MARGIN;
  if (createdAt < beganAtEarliest - margin) return 'older';
  const isOwn = invoice.status === 'pending' && createdAt >= began - OWN_MARGIN && hasSameTexts(invoice, sent);
  return isOwn ? 'own' : 'unclear';
}

/** What was sent and is kept as it was sent: a concurrent call for the same order may have said it differently. */
function hasSameTexts(invoice: Invoice, sent: WireRecord): boolean {
  return (['purpose', 'callback_url', 'success_url', 'fail_url'] as const).every((name) => {
    const text = sent[name];
    return text === undefined || (invoice[name] ?? text) === text;
  });
}

function timeOf(headers: Headers): number | null {
  const time = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(time)) return null;
  const age = headers.get('age') ?? '';
  return /^\d{1,9}$/.test(age) ? time + Number(age) * 1_000 : time;
}
