// The words of the interface for states and events.

/**
 * The statuses in which an invoice ends, the paid one first.
 * @see [Invoice states](../../docs/service-interface.md#invoice-states)
 */
export const FINAL_INVOICE_STATUSES = ['success', 'fail', 'expired', 'canceled'] as const;
/** A status in which an invoice ends. */
export type FinalInvoiceStatus = (typeof FINAL_INVOICE_STATUSES)[number];

/** The statuses of an invoice. @see [Invoice states](../../docs/service-interface.md#invoice-states) */
export const INVOICE_STATUS_NAMES = ['pending', ...FINAL_INVOICE_STATUSES] as const;

/**
 * True for a status in which an invoice ends. False for `pending`, and for a status that the interface does not list.
 */
export function isFinalStatus(status: string): status is FinalInvoiceStatus {
  return FINAL_INVOICE_STATUSES.some((final) => final === status);
}

/** The names of the events. @see [Emission](../../docs/service-interface.md#emission) */
export const EVENT_TYPES = ['invoice.paid', 'invoice.canceled'] as const;
/** `invoice.paid` for `success`, `invoice.canceled` for `expired`, `canceled` and `fail`. */
export type KnownEventType = (typeof EVENT_TYPES)[number];

/** @see [Withdrawal states](../../docs/service-interface.md#withdrawal-states) */
export const WITHDRAWAL_STATUSES = ['pending', 'approved', 'rejected'] as const;
/**
 * `pending` is the only state that is not final.
 * @see [Withdrawal states](../../docs/service-interface.md#withdrawal-states)
 */
export type KnownWithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** @see [Webhook delivery states and moves](../../docs/service-interface.md#webhook-delivery-states-and-moves) */
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'failed'] as const;
/**
 * `delivered` and `failed` are final. After `failed`, only a manual resend makes another attempt.
 * @see [Webhook delivery states and moves](../../docs/service-interface.md#webhook-delivery-states-and-moves)
 */
export type KnownDeliveryStatus = (typeof DELIVERY_STATUSES)[number];
