import { EVENT_TYPES, EVENTS, type FinalInvoiceStatus, type KnownEventType } from './events.ts';
import type { KnownDeliveryStatus, KnownInvoiceStatus, KnownWithdrawalStatus } from './types.ts';

export type { FinalInvoiceStatus } from './events.ts';

/** The known final statuses, the paid one first. */
export const FINAL_INVOICE_STATUSES: readonly FinalInvoiceStatus[] = EVENT_TYPES.flatMap(statusesOf);

/** The known invoice statuses, in the order of the interface. */
export const INVOICE_STATUS_NAMES: readonly KnownInvoiceStatus[] = ['pending', ...FINAL_INVOICE_STATUSES];

/** Returns the event that announces a status, or null for a status that is not final or not known. */
export function eventOfStatus(status: string): KnownEventType | null {
  return EVENT_TYPES.find((event) => statusesOf(event).some((known) => known === status)) ?? null;
}

/** Returns the statuses that an event announces. */
export function statusesOf(event: KnownEventType): readonly FinalInvoiceStatus[] {
  return EVENTS[event].statuses;
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
