import { orderOf, RENEWALS_MAX, renewalId } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { instantFrom, isSameIdent, isUuid, plainIdent } from '../contract/values/scalars.ts';
import {
  callback,
  configurationFail,
  count,
  type Fail,
  kindOf,
  type OptionTable,
  quoted,
  type Read,
  readOptions,
  signal,
} from '../errors/checks.ts';
import { AbortedError } from '../errors/classes.ts';
import { failsEveryCall, hasCode, hasKind, isMerchantError } from '../errors/guards.ts';
import { IdentProof, type InvoicePaths, readByPath } from '../lookup/by-path.ts';
import { isOfAnotherSystem } from '../lookup/order.ts';
import { abortedBy, concurrently, untilAborted } from '../webhooks/catch-up/concurrently.ts';
import { lacksPayment } from '../webhooks/event/invoice-event.ts';
import {
  compareOrder,
  compareWithoutOrder,
  duplicateOf,
  type Evidence,
  foundInvoice,
  isEndedUnpaid,
  type KnownInvoice,
  readOrder,
  withoutPayment,
} from './compare.ts';
import type {
  Finding,
  FindingKind,
  FindingMoney,
  FoundInvoice,
  FoundOrder,
  InvalidInvoice,
  NotCompared,
  NotComparedReason,
  OrderState,
  ReconcileClient,
  ReconcileInvoice,
  ReconcileOptions,
  ReconcileSummary,
  Reconciliation,
} from './types.ts';

// Gathers the evidence for each order, and hands it to the comparison. What a run guarantees:
//
// - It reads only. The orders are held in one Map, and the list of invoices is walked once.
// - Each row, each order and each listed invoice is counted, and what cannot be compared is said with its reason.
// - An order is compared as a whole, by all its invoices: the first one and its renewals, and those that its rows name.
//   A part is compared alone. Nothing is inferred from amounts: rows say what they are, or are not compared.
// - The list alone accuses nobody: what differs is read singly first, and an order that nobody has paid also has no
//   further renewal that a single read finds. What the service did not confirm takes nothing back from a customer.
// - An invoice of another system counts for no order.
// - What changed within the grace is left for the next run.

const fail = configurationFail('reconcile');
const GRACE = 15 * 60_000;
const PER_PAGE = 100;
/** No invoice is older. A count of seconds in place of milliseconds is a time before it. */
const YEAR_2000 = Date.UTC(2000);
/** Orders whose evidence is gathered before their findings are yielded: these keep the order of `orders`. */
const BATCH = 100;
/** After this many failed single reads, one after the other, the service counts as down. */
const FAILED_READS_MAX = 10;
/** The Date header has whole seconds, so the time of the service is up to 999 ms later. */
const HEADER_PRECISION = 999;
/** The digits of a number that a spreadsheet keeps. It writes zeros behind them. */
const SPREADSHEET_DIGITS = 15;

const OPTIONS = {
  merchant(value: unknown): ReconcileClient {
    const { list, get } = (value as Partial<ReconcileClient> | null | undefined)?.invoices ?? {}; // checked here
    if (typeof list !== 'function' || typeof get !== 'function') fail('merchant must be a MerchantClient');
    return value as ReconcileClient; // its methods are there
  },
  orders(value: unknown): ReconcileOptions['orders'] {
    if (typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value))
      return value as ReconcileOptions['orders']; // each row is checked
    return fail(`orders must be an iterable or async iterable of orders, not ${kindOf(value)}`);
  },
  since(value: unknown): number {
    const time = value === undefined ? 0 : (instantFrom(value) ?? Number.NaN);
    if (time === 0 || time >= YEAR_2000) return time;
    return fail('since must be a Date, milliseconds (not seconds) since 1970 or ISO 8601 text, and in 2000 or later');
  },
  grace(value: unknown, name: string, refuse: Fail): number {
    if (value === undefined) return GRACE;
    if (typeof value === 'number' && value >= 0) return value;
    return refuse(`${name} must be a number of milliseconds from 0, not ${kindOf(value)}`);
  },
  adjustedAbsent(value: unknown, name: string, refuse: Fail): 'as_ordered' | undefined {
    if (value === undefined || value === 'as_ordered') return value;
    return refuse(`${name} must be 'as_ordered' or absent, not ${quoted(value)}`);
  },
  signal: signal(),
  concurrency: count({ default: 4, min: 1, max: 32 }),
  now: callback<() => number>(),
} satisfies OptionTable<ReconcileOptions>;

/**
 * Compares the orders of a shop with the invoices of the service, and yields the differences in the order of `orders`,
 * then the invoices without an order. It changes nothing.
 *
 * Each difference is read again just before it is reported, and an order that the list does not show is read singly.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const run = reconcile({ merchant, orders });
 * for await (const finding of run) {
 *   if (finding.kind === 'paid_not_fulfilled') alertOperator(`${finding.order}: ${finding.action}`);
 * }
 * const { currencies } = await run.summary();
 */
export function reconcile(options: ReconcileOptions): Reconciliation {
  return new Run(readOptions('options', options, OPTIONS, fail));
}

type Result = Finding | NotCompared;

/** A row as it is held: texts and numbers, because a million of them must fit. */
interface HeldRow {
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

/** What is held of an invoice. `found` is a text where it contradicts itself. */
interface HeldInvoice
  extends Pick<ReconcileInvoice, 'uuid' | 'external_id' | 'customer_id' | 'callback_url' | 'created_at'> {
  readonly currency: string;
  readonly found: FoundInvoice | string;
}

/** What is compared as one: an order, or a part of one. */
interface Unit {
  readonly id: string;
  /** Its place in `orders`. */
  readonly at: number;
  /** In the order of `orders`. Empty once another unit has taken them over. */
  readonly rows: HeldRow[];
  /** A uuid alone: its first invoice, which agrees with its only row, so that nothing else of it is held. */
  listed: string | (string | HeldInvoice)[];
}

/** An invoice of an order, with what tells whose it is. */
interface OrderInvoice extends KnownInvoice {
  readonly held: HeldInvoice;
  /** The form of its single read does not say what was paid. */
  readonly isShort?: boolean;
  readonly isListed: boolean;
}

/** The result of a single read. `isShort`: its form does not say what was paid. */
type Reading = (KnownInvoice & { readonly held: HeldInvoice; readonly isShort: boolean }) | 'none' | 'unread' | Unknown;

type Unknown = Extract<Evidence, { is: 'unknown' }>;

/** The other members of a listed invoice that cannot be read. */
const NOTHING = { customer_id: '', callback_url: null, created_at: new Date(0), currency: '' };

type NoEvidence = Exclude<Evidence, { is: 'read' }>;

/** The evidence for an order, and all invoices that were found for it. */
interface Gathered {
  readonly evidence: Evidence;
  readonly known: readonly OrderInvoice[];
}

const SHORT = unknown('invoice_not_read', 'the single read does not say what was paid, and the list does not show it');
const REFUSED = unknown(
  'invoice_not_read',
  'the service finds no invoice by this id, and the list does not show it. Give the uuid of the invoice',
);

class Run implements Reconciliation {
  readonly #settings: Read<typeof OPTIONS>;
  /** By each id that leads to it: that of the order, and those of its rows. A uuid is in its plain form. */
  readonly #units = new Map<string, Unit>();
  /** The orders, and the rows that could not be read, in the order of `orders`. */
  readonly #inOrder: (Unit | NotCompared)[] = [];
  /** The rows that name another order than their id does. */
  readonly #naming: HeldRow[] = [];
  /** The orders that such rows name, in plain form. */
  #named: ReadonlySet<string> = new Set();
  /** The ids of the rows that cannot be read, and their orders, in plain form. */
  readonly #badIds = new Set<string>();
  /** By the id that a spreadsheet makes of it: a listed id that no row has. */
  readonly #changedIds = new Map<string, string>();
  /** The ids that a spreadsheet made, once it is certain. Their invoices are no strangers. */
  readonly #changed = new Set<string>();
  readonly #strangers: HeldInvoice[] = [];
  readonly #totals = {
    orders: 0,
    invoices: 0,
    matched: 0,
    withinGrace: 0,
    differing: 0,
    ordersNotCompared: 0,
    invoicesWithoutOrder: 0,
    findings: 0,
    notCompared: 0,
  };
  readonly #kinds: Partial<Record<FindingKind, number>> = {};
  readonly #money = new Map<string, Record<FindingMoney['of'], Decimal>>();
  /** What changed after this time is left for the next run. */
  #horizon = 0;
  /** False once something shows that the list misses invoices. That is reported once. */
  #isListWhole = true;
  /** The oldest listed invoice, and the oldest with an external_id in the form of a uuid: no replica lacks them. */
  readonly #oldest = new Map<boolean, ReconcileInvoice>();
  readonly #proof = new IdentProof();
  readonly #paths: InvoicePaths<ReconcileInvoice> = {
    get: async (ident) => await this.#settings.merchant.invoices.get(ident, { signal: this.#settings.signal }),
    firstPage: async () => [...this.#oldest.values()],
  };
  /** Failed single reads since the last one that succeeded. */
  #failedInARow = 0;
  #state: 'new' | 'running' | 'complete' = 'new';
  #failure: { readonly error: unknown } | null = null;

  constructor(settings: Read<typeof OPTIONS>) {
    this.#settings = settings;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    if (this.#state !== 'new') fail('a run is read once, by one loop or by its summary. Call reconcile again');
    this.#state = 'running';
    const { signal: stop } = this.#settings;
    const wasOver = stop?.aborted;
    try {
      for await (const result of this.#results()) {
        this.#count(result);
        yield result;
      }
      this.#state = 'complete';
    } catch (error) {
      this.#failure = { error: stop?.aborted ? aborted(stop, wasOver) : error };
      throw this.#failure.error;
    }
  }

  async summary(): Promise<ReconcileSummary> {
    if (this.#state === 'new') for await (const _ of this) void _; // the results are counted
    if (this.#failure !== null) throw this.#failure.error;
    const currencies = [...this.#money]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, money]) => ({ currency, ...money }));
    return { complete: this.#state === 'complete', ...this.#totals, kinds: { ...this.#kinds }, currencies };
  }

  async *#results(): AsyncGenerator<Result, void, undefined> {
    this.#settings.signal?.throwIfAborted();
    await this.#readOrders();
    yield* await this.#walk();
    this.#settle();
    const open = this.#inOrder.filter((row) => 'kind' in row || !this.#isMatched(row));
    const changed: Result[] = [];
    for await (const result of this.#each(open, (row) => ('kind' in row ? [row] : this.#compare(row)))) {
      if (result.kind === 'not_compared' && result.reason === 'id_changed') changed.push(result);
      else yield result;
    }
    yield* this.#each(this.#strangers, (invoice) => this.#compareStranger(invoice));
    yield* changed;
  }

  async #readOrders(): Promise<void> {
    let count = 0;
    for await (const given of untilAborted(this.#settings.orders, this.#settings.signal)) {
      count += 1;
      const order = readOrder(given, `row ${count}`);
      if ('problem' in order) {
        this.#totals.ordersNotCompared += 1;
        this.#inOrder.push(notCompared(order.reason, order.problem, order.place, order.external_id));
        const id = order.external_id?.trim();
        if (id !== undefined) this.#badIds.add(plainIdent(id)).add(plainIdent(orderOf(id).order));
      } else this.#add(held(order, count));
      this.#totals.orders = this.#inOrder.length;
    }
  }

  #add(row: HeldRow): void {
    const own = orderOf(row.external_id).order;
    const id = row.part === true ? own : row.order;
    let unit = this.#units.get(plainIdent(id));
    if (unit === undefined) {
      unit = { id, at: this.#inOrder.length, rows: [row], listed: [] };
      this.#units.set(plainIdent(id), unit);
      this.#inOrder.push(unit);
    } else unit.rows.push(row);
    if (row.order === own) return;
    this.#naming.push(row);
    this.#lead(own, unit);
  }

  /** Lets an id lead to a unit. If it leads to another one, the earlier of the two takes over the later. */
  #lead(id: string, unit: Unit): void {
    const known = this.#units.get(plainIdent(id)) ?? unit;
    const [first, later] = known.at < unit.at ? [known, unit] : [unit, known];
    this.#units.set(plainIdent(id), first);
    if (first === later) return;
    const rows = later.rows.splice(0);
    const ids = rows.flatMap((row) => [row.external_id, row.invoice].map((each) => orderOf(each).order));
    for (const each of [later.id, ...ids]) this.#units.set(plainIdent(each), first);
    first.rows.push(...rows);
    first.listed = listOf(first.listed).concat(later.listed);
  }

  /** Walks the list once: marks the orders that agree, and holds the other invoices. Returns what could not be listed. */
  async #walk(): Promise<NotCompared[]> {
    const { merchant, signal: stop, now, grace, since } = this.#settings;
    const problems: NotCompared[] = [];
    const invalid = new Set<string>();
    let [total, isFirst, joined] = [0, true, 0];
    const onInvalidItem = ({ page, index, path, raw }: InvalidInvoice): void => {
      const { uuid, external_id } = (raw ?? {}) as Readonly<Record<string, unknown>>; // whatever the row holds
      const name = typeof uuid === 'string' ? uuid : `row ${index + 1} of page ${page}`;
      if (invalid.has(name)) return; // its page was read again
      invalid.add(name);
      const id = typeof external_id === 'string' ? external_id : null;
      const found = `it cannot be read at "${path}"`;
      const unit = id === null ? undefined : this.#units.get(plainIdent(orderOf(id).order));
      // The order of a row is read singly, and one that cannot be read was reported as such.
      if (id !== null && unit !== undefined)
        unit.listed = listOf(unit.listed).concat({ ...NOTHING, uuid: id, external_id: id, found });
      else if (id === null || !this.#isBad(id))
        problems.push(notCompared('invoice_malformed', found, `invoice ${name}`, id));
    };
    try {
      const list = merchant.invoices.list({ per_page: PER_PAGE }, { signal: stop, onInvalidItem });
      const time = now?.() ?? (await timeOf(list));
      if (since > Math.max(time, Date.now()))
        fail('since is in the future, so no invoice without an order would be found');
      this.#horizon = time - grace;
      for await (const { items, total_items } of list.pages()) {
        if (!isFirst) joined += Math.max(0, total_items - total); // created meanwhile: the walk need not find them
        [total, isFirst] = [total_items, false];
        for (const invoice of items) this.#takeListed(invoice);
      }
    } catch (error) {
      if (!hasCode(error, 'SDK_PAGE')) throw error;
      this.#isListWhole = false;
      problems.push(notCompared('invoices_not_listed', error.message, 'the list', null));
    }
    const seen = this.#totals.invoices + invalid.size;
    if (this.#isListWhole && seen < total - joined)
      problems.push(this.#listIsCut(`the list showed ${seen} invoices, and the service counts ${total}`));
    return problems;
  }

  /** The report that the list misses invoices. */
  #listIsCut(problem: string): NotCompared {
    this.#isListWhole = false;
    return notCompared('invoices_not_listed', `${problem}: invoices without an order may be missing`, 'the list', null);
  }

  #takeListed(listed: ReconcileInvoice): void {
    this.#totals.invoices += 1;
    const raw = this.#pinned(listed);
    const { external_id, uuid } = raw;
    const oldest = this.#oldest.get(isUuid(external_id));
    if (oldest === undefined || raw.created_at < oldest.created_at) this.#oldest.set(isUuid(external_id), raw);
    const unit = this.#units.get(plainIdent(uuid));
    const row = unit?.rows.find((each) => isSameIdent(each.external_id, uuid));
    if (unit !== undefined && row !== undefined) this.#nameByUuid(unit, row, external_id);
    this.#hold(heldInvoice(raw, foundInvoice(raw)));
  }

  /** A row by uuid belongs to the order of its invoice, unless it names another one. */
  #nameByUuid(unit: Unit, row: HeldRow, external_id: string): void {
    row.invoice = external_id;
    const { order } = orderOf(external_id);
    if (row.order === row.external_id) row.order = order;
    this.#lead(order, unit);
  }

  /** Holds a listed invoice at its order, or as one without. What agrees, and what ended without an order, is forgotten. */
  #hold(invoice: HeldInvoice): void {
    const { order, renewal } = orderOf(invoice.external_id);
    const unit = this.#units.get(plainIdent(order));
    const isEnded = typeof invoice.found !== 'string' && isEndedUnpaid(invoice.found);
    if (unit === undefined) {
      const changed = asSpreadsheetsWrite(order);
      if (this.#units.has(changed)) this.#changedIds.set(changed, order);
      const isKnown = [order, invoice.uuid].some((id) => this.#isBad(id));
      if (!isEnded && !isKnown && invoice.created_at.getTime() >= this.#settings.since) this.#strangers.push(invoice);
    } else if (typeof unit.listed === 'string') {
      // It agreed. One that ended unpaid changes nothing.
      if (renewal === 0 || !isEnded) unit.listed = [unit.listed, invoice];
    } else {
      unit.listed.push(invoice);
      if (renewal === 0 && unit.rows.length === 1 && unit.listed.length === 1 && this.#agrees(unit))
        unit.listed = invoice.uuid;
    }
  }

  /** After the walk, each row by uuid is at its order. */
  #settle(): void {
    const named = this.#naming.filter((row) => orderOf(row.invoice).order !== row.order);
    this.#named = new Set(named.map(({ order }) => plainIdent(order)));
    for (const invoice of this.#strangers.splice(0)) this.#hold(invoice);
    this.#totals.orders = this.#inOrder.filter((row) => 'kind' in row || row.rows.length > 0).length;
  }

  #isBad(id: string): boolean {
    return this.#badIds.has(plainIdent(id)) || this.#badIds.has(plainIdent(orderOf(id).order));
  }

  /** True for an order whose only row agrees with its only invoice. Counts it. */
  #isMatched(unit: Unit): boolean {
    if (typeof unit.listed !== 'string' || this.#problemOf(unit) !== null) return false;
    this.#totals.matched += 1;
    return true;
  }

  /** True if each row has a listed invoice, and the order agrees with all that are listed. */
  #agrees({ rows, listed }: Unit): boolean {
    const invoices = shownInvoices(listed);
    if (!rows.every((row) => invoices?.some(({ held }) => row.invoice === held.external_id))) return false;
    const evidence = { is: 'read', invoices: ofThisSystem(invoices ?? [], rows), isEnd: false } as const;
    return compareOrder(foundRows(rows), evidence, this.#horizon).result === 'matched';
  }

  /** Why the rows of an order cannot be compared, or null. */
  #problemOf({ rows }: Unit): { readonly reason: NotComparedReason; readonly problem: string } | null {
    const bad = rows.find((row) => [row.external_id, row.order].some((id) => this.#badIds.size > 0 && this.#isBad(id)));
    if (bad !== undefined) return { reason: 'order_malformed', problem: 'another row of this order cannot be read' };
    const unsaid = rows.find((row) => row.part === null && this.#named.has(plainIdent(row.order)));
    const isMixed = rows.some((row) => row.part === true) && rows.some((row) => row.part === false);
    const row = unsaid ?? (isMixed ? rows[0] : undefined);
    if (row === undefined) return null;
    const parts = 'Write "part": true in each row of a part, such as a deposit or a rest';
    const tries = '"part": false in each row that is a try of the whole order';
    const problem = `the rows of order ${JSON.stringify(row.order)} do not say what they are. ${parts}, and ${tries}`;
    return { reason: 'part_not_said', problem };
  }

  /** Works on several items at once, and yields their results in the order of the items. */
  async *#each<Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<readonly Result[]> | readonly Result[],
  ): AsyncGenerator<Result, void, undefined> {
    const { signal: stop } = this.#settings;
    for (let at = 0; at < items.length; at += BATCH) {
      const batch = items.slice(at, at + BATCH);
      const results = batch.map((): readonly Result[] => []);
      await concurrently(batch.entries(), this.#settings, async ([index, item]) => {
        results[index] = await work(item);
      });
      for (const result of results.flat()) {
        yield result;
        stop?.throwIfAborted();
      }
    }
  }

  /** Compares an order: by the list, and where that shows a difference once more by single reads. */
  async #compare(unit: Unit): Promise<readonly Result[]> {
    const { rows, listed } = unit;
    if (rows.length === 0) return [];
    const wrong = this.#problemOf(unit);
    if (wrong !== null) return this.#skip(rows, wrong.reason, wrong.problem);
    const twice = [...Map.groupBy(rows, ({ invoice }) => plainIdent(invoice)).values()].filter(
      (same) => same.length > 1,
    );
    const written = listed.length === 0 ? this.#changedIds.get(plainIdent(unit.id)) : undefined;
    if (twice.length > 0 && written === undefined) return this.#duplicates(twice);
    if (this.#agrees(unit)) {
      this.#ours(shownInvoices(listed) ?? [], rows);
      this.#totals.matched += 1;
      return [];
    }
    const { evidence, known } = await this.#gather(unit);
    const hidden = known.find(({ isListed, invoice }) => !isListed && invoice.created_at.getTime() <= this.#horizon);
    const problem = `the list did not show the invoice ${hidden?.invoice.uuid}, which a single read found`;
    const cuts = hidden !== undefined && this.#isListWhole ? [this.#listIsCut(problem)] : [];
    const hasNone = evidence === REFUSED || (evidence.is === 'read' && evidence.invoices.length === 0);
    if (written !== undefined && hasNone) {
      this.#changed.add(asSpreadsheetsWrite(written));
      const why = `a spreadsheet changed the id ${JSON.stringify(written)}: format its column as text, and export it again`;
      return [...cuts, ...this.#skip(rows, 'id_changed', why)];
    }
    if (twice.length > 0) return [...cuts, ...this.#duplicates(twice)];
    const comparison = compareOrder(foundRows(rows), evidence, this.#horizon);
    if (comparison.result === 'unknown')
      return [...cuts, ...this.#skip(rows, comparison.reason, comparison.problem, true)];
    this.#totals[comparison.result === 'differs' ? 'differing' : comparison.result] += 1;
    return comparison.result === 'differs' ? [...cuts, ...comparison.findings] : cuts;
  }

  #duplicates(twice: readonly (readonly HeldRow[])[]): Finding[] {
    this.#totals.differing += 1;
    return twice.flatMap((same) => foundRows(same.slice(0, 1)).map((row) => duplicateOf(row, same.length)));
  }

  /** Counts an order that cannot be compared, and names its rows, or the last one of them. */
  #skip(rows: readonly HeldRow[], reason: NotComparedReason, problem: string, isLastAlone = false): NotCompared[] {
    this.#totals.ordersNotCompared += 1;
    return foundRows(rows)
      .slice(isLastAlone ? -1 : 0)
      .map(({ external_id, order, currency, place }) =>
        notCompared(reason, problem, place, external_id, order, currency),
      );
  }

  /**
   * Gathers the evidence for an order by single reads: of each listed invoice and of each that a row names, of the first
   * one where a renewal is known, and while none is paid of the next renewal, until the service has none.
   */
  async #gather(unit: Unit): Promise<Gathered> {
    const { rows } = unit;
    const known: OrderInvoice[] = [];
    const gathered = (evidence: Evidence): Gathered => ({ evidence, known });
    const isKnown = (id: string): boolean => known.some(({ held }) => isSameIdent(held.external_id, id));
    for (const held of listOf(unit.listed)) {
      const read = await this.#again(held, rows);
      if ('is' in read) return gathered(read);
      if (isKnown(read.held.external_id))
        return gathered(unknown('several_invoices', 'several invoices have this external_id'));
      known.push(read);
    }
    for (const row of rows.filter(({ invoice }) => !isKnown(invoice))) {
      const read = await this.#look(row.invoice, rows);
      if (read === 'none') continue;
      if (read === 'unread') return gathered(REFUSED);
      if ('is' in read) return gathered(read);
      known.push(read);
      if (read.isShort) return gathered(SHORT);
      const { order } = orderOf(read.held.external_id);
      const other = this.#units.get(plainIdent(order));
      if (other !== undefined && other !== unit)
        return gathered(
          unknown('invoice_not_read', 'the list does not show the invoice, and its order has another row'),
        );
      if (row.order === row.external_id) row.order = order;
      row.invoice = read.held.external_id;
    }
    let isEnd = true;
    for (const order of new Set(known.map(({ held }) => orderOf(held.external_id).order))) {
      const numbers = known.map(({ held }) => orderOf(held.external_id)).filter((each) => each.order === order);
      const last = Math.max(...numbers.map(({ renewal }) => renewal));
      for (let renewal = 0; renewal <= RENEWALS_MAX; renewal += 1) {
        const id = renewalId({ order, renewal });
        if (isKnown(id)) continue;
        if (renewal > 0 && ofThisSystem(known, rows).some(({ invoice }) => invoice.paid_amount !== null)) break;
        const read = await this.#look(id, rows);
        if (typeof read === 'object') {
          if ('is' in read) return gathered(read);
          known.push(read);
          if (read.isShort) return gathered(SHORT);
        } else if (renewal > last) {
          isEnd &&= read === 'none';
          break;
        }
      }
    }
    if (!isEnd && !this.#isListWhole) return gathered(REFUSED);
    return gathered({ is: 'read', invoices: this.#ours(known, rows), isEnd });
  }

  /** The invoices of an order that are not another system's, the first one first. Those have no order. */
  #ours(known: readonly OrderInvoice[], rows: readonly HeldRow[]): readonly OrderInvoice[] {
    const ours = ofThisSystem(known, rows);
    for (const each of known) {
      const isNew = each.held.created_at.getTime() >= this.#settings.since;
      if (!ours.includes(each) && isNew) this.#strangers.push(each.held);
    }
    return [...ours].sort((a, b) => orderOf(a.held.external_id).renewal - orderOf(b.held.external_id).renewal);
  }

  /** Reads a listed invoice again, by its uuid, or by its external_id if the service does not accept the uuid. */
  async #again(listed: string | HeldInvoice, rows: readonly HeldRow[]): Promise<OrderInvoice | NoEvidence> {
    const held = typeof listed === 'string' ? null : listed;
    const shown = held === null || typeof held.found === 'string' ? null : held.found;
    const [uuid, id] = held === null ? [String(listed), rows[0]?.invoice] : [held.uuid, held.external_id];
    for (const ident of [uuid, ...(id === undefined ? [] : [id])]) {
      const read = await this.#read(ident, rows);
      if (typeof read === 'string') continue;
      if ('is' in read) return read;
      if (!isSameIdent(read.held.uuid, uuid) && uuid !== id) continue;
      // A single read in the creation form does not say what was paid, so it does not replace the listed invoice.
      if (!read.isShort) return { ...read, isListed: true };
      if (shown === null) return typeof held?.found === 'string' ? unknown('invoice_malformed', held.found) : SHORT;
      return shown.status === read.invoice.status ? { ...read, invoice: shown, isListed: true } : { is: 'moved' };
    }
    if (held !== null && shown !== null) return { held, invoice: shown, isConfirmed: false, isListed: true };
    return held === null ? REFUSED : unknown('invoice_malformed', String(held.found));
  }

  /** Reads an invoice that the list did not show. */
  async #look(id: string, rows: readonly HeldRow[]): Promise<OrderInvoice | Unknown | 'none' | 'unread'> {
    const read = await this.#read(id, rows);
    if (typeof read === 'string' || 'is' in read) return read;
    return { ...read, isListed: false };
  }

  async #compareStranger(held: HeldInvoice): Promise<readonly Result[]> {
    const { uuid, external_id, currency, found } = held;
    if (this.#changed.has(asSpreadsheetsWrite(orderOf(external_id).order))) return [];
    const read = await this.#again(held, []);
    if ('is' in read && typeof found === 'string') {
      const problem = read.is === 'unknown' ? read.problem : found;
      return [notCompared('invoice_malformed', problem, `invoice ${uuid}`, external_id, null, currency)];
    }
    const invoice = 'is' in read ? { invoice: found as FoundInvoice, isConfirmed: false } : read; // a text was told above
    const comparison = compareWithoutOrder(invoice, this.#horizon);
    if (comparison.result !== 'differs') return [];
    this.#totals.invoicesWithoutOrder += 1;
    return comparison.findings;
  }

  /** Reads one invoice. Throws after ten failed reads in a row, because the service is down. */
  async #read(ident: string, rows: readonly HeldRow[]): Promise<Reading> {
    const failed = (error: unknown) => ({ is: 'failed', error }) as const;
    const reading = await readByPath(ident, this.#paths, this.#proof).catch(failed);
    if (reading.is === 'invoice') {
      this.#failedInARow = 0;
      const { invoice } = reading;
      // Another invoice says nothing about the one that was asked for.
      const isAsked = isSameIdent(invoice.uuid, ident) || isSameIdent(invoice.external_id, ident);
      return isAsked ? this.#readingOf(invoice, rows) : 'unread';
    }
    const { error } = reading;
    if (!isMerchantError(error) || this.#settings.signal?.aborted) throw error;
    const isStranger = 'answeredBy' in error && error.answeredBy === 'other';
    if (failsEveryCall(error) && !isStranger) throw error;
    this.#failedInARow = reading.is === 'failed' || error.kind === 'server' ? this.#failedInARow + 1 : 0;
    if (this.#failedInARow >= FAILED_READS_MAX) throw error;
    if (error.kind === 'unexpected_response')
      return unknown('invoice_malformed', 'the invoice is not as the interface says');
    if (reading.is === 'failed') return unknown('invoice_not_read', `the invoice could not be read: ${error.code}`);
    // A list that shows nothing has nothing to prove a 404 with.
    const isNone = reading.is === 'none' || (this.#oldest.size === 0 && hasKind(error, 'not_found'));
    return isNone ? 'none' : 'unread';
  }

  /** An invoice that does not say whether it was adjusted, as the merchant has pinned it. */
  #pinned(invoice: ReconcileInvoice): ReconcileInvoice {
    if (this.#settings.adjustedAbsent === undefined || typeof invoice.is_adjusted === 'boolean') return invoice;
    return { ...invoice, is_adjusted: invoice.adjustment !== null };
  }

  #readingOf(read: ReconcileInvoice, rows: readonly HeldRow[]): Reading {
    const raw = this.#pinned(read);
    const isShort = lacksPayment(raw);
    const found = isShort ? withoutPayment(raw) : foundInvoice(raw);
    if (typeof found === 'string') return unknown('invoice_malformed', found);
    const isOpen = found.status === 'pending' && found.expires_at.getTime() > this.#horizon;
    // A replica may not have its payment yet, unless the shop says that it acted longer ago than the grace.
    const mayLag = isOpen && rows.length > 0 && rows.every(({ changed }) => changed === null);
    return { held: heldInvoice(raw, found), invoice: found, isConfirmed: !mayLag, isShort };
  }

  #count(result: Result): void {
    if (result.kind === 'not_compared') {
      this.#totals.notCompared += 1;
      return;
    }
    this.#totals.findings += 1;
    this.#kinds[result.kind] = (this.#kinds[result.kind] ?? 0) + 1;
    if (result.money === null) return;
    const { of, amount, currency } = result.money;
    const zero = new Decimal(0);
    const sums = this.#money.get(currency) ?? { paidNotGiven: zero, givenNotPaid: zero, paidTooMuch: zero };
    this.#money.set(currency, { ...sums, [of]: sums[of].plus(amount) });
  }
}

/**
 * Leaves out the invoices of another system: renewals whose customer and callback_url both are others than those of the
 * first invoice, and that no row names.
 */
function ofThisSystem(invoices: readonly OrderInvoice[], rows: readonly HeldRow[]): readonly OrderInvoice[] {
  if (invoices.length < 2) return invoices;
  return invoices.filter(({ held }) => {
    const { order, renewal } = orderOf(held.external_id);
    const first = invoices.find((each) => each.held.external_id === order)?.held;
    if (renewal === 0 || first === undefined || rows.some((row) => row.invoice === held.external_id)) return true;
    return !isOfAnotherSystem(first, held);
  });
}

/** What a spreadsheet makes of an id of digits: a number, which has no zeros in front, and 15 digits with zeros behind. */
function asSpreadsheetsWrite(id: string): string {
  if (!/^\d+$/.test(id)) return id;
  const digits = id.replace(/^0+(?=\d)/, '');
  return digits.slice(0, SPREADSHEET_DIGITS).padEnd(digits.length, '0');
}

/** The listed invoices of an order, or null if one of them contradicts itself or is not held. */
function shownInvoices(listed: Unit['listed']): readonly OrderInvoice[] | null {
  const invoices = listOf(listed).flatMap((held): OrderInvoice[] =>
    typeof held === 'string' || typeof held.found === 'string'
      ? []
      : [{ held, invoice: held.found, isConfirmed: false, isListed: true }],
  );
  return invoices.length === listOf(listed).length ? invoices : null;
}

function listOf(listed: Unit['listed']): (string | HeldInvoice)[] {
  return typeof listed === 'string' ? [listed] : listed;
}

function unknown(reason: NotComparedReason, problem: string): Unknown {
  return { is: 'unknown', reason, problem };
}

function held(
  { amount, credited_usdt, refunded_amount, created_at, changed_at, place, ...order }: FoundOrder,
  row: number,
): HeldRow {
  return {
    ...order,
    invoice: order.external_id,
    amount: amount.toFixed(),
    credited: credited_usdt?.toFixed() ?? null,
    refunded: refunded_amount?.toFixed() ?? null,
    created: created_at?.getTime() ?? null,
    changed: changed_at?.getTime() ?? null,
    place: place === `row ${row}` ? row : place,
  };
}

/** The rows of an order. The last one is that of the highest renewal, else the last one in the data. */
function foundRows(rows: readonly HeldRow[]): FoundOrder[] {
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

function heldInvoice(raw: ReconcileInvoice, found: FoundInvoice | string): HeldInvoice {
  const { uuid, external_id, customer_id, callback_url, created_at, currency } = raw;
  return { uuid, external_id, customer_id, callback_url, created_at, currency: currency.code.toUpperCase(), found };
}

/** The time of the service, from the Date header of the first page: `created_at` is by the same clock. */
async function timeOf(list: ReturnType<ReconcileClient['invoices']['list']>): Promise<number> {
  const header = (await list.withResponse?.())?.response.headers.get('date') ?? '';
  const time = Date.parse(header);
  return Number.isNaN(time) ? Date.now() : time + HEADER_PRECISION;
}

function notCompared(
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

function aborted({ reason }: AbortSignal, wasOver: boolean | undefined): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    message: `reconcile: ${abortedBy(wasOver)}. Nothing was changed. Run it again.`,
    operation: 'reconcile',
    outcome: 'rejected',
    stoppedBy: 'aborted',
    reason,
  });
}
