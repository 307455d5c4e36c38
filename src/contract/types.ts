import type { FinalInvoiceStatus, KnownDeliveryStatus, KnownEventType, KnownWithdrawalStatus } from './statuses.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * A list of known words that stays open: a word that the service adds later arrives as text. After
 * `status === 'success'` the type is `'success'`, and a mistyped word does not compile. Compare with a word that is not
 * listed yet as `(status as string) === 'refunded'`.
 */
export type OpenEnum<Known extends string> = Known | UnlistedWord;

/**
 * Text that is not one of the known words. The member exists in the type only. The template around it keeps the compiler
 * from accepting every word in a comparison. The known words need both to narrow.
 */
export type UnlistedWord = `${string & { readonly unlisted: true }}`;

/**
 * `pending` is the only state that is not final. `success` is the paid one.
 * @see [Invoice states](../../docs/service-interface.md#invoice-states)
 */
export type KnownInvoiceStatus = 'pending' | FinalInvoiceStatus;
/** The status of an invoice: a known one, or a word that the service adds later. */
export type InvoiceStatus = OpenEnum<KnownInvoiceStatus>;

export type { KnownDeliveryStatus, KnownEventType, KnownWithdrawalStatus } from './statuses.ts';
/** The status of a withdrawal: a known one, or a word that the service adds later. */
export type WithdrawalStatus = OpenEnum<KnownWithdrawalStatus>;
/** The status of a delivery: a known one, or a word that the service adds later. */
export type DeliveryStatus = OpenEnum<KnownDeliveryStatus>;
/** The name of a webhook event: a known one, or a word that the service adds later. */
export type EventType = OpenEnum<KnownEventType>;

/** A fiat currency. @see [Currency (short form)](../../docs/service-interface.md#currency-short-form) */
export interface Currency {
  /** The service's number of the currency. */
  readonly id: number;
  /** Currency code, such as `EUR`. */
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
}

/** The payment method that the customer chose. */
export interface InvoicePaymentMethod {
  readonly name: string;
  /** Null if the method has no logo. */
  readonly logo_url: string | null;
}

/**
 * Present when the paid amount was corrected during a dispute.
 * @see [Invoice adjustment](../../docs/service-interface.md#invoice-adjustment)
 */
export interface InvoiceAdjustment {
  /** Fiat originally ordered. */
  readonly expected_amount_fiat: Decimal;
  /** Fiat actually paid. */
  readonly actual_amount_fiat: Decimal;
  /** USDT expected at the ordered amount. */
  readonly expected_amount_usdt: Decimal;
  /** USDT actually credited. */
  readonly actual_amount_usdt: Decimal;
}

/**
 * An invoice as its creation returns it. {@link Invoice} has more members.
 * @see [Invoice](../../docs/service-interface.md#invoice)
 */
export interface CreatedInvoice {
  /** The service's order id. */
  readonly uuid: string;
  /** The merchant's order id, unique per business. */
  readonly external_id: string;
  /** The merchant's identifier of the paying customer. */
  readonly customer_id: string;
  /** The description of the order that the customer sees. */
  readonly purpose: string | null;
  /** Base order amount in fiat, unchanged. */
  readonly amount: Decimal;
  /** The amount that the customer pays, commission included. Null until a method is chosen. */
  readonly amount_to_send: Decimal | null;
  readonly currency: Currency;
  readonly status: InvoiceStatus;
  /** Receives the terminal webhook. */
  readonly callback_url: string | null;
  /** Where the customer goes after a payment. Null if the service names no address. */
  readonly success_url: string | null;
  /** Where the customer goes after a failed payment. Null if the service names no address. */
  readonly fail_url: string | null;
  /** The hosted payment page. Send the customer here. */
  readonly payment_url: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** An invoice as lists and single reads return it. @see [Invoice](../../docs/service-interface.md#invoice) */
export interface Invoice extends CreatedInvoice {
  /** Time of the final state. */
  readonly finished_at: Date | null;
  /** Null until the customer chose one. */
  readonly payment_method: InvoicePaymentMethod | null;
  /** Snapshot of the fiat-per-USDT rate. */
  readonly rate: Decimal | null;
  /** USDT credited to the business. Set only on success. Fulfil against this amount. */
  readonly settled_amount_usdt: Decimal | null;
  /** True when the paid amount was corrected during a dispute. */
  readonly is_adjusted: boolean;
  /** Ordered and paid amounts. Null if the paid amount was not corrected. */
  readonly adjustment: InvoiceAdjustment | null;
}

/**
 * Which currencies and amounts can be charged, and at what commission.
 * @see [Payment method (list item)](../../docs/service-interface.md#payment-method-list-item)
 */
export interface PaymentMethod {
  /** The service's number of the method. */
  readonly id: number;
  readonly name: string;
  readonly currency: Currency;
  /** Smallest chargeable amount. */
  readonly min_amount: Decimal;
  /** Largest chargeable amount. */
  readonly max_amount: Decimal;
  readonly total_commission_percent: Decimal;
  /** Part carried by the customer. */
  readonly client_commission_percent: Decimal;
  /** Part carried by the merchant. */
  readonly merchant_commission_percent: Decimal;
  /** Null if the method has no logo. */
  readonly logo_url: string | null;
}

/** A market price of USDT. It does not say which currencies or amounts can be charged. @see [Rate](../../docs/service-interface.md#rate) */
export interface Rate {
  /** Rate source name. */
  readonly platform: string;
  /** Always USDT. */
  readonly asset: string;
  /** Fiat currency code. */
  readonly fiat: string;
  readonly side: OpenEnum<'buy' | 'sell'>;
  /** Best-order price. Rows without a price are left out. */
  readonly price: Decimal;
  /** Smallest order amount at the source. Null when the source gives none. */
  readonly min_amount: Decimal | null;
  /** Largest order amount at the source. Null when the source gives none. */
  readonly max_amount: Decimal | null;
}

/**
 * A withdrawal. The interface names no required member but the status, so all others except `uuid` may be null. A member
 * that cannot be read is null as well, and {@link Withdrawal.unreadable} holds its value.
 * @see [Withdrawal](../../docs/service-interface.md#withdrawal)
 */
export interface Withdrawal {
  readonly uuid: string;
  /** Who asked for the withdrawal, in the words of the service. */
  readonly actor: string | null;
  /** The balance that the money comes from, in the words of the service. */
  readonly balance_type: string | null;
  /** The token that is sent, such as `USDT`. */
  readonly token: string | null;
  /** The network on which it is sent. */
  readonly network: string | null;
  /** Destination address. */
  readonly address: string | null;
  /** The amount that was asked for. */
  readonly amount: Decimal | null;
  /** Network fee. */
  readonly network_commission: Decimal | null;
  /** Amount actually sent. */
  readonly amount_to_send: Decimal | null;
  readonly status: WithdrawalStatus;
  /** When it was asked for. */
  readonly created_at: Date | null;
  /** Network logo. */
  readonly logo_url: string | null;
  /** Transaction on the network. Null until it is approved. */
  readonly tx_hash: string | null;
  /** Null if it is not rejected. */
  readonly reject_reason: string | null;
  /** When it was approved or rejected. Null while it is pending. */
  readonly processed_at: Date | null;
  /**
   * The raw values of members that could not be read: `{ amount: "1.5 USDT" }`. Absent when all members could be read.
   * Each one is also reported to `onDrift`.
   */
  readonly unreadable?: Readonly<Partial<Record<Exclude<keyof Withdrawal, 'uuid' | 'status' | 'unreadable'>, unknown>>>;
}

/** One attempt to deliver a webhook. The interface names the members but not their types. */
export interface DeliveryAttempt {
  /** HTTP status of the receiver's answer. Null when there was no answer. */
  readonly status_code: number | null;
  /** Whether the receiver answered 2xx. */
  readonly success: boolean | null;
  /** Why there was no 2xx answer, in the words of the service. Null after a success. */
  readonly error: string | null;
  /** Milliseconds until the answer. */
  readonly duration_ms: number | null;
  /** The trigger of the attempt, such as a schedule or a manual resend. */
  readonly triggered_by: string | null;
  /** When the attempt was made. */
  readonly created_at: Date | null;
}

/**
 * One webhook delivery of an invoice. The interface does not show the wire names of most members. These names belong to
 * this package, and each is read from several plausible wire names.
 * @see [Webhook delivery record](../../docs/service-interface.md#webhook-delivery-record)
 */
export interface WebhookDelivery {
  /** Equals the header X-Webhook-Id. */
  readonly id: string;
  /** Null if the service does not say it. */
  readonly event_type: EventType | null;
  readonly status: DeliveryStatus;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Attempts after which the delivery fails, 7 by default. */
  readonly max_attempts: number | null;
  /** HTTP status of the last answer. Null if no attempt got one. */
  readonly last_http_status: number | null;
  /** When the next attempt is due. Null without a further attempt. */
  readonly next_retry_at: Date | null;
  /** When a 2xx answer was received. */
  readonly delivered_at: Date | null;
  readonly attempt_log: readonly DeliveryAttempt[];
}

/**
 * A page of a list, as the service returns it.
 * @see [Response envelope](../../docs/service-interface.md#response-envelope)
 */
export interface Page<T> {
  readonly items: readonly T[];
  /** From 1. */
  readonly page: number;
  /** The size of the page, which the last page may not reach. */
  readonly per_page: number;
  /** Items on all pages, at the time of this answer. */
  readonly total_items: number;
  /** Of an empty list 0 or 1, so look at `items`. */
  readonly total_pages: number;
  readonly has_next: boolean;
  readonly has_prev: boolean;
}
