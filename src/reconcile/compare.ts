import { orderOf } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { dateFrom, moneyGiven, Problem } from '../contract/values/scalars.ts';
import { kindOf } from '../errors/checks.ts';
import { isMerchantError } from '../errors/guards.ts';
import { eventNameOf } from '../webhooks/event/events.ts';
import { paymentOfInvoice } from '../webhooks/event/invoice-event.ts';
import type {
  Finding,
  FindingKind,
  FoundInvoice,
  FoundOrder,
  NotComparedReason,
  OrderState,
  ReconcileInvoice,
  ReconcileOrder,
} from './types.ts';

// Reads one row of the shop, and compares the rows of one order with the evidence for each: what each side says, what
// differs, and what to do about it. Pure functions.

/** What is known about the invoice of one row, once it was looked for. */
export type Evidence =
  /** `isConfirmed`: the service itself read it just now, and it cannot lag. */
  | { readonly is: 'invoice'; readonly invoice: FoundInvoice; readonly isConfirmed: boolean }
  /** The service says that it has no invoice with this id. */
  | { readonly is: 'absent' }
  /** The invoice changed between the list and the single read. */
  | { readonly is: 'moved' }
  | { readonly is: 'unknown'; readonly reason: NotComparedReason; readonly problem: string };

/** A row of an order beside the evidence for it. */
export interface Row {
  readonly order: FoundOrder;
  readonly evidence: Evidence;
}

/** What a comparison found. */
export type Comparison =
  | { readonly result: 'matched' | 'withinGrace' }
  | { readonly result: 'unknown'; readonly row: Row; readonly reason: NotComparedReason; readonly problem: string }
  | { readonly result: 'differs'; readonly findings: readonly Finding[] };

const isBooked = ({ order }: Row): boolean => !['open', 'canceled'].includes(order.state);
const invoiceOf = ({ evidence }: Row): FoundInvoice | null => (evidence.is === 'invoice' ? evidence.invoice : null);

const isPaid = (row: Row): boolean => (invoiceOf(row)?.paid_amount ?? null) !== null;

/**
 * Compares the rows of one order, with one invoice each, as a whole: the order is booked if one of them is. A
 * difference is left for the next run if one of its sides changed after `horizon`.
 */
export function compareOrder(rows: readonly Row[], horizon: number): Comparison {
  for (const row of rows) {
    const { evidence } = row;
    if (evidence.is === 'unknown')
      return { result: 'unknown', row, reason: evidence.reason, problem: evidence.problem };
  }
  if (rows.some(({ evidence }) => evidence.is === 'moved')) return { result: 'withinGrace' };
  return withinGrace(findingsOf(rows), horizon, rows.flatMap(changesOf));
}

/** Compares an invoice that has no order. If it ended unpaid, it needs none: the shop may have deleted the order. */
export function compareWithoutOrder(
  invoice: FoundInvoice,
  external_id: string,
  isConfirmed: boolean,
  horizon: number,
): Comparison {
  if (eventNameOf(invoice.status) === 'invoice.canceled') return { result: 'matched' };
  const { order, renewal } = orderOf(external_id);
  const row = renewal > 0 ? ` If it is ${JSON.stringify(order)}, give this invoice a row of its own.` : '';
  const remedy = `Find the order.${row} If no order belongs to it, find out who created the invoice.`;
  const difference = differs('invoice_without_order', null, invoice.status, '', remedy);
  const { currency } = invoice;
  const finding = { ...difference, external_id, currency, confirmed: isConfirmed, order: null, invoice };
  return withinGrace([finding], horizon, [invoice.finished_at ?? invoice.created_at]);
}

/** The finding for rows that have the same id, or the same invoice. */
export function duplicateOf(order: FoundOrder, count: number): Finding {
  const remedy =
    'Keep one order for this invoice: one payment must not fulfil two. Several invoices of one order have a row each, with their own external_id.';
  const { external_id, currency } = order;
  const difference = { ...differs('duplicate_order', 1, Math.max(2, count), '', remedy), difference: null };
  return { ...difference, external_id, currency, confirmed: true, order, invoice: null };
}

function changesOf({ order, evidence }: Row): (Date | null)[] {
  if (evidence.is !== 'invoice') return [order.created_at, order.changed_at];
  return [evidence.invoice.finished_at ?? evidence.invoice.created_at, order.changed_at];
}

function withinGrace(findings: readonly Finding[], horizon: number, changes: readonly (Date | null)[]): Comparison {
  if (findings.length === 0) return { result: 'matched' };
  const isYoung = changes.some((change) => change !== null && change.getTime() > horizon);
  return isYoung ? { result: 'withinGrace' } : { result: 'differs', findings };
}

function findingsOf(rows: readonly Row[]): Finding[] {
  const refunded = (row: Row): boolean => row.order.state === 'refunded';
  const allPaid = rows.filter(isPaid);
  const kept = allPaid.filter((row) => !refunded(row));
  const paid = kept.length > 0 ? kept : allPaid.slice(0, 1); // a payment that was given back counts for nothing
  const booked = rows.find((row) => isBooked(row) && !refunded(row)) ?? rows.find(isBooked);
  const [first, second] = paid;
  if (first === undefined) return booked === undefined ? unpaid(rows) : [givenUnpaid(booked)];
  const found = differencesOf(first, booked ?? first);
  return second === undefined ? found : [paidTwice(second, paid), ...found];
}

/** Findings of an order that waits or was canceled, and that nobody paid. */
function unpaid(rows: readonly Row[]): Finding[] {
  const open = rows.filter(({ order }) => order.state === 'open');
  const last = open.at(-1);
  const isPayable = rows.some((row) => invoiceOf(row)?.status === 'pending');
  if (last === undefined || isPayable) return [];
  const ended = open.filter((row) => invoiceOf(row) !== null).at(-1);
  if (ended === undefined) {
    const remedy = 'Create the invoice with this external_id, or cancel the order.';
    return [findingOf(last, differs('order_without_invoice', last.order.state, null, '', remedy))];
  }
  const status = invoiceOf(ended)?.status ?? '';
  const facts = `The order waits for money, and its invoice is ${status}: nothing was paid.`;
  const remedy = 'Cancel the order, or create another invoice for it.';
  return [findingOf(ended, differs('open_but_ended', 'pending', status, facts, remedy))];
}

function givenUnpaid(row: Row): Finding {
  const { state } = row.order;
  const invoice = invoiceOf(row);
  if (invoice === null) {
    const facts = `The order is ${state}, and the service has no invoice with its id.`;
    return findingOf(row, differs('fulfilled_not_paid', 'success', null, facts, 'Find the payment of this order.'));
  }
  const remedy = state === 'refunded' ? 'Find out what was refunded.' : 'Stop or reclaim the delivery.';
  const facts = `The order is ${state}, and its invoice is ${invoice.status}: nothing was paid.`;
  const first = isConfirmed(row) ? remedy : 'Look the invoice up before you act.';
  return findingOf(row, differs('fulfilled_not_paid', 'success', invoice.status, facts, first));
}

function paidTwice(row: Row, paid: readonly Row[]): Finding {
  const ids = paid.map(({ order }) => JSON.stringify(order.external_id)).join(' and ');
  const facts = `${paid.length} invoices of the order are paid: ${ids}.`;
  const remedy = 'Give the customer one of the payments back, or book it as credit.';
  return findingOf(row, { ...differs('paid_twice', 1, paid.length, facts, remedy), difference: null });
}

/** What differs between the order and its paid invoice. That of the state comes first. */
function differencesOf(row: Row, { order: book }: Row): Finding[] {
  const invoice = invoiceOf(row);
  if (invoice === null) return [];
  const { amount, currency } = row.order;
  const { state } = book;
  const booked = row.order.credited_usdt ?? book.credited_usdt;
  const { paid_amount: paid, credited_usdt: credited } = invoice;
  if (paid === null || credited === null || state === 'refunded') return []; // the amounts no longer count
  const differences: Difference[] = [];
  const isOtherCurrency = currency !== invoice.currency;
  const isOtherAmount = !isOtherCurrency && !amount.eq(paid);
  const sum = `${paid.toFixed()} ${invoice.currency} of ${amount.toFixed()} ${currency} was paid, and ${credited.toFixed()} USDT credited.`;
  if (state === 'open' || state === 'canceled') {
    const remedy =
      isOtherCurrency || isOtherAmount
        ? 'Do not fulfil it as ordered: agree on the difference with the customer first, or refund the payment.'
        : 'Fulfil the order, or refund the customer.';
    differences.push(differs('paid_not_fulfilled', 'fulfilled', state, sum, remedy));
  }
  if (isOtherCurrency) {
    const remedy = 'Find out which currency is right. The amounts were not compared.';
    differences.push(differs('currency_differs', currency, invoice.currency, sum, remedy));
  }
  if (isOtherAmount) {
    const remedy = paid.lt(amount)
      ? 'Ask for the rest, or accept it and lower the amount of the order.'
      : 'Refund the rest, or accept it and raise the amount of the order.';
    differences.push(differs('amount_differs', amount, paid, sum, remedy));
  }
  if (booked !== null && !booked.eq(credited)) {
    const facts = `${credited.toFixed()} USDT was credited, and ${booked.toFixed()} is booked.`;
    differences.push(differs('credited_differs', booked, credited, facts, 'Correct the booked credit.'));
  }
  return differences.map((difference) => findingOf(row, difference));
}

type Difference = Pick<Finding, 'kind' | 'expected' | 'actual' | 'difference' | 'action' | 'remedy'>;

function differs(
  kind: FindingKind,
  expected: Difference['expected'],
  actual: Difference['actual'],
  facts: string,
  remedy: string,
): Difference {
  const areAmounts = Decimal.isDecimal(expected) && Decimal.isDecimal(actual);
  return {
    kind,
    expected,
    actual,
    difference: areAmounts ? actual.minus(expected) : null,
    action: `${facts} ${remedy}`.trim(),
    remedy,
  };
}

function isConfirmed({ evidence }: Row): boolean {
  return evidence.is === 'absent' || (evidence.is === 'invoice' && evidence.isConfirmed);
}

function findingOf(row: Row, difference: Difference): Finding {
  const { order } = row;
  const invoice = invoiceOf(row);
  const currency = invoice?.currency ?? order.currency;
  return { ...difference, external_id: order.external_id, currency, confirmed: isConfirmed(row), order, invoice };
}

/**
 * An invoice with what was paid and credited, or a text that says why it cannot be compared. `catchUp` refuses the
 * same invoices.
 */
export function foundInvoice(invoice: ReconcileInvoice): FoundInvoice | string {
  const unpaid = withoutPayment(invoice);
  if (invoice.status === 'pending') return unpaid;
  try {
    const { type, amount: paid_amount, credited_usdt } = paymentOfInvoice(invoice);
    if (type === 'unknown') return 'its status is not one that the interface knows';
    return type === 'invoice.canceled' ? unpaid : { ...unpaid, paid_amount, credited_usdt };
  } catch (error) {
    return isMerchantError(error) ? error.message : 'it cannot be read';
  }
}

/** An invoice without what was paid: nobody has paid it, or its form does not say so, such as that of a creation. */
export function withoutPayment(invoice: ReconcileInvoice): FoundInvoice {
  const { uuid, status, amount, currency, created_at, expires_at, finished_at } = invoice;
  const unpaid = { currency: currency.code.toUpperCase(), paid_amount: null, credited_usdt: null };
  return { uuid, status, amount, ...unpaid, created_at, expires_at, finished_at };
}

const ID_MAX = 512;
const WORD_MAX = 40;
/** The states of an order. */
const ORDER_STATES: readonly OrderState[] = ['open', 'paid', 'fulfilled', 'canceled', 'refunded'];

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
      order: (row.order ?? null) === null ? orderOf(external_id).order : readText('order', row.order),
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
  const given = typeof value === 'string' && value !== '' ? `${value.length} characters` : kindOf(value);
  throw new Problem(`"${name}" must be text of 1 to ${ID_MAX} characters, not ${given}`);
}

function readAmount(name: string, value: unknown): Decimal {
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new Problem(`"${name}" must be decimal text such as "25.00", not a ${typeof value}, which is not exact`);
  }
  const amount = moneyGiven(value);
  if (amount instanceof Problem) throw new Problem(`"${name}" ${amount.message}`);
  return amount;
}

function readState(value: unknown): OrderState {
  const state = ORDER_STATES.find((known) => known === value);
  if (state !== undefined) return state;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, WORD_MAX)) : kindOf(value);
  throw new Problem(`"state" must be ${ORDER_STATES.join(', ')}, not ${shown}`);
}

function readTime(name: string, value: unknown): Date | null {
  if (value === null) return null;
  const time = value instanceof Date ? value : dateFrom(value);
  if (time instanceof Problem || Number.isNaN(time.getTime())) throw new Problem(`"${name}" must be a time`);
  return time;
}
