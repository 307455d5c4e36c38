import { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem, plainIdent } from '../../contract/values/scalars.ts';
import { kindOf } from '../../errors/checks.ts';
import { readOrder } from '../../reconcile/compare.ts';
import type { FoundOrder, ReconcileOrder } from '../../reconcile/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxInvoice } from '../sandbox/wire-types.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import type { CustomerRecord, Played } from './play.ts';

// What is wrong at the end: each order of the shop is compared with its invoices in the sandbox. The first three kinds
// mean the same as in `reconcile`. They are decided here, because an order may have several invoices.

/**
 * What is wrong.
 *
 * - `paid_not_fulfilled`: the customer paid, and the order is open or canceled.
 * - `fulfilled_not_paid`: the order was given, and nothing was paid.
 * - `credited_differs`: the shop booked another credit than it got.
 * - `fulfilled_for_less`: less was paid than ordered, and the whole order was given.
 * - `fulfilled_twice`: the order was given more often than it was paid.
 * - `second_invoice`: the order got another invoice while the first one could be paid, or was.
 * - `checkout_stuck`: the customer came back after an error, and got no payment link although the service worked.
 * - `order_missing`: the shop has no order for an invoice that it created.
 * - `order_malformed`: a row of `orders` cannot be read.
 * - `forgery_accepted`: the endpoint accepted a webhook that a stranger signed.
 * - `request_refused`: the service refused a request of the shop, and would refuse it each time.
 * - `nothing_delivered`: the endpoint accepted no webhook at all, so the storm shows little.
 * - `not_finished`: the time limit ended the storm.
 */
export type StormFindingKind =
  | 'paid_not_fulfilled'
  | 'fulfilled_not_paid'
  | 'credited_differs'
  | 'fulfilled_for_less'
  | 'fulfilled_twice'
  | 'second_invoice'
  | 'checkout_stuck'
  | 'order_missing'
  | 'order_malformed'
  | 'forgery_accepted'
  | 'request_refused'
  | 'nothing_delivered'
  | 'not_finished';

/** Something that is wrong, as plain data: a failed assertion shows it. */
export interface StormFinding {
  readonly kind: StormFindingKind;
  /** The id of the order. Null for a finding about the whole storm. */
  readonly order: string | null;
  /** What is wrong, as sentences for people. */
  readonly problem: string;
  /** How the storm is repeated. `story(order)` then shows what happened. */
  readonly replay: string;
}

type Found = Pick<StormFinding, 'kind' | 'order' | 'problem'>;

/** Compares the shop with the sandbox. */
export async function findingsOf(shop: StormShop, sandbox: Sandbox, played: Played): Promise<Found[]> {
  const fulfilments = shop.fulfilments === undefined ? [] : await listOf<StormFulfilment>(shop.fulfilments());
  const orders: FoundOrder[] = [];
  const malformed: Found[] = [];
  for (const [index, row] of (await listOf<ReconcileOrder>(shop.orders())).entries()) {
    const order = readOrder(row, `row ${index + 1}`);
    if (!('problem' in order)) orders.push(order);
    else {
      const problem = `${order.place}: ${order.problem}.`;
      malformed.push({ kind: 'order_malformed', order: order.external_id, problem });
    }
  }
  for (const [index, { external_id }] of fulfilments.entries()) {
    if (typeof external_id === 'string') continue;
    const problem = `row ${index + 1} of fulfilments: external_id must be text, not ${kindOf(external_id)}.`;
    malformed.push({ kind: 'order_malformed', order: null, problem });
  }
  const byCustomer = invoicesByCustomer(sandbox);
  const [rowsById, givenById] = [byIdent(orders), byIdent(fulfilments)];
  const wrong = played.records.flatMap((record) => {
    // A shop may have its own id for the customer, as long as each order has another one.
    const customer = record.uuid === null ? null : sandbox.invoice(record.uuid).customer_id;
    const invoices = byCustomer.get(customer ?? record.plan.order.customer_id) ?? [];
    return findingsOfOrder(judgedOrder(record, invoices, rowsById, givenById));
  });
  return [...nothingDelivered(sandbox), ...malformed, ...wrong, ...refusedCreation(sandbox), ...notFinished(played)];
}

function byIdent<Row extends { readonly external_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const byId = new Map<string, Row[]>();
  for (const row of rows) {
    const id = plainIdent(String(row.external_id)); // the shop gives it, so it may be no text
    byId.set(id, [...(byId.get(id) ?? []), row]);
  }
  return byId;
}

/** The invoices of each customer, the oldest first. */
function invoicesByCustomer(sandbox: Sandbox): Map<string, SandboxInvoice[]> {
  const byCustomer = new Map<string, SandboxInvoice[]>();
  for (const invoice of sandbox.invoices()) {
    const customer = invoice.customer_id ?? '';
    byCustomer.set(customer, [invoice, ...(byCustomer.get(customer) ?? [])]);
  }
  return byCustomer;
}

function nothingDelivered(sandbox: Sandbox): Found[] {
  const attempts = sandbox
    .deliveries()
    .reverse() // the oldest first
    .flatMap(({ attempt_log }) => attempt_log)
    .filter(({ fault }) => fault === null); // the others are the storm's own work
  if (attempts.length === 0 || attempts.some(({ success }) => success)) return [];
  const problem = `The endpoint accepted none of ${attempts.length} webhooks, so the storm shows little. Its first response: ${attempts[0]?.error}.`;
  return [{ kind: 'nothing_delivered', order: null, problem }];
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

function notFinished({ unplayed }: Played): Found[] {
  if (unplayed === 0) return [];
  return [
    { kind: 'not_finished', order: null, problem: `The time limit ended the storm with ${unplayed} steps left.` },
  ];
}

const REFUSED_STATUSES: ReadonlySet<number | null> = new Set([400, 401, 403, 422]);

async function listOf<Row>(
  rows: ReturnType<StormShop['orders']> | ReturnType<NonNullable<StormShop['fulfilments']>>,
): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of await rows) list.push(row as Row); // the rows of this function of the shop
  return list;
}

/** An order at the end: what its customer saw, what the sandbox knows, and what the shop says. */
interface JudgedOrder {
  readonly record: CustomerRecord;
  /** The oldest first. */
  readonly invoices: readonly SandboxInvoice[];
  /** Those of the invoices that were paid, in whole or in part. */
  readonly paid: readonly SandboxInvoice[];
  readonly rows: readonly FoundOrder[];
  readonly given: readonly StormFulfilment[];
  /** The amount of the first invoice, which is over the whole order. */
  readonly ordered: string;
  readonly paidFiat: Decimal;
  readonly credited: Decimal;
  readonly isGiven: boolean;
}

function judgedOrder(
  record: CustomerRecord,
  invoices: readonly SandboxInvoice[],
  orders: ReadonlyMap<string, readonly FoundOrder[]>,
  fulfilments: ReadonlyMap<string, readonly StormFulfilment[]>,
): JudgedOrder {
  const { order } = record.plan;
  const ids = [...new Set([order.id, ...invoices.flatMap((each) => [each.external_id, each.uuid])].map(plainIdent))];
  const rows = ids.flatMap((id) => orders.get(id) ?? []);
  const given = ids.flatMap((id) => fulfilments.get(id) ?? []);
  const paid = invoices.filter(({ status }) => status === 'success');
  return {
    record,
    invoices,
    paid,
    rows,
    given,
    ordered: invoices[0]?.amount ?? order.amount,
    paidFiat: sumOf(paid.map((each) => each.adjustment?.actual_amount_fiat ?? each.amount)),
    credited: sumOf(paid.map(({ settled_amount_usdt }) => settled_amount_usdt)),
    isGiven: given.length > 0 || rows.some(({ state }) => state === 'fulfilled'),
  };
}

/** A rule returns the problem of an order that breaks it, else null. */
type Rule = readonly [StormFindingKind, (order: JudgedOrder) => string | null];

const RULES: readonly Rule[] = [
  ['checkout_stuck', ({ record }) => record.stuck],
  [
    'forgery_accepted',
    ({ record: { acceptedForgery: status } }) =>
      status === null ? null : `The endpoint answered ${status} to a webhook that a stranger signed.`,
  ],
  ['second_invoice', secondInvoice],
  [
    'order_missing',
    ({ record, invoices, rows }) =>
      rows.length === 0 && invoices.length > 0 && record.uuid !== null
        ? 'The shop has no order for the invoice that it created.'
        : null,
  ],
];

/** The rules for an order that the shop has. */
const RULES_OF_ROWS: readonly Rule[] = [
  ['paid_not_fulfilled', paidNotFulfilled],
  ['fulfilled_for_less', fulfilledForLess],
  [
    'fulfilled_twice',
    ({ paid, given }) =>
      paid.length > 0 && given.length > paid.length
        ? `The order was paid ${timesText(paid.length)} and given ${timesText(given.length)}.`
        : null,
  ],
  ['credited_differs', creditedDiffers],
  ['fulfilled_not_paid', fulfilledNotPaid],
];

function findingsOfOrder(order: JudgedOrder): Found[] {
  const rules = order.rows.length === 0 ? RULES : [...RULES, ...RULES_OF_ROWS];
  return rules.flatMap(([kind, rule]) => {
    const problem = rule(order);
    return problem === null ? [] : [{ kind, order: order.record.plan.order.id, problem }];
  });
}

function secondInvoice({ invoices }: JudgedOrder): string | null {
  const second = invoices.slice(1).find((each) => couldBePaid(invoices, each));
  if (second === undefined) return null;
  return `The order got the invoice ${second.external_id} while ${invoices[0]?.external_id} could be paid, or was: the customer can pay twice.`;
}

function paidNotFulfilled({ paid, rows, ordered, paidFiat, record }: JudgedOrder): string | null {
  const isTaken = rows.some(({ state }) => state !== 'open' && state !== 'canceled');
  if (paid.length === 0 || isTaken) return null;
  // An order that was paid with another amount may wait for a person, once its credit is booked.
  if (creditOf(rows)?.gt(0) === true && paid.some(({ is_adjusted }) => is_adjusted)) return null;
  const states = rows.map(({ state }) => state).join(', ');
  return `${paidFiat.toFixed(2)} of ${ordered} ${record.plan.order.currency} was paid, and the order is ${states}.`;
}

/** A shop that gives the credit, and no goods, may fulfil an order for less. */
function fulfilledForLess({ paid, given, ordered, paidFiat, isGiven, record }: JudgedOrder): string | null {
  if (paid.length === 0 || !isGiven || !paidFiat.lt(ordered) || creditOf(given) !== null) return null;
  const hint = given.length > 0 ? '' : ' If the shop gives credit, let fulfilments() show how much.';
  return `${paidFiat.toFixed(2)} of ${ordered} ${record.plan.order.currency} was paid, and the whole order was given.${hint}`;
}

function creditedDiffers({ paid, rows, given, credited }: JudgedOrder): string | null {
  if (paid.length === 0) return null;
  const [booked, handedOut] = [creditOf(rows), creditOf(given)];
  if (booked?.eq(credited) === false) {
    return `${credited.toFixed()} USDT was credited, and ${booked.toFixed()} is booked.`;
  }
  if (handedOut === null || given.length > paid.length || handedOut.eq(credited)) return null;
  return `${credited.toFixed()} USDT was credited, and ${handedOut.toFixed()} was given.`;
}

function fulfilledNotPaid({ paid, rows, given }: JudgedOrder): string | null {
  if (paid.length > 0) return null;
  const booked = rows.find(({ state }) => state !== 'open' && state !== 'canceled');
  if (booked !== undefined) return `The order is ${booked.state}, and nothing was paid.`;
  return given.length > 0 ? 'The order was given, and nothing was paid.' : null;
}

function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** Whether an earlier invoice was paid in full, or could be paid, when this one was created. */
function couldBePaid(invoices: readonly SandboxInvoice[], later: SandboxInvoice): boolean {
  return invoices.slice(0, invoices.indexOf(later)).some((each) => {
    // At the same instant the earlier one had ended: the clock stands still while the shop handles a webhook.
    const hadEnded = each.finished_at !== null && each.finished_at <= later.created_at;
    if (!hadEnded) return each.expires_at > later.created_at;
    const { status, amount, adjustment } = each;
    return status === 'success' && !(adjustment !== null && new Decimal(adjustment.actual_amount_fiat).lt(amount));
  });
}

/** The credit in the rows, or null if none of them has any. */
function creditOf(rows: readonly Pick<StormFulfilment, 'credited_usdt'>[]): Decimal | null {
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
