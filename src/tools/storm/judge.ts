import { Decimal } from '../../contract/values/decimal.ts';
import { plainIdent } from '../../contract/values/scalars.ts';
import { kindOf, quoted } from '../../errors/checks.ts';
import { readOrder } from '../../reconcile/read-order.ts';
import type { FoundOrder, ReconcileOrder } from '../../reconcile/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxDelivery } from '../sandbox/types.ts';
import type { Day } from './day.ts';
import { GIVEN, idOf, listOf, newRows } from './given.ts';
import type { StormFulfilment, StormShop } from './options.ts';
import { FAILED } from './played-shop.ts';
import { type Case, creditOf, findingsOf, paidOf, strangeInvoice, sumOf, timesText, usualItemsOf } from './rules.ts';
import type { Found } from './words.ts';

// What is wrong at the end: the rows of the shop are compared with the invoices of the sandbox, an order at a time, and
// what the storm as a whole has shown is added.

/** The rows of the shop's database at one moment. */
export interface Rows {
  readonly orders: readonly ReconcileOrder[];
  readonly fulfilments: readonly StormFulfilment[];
}

export const NO_ROWS: Rows = { orders: [], fulfilments: [] };

export async function rowsOf(shop: StormShop): Promise<Rows> {
  const fulfilments =
    shop.fulfilments === undefined ? [] : await listOf<StormFulfilment>('fulfilments', shop.fulfilments());
  return { orders: await listOf<ReconcileOrder>('orders', shop.orders()), fulfilments };
}

export interface Judgement {
  readonly cases: readonly Case[];
  readonly found: readonly Found[];
}

/** Compares the shop with the sandbox. `before` are the rows that the shop had before the first customer. */
export function judge(rows: Rows, before: Rows, sandbox: Sandbox, day: Day): Judgement {
  const old = new Set(before.orders.map((row) => String(row?.external_id)));
  const read = rows.orders.map((row, index) => readOrder(row, `row ${index + 1}`));
  const orders = read.flatMap((row) => ('problem' in row ? [] : [row]));
  const malformed = read.flatMap((row): Found[] => {
    if (!('problem' in row) || (row.external_id !== null && old.has(row.external_id))) return [];
    const order = day.records.of(row.external_id ?? '')?.plan.order.id ?? row.external_id;
    return [{ kind: 'order_malformed', order, problem: `${row.place}: ${row.problem}.` }];
  });
  const added = newRows(rows.fulfilments, before.fulfilments);
  const given = added.filter((row) => idOf(row) !== null);
  for (const row of added) {
    const wrong = problemOf(row);
    const problem = `row ${rows.fulfilments.indexOf(row) + 1} of fulfilments: ${wrong}.`;
    const order = day.records.of(idOf(row) ?? '')?.plan.order.id ?? null;
    if (wrong !== null) malformed.push({ kind: 'order_malformed', order, problem });
  }
  const { cases, strange } = casesOf(orders, given, sandbox, day);
  const unreadable = new Set(malformed.map(({ order }) => order));
  const wrong = cases.flatMap((each) =>
    findingsOf(each, !unreadable.has(null) && !unreadable.has(each.record.plan.order.id)),
  );
  return { cases, found: [...ofReceiver(day, sandbox), ...malformed, ...strange, ...wrong, ...ofStorm(day, sandbox)] };
}

/** What is wrong with a row of `fulfilments()`, or null. */
function problemOf(row: StormFulfilment): string | null {
  if (idOf(row) === null) return `external_id or order must be text, not ${kindOf(row?.external_id)}`;
  const isKnown = Object.hasOwn(GIVEN, row.kind ?? 'goods');
  return isKnown ? null : `kind must be ${Object.keys(GIVEN).join(', ')} or absent, not ${quoted(row.kind)}`;
}

/** Gathers what is known of each order, and finds the rows of `fulfilments()` that belong to none. */
function casesOf(orders: readonly FoundOrder[], given: Rows['fulfilments'], sandbox: Sandbox, { records, shop }: Day) {
  // The shop may have an id of its own beside the one of the invoice. A row of an order has both.
  const ids = new Map(
    orders.flatMap((row) => [row.external_id, row.order].map((id) => [plainIdent(id), row] as const)),
  );
  const ofOrder = (row: FoundOrder | undefined) => row && (records.of(row.external_id) ?? records.of(row.order));
  const ofGiven = (row: StormFulfilment) => {
    const id = idOf(row) ?? '';
    return records.of(id) ?? ofOrder(ids.get(plainIdent(id)));
  };
  const rowsOfRecord = Map.groupBy(orders, ofOrder);
  const givenOfRecord = Map.groupBy(given, ofGiven);
  const deliveries = Map.groupBy(sandbox.deliveries().reverse(), ({ invoice_uuid }) => records.of(invoice_uuid));
  const { accepts = {}, fulfilments } = shop.members;
  const facts = records.all.map((record) => {
    const invoices = record.uuids.map((uuid) => sandbox.invoice(uuid));
    const paid = record.uuids.flatMap((uuid) => record.payments.get(uuid) ?? []);
    const now = invoices.filter(({ status }) => status === 'success');
    const known = {
      record,
      invoices,
      paid,
      rows: rowsOfRecord.get(record) ?? [],
      given: givenOfRecord.get(record) ?? [],
      showsGiven: fulfilments !== undefined,
      attempts: (deliveries.get(record) ?? []).flatMap(({ event_type: event, invoice_uuid: uuid, attempt_log }) =>
        attempt_log.map((attempt) => ({ ...attempt, event, uuid })),
      ),
      paidFiat: sumOf(paid.map(paidOf)),
      credited: sumOf(paid.map(({ settled_amount_usdt }) => settled_amount_usdt)),
      corrected: sumOf(now.map(({ settled_amount_usdt }) => settled_amount_usdt)),
      accepts: { less: new Decimal(accepts.less ?? 0), surplus: new Decimal(accepts.surplus ?? 0) },
      usualItems: new Set<string>(),
      isSumBooked: false,
      seen: shop.story.of(record.plan.order.id),
    };
    const charged = strangeInvoice(known) === undefined ? record.plan.order.amount : invoices[0]?.amount;
    return { ...known, ordered: new Decimal(charged ?? record.plan.order.amount) };
  });
  const usualItems = usualItemsOf(facts);
  const apart = facts.filter(({ paid, record }) => paid.length > 1 && record.paidWith !== 'payment');
  const isSumBooked = apart.length > 0 && apart.every(({ rows, credited }) => creditOf(rows)?.eq(credited));
  const cases = facts.map((each): Case => ({ ...each, usualItems, isSumBooked }));
  const unknown = given.filter((row) => ofGiven(row) === undefined && !ids.has(plainIdent(idOf(row) ?? '')));
  const which = unknown.length === 1 ? 'A row of fulfilments() has' : `${unknown.length} rows of fulfilments() have`;
  const example = JSON.stringify(unknown.map(idOf)[0]?.slice(0, 60));
  const problem = `${which} an id that is in no row of orders(), such as ${example}.`;
  const strange: Found[] = unknown.length === 0 ? [] : [{ kind: 'fulfilment_unknown', order: null, problem }];
  return { cases, strange };
}

// The findings about the whole storm.

const isPaid = ({ event_type }: SandboxDelivery): boolean => event_type === 'invoice.paid';
const isAdjusted = ({ body }: SandboxDelivery): boolean => JSON.parse(body).adjusted === true;

/** The events of which an endpoint may accept none, and the fewest attempts that show it. */
const EVENTS: readonly (readonly [words: string, isOne: (delivery: SandboxDelivery) => boolean, fewest: number])[] = [
  ['webhooks, so the storm says little', () => true, 1],
  ['webhooks of a payment as ordered', (each) => isPaid(each) && !isAdjusted(each), 3],
  ['webhooks of a payment of another amount', (each) => isPaid(each) && isAdjusted(each), 3],
  ['webhooks of an end without payment', (each) => !isPaid(each), 3],
];

/**
 * An endpoint that accepts no webhook, or none of one event. The catch-up would hide it, so it is a finding of its own.
 */
function ofReceiver({ shop }: Day, sandbox: Sandbox): Found[] {
  if (shop.members.receive === undefined) return [];
  const deliveries = sandbox.deliveries().reverse(); // the oldest first
  const nothing = (problem: string): Found => ({ kind: 'nothing_delivered', order: null, problem });
  if (deliveries.length === 0) {
    const hasEnded = sandbox.invoices().some(({ status }) => status !== 'pending');
    return hasEnded ? [nothing('No webhook was sent: no invoice has a callback_url.')] : [];
  }
  const found = EVENTS.flatMap(([words, isOne, fewest]) => {
    const attempts = deliveries.filter(isOne).flatMap(({ attempt_log }) => attempt_log);
    const own = attempts.filter(({ fault }) => fault === null); // the others are the storm's own work
    if (own.length < fewest || attempts.some(({ success }) => success)) return [];
    return [nothing(`The endpoint accepted none of ${own.length} ${words}. Its first response: ${own[0]?.error}.`)];
  });
  return deliveries.some(({ attempt_log }) => attempt_log.some(({ success }) => success)) ? found : found.slice(0, 1);
}

const REFUSED: ReadonlySet<number | null> = new Set([400, 401, 403, 422]);

function ofStorm({ shop, unplayed, records }: Day, sandbox: Sandbox): Found[] {
  const found: Found[] = [];
  const arrived = records.all.filter(({ hasArrived }) => hasArrived);
  if (arrived.length > 0 && arrived.every(({ isRefused }) => isRefused))
    found.push({
      kind: 'nobody_served',
      order: null,
      problem: 'The shop refused every customer, so nothing was tested.',
    });
  const refused = sandbox
    .requests()
    .find((each) => each.operation === 'invoices.create' && each.fault === null && REFUSED.has(each.status));
  if (refused !== undefined) {
    const { status, code, why } = refused;
    const problem =
      `The service refused a creation with ${status} ${code ?? ''}, and would refuse it each time. ${why ?? ''}`.trim();
    found.push({ kind: 'request_refused', order: null, problem });
  }
  for (const [name, all] of Map.groupBy(shop.failures, (each) => each.name))
    found.push({
      kind: FAILED[name],
      order: null,
      problem: `${name} failed ${timesText(all.length)}: ${all[0]?.message}`,
      mistake: all.some(({ isGone }) => isGone) ? 'process_ended' : undefined,
    });
  const left = `The time limit ended the storm with ${unplayed} moments left.`;
  if (unplayed > 0) found.push({ kind: 'not_finished', order: null, problem: left });
  return found;
}
