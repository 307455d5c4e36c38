import { orderOf } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { isSameIdent, plainIdent } from '../contract/values/scalars.ts';
import { isOfAnotherSystem } from '../lookup/order.ts';
import { compareOrder, foundInvoice, isEndedUnpaid, type KnownInvoice, notCompared } from './compare.ts';
import { type BadOrder, readOrder } from './read-order.ts';
import type {
  FoundInvoice,
  FoundOrder,
  NotCompared,
  NotComparedReason,
  OrderState,
  ReconcileInvoice,
} from './types.ts';

// What a run holds: the orders with their rows, and at each the invoices that the list showed. What agrees is forgotten
// but for its uuid, so that a million orders fit.

/** A row as it is held: texts and numbers, because a million of them must fit. */
export interface HeldRow {
  readonly external_id: string;
  /** For a row by uuid that names no order: that of its invoice, once it was found. */
  order: string;
  /** The external_id of its invoice: its own, or that of the invoice whose uuid it has, once it was found. */
  invoice: string;
  readonly part: boolean | null;
  readonly amount: string;
  readonly currency: string;
  readonly credited: string | null;
  readonly refunded: string | null;
  readonly state: OrderState;
  readonly created: number | null;
  readonly changed: number | null;
  /** The place that the row names, or its number. */
  readonly place: string | number;
}

type Ids = Pick<ReconcileInvoice, 'uuid' | 'external_id'>;

/** What is held of an invoice. `found` is a text where it contradicts itself. */
export interface HeldInvoice extends Pick<ReconcileInvoice, 'uuid' | 'external_id' | 'customer_id' | 'callback_url'> {
  /** Null where the listed row could not be read. */
  readonly created_at: Date | null;
  readonly currency: string | null;
  readonly found: FoundInvoice | string;
}

/** What is compared as one: an order, or a part of one. */
export interface Unit {
  readonly id: string;
  /** Its place in `orders`. */
  readonly at: number;
  /** In the order of `orders`. Empty once another unit has taken them over. */
  readonly rows: HeldRow[];
  /** A uuid alone: its first invoice, which agrees with its only row, so that nothing else of it is held. */
  listed: string | (string | HeldInvoice)[];
}

/** An invoice of an order, with what tells whose it is. */
export interface OrderInvoice extends KnownInvoice {
  readonly held: HeldInvoice;
  /** The form of its single read does not say what was paid. */
  readonly isShort?: boolean;
  readonly isListed: boolean;
}

/** The times that bound a run, in milliseconds. */
export interface Period {
  /** An invoice without an order that was created before is not reported. */
  readonly since: number;
  /** What changed after this time is left for the next run. */
  readonly horizon: number;
}

/** The other members of a listed invoice that cannot be read. */
const NOTHING = { customer_id: '', callback_url: null, created_at: null, currency: null };
/** The digits of a number that a spreadsheet keeps. It writes zeros behind them. */
const SPREADSHEET_DIGITS = 15;

export class HeldOrders {
  /** By each id that leads to it: that of the order, and those of its rows. A uuid is in its plain form. */
  readonly #units = new Map<string, Unit>();
  /** The orders, and the rows that could not be read, in the order of `orders`. */
  readonly inOrder: (Unit | NotCompared)[] = [];
  /** The listed invoices without an order. */
  readonly strangers: HeldInvoice[] = [];
  /** The rows that name another order than their id does. */
  readonly #naming: HeldRow[] = [];
  /** The orders that such rows name, in plain form. */
  #named: ReadonlySet<string> = new Set();
  /** The ids of the rows that cannot be read, and their orders, in plain form. */
  readonly #badIds = new Set<string>();
  /** The numbers that a spreadsheet made of ids, as `toExponential` writes them. */
  readonly #exponents = new Set<string>();
  /** By the id that a spreadsheet makes of it: a listed id that no row has. */
  readonly #changedIds = new Map<string, string>();

  // The rows.

  /** Takes a row of `orders`, the first one with the number 1. Returns what is wrong with one that cannot be read. */
  take(given: unknown, number: number): BadOrder | null {
    const row = readOrder(given, `row ${number}`);
    if (!('problem' in row)) {
      this.#add(heldRow(row, number));
      return null;
    }
    this.inOrder.push(notCompared(row.reason, row.problem, row.place, row.external_id));
    const id = row.external_id?.trim();
    if (id !== undefined) this.#badIds.add(plainIdent(id)).add(plainIdent(orderOf(id).order));
    const written = row.reason === 'id_changed' && id !== undefined ? exponentIn(id) : null;
    if (written !== null) this.#exponents.add(written);
    return row;
  }

  #add(row: HeldRow): void {
    const own = orderOf(row.external_id).order;
    const id = row.part === true ? own : row.order;
    let unit = this.of(id);
    if (unit === undefined) {
      unit = { id, at: this.inOrder.length, rows: [row], listed: [] };
      this.#units.set(plainIdent(id), unit);
      this.inOrder.push(unit);
    } else unit.rows.push(row);
    if (row.order === own) return;
    this.#naming.push(row);
    this.#lead(own, unit);
  }

  /** Lets an id lead to a unit. If it leads to another one, the earlier of the two takes over the later. */
  #lead(id: string, unit: Unit): void {
    const known = this.of(id) ?? unit;
    const [first, later] = known.at < unit.at ? [known, unit] : [unit, known];
    this.#units.set(plainIdent(id), first);
    if (first === later) return;
    const rows = later.rows.splice(0);
    const ids = rows.flatMap((row) => [row.external_id, row.invoice].map((each) => orderOf(each).order));
    for (const each of [later.id, ...ids]) this.#units.set(plainIdent(each), first);
    first.rows.push(...rows);
    first.listed = listOf(first.listed).concat(later.listed);
  }

  /** The order to which an id leads. */
  of(id: string): Unit | undefined {
    return this.#units.get(plainIdent(id));
  }

  /** Whether the id, or its order, is that of a row that cannot be read. */
  #isBad(id: string): boolean {
    return this.#badIds.has(plainIdent(id)) || this.#badIds.has(plainIdent(orderOf(id).order));
  }

  /** Whether a row has a number that a spreadsheet may have made of the id. It keeps few of the digits. */
  #isInExponents(id: string): boolean {
    if (this.#exponents.size === 0 || !/^\d+$/.test(id)) return false;
    const number = Number(asSpreadsheetsWrite(id));
    const decimals = Array.from({ length: SPREADSHEET_DIGITS }, (_, at) => at);
    return decimals.some((places) => this.#exponents.has(number.toExponential(places)));
  }

  /** Why the rows of an order cannot be compared, or null. */
  problemOf({ rows }: Unit): { readonly reason: NotComparedReason; readonly problem: string } | null {
    const bad = rows.find((row) => [row.external_id, row.order].some((id) => this.#badIds.size > 0 && this.#isBad(id)));
    if (bad !== undefined) return { reason: 'order_malformed', problem: 'another row of this order cannot be read' };
    const unsaid = rows.find((row) => row.part === null && this.#named.has(plainIdent(row.order)));
    const isMixed = rows.some((row) => row.part === true) && rows.some((row) => row.part !== true);
    const row = unsaid ?? (isMixed ? rows[0] : undefined);
    if (row === undefined) return null;
    const parts = 'Write "part": true in each row of a part, such as a deposit or a rest';
    const tries = '"part": false in each row that is a try of the whole order';
    const problem = `the rows of order ${JSON.stringify(row.order)} do not say what they are. ${parts}, and ${tries}`;
    return { reason: 'part_not_said', problem };
  }

  // The listed invoices.

  takeListed(raw: ReconcileInvoice, period: Period): void {
    this.#leadByUuid(raw);
    this.#hold(heldInvoice(raw, foundInvoice(raw)), period);
  }

  /** Takes a listed invoice that cannot be read. A single read may say more. */
  takeUnreadable(ids: Ids, found: string, period: Period): void {
    this.#leadByUuid(ids);
    this.#hold({ ...NOTHING, ...ids, found }, period);
  }

  #leadByUuid({ external_id, uuid }: Ids): void {
    const unit = this.of(uuid);
    const row = unit?.rows.find((each) => isSameIdent(each.external_id, uuid));
    if (unit !== undefined && row !== undefined) {
      // A row by uuid belongs to the order of its invoice, unless it names another one.
      row.invoice = external_id;
      const { order } = orderOf(external_id);
      if (row.order === row.external_id) row.order = order;
      this.#lead(order, unit);
    }
  }

  /** Holds a listed invoice at its order, or as one without. What agrees, and what ended without an order, is forgotten. */
  #hold(invoice: HeldInvoice, { since, horizon }: Period): void {
    const { order, renewal } = orderOf(invoice.external_id);
    const unit = this.of(order);
    const isEnded = typeof invoice.found !== 'string' && isEndedUnpaid(invoice.found);
    if (unit === undefined) {
      const changed = asSpreadsheetsWrite(order);
      if (this.#units.has(changed)) this.#changedIds.set(changed, order);
      const isKnown = [order, invoice.uuid].some((id) => this.#isBad(id)) || this.#isInExponents(order);
      if (!isEnded && !isKnown && isSince(invoice, since)) this.strangers.push(invoice);
    } else if (typeof unit.listed === 'string') {
      // It agreed. One that ended unpaid changes nothing.
      if (renewal === 0 || !isEnded) unit.listed = [unit.listed, invoice];
    } else {
      unit.listed.push(invoice);
      if (renewal === 0 && unit.rows.length === 1 && unit.listed.length === 1 && agrees(unit, horizon))
        unit.listed = invoice.uuid;
    }
  }

  /** Ends the walk of the list: each row by uuid is at its order now. Returns how many rows and orders there are. */
  settle(period: Period): number {
    const named = this.#naming.filter((row) => orderOf(row.invoice).order !== row.order);
    this.#named = new Set(named.map(({ order }) => plainIdent(order)));
    for (const invoice of this.strangers.splice(0)) this.#hold(invoice, period);
    return this.inOrder.filter((row) => 'kind' in row || row.rows.length > 0).length;
  }

  /** The listed id of which a spreadsheet may have made the id of an order without a listed invoice. */
  changedIdOf({ id, listed }: Unit): string | undefined {
    return listed.length === 0 ? this.#changedIds.get(plainIdent(id)) : undefined;
  }
}

/** Whether an invoice was created in the period, as far as the list says. */
export function isSince({ created_at }: Pick<HeldInvoice, 'created_at'>, since: number): boolean {
  return created_at === null || created_at.getTime() >= since;
}

/** True if each row has a listed invoice, and the order agrees with all that are listed. */
export function agrees({ rows, listed }: Unit, horizon: number): boolean {
  const invoices = shownInvoices(listed);
  if (!rows.every((row) => invoices?.some(({ held }) => row.invoice === held.external_id))) return false;
  const evidence = { is: 'read', invoices: ofThisSystem(invoices ?? [], rows), isEnd: false } as const;
  return compareOrder(foundRows(rows), evidence, horizon).result === 'matched';
}

/**
 * Leaves out the invoices of another system: renewals whose customer and callback_url both are others than those of the
 * first invoice, and that no row names.
 */
export function ofThisSystem(invoices: readonly OrderInvoice[], rows: readonly HeldRow[]): readonly OrderInvoice[] {
  if (invoices.length < 2) return invoices;
  return invoices.filter(({ held }) => {
    const { order, renewal } = orderOf(held.external_id);
    const first = invoices.find((each) => each.held.external_id === order)?.held;
    if (renewal === 0 || first === undefined || rows.some((row) => row.invoice === held.external_id)) return true;
    return !isOfAnotherSystem(first, held);
  });
}

/** What a spreadsheet makes of an id of digits: a number, which has no zeros in front, and 15 digits with zeros behind. */
export function asSpreadsheetsWrite(id: string): string {
  if (!/^\d+$/.test(id)) return id;
  const digits = id.replace(/^0+(?=\d)/, '');
  return digits.slice(0, SPREADSHEET_DIGITS).padEnd(digits.length, '0');
}

/** The number with an exponent that a spreadsheet made of an id, such as `1.04E+15`, as `toExponential` writes it. */
export function exponentIn(id: string): string | null {
  const [, digits = '', exponent] = /^(\d(?:[.,]\d+)?)e\+(\d+)$/i.exec(id) ?? [];
  return exponent === undefined ? null : `${digits.replace(',', '.')}e+${Number(exponent)}`;
}

/** The listed invoices of an order, or null if one of them contradicts itself or is not held. */
export function shownInvoices(listed: Unit['listed']): readonly OrderInvoice[] | null {
  const invoices = listOf(listed).flatMap((held): OrderInvoice[] =>
    typeof held === 'string' || typeof held.found === 'string'
      ? []
      : [{ held, invoice: held.found, isConfirmed: false, isListed: true }],
  );
  return invoices.length === listOf(listed).length ? invoices : null;
}

export function listOf(listed: Unit['listed']): (string | HeldInvoice)[] {
  return typeof listed === 'string' ? [listed] : listed;
}

function heldRow(
  { amount, credited_usdt, refunded_amount, created_at, changed_at, place, ...order }: FoundOrder,
  number: number,
): HeldRow {
  return {
    ...order,
    invoice: order.external_id,
    amount: amount.toFixed(),
    credited: credited_usdt?.toFixed() ?? null,
    refunded: refunded_amount?.toFixed() ?? null,
    created: created_at?.getTime() ?? null,
    changed: changed_at?.getTime() ?? null,
    place: place === `row ${number}` ? number : place,
  };
}

/** The rows of an order. The last one is that of the highest renewal, else the last one in the data. */
export function foundRows(rows: readonly HeldRow[]): FoundOrder[] {
  const inOrder =
    rows.length === 1 ? rows : [...rows].sort((a, b) => orderOf(a.invoice).renewal - orderOf(b.invoice).renewal);
  return inOrder.map(({ amount, credited, refunded, created, changed, place, invoice: _, ...row }) => ({
    ...row,
    amount: new Decimal(amount),
    credited_usdt: credited === null ? null : new Decimal(credited),
    refunded_amount: refunded === null ? null : new Decimal(refunded),
    created_at: created === null ? null : new Date(created),
    changed_at: changed === null ? null : new Date(changed),
    place: typeof place === 'number' ? `row ${place}` : place,
  }));
}

export function heldInvoice(raw: ReconcileInvoice, found: FoundInvoice | string): HeldInvoice {
  const { uuid, external_id, customer_id, callback_url, created_at, currency } = raw;
  return { uuid, external_id, customer_id, callback_url, created_at, currency: currency.code.toUpperCase(), found };
}
