import type { WireRecord } from '../contract/endpoint.ts';
import type { CreatedInvoice, Invoice } from '../contract/types.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { Decimal } from '../contract/values/decimal.ts';
import type { ComparedField } from '../errors/inits.ts';
import type { Success } from '../transport/call-loop.ts';
import type { CallScope } from '../transport/scope.ts';

/**
 * Decodes, and then compares the object with what was asked: a proxy, a cache or a mixed-up connection may have
 * answered for another request. `differences` names the members that differ.
 */
export function compared<T>(check: Check<T>, differences: (value: T) => readonly string[]): Check<T> {
  return (payload) => {
    const checked = check(payload);
    if (!checked.ok) return checked;
    const issues: Issue[] = differences(checked.value).map((path) => ({
      path,
      message: 'is not the one that was asked for',
    }));
    return issues.length === 0 ? checked : { ok: false, issues };
  };
}

/** Members in which a creation's answer is not what was sent. */
export function creationDifferences(sent: WireRecord, created: CreatedInvoice): string[] {
  const differences: string[] = differencesOf(sent, created).filter((field) => field !== 'customer_id');
  if (created.external_id !== sent['external_id']) differences.unshift('external_id');
  return differences;
}

/** Members in which an existing invoice is not the charge that was asked for; empty when it is the same charge. */
export function differencesOf(sent: WireRecord, existing: CreatedInvoice): ComparedField[] {
  const { amount = '', currency = '', customer_id = '' } = sent;
  const differences: ComparedField[] = [];
  if (!existing.amount.eq(new Decimal(amount))) differences.push('amount');
  if (existing.currency.code.toUpperCase() !== currency.toUpperCase()) differences.push('currency');
  if (existing.customer_id !== customer_id) differences.push('customer_id');
  return differences;
}

/** A single read must answer the invoice of this ident: its uuid or its external_id. */
export function invoiceDifferences(ident: unknown, invoice: Invoice): string[] {
  return invoice.external_id === ident || isSameUuid(invoice.uuid, ident) ? [] : ['external_id'];
}

/** Without case, because a uuid has none, and with or without its hyphens. */
export function isSameUuid(uuid: string, asked: unknown): boolean {
  return typeof asked === 'string' && plainUuid(uuid) === plainUuid(asked);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

function plainUuid(uuid: string): string {
  return UUID.test(uuid) ? uuid.replaceAll('-', '').toLowerCase() : uuid;
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
export function originOf({ value: invoice, answer }: Success<Invoice>, call: CallScope<unknown>): InvoiceOrigin {
  const createdAt = invoice.created_at.getTime();
  // The answer's Date was written before its headers came: what its body took since then does not count.
  const elapsed = answer.receivedAt - call.startedAt;
  // The monotonic clock stands still while a machine sleeps; the wall clock may have been set meanwhile.
  const longest = Math.max(elapsed, call.client.runtime.now() - call.startedOn);
  const serviceTime = timeOf(answer.headers);
  const began = serviceTime === null ? call.startedOn : serviceTime - elapsed;
  const beganAtEarliest = serviceTime === null ? began : serviceTime - longest;
  const margin = serviceTime === null ? UNKNOWN_CLOCK_MARGIN : OLDER_MARGIN;
  if (createdAt < beganAtEarliest - margin) return 'older';
  const isOwn = invoice.status === 'pending' && createdAt >= began - OWN_MARGIN && hasSameTexts(invoice, call.sent);
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
