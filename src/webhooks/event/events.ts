import type { JsonObject } from '../../contract/json.ts';
import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import { type AdjustedPins, readAdjusted, saidOf } from './adjusted.ts';
import type {
  CatchUpInvoice,
  InvoiceEvent,
  InvoiceEventHandlers,
  KnownInvoiceEvents,
  UnknownInvoiceEvent,
} from './event-types.ts';
import { malformed, optionalAmount, readableAmount, requiredAmount } from './payload.ts';

// Everything that the receiver knows about an event is its row in this table. A new event is a type in
// `KnownInvoiceEvents` and a row here. Where two events share a status, the first row takes each payload without a
// name, and each invoice that `catchUp` reads, which has a status and no name.

/** The members that differ from event to event. */
type Amounts = 'amount' | 'credited_usdt' | 'adjusted' | 'original_amount';
/** An event that has a row. */
export type KnownInvoiceEvent = KnownInvoiceEvents[keyof KnownInvoiceEvents];
/** The members of an event that its row reads. */
export type EventAmounts = Pick<UnknownInvoiceEvent, Amounts>;

/** A row of the table. */
export interface EventRow<Event extends KnownInvoiceEvent = KnownInvoiceEvent> {
  /** The name on the wire. Rows may share one: `adjusted` tells them apart. */
  readonly name: Event['type'];
  readonly adjusted: Event['adjusted'];
  /** The statuses that the event reports. A status without a name belongs to the first row that has it. */
  readonly statuses: readonly Event['status'][];
  /** The word for the event in dedupe keys. Rows of which an invoice can have only one share it. */
  readonly key: string;
  /** The option of the handler with the merchant's function. Without it the event goes to `onUnknown`. */
  readonly handler: keyof InvoiceEventHandlers<never>;
  /** Reads the amounts, or returns null if they belong to another row of this name. */
  read(payload: JsonObject, layers: readonly JsonObject[], pins: AdjustedPins): Pick<Event, Amounts> | null;
  /** The members that the webhook of such an invoice would have, besides its ids and its status. */
  ofInvoice(invoice: CatchUpInvoice): JsonObject;
}

type Table = { readonly [Name in keyof KnownInvoiceEvents]: EventRow<KnownInvoiceEvents[Name]> };
/** A final status that no event reports: with one, the table does not compile, because `catchUp` could not play it. */
type Unreported = Exclude<FinalInvoiceStatus, KnownInvoiceEvent['status']>;

/** The events that this package knows. @see [Emission](../../../docs/service-interface.md#emission) */
export const EVENTS: [Unreported] extends [never] ? Table : `no event reports ${Unreported}` = {
  paid: {
    name: 'invoice.paid',
    adjusted: false,
    statuses: ['success'],
    key: 'paid',
    handler: 'onPaid',
    read(payload, layers, pins) {
      const { amount, credited_usdt, adjusted } = readPayment(payload, layers, pins);
      if (adjusted) return null;
      if (credited_usdt.isZero()) throw malformed('it was paid as ordered, but "credited_usdt" is 0');
      return { amount, credited_usdt, adjusted, original_amount: null };
    },
    ofInvoice: ({ amount, settled_amount_usdt, adjustment }) => ({
      amount: amountText(amount),
      credited_usdt: amountText(settled_amount_usdt ?? adjustment?.actual_amount_usdt),
      adjusted: false,
    }),
  },
  adjusted: {
    name: 'invoice.paid',
    adjusted: true,
    statuses: ['success'],
    key: 'paid',
    handler: 'onAdjusted',
    read(payload, layers, pins) {
      const { adjusted, ...paid } = readPayment(payload, layers, pins);
      return adjusted ? { ...paid, adjusted } : null;
    },
    ofInvoice: ({ amount, settled_amount_usdt, adjustment }) => ({
      amount: amountText(adjustment?.actual_amount_fiat),
      credited_usdt: amountText(settled_amount_usdt ?? adjustment?.actual_amount_usdt),
      adjusted: true,
      original_amount: amountText(adjustment?.expected_amount_fiat ?? amount),
    }),
  },
  canceled: {
    name: 'invoice.canceled',
    adjusted: false,
    statuses: ['fail', 'expired', 'canceled'],
    key: 'canceled',
    handler: 'onCanceled',
    read(payload, layers) {
      const amount = requiredAmount(payload, 'amount');
      const of = (layer: JsonObject) => CREDITS.filter((name) => readableAmount(layer, name)?.isZero() === false);
      const [credit] = [payload, ...layers].flatMap(of);
      const said = credit ?? (saidOf(payload) === true ? 'adjusted' : undefined);
      if (said !== undefined)
        throw malformed(`its status says that nothing was paid, but "${said}" says that something was`);
      optionalAmount(payload, 'credited_usdt'); // it must be an amount
      return { amount, credited_usdt: null, adjusted: false, original_amount: null };
    },
    ofInvoice: ({ amount }) => ({ amount: amountText(amount) }),
  },
};

/** The members that say how much was credited. */
const CREDITS = ['credited_usdt', 'settled_amount_usdt'];

/** The rows in the order of the table. */
export const EVENT_ROWS: readonly EventRow[] = Object.values(EVENTS);

/** The row of an event, or undefined for an unknown one. */
export function rowOf({ type, adjusted }: Pick<InvoiceEvent, 'type' | 'adjusted'>): EventRow | undefined {
  return EVENT_ROWS.find((row) => row.name === type && row.adjusted === adjusted);
}

/** The name of the event that reports a status, or null for a status that is not final or not known. */
export function eventNameOf(status: string): KnownInvoiceEvent['type'] | null {
  return EVENT_ROWS.find(({ statuses }) => statuses.some((known) => known === status))?.name ?? null;
}

/** Reads what was paid, and whether it was corrected. */
function readPayment(payload: JsonObject, layers: readonly JsonObject[], pins: AdjustedPins) {
  const paid = { amount: requiredAmount(payload, 'amount'), credited_usdt: requiredAmount(payload, 'credited_usdt') };
  const { adjusted, original_amount } = readAdjusted(payload, layers, paid, pins);
  return { ...paid, adjusted, original_amount };
}

/**
 * The amount of an invoice as text, because its Decimal may come from another copy of decimal.js. Any other
 * value is returned unchanged, and the row refuses it. A number also has a toFixed, which would round it.
 */
export function amountText(amount: CatchUpInvoice['amount'] | null | undefined): unknown {
  return typeof amount === 'object' && amount !== null ? amount.toFixed() : amount;
}
