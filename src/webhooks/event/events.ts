import type { Decimal } from '../../contract/values/decimal.ts';

/** What every event knows. */
interface EventOrigin {
  /** `webhook`: a signed delivery. `catch_up`: made from an invoice that was read, by `handler.catchUp`. */
  readonly source: 'webhook' | 'catch_up';
  /** X-Webhook-Id, which is not covered by the signature: show it, do not decide by it. Null for `catch_up`. */
  readonly id: string | null;
  /** The service's order id, as sent. Compare without case. */
  readonly invoice_uuid: string;
  /** When the delivery was signed. Null for `catch_up`. */
  readonly signed_at: Date | null;
  /** Which of the given secrets matched, from 0: when no event matches the old one any more, it can go. Null for `catch_up`. */
  readonly secretIndex: number | null;
  /** The parsed body, whole: members that this package does not know are here. */
  readonly raw: Readonly<Record<string, unknown>>;
}

interface PaidEvent extends EventOrigin {
  readonly type: 'invoice.paid';
  /** The merchant's order id. */
  readonly external_id: string;
  readonly status: 'success';
  /** The fiat actually paid, which may be less than was ordered: see `adjusted`. */
  readonly amount: Decimal;
  /** USDT credited to the business. Fulfil against this. */
  readonly credited_usdt: Decimal;
}

/** Paid as ordered. */
export interface ExactInvoicePaidEvent extends PaidEvent {
  readonly adjusted: false;
  readonly original_amount: null;
}

/** Paid, but another amount than was ordered: `amount` is what was paid. */
export interface AdjustedInvoicePaidEvent extends PaidEvent {
  readonly adjusted: true;
  /** The originally ordered fiat; null where the delivery does not say it. */
  readonly original_amount: Decimal | null;
}

/**
 * The invoice ended in `success`. Check `adjusted`: a paid invoice does not guarantee full payment.
 * @see [Events](../../../docs/service-interface.md#events)
 */
export type InvoicePaidEvent = ExactInvoicePaidEvent | AdjustedInvoicePaidEvent;

/** The invoice ended without payment. @see [Events](../../../docs/service-interface.md#events) */
export interface InvoiceCanceledEvent extends EventOrigin {
  readonly type: 'invoice.canceled';
  /** The merchant's order id. */
  readonly external_id: string;
  readonly status: 'expired' | 'canceled' | 'fail';
  /** The original order amount. */
  readonly amount: Decimal;
  readonly credited_usdt: null;
  readonly adjusted: false;
  readonly original_amount: null;
}

/** A genuine delivery of an event or a status that this package does not know. Members it cannot read are null. */
export interface UnknownInvoiceEvent extends EventOrigin {
  readonly type: 'unknown';
  /** The event's name in the body, else in the unsigned header X-Webhook-Event; null where neither has one. */
  readonly event_name: string | null;
  readonly external_id: string | null;
  readonly status: string;
  readonly amount: Decimal | null;
  readonly credited_usdt: Decimal | null;
  readonly adjusted: boolean;
  readonly original_amount: Decimal | null;
}

/** The one terminal event of an invoice. Narrow on `type`, and a paid one on `adjusted`. */
export type InvoiceEvent = InvoicePaidEvent | InvoiceCanceledEvent | UnknownInvoiceEvent;
