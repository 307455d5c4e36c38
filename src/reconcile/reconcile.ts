import { notify } from '../callbacks.ts';
import { AbortedError } from '../errors/classes.ts';
import { isMerchantError } from '../errors/guards.ts';
import { Comparison, type Result } from './compare/comparison.ts';
import { SecondReading } from './compare/second-reading.ts';
import type { Finding, NotCompared } from './findings.ts';
import { type ReconcileOptions, type ReconcileProgress, readSettings, type Settings } from './options.ts';
import { readInvoices } from './read/invoices.ts';
import { ListCheck } from './read/list-check.ts';
import { badOrder } from './read/lookup.ts';
import { BadOrder, readOrder } from './read/order-row.ts';
import { Partitions } from './rows/partitions.ts';
import type { InvoiceRow } from './rows/rows.ts';
import { type ReconcileSummary, Tally } from './summary.ts';

/**
 * A run of {@link reconcile}. It begins when it is iterated or its summary is awaited, and can be iterated once. Leaving the
 * loop ends the requests in flight and removes the files.
 */
export interface Reconciliation extends AsyncIterable<Finding | NotCompared> {
  /**
   * Resolves with the counts when the loop has ended. Without a loop it reads everything itself.
   * @throws MerchantError that ended the run, also if the loop has thrown it.
   * @example
   * const { matched, findings } = await run.summary();
   */
  summary(): Promise<ReconcileSummary>;
}

/**
 * Compares the orders of a shop with the invoices of the service, and yields the differences.
 *
 * Orders are read first, then invoices, and both are held until they are compared: in memory, or in files beyond
 * `maxInMemory` rows. Invoices that ended less than `grace` ago are left to their webhook. Before a finding is reported, both
 * sides are read again, so that nothing is invented while invoices move.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const run = reconcile({ merchant, orders, lookup });
 * for await (const finding of run) {
 *   if (finding.kind === 'paid_not_fulfilled') alertOperator(`${finding.external_id}: ${finding.action}`);
 * }
 * const { currencies } = await run.summary();
 */
export function reconcile(options: ReconcileOptions): Reconciliation {
  return new Run(readSettings(options));
}

class Run implements Reconciliation {
  readonly #settings: Settings;
  readonly #tally = new Tally();
  readonly #entries: AsyncGenerator<Result, void, undefined>;
  readonly #ended: Promise<ReconcileSummary>;
  #end: (summary: ReconcileSummary) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #hasBegun = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#entries = this.#run();
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.#ended.catch(() => {}); // the loop throws the same error
  }

  [Symbol.asyncIterator](): AsyncIterator<Finding | NotCompared> {
    this.#hasBegun = true;
    return this.#entries;
  }

  async summary(): Promise<ReconcileSummary> {
    if (!this.#hasBegun) for await (const _ of this) void _; // the entries are counted
    return this.#ended;
  }

  async *#run(): AsyncGenerator<Result, void, undefined> {
    const { signal } = this.#settings;
    const requests = new AbortController();
    const onAbort = (): void => requests.abort(signal?.reason);
    const rows = new Partitions(this.#settings.maxInMemory, this.#settings.folder);
    let isComplete = false;
    try {
      signal?.addEventListener('abort', onAbort, { once: true });
      for await (const entry of this.#entriesOf(rows, requests.signal)) {
        this.#tally.add(entry);
        yield entry;
      }
      isComplete = true;
    } catch (error) {
      const reported = signal?.aborted && !isMerchantError(error) ? aborted(signal) : error;
      this.#fail(reported);
      throw reported;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      requests.abort();
      await rows.remove();
      this.#end(this.#tally.summary(isComplete));
    }
  }

  async *#entriesOf(rows: Partitions, requests: AbortSignal): AsyncGenerator<Result, void, undefined> {
    const reading = new SecondReading(this.#settings.merchant, requests);
    const comparison = new Comparison(this.#settings, this.#tally, reading, requests);
    yield* this.#readOrders(rows);
    const check = new ListCheck(this.#settings);
    yield* this.#readInvoices(rows, reading, check, requests);
    let done = 0;
    for await (const group of rows.groups()) {
      this.#goOn();
      for await (const entry of comparison.compare(group.rows)) {
        this.#goOn();
        yield entry;
      }
      done += group.count;
      this.#report('comparison', done, rows.count);
    }
    yield* check.shortage(this.#tally.invoices);
    yield* this.#walkAgain(comparison, requests);
  }

  async *#readOrders(rows: Partitions): AsyncGenerator<Result, void, undefined> {
    for await (const order of this.#settings.orders ?? []) {
      this.#goOn();
      this.#tally.orders += 1;
      const row = readOrder(order, `row ${this.#tally.orders}`);
      const written = row instanceof BadOrder ? null : rows.add(row);
      if (row instanceof BadOrder) yield badOrder(row);
      if (written !== null) await written;
      if (this.#tally.orders % 100 === 0) this.#report('orders', this.#tally.orders, null);
    }
  }

  async *#readInvoices(
    rows: Partitions,
    reading: SecondReading,
    check: ListCheck,
    requests: AbortSignal,
  ): AsyncGenerator<Result, void, undefined> {
    for (const status of this.#settings.statuses) {
      this.#goOn();
      for await (const { rows: found, unread, page } of readInvoices(this.#settings, status, requests)) {
        this.#goOn();
        yield* unread;
        check.take(page, unread.length);
        for (const row of found) {
          reading.know(row);
          const written = rows.add(row);
          if (written !== null) await written;
        }
        this.#report('invoices', page.page, page.total_pages);
      }
    }
  }

  /** Looks for the invoices that a read by `external_id` could neither show nor deny. */
  async *#walkAgain(comparison: Comparison, requests: AbortSignal): AsyncGenerator<Result, void, undefined> {
    const { unread } = comparison;
    if (unread.size === 0) return;
    const found = new Map<string, InvoiceRow | 'malformed'>();
    let isBlind = false;
    const whole = { ...this.#settings, since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    for await (const page of readInvoices(whole, undefined, requests)) {
      this.#goOn();
      for (const row of page.rows) if (unread.has(row.id)) found.set(row.id, row);
      for (const { external_id } of page.unread) {
        if (external_id === null) isBlind = true;
        else found.set(external_id, 'malformed');
      }
    }
    for (const order of unread.values()) {
      const invoice = found.get(order.id) ?? null;
      yield* isBlind && invoice === null ? comparison.giveUp(order) : comparison.afterWalk(order, invoice);
    }
  }

  #goOn(): void {
    const { signal } = this.#settings;
    if (signal?.aborted) throw aborted(signal);
  }

  #report(phase: ReconcileProgress['phase'], done: number, total: number | null): void {
    notify(() => this.#settings.onProgress?.({ phase, done, total, findings: this.#tally.findings }));
  }
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
