import { orderOf } from '../contract/orders.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { plainIdent } from '../contract/values/scalars.ts';
import { readOptions } from '../errors/checks.ts';
import { AbortedError } from '../errors/classes.ts';
import { abortedBy, concurrently, untilAborted } from '../webhooks/catch-up/concurrently.ts';
import { compareOrder, compareWithoutOrder, duplicateOf, notCompared } from './compare.ts';
import {
  agrees,
  asSpreadsheetsWrite,
  foundRows,
  type HeldInvoice,
  HeldOrders,
  type HeldRow,
  isSince,
  type OrderInvoice,
  ofThisSystem,
  shownInvoices,
  type Unit,
} from './held-orders.ts';
import { fail, OPTIONS, type Settings } from './options.ts';
import { REFUSED, SingleReads } from './single-reads.ts';
import type {
  Finding,
  FindingKind,
  FindingMoney,
  NotCompared,
  NotComparedReason,
  ReconcileOptions,
  ReconcileSummary,
  Reconciliation,
} from './types.ts';
import { listIsCut, walkList } from './walk-list.ts';

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

/** Orders whose evidence is gathered before their findings are yielded: these keep the order of `orders`. */
const BATCH = 100;
/** Milliseconds. A time of the shop further ahead is no time zone, and would put off a difference for ever. */
const DAY = 86_400_000;

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

class Run implements Reconciliation {
  readonly #settings: Settings;
  readonly #orders = new HeldOrders();
  /** The ids that a spreadsheet made, once it is certain. Their invoices are no strangers. */
  readonly #changed = new Set<string>();
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
  /** False once something shows that the list misses invoices. That is reported once. */
  #isListWhole = true;
  #state: 'new' | 'running' | 'complete' = 'new';
  #failure: { readonly error: unknown } | null = null;

  constructor(settings: Settings) {
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
    const { orders: rows, signal: stop, since } = this.#settings;
    stop?.throwIfAborted();
    for await (const row of untilAborted(rows, stop)) {
      this.#totals.orders += 1;
      if (this.#orders.take(row, this.#totals.orders) !== null) this.#totals.ordersNotCompared += 1;
    }
    const walked = await walkList(this.#orders, this.#settings);
    const { problems, horizon, invoices } = walked;
    this.#isListWhole = walked.isWhole;
    this.#totals.invoices = invoices;
    this.#totals.orders = this.#orders.settle({ since, horizon });
    yield* problems;
    const reads = new SingleReads(this.#settings, this.#orders, walked);
    const open = this.#orders.inOrder.filter((row) => 'kind' in row || !this.#isMatched(row));
    const changed: Result[] = [];
    for await (const result of this.#each(open, (row) =>
      'kind' in row ? [row] : this.#compare(row, reads, horizon),
    )) {
      if (result.kind === 'not_compared' && result.reason === 'id_changed') changed.push(result);
      else yield result;
    }
    yield* this.#each(this.#orders.strangers, (invoice) => this.#compareStranger(invoice, reads, horizon));
    yield* changed;
  }

  /** True for an order whose only row agrees with its only invoice. Counts it. */
  #isMatched(unit: Unit): boolean {
    if (typeof unit.listed !== 'string' || this.#orders.problemOf(unit) !== null) return false;
    this.#totals.matched += 1;
    return true;
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
  async #compare(unit: Unit, reads: SingleReads, horizon: number): Promise<readonly Result[]> {
    const { rows, listed } = unit;
    if (rows.length === 0) return [];
    const wrong = this.#orders.problemOf(unit);
    if (wrong !== null) return this.#skip(rows, wrong.reason, wrong.problem);
    const twice = [...Map.groupBy(rows, ({ invoice }) => plainIdent(invoice)).values()].filter(
      (same) => same.length > 1,
    );
    const written = this.#orders.changedIdOf(unit);
    if (twice.length > 0 && written === undefined) return this.#duplicates(twice);
    if (agrees(unit, horizon)) {
      this.#noteStrangers(shownInvoices(listed) ?? [], rows);
      this.#totals.matched += 1;
      return [];
    }
    const { known, ...read } = await reads.gather(unit);
    const isShort = read.evidence.is === 'read' && !read.evidence.isEnd && !this.#isListWhole;
    const evidence = isShort ? REFUSED : read.evidence;
    if (evidence.is === 'read') this.#noteStrangers(known, rows);
    const hidden = known.find(({ isListed, invoice }) => !isListed && invoice.created_at.getTime() <= horizon);
    const cuts: Result[] = [];
    if (hidden !== undefined && this.#isListWhole) {
      this.#isListWhole = false;
      cuts.push(listIsCut(`the list did not show the invoice ${hidden.invoice.uuid}, which a single read found`));
    }
    const hasNone = evidence === REFUSED || (evidence.is === 'read' && evidence.invoices.length === 0);
    if (written !== undefined && hasNone) {
      this.#changed.add(asSpreadsheetsWrite(written));
      const why = `a spreadsheet changed the id ${JSON.stringify(written)}: format its column as text, and export it again`;
      return [...cuts, ...this.#skip(rows, 'id_changed', why)];
    }
    if (twice.length > 0) return [...cuts, ...this.#duplicates(twice)];
    const comparison = compareOrder(foundRows(rows), evidence, horizon);
    const latest = horizon + this.#settings.grace + DAY;
    const ahead = rows.flatMap(({ created, changed }) => [created, changed]).find((time) => (time ?? 0) > latest);
    if (comparison.result === 'withinGrace' && ahead) {
      const why = `a time of the order is more than a day to come: ${new Date(ahead).toISOString()}`;
      return [...cuts, ...this.#skip(rows, 'order_malformed', why)];
    }
    if (comparison.result === 'unknown')
      return [...cuts, ...this.#skip(rows, comparison.reason, comparison.problem, true)];
    this.#totals[comparison.result === 'differs' ? 'differing' : comparison.result] += 1;
    return comparison.result === 'differs' ? [...cuts, ...comparison.findings] : cuts;
  }

  /** The invoices of another system have no order. */
  #noteStrangers(known: readonly OrderInvoice[], rows: readonly HeldRow[]): void {
    const ours = ofThisSystem(known, rows);
    for (const each of known) {
      if (!ours.includes(each) && isSince(each.held, this.#settings.since)) this.#orders.strangers.push(each.held);
    }
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

  async #compareStranger(held: HeldInvoice, reads: SingleReads, horizon: number): Promise<readonly Result[]> {
    const { uuid, external_id, currency } = held;
    if (this.#changed.has(asSpreadsheetsWrite(orderOf(external_id).order))) return [];
    const read = await reads.again(held, []);
    if ('is' in read) {
      if (read.is === 'moved') return []; // it changed just now: for the next run
      return [notCompared(read.reason, read.problem, `invoice ${uuid}`, external_id, null, currency)];
    }
    const comparison = compareWithoutOrder(read, horizon);
    if (comparison.result !== 'differs' || !isSince(read.held, this.#settings.since)) return [];
    this.#totals.invoicesWithoutOrder += 1;
    return comparison.findings;
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
