import type {
  KnownDeliveryStatus,
  KnownEventType,
  KnownInvoiceStatus,
  KnownWithdrawalStatus,
} from '../contract/types.ts';
import type { DeliveryFault } from './service/faults.ts';

/** A currency as it travels. */
export interface WireCurrency {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly symbol: string;
}

/**
 * A payment method as it travels. Amounts and percentages are decimal text.
 * @see [Payment method (list item)](../../docs/service-interface.md#payment-method-list-item)
 */
export interface SandboxMethod {
  readonly id: number;
  readonly name: string;
  readonly currency: WireCurrency;
  readonly min_amount: string;
  readonly max_amount: string;
  readonly total_commission_percent: string;
  readonly client_commission_percent: string;
  readonly merchant_commission_percent: string;
  readonly logo_url: string;
}

/**
 * A market rate. A null price stands for a pair without fresh data: the list leaves it out.
 * @see [Rate](../../docs/service-interface.md#rate)
 */
export interface SandboxRate {
  readonly platform: string;
  readonly asset: string;
  readonly fiat: string;
  readonly side: 'buy' | 'sell';
  /** Fiat per USDT. */
  readonly price: string | null;
  readonly min_amount: string;
  readonly max_amount: string;
}

/**
 * A withdrawal as it travels; null where a member does not apply.
 * @see [Withdrawal](../../docs/service-interface.md#withdrawal)
 */
export interface SandboxWithdrawal {
  readonly uuid: string;
  readonly actor: string | null;
  readonly balance_type: string | null;
  readonly token: string | null;
  readonly network: string | null;
  readonly address: string | null;
  readonly amount: string | null;
  readonly network_commission: string | null;
  readonly amount_to_send: string | null;
  readonly status: KnownWithdrawalStatus;
  /** ISO 8601 text. The list is ordered by it. */
  readonly created_at: string | null;
  readonly logo_url: string | null;
  readonly tx_hash: string | null;
  readonly reject_reason: string | null;
  readonly processed_at: string | null;
}

/**
 * The correction of an invoice; decimal text.
 * @see [Invoice adjustment](../../docs/service-interface.md#invoice-adjustment)
 */
export interface SandboxAdjustment {
  readonly expected_amount_fiat: string;
  readonly actual_amount_fiat: string;
  readonly expected_amount_usdt: string;
  readonly actual_amount_usdt: string;
}

/**
 * An invoice as the sandbox holds it: the full form of the interface in wire text, whatever the dialect writes.
 * @see [Invoice](../../docs/service-interface.md#invoice)
 */
export interface SandboxInvoice {
  readonly uuid: string;
  readonly external_id: string;
  readonly customer_id: string;
  readonly purpose: string | null;
  /** To the digit as it was sent. */
  readonly amount: string;
  readonly amount_to_send: string | null;
  readonly currency: WireCurrency;
  readonly status: KnownInvoiceStatus;
  readonly callback_url: string | null;
  readonly success_url: string | null;
  readonly fail_url: string | null;
  readonly payment_url: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly finished_at: string | null;
  readonly payment_method: { readonly name: string; readonly logo_url: string | null } | null;
  readonly rate: string | null;
  readonly settled_amount_usdt: string | null;
  readonly is_adjusted: boolean;
  readonly adjustment: SandboxAdjustment | null;
}

/** One HTTP request of the service to a receiver, as it was sent. */
export interface SandboxWebhookRequest {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One attempt of a delivery. The first six members are those of the interface; the rest help to find out why. */
export interface SandboxAttempt {
  readonly status_code: number | null;
  readonly success: boolean;
  readonly error: string | null;
  readonly duration_ms: number;
  /** `schedule` for the service's own attempts, `manual` for a resend. */
  readonly triggered_by: 'schedule' | 'manual';
  readonly created_at: string;
  /** What was sent; null where nothing was, because the host is not allowed. */
  readonly request: SandboxWebhookRequest | null;
  /** The receiver's answer, cut at 2,000 characters; null when none came. */
  readonly response_body: string | null;
  /** The answer's headers, at most 30, each cut at 200 characters; null when none came. */
  readonly response_headers: Readonly<Record<string, string>> | null;
  /** The fault that was injected into this attempt. */
  readonly fault: DeliveryFault['type'] | null;
  /** The cause of a refusal where the sandbox can tell, and what to do; null where it cannot. */
  readonly why: string | null;
}

/**
 * A webhook delivery with its attempts.
 * @see [Webhook delivery record](../../docs/service-interface.md#webhook-delivery-record)
 */
export interface SandboxDelivery {
  /** Equals X-Webhook-Id. */
  readonly id: string;
  readonly invoice_uuid: string;
  readonly external_id: string;
  readonly event_type: KnownEventType;
  readonly status: KnownDeliveryStatus;
  /** Where it goes; null where neither invoice nor business has a callback URL. */
  readonly url: string | null;
  /** Exactly what every attempt sends. */
  readonly body: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_http_status: number | null;
  readonly next_retry_at: string | null;
  readonly delivered_at: string | null;
  readonly created_at: string;
  readonly attempt_log: readonly SandboxAttempt[];
}
