import type { DeliveryAttempt, WebhookDelivery } from '../../contract/deliveries.ts';
import type { Invoice, InvoiceAdjustment } from '../../contract/invoices.ts';
import type { PaymentMethod } from '../../contract/payment-methods.ts';
import type { Rate } from '../../contract/rates.ts';
import type { KnownEventType } from '../../contract/statuses.ts';
import type { Currency } from '../../contract/types.ts';
import type { Wire } from '../../contract/wire.ts';
import type { Withdrawal } from '../../contract/withdrawals.ts';
import type { Diagnosis } from './delivery/diagnose.ts';
import type { DeliveryFault } from './state/faults.ts';

/** A currency as it travels. */
export interface WireCurrency extends Wire<Currency> {}

/**
 * A payment method as it travels. Amounts and percentages are decimal text.
 * @see [Payment method (list item)](../../../docs/service-interface.md#payment-method-list-item)
 */
export interface SandboxMethod extends Wire<PaymentMethod> {
  readonly name: string;
  readonly logo_url: string;
}

/**
 * A market rate. A null price means a pair without fresh data: the list leaves it out.
 * @see [Rate](../../../docs/service-interface.md#rate)
 */
export interface SandboxRate extends Omit<Wire<Rate>, 'price'> {
  /** Fiat per USDT. */
  readonly price: string | null;
  /** The limits of the source, in the fiat currency. */
  readonly min_amount: string;
  readonly max_amount: string;
}

/**
 * A withdrawal as it travels. A member that does not apply is null. The list is ordered by `created_at`.
 * @see [Withdrawal](../../../docs/service-interface.md#withdrawal)
 */
export interface SandboxWithdrawal extends Wire<Omit<Withdrawal, 'unreadable'>> {}

/**
 * The correction of an invoice. Amounts are decimal text.
 * @see [Invoice adjustment](../../../docs/service-interface.md#invoice-adjustment)
 */
export interface SandboxAdjustment extends Wire<InvoiceAdjustment> {}

/**
 * An invoice as the sandbox holds it: the full form of the interface in wire text, whatever the dialect writes.
 * @see [Invoice](../../../docs/service-interface.md#invoice)
 */
export interface SandboxInvoice extends Wire<Invoice> {}

/** One HTTP request of the service to a receiver, as it was sent. */
export interface SandboxWebhookRequest {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One attempt of a delivery: the members of the interface, and what helps to find out why. */
export interface SandboxAttempt extends Wire<DeliveryAttempt> {
  readonly success: boolean;
  /** Milliseconds of real time until the response. */
  readonly duration_ms: number;
  /** `schedule` for an attempt of the retry schedule, `manual` for a resend. */
  readonly triggered_by: 'schedule' | 'manual';
  readonly created_at: string;
  /** The request that was sent. Null if nothing was sent, because the host is not allowed. */
  readonly request: SandboxWebhookRequest | null;
  /** The receiver's response, cut at 2,000 characters. Null without a response. */
  readonly response_body: string | null;
  /** The response's headers, at most 30, each cut at 200 characters. Null without a response. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The fault that was injected into this attempt. */
  readonly fault: DeliveryFault['type'] | null;
  /** Why it was not accepted, or which mistake its acceptance shows. Null if there is nothing to say. */
  readonly cause: Diagnosis | null;
}

/**
 * A webhook delivery with its attempts.
 * @see [Webhook delivery record](../../../docs/service-interface.md#webhook-delivery-record)
 */
export interface SandboxDelivery extends Omit<Wire<WebhookDelivery>, 'attempt_log'> {
  readonly invoice_uuid: string;
  readonly external_id: string;
  readonly event_type: KnownEventType;
  /** The address of the receiver. */
  readonly url: string;
  /** The bytes that every attempt sends. */
  readonly body: string;
  /** Attempts of the schedule. A manual resend may add one. */
  readonly max_attempts: number;
  readonly created_at: string;
  readonly attempt_log: readonly SandboxAttempt[];
}

/** A new invoice. The names are those of the service. */
export interface NewInvoice {
  /** Decimal text, greater than 0, at most 2 decimals. */
  readonly amount: string;
  /** A code that a payment method serves, such as `EUR`. */
  readonly currency: string;
  /** 1 to 128 characters. Default: the next free one, such as `order-1001`. */
  readonly external_id?: string | undefined;
  /** @defaultValue 'customer-1' */
  readonly customer_id?: string | undefined;
  /** Text for the customer. */
  readonly purpose?: string | undefined;
  /** Receives the terminal webhook. Default: the one of {@link SandboxDefaults}. */
  readonly callback_url?: string | undefined;
  /** Where the customer goes after a payment. Default: the one of {@link SandboxDefaults}. */
  readonly success_url?: string | undefined;
  /** Where the customer goes after a failed payment. Default: the one of {@link SandboxDefaults}. */
  readonly fail_url?: string | undefined;
}

/** An invoice after an action, and what became of its webhook. */
export interface SandboxEnding {
  readonly invoice: SandboxInvoice;
  /** Null if no webhook was made: the invoice has no callback URL, or was final from the beginning. */
  readonly delivery: EndingDelivery | null;
}

/** What became of the latest webhook of an invoice. */
export interface EndingDelivery {
  /**
   * `waiting`: the first attempt is held or in progress. `retrying`: refused, with attempts left. `failed`: given up.
   */
  readonly state: 'delivered' | 'retrying' | 'failed' | 'waiting';
  /** The HTTP status of the last attempt. Null without a response. */
  readonly status: number | null;
  /**
   * Why it was not accepted, as text for people. Null if it was accepted, or has not been sent yet. An HTML page that
   * accepted it is named here, too.
   */
  readonly why: string | null;
}

/** How a payment is made. All members have defaults. */
export interface Payment {
  /** Decimal text without the commission. Default: the ordered amount. */
  readonly amount?: string | undefined;
  /** The id or the name of a method. Default: the chosen one, or the first that takes the amount. */
  readonly method?: string | number | undefined;
  /**
   * True pays an invoice that has expired, failed or been canceled, which sends a second webhook. A pending one expires
   * first: the clock moves to its `expires_at`. @defaultValue false
   */
  readonly late?: boolean | undefined;
}
