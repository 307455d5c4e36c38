import type { DeliveryStatus, InvoiceStatus } from '../contract/types.ts';
import type { Decimal } from '../contract/values/decimal.ts';

/**
 * The state of an order, in the words of {@link reconcile}. Map the states of the shop to them.
 *
 * - `open`: waits for its payment.
 * - `paid`: the shop has booked the payment and has not delivered yet.
 * - `fulfilled`: the customer has the goods or the credit.
 * - `canceled`: ended without delivery and without a refund.
 * - `refunded`: the shop has returned the money, outside of the service.
 */
export type OrderState = 'open' | 'paid' | 'fulfilled' | 'canceled' | 'refunded';

/** The order of a finding, as the shop gave it. */
export interface FoundOrder {
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The USDT that the shop has booked. Null if the shop does not say. */
  readonly credited_usdt: Decimal | null;
  readonly state: OrderState;
  /** Where the order stood, such as `line 17` of a file or `row 16` of an iterable. */
  readonly place: string;
}

/** The invoice of a finding, as the service returned it last. */
export interface FoundInvoice {
  /** The service's order id. */
  readonly uuid: string;
  readonly status: InvoiceStatus;
  /** The ordered amount. */
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The paid amount: corrected if the invoice is adjusted. Null unless the invoice is paid. */
  readonly paid_amount: Decimal | null;
  /** USDT credited to the business. Null unless the invoice is paid. */
  readonly credited_usdt: Decimal | null;
  readonly is_adjusted: boolean;
  readonly created_at: Date;
  readonly expires_at: Date;
  /** Time of the final state. Null while it is pending. */
  readonly finished_at: Date | null;
}

/** The members of every finding. */
export interface FindingFacts {
  /** The merchant's order id. */
  readonly external_id: string;
  /** Currency of the invoice, or of the order without an invoice. In upper case. */
  readonly currency: string;
  /** The remedy, as a sentence for people. */
  readonly action: string;
  /**
   * True if both sides were read again just before the finding was reported. An order can be read again only with `lookup`.
   */
  readonly confirmed: boolean;
  /** The row of the shop. Null if the shop has no such order. */
  readonly order: FoundOrder | null;
  /** The invoice of the service. Null if the service has no such invoice. */
  readonly invoice: FoundInvoice | null;
}

/** A pair of amounts. `difference` is `actual` minus `expected`. */
export interface AmountValues {
  readonly expected: Decimal;
  readonly actual: Decimal;
  readonly difference: Decimal;
}

/** The values that each kind of finding compares. Amounts of money are in the currency of the finding, credits in USDT. */
export interface FindingValues {
  /** The invoice is paid, but the order is open or canceled. */
  readonly paid_not_fulfilled: {
    readonly expected: 'fulfilled';
    readonly actual: OrderState;
    readonly difference: null;
  };
  /** The shop booked a payment, delivered or refunded, but the invoice is not paid. */
  readonly fulfilled_not_paid: {
    readonly expected: 'success';
    readonly actual: InvoiceStatus;
    readonly difference: null;
  };
  /** The customer paid less than the amount of the order. */
  readonly underpaid: AmountValues;
  /** The customer paid more than the amount of the order. */
  readonly overpaid: AmountValues;
  /** The shop booked another credit than the service, and the invoice was not corrected. */
  readonly credited_differs: AmountValues;
  /** Order and invoice are in different currencies. Their amounts are not compared then. */
  readonly currency_differs: { readonly expected: string; readonly actual: string; readonly difference: null };
  /** A dispute corrected the invoice, and the shop has booked another credit than the corrected one. */
  readonly corrected_after_fulfilment: AmountValues;
  /** An invoice that is paid or pending, and no order has its `external_id`. */
  readonly invoice_without_order: {
    readonly expected: null;
    readonly actual: InvoiceStatus;
    readonly difference: null;
  };
  /** An order that is not canceled, and no invoice has its `external_id`. */
  readonly order_without_invoice: { readonly expected: OrderState; readonly actual: null; readonly difference: null };
  /** Several orders have this `external_id`. They are not compared with the invoice. */
  readonly duplicate_order: {
    readonly expected: 1;
    /** The number of orders. */
    readonly actual: number;
    readonly difference: number;
    /** Where the orders stood, at most ten of them. */
    readonly places: readonly string[];
  };
  /** Follows a `paid_not_fulfilled` as its cause: the invoice has deliveries, and none was acknowledged. */
  readonly webhook_not_delivered: {
    readonly expected: 'delivered';
    /** The status of the latest delivery. */
    readonly actual: DeliveryStatus;
    readonly difference: null;
    /** The HTTP status of the receiver's last answer. Null without an answer. */
    readonly last_http_status: number | null;
    /**
     * Sends the webhook again, so that the receiver fulfils the order.
     * @throws MerchantError as `merchant.webhooks.resend` does.
     * @example
     * if (finding.kind === 'webhook_not_delivered') await finding.resend();
     */
    resend(): Promise<void>;
  };
  /** The invoice is pending, although it expired longer ago than `grace`. `difference` is in milliseconds. */
  readonly pending_past_expiry: { readonly expected: Date; readonly actual: Date; readonly difference: number };
}

/** The kind of a finding. The union is closed. */
export type FindingKind = keyof FindingValues;

/** A finding of one kind, or of any. `switch (finding.kind)` narrows it. */
export type Finding<Kind extends FindingKind = FindingKind> = {
  readonly [Each in Kind]: { readonly kind: Each } & FindingValues[Each] & FindingFacts;
}[Kind];

/** The remedy for each kind of finding. */
export const ACTIONS: Readonly<Record<FindingKind, string>> = {
  paid_not_fulfilled: 'Fulfil the order against the credited amount, or refund the customer.',
  fulfilled_not_paid: 'Stop or reclaim the delivery: the service has no payment for it.',
  underpaid: 'Ask for the rest, or accept it and lower the amount of the order.',
  overpaid: 'Refund the rest, or accept it and raise the amount of the order.',
  credited_differs: 'Correct the booked credit: the service credited another amount.',
  currency_differs: 'Find out which currency is right. The amounts were not compared.',
  corrected_after_fulfilment: 'Book the corrected credit, and settle the rest with the customer.',
  invoice_without_order: 'Find the order. If no order belongs to it, find out who created the invoice.',
  order_without_invoice: 'Create the invoice with this external_id, or cancel the order.',
  duplicate_order: 'Keep one order with this external_id: one payment must not fulfil two.',
  webhook_not_delivered: 'Repair the receiver, then send the webhook again. Do not fulfil by hand as well.',
  pending_past_expiry: 'Ask the service: an expired invoice should have ended.',
};

/**
 * Why something could not be compared.
 *
 * - `order_malformed`: a member of the order cannot be read.
 * - `order_not_asked`: `lookup` answered an order that it was not asked for.
 * - `invoice_malformed`: the invoice cannot be decoded, contradicts itself or has an unknown status.
 * - `invoice_not_read`: the service could not say whether the order has an invoice.
 * - `several_invoices`: the service has several invoices with this `external_id`.
 * - `invoices_not_listed`: the list served fewer invoices than it counts.
 * - `within_grace`: a difference that is left to the webhook. It is only counted.
 */
export type NotComparedReason =
  | 'order_malformed'
  | 'order_not_asked'
  | 'invoice_malformed'
  | 'invoice_not_read'
  | 'several_invoices'
  | 'invoices_not_listed'
  | 'within_grace';

/** Something that could not be compared. It comes among the findings, so that nothing is dropped silently. */
export interface NotCompared {
  readonly kind: 'not_compared';
  /** Null if the row has no readable id. */
  readonly external_id: string | null;
  /** Null if the row has no readable currency. */
  readonly currency: string | null;
  readonly reason: Exclude<NotComparedReason, 'within_grace'>;
  /** The problem, as a sentence. */
  readonly problem: string;
  /** Where it stood, such as `line 17`, `row 16` or `page 3`. */
  readonly place: string;
}
