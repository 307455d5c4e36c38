import { instantFrom, isSameIdent, plainIdent } from '../contract/values/scalars.ts';
import {
  checkCallbacks,
  checkOptions,
  checkSignal,
  configurationFail,
  kindOf,
  namesOf,
  readCount,
} from '../errors/checks.ts';
import { AbortedError } from '../errors/classes.ts';
import { type AnyMerchantError, failsEveryCall, hasCode, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import { notify } from '../errors/notify.ts';
import { concurrently, untilAborted } from '../webhooks/catch-up/concurrently.ts';
import { lacksPayment } from '../webhooks/event/invoice-event.ts';
import {
  type Comparison,
  compareWithInvoice,
  compareWithoutInvoice,
  compareWithoutOrder,
  findingOf,
  readOrder,
} from './compare.ts';
import type {
  CurrencySummary,
  Finding,
  FindingKind,
  FoundOrder,
  InvalidInvoice,
  NotCompared,
  NotComparedReason,
  ReconcileClient,
  ReconcileInvoice,
  ReconcileOptions,
  ReconcileSummary,
  Reconciliation,
} from './types.ts';

// Reads the orders into a Map, walks the list of invoices once, and reads each order that differs singly before it is
// reported. The list alone decides nothing, because it may move, be late or be cut: an order is not called unpaid
// because the list did not show its invoice.

const fail = configurationFail('reconcile');
const NAMES = namesOf<ReconcileOptions>({
  merchant: true,
  orders: true,
  since: true,
  grace: true,
  signal: true,
  concurrency: true,
  onProgress: true,
  now: true,
});
const GRACE = 15 * 60_000;
const PER_PAGE = 100;
/** How many orders are read singly before their findings are yielded, in the order of the orders. */
const BATCH = 100;
/** After this many failed single reads, one after the other, the service counts as down. */
const FAILED_READS_MAX = 10;

/**
 * Compares the orders of a shop with the invoices of the service, and yields the differences in the order of `orders`, then
 * the invoices without an order. It changes nothing.
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
  return new Run(readOptions(options));
}

interface Settings extends Pick<ReconcileOptions, 'merchant' | 'orders' | 'onProgress' | 'now'> {
  readonly signal: AbortSignal | undefined;
  readonly concurrency: number;
  readonly grace: number;
  readonly from: number;
}

function readOptions(options: ReconcileOptions): Settings {
  checkOptions('options', options, NAMES, fail);
  const { merchant, orders, since, grace = GRACE, signal, onProgress, now } = options;
  const { list, get } = (merchant as Partial<ReconcileClient> | null)?.invoices ?? {}; // checked here
  if (typeof list !== 'function' || typeof get !== 'function') fail('merchant must be a MerchantClient');
  if (typeof orders !== 'object' || orders === null || !(Symbol.iterator in orders || Symbol.asyncIterator in orders)) {
    fail(`orders must be an iterable or async iterable of orders, not ${kindOf(orders)}`);
  }
  const from = since === undefined ? 0 : instantFrom(since);
  if (from === null) fail('since must be a Date, milliseconds since 1970 or ISO 8601 text');
  if (typeof grace !== 'number' || !(grace >= 0))
    fail(`grace must be a number of milliseconds from 0, not ${kindOf(grace)}`);
  checkSignal('signal', signal, fail);
  checkCallbacks({ onProgress, now }, fail);
  const concurrency = readCount('concurrency', options.concurrency, { byDefault: 4, min: 1, max: 32 }, fail);
  return { merchant, orders, signal, onProgress, now, concurrency, grace, from: from ?? 0 };
}

/** An order, and what the list has shown about its invoice. */
interface Entry {
  readonly order: FoundOrder;
  /** The number of orders with this id. */
  count: number;
  /** The uuid of its invoice, or null if the list has not shown one. */
  uuid: string | null;
  /** The listed invoice, kept while it differs. */
  invoice: ReconcileInvoice | null;
  /** True if the listed invoice agrees with the order. */
  isMatched: boolean;
  /** True if the list has shown several invoices with this external_id. */
  hasSeveral: boolean;
  /** True if another order has the same invoice: one of the two gives its external_id, and the other its uuid. */
  sharesInvoice: boolean;
  /** True if the list has shown a row with this external_id that cannot be read. */
  isListedUnreadable: boolean;
}

type Result = Finding | NotCompared;
/**
 * The result of a single read: the invoice, or why it cannot be compared. `absent`: the service does not find it.
 * `refused`: the service does not accept the id. `unread`: the read failed. `malformed`: the response cannot be
 * decoded.
 */
type Reading =
  | { readonly invoice: ReconcileInvoice }
  | { readonly without: 'absent' | 'refused' }
  | { readonly without: 'unread' | 'malformed'; readonly problem: string };
type Counts = { -readonly [Name in keyof Omit<CurrencySummary, 'currency' | 'findings'>]: number } & {
  findings: Partial<Record<FindingKind, number>>;
};

class Run implements Reconciliation {
  readonly #settings: Settings;
  /** By the id of the order. A uuid is compared in its plain form. */
  readonly #entries = new Map<string, Entry>();
  /** The orders, and the rows that could not be read as one, in the order of `orders`. */
  readonly #rows: (Entry | NotCompared)[] = [];
  /** The ids of orders that cannot be compared. Their invoices are not reported as ones without an order. */
  readonly #badOrders = new Set<string>();
  readonly #invoicesWithoutOrder: ReconcileInvoice[] = [];
  readonly #totals = { orders: 0, invoices: 0, differing: 0, ordersNotCompared: 0, invoicesWithoutOrder: 0 };
  readonly #currencies = new Map<string | null, Counts>();
  /** What changed after this time is left for the next run. */
  #horizon = 0;
  /** False once something shows that the list misses invoices. That is reported once. */
  #isListWhole = true;
  /** The oldest listed invoice. */
  #oldest: ReconcileInvoice | null = null;
  /** Whether the service finds the oldest listed invoice by its external_id. Null until it is asked. */
  #readsByExternalId: Promise<boolean> | null = null;
  /** Failed single reads since the last one that succeeded. */
  #failedInARow = 0;
  #state: 'new' | 'running' | 'complete' = 'new';
  #failure: { readonly error: unknown } | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    if (this.#state !== 'new') fail('a run is read once, by one loop or by its summary. Call reconcile again');
    this.#state = 'running';
    const { signal } = this.#settings;
    try {
      for await (const entry of this.#results()) yield this.#counted(entry);
      this.#state = 'complete';
    } catch (error) {
      this.#failure = { error: signal?.aborted ? aborted(signal) : error };
      throw this.#failure.error;
    }
  }

  async summary(): Promise<ReconcileSummary> {
    if (this.#state === 'new') for await (const _ of this) void _; // the entries are counted
    if (this.#failure !== null) throw this.#failure.error;
    const currencies = [...this.#currencies]
      .sort(([a], [b]) => ((a ?? '\uffff') < (b ?? '\uffff') ? -1 : 1))
      .map(([currency, counts]) => ({ currency, ...counts }));
    const sum = (of: (counts: Counts) => number): number => currencies.reduce((total, each) => total + of(each), 0);
    return {
      complete: this.#state === 'complete',
      ...this.#totals,
      matched: sum(({ matched }) => matched),
      withinGrace: sum(({ withinGrace }) => withinGrace),
      findings: sum(({ findings }) => Object.values(findings).reduce((total, count) => total + count, 0)),
      notCompared: sum(({ notCompared }) => notCompared),
      currencies,
    };
  }

  async *#results(): AsyncGenerator<Result, void, undefined> {
    this.#settings.signal?.throwIfAborted();
    await this.#readOrders();
    yield* await this.#walk();
    const open = this.#rows.filter((row) => 'kind' in row || !this.#isMatched(row));
    yield* this.#inOrder(open, (row) => ('kind' in row ? [row] : this.#compareOrder(row)));
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
      if (known !== undefined) known.count += 1;
      else {
        const entry = {
          order,
          count: 1,
          uuid: null,
          invoice: null,
          isMatched: false,
          hasSeveral: false,
          sharesInvoice: false,
          isListedUnreadable: false,
        };
        this.#entries.set(id, entry);
        this.#rows.push(entry);
      }
    }
  }

  /**
   * Walks the list once: marks the orders that agree, and keeps the invoices that differ. Returns what could not be
   * listed.
   */
  async #walk(): Promise<NotCompared[]> {
    const { merchant, onProgress, signal, now, grace } = this.#settings;
    const problems: NotCompared[] = [];
    const invalid = new Set<string>();
    let [total, pages, joined] = [0, 0, 0];
    const onInvalidItem = ({ page, index, path, raw }: InvalidInvoice): void => {
      const { uuid, external_id } = (raw ?? {}) as Readonly<Record<string, unknown>>; // whatever the row holds
      const name = typeof uuid === 'string' ? uuid : `row ${index + 1} of page ${page}`;
      if (invalid.has(name)) return; // its page was read again
      invalid.add(name);
      const id = typeof external_id === 'string' ? external_id : null;
      const entry = id === null ? undefined : this.#entries.get(plainIdent(id));
      if (entry !== undefined) entry.isListedUnreadable = true;
      if (id !== null && this.#knows(id)) return; // its order is read singly, or was reported as one that cannot be read
      problems.push(notCompared('invoice_malformed', `it cannot be read at "${path}"`, `invoice ${name}`, id));
    };
    try {
      const rows = merchant.invoices.list({ per_page: PER_PAGE }, { signal, onInvalidItem });
      this.#horizon = (now?.() ?? (await timeOf(rows))) - grace;
      for await (const { items, total_items } of rows.pages()) {
        if (pages > 0) joined += Math.max(0, total_items - total); // created meanwhile: the walk need not find them
        total = total_items;
        pages += 1;
        for (const invoice of items) this.#takeListed(invoice);
        const expected = Math.max(pages, Math.ceil(total / PER_PAGE));
        notify(() => onProgress?.({ phase: 'invoices', done: pages, total: expected }));
      }
    } catch (error) {
      if (!hasCode(error, 'SDK_PAGE')) throw error;
      this.#isListWhole = false;
      problems.push(notCompared('invoices_not_listed', error.message, 'the list', null));
    }
    const seen = this.#totals.invoices + invalid.size;
    if (this.#isListWhole && seen < total - joined) {
      const problem = `the list showed ${seen} invoices, and the service counts ${total}`;
      problems.push(this.#listIsCut(problem));
    }
    return problems;
  }

  /** Returns the report that the list misses invoices. */
  #listIsCut(problem: string): NotCompared {
    this.#isListWhole = false;
    return notCompared('invoices_not_listed', `${problem}: invoices without an order may be missing`, 'the list', null);
  }

  #knows(ident: string): boolean {
    return this.#entries.has(plainIdent(ident)) || this.#badOrders.has(plainIdent(ident));
  }

  /** Compares a listed invoice with its order, or keeps it as one without an order. */
  #takeListed(invoice: ReconcileInvoice): void {
    this.#totals.invoices += 1;
    const { external_id, uuid, created_at } = invoice;
    if (this.#oldest === null || created_at < this.#oldest.created_at) this.#oldest = invoice;
    // The id of an order may be the uuid of its invoice.
    const byUuid = this.#entries.get(plainIdent(uuid));
    const entry = this.#entries.get(plainIdent(external_id)) ?? byUuid;
    if (entry !== undefined && byUuid !== undefined && entry !== byUuid) {
      entry.sharesInvoice = true;
      byUuid.sharesInvoice = true;
    }
    if (entry === undefined) {
      const isReported = created_at.getTime() >= this.#settings.from && !this.#knows(external_id) && !this.#knows(uuid);
      if (isReported && compareWithoutOrder(invoice, this.#horizon).result !== 'matched')
        this.#invoicesWithoutOrder.push(invoice);
      return;
    }
    if (entry.uuid !== null && entry.uuid !== uuid) entry.hasSeveral = true;
    entry.uuid = uuid;
    entry.isMatched = compareWithInvoice(entry.order, invoice, this.#horizon, false).result === 'matched';
    entry.invoice = entry.isMatched ? null : invoice;
  }

  /** True for an order that agrees with its listed invoice. Counts it. */
  #isMatched({ order, count, isMatched, hasSeveral, sharesInvoice }: Entry): boolean {
    if (!isMatched || hasSeveral || sharesInvoice || count > 1) return false;
    this.#countsOf(order.currency).matched += 1;
    return true;
  }

  /** Works on several items at once, and yields their results in the order of the items. */
  async *#inOrder<Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<readonly Result[]> | readonly Result[],
  ): AsyncGenerator<Result, void, undefined> {
    const { signal, onProgress } = this.#settings;
    for (let at = 0; at < items.length; at += BATCH) {
      const batch = items.slice(at, at + BATCH);
      const results = batch.map((): readonly Result[] => []);
      let done = at;
      await concurrently(batch.entries(), this.#settings, async ([index, item]) => {
        results[index] = await work(item);
        done += 1;
        notify(() => onProgress?.({ phase: 'orders', done, total: items.length }));
      });
      for (const entry of results.flat()) {
        yield entry;
        signal?.throwIfAborted();
      }
    }
  }

  async #compareOrder(entry: Entry): Promise<Result[]> {
    const { order, count, invoice: listed } = entry;
    const { external_id, currency, place } = order;
    const leaveOut = (reason: NotComparedReason, problem: string): Result[] => {
      this.#totals.ordersNotCompared += count;
      return [notCompared(reason, problem, place, external_id, currency)];
    };
    if (entry.hasSeveral) return leaveOut('several_invoices', 'several invoices have this external_id');
    if (count > 1 || entry.sharesInvoice) {
      this.#totals.differing += count;
      const action = 'Keep one order for this invoice: one payment must not fulfil two.';
      const actual = Math.max(2, count);
      const difference = { kind: 'duplicate_order', expected: 1, actual, difference: null, action } as const;
      return [findingOf(difference, true, order, null)];
    }
    const reading = listed === null ? await this.#search(external_id) : await this.#readAgain(listed);
    if ('problem' in reading) {
      return leaveOut(reading.without === 'malformed' ? 'invoice_malformed' : 'invoice_not_read', reading.problem);
    }
    const results: Result[] = [];
    const fresh = 'invoice' in reading ? reading.invoice : null;
    const isUnlisted = listed === null && !entry.isListedUnreadable && this.#isListWhole;
    if (isUnlisted && fresh !== null && fresh.created_at.getTime() <= this.#horizon) {
      results.push(this.#listIsCut(`the list did not show the invoice ${fresh.uuid}, which a single read found`));
    }
    // A single read in the creation form does not say what was paid, so it does not replace the listed invoice.
    const isShort = fresh !== null && lacksPayment(fresh);
    if (isShort && listed?.status !== fresh.status) {
      if (listed !== null) return this.#counting('withinGrace', currency); // it was paid after it was listed
      const problem = 'the single read does not say what was paid, and the list does not show it';
      return [...results, ...leaveOut('invoice_not_read', problem)];
    }
    const invoice = isShort ? listed : (fresh ?? listed);
    const isUnread = invoice === null && 'without' in reading && reading.without === 'refused';
    if (isUnread && !(this.#isListWhole && order.state === 'open')) {
      const problem =
        'the service reads no invoice by this id, and the list does not show it. Give the uuid of the invoice';
      return leaveOut('invoice_not_read', problem);
    }
    const mayLag =
      invoice?.status === 'pending' && invoice.expires_at.getTime() > this.#horizon && order.changed_at === null;
    const isConfirmed = invoice === null ? !isUnread : fresh !== null && !mayLag;
    const comparison =
      invoice === null
        ? compareWithoutInvoice(order, this.#horizon)
        : compareWithInvoice(order, invoice, this.#horizon, isConfirmed);
    if (comparison.result === 'malformed') return [...results, ...leaveOut('invoice_malformed', comparison.problem)];
    if (comparison.result !== 'differs') return [...results, ...this.#counting(comparison.result, currency)];
    this.#totals.differing += 1;
    return [...results, ...findingsOf(comparison, isConfirmed, order, invoice)];
  }

  /** Counts an order without a finding. Returns no results. */
  #counting(as: 'matched' | 'withinGrace', currency: string): [] {
    this.#countsOf(currency)[as] += 1;
    return [];
  }

  async #compareInvoice(listed: ReconcileInvoice): Promise<Result[]> {
    const reading = await this.#readAgain(listed);
    const fresh = 'invoice' in reading && !lacksPayment(reading.invoice) ? reading.invoice : null;
    const invoice = fresh ?? listed;
    const comparison = compareWithoutOrder(invoice, this.#horizon);
    if (comparison.result === 'malformed') {
      const { uuid, external_id, currency } = invoice;
      const code = currency.code.toUpperCase();
      return [notCompared('invoice_malformed', comparison.problem, `invoice ${uuid}`, external_id, code)];
    }
    if (comparison.result !== 'differs') return [];
    this.#totals.invoicesWithoutOrder += 1;
    return findingsOf(comparison, fresh !== null, null, invoice);
  }

  /** Reads a listed invoice again, by its uuid, or by its external_id if the service does not accept the uuid. */
  async #readAgain({ uuid, external_id }: ReconcileInvoice): Promise<Reading> {
    for (const ident of [uuid, external_id]) {
      const reading = await this.#read(ident);
      if ('problem' in reading || ('invoice' in reading && reading.invoice.uuid === uuid)) return reading;
    }
    return { without: 'refused' };
  }

  /**
   * Looks for an invoice that the list did not show. The interface does not say which ids a read accepts, so "not
   * found" is believed only if a listed invoice is found by its external_id: the oldest one, because a replica may not
   * have a new one.
   */
  async #search(ident: string): Promise<Reading> {
    const reading = await this.#read(ident);
    if ('invoice' in reading) {
      const { external_id, uuid } = reading.invoice;
      const isRequested = external_id === ident || isSameIdent(uuid, ident);
      return isRequested ? reading : { without: 'refused' };
    }
    const known = this.#oldest;
    if (reading.without !== 'absent' || known === null) return reading;
    this.#readsByExternalId ??= this.#read(known.external_id).then(
      (found) => 'invoice' in found && found.invoice.uuid === known.uuid,
    );
    return (await this.#readsByExternalId) ? reading : { without: 'refused' };
  }

  /** Reads one invoice. Throws after ten failed reads in a row, because the service is down. */
  async #read(ident: string): Promise<Reading> {
    try {
      const invoice = await this.#settings.merchant.invoices.get(ident, { signal: this.#settings.signal });
      this.#failedInARow = 0;
      return { invoice };
    } catch (error) {
      if (!isMerchantError(error) || this.#settings.signal?.aborted || failsEveryCall(error)) throw error;
      const reading = readingWithout(error);
      if (reading.without === 'unread') this.#failedInARow += 1;
      else if (error.kind !== 'server') this.#failedInARow = 0;
      if (this.#failedInARow >= FAILED_READS_MAX) throw error;
      return reading;
    }
  }

  /** Counts a result, and returns it. */
  #counted(entry: Result): Result {
    const counts = this.#countsOf(entry.currency);
    if (entry.kind === 'not_compared') counts.notCompared += 1;
    else counts.findings[entry.kind] = (counts.findings[entry.kind] ?? 0) + 1;
    return entry;
  }

  #countsOf(currency: string | null): Counts {
    const counts = this.#currencies.get(currency) ?? { matched: 0, withinGrace: 0, notCompared: 0, findings: {} };
    this.#currencies.set(currency, counts);
    return counts;
  }
}

/** Returns why a single read gave no invoice. */
function readingWithout(error: AnyMerchantError): Exclude<Reading, { readonly invoice: ReconcileInvoice }> {
  if (error.kind === 'not_found') return { without: 'absent' };
  if (isRefusedIdent(error)) return { without: 'refused' };
  return error.kind === 'unexpected_response'
    ? { without: 'malformed', problem: 'the invoice is not as the interface says' }
    : { without: 'unread', problem: `the invoice could not be read: ${error.code}` };
}

function findingsOf(
  comparison: Extract<Comparison, { result: 'differs' }>,
  isConfirmed: boolean,
  order: FoundOrder | null,
  invoice: ReconcileInvoice | null,
): Finding[] {
  return comparison.differences.map((difference) => findingOf(difference, isConfirmed, order, invoice));
}

/** Returns the time of the service, from the Date header of the first page: `created_at` is by the same clock. */
async function timeOf(list: ReturnType<ReconcileClient['invoices']['list']>): Promise<number> {
  const header = (await list.withResponse?.())?.response.headers.get('date') ?? '';
  const time = Date.parse(header);
  return Number.isNaN(time) ? Date.now() : time;
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
