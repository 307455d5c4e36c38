import { Decimal } from '../contract/values/decimal.ts';
import { decimalFrom, Problem, plainIdent } from '../contract/values/scalars.ts';
import { compareWithInvoice, readOrder } from '../reconcile/compare.ts';
import type { FoundOrder, ReconcileInvoice, ReconcileOrder } from '../reconcile/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxInvoice } from '../sandbox/wire-types.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import type { CustomerRecord, Played } from './play.ts';

// What is wrong at the end: each order of the shop is compared with its invoices in the sandbox. The first three kinds
// mean the same as in `reconcile`, whose comparison of one order with one invoice is used where nothing was paid. The
// rest is decided here, because an order may have several invoices.

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
  const rows = await listOf<ReconcileOrder>(shop.orders());
  const fulfilments = shop.fulfilments === undefined ? null : await listOf<StormFulfilment>(shop.fulfilments());
  const orders: FoundOrder[] = [];
  const findings: Found[] = [];
  for (const [index, row] of rows.entries()) {
    const order = readOrder(row, `row ${index + 1}`);
    if ('problem' in order)
      findings.push({
        kind: 'order_malformed',
        order: order.external_id,
        problem: `${order.place}: ${order.problem}.`,
      });
    else orders.push(order);
  }
  const byCustomer = new Map<string, SandboxInvoice[]>();
  for (const invoice of sandbox.invoices()) {
    const customer = invoice.customer_id ?? '';
    byCustomer.set(customer, [invoice, ...(byCustomer.get(customer) ?? [])]); // the oldest first
  }
  for (const record of played.records) {
    // A shop may have its own id for the customer, as long as each order has another one.
    const customer = record.uuid === null ? null : sandbox.invoice(record.uuid).customer_id;
    const invoices = byCustomer.get(customer ?? record.plan.order.customer_id) ?? [];
    findings.push(...ofCustomer(record, invoices, orders, fulfilments));
  }
  const attempts = sandbox
    .deliveries()
    .reverse() // the oldest first
    .flatMap(({ attempt_log }) => attempt_log);
  if (attempts.length > 0 && !attempts.some(({ success }) => success)) {
    const problem = `The endpoint accepted none of ${attempts.length} webhooks, so the storm shows little. Its first response: ${attempts[0]?.error}.`;
    findings.unshift({ kind: 'nothing_delivered', order: null, problem });
  }
  for (const { operation, code, why, status, fault } of sandbox.requests()) {
    if (operation !== 'invoices.create' || fault !== null || !REFUSED_STATUSES.has(status)) continue;
    if (code === 'INVOICE_ALREADY_EXISTS') continue; // the response to a second click, in some dialects a 400 or 422
    const problem = `A creation was refused with ${status} ${code ?? ''}, and would be each time. ${why ?? ''}`;
    findings.push({ kind: 'request_refused', order: null, problem: problem.trim() });
    break;
  }
  if (played.unplayed > 0) {
    findings.push({
      kind: 'not_finished',
      order: null,
      problem: `The time limit ended the storm with ${played.unplayed} steps left.`,
    });
  }
  return findings;
}

const REFUSED_STATUSES: ReadonlySet<number | null> = new Set([400, 401, 403, 422]);

async function listOf<Row>(
  rows: ReturnType<StormShop['orders']> | ReturnType<NonNullable<StormShop['fulfilments']>>,
): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of await rows) list.push(row as Row); // the rows of this function of the shop
  return list;
}

/** What is wrong with the order of one customer. */
function ofCustomer(
  { plan: { order }, uuid, isStuck, acceptedForgery }: CustomerRecord,
  invoices: readonly SandboxInvoice[],
  orders: readonly FoundOrder[],
  fulfilments: readonly StormFulfilment[] | null,
): Found[] {
  const findings: Found[] = [];
  const add = (kind: StormFindingKind, problem: string): void => void findings.push({ kind, order: order.id, problem });
  const ids = new Set([order.id, ...invoices.flatMap((each) => [each.external_id, each.uuid])].map(plainIdent));
  const own = orders.filter(({ external_id }) => ids.has(plainIdent(external_id)));
  const given = (fulfilments ?? []).filter(({ external_id }) => ids.has(plainIdent(external_id)));
  const paid = invoices.filter(({ status }) => status === 'success');
  const fiat = sumOf(paid.map((each) => each.adjustment?.actual_amount_fiat ?? each.amount));
  const credit = sumOf(paid.map(({ settled_amount_usdt }) => settled_amount_usdt));
  const isGiven = given.length > 0 || own.some(({ state }) => state === 'fulfilled');

  if (isStuck)
    add('checkout_stuck', 'The customer came back after an error and saw another one, although the service worked.');
  if (acceptedForgery !== null)
    add('forgery_accepted', `The endpoint answered ${acceptedForgery} to a webhook that a stranger signed.`);
  const [second] = invoices.slice(1).filter((each) => couldBePaid(invoices, each));
  if (second !== undefined) {
    add(
      'second_invoice',
      `The order got the invoice ${second.external_id} while ${invoices[0]?.external_id} could be paid, or was: the customer can pay twice.`,
    );
  }
  if (own.length === 0) {
    if (invoices.length > 0 && uuid !== null)
      add('order_missing', 'The shop has no order for the invoice that it created.');
    return findings;
  }
  const ordered = invoices[0]?.amount ?? order.amount; // the first invoice is over the whole order
  const isUnderpaid = paid.length > 0 && fiat.lt(ordered);
  const isBooked = own.some((each) => each.credited_usdt?.gt(0) === true || each.state === 'refunded');
  if (paid.length > 0) {
    const isTaken = own.some(({ state }) => state !== 'open' && state !== 'canceled');
    // An order that was paid with another amount may wait for a person, once its credit is booked.
    const isAdjusted = paid.some(({ is_adjusted }) => is_adjusted);
    if (!isTaken && !(isAdjusted && isBooked)) {
      const states = own.map(({ state }) => state).join(', ');
      add(
        'paid_not_fulfilled',
        `${fiat.toFixed(2)} of ${ordered} ${order.currency} was paid, and the order is ${states}.`,
      );
    }
    const givenCredit = sumOf(given.map(({ credited_usdt }) => credited_usdt?.toString() ?? null));
    if (isUnderpaid && isGiven && !(given.length > 0 && givenCredit.eq(credit))) {
      add(
        'fulfilled_for_less',
        `${fiat.toFixed(2)} of ${ordered} ${order.currency} was paid, and the whole order was given.`,
      );
    }
  }
  if (paid.length > 0 && given.length > paid.length) {
    add('fulfilled_twice', `The order was paid ${timesText(paid.length)} and given ${timesText(given.length)}.`);
  }
  const booked = own.filter(({ credited_usdt }) => credited_usdt !== null);
  const bookedCredit = booked.reduce((sum, each) => sum.plus(each.credited_usdt ?? 0), new Decimal(0));
  if (paid.length > 0 && booked.length > 0 && !bookedCredit.eq(credit)) {
    add('credited_differs', `${credit.toFixed()} USDT was credited, and ${bookedCredit.toFixed()} is booked.`);
  }
  if (paid.length === 0) {
    for (const each of own) {
      const invoice =
        invoices.find(({ external_id, uuid }) => [external_id, uuid].includes(each.external_id)) ?? invoices[0];
      if (invoice === undefined) continue;
      const comparison = compareWithInvoice(each, unpaidInvoice(invoice), Number.POSITIVE_INFINITY, true);
      if (comparison.result !== 'differs') continue;
      for (const { kind, action } of comparison.differences) if (kind === 'fulfilled_not_paid') add(kind, action);
    }
    if (given.length > 0 && !findings.some(({ kind }) => kind === 'fulfilled_not_paid')) {
      add('fulfilled_not_paid', 'The order was given, and nothing was paid.');
    }
  }
  return findings;
}

function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** Whether an earlier invoice could still be paid, or was, when this one was created. */
function couldBePaid(invoices: readonly SandboxInvoice[], later: SandboxInvoice): boolean {
  return invoices.some((each) => {
    if (each === later || each.created_at > later.created_at) return false;
    if (each.created_at === later.created_at && invoices.indexOf(each) > invoices.indexOf(later)) return false;
    const isUnderpaid = each.status === 'success' && each.is_adjusted;
    const isOver = each.finished_at !== null && each.finished_at < later.created_at;
    return !isOver || (each.status === 'success' && !isUnderpaid);
  });
}

function sumOf(amounts: readonly (string | null | undefined)[]): Decimal {
  return amounts.reduce((sum, text) => {
    const amount = decimalFrom(text);
    return amount instanceof Problem ? sum : sum.plus(amount);
  }, new Decimal(0));
}

/** An invoice of the sandbox that nobody has paid, as the client would return it. */
function unpaidInvoice(invoice: SandboxInvoice): ReconcileInvoice {
  const money = (text: string | null): Decimal | null => (text === null ? null : new Decimal(text));
  const { uuid, external_id, status, currency, created_at, expires_at, finished_at, is_adjusted } = invoice;
  return {
    uuid,
    external_id,
    status,
    currency,
    amount: new Decimal(invoice.amount),
    created_at: new Date(created_at),
    expires_at: new Date(expires_at),
    finished_at: finished_at === null ? null : new Date(finished_at),
    settled_amount_usdt: money(invoice.settled_amount_usdt),
    is_adjusted,
    adjustment: null,
  };
}
