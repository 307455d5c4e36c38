import type { KnownDeliveryStatus, KnownEventType, KnownInvoiceStatus, KnownWithdrawalStatus } from './types.ts';

/**
 * The four final states.
 * @see [Invoice states](../../docs/service-interface.md#invoice-states)
 */
export type FinalInvoiceStatus = Exclude<KnownInvoiceStatus, 'pending'>;

interface FinalRow {
  readonly isFinal: true;
  /** The terminal webhook that announces the status. */
  readonly event: KnownEventType;
}

interface OpenRow {
  readonly isFinal: false;
  readonly event: null;
}

/**
 * Each invoice status with what follows from it.
 * @see [Invoice states](../../docs/service-interface.md#invoice-states)
 */
export const INVOICE_STATUSES = {
  pending: { isFinal: false, event: null },
  success: { isFinal: true, event: 'invoice.paid' },
  fail: { isFinal: true, event: 'invoice.canceled' },
  expired: { isFinal: true, event: 'invoice.canceled' },
  canceled: { isFinal: true, event: 'invoice.canceled' },
} as const satisfies Readonly<
  Record<FinalInvoiceStatus, FinalRow> & Record<Exclude<KnownInvoiceStatus, FinalInvoiceStatus>, OpenRow>
>;

/** The known invoice statuses, in the order of the interface. */
export const INVOICE_STATUS_NAMES = Object.keys(INVOICE_STATUSES) as readonly KnownInvoiceStatus[]; // the table's keys

/** The known final statuses, the paid one first. */
export const FINAL_INVOICE_STATUSES = INVOICE_STATUS_NAMES.filter(
  (status): status is FinalInvoiceStatus => INVOICE_STATUSES[status].isFinal,
);

/** Returns the event that announces a status, or null for a status that is not final or not known. */
export function eventOfStatus(status: string): KnownEventType | null {
  return Object.hasOwn(INVOICE_STATUSES, status) ? INVOICE_STATUSES[status as KnownInvoiceStatus].event : null; // a key
}

/** Returns the statuses that an event announces. */
export function statusesOf(event: KnownEventType): readonly FinalInvoiceStatus[] {
  return FINAL_INVOICE_STATUSES.filter((status) => INVOICE_STATUSES[status].event === event);
}

/** @see [Withdrawal states](../../docs/service-interface.md#withdrawal-states) */
export const WITHDRAWAL_STATUSES = [
  'pending',
  'approved',
  'rejected',
] as const satisfies readonly KnownWithdrawalStatus[];

/** @see [Webhook delivery states and moves](../../docs/service-interface.md#webhook-delivery-states-and-moves) */
export const DELIVERY_STATUSES = [
  'pending',
  'delivering',
  'delivered',
  'failed',
] as const satisfies readonly KnownDeliveryStatus[];
