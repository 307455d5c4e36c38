import { orderOf } from '../../contract/orders.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem, plainIdent } from '../../contract/values/scalars.ts';
import type { FoundOrder } from '../../reconcile/types.ts';
import type { SandboxAttempt, SandboxInvoice } from '../sandbox/types.ts';
import type { CustomerRecord } from './customer-record.ts';
import type { StormFulfilment } from './options.ts';
import type { Seen } from './story.ts';
import type { Found, StormFindingKind } from './words.ts';

// What is wrong with one order at the end. The kinds that `reconcile` has too mean the same here. They are decided
// here, because an order may have several invoices, and what counts is what the customer got.

/** An order at the end: what its customer saw, what the sandbox knows, and what the shop says. */
export interface Case {
  readonly record: CustomerRecord;
  /** The oldest first. */
  readonly invoices: readonly SandboxInvoice[];
  /** Those that were paid, in whole or in part, as they were then. The service may have corrected them since. */
  readonly paid: readonly SandboxInvoice[];
  readonly rows: readonly FoundOrder[];
  readonly given: readonly StormFulfilment[];
  /** Whether the shop shows what it gave. */
  readonly showsGiven: boolean;
  /** The attempts to tell the shop of the paid events, and of the canceled ones. */
  readonly attempts: readonly ToldAttempt[];
  /** The amount of the order, or that of its first invoice where the shop charges another one. */
  readonly ordered: Decimal;
  readonly paidFiat: Decimal;
  readonly credited: Decimal;
  /** The same after the corrections of the service. */
  readonly corrected: Decimal;
  /** What the shop accepts by its terms. */
  readonly accepts: { readonly less: Decimal; readonly surplus: Decimal };
  /** The parcels that nearly all orders have. */
  readonly usualItems: ReadonlySet<string>;
  /** Whether `credited_usdt` is the sum of the payments in all orders with two that did not come at the same moment. */
  readonly isSumBooked: boolean;
  /** What happened to the order. */
  readonly seen: readonly Seen[];
}

export interface ToldAttempt extends SandboxAttempt {
  readonly event: string;
  readonly uuid: string;
}

/** The problem that a rule found, as a sentence. Null, undefined and false mean none. */
type Wrong = string | null | undefined | false;
type Rule = readonly [StormFindingKind, (order: Case) => Wrong];

/** The rules for every order. */
const RULES: readonly Rule[] = [
  ['amount_differs', amountDiffers],
  ['currency_differs', currencyDiffers],
  ['second_invoice', secondInvoice],
  ['fulfilled_not_paid', fulfilledNotPaid],
];

/** The rules for an order that the shop has. */
const RULES_OF_ROWS: readonly Rule[] = [
  ['order_malformed', rowDiffers],
  ['paid_not_fulfilled', paidNotFulfilled],
  ['state_differs', stateDiffers],
  ['fulfilled_for_less', fulfilledForLess],
  ['fulfilled_twice', fulfilledTwice],
  ['payment_kept', paymentKept],
  ['parcel_missing', parcelMissing],
  ['credited_differs', creditedDiffers],
];

/** @param isReadable False if a row of the order cannot be read. `judge` has reported that row. */
export function findingsOf(order: Case, isReadable: boolean): Found[] {
  const { rows, paid, record } = order;
  // An unpaid order may be deleted.
  const isMissing = rows.length === 0 && paid.length > 0 && isReadable;
  const missing: Rule = ['order_missing', () => 'The shop has no order for the invoice that was paid.'];
  const rules = [...RULES, ...(rows.length > 0 ? RULES_OF_ROWS : isMissing ? [missing] : [])];
  const broken = rules.flatMap(([kind, rule]): Found[] => {
    const problem = rule(order);
    return problem ? [{ kind, order: record.plan.order.id, problem }] : [];
  });
  return [...record.met.values(), ...broken];
}

function amountDiffers(order: Case): Wrong {
  const { amount, currency } = order.record.plan.order;
  const wrong = strangeInvoice(order);
  return wrong && `The order costs ${amount} ${currency}, and its invoice says ${wrong.amount} ${wrong.currency.code}.`;
}

/**
 * The invoice that is over another amount than the order. A part of the order is none, as long as the order is not
 * given: its parts have to add up to the order then.
 */
export function strangeInvoice({
  invoices,
  rows,
  given,
  record,
}: Pick<Case, 'invoices' | 'rows' | 'given' | 'record'>): SandboxInvoice | undefined {
  const ordered = new Decimal(record.plan.order.amount);
  const tooMuch = invoices.find(({ amount }) => ordered.lt(amount));
  if (tooMuch !== undefined) return tooMuch;
  const isGiven = isInState(rows, 'fulfilled') || ofKind(given, 'goods').some((row) => !isParcel(row));
  const parts = invoices.filter(({ status }) => status === 'success' || status === 'pending');
  const isWhole = sumOf(parts.map(({ amount }) => amount)).gte(ordered);
  return isGiven && !isWhole ? invoices.find(({ amount }) => !ordered.eq(amount)) : undefined;
}

/** A row may have the amount of the order, of an invoice, of a payment, or what is left to pay. */
function rowDiffers({ rows, invoices, paid, paidFiat, record: { plan } }: Case): Wrong {
  const ordered = new Decimal(plan.order.amount);
  const ofInvoices = [...invoices, ...paid].flatMap((each) => [each.amount, paidOf(each)]);
  const known = [ordered, paidFiat, ordered.minus(paidFiat), ...ofInvoices];
  const whole = rows.filter(({ part, refunded_amount }) => part !== true && refunded_amount === null);
  const wrong = whole.find(({ amount }) => !known.some((each) => amount.eq(each)));
  const end = wrong?.amount.eq(ordered.times(100)) ? ': is it in cents?' : '.';
  return wrong && `${wrong.place}: amount is ${wrong.amount.toFixed()}, and the order costs ${plan.order.amount}${end}`;
}

function currencyDiffers({ invoices, record: { plan } }: Case): Wrong {
  const wrong = invoices.find(({ currency }) => currency.code !== plan.order.currency);
  return wrong && `The order is in ${plan.order.currency}, and its invoice in ${wrong.currency.code}.`;
}

function secondInvoice({ invoices, ordered, rows }: Case): Wrong {
  // What the shop has as a part of the order is a charge of its own.
  const parts = new Set(rows.flatMap(({ part, external_id }) => (part === true ? plainIdent(external_id) : [])));
  const isPart = ({ external_id }: SandboxInvoice): boolean => parts.has(plainIdent(orderOf(external_id).order));
  const second = invoices.slice(1).find((each) => !isPart(each) && couldBePaid(invoices, each, ordered));
  const first = invoices[0]?.external_id;
  return (
    second &&
    `The order got the invoice ${second.external_id}, although ${first} could be paid or was paid. The customer can pay twice.`
  );
}

/** Whether an earlier invoice was paid in full, or could be paid, when this one was created. */
function couldBePaid(invoices: readonly SandboxInvoice[], later: SandboxInvoice, ordered: Decimal): boolean {
  const earlier = invoices.slice(0, invoices.indexOf(later));
  if (sumOf([...earlier, later].map(({ amount }) => amount)).lte(ordered)) return false; // the order in parts
  return earlier.some((each) => {
    // At the same instant the earlier one had ended: the clock stands still while the shop handles a webhook.
    const hadEnded = each.finished_at !== null && each.finished_at <= later.created_at;
    if (!hadEnded) return each.expires_at > later.created_at;
    return each.status === 'success' && new Decimal(paidOf(each)).gte(each.amount);
  });
}

/** The paid amount of a paid invoice. */
export function paidOf({ adjustment, amount }: SandboxInvoice): string {
  return adjustment?.actual_amount_fiat ?? amount;
}

function ofKind(given: readonly StormFulfilment[], ...kinds: readonly StormFulfilment['kind'][]): StormFulfilment[] {
  return given.filter(({ kind }) => kinds.includes(kind ?? 'goods'));
}

/** Whether a row is something for the payment: a bonus and a fee are not. */
function isSettling({ kind }: StormFulfilment): boolean {
  return kind !== 'bonus' && kind !== 'fee';
}

function isParcel({ item }: StormFulfilment): boolean {
  return (item ?? null) !== null;
}

export function isInState(rows: readonly FoundOrder[], ...states: readonly FoundOrder['state'][]): boolean {
  return rows.some(({ state }) => states.includes(state));
}

function paidText({ paidFiat, ordered, record }: Case): string {
  const { currency } = record.plan.order;
  const [paid, whole] = [paidFiat.toFixed(2), ordered.toFixed(2)];
  if (paidFiat.gt(ordered)) return `${paid} ${currency} was paid for an order of ${whole} ${currency}`;
  return `${paid} of ${whole} ${currency} was paid`;
}

function paidNotFulfilled(order: Case): Wrong {
  const { paid, rows, given, showsGiven } = order;
  if (paid.length === 0 || given.some(isSettling) || isInState(rows, 'refunded')) return null;
  // An order that was paid with another amount may wait for a person, once it is booked.
  const isOther = paid.some(({ is_adjusted }) => is_adjusted);
  const state = (['fulfilled', 'paid'] as const).find((each) => isInState(rows, each));
  const isBooked = isOther && (state === 'paid' || creditOf(rows)?.gt(0) === true);
  if (state === 'fulfilled' ? !showsGiven : isBooked || (state === 'paid' && !showsGiven)) return null;
  return state === undefined
    ? `${paidText(order)}, and the order is ${rows.map((row) => row.state).join(', ')}.`
    : `${paidText(order)}. The order is ${state}, and fulfilments() has no row for it.`;
}

/** What `reconcile` would call not fulfilled, although the goods were given. Credit or money back may end an order so. */
function stateDiffers(order: Case): Wrong {
  const { paid, rows, given, paidFiat, ordered } = order;
  const goods = ofKind(given, 'goods');
  if (paid.length === 0 || goods.length === 0 || isInState(rows, 'paid', 'fulfilled', 'refunded')) return null;
  if (isInState(rows, 'canceled')) return `${paidText(order)} and given, and the order is canceled.`;
  const isWhole = paidFiat.gte(ordered) && !goods.every(isParcel);
  return isWhole && `${paidText(order)} and given, and the order is still open.`;
}

/** No finding for a shop that gave only credit, or only some parcels of the order. */
function fulfilledForLess(order: Case): Wrong {
  const { paid, rows, ordered, paidFiat, showsGiven, accepts } = order;
  if (paid.length === 0 || !paidFiat.lt(ordered.minus(accepts.less))) return null;
  const given = order.given.filter(isSettling);
  const goods = ofKind(given, 'goods');
  const isWhole = isInState(rows, 'fulfilled');
  const isForReview = given.length > 0 && ofKind(given, 'review').length === given.length;
  const isGiven = goods.length > 0 ? isAll(goods, order, isWhole) : isWhole && (!showsGiven || isForReview);
  const hint = showsGiven ? '' : ' If the shop gives credit, let fulfilments() show how much.';
  return isGiven && `${paidText(order)}, and the whole order was given.${hint}`;
}

/** Whether the goods are the whole order: no parcels, or all of those that orders have. */
function isAll(goods: readonly StormFulfilment[], { usualItems }: Case, isWhole: boolean): boolean {
  if (!goods.every(isParcel)) return true;
  return usualItems.size === 0
    ? isWhole
    : [...usualItems].every((item) => goods.some((row) => String(row.item) === item));
}

/** What an order cost the shop, and what the shop owes its customer, by its findings. */
export function moneyOf(order: Case, kinds: ReadonlySet<StormFindingKind>) {
  const { ordered, paidFiat, paid, rows, record } = order;
  const price = new Decimal(record.plan.order.amount);
  const again = kinds.has('fulfilled_twice') ? Math.max(1, timesGiven(order) - timesPaid(order)) : 0;
  const isGiven = paid.length > 0 && (timesGiven(order) > 0 || isInState(rows, 'fulfilled'));
  const isOther = isGiven && kinds.has('amount_differs');
  const less = isOther || kinds.has('fulfilled_for_less') ? Decimal.max(price.minus(paidFiat), 0) : 0;
  const over = isOther ? Decimal.max(Decimal.min(paidFiat, ordered).minus(price), 0) : 0;
  const free = kinds.has('fulfilled_not_paid') ? price : 0;
  const isOwed = kinds.has('paid_not_fulfilled') || kinds.has('order_missing');
  const kept = kinds.has('payment_kept') ? keptOf(order) : new Decimal(0);
  const gap = kinds.has('credited_differs') ? inFiat(order, gapOf(order)) : new Decimal(0);
  const lost = price.times(again).plus(less).plus(free).plus(Decimal.max(gap, 0));
  return { lost, owed: isOwed ? paidFiat : kept.plus(over).plus(Decimal.max(gap.neg(), 0)) };
}

function inFiat({ paidFiat, credited }: Case, usdt: Decimal): Decimal {
  return credited.isZero() ? new Decimal(0) : usdt.times(paidFiat).div(credited).toDecimalPlaces(2);
}

/**
 * How often the order may be given: once, and again for each further payment in full. A payment of more than twice the
 * order is one payment, and buys it once.
 */
function timesPaid({ paid, paidFiat, ordered }: Case): number {
  return Math.min(paid.length, Math.max(1, Math.floor(paidFiat.div(ordered).toNumber())));
}

/** How often the order, or one of its parcels, was given. */
function timesGiven({ given }: Pick<Case, 'given'>): number {
  const parcels = Map.groupBy(ofKind(given, 'goods'), ({ item }) => String(item ?? ''));
  return Math.max(0, ...[...parcels.values()].map(({ length }) => length));
}

function fulfilledTwice(order: Case): Wrong {
  const { paid, paidFiat, ordered, given, usualItems } = order;
  if (paid.length === 0) return null;
  const [often, allowed] = [timesGiven(order), timesPaid(order)];
  const goods = ofKind(given, 'goods');
  // Parcels for a payment in part, and all of them for a further one.
  const isCovered =
    paid.length > 1 && goods.every(isParcel) && ordered.times(goods.length).lte(paidFiat.times(usualItems.size));
  if ((often <= allowed || isCovered) && !isTooMuchBack(order)) return null;
  const [credit, refund] = [ofKind(given, 'credit').length, ofKind(given, 'refund').length];
  const got = Object.entries({ goods: often, credit, 'the money back': refund });
  const words = got.flatMap(([what, times]) => (times === 0 ? [] : `${what} ${timesText(times)}`));
  return `The order was paid ${timesText(allowed)}, and the customer got ${words.join(' and ')}.`;
}

/**
 * What is paid and not given, where goods were given and nothing else. One gift settles one payment. Where a person
 * decides about all, the later payments that have no row and are not booked.
 */
function keptOf({ given, rows, paid, paidFiat, credited, ordered, usualItems, record }: Case): Decimal {
  const [goods, reviews] = [ofKind(given, 'goods'), ofKind(given, 'review')];
  const settling = given.filter(isSettling).length;
  if (settling === 0) return new Decimal(0);
  const byTime = [...paid].sort((a, b) => String(a.finished_at).localeCompare(String(b.finished_at)));
  if (isInState(rows, 'refunded')) {
    const refunds = ofKind(given, 'refund');
    const isCounted = goods.length === 0 && refunds.length === settling && creditOf(refunds) === null;
    return isCounted ? sumOf(byTime.slice(settling).map(paidOf)) : new Decimal(0);
  }
  if (reviews.length === settling && creditOf(rows)?.eq(credited) !== true) {
    return sumOf(byTime.slice(settling).map(paidOf));
  }
  if (goods.length < settling) return new Decimal(0);
  const times = Math.max(timesGiven({ given }), Math.floor(goods.length / Math.max(1, usualItems.size))); // other parcels each time
  return Decimal.max(paidFiat.minus(Decimal.max(ordered, record.plan.order.amount).times(times)), 0);
}

function paymentKept(order: Case): Wrong {
  const { paid, paidFiat, accepts, record } = order;
  const kept = keptOf(order);
  if (kept.lte(Decimal.max(accepts.surplus, '0.02'))) return null;
  const { currency } = record.plan.order;
  const times = paid.length === 1 ? '' : ` by ${paid.length} invoices`;
  return `${paidFiat.toFixed(2)} ${currency} was paid${times}, and for ${kept.toFixed(2)} of it the customer got nothing: no goods, no credit, no money back and no decision of a person.`;
}

function parcelMissing({ given, usualItems, paidFiat, ordered }: Case): Wrong {
  const goods = ofKind(given, 'goods');
  if (goods.length === 0 || goods.length < given.length || paidFiat.lt(ordered) || !goods.every(isParcel)) return null;
  const missing = [...usualItems].filter((item) => !goods.some((row) => String(row.item) === item));
  return (
    missing.length > 0 && `The order was paid and given without ${missing.join(', ')}, which nearly all orders have.`
  );
}

/** The part of the orders in full that shows what each order has: what fewer have, hangs on what was ordered. */
const NEARLY_ALL = 0.9;

/** The parcels that nearly all orders in full have. */
export function usualItemsOf(orders: readonly Pick<Case, 'given' | 'paidFiat' | 'ordered'>[]): Set<string> {
  const whole = orders.filter(
    ({ given, paidFiat, ordered }) => paidFiat.gte(ordered) && ofKind(given, 'goods').some(isParcel),
  );
  const counts = new Map<string, number>();
  for (const { given } of whole) {
    const items = new Set(ofKind(given, 'goods').flatMap((row) => (isParcel(row) ? String(row.item) : [])));
    for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([item, count]) => (count >= whole.length * NEARLY_ALL ? item : [])));
}

/** Whether credit and refunds are more than the goods leave. Where a row has no amount, each row is one payment. */
function isTooMuchBack(order: Case): boolean {
  const { paid, given, rows } = order;
  const [back, most] = [ofKind(given, 'credit', 'refund'), mostCredit(order)];
  if (back.every(({ credited_usdt }) => (credited_usdt ?? null) !== null))
    return (
      creditOf(back)?.gt(most.times(rateDrift(order))) === true && (timesGiven(order) > 0 || back.length > paid.length)
    );
  return back.length > (most.gt(CENT) ? Math.max(1, paid.length - timesWhole(given, rows)) : 0);
}

/**
 * How often the goods used up a payment. Some parcels do not, nor what a person has decided about, nor what came back:
 * the order is refunded then.
 */
function timesWhole(given: readonly StormFulfilment[], rows: readonly FoundOrder[]): number {
  if (ofKind(given, 'review').length > 0 || isInState(rows, 'refunded')) return 0;
  return ofKind(given, 'goods').filter((row) => !isParcel(row)).length;
}

const CENT = new Decimal('0.02'); // of a fiat currency, in USDT, with its rounding

/**
 * The largest credit that is right: the credited USDT, or the paid amount at the rate of the invoice if that is more,
 * less the goods already given, and with what came back of them.
 */
function mostCredit(order: Case): Decimal {
  const { paid, credited, rows, paidFiat } = order;
  const atRate = sumOf(paid.map((each) => each.rate && new Decimal(paidOf(each)).div(each.rate)));
  const returned = sumOf(rows.map(({ refunded_amount }) => refunded_amount));
  const part = Decimal.min(aboveGoods(order).plus(returned).div(paidFiat), 1);
  return Decimal.max(credited, atRate).times(part).plus(CENT);
}

/** What was paid above the goods that were given. */
function aboveGoods({ paidFiat, ordered, given, rows }: Case): Decimal {
  return Decimal.max(paidFiat.minus(ordered.times(timesWhole(given, rows))), 0);
}

/** Money may go back at the rate of another day. */
const DRIFT = 0.02;

function rateDrift({ given }: Case): number {
  return ofKind(given, 'refund').length > 0 ? 1 + DRIFT : 1;
}

/** By how much USDT the credit, the refunds and the fee are too much, or too little where that is negative. */
export function gapOf(order: Case): Decimal {
  const { given, rows, credited, corrected, paid, accepts } = order;
  const zero = new Decimal(0);
  const back = ofKind(given, 'credit', 'refund');
  const sum = creditOf(back);
  if (sum === null || paid.length === 0 || fulfilledTwice(order)) return zero;
  const fees = ofKind(given, 'fee');
  const all = sum.plus(sumOf(fees.map(({ credited_usdt }) => credited_usdt)));
  const most = mostCredit(order).times(rateDrift(order));
  if (all.gt(most)) return all.minus(most);
  // What is not said may be the rest: a row without its amount, goods that came back, parcels, what a person decides.
  const goods = ofKind(given, 'goods');
  const isOpen = [...back, ...fees].some(({ credited_usdt }) => (credited_usdt ?? null) === null);
  const isReturned = goods.length > 0 && isInState(rows, 'refunded');
  if (isOpen || isReturned || goods.some(isParcel) || ofKind(given, 'review').length > 0) return zero;
  const due =
    goods.length === 0
      ? Decimal.min(credited, corrected)
      : credited.times(Decimal.max(aboveGoods(order).minus(accepts.surplus), 0)).div(order.paidFiat);
  const isExact = goods.length === 0 && ofKind(given, 'refund').length === 0;
  const least = isExact ? due : due.times(1 - DRIFT);
  return all.lt(least.minus(CENT)) ? all.minus(due) : zero;
}

function creditedDiffers(order: Case): Wrong {
  const { paid, rows, given, credited } = order;
  if (paid.length === 0 || paymentKept(order) || paidNotFulfilled(order)) return null;
  const booked = isInState(rows, 'refunded') ? null : creditOf(rows);
  if (booked !== null && !isRightBooking(order, booked))
    return `${credited.toFixed()} USDT was credited, and ${booked.toFixed()} is booked.`;
  if (gapOf(order).isZero()) return null;
  const got = (['credit', 'refund', 'fee'] as const).flatMap((kind) => {
    const sum = creditOf(ofKind(given, kind));
    return sum === null ? [] : `${sum.toFixed()} ${WENT[kind]}`;
  });
  const besides = ofKind(given, 'goods').length > 0 ? 'besides the goods ' : '';
  return `${paidText(order)}: ${credited.toFixed()} USDT was credited, and ${besides}${got.join(', ')}.`;
}

const WENT = { credit: 'was given', refund: 'went back', fee: 'was kept as a fee' } as const;

/** The sum of the payments, before or after a correction, or one of several where each has its gift or its review. */
function isRightBooking(order: Case, booked: Decimal): boolean {
  const { paid, given, credited, corrected, isSumBooked, record } = order;
  if (booked.eq(credited) || booked.eq(corrected)) return true;
  if (isSumBooked && record.paidWith === 'payment') return false;
  const isOne = paid.some(({ settled_amount_usdt: usdt }) => usdt !== null && booked.eq(usdt));
  return isOne && given.filter(isSettling).length >= paid.length;
}

function fulfilledNotPaid({ paid, rows, given }: Case): Wrong {
  if (paid.length > 0) return null;
  const booked = rows.find(({ state }) => state !== 'open' && state !== 'canceled');
  if (booked !== undefined) return `The order is ${booked.state}, and nothing was paid.`;
  return ofKind(given, 'goods', 'credit', 'refund').length > 0 && 'The order was given, and nothing was paid.';
}

export function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** The credit in the rows, or null if none of them has any. */
export function creditOf(rows: readonly Pick<StormFulfilment, 'credited_usdt'>[]): Decimal | null {
  const credits = rows.map(({ credited_usdt }) => credited_usdt ?? null).filter((credit) => credit !== null);
  return credits.length === 0 ? null : sumOf(credits);
}

/** The sum of the amounts that can be read. */
export function sumOf(amounts: readonly StormFulfilment['credited_usdt'][]): Decimal {
  return amounts.reduce<Decimal>((sum, given) => {
    const amount = decimalFrom(typeof given === 'object' ? given?.toFixed() : given);
    return amount instanceof Problem ? sum : sum.plus(amount);
  }, new Decimal(0));
}
