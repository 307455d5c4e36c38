import { orderOf as attemptOf } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { instantFrom, isSameIdent, plainIdent } from '../contract/values/scalars.ts';
import {
  callback,
  configurationFail,
  count,
  type Fail,
  kindOf,
  type OptionTable,
  type Read,
  readOptions,
  signal,
} from '../errors/checks.ts';
import { AbortedError } from '../errors/classes.ts';
import { failsEveryCall, hasCode, hasKind, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import { concurrently, untilAborted } from '../webhooks/catch-up/concurrently.ts';
import { lacksPayment } from '../webhooks/event/invoice-event.ts';
import {
  type Comparison,
  compareOrder,
  compareWithoutOrder,
  duplicateOf,
  type Evidence,
  foundInvoice,
  type Row,
  readOrder,
  withoutPayment,
} from './compare.ts';
import type {
  CurrencySummary,
  Finding,
  FindingKind,
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

// Gathers the evidence: reads the orders into a Map, walks the list of invoices once, and reads each order that differs
// singly before it is compared and reported. The list alone decides nothing, because it may move, be late or be cut: an
// order is not called unpaid because the list did not show its invoice.

const fail = configurationFail('reconcile');
const GRACE = 15 * 60_000;
/** The findings that say of an order that nobody has paid it. */
const UNPAID: ReadonlySet<FindingKind> = new Set(['fulfilled_not_paid', 'open_but_ended', 'order_without_invoice']);
const PER_PAGE = 100;
/** No invoice is older. A count of seconds in place of milliseconds is a time before it. */
const YEAR_2000 = Date.UTC(2000);
/** Orders whose evidence is gathered before their findings are yielded: these keep the order of `orders`. */
const BATCH = 100;
/** After this many failed single reads, one after the other, the service counts as down. */
const FAILED_READS_MAX = 10;
/** The Date header has whole seconds, so the time of the service is up to 999 ms later. */
const HEADER_PRECISION = 999;

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
 *   if (finding.kind === 'paid_not_fulfilled') alertOperator(`${finding.external_id}: ${finding.action}`);
 * }
 * const { currencies } = await run.summary();
 */
export function reconcile(options: ReconcileOptions): Reconciliation {
  return new Run(readOptions('options', options, OPTIONS, fail));
}

type Result = Finding | NotCompared;

/** An order as it is held: texts and numbers, because a million of them must fit. */
interface HeldOrder {
  readonly external_id: string;
  readonly order: string;
  readonly amount: string;
  readonly currency: string;
  readonly credited: string | null;
  readonly state: OrderState;
  readonly created: number | null;
  readonly changed: number | null;
  /** The place that the row names, or its number. */
  readonly place: string | number;
}

/**
 * What is held of a listed invoice that does not agree with its order. `found` is a text where it contradicts itself.
 */
interface HeldInvoice {
  readonly uuid: string;
  readonly external_id: string;
  readonly currency: string;
  readonly found: FoundInvoice | string;
}

/** A row of the shop, and what the list has shown about its invoice. */
interface Entry {
  readonly order: HeldOrder;
  /** The number of rows with this id. */
  count: number;
  /**
   * Null: nothing. `agrees`: its only invoice, which agrees with it and is not held. `several`: more than one invoice.
   * `shared`: an invoice that another row has, too, by its uuid. `unreadable`: a row that cannot be read.
   */
  listed: HeldInvoice | 'agrees' | 'several' | 'shared' | 'unreadable' | null;
}

/** The result of a single read: the invoice, or why there is none. */
type Reading =
  | { readonly invoice: FoundInvoice; readonly isShort: boolean }
  | { readonly without: 'absent' | 'refused' }
  | { readonly reason: 'invoice_malformed' | 'invoice_not_read'; readonly problem: string };

type Money = Record<'paidNotGiven' | 'givenNotPaid' | 'differences', Decimal>;

class Run implements Reconciliation {
  readonly #settings: Read<typeof OPTIONS>;
  /** By the id of the order. A uuid is compared in its plain form. */
  readonly #entries = new Map<string, Entry>();
  /** The rows of an order with an id of its own, by that id. */
  readonly #orders = new Map<string, Entry[]>();
  /** An invoice that has no row, and did not end unpaid, by the id of an order that has rows. */
  readonly #withoutRow = new Map<string, string>();
  /** The orders, and the rows that could not be read as one, in the order of `orders`. */
  readonly #rows: (Entry | NotCompared)[] = [];
  /** The ids of orders that cannot be compared. Their invoices are not reported as ones without an order. */
  readonly #badOrders = new Set<string>();
  readonly #invoicesWithoutOrder: HeldInvoice[] = [];
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
  readonly #money = new Map<string, Money>();
  /** What changed after this time is left for the next run. */
  #horizon = 0;
  /** False once something shows that the list misses invoices. That is reported once. */
  #isListWhole = true;
  /** The oldest listed invoice. */
  #oldest: { readonly uuid: string; readonly external_id: string; readonly created: number } | null = null;
  /** Whether the service finds the oldest listed invoice by its external_id. Null until it is asked. */
  #readsByExternalId: Promise<boolean> | null = null;
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
    try {
      for await (const result of this.#results()) {
        this.#count(result);
        yield result;
      }
      this.#state = 'complete';
    } catch (error) {
      this.#failure = { error: stop?.aborted ? aborted(stop) : error };
      throw this.#failure.error;
    }
  }

  async summary(): Promise<ReconcileSummary> {
    if (this.#state === 'new') for await (const _ of this) void _; // the results are counted
    if (this.#failure !== null) throw this.#failure.error;
    const currencies: CurrencySummary[] = [...this.#money]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, money]) => ({ currency, ...money }));
    return { complete: this.#state === 'complete', ...this.#totals, kinds: { ...this.#kinds }, currencies };
  }

  async *#results(): AsyncGenerator<Result, void, undefined> {
    this.#settings.signal?.throwIfAborted();
    await this.#readOrders();
    yield* await this.#walk();
    const open = this.#rows.filter((row) => 'kind' in row || !this.#isMatched(row));
    yield* this.#inOrder(open, (row) => ('kind' in row ? [row] : this.#compare(row)));
    yield* this.#inOrder(this.#invoicesWithoutOrder, (invoice) => this.#compareInvoice(invoice));
  }

  async #readOrders(): Promise<void> {
    for await (const given of untilAborted(this.#settings.orders, this.#settings.signal)) {
      this.#totals.orders += 1;
      const order = readOrder(given, `row ${this.#totals.orders}`);
      if ('problem' in order) {
        this.#totals.ordersNotCompared += 1;
        this.#rows.push(notCompared('order_malformed', order.problem, order.place, order.external_id));
        if (order.external_id !== null) this.#badOrders.add(plainIdent(order.external_id));
        continue;
      }
      const id = plainIdent(order.external_id);
      const known = this.#entries.get(id);
      if (known !== undefined) {
        known.count += 1;
        continue;
      }
      const entry: Entry = { order: held(order, this.#totals.orders), count: 1, listed: null };
      this.#entries.set(id, entry);
      this.#rows.push(entry);
      if (order.order === order.external_id) continue;
      const rows = this.#orders.get(order.order);
      if (rows === undefined) this.#orders.set(order.order, [entry]);
      else rows.push(entry);
    }
    // The first attempt has the id of the order itself, and is a row of it only where there are others.
    for (const [id, rows] of this.#orders) {
      const first = this.#entries.get(plainIdent(id));
      if (first !== undefined && first.order.order === id && !rows.includes(first)) rows.unshift(first);
    }
  }

  /** Walks the list once: marks the orders that agree, and holds what differs. Returns what could not be listed. */
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
      const entry = id === null ? undefined : this.#entries.get(plainIdent(id));
      if (entry !== undefined) entry.listed ??= 'unreadable';
      if (id !== null && this.#knows(id)) return; // its order is read singly, or was reported as one that cannot be read
      if (id !== null) this.#noteWithoutRow(id);
      problems.push(notCompared('invoice_malformed', `it cannot be read at "${path}"`, `invoice ${name}`, id));
    };
    try {
      const list = merchant.invoices.list({ per_page: PER_PAGE }, { signal: stop, onInvalidItem });
      const time = now?.() ?? (await timeOf(list));
      if (since > Math.max(time, Date.now()))
        fail('since is in the future: no invoice without an order would be found');
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

  /** True for a row that agrees with its listed invoice. Counts it. */
  #isMatched({ listed, count: rows }: Entry): boolean {
    if (listed !== 'agrees' || rows > 1) return false;
    this.#totals.matched += 1;
    return true;
  }

  #knows(ident: string): boolean {
    return this.#entries.has(plainIdent(ident)) || this.#badOrders.has(plainIdent(ident));
  }

  #noteWithoutRow(external_id: string): void {
    const { order } = attemptOf(external_id);
    if (this.#orders.has(order) || this.#knows(order)) this.#withoutRow.set(order, external_id);
  }

  /** Compares a listed invoice with its order, or holds it as one without an order. */
  #takeListed(invoice: ReconcileInvoice): void {
    this.#totals.invoices += 1;
    const { external_id, uuid } = invoice;
    const created = invoice.created_at.getTime();
    if (this.#oldest === null || created < this.#oldest.created) this.#oldest = { uuid, external_id, created };
    // The id of an order may be the uuid of its invoice.
    const byUuid = this.#entries.get(plainIdent(uuid));
    const entry = this.#entries.get(plainIdent(external_id)) ?? byUuid;
    const found = foundInvoice(invoice);
    if (entry === undefined) {
      const isReported = created >= this.#settings.since && !this.#knows(external_id) && !this.#knows(uuid);
      const isMatched =
        typeof found !== 'string' && compareWithoutOrder(found, external_id, false, this.#horizon).result === 'matched';
      if (!isMatched) this.#noteWithoutRow(external_id);
      if (isReported && !isMatched) this.#invoicesWithoutOrder.push(heldInvoice(invoice, found));
      return;
    }
    if (byUuid !== undefined && entry !== byUuid) {
      entry.listed = 'shared';
      byUuid.listed = 'shared';
      return;
    }
    if (entry.listed !== null && entry.listed !== 'unreadable') {
      if (entry.listed !== 'shared') entry.listed = 'several';
      return;
    }
    // The rows of an order with several are compared together, at the end.
    const isAlone = (this.#orders.get(entry.order.order)?.length ?? 1) === 1;
    const isMatched = isAlone && typeof found !== 'string' && this.#agree([listedRow(entry.order, found)]);
    entry.listed = isMatched ? 'agrees' : heldInvoice(invoice, found);
  }

  /** Works on several items at once, and yields their results in the order of the items. */
  async *#inOrder<Item>(
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

  /** Compares the order of a row, in the place of its first row. */
  async #compare(entry: Entry): Promise<readonly Result[]> {
    const rows = this.#orders.get(entry.order.order) ?? [entry];
    if (rows[0] !== entry && rows.includes(entry)) return []; // compared with the first
    const results: Result[] = [];
    for (const row of rows.filter((each) => each.count > 1 || each.listed === 'shared')) {
      this.#totals.differing += row.count;
      results.push(duplicateOf(orderOf(row.order), row.count));
    }
    const others = rows.filter((each) => each.count === 1 && each.listed !== 'shared');
    return others.length === 0 ? results : [...results, ...(await this.#compareRows(others))];
  }

  /** Compares by the list, and where that shows a difference once more by single reads. */
  async #compareRows(entries: readonly Entry[]): Promise<Result[]> {
    const shown = entries.flatMap(({ order, listed }) => {
      const invoice = listed !== null && typeof listed === 'object' ? listedInvoice(listed) : null;
      return invoice === null ? [] : [listedRow(order, invoice)];
    });
    if (shown.length === entries.length && this.#agree(shown)) {
      this.#totals.matched += entries.length;
      return [];
    }
    const cuts: NotCompared[] = [];
    const rows: Row[] = [];
    for (const entry of entries) {
      const { evidence, isUnlisted } = await this.#evidenceOf(entry);
      if (isUnlisted !== null && this.#isListWhole)
        cuts.push(this.#listIsCut(`the list did not show the invoice ${isUnlisted}, which a single read found`));
      rows.push({ order: orderOf(entry.order), evidence });
    }
    const comparison = this.#judge(rows);
    switch (comparison.result) {
      case 'matched':
      case 'withinGrace':
        this.#totals[comparison.result] += entries.length;
        return cuts;
      case 'unknown': {
        this.#totals.ordersNotCompared += entries.length;
        const { external_id, currency, place } = comparison.row.order;
        return [...cuts, notCompared(comparison.reason, comparison.problem, place, external_id, currency)];
      }
      case 'differs':
        this.#totals.differing += entries.length;
        return [...cuts, ...comparison.findings];
    }
  }

  /** Compares the rows of an order. Nothing is called unpaid while an invoice of the order has no row. */
  #judge(rows: readonly Row[]): Comparison {
    const comparison = compareOrder(rows, this.#horizon);
    const [row] = rows;
    const missing = this.#withoutRow.get(row?.order.order ?? '');
    if (row === undefined || missing === undefined || comparison.result !== 'differs') return comparison;
    if (!comparison.findings.some(({ kind }) => UNPAID.has(kind))) return comparison;
    const problem = `its invoice ${JSON.stringify(missing)} has no row: give a row for each invoice of an order`;
    return { result: 'unknown', row, reason: 'several_invoices', problem };
  }

  #agree(rows: readonly Row[]): boolean {
    return compareOrder(rows, this.#horizon).result === 'matched';
  }

  /**
   * Gathers the evidence for one row by a single read. `isUnlisted`: the uuid of an invoice that the list should have
   * shown, and did not.
   */
  async #evidenceOf({ order, listed }: Entry): Promise<{ evidence: Evidence; isUnlisted: string | null }> {
    const known = (evidence: Evidence) => ({ evidence, isUnlisted: null });
    const unknown = (reason: NotComparedReason, problem: string) => known({ is: 'unknown', reason, problem });
    if (listed === 'several') return unknown('several_invoices', 'several invoices have this external_id');
    const held = typeof listed === 'object' ? listed : null;
    const reading = held === null ? await this.#search(order.external_id) : await this.#readAgain(held);
    if ('problem' in reading) return unknown(reading.reason, reading.problem);
    const shown = held === null ? null : listedInvoice(held);
    if ('without' in reading) {
      if (shown !== null) return known({ is: 'invoice', invoice: shown, isConfirmed: false });
      if (held !== null) return unknown('invoice_malformed', String(held.found));
      if (reading.without === 'absent') return known({ is: 'absent' });
      return unknown(
        'invoice_not_read',
        'the service reads no invoice by this id, and the list does not show it. Give the uuid of the invoice',
      );
    }
    const { invoice, isShort } = reading;
    const isUnlisted = listed === null && invoice.created_at.getTime() <= this.#horizon ? invoice.uuid : null;
    // A single read in the creation form does not say what was paid, so it does not replace the listed invoice.
    if (isShort && shown?.status !== invoice.status) {
      if (shown !== null) return known({ is: 'moved' }); // it was paid after it was listed
      const problem = 'the single read does not say what was paid, and the list does not show it';
      return { evidence: { is: 'unknown', reason: 'invoice_not_read', problem }, isUnlisted };
    }
    const mayLag =
      invoice.status === 'pending' && invoice.expires_at.getTime() > this.#horizon && order.changed === null;
    return {
      evidence: { is: 'invoice', invoice: isShort && shown !== null ? shown : invoice, isConfirmed: !mayLag },
      isUnlisted,
    };
  }

  async #compareInvoice(held: HeldInvoice): Promise<Result[]> {
    const reading = await this.#readAgain(held);
    const fresh = 'invoice' in reading && !reading.isShort ? reading.invoice : null;
    const { uuid, external_id, currency } = held;
    const invoice = fresh ?? listedInvoice(held);
    if (invoice === null) {
      const problem = 'problem' in reading ? reading.problem : String(held.found);
      return [notCompared('invoice_malformed', problem, `invoice ${uuid}`, external_id, currency)];
    }
    const comparison: Comparison = compareWithoutOrder(invoice, external_id, fresh !== null, this.#horizon);
    if (comparison.result !== 'differs') return [];
    this.#totals.invoicesWithoutOrder += 1;
    return [...comparison.findings];
  }

  /** Reads a listed invoice again, by its uuid, or by its external_id if the service does not accept the uuid. */
  async #readAgain({ uuid, external_id }: HeldInvoice): Promise<Reading> {
    for (const ident of [uuid, external_id]) {
      const reading = await this.#read(ident);
      if ('problem' in reading || ('invoice' in reading && reading.invoice.uuid === uuid)) return reading;
    }
    return { without: 'refused' };
  }

  /**
   * Reads the invoice of an order that the list does not show. That the service finds none counts only if it finds the
   * oldest listed invoice in the same way: it may accept uuids only.
   */
  async #search(ident: string): Promise<Reading> {
    const reading = await this.#read(ident);
    const known = this.#oldest;
    if (!('without' in reading) || reading.without !== 'absent' || known === null) return reading;
    this.#readsByExternalId ??= this.#read(known.external_id).then(
      (found) => 'invoice' in found && found.invoice.uuid === known.uuid,
    );
    return (await this.#readsByExternalId) ? reading : { without: 'refused' };
  }

  /** Reads one invoice. Throws after ten failed reads in a row, because the service is down. */
  async #read(ident: string): Promise<Reading> {
    const { merchant, signal: stop } = this.#settings;
    let invoice: ReconcileInvoice;
    try {
      invoice = await merchant.invoices.get(ident, { signal: stop });
    } catch (error) {
      if (!isMerchantError(error) || stop?.aborted) throw error;
      const isStranger = 'answeredBy' in error && error.answeredBy === 'other';
      if (failsEveryCall(error) && !isStranger) throw error;
      if (error.kind === 'unexpected_response') {
        this.#failedInARow = 0;
        return { reason: 'invoice_malformed', problem: 'the invoice is not as the interface says' };
      }
      const isRefused = isRefusedIdent(error);
      if (!isRefused) this.#failedInARow += 1;
      else if (error.kind !== 'server') this.#failedInARow = 0;
      if (this.#failedInARow >= FAILED_READS_MAX) throw error;
      if (hasKind(error, 'not_found')) return { without: 'absent' };
      if (isRefused) return { without: 'refused' };
      return { reason: 'invoice_not_read', problem: `the invoice could not be read: ${error.code}` };
    }
    this.#failedInARow = 0;
    // Another invoice says nothing about the one that was asked for.
    if (!isSameIdent(invoice.uuid, ident) && !isSameIdent(invoice.external_id, ident)) return { without: 'refused' };
    const found = foundInvoice(invoice);
    if (typeof found !== 'string') return { invoice: found, isShort: lacksPayment(invoice) };
    if (!lacksPayment(invoice)) return { reason: 'invoice_malformed', problem: found };
    return { invoice: withoutPayment(invoice), isShort: true };
  }

  #count(result: Result): void {
    if (result.kind === 'not_compared') {
      this.#totals.notCompared += 1;
      return;
    }
    this.#totals.findings += 1;
    this.#kinds[result.kind] = (this.#kinds[result.kind] ?? 0) + 1;
    const { kind, invoice, order, difference } = result;
    const paid = invoice?.paid_amount ?? null;
    if (paid !== null && ['paid_not_fulfilled', 'invoice_without_order', 'paid_twice'].includes(kind))
      this.#add('paidNotGiven', result.currency, paid);
    else if (kind === 'fulfilled_not_paid' && order !== null && order.state !== 'refunded')
      this.#add('givenNotPaid', order.currency, order.amount);
    else if (kind === 'amount_differs' && difference !== null && order?.state !== 'open' && order?.state !== 'canceled')
      this.#add('differences', result.currency, difference);
  }

  #add(sum: keyof Money, currency: string, amount: Decimal): void {
    const zero = new Decimal(0);
    const money = this.#money.get(currency) ?? { paidNotGiven: zero, givenNotPaid: zero, differences: zero };
    this.#money.set(currency, { ...money, [sum]: money[sum].plus(amount) });
  }
}

/** A row beside the invoice that the list showed. */
function listedRow(order: HeldOrder, invoice: FoundInvoice): Row {
  return { order: orderOf(order), evidence: { is: 'invoice', invoice, isConfirmed: false } };
}

function held({ amount, credited_usdt, created_at, changed_at, place, ...order }: FoundOrder, row: number): HeldOrder {
  return {
    ...order,
    amount: amount.toFixed(),
    credited: credited_usdt?.toFixed() ?? null,
    created: created_at?.getTime() ?? null,
    changed: changed_at?.getTime() ?? null,
    place: place === `row ${row}` ? row : place,
  };
}

function orderOf({ amount, credited, created, changed, place, ...order }: HeldOrder): FoundOrder {
  return {
    ...order,
    amount: new Decimal(amount),
    credited_usdt: credited === null ? null : new Decimal(credited),
    created_at: created === null ? null : new Date(created),
    changed_at: changed === null ? null : new Date(changed),
    place: typeof place === 'number' ? `row ${place}` : place,
  };
}

function heldInvoice({ uuid, external_id, currency }: ReconcileInvoice, found: FoundInvoice | string): HeldInvoice {
  return { uuid, external_id, currency: currency.code.toUpperCase(), found };
}

/** The invoice as it was listed, or null for one that contradicts itself. */
function listedInvoice({ found }: HeldInvoice): FoundInvoice | null {
  return typeof found === 'string' ? null : found;
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
  currency: string | null = null,
): NotCompared {
  const [first = '', ...rest] = problem;
  const sentence = `${first.toUpperCase()}${rest.join('')}${problem.endsWith('.') ? '' : '.'}`;
  return { kind: 'not_compared', external_id, currency, reason, problem: sentence, place };
}

function aborted({ reason }: AbortSignal): AbortedError {
  return new AbortedError({
    code: 'SDK_ABORTED',
    message: 'reconcile: aborted by the signal of the caller. Nothing was changed. Run it again.',
    operation: 'reconcile',
    outcome: 'rejected',
    stoppedBy: 'aborted',
    reason,
  });
}
