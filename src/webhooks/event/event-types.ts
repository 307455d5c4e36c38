import type { EventStatus, KnownEventType } from '../../contract/statuses.ts';
import type { Decimal } from '../../contract/values/decimal.ts';

// The types that a user of the package sees, and nothing else: the entry exports this file as a whole.

/** The members that every event has. */
interface EventBase {
  /** `webhook`: a signed delivery. `catch_up`: built by `handler.catchUp` from an invoice that it read. */
  readonly source: 'webhook' | 'catch_up';
  /** X-Webhook-Id. The signature does not cover it: show it, but decide nothing by it. Null for `catch_up`. */
  readonly id: string | null;
  /** When the delivery was signed. Null for `catch_up`. */
  readonly signed_at: Date | null;
  /** The index of the secret that matched, from 0. Remove the old secret when no event matches it. Null for `catch_up`. */
  readonly secretIndex: number | null;
  /** The whole parsed body, with the members that this package does not know. The invoice for `catch_up`. */
  readonly raw: Readonly<Record<string, unknown>>;
}

interface KnownEvent<Type extends KnownEventType> extends EventBase {
  readonly type: Type;
  /** The service's id of the invoice, as sent. Compare it without regard to case. */
  readonly invoice_uuid: string;
  /** The merchant's order id. */
  readonly external_id: string;
  readonly status: EventStatus<Type>;
}

interface PaidEvent extends KnownEvent<'invoice.paid'> {
  /** The fiat amount actually paid. It may be less than was ordered: see `adjusted`. */
  readonly amount: Decimal;
  /** The USDT credited to the business. Fulfil against this. */
  readonly credited_usdt: Decimal;
}

/** The invoice was paid as ordered. */
export interface ExactInvoicePaidEvent extends PaidEvent {
  readonly adjusted: false;
  readonly original_amount: null;
}

/** The invoice was paid with another amount than was ordered: `amount` is what was paid. */
export interface AdjustedInvoicePaidEvent extends PaidEvent {
  readonly adjusted: true;
  /** The fiat amount originally ordered, or null if the delivery does not state it. */
  readonly original_amount: Decimal | null;
}

/**
 * The invoice ended in `success`. Check `adjusted`: a paid invoice does not guarantee full payment.
 *
 * @see [Events](../../../docs/service-interface.md#events)
 */
export type InvoicePaidEvent = ExactInvoicePaidEvent | AdjustedInvoicePaidEvent;

/**
 * The invoice ended in `expired`, `canceled` or `fail`, without payment.
 *
 * @see [Events](../../../docs/service-interface.md#events)
 */
export interface InvoiceCanceledEvent extends KnownEvent<'invoice.canceled'> {
  /** The original order amount. */
  readonly amount: Decimal;
  readonly credited_usdt: null;
  readonly adjusted: false;
  readonly original_amount: null;
}

/** A genuine delivery of an event or a status that this package does not know. Members that cannot be read are null. */
export interface UnknownInvoiceEvent extends EventBase {
  readonly type: 'unknown';
  /** The event's name in the signed body, or null if the body has none. */
  readonly event_name: string | null;
  /** The service's id of the invoice. Null for an event that is not about one, such as a test. */
  readonly invoice_uuid: string | null;
  /** The merchant's order id. Null if no member of the body is certainly that. */
  readonly external_id: string | null;
  /** As sent, known or not. Null for an event that has none. */
  readonly status: string | null;
  /** Null if it is absent or unreadable. */
  readonly amount: Decimal | null;
  /** Null if it is absent or unreadable. If it is set, the event may be about money. */
  readonly credited_usdt: Decimal | null;
  readonly adjusted: boolean;
  /** Null if it is absent or unreadable. */
  readonly original_amount: Decimal | null;
}

/** The final event of an invoice. Narrow it on `type`, and a paid event on `adjusted`. */
export type InvoiceEvent = InvoicePaidEvent | InvoiceCanceledEvent | UnknownInvoiceEvent;
