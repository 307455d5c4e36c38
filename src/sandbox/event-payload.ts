import type { KnownEventType } from '../contract/types.ts';
import type { Dialect } from './dialects.ts';
import type { InvoiceRecord } from './store.ts';

/** `success` is the paid state; the other final states are the canceled ones. */
export function eventTypeOf(invoice: InvoiceRecord): KnownEventType {
  return invoice.status === 'success' ? 'invoice.paid' : 'invoice.canceled';
}

/** The body of the terminal webhook. @see service interface, "Payload members" */
export function eventBody(invoice: InvoiceRecord, dialect: Dialect): string {
  const type = eventTypeOf(invoice);
  const { eventName } = dialect;
  const named = eventName === 'header' || eventName === 'nowhere' ? {} : { [eventName]: type };
  const both = {
    ...named,
    invoice_uuid: invoice.uuid,
    [dialect.orderIdMember]: invoice.external_id,
    status: invoice.status,
  };
  const extra =
    dialect.extraMembers === 'none' ? {} : { customer_id: invoice.customer_id, meta: { attempt_of: 'sandbox' } };
  if (type === 'invoice.canceled') return JSON.stringify({ ...both, amount: invoice.amount, ...extra });
  const { adjustment } = invoice;
  const paid = {
    amount: adjustment?.actual_amount_fiat ?? invoice.amount,
    credited_usdt: invoice.settledUsdt,
    adjusted: adjustment !== null,
    ...(adjustment === null ? {} : { original_amount: adjustment.expected_amount_fiat }),
  };
  return JSON.stringify({ ...both, ...paid, ...extra });
}
