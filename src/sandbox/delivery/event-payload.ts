import type { KnownEventType } from '../../contract/statuses.ts';
import { eventOfStatus } from '../../contract/statuses.ts';
import { type Dialect, withDecimals } from '../dialects.ts';
import type { InvoiceRecord } from '../state/records.ts';

/** The event of an invoice that has ended. A status that the interface does not list counts as canceled. */
export function eventTypeOf(invoice: InvoiceRecord): KnownEventType {
  return eventOfStatus(invoice.status) ?? 'invoice.canceled';
}

/** The options of `verifyWebhook` and the handler that a receiver needs for the webhooks of a dialect. */
export function receiverPins({ orderIdMember }: Dialect): { orderIdMember?: string } {
  return orderIdMember === 'order_id' || orderIdMember === 'order.id' ? { orderIdMember } : {};
}

/**
 * The body of the terminal webhook.
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function eventBody(invoice: InvoiceRecord, dialect: Dialect): string {
  const type = eventTypeOf(invoice);
  const { eventName, orderIdMember } = dialect;
  const { external_id, amount, adjustment } = invoice;
  const paid = {
    amount: adjustment?.actual_amount_fiat ?? amount,
    credited_usdt: invoice.settledUsdt,
    adjusted: adjustment !== null,
    ...(adjustment !== null && { original_amount: adjustment.expected_amount_fiat }),
  };
  const named = eventName === 'header' || eventName === 'nowhere' ? {} : { [eventName]: type };
  const members = withDecimals(dialect, {
    invoice_uuid: invoice.uuid,
    ...(orderIdMember === 'order.id' ? { order: { id: external_id } } : { [orderIdMember]: external_id }),
    status: invoice.status,
    ...(type === 'invoice.paid' ? paid : { amount }),
    ...(dialect.laterVersion === 'some' && { customer_id: invoice.customer_id, meta: { attempt_of: 'sandbox' } }),
  });
  return JSON.stringify(dialect.webhookBody === 'flat' ? { ...named, ...members } : { ...named, data: members });
}
