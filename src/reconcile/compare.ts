import { kindOf } from '../checks.ts';
import type { Invoice } from '../contract/invoices.ts';
import type { InvoiceStatus } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { dateFrom, decimalFrom, Problem } from '../contract/values/scalars.ts';
import { isMerchantError } from '../errors/guards.ts';
import { eventNameOf } from '../webhooks/event/events.ts';
import { eventOfInvoice } from '../webhooks/event/invoice-event.ts';

// One order beside its invoice: what each side says, what differs, and what to do about it. Pure functions.

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

/** The states of an order. */
export const ORDER_STATES: readonly OrderState[] = ['open', 'paid', 'fulfilled', 'canceled', 'refunded'];

/**
 * An order of the shop. Further members are ignored, so a row of a database will do.
 *
 * @example
 * const order = { external_id: 'order-1042', amount: '25.00', currency: 'EUR', credited_usdt: '26.86', state: 'fulfilled' };
 */
export interface ReconcileOrder {
  /** The id with which the invoice was created. */
  readonly external_id: string;
  /** The amount that the customer owes, as decimal text or a Decimal. Never a number. */
  readonly amount: string | Decimal;
  /** Currency code, compared without case. */
  readonly currency: string;
  /** What your shop did for the order. See {@link OrderState}. */
  readonly state: OrderState;
  /** The USDT that the shop has booked. Null or absent: not compared. */
  readonly credited_usdt?: string | Decimal | null | undefined;
  /** When the order was made: a Date or ISO 8601 text. With it, a young order without an invoice is left for the next run. */
  readonly created_at?: Date | string | null | undefined;
  /** Where the order stands, for people. @defaultValue `row N`, its position from 1 */
  readonly place?: string | undefined;
}

/** A row that could not be read as an order. It becomes a {@link NotCompared}, so that nothing is dropped silently. */
export interface UnreadableOrder {
  /** What is wrong with it. */
  readonly problem: string;
  /** Its id, if that can be read: its invoice is then not without an order. */
  readonly external_id?: string | undefined;
  /** As in {@link ReconcileOrder}. */
  readonly place?: string | undefined;
}

/** The order of a finding, as the shop gave it. */
export interface FoundOrder {
  readonly external_id: string;
  readonly amount: Decimal;
  /** In upper case. */
  readonly currency: string;
  /** The USDT that the shop has booked. Null if the shop does not say. */
  readonly credited_usdt: Decimal | null;
  readonly state: OrderState;
  readonly created_at: Date | null;
  /** Where the order stood, such as `line 17` of a file or `row 16` of an iterable. */
  readonly place: string;
}

/** The invoice of a finding, as the service returned it last. */
export interface FoundInvoice {
  /** The service's id of the invoice. */
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
  readonly created_at: Date;
  readonly expires_at: Date;
  /** Time of the final state. Null while it is pending. */
  readonly finished_at: Date | null;
}

/** The members of an invoice that `reconcile` reads. */
export type ReconcileInvoice = Pick<
  Invoice,
  | 'uuid'
  | 'external_id'
  | 'status'
  | 'amount'
  | 'currency'
  | 'created_at'
  | 'expires_at'
  | 'finished_at'
  | 'settled_amount_usdt'
  | 'is_adjusted'
  | 'adjustment'
>;

/**
 * What differs.
 *
 * - `paid_not_fulfilled`: the invoice is paid, and the order is open or canceled.
 * - `fulfilled_not_paid`: the shop booked a payment, delivered or refunded, and the invoice is not paid, or there is none.
 * - `amount_differs`: the customer paid another amount than the order has.
 * - `credited_differs`: the shop booked another credit than the service.
 * - `currency_differs`: order and invoice are in different currencies. Their amounts are not compared then.
 * - `order_without_invoice`: the order is open, and no invoice has its id.
 * - `invoice_without_order`: the invoice is paid or pending, and no order has its id.
 * - `duplicate_order`: several orders have this id. They are not compared with the invoice.
 */
export type FindingKind =
  | 'paid_not_fulfilled'
  | 'fulfilled_not_paid'
  | 'amount_differs'
  | 'credited_differs'
  | 'currency_differs'
  | 'order_without_invoice'
  | 'invoice_without_order'
  | 'duplicate_order';

/** A difference between an order and its invoice. */
export interface Finding {
  /** What differs. */
  readonly kind: FindingKind;
  /** The merchant's order id. */
  readonly external_id: string;
  /** Currency of the invoice, or of the order without an invoice. In upper case. */
  readonly currency: string;
  /** An amount, a state, a currency or a number, as the kind has it. Null for an invoice without an order. */
  readonly expected: Decimal | string | number | null;
  /** Null if there is no invoice. */
  readonly actual: Decimal | string | number | null;
  /** `actual` minus `expected` for amounts, otherwise null. */
  readonly difference: Decimal | null;
  /** The facts and the remedy, as sentences for people. */
  readonly action: string;
  /** True if the invoice, or its absence, was read again just before. False where the service has no single reads. */
  readonly confirmed: boolean;
  /** The order as the shop gave it. Null for `invoice_without_order`. */
  readonly order: FoundOrder | null;
  /** The invoice as it was read last. Null where the order has none. */
  readonly invoice: FoundInvoice | null;
}

/** A finding before it is read again. */
export type Difference = Pick<Finding, 'kind' | 'expected' | 'actual' | 'difference' | 'action'>;

/** The result of comparing an order with its invoice. */
export type Judgement =
  | { readonly ending: 'matched' | 'withinGrace' }
  | { readonly ending: 'malformed'; readonly problem: string }
  | { readonly ending: 'differs'; readonly differences: readonly Difference[] };

/**
 * Compares an order with its invoice. Either may be missing, and not both.
 *
 * @param horizon What ended or began after this time is left for the next run: its webhook may be under way, and a replica
 * of the service may not have it yet.
 */
export function judge(order: FoundOrder | null, invoice: ReconcileInvoice | null, horizon: number): Judgement {
  if (invoice === null) return order === null ? { ending: 'matched' } : judgeOrderAlone(order, horizon);
  const payment = paymentOf(invoice);
  if (typeof payment === 'string') return { ending: 'malformed', problem: payment };
  const differences = order === null ? withoutOrder(invoice) : between(order, foundInvoice(invoice, payment));
  if (differences.length === 0) return { ending: 'matched' };
  const moved = invoice.finished_at ?? invoice.created_at;
  return moved.getTime() > horizon ? { ending: 'withinGrace' } : { ending: 'differs', differences };
}

/** A canceled order needs no invoice: nothing was charged and nothing was given. */
function judgeOrderAlone({ state, created_at }: FoundOrder, horizon: number): Judgement {
  if (state === 'canceled') return { ending: 'matched' };
  if ((created_at?.getTime() ?? 0) > horizon) return { ending: 'withinGrace' };
  const stop = 'nothing was paid. Stop or reclaim the delivery, or find the payment.';
  const differences =
    state === 'open'
      ? [
          differs(
            'order_without_invoice',
            state,
            null,
            'Create the invoice with this external_id, or cancel the order.',
          ),
        ]
      : [differs('fulfilled_not_paid', 'success', null, `The order is ${state}, and no invoice has its id: ${stop}`)];
  return { ending: 'differs', differences };
}

/** For an invoice that ended unpaid nothing is owed, so the shop may have deleted its order. */
function withoutOrder({ status }: ReconcileInvoice): Difference[] {
  if (eventNameOf(status) === 'invoice.canceled') return [];
  const action = 'Find the order. If no order belongs to it, find out who created the invoice.';
  return [differs('invoice_without_order', null, status, action)];
}

/** Every difference, the state first. */
function between(order: FoundOrder, invoice: FoundInvoice): Difference[] {
  const { state, amount, currency, credited_usdt: booked } = order;
  const { paid_amount: paid, credited_usdt: credited, status } = invoice;
  const isTaken = state === 'paid' || state === 'fulfilled' || state === 'refunded';
  if (paid === null || credited === null) {
    if (!isTaken) return [];
    const action = `The order is ${state}, and its invoice is ${status}: nothing was paid. Stop or reclaim the delivery.`;
    return [differs('fulfilled_not_paid', 'success', status, action)];
  }
  if (state === 'refunded') return []; // settled by hand, so the amounts no longer count
  const differences: Difference[] = [];
  const isOtherCurrency = currency !== invoice.currency;
  const isOtherAmount = !isOtherCurrency && !amount.eq(paid);
  const sum = `${paid.toFixed()} ${invoice.currency} of ${amount.toFixed()} ${currency} was paid, and ${credited.toFixed()} USDT credited`;
  if (!isTaken) {
    const remedy =
      isOtherCurrency || isOtherAmount
        ? 'Do not fulfil it as ordered: settle the difference with the customer first, or refund the payment.'
        : 'Fulfil the order, or refund the customer.';
    differences.push(differs('paid_not_fulfilled', 'fulfilled', state, `${sum}. ${remedy}`));
  }
  if (isOtherCurrency) {
    const action = `${sum}. Find out which currency is right. The amounts were not compared.`;
    differences.push(differs('currency_differs', currency, invoice.currency, action));
  }
  if (isOtherAmount) {
    const remedy = paid.lt(amount)
      ? 'Ask for the rest, or accept it and lower the amount of the order.'
      : 'Refund the rest, or accept it and raise the amount of the order.';
    differences.push(differs('amount_differs', amount, paid, `${sum}. ${remedy}`));
  }
  if (booked !== null && !booked.eq(credited)) {
    const action = `${credited.toFixed()} USDT was credited, and ${booked.toFixed()} is booked. Correct the booked credit.`;
    differences.push(differs('credited_differs', booked, credited, action));
  }
  return differences;
}

function differs(
  kind: FindingKind,
  expected: Difference['expected'],
  actual: Difference['actual'],
  action: string,
): Difference {
  const areAmounts = Decimal.isDecimal(expected) && Decimal.isDecimal(actual);
  return { kind, expected, actual, difference: areAmounts ? actual.minus(expected) : null, action };
}

interface Payment {
  readonly paid: Decimal | null;
  readonly credited: Decimal | null;
}

const UNPAID: Payment = { paid: null, credited: null };

/** What was paid and credited. A text says why the invoice cannot be judged: it contradicts itself, as for `catchUp`. */
function paymentOf(invoice: ReconcileInvoice): Payment | string {
  if (invoice.status === 'pending') return UNPAID;
  try {
    const event = eventOfInvoice(invoice);
    switch (event.type) {
      case 'invoice.paid':
        return { paid: event.amount, credited: event.credited_usdt };
      case 'invoice.canceled':
        return UNPAID;
      case 'unknown':
        return 'its status is not one that the interface knows';
    }
  } catch (error) {
    return isMerchantError(error) ? error.message : 'it cannot be read';
  }
}

function foundInvoice(invoice: ReconcileInvoice, { paid, credited }: Payment): FoundInvoice {
  const { uuid, status, amount, currency, created_at, expires_at, finished_at } = invoice;
  const code = currency.code.toUpperCase();
  const times = { created_at, expires_at, finished_at };
  return { uuid, status, amount, currency: code, paid_amount: paid, credited_usdt: credited, ...times };
}

/** A difference as the caller sees it. */
export function findingOf(
  difference: Difference,
  confirmed: boolean,
  order: FoundOrder | null,
  invoice: ReconcileInvoice | null,
): Finding {
  const payment = invoice === null ? UNPAID : paymentOf(invoice);
  const found = invoice === null ? null : foundInvoice(invoice, typeof payment === 'string' ? UNPAID : payment);
  return {
    ...difference,
    external_id: order?.external_id ?? invoice?.external_id ?? '',
    currency: found?.currency ?? order?.currency ?? '',
    confirmed,
    order,
    invoice: found,
  };
}

const ID_MAX = 512;
const WORD_MAX = 40;

/** An order that cannot be compared. Its id is null where that cannot be read either. */
export interface BadOrder {
  readonly problem: string;
  readonly place: string;
  readonly external_id: string | null;
}

/** Reads a row of the shop. Never throws, whatever the shop passes. */
export function readOrder(given: unknown, byDefault: string): FoundOrder | BadOrder {
  let place = byDefault;
  let external_id: string | null = null;
  try {
    if (typeof given !== 'object' || given === null)
      throw new Problem(`an order must be an object, not ${kindOf(given)}`);
    const row = given as Readonly<Partial<Record<keyof ReconcileOrder | 'problem', unknown>>>; // each member is checked
    if (typeof row.place === 'string' && row.place !== '') place = row.place;
    const isBad = typeof row.problem === 'string';
    external_id = isBad && !row.external_id ? null : readText('external_id', row.external_id);
    if (typeof row.problem === 'string' || external_id === null)
      return { problem: String(row.problem), place, external_id };
    return {
      external_id,
      amount: readAmount('amount', row.amount),
      currency: readText('currency', row.currency).toUpperCase(),
      credited_usdt: (row.credited_usdt ?? null) === null ? null : readAmount('credited_usdt', row.credited_usdt),
      state: readState(row.state),
      created_at: readTime(row.created_at ?? null),
      place,
    };
  } catch (error) {
    const problem = error instanceof Problem ? error.message : 'a member of the order cannot be read';
    return { problem, place, external_id };
  }
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= ID_MAX) return value;
  throw new Problem(`${name} must be text of 1 to ${ID_MAX} characters, not ${kindOf(value)}`);
}

function readAmount(name: string, value: unknown): Decimal {
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new Problem(`${name} must be decimal text such as "25.00", not a ${typeof value}, which is not exact`);
  }
  // To print 1e1000000 of a host's Decimal would take all memory.
  const text = Decimal.isDecimal(value) && Math.abs(value.e) < 140 ? value.toFixed() : value;
  const amount = decimalFrom(text);
  if (amount instanceof Problem) throw new Problem(`${name} ${amount.message}`);
  if (amount.isNegative()) throw new Problem(`${name} must not be negative`);
  return amount;
}

function readState(value: unknown): OrderState {
  const state = ORDER_STATES.find((known) => known === value);
  if (state !== undefined) return state;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, WORD_MAX)) : kindOf(value);
  throw new Problem(`state must be ${ORDER_STATES.join(', ')}, not ${shown}`);
}

function readTime(value: unknown): Date | null {
  if (value === null) return null;
  const time = value instanceof Date ? value : dateFrom(value);
  if (time instanceof Problem || Number.isNaN(time.getTime())) throw new Problem('created_at must be a time');
  return time;
}
