import type { Invoice } from '../../contract/invoices.ts';
import type { Decimal } from '../../contract/values/decimal.ts';
import type { Callback } from '../../errors/checks.ts';

// The types of events and of the functions that take them. The entry exports this file as a whole.

/** The members that every event has. */
interface EventBase {
  /** `webhook`: a signed delivery. `catch_up`: built by `handler.catchUp` from an invoice that it read. */
  readonly source: 'webhook' | 'catch_up';
  /** X-Webhook-Id. It is not signed, so show it, but base no decision on it. Null for `catch_up`. */
  readonly id: string | null;
  /** When the delivery was signed. Null for `catch_up`. */
  readonly signed_at: Date | null;
  /**
   * The index of the secret that matched, from 0. Remove the old secret when no event matches it. Null for `catch_up`.
   */
  readonly secretIndex: number | null;
  /** The whole parsed body, also members that this package does not know. For `catch_up`: the invoice. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** The members that every event of an invoice has. */
interface InvoiceEventBase extends EventBase {
  /** The service's id of the invoice, as sent. Compare it without regard to case. */
  readonly invoice_uuid: string;
  /** The external_id of the invoice: the order, or `ORDER--n` for a renewal. Find your order by `order`. */
  readonly external_id: string;
  /** The id of the order that the invoice belongs to. Book by it. */
  readonly order: string;
  /** 0 for the first invoice of the order, 1 for its first renewal. */
  readonly renewal: number;
}

/**
 * The invoice was paid, and the service does not call it adjusted.
 *
 * @see [Events](../../../docs/service-interface.md#events)
 */
export interface InvoicePaidEvent extends InvoiceEventBase {
  readonly type: 'invoice.paid';
  readonly status: 'success';
  /** The fiat amount paid. */
  readonly amount: Decimal;
  /** The USDT credited to the business. Decide by this amount what the customer gets. */
  readonly credited_usdt: Decimal;
  readonly adjusted: false;
  readonly original_amount: null;
}

/**
 * The invoice was paid with another amount than was ordered, often less. Its name on the wire is also `invoice.paid`,
 * and `adjusted` distinguishes it from a {@link InvoicePaidEvent}.
 *
 * @see [Receiver rules](../../../docs/service-interface.md#receiver-rules)
 */
export interface InvoiceAdjustedEvent extends InvoiceEventBase {
  readonly type: 'invoice.paid';
  readonly status: 'success';
  /** The fiat amount actually paid. */
  readonly amount: Decimal;
  /** The USDT credited to the business. Decide by this amount what the customer gets. */
  readonly credited_usdt: Decimal;
  readonly adjusted: true;
  /** The fiat amount originally ordered, or null if the delivery does not state it. */
  readonly original_amount: Decimal | null;
}

/**
 * The invoice ended in `expired`, `canceled` or `fail`, without payment.
 *
 * @see [Events](../../../docs/service-interface.md#events)
 */
export interface InvoiceCanceledEvent extends InvoiceEventBase {
  readonly type: 'invoice.canceled';
  readonly status: 'fail' | 'expired' | 'canceled';
  /** The original order amount. */
  readonly amount: Decimal;
  readonly credited_usdt: null;
  readonly adjusted: false;
  readonly original_amount: null;
}

/** A genuine delivery of an event or a status that this package does not know. Members that cannot be read are null. */
export interface UnknownInvoiceEvent extends EventBase {
  readonly type: 'unknown';
  /**
   * The event's name in the signed body. Two different names are joined with a comma. A name that is no text is
   * `a list` or `an object`. A body without a name at the pinned place gives `without` and the place. Null if the body
   * has no name.
   */
  readonly event_name: string | null;
  /** The service's id of the invoice. Null for an event that is not about one, such as a test. */
  readonly invoice_uuid: string | null;
  /** The external_id of the invoice. Null if no member of the body is certainly this id. */
  readonly external_id: string | null;
  /** The id of the order that the invoice belongs to. Null without an external_id. */
  readonly order: string | null;
  /** 0 for the first invoice of the order, 1 for its first renewal. Null without an external_id. */
  readonly renewal: number | null;
  /** As sent, known or not. Null for an event that has none. */
  readonly status: string | null;
  /** Null if it is absent or unreadable. */
  readonly amount: Decimal | null;
  /** Null if it is absent or unreadable. If it is set, the event may be about money. */
  readonly credited_usdt: Decimal | null;
  /** Null if the body does not say whether a payment was adjusted. */
  readonly adjusted: boolean | null;
  /** Null if it is absent or unreadable. */
  readonly original_amount: Decimal | null;
}

/** The events that this package knows. The table of events has a row for each: `EVENTS` in `events.ts`. */
export interface KnownInvoiceEvents {
  readonly paid: InvoicePaidEvent;
  readonly adjusted: InvoiceAdjustedEvent;
  readonly canceled: InvoiceCanceledEvent;
}

/** The final event of an invoice. Narrow it on `type`, and `invoice.paid` on `adjusted`. */
export type InvoiceEvent = KnownInvoiceEvents[keyof KnownInvoiceEvents] | UnknownInvoiceEvent;

/**
 * The merchant's functions, one for each way in which an invoice ends. `Context` is their second argument: a store may
 * add members. A function fails by throwing. A failure that it returns counts as thrown: an Error, a response or an
 * object with `ok: false` or a status from 400, and an array with a rejected result of `Promise.allSettled`.
 */
export interface InvoiceEventHandlers<Context> {
  /**
   * Called when an invoice was paid as ordered. Find your order by `event.order`, and key the payment by
   * `event.invoice_uuid`. Throw for an order that your database does not know: the service then sends the event again.
   *
   * Book a second payment of an order, and let a person decide. Do the same if `event.amount` is not the amount of your
   * order. No repeat of the event changes such a payment.
   */
  readonly onPaid: Callback<[event: InvoicePaidEvent, context: Context]>;
  /**
   * Called when another amount was paid than was ordered. `event.amount` is what was paid, `event.original_amount` what
   * was ordered. Decide here what the customer gets for `event.credited_usdt`. If more was paid than was ordered, credit
   * the surplus, or let a person decide. If the function throws, the service sends the event again.
   *
   * @see [Receiver rules](../../../docs/service-interface.md#receiver-rules)
   */
  readonly onAdjusted: Callback<[event: InvoiceAdjustedEvent, context: Context]>;
  /**
   * Called when an invoice expired, failed or was canceled. Cancel the order only if it waits for a payment, and its
   * renewal is not above `event.renewal`. Otherwise a later invoice may be open. If the function throws, the service
   * sends the event again.
   */
  readonly onCanceled: Callback<[event: InvoiceCanceledEvent, context: Context]>;
  /**
   * Called for an event or a status that this package does not know. Without this function such an event is reported
   * and answered 200. If it may be about money (status `success`, or `credited_usdt`), it is answered 500.
   *
   * Do not fulfil orders here: `catchUp` reads the same invoice, and passes it to `onPaid`. If the service sends
   * ordinary payments under such a name, set `eventMember`.
   */
  readonly onUnknown?: Callback<[event: UnknownInvoiceEvent, context: Context]> | undefined;
}

/** The members of an invoice that its event is built from, and those by which its order is judged. */
export type CatchUpInvoice = Pick<
  Invoice,
  'uuid' | 'external_id' | 'status' | 'amount' | 'finished_at' | 'settled_amount_usdt' | 'is_adjusted' | 'adjustment'
> &
  Partial<Pick<Invoice, 'customer_id' | 'callback_url' | 'expires_at'>>;
