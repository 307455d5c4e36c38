import { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem, plainIdent } from '../../contract/values/scalars.ts';
import { kindOf } from '../../errors/checks.ts';
import { readOrder } from '../../reconcile/compare.ts';
import type { FoundOrder, ReconcileOrder } from '../../reconcile/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxAttempt, SandboxDelivery, SandboxInvoice } from '../sandbox/wire-types.ts';
import type { StormFindingKind } from './kinds.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import { type CustomerRecord, type Day, FORGED, keyOfRow, listOf, type Played } from './play.ts';
import type { Seen } from './story.ts';

// What is wrong at the end: each order of the shop is compared with its invoices in the sandbox. The kinds that `reconcile`
// has too mean the same here. They are decided here, because an order may have several invoices, and what counts is what the
// customer got.

/** What is wrong, before it has its cause and its replay. */
export interface Found {
  readonly kind: StormFindingKind;
  readonly order: string | null;
  readonly problem: string;
}

/** The rows of the shop's database at one moment. */
export interface Rows {
  readonly orders: readonly ReconcileOrder[];
  readonly fulfilments: readonly StormFulfilment[];
}

export async function rowsOf(shop: StormShop): Promise<Rows> {
  const fulfilments = shop.fulfilments === undefined ? [] : await listOf<StormFulfilment>(shop.fulfilments());
  return { orders: await listOf<ReconcileOrder>(shop.orders()), fulfilments };
}

/** An order at the end: what its customer saw, what the sandbox knows, and what the shop says. */
export interface Case {
  readonly record: CustomerRecord;
  /** The oldest first. */
  readonly invoices: readonly SandboxInvoice[];
  /** Those of the invoices that were paid, in whole or in part. */
  readonly paid: readonly SandboxInvoice[];
  readonly rows: readonly FoundOrder[];
  readonly given: readonly StormFulfilment[];
  /** Whether the shop shows what it gave. */
  readonly showsGiven: boolean;
  /** The attempts to tell the shop of the paid event, and of the canceled one. */
  readonly attempts: readonly (SandboxAttempt & { readonly event: string })[];
  /** The amount of the first invoice, which is over the whole order. */
  readonly ordered: Decimal;
  readonly paidFiat: Decimal;
  readonly credited: Decimal;
  /** What the shop gave, as the story has it. */
  readonly acts: readonly Seen[];
}

/** The verdict over a storm. */
export interface Verdict {
  readonly cases: readonly Case[];
  readonly found: readonly Found[];
}

/** Compares the shop with the sandbox. `before` are the rows that the shop had before the first customer. */
export function judge(shop: StormShop, rows: Rows, before: Rows, sandbox: Sandbox, day: Day, played: Played): Verdict {
  const orders: FoundOrder[] = [];
  const malformed: Found[] = [];
  const old = new Set(before.orders.map((row) => String(row?.external_id)));
  for (const [index, row] of rows.orders.entries()) {
    const order = readOrder(row, `row ${index + 1}`);
    if (!('problem' in order)) orders.push(order);
    else if (order.external_id === null || !old.has(order.external_id)) {
      const known = order.external_id === null ? undefined : day.recordOf(order.external_id)?.plan.order.id;
      const problem = `${order.place}: ${order.problem}.`;
      malformed.push({ kind: 'order_malformed', order: known ?? order.external_id, problem });
    }
  }
  const fulfilments = newRows(rows.fulfilments, before.fulfilments);
  for (const { row, place } of fulfilments) {
    if (typeof row?.external_id === 'string') continue;
    const problem = `${place} of fulfilments: external_id must be text, not ${kindOf(row?.external_id)}.`;
    malformed.push({ kind: 'order_malformed', order: null, problem });
  }
  const given = fulfilments.flatMap(({ row }) => (typeof row?.external_id === 'string' ? [row] : []));
  const deliveries = byIdent(sandbox.deliveries().reverse(), ({ external_id }) => [external_id]);
  const rowsById = byIdent(orders, ({ external_id, order }) => [external_id, order]);
  const givenById = byIdent(given, ({ external_id }) => [external_id]);
  const isShown = shop.fulfilments !== undefined;
  const cases = played.records.map((record) => caseOf(record, sandbox, day, deliveries, rowsById, givenById, isShown));
  const unreadable = new Set(malformed.map(({ order }) => order));
  const wrong = cases.flatMap((each) => findingsOfCase(each, unreadable));
  const matched = new Set(cases.flatMap((each) => each.given));
  const found = [
    ...nothingDelivered(shop, sandbox),
    ...malformed,
    ...unknownRows(given.filter((row) => !matched.has(row) && !rowsById.has(plainIdent(row.external_id)))),
    ...wrong,
    ...refusedCreation(sandbox),
    ...failures(played),
    ...notFinished(played),
  ];
  return { cases, found };
}

/** The rows that were not there before, with their places. The same order may have several equal ones. */
function newRows(rows: readonly StormFulfilment[], before: readonly StormFulfilment[]) {
  const old = new Map<string, number>();
  for (const row of before) old.set(keyOfRow(row), (old.get(keyOfRow(row)) ?? 0) + 1);
  return rows.flatMap((row, index) => {
    const left = old.get(keyOfRow(row)) ?? 0;
    if (left > 0) old.set(keyOfRow(row), left - 1);
    return left > 0 ? [] : [{ row, place: `row ${index + 1}` }];
  });
}

function byIdent<Row>(rows: readonly Row[], idsOf: (row: Row) => readonly string[]): Map<string, Row[]> {
  const byId = new Map<string, Row[]>();
  for (const row of rows) {
    for (const id of new Set(idsOf(row).map(plainIdent))) {
      const others = byId.get(id);
      if (others === undefined) byId.set(id, [row]);
      else others.push(row);
    }
  }
  return byId;
}

function caseOf(
  record: CustomerRecord,
  sandbox: Sandbox,
  day: Day,
  deliveries: ReadonlyMap<string, readonly SandboxDelivery[]>,
  rowsById: ReadonlyMap<string, readonly FoundOrder[]>,
  givenById: ReadonlyMap<string, readonly StormFulfilment[]>,
  showsGiven: boolean,
): Case {
  const { order } = record.plan;
  const invoices = record.uuids.map((uuid) => sandbox.invoice(uuid));
  const ids = [order.id, ...invoices.flatMap((each) => [each.external_id, each.uuid])].map(plainIdent);
  const rows = uniqueOf(ids, rowsById);
  const all = [...ids, ...rows.flatMap((row) => [row.external_id, row.order].map(plainIdent))];
  const paid = invoices.filter(({ status }) => status === 'success');
  return {
    record,
    invoices,
    paid,
    rows,
    given: uniqueOf(all, givenById),
    showsGiven,
    attempts: uniqueOf(
      invoices.map(({ external_id }) => plainIdent(external_id)),
      deliveries,
    ).flatMap(({ event_type, attempt_log }) => attempt_log.map((attempt) => ({ ...attempt, event: event_type }))),
    ordered: new Decimal(invoices[0]?.amount ?? order.amount),
    paidFiat: sumOf(paid.map((each) => each.adjustment?.actual_amount_fiat ?? each.amount)),
    credited: sumOf(paid.map(({ settled_amount_usdt }) => settled_amount_usdt)),
    acts: day.story.of(order.id).filter(({ given, isKill }) => given !== undefined || isKill === true),
  };
}

function uniqueOf<Row>(ids: readonly string[], byId: ReadonlyMap<string, readonly Row[]>): Row[] {
  return [...new Set([...new Set(ids)].flatMap((id) => byId.get(id) ?? []))];
}

// The findings about the whole storm.

const EVENTS = {
  'as ordered': ({ body, event_type }: SandboxDelivery) =>
    event_type === 'invoice.paid' && !body.includes('"adjusted": true'),
  'of another amount': ({ body, event_type }: SandboxDelivery) =>
    event_type === 'invoice.paid' && body.includes('"adjusted": true'),
  'of an end without payment': ({ event_type }: SandboxDelivery) => event_type === 'invoice.canceled',
} as const;

/** An endpoint that accepts nothing, or nothing of one event, shows little, or is healed by the catch-up without a word. */
function nothingDelivered({ receive }: StormShop, sandbox: Sandbox): Found[] {
  if (receive === undefined) return [];
  const deliveries = sandbox.deliveries().reverse(); // the oldest first
  if (deliveries.length === 0) {
    const hasEnded = sandbox.invoices().some(({ status }) => status !== 'pending');
    if (!hasEnded) return [];
    return [{ kind: 'nothing_delivered', order: null, problem: 'No webhook was sent: no invoice has a callback_url.' }];
  }
  const ofAll = refusedAlways(deliveries);
  if (ofAll !== null) {
    const problem = `The endpoint accepted none of ${ofAll.count} webhooks, so the storm shows little. Its first response: ${ofAll.first}.`;
    return [{ kind: 'nothing_delivered', order: null, problem }];
  }
  return Object.entries(EVENTS).flatMap(([words, isOne]) => {
    const refused = refusedAlways(deliveries.filter(isOne));
    if (refused === null || refused.count < 3) return [];
    const problem = `The endpoint accepted none of ${refused.count} webhooks of a payment ${words}. Its first response: ${refused.first}.`;
    return [
      { kind: 'nothing_delivered' as const, order: null, problem: problem.replace('a payment of an end', 'an end') },
    ];
  });
}

/** The number of attempts, if none was accepted, and the first response. Attempts with a fault are the storm's own work. */
function refusedAlways(
  deliveries: readonly SandboxDelivery[],
): { readonly count: number; readonly first: string } | null {
  const attempts = deliveries.flatMap(({ attempt_log }) => attempt_log);
  const own = attempts.filter(({ fault }) => fault === null);
  if (own.length === 0 || attempts.some(({ success }) => success)) return null;
  return { count: own.length, first: own[0]?.error ?? '' };
}

function unknownRows(rows: readonly StormFulfilment[]): Found[] {
  const [first] = rows;
  if (first === undefined) return [];
  const which = rows.length === 1 ? 'A row of fulfilments() has' : `${rows.length} rows of fulfilments() have`;
  const problem = `${which} an id that is in no row of orders(), such as ${JSON.stringify(first.external_id.slice(0, 60))}.`;
  return [{ kind: 'fulfilment_unknown', order: null, problem }];
}

function refusedCreation(sandbox: Sandbox): Found[] {
  const refused = sandbox
    .requests()
    .find(
      ({ operation, status, fault }) =>
        operation === 'invoices.create' && fault === null && REFUSED_STATUSES.has(status),
    );
  if (refused === undefined) return [];
  const { status, code, why } = refused;
  const problem = `A creation was refused with ${status} ${code ?? ''}, and would be each time. ${why ?? ''}`;
  return [{ kind: 'request_refused', order: null, problem: problem.trim() }];
}

const REFUSED_STATUSES: ReadonlySet<number | null> = new Set([400, 401, 403, 422]);

const FAILED = { catchUp: 'catch_up_failed', restart: 'restart_failed', idle: 'not_idle' } as const;

function failures({ failures: all }: Played): Found[] {
  return [...all].map(([name, { message, count }]) => ({
    kind: FAILED[name],
    order: null,
    problem: `${name} failed ${timesText(count)}: ${message}`,
  }));
}

function notFinished({ unplayed }: Played): Found[] {
  if (unplayed === 0) return [];
  return [
    { kind: 'not_finished', order: null, problem: `The time limit ended the storm with ${unplayed} steps left.` },
  ];
}

// The rules for one order. A rule returns the problem of an order that breaks it, else null.

type Rule = readonly [StormFindingKind, (order: Case) => string | null];

const RULES: readonly Rule[] = [
  ['checkout_stuck', ({ record }) => record.stuck],
  [
    'checkout_failed',
    ({ record: { error } }) => (error === null ? null : `The customer saw an error while the service worked: ${error}`),
  ],
  [
    'dead_link',
    ({ record: { deadLink } }) =>
      deadLink === null ? null : `The customer came back and got the link of an invoice that is ${deadLink}.`,
  ],
  [
    'forgery_accepted',
    ({ record: { acceptedForgery: accepted } }) =>
      accepted === null
        ? null
        : `The endpoint answered ${accepted.status} to a webhook of a stranger: ${FORGED[accepted.forgery]}.`,
  ],
  ['amount_differs', amountDiffers],
  ['currency_differs', currencyDiffers],
  ['second_invoice', secondInvoice],
];

/** The rules for an order that the shop has. */
const RULES_OF_ROWS: readonly Rule[] = [
  ['paid_not_fulfilled', paidNotFulfilled],
  ['fulfilled_for_less', fulfilledForLess],
  ['fulfilled_twice', fulfilledTwice],
  ['credited_differs', creditedDiffers],
  ['fulfilled_not_paid', fulfilledNotPaid],
];

function findingsOfCase(order: Case, unreadable: ReadonlySet<string | null>): Found[] {
  const { id } = order.record.plan.order;
  const found = (rules: readonly Rule[]): Found[] =>
    rules.flatMap(([kind, rule]) => {
      const problem = rule(order);
      return problem === null ? [] : [{ kind, order: id, problem }];
    });
  if (order.rows.length > 0) return found([...RULES, ...RULES_OF_ROWS]);
  // An unpaid order may be deleted. A row that cannot be read is told already.
  if (unreadable.has(id) || unreadable.has(null)) return found(RULES);
  if (order.paid.length > 0)
    return found([...RULES, ['order_missing', () => 'The shop has no order for the invoice that was paid.']]);
  return found([...RULES, ['fulfilled_not_paid', fulfilledNotPaid]]);
}

function amountDiffers({ invoices, record: { plan } }: Case): string | null {
  const ordered = new Decimal(plan.order.amount);
  if (sumOf(invoices.map(({ amount }) => amount)).eq(ordered)) return null; // the order in parts
  const wrong = invoices.find((each) => {
    if (ordered.eq(each.amount)) return false;
    const before = invoices.filter(
      ({ status, finished_at }) => status === 'success' && String(finished_at) <= each.created_at,
    );
    const paid = sumOf(before.map(({ amount, adjustment }) => adjustment?.actual_amount_fiat ?? amount));
    return !ordered.minus(paid).eq(each.amount); // the rest of an order that was paid in part
  });
  if (wrong === undefined) return null;
  return `The order is over ${plan.order.amount} ${plan.order.currency}, and its invoice over ${wrong.amount} ${wrong.currency.code}.`;
}

function currencyDiffers({ invoices, record: { plan } }: Case): string | null {
  const wrong = invoices.find(({ currency }) => currency.code !== plan.order.currency);
  return wrong === undefined
    ? null
    : `The order is in ${plan.order.currency}, and its invoice in ${wrong.currency.code}.`;
}

function secondInvoice({ invoices, ordered }: Case): string | null {
  const second = invoices.slice(1).find((each) => couldBePaid(invoices, each, ordered));
  if (second === undefined) return null;
  return `The order got the invoice ${second.external_id} while ${invoices[0]?.external_id} could be paid, or was: the customer can pay twice.`;
}

/** Whether an earlier invoice was paid in full, or could be paid, when this one was created. */
function couldBePaid(invoices: readonly SandboxInvoice[], later: SandboxInvoice, ordered: Decimal): boolean {
  const earlier = invoices.slice(0, invoices.indexOf(later));
  if (sumOf([...earlier, later].map(({ amount }) => amount)).lte(ordered)) return false; // the order in parts
  return earlier.some((each) => {
    // At the same instant the earlier one had ended: the clock stands still while the shop handles a webhook.
    const hadEnded = each.finished_at !== null && each.finished_at <= later.created_at;
    if (!hadEnded) return each.expires_at > later.created_at;
    const { status, amount, adjustment } = each;
    return status === 'success' && !(adjustment !== null && new Decimal(adjustment.actual_amount_fiat).lt(amount));
  });
}

/** What a row of `fulfilments()` gives. A row with a credit and without a kind is one of a shop that gives credit. */
function kindOfRow({ kind, credited_usdt }: StormFulfilment): NonNullable<StormFulfilment['kind']> {
  return kind ?? ((credited_usdt ?? null) === null ? 'goods' : 'credit');
}

function ofKind(given: readonly StormFulfilment[], ...kinds: readonly StormFulfilment['kind'][]): StormFulfilment[] {
  return given.filter((row) => kinds.includes(kindOfRow(row)));
}

function isParcel({ item }: StormFulfilment): boolean {
  return item !== null && item !== undefined;
}

function isForReview(given: readonly StormFulfilment[]): boolean {
  return given.length > 0 && ofKind(given, 'review').length === given.length;
}

function isInState(rows: readonly FoundOrder[], ...states: readonly FoundOrder['state'][]): boolean {
  return rows.some(({ state }) => states.includes(state));
}

function paidText({ paidFiat, ordered, record }: Case): string {
  return `${paidFiat.toFixed(2)} of ${ordered.toFixed(2)} ${record.plan.order.currency} was paid`;
}

function paidNotFulfilled(order: Case): string | null {
  const { paid, rows, given, showsGiven } = order;
  if (paid.length === 0 || given.length > 0 || isInState(rows, 'refunded')) return null;
  const states = rows.map(({ state }) => state).join(', ');
  if (showsGiven && isInState(rows, 'fulfilled'))
    return `${paidText(order)}. The order is fulfilled, and fulfilments() has no row for it.`;
  // An order that was paid with another amount may wait for a person, once it is booked.
  const isOther = paid.some(({ is_adjusted }) => is_adjusted);
  if (isInState(rows, 'paid', 'fulfilled') && (!showsGiven || isOther)) return null;
  if (isOther && creditOf(rows)?.gt(0) === true) return null;
  return isInState(rows, 'paid')
    ? `${paidText(order)}. The order is paid, and fulfilments() has no row for it.`
    : `${paidText(order)}, and the order is ${states}.`;
}

/** A shop that gives the credit, and no goods, may fulfil an order for less, and one that sends some of its parcels too. */
function fulfilledForLess(order: Case): string | null {
  const { paid, given, rows, ordered, paidFiat, showsGiven } = order;
  if (paid.length === 0 || !paidFiat.lt(ordered)) return null;
  const goods = ofKind(given, 'goods');
  const isWhole = isInState(rows, 'fulfilled');
  const isPart = !isWhole && goods.every(isParcel);
  const isGiven = goods.length > 0 ? !isPart : isWhole && (!showsGiven || isForReview(given));
  if (!isGiven) return null;
  const hint = showsGiven ? '' : ' If the shop gives credit, let fulfilments() show how much.';
  return `${paidText(order)}, and the whole order was given.${hint}`;
}

/** What an order cost the shop, and what the shop owes its customer, by its findings. */
export function moneyOf(
  order: Case,
  kinds: ReadonlySet<StormFindingKind>,
): { readonly lost: Decimal; readonly owed: Decimal } {
  const { ordered, paidFiat } = order;
  const again = kinds.has('fulfilled_twice') ? Math.max(1, timesGiven(order) - timesPaid(order)) : 0;
  const less = kinds.has('fulfilled_for_less') ? ordered.minus(paidFiat) : new Decimal(0);
  const free = kinds.has('fulfilled_not_paid') ? ordered : new Decimal(0);
  const isOwed = kinds.has('paid_not_fulfilled') || kinds.has('order_missing');
  return { lost: ordered.times(again).plus(less).plus(free), owed: isOwed ? paidFiat : new Decimal(0) };
}

/** How often the order may be given: once, and again for each further time that it was paid in full. */
function timesPaid({ paidFiat, ordered }: Case): number {
  return Math.max(1, Math.floor(paidFiat.div(ordered).toNumber()));
}

/** How often the order, or one of its parcels, was given. */
function timesGiven({ given }: Case): number {
  const counts = new Map<string, number>();
  for (const { item } of ofKind(given, 'goods')) {
    const key = String(item ?? '');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function fulfilledTwice(order: Case): string | null {
  const { paid, given } = order;
  if (paid.length === 0) return null;
  // A payment of more than twice the order is one payment, and buys it once.
  const [often, allowed] = [timesGiven(order), Math.min(timesPaid(order), paid.length)];
  if (often > allowed) return `The order was paid ${timesText(allowed)} and given ${timesText(often)}.`;
  const credits = ofKind(given, 'credit');
  const credit = creditOf(credits);
  if (credit === null || credit.lte(mostCredit(order))) return null;
  if (often > 0) return 'The order was given as goods, and what was paid for them as credit too.';
  if (credits.length > paid.length)
    return `The order was paid ${timesText(paid.length)} and credited ${timesText(credits.length)}.`;
  return null;
}

const CENT = new Decimal('0.02'); // of a fiat currency, in USDT, with its rounding

/** The most that a shop may credit: what it got, or what was paid at the rate of the invoice, beyond the goods that it gave. */
function mostCredit({ paid, credited, given, paidFiat, ordered }: Case): Decimal {
  const atRate = sumOf(
    paid.map(({ adjustment, amount, rate }) => {
      const fiat = new Decimal(adjustment?.actual_amount_fiat ?? amount);
      return rate === null ? null : fiat.div(rate);
    }),
  );
  const most = Decimal.max(credited, atRate);
  const hasGoods = ofKind(given, 'goods').some((row) => !isParcel(row));
  const part = hasGoods ? Decimal.max(paidFiat.minus(ordered), 0).div(paidFiat) : new Decimal(1);
  return most.times(part).plus(CENT);
}

function creditedDiffers(order: Case): string | null {
  const { paid, rows, given, credited } = order;
  if (paid.length === 0) return null;
  const booked = isInState(rows, 'refunded') ? null : creditOf(rows);
  if (booked?.eq(credited) === false)
    return `${credited.toFixed()} USDT was credited, and ${booked.toFixed()} is booked.`;
  const credit = creditOf(ofKind(given, 'credit'));
  if (credit === null || fulfilledTwice(order) !== null) return null;
  const others = ofKind(given, 'goods', 'refund', 'review');
  const isFine = credit.lte(mostCredit(order)) && (others.length > 0 || credit.gte(credited.minus(CENT)));
  return isFine ? null : `${credited.toFixed()} USDT was credited, and ${credit.toFixed()} was given.`;
}

function fulfilledNotPaid({ paid, rows, given }: Case): string | null {
  if (paid.length > 0) return null;
  const booked = rows.find(({ state }) => state !== 'open' && state !== 'canceled');
  if (booked !== undefined) return `The order is ${booked.state}, and nothing was paid.`;
  return ofKind(given, 'goods', 'credit', 'refund').length > 0 ? 'The order was given, and nothing was paid.' : null;
}

function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** The credit in the rows, or null if none of them has any. */
export function creditOf(rows: readonly Pick<StormFulfilment, 'credited_usdt'>[]): Decimal | null {
  const credits = rows.map(({ credited_usdt }) => credited_usdt ?? null).filter((credit) => credit !== null);
  return credits.length === 0 ? null : sumOf(credits);
}

/** The sum of the amounts that can be read. */
function sumOf(amounts: readonly StormFulfilment['credited_usdt'][]): Decimal {
  return amounts.reduce<Decimal>((sum, given) => {
    const amount = decimalFrom(typeof given === 'object' ? given?.toFixed() : given);
    return amount instanceof Problem ? sum : sum.plus(amount);
  }, new Decimal(0));
}
