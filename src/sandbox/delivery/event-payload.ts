import type { KnownEventType } from '../../contract/statuses.ts';
import { eventOfStatus } from '../../contract/statuses.ts';
import type { Dialect } from '../dialect/dialects.ts';
import { withDecimals } from '../dialect/wire-form.ts';
import type { InvoiceRecord } from '../state/records.ts';

/** The event of an invoice that has ended. A status that the interface does not list counts as canceled. */
export function eventTypeOf(invoice: InvoiceRecord): KnownEventType {
  return eventOfStatus(invoice.status) ?? 'invoice.canceled';
}

/** The options of `verifyWebhook` and the handler that a receiver needs for the webhooks of a dialect. */
export function receiverPins({ orderIdMember }: Dialect): { orderIdMember?: string } {
  return orderIdMember === 'order_id' || orderIdMember === 'order.id' ? { orderIdMember } : {};
}

function spelled(type: KnownEventType, spelling: Dialect['eventSpelling']): string {
  if (spelling === 'upper') return type.replace('.', '_').toUpperCase();
  if (spelling === 'namespaced') return `com.merchant.${type}`;
  return spelling === 'versioned' ? `${type}.v1` : type;
}

/**
 * The body of the terminal webhook.
 * @see [Payload members](../../../docs/service-interface.md#payload-members)
 */
export function eventBody(invoice: InvoiceRecord, dialect: Dialect): string {
  const type = eventTypeOf(invoice);
  const { eventName } = dialect;
  const named =
    eventName === 'header' || eventName === 'nowhere' ? {} : { [eventName]: spelled(type, dialect.eventSpelling) };
  const members = withDecimals(dialect, {
    invoice_uuid: invoice.uuid,
    ...(dialect.orderIdMember === 'order.id'
      ? { order: { id: invoice.external_id } }
      : { [dialect.orderIdMember]: invoice.external_id }),
    status: invoice.status,
    ...(type === 'invoice.paid' ? paidMembers(invoice, dialect) : canceledMembers(invoice, dialect)),
    ...(dialect.extraMembers === 'some' && { customer_id: invoice.customer_id, meta: { attempt_of: 'sandbox' } }),
  });
  return JSON.stringify(dialect.webhookBody === 'flat' ? { ...named, ...members } : { ...named, data: members });
}

function paidMembers({ amount, adjustment, settledUsdt }: InvoiceRecord, dialect: Dialect): object {
  const { eventNulls, adjustedFlag } = dialect;
  if (adjustment === null) {
    return {
      amount,
      credited_usdt: settledUsdt,
      ...(adjustedFlag === 'always' && { adjusted: false }),
      ...(eventNulls === 'null' && { original_amount: null }),
    };
  }
  const { actual_amount_fiat, expected_amount_fiat } = adjustment;
  return {
    amount: actual_amount_fiat,
    credited_usdt: settledUsdt,
    adjusted: true,
    original_amount: expected_amount_fiat,
  };
}

function canceledMembers({ amount }: InvoiceRecord, { eventNulls }: Dialect): object {
  return eventNulls === 'absent' ? { amount } : { amount, credited_usdt: null, adjusted: null, original_amount: null };
}
