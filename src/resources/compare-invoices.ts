import type { WireRecord } from '../contract/endpoint.ts';
import type { CreatedInvoice, Invoice } from '../contract/invoices.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { Decimal } from '../contract/values/decimal.ts';
import type { ComparedField } from '../errors/classes.ts';
import type { CallScope } from '../transport/scope.ts';
import type { Success } from '../transport/send.ts';

/**
 * Decodes, and then compares the object with the request: a proxy, a cache or a wrong connection may have answered
 * another request. `differences` names the members that differ.
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

/** Returns the members in which the answer of a creation differs from the request. */
export function creationDifferences(sent: WireRecord, created: CreatedInvoice): string[] {
  const differences: string[] = differencesOf(sent, created).filter((field) => field !== 'customer_id');
  if (created.external_id !== sent['external_id']) differences.unshift('external_id');
  return differences;
}

/** Returns the members in which an existing invoice differs from the charge that was asked for. */
export function differencesOf(sent: WireRecord, existing: CreatedInvoice): ComparedField[] {
  const { amount = '', currency = '', customer_id = '' } = sent;
  const differences: ComparedField[] = [];
  if (!existing.amount.eq(new Decimal(amount))) differences.push('amount');
  if (existing.currency.code.toUpperCase() !== currency.toUpperCase()) differences.push('currency');
  if (existing.customer_id !== customer_id) differences.push('customer_id');
  return differences;
}

/** Compares the invoice of a single read with its ident, which is its uuid or its external_id. */
export function invoiceDifferences(ident: unknown, invoice: Invoice): string[] {
  return invoice.external_id === ident || isSameUuid(invoice.uuid, ident) ? [] : ['external_id'];
}

/** Compares uuids without case and without hyphens. */
export function isSameUuid(uuid: string, asked: unknown): boolean {
  return typeof asked === 'string' && plainUuid(uuid) === plainUuid(asked);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

function plainUuid(uuid: string): string {
  return UUID.test(uuid) ? uuid.replaceAll('-', '').toLowerCase() : uuid;
}

/**
 * The origin of an invoice that a repeated creation found. `this_call`: this call created it, by all that is visible. `older`:
 * it existed before the call. `unclear`: neither is certain.
 */
export type InvoiceOrigin = 'this_call' | 'older' | 'unclear';

/** Servers round their Date and created_at to seconds, and their clocks differ a little. */
const THIS_CALL_MARGIN = 3_000;
/** A clock that is slightly wrong must not make an invoice of this call older. */
const OLDER_MARGIN = 5_000;
/** Without a Date header the local clock is used, which may be wrong by a time zone. */
const UNKNOWN_CLOCK_MARGIN = 24 * 60 * 60_000;

/**
 * Decides with the service's clock: the Date header of the answer with the invoice, less the time since the call began.
 * Only a pending invoice can be `this_call`, because the caller of this call has not seen its payment link yet.
 */
export function originOf({ value: invoice, answer }: Success<Invoice>, call: CallScope<unknown>): InvoiceOrigin {
  const createdAt = invoice.created_at.getTime();
  // The answer's Date was written before its headers came: what its body took since then does not count.
  const elapsed = answer.receivedAt - call.startedAt;
  // The monotonic clock stops while a machine sleeps, and the wall clock may have been set meanwhile.
  const longest = Math.max(elapsed, call.client.runtime.now() - call.startedOn);
  const serviceTime = timeOf(answer.headers);
  const began = serviceTime === null ? call.startedOn : serviceTime - elapsed;
  const beganAtEarliest = serviceTime === null ? began : serviceTime - longest;
  const margin = serviceTime === null ? UNKNOWN_CLOCK_MARGIN : OLDER_MARGIN;
  if (createdAt < beganAtEarliest - margin) return 'older';
  const isOfThisCall =
    invoice.status === 'pending' && createdAt >= began - THIS_CALL_MARGIN && hasSameTexts(invoice, call.sent);
  return isOfThisCall ? 'this_call' : 'unclear';
}

/** True when the texts that a service keeps unchanged are the same: a concurrent call may have sent others. */
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
