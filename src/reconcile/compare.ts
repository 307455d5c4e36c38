import { Decimal } from '../contract/values/decimal.ts';
import { dateFrom, decimalFrom, Problem } from '../contract/values/scalars.ts';
import { kindOf } from '../errors/checks.ts';
import { isMerchantError } from '../errors/guards.ts';
import { eventNameOf } from '../webhooks/event/events.ts';
import { eventOfInvoice } from '../webhooks/event/invoice-event.ts';
import type {
  Finding,
  FindingKind,
  FoundInvoice,
  FoundOrder,
  OrderState,
  ReconcileInvoice,
  ReconcileOrder,
} from './types.ts';

// Compares one order with its invoice: what each side says, what differs, and what to do about it. Pure functions.

/** The states of an order. */
export const ORDER_STATES: readonly OrderState[] = ['open', 'paid', 'fulfilled', 'canceled', 'refunded'];

/** The part of a finding that the comparison gives. {@link findingOf} adds the order and the invoice. */
export type Difference = Pick<Finding, 'kind' | 'expected' | 'actual' | 'difference' | 'action'>;

/** The result of comparing an order with its invoice. */
export type Comparison =
  | { readonly result: 'matched' | 'withinGrace' }
  | { readonly result: 'malformed'; readonly problem: string }
  | { readonly result: 'differs'; readonly differences: readonly Difference[] };

/**
 * Compares an order with its invoice. A difference is left for the next run if either side changed after `horizon`.
 *
 * @param isConfirmed Whether the invoice was just read singly, and cannot lag. Otherwise the advice is to look it up
 * first.
 */
export function compareWithInvoice(
  order: FoundOrder,
  invoice: ReconcileInvoice,
  horizon: number,
  isConfirmed: boolean,
): Comparison {
  const payment = paymentOf(invoice);
  if (typeof payment === 'string') return { result: 'malformed', problem: payment };
  const differences = differencesBetween(order, foundInvoice(invoice, payment), isConfirmed);
  return withinGrace(differences, horizon, invoice.finished_at ?? invoice.created_at, order.changed_at);
}

/**
 * Compares an order for which the service has no invoice. A canceled order needs none, because nothing was charged or
 * delivered.
 */
export function compareWithoutInvoice(order: FoundOrder, horizon: number): Comparison {
  const { state, created_at, changed_at } = order;
  if (state === 'canceled') return { result: 'matched' };
  const difference =
    state === 'open'
      ? differs('order_without_invoice', state, null, 'Create the invoice with this external_id, or cancel the order.')
      : differs(
          'fulfilled_not_paid',
          'success',
          null,
          `The order is ${state}, and the service has no invoice with its id. Find the payment of this order.`,
        );
  return withinGrace([difference], horizon, created_at, changed_at);
}

/** Compares an invoice that has no order. If it ended unpaid, it needs none: the shop may have deleted the order. */
export function compareWithoutOrder(invoice: ReconcileInvoice, horizon: number): Comparison {
  const payment = paymentOf(invoice);
  if (typeof payment === 'string') return { result: 'malformed', problem: payment };
  if (eventNameOf(invoice.status) === 'invoice.canceled') return { result: 'matched' };
  const action = 'Find the order. If no order belongs to it, find out who created the invoice.';
  const difference = differs('invoice_without_order', null, invoice.status, action);
  return withinGrace([difference], horizon, invoice.finished_at ?? invoice.created_at);
}

/** Returns the differences, unless one of the changes is younger than the horizon. */
function withinGrace(
  differences: readonly Difference[],
  horizon: number,
  ...changes: readonly (Date | null)[]
): Comparison {
  if (differences.length === 0) return { result: 'matched' };
  const isYoung = changes.some((change) => change !== null && change.getTime() > horizon);
  return isYoung ? { result: 'withinGrace' } : { result: 'differs', differences };
}

/** Returns all differences. That of the state comes first. */
function differencesBetween(order: FoundOrder, invoice: FoundInvoice, isConfirmed: boolean): Difference[] {
  const { state, amount, currency, credited_usdt: booked } = order;
  const { paid_amount: paid, credited_usdt: credited, status } = invoice;
  const isBooked = state === 'paid' || state === 'fulfilled' || state === 'refunded';
  if (paid === null || credited === null) {
    if (!isBooked) return [];
    const remedy = state === 'refunded' ? 'Find out what was refunded.' : 'Stop or reclaim the delivery.';
    const action = `The order is ${state}, and its invoice is ${status}: nothing was paid. ${isConfirmed ? remedy : 'Look the invoice up before you act.'}`;
    return [differs('fulfilled_not_paid', 'success', status, action)];
  }
  if (state === 'refunded') return []; // the amounts no longer count
  const differences: Difference[] = [];
  const isOtherCurrency = currency !== invoice.currency;
  const isOtherAmount = !isOtherCurrency && !amount.eq(paid);
  const sum = `${paid.toFixed()} ${invoice.currency} of ${amount.toFixed()} ${currency} was paid, and ${credited.toFixed()} USDT credited`;
  if (!isBooked) {
    const remedy =
      isOtherCurrency || isOtherAmount
        ? 'Do not fulfil it as ordered: agree on the difference with the customer first, or refund the payment.'
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

/**
 * Returns what was paid and credited, or a text that says why the invoice cannot be compared. `catchUp` refuses the
 * same invoices.
 */
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

/** Returns a difference as a finding for the caller. */
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

/** An order that cannot be compared. Its id is null if it cannot be read either. */
export interface BadOrder {
  readonly problem: string;
  readonly place: string;
  readonly external_id: string | null;
}

/** Reads a row of the shop. Never throws. `byDefault`: the place of a row that does not name one. */
export function readOrder(given: unknown, byDefault: string): FoundOrder | BadOrder {
  let place = byDefault;
  let external_id: string | null = null;
  try {
    if (typeof given !== 'object' || given === null)
      throw new Problem(`an order must be an object, not ${kindOf(given)}`);
    const row = given as Readonly<Partial<Record<keyof ReconcileOrder | 'problem', unknown>>>; // each member is checked
    if (typeof row.place === 'string' && row.place !== '') place = row.place;
    const problem = typeof row.problem === 'string' && row.problem !== '' ? row.problem : null;
    external_id = problem !== null && !row.external_id ? null : readText('external_id', row.external_id);
    if (problem !== null || external_id === null) return { problem: String(problem), place, external_id };
    return {
      external_id,
      amount: readAmount('amount', row.amount),
      currency: readText('currency', row.currency).toUpperCase(),
      credited_usdt: (row.credited_usdt ?? null) === null ? null : readAmount('credited_usdt', row.credited_usdt),
      state: readState(row.state),
      created_at: readTime('created_at', row.created_at ?? null),
      changed_at: readTime('changed_at', row.changed_at ?? null),
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
  // The exponent is checked first, because 1e1000000 in plain notation would take all the memory.
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

function readTime(name: string, value: unknown): Date | null {
  if (value === null) return null;
  const time = value instanceof Date ? value : dateFrom(value);
  if (time instanceof Problem || Number.isNaN(time.getTime())) throw new Problem(`${name} must be a time`);
  return time;
}
