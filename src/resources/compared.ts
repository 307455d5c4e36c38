import type { WireRecord } from '../contract/endpoint.ts';
import type { CreatedInvoice, Invoice } from '../contract/types.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { Decimal } from '../contract/values/decimal.ts';
import type { ComparedField } from '../errors/inits.ts';

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
