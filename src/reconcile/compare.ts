import { orderOf } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { isSameIdent } from '../contract/values/scalars.ts';
import { isMerchantError } from '../errors/guards.ts';
import { eventNameOf } from '../webhooks/event/events.ts';
import { paymentOfInvoice } from '../webhooks/event/invoice-event.ts';
import type {
  Advice,
  Finding,
  FindingMoney,
  FoundInvoice,
  FoundOrder,
  NotCompared,
  NotComparedReason,
  ReconcileInvoice,
} from './types.ts';

// Compares the rows of one order with the evidence for it: what each side says, what differs, and what to do about it.
// Pure functions.

/** An invoice of an order, as it was read last. */
export interface KnownInvoice {
  readonly invoice: FoundInvoice;
  /** The service itself read it just now, and it cannot lag. */
  readonly isConfirmed: boolean;
}

/** What is known about the invoices of one order, once they were looked for. */
export type Evidence =
  | {
      readonly is: 'read';
      /** The first one first. */
      readonly invoices: readonly KnownInvoice[];
      /** The service says that it has no further one. */
      readonly isEnd: boolean;
    }
  /** An invoice changed between the list and the single read. */
  | { readonly is: 'moved' }
  | { readonly is: 'unknown'; readonly reason: NotComparedReason; readonly problem: string };

/** What a comparison found. */
export type Comparison =
  | { readonly result: 'matched' | 'withinGrace' }
  | { readonly result: 'unknown'; readonly reason: NotComparedReason; readonly problem: string }
  | { readonly result: 'differs'; readonly findings: readonly Finding[] };

/**
 * What to do, once for findings and reports: the title of its section, then the remedy in two parts. The title says the
 * first part already. The first rows matter most.
 */
export const ADVICE: Readonly<Record<Advice, readonly [title: string, action: string, more: string]>> = {
  fulfil: ['Fulfil, or refund: paid in full, not given', 'Fulfil the order, or refund the customer.', ''],
  agree: [
    'Agree with the customer: not paid as ordered, not given',
    '',
    'Do not fulfil the order yet. Agree on the difference with the customer, or refund the payment.',
  ],
  find_order: [
    'Find the order: the invoice belongs to none',
    'Find the order.',
    'If no order belongs to it, find out who created the invoice.',
  ],
  reclaim: ['Stop or reclaim: given, and nothing was paid', 'Stop or reclaim the delivery.', ''],
  wait: [
    'Stop, or wait: given, and not paid yet',
    'Stop the delivery, or wait.',
    'The invoice is open, and can still be paid.',
  ],
  look_up: [
    'Look up before you act: the service did not confirm the invoices',
    'Look the invoice up before you act.',
    '',
  ],
  find_payment: ['Look for the payment: given, and no invoice has the id', 'Find the payment of this order.', ''],
  find_refund: ['Find out what was refunded: it does not fit what was paid', 'Find out what was refunded.', ''],
  ask: [
    'Ask for the rest, or accept: given, and paid less',
    'Ask for the rest, or accept the payment.',
    'If you accept, lower the amount of the order.',
  ],
  send_back: [
    'Send back, or accept: paid too much',
    'Refund the surplus, or accept it.',
    'If you accept, raise the amount of the order.',
  ],
  give_back: [
    'Give back, or book as credit: paid twice',
    'Give the customer one of the payments back, or book it as credit.',
    '',
  ],
  compare_payments: [
    'Compare the payments: several, in sum not above the order',
    '',
    'Give no payment back yet. If the payments are parts of the order, give each part a row with "part": true.',
  ],
  find_currency: [
    'Find out the currency: paid in another currency',
    'Find out which currency is right.',
    'What was paid in another currency was not compared.',
  ],
  correct_credit: ['Correct the booked credit', 'Correct the booked credit.', ''],
  cancel: [
    'Cancel or renew: the order waits, and its invoice has ended',
    'Cancel the order, or renew it.',
    'To renew an order, create another invoice for it.',
  ],
  create: [
    'Create the invoice, or cancel: the order waits without one',
    'Create the invoice of this order, or cancel the order.',
    '',
  ],
  keep_one: [
    'Keep one row: several rows name one invoice',
    'Keep one row for this invoice.',
    'One payment must not fulfil two orders.',
  ],
};

/** The whole remedy, for a reader without the title. */
export function remedyOf(advice: Advice): string {
  const [, action, more] = ADVICE[advice];
  return `${action} ${more}`.trim();
}

/** What takes something from the customer, or money from the shop: said only where all invoices were read. */
const TAKES_BACK: ReadonlySet<Advice> = new Set(['reclaim', 'wait', 'send_back', 'give_back']);

/** A paid invoice. */
type Paid = FoundInvoice & { readonly paid_amount: Decimal; readonly credited_usdt: Decimal };

const ZERO = new Decimal(0);
const isPaid = (invoice: FoundInvoice): invoice is Paid =>
  invoice.paid_amount !== null && invoice.credited_usdt !== null;
const isBooked = ({ state }: FoundOrder): boolean => state !== 'open' && state !== 'canceled';
const isRefunded = ({ state }: FoundOrder): boolean => state === 'refunded';
const isNamedBy =
  (invoice: FoundInvoice) =>
  ({ external_id }: FoundOrder): boolean =>
    isSameIdent(external_id, invoice.external_id) || isSameIdent(external_id, invoice.uuid);

/**
 * Compares the rows of one order, or of one part, with its invoices. A difference is left for the next run if one of
 * the sides changed after `horizon`.
 *
 * @param rows At least one. The last one says what the order costs.
 */
export function compareOrder(rows: readonly FoundOrder[], evidence: Evidence, horizon: number): Comparison {
  if (evidence.is === 'unknown') return { ...evidence, result: 'unknown' };
  const row = rows.at(-1);
  if (evidence.is === 'moved' || row === undefined) return { result: 'withinGrace' };
  const { invoices } = evidence;
  const findings = findingsOf(row, rows, evidence, horizon);
  return withinGrace(findings, horizon, [
    ...rows.flatMap(({ created_at, changed_at }) => [created_at, changed_at]),
    ...invoices.map(({ invoice }) => invoice.finished_at ?? invoice.created_at),
  ]);
}

/** Compares an invoice that has no order. If it ended unpaid, it needs none: the shop may have deleted the order. */
export function compareWithoutOrder({ invoice, isConfirmed }: KnownInvoice, horizon: number): Comparison {
  if (isEndedUnpaid(invoice)) return { result: 'matched' };
  const { external_id, currency, status, paid_amount, finished_at, created_at } = invoice;
  const money = paid_amount === null ? null : ({ of: 'paidNotGiven', amount: paid_amount, currency } as const);
  const found = { kind: 'invoice_without_order', expected: null, actual: status, facts: '', money, invoice } as const;
  const { order } = orderOf(external_id);
  const finding = {
    ...told({ ...found, advice: 'find_order' }),
    order,
    external_id,
    currency,
    confirmed: isConfirmed,
    row: null,
  };
  return withinGrace([finding], horizon, [finished_at ?? created_at]);
}

/** The finding for rows that name the same invoice. */
export function duplicateOf(row: FoundOrder, count: number): Finding {
  const found = { kind: 'duplicate_order', expected: 1, actual: count, facts: '', invoice: null } as const;
  const { order, external_id, currency } = row;
  return { ...told({ ...found, advice: 'keep_one' }), order, external_id, currency, confirmed: true, row };
}

/** True for an invoice that ended without a payment. */
export function isEndedUnpaid({ status }: Pick<FoundInvoice, 'status'>): boolean {
  return eventNameOf(status) === 'invoice.canceled';
}

function withinGrace(findings: readonly Finding[], horizon: number, changes: readonly (Date | null)[]): Comparison {
  if (findings.length === 0) return { result: 'matched' };
  const isYoung = changes.some((change) => change !== null && change.getTime() > horizon);
  return isYoung ? { result: 'withinGrace' } : { result: 'differs', findings };
}

type Difference = Pick<Finding, 'kind' | 'expected' | 'actual' | 'advice' | 'invoice'> & {
  readonly facts: string;
  readonly money?: FindingMoney | null | undefined;
};

function findingsOf(
  row: FoundOrder,
  rows: readonly FoundOrder[],
  { invoices, isEnd }: Extract<Evidence, { is: 'read' }>,
  horizon: number,
): Finding[] {
  const paid = invoices.filter(({ invoice }) => isPaid(invoice));
  const isAllRead = paid.length > 0 || isEnd;
  const confirmed = isAllRead && (paid.length > 0 ? paid : invoices).every((each) => each.isConfirmed);
  const all = invoices.map(({ invoice }) => invoice);
  const differences = paid.length > 0 ? ofPaid(row, rows, all.filter(isPaid)) : ofUnpaid(row, rows, all, horizon);
  const { order, external_id } = row;
  return differences.map((each) => {
    const advice = isAllRead || !TAKES_BACK.has(each.advice) ? each.advice : 'look_up';
    const currency = each.invoice?.currency ?? row.currency;
    return { ...told({ ...each, advice }), order, external_id, currency, confirmed, row };
  });
}

/** What differs for an order that nobody has paid. */
function ofUnpaid(
  row: FoundOrder,
  rows: readonly FoundOrder[],
  invoices: readonly FoundInvoice[],
  horizon: number,
): Difference[] {
  const payable = invoices.filter((each) => each.status === 'pending' && each.expires_at.getTime() > horizon).at(-1);
  const invoice = payable ?? invoices.at(-1) ?? null;
  const status = invoice?.status ?? null;
  const back = sumOf(rows.map(({ refunded_amount }) => refunded_amount));
  const state = rows.filter(isBooked).at(-1)?.state ?? null;
  if (state === null && back.isZero()) {
    if (payable !== undefined || rows.every((each) => each.state !== 'open')) return [];
    if (invoice === null)
      return [{ kind: 'order_without_invoice', expected: 'open', actual: null, facts: '', advice: 'create', invoice }];
    const end = status === 'pending' ? 'pending past its end' : status;
    const facts = `The order waits for money, and its invoice is ${end}: nothing was paid.`;
    return [{ kind: 'open_but_ended', expected: 'pending', actual: status, facts, advice: 'cancel', invoice }];
  }
  const isGiven = state === 'paid' || state === 'fulfilled';
  const lost = isGiven ? row.amount : back;
  const refund = back.isZero() ? '' : `, ${back.toFixed()} ${row.currency} went back`;
  const service =
    invoice === null ? 'the service has no invoice with its id' : `its invoice is ${status}: nothing was paid`;
  const facts = `The order is ${state ?? row.state}${refund}, and ${service}.`;
  const ofGiven = invoice === null ? 'find_payment' : payable !== undefined ? 'wait' : 'reclaim';
  const advice = isGiven ? ofGiven : 'find_refund';
  const money = moneyOf('givenNotPaid', lost, row.currency);
  return [{ kind: 'fulfilled_not_paid', expected: 'success', actual: status, facts, advice, invoice, money }];
}

/** What differs for a paid order: the payments of rows that are refunded, then those that the shop has kept. */
function ofPaid(row: FoundOrder, rows: readonly FoundOrder[], paid: readonly Paid[]): Difference[] {
  const rowOf = (invoice: Paid): FoundOrder => rows.find(isNamedBy(invoice)) ?? row;
  const booked = rows.find((each) => isBooked(each) && !isRefunded(each));
  const kept = paid.filter((each) => !isRefunded(rowOf(each)));
  const differences = rows.filter(isRefunded).flatMap((each) => {
    const payments = paid.filter((one) => rowOf(one) === each);
    return ofRefunded(each, payments, booked === undefined ? 'paidNotGiven' : 'paidTooMuch');
  });
  const [first, ...others] = kept;
  if (first === undefined) return differences;
  const back = sumOf(rows.map((each) => (isRefunded(each) ? null : each.refunded_amount)));
  differences.push(...ofKept(row, [first, ...others], back, booked !== undefined));
  const credit = rowOf(first).credited_usdt ?? booked?.credited_usdt ?? null;
  if (others.length === 0 && credit !== null && !credit.eq(first.credited_usdt)) {
    const facts = `${first.credited_usdt.toFixed()} USDT was credited, and ${credit.toFixed()} is booked.`;
    const [expected, actual] = [credit, first.credited_usdt];
    differences.push({ kind: 'credited_differs', expected, actual, facts, advice: 'correct_credit', invoice: first });
  }
  return differences;
}

/**
 * What differs for the payments that the shop has kept. Amounts are compared in the currency of the order alone. What was
 * paid in another one is a difference of its own, with its money. Of a booked order that nobody paid in its currency, the
 * first payment has no money here: nothing says which currency is wrong.
 */
function ofKept(row: FoundOrder, kept: readonly [Paid, ...Paid[]], back: Decimal, isGiven: boolean): Difference[] {
  const { amount, currency, state } = row;
  const own = kept.filter((each) => each.currency === currency);
  const [first = kept[0]] = own;
  const others = [...Map.groupBy(kept, (each) => each.currency)].flatMap(([code, payments]) => {
    const counted = isGiven ? payments.filter((each) => each !== first) : payments;
    const money = moneyOf(isGiven ? 'paidTooMuch' : 'paidNotGiven', sumOfPaid(counted), code);
    return code === currency ? [] : [{ code, invoice: payments[0] ?? first, money }];
  });
  const differences: Difference[] = [];
  const differ = (difference: Omit<Difference, 'facts' | 'invoice'>, invoice: Paid = first): void =>
    void differences.push({ facts: factsOf(row, kept, back), invoice, ...difference });

  const isOne = others.length === 0;
  const sum = sumOfPaid(own);
  const left = sum.minus(back);
  const over = left.minus(amount);
  const isRight = own.length > 1 ? over.isZero() && !back.isZero() : over.isZero() || sum.eq(amount);
  let owed: FindingMoney | null = null;
  if (own.length > 0 && left.isNegative()) {
    const money = moneyOf('givenNotPaid', left.abs(), currency);
    differ({ kind: 'amount_differs', expected: back, actual: sum, advice: 'find_refund', money });
  } else {
    if (!isGiven) {
      owed = (own.length > 0 ? moneyOf('paidNotGiven', left, currency) : null) ?? others[0]?.money ?? null;
      if (owed === null) return []; // all of it went back
      const isOnce = own.some((each) => each.paid_amount.eq(amount));
      const advice = isOnce || (isRight && isOne) ? 'fulfil' : 'agree';
      differ({ kind: 'paid_not_fulfilled', expected: 'fulfilled', actual: state, advice, money: owed });
    }
    const of = over.isNegative() ? 'givenNotPaid' : 'paidTooMuch';
    const money = isGiven && own.length > 0 ? moneyOf(of, over.abs(), currency) : null;
    if (kept.length > 1 && !(isRight && isOne)) {
      const ofOne = over.gt(0) ? 'give_back' : sum.gt(amount) ? 'find_refund' : 'compare_payments';
      const ofSeveral = own.length > 0 && !over.isNegative() ? 'give_back' : 'find_currency';
      differ({ kind: 'paid_twice', expected: 1, actual: kept.length, advice: isOne ? ofOne : ofSeveral, money });
    } else if (own.length > 0 && !isRight) {
      const advice = !isGiven ? 'agree' : over.isNegative() ? 'ask' : 'send_back';
      differ({ kind: 'amount_differs', expected: amount, actual: left, advice, money });
    }
  }
  for (const { code, invoice, money: paid } of others) {
    const money = paid === owed ? null : paid; // it stands in the first difference
    differ({ kind: 'currency_differs', expected: currency, actual: code, advice: 'find_currency', money }, invoice);
  }
  return differences;
}

/** What differs for a row whose state says that everything went back, and that also says how much. */
function ofRefunded(row: FoundOrder, paid: readonly Paid[], ofRest: FindingMoney['of']): Difference[] {
  const { refunded_amount: back, currency, external_id } = row;
  if (back === null) return [];
  const sum = sumOfPaid(paid);
  const invoice = paid[0] ?? null;
  const none = `Nothing was paid for ${JSON.stringify(external_id)}, and ${moneyText(back, currency)} went back.`;
  const facts = invoice === null ? none : factsOf(row, paid, back);
  const other = paid.find((each) => each.currency !== currency);
  if (other !== undefined) {
    const found = { kind: 'currency_differs', expected: currency, actual: other.currency, invoice: other } as const;
    return [{ ...found, facts, advice: 'find_currency' }];
  }
  if (sum.eq(back)) return [];
  const money = moneyOf(sum.lt(back) ? 'givenNotPaid' : ofRest, sum.minus(back).abs(), currency);
  return [{ kind: 'amount_differs', expected: back, actual: sum, facts, advice: 'find_refund', invoice, money }];
}

/** The money of a difference, or null for none. */
function moneyOf(of: FindingMoney['of'], amount: Decimal, currency: string): FindingMoney | null {
  return amount.isZero() ? null : { of, amount, currency };
}

/** What was paid of what, as sentences. */
function factsOf({ amount, currency }: FoundOrder, paid: readonly Paid[], back: Decimal): string {
  const sums = paid.map((each) => moneyText(each.paid_amount, each.currency)).join(' and ');
  const credited = sumOf(paid.map(({ credited_usdt }) => credited_usdt)).toFixed();
  const gone = back.isZero() ? '' : ` ${moneyText(back, currency)} went back.`;
  const ids = paid.map(({ external_id }) => JSON.stringify(external_id)).join(' and ');
  const several = paid.length > 1 ? `${paid.length} invoices of the order are paid: ${ids}. ` : '';
  return `${several}${sums} of ${moneyText(amount, currency)} was paid, and ${credited} USDT credited.${gone}`;
}

function moneyText(amount: Decimal, currency: string): string {
  return `${amount.toFixed()} ${currency}`;
}

function sumOfPaid(payments: readonly Paid[]): Decimal {
  return sumOf(payments.map(({ paid_amount }) => paid_amount));
}

function sumOf(amounts: readonly (Decimal | null)[]): Decimal {
  return amounts.reduce<Decimal>((sum, amount) => (amount === null ? sum : sum.plus(amount)), ZERO);
}

/** A difference with its sentences. */
function told({ facts, money = null, ...difference }: Difference) {
  const { expected, actual } = difference;
  const areAmounts = Decimal.isDecimal(expected) && Decimal.isDecimal(actual);
  const remedy = remedyOf(difference.advice);
  const action = `${facts} ${remedy}`.trim();
  return { ...difference, difference: areAmounts ? actual.minus(expected) : null, money, action, remedy };
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
  const { uuid, external_id, status, amount, currency, created_at, expires_at, finished_at } = invoice;
  const unpaid = { currency: currency.code.toUpperCase(), paid_amount: null, credited_usdt: null };
  return { uuid, external_id, status, amount, ...unpaid, created_at, expires_at, finished_at };
}

/** An invoice that does not say whether it was adjusted, as the merchant has pinned it. */
export function pinned(invoice: ReconcileInvoice, adjustedAbsent: 'as_ordered' | undefined): ReconcileInvoice {
  if (adjustedAbsent === undefined || typeof invoice.is_adjusted === 'boolean') return invoice;
  return { ...invoice, is_adjusted: invoice.adjustment !== null };
}

/** What cannot be compared, and why. */
export function notCompared(
  reason: NotComparedReason,
  problem: string,
  place: string,
  external_id: string | null,
  order: string | null = external_id === null ? null : orderOf(external_id).order,
  currency: string | null = null,
): NotCompared {
  const [first = '', ...rest] = problem;
  const sentence = `${first.toUpperCase()}${rest.join('')}${problem.endsWith('.') ? '' : '.'}`;
  return { kind: 'not_compared', order, external_id, currency, reason, problem: sentence, place };
}
