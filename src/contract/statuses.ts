// The webhook events of the interface, one row each. A new event is a row here, its type in webhooks/event/event-types.ts and
// its decoder in webhooks/event/event.ts. The compiler asks for the other two.

/** A webhook event of the interface. */
export interface EventRow {
  /** The final statuses that the event reports. Those that customers wait for come first: `catchUp` walks them in this order. */
  readonly statuses: readonly string[];
  /** The word for the event in dedupe keys, and at the end of its name in any spelling. */
  readonly key: string;
  /** The option of the webhook handler with the merchant's function. Without it the event goes to `onUnknown`. */
  readonly handler: string;
}

/** @see [Emission](../../docs/service-interface.md#emission) */
export const EVENTS = {
  'invoice.paid': { statuses: ['success'], key: 'paid', handler: 'onPaid' },
  'invoice.canceled': { statuses: ['fail', 'expired', 'canceled'], key: 'canceled', handler: 'onCanceled' },
} as const satisfies Readonly<Record<string, EventRow>>;

type Events = typeof EVENTS;

/** `invoice.paid` for `success`, `invoice.canceled` for `expired`, `canceled` and `fail`. */
export type KnownEventType = keyof Events;
/** The statuses that an event reports. */
export type EventStatus<Type extends KnownEventType> = Events[Type]['statuses'][number];
/** The statuses in which an invoice ends. @see [Invoice states](../../docs/service-interface.md#invoice-states) */
export type FinalInvoiceStatus = EventStatus<KnownEventType>;

export const EVENT_TYPES = Object.keys(EVENTS) as readonly KnownEventType[]; // the keys of the table

/** The known final statuses, the paid one first. */
export const FINAL_INVOICE_STATUSES: readonly FinalInvoiceStatus[] = EVENT_TYPES.flatMap(statusesOf);

/** The known invoice statuses, in the order of the interface. */
export const INVOICE_STATUS_NAMES: readonly ('pending' | FinalInvoiceStatus)[] = ['pending', ...FINAL_INVOICE_STATUSES];

/** Returns the event that announces a status, or null for a status that is not final or not known. */
export function eventOfStatus(status: string): KnownEventType | null {
  return EVENT_TYPES.find((event) => statusesOf(event).some((known) => known === status)) ?? null;
}

/** Returns the statuses that an event announces. */
export function statusesOf(event: KnownEventType): readonly FinalInvoiceStatus[] {
  return EVENTS[event].statuses;
}

/** @see [Withdrawal states](../../docs/service-interface.md#withdrawal-states) */
export const WITHDRAWAL_STATUSES = ['pending', 'approved', 'rejected'] as const;
/** `pending` is the only state that is not final. @see [Withdrawal states](../../docs/service-interface.md#withdrawal-states) */
export type KnownWithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** @see [Webhook delivery states and moves](../../docs/service-interface.md#webhook-delivery-states-and-moves) */
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'failed'] as const;
/**
 * `delivered` and `failed` are final. After `failed`, only a manual resend makes another attempt.
 * @see [Webhook delivery states and moves](../../docs/service-interface.md#webhook-delivery-states-and-moves)
 */
export type KnownDeliveryStatus = (typeof DELIVERY_STATUSES)[number];
