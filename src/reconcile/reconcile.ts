import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  configurationFail,
  kindOf,
  namesOf,
  readCount,
} from '../checks.ts';
import { instantFrom } from '../contract/values/instants.ts';
import { AbortedError } from '../errors/classes.ts';
import { hasCode, isMerchantError, isRefusedIdent } from '../errors/guards.ts';
import { notify } from '../notify.ts';
import { lacksItsEnd } from '../webhooks/event/invoice-event.ts';
import {
  type Finding,
  type FindingKind,
  type FoundOrder,
  findingOf,
  judge,
  type ReconcileInvoice,
  type ReconcileOrder,
  readOrder,
  type UnreadableOrder,
} from './compare.ts';

// Reads the orders into a Map, walks the list of invoices once, and reads each suspect singly before it is reported. The list
// decides nothing alone: it may move, lag or be cut. What it does not show is read singly.

interface InvoicePage {
  readonly items: readonly ReconcileInvoice[];
  /** How many invoices the service counts. */
  readonly total_items: number;
}

interface InvalidInvoice {
  readonly page: number;
  readonly index: number;
  readonly path: string;
  readonly raw: unknown;
}

/** The part of a `MerchantClient` that `reconcile` needs. */
export interface ReconcileClient {
  readonly invoices: {
    /** Walks all invoices, page by page. */
    list(
      query: { readonly per_page: number },
      options: {
        readonly signal?: AbortSignal | undefined;
        readonly onInvalidItem: (item: InvalidInvoice) => void;
      },
    ): { pages(): AsyncIterable<InvoicePage> };
    /** Reads one invoice by its uuid or external_id. */
    get(ident: string, options: { readonly signal?: AbortSignal | undefined }): PromiseLike<ReconcileInvoice>;
  };
}

/** A row of the shop. */
type Row = ReconcileOrder | UnreadableOrder;

/**
 * Options of {@link reconcile}.
 *
 * @example
 * const run = reconcile({ merchant, orders, since: Date.now() - 7 * 86_400_000 });
 */
export interface ReconcileOptions {
  /** A MerchantClient. */
  readonly merchant: ReconcileClient;
  /** The orders, in any order and from any source. They are held in memory, some 800 bytes each. */
  readonly orders: Iterable<Row> | AsyncIterable<Row>;
  /**
   * The time from which `orders` has all orders: a Date, milliseconds since 1970, or ISO 8601 text. An earlier invoice without
   * an order is no finding. The list is read to its end in any case. Default: `orders` has all.
   */
  readonly since?: Date | number | string | undefined;
  /**
   * What changed less than this many milliseconds before the run is left for the next one: a webhook under way, a replica of
   * the service that lags.
   * @defaultValue 900_000 (15 minutes)
   */
  readonly grace?: number | undefined;
  /** Ends the run. It then rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Single reads in flight, 1 to 32. @defaultValue 4 */
  readonly concurrency?: number | undefined;
  /** Called with the progress. Its errors change nothing. */
  readonly onProgress?: Callback<[progress: ReconcileProgress]> | undefined;
  /** The time of the run, in milliseconds since 1970. Default: the clock of this machine. */
  readonly now?: (() => number) | undefined;
}

/** The progress of a run: after each page of the list, and after each order that was read singly. */
export interface ReconcileProgress {
  /** `invoices`: the list is read. `orders`: orders and invoices are read singly, to confirm a difference. */
  readonly phase: 'invoices' | 'orders';
  /** Pages in the phase `invoices`, single reads in the phase `orders`. */
  readonly done: number;
  /** Expected in this phase. It may grow while pages are read. */
  readonly total: number;
}

/**
 * Why something could not be compared.
 *
 * - `order_malformed`: a member of the order cannot be read.
 * - `invoice_malformed`: the invoice cannot be decoded, contradicts itself or has an unknown status.
 * - `invoice_not_read`: the service could not say whether the order has an invoice, or what was paid.
 * - `several_invoices`: the service has several invoices with this `external_id`.
 * - `invoices_not_listed`: the list showed fewer invoices than the service counts.
 */
export type NotComparedReason =
  | 'order_malformed'
  | 'invoice_malformed'
  | 'invoice_not_read'
  | 'several_invoices'
  | 'invoices_not_listed';

/** Something that could not be compared. It comes among the findings, so that nothing is dropped silently. */
export interface NotCompared {
  readonly kind: 'not_compared';
  /** Null if the row has no readable id. */
  readonly external_id: string | null;
  /** In upper case. Null if unknown. */
  readonly currency: string | null;
  /** Why. See {@link NotComparedReason}. */
  readonly reason: NotComparedReason;
  /** The problem, as a sentence. */
  readonly problem: string;
  /** Where it stood, such as `line 17`, `row 16` or `the list`. */
  readonly place: string;
}

/** The counts of one currency. */
export interface CurrencySummary {
  /** In upper case. Null for what has none, such as an order that cannot be read. */
  readonly currency: string | null;
  /** As in {@link ReconcileSummary}. */
  readonly matched: number;
  readonly withinGrace: number;
  readonly notCompared: number;
  /** The number of findings of each kind that occurred. */
  readonly findings: Readonly<Partial<Record<FindingKind, number>>>;
}

/**
 * The result of a run. Each order is counted once: `orders` is the sum of `matched`, `withinGrace`, `differing` and
 * `ordersNotCompared`.
 */
export interface ReconcileSummary {
  /** True if the run was read to its end. */
  readonly complete: boolean;
  /** Orders read, also those that cannot be compared. */
  readonly orders: number;
  /** Invoices that the list showed. */
  readonly invoices: number;
  /** Orders that agree with their invoice, or need none. */
  readonly matched: number;
  /** Orders whose difference is younger than `grace`. */
  readonly withinGrace: number;
  /** Orders with a finding. An order may have several findings. */
  readonly differing: number;
  /** Orders that could not be compared. */
  readonly ordersNotCompared: number;
  /** Invoices without an order that are findings. */
  readonly invoicesWithoutOrder: number;
  /** Findings of all kinds. */
  readonly findings: number;
  /** Entries of the kind `not_compared`. */
  readonly notCompared: number;
  /** Sorted by currency, the one without a currency last. */
  readonly currencies: readonly CurrencySummary[];
}

/** A run of {@link reconcile}. It begins when it is iterated or its summary is awaited, and a second loop is refused. */
export interface Reconciliation extends AsyncIterable<Finding | NotCompared> {
  /**
   * Resolves with the counts when the loop has ended. Without a loop it reads everything itself.
   * @throws MerchantError that ended the run.
   * @example
   * const { matched, findings } = await run.summary();
   */
  summary(): Promise<ReconcileSummary>;
}

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

/**
 * Compares the orders of a shop with the invoices of the service, and yields the differences in the order of `orders`, then
 * the invoices without an order. It reads only.
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
  const run = new Run(readOptions(options));
  const entries = run.entries();
  let hasBegun = false;
  const begin = (): void => {
    if (hasBegun) fail('a run is read once, by one loop or by its summary. Call reconcile again');
    hasBegun = true;
  };
  return {
    [Symbol.asyncIterator]() {
      let isMine = false;
      return {
        async next() {
          if (!isMine) begin();
          isMine = true;
          return await entries.next();
        },
        async return() {
          if (isMine || !hasBegun) {
            await entries.return(undefined);
            run.end(false); // also where the loop was left before it began
          }
          return { done: true, value: undefined };
        },
      };
    },
    async summary() {
      if (!hasBegun) {
        begin();
        for await (const _ of entries) void _; // the entries are counted
      }
      return await run.ended;
    },
  };
}

interface Settings extends Pick<ReconcileOptions, 'merchant' | 'orders' | 'signal' | 'onProgress'> {
  readonly concurrency: number;
  /** What changed after this time is left for the next run. */
  readonly horizon: number;
  readonly from: number;
}

function readOptions(options: ReconcileOptions): Settings {
  checkOptions('options', options, NAMES, fail);
  const { merchant, orders, since, grace = GRACE, signal, onProgress, now = Date.now } = options;
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
  return { merchant, orders, signal, onProgress, concurrency, horizon: now() - grace, from: from ?? 0 };
}

/** What the walk has shown of an order. */
interface Entry {
  readonly order: FoundOrder;
  /** The number of orders with this id. */
  count: number;
  /** The uuid of its invoice, or null if the list has not shown one. */
  uuid: string | null;
  /** The listed invoice, kept while it differs. */
  invoice: ReconcileInvoice | null;
  isMatched: boolean;
  hasSeveral: boolean;
}

type Result = Finding | NotCompared;
type Reading = ReconcileInvoice | 'absent' | 'refused' | 'malformed';
type Counts = { -readonly [Name in keyof Omit<CurrencySummary, 'currency' | 'findings'>]: number } & {
  findings: Partial<Record<FindingKind, number>>;
};

const PER_PAGE = 100;

class Run {
  readonly #settings: Settings;
  readonly #entries = new Map<string, Entry>();
  /** Orders, and what could not be read as one, in the order of the file. */
  readonly #rows: (Entry | NotCompared)[] = [];
  /** Ids of orders that cannot be compared: their invoices are not without an order. */
  readonly #badOrders = new Set<string>();
  /** Invoices without an order. */
  readonly #strangers: ReconcileInvoice[] = [];
  readonly #totals = { orders: 0, invoices: 0, differing: 0, ordersNotCompared: 0, invoicesWithoutOrder: 0 };
  readonly #currencies = new Map<string | null, Counts>();
  #isListWhole = true;
  #oldest: ReconcileInvoice | null = null;
  #readsByExternalId: Promise<boolean> | null = null;
  #resolve: (summary: ReconcileSummary) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  readonly ended: Promise<ReconcileSummary>;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ended.catch(() => {}); // the loop throws the same error
  }

  /** Settles the summary. The first call counts. */
  end(complete: boolean): void {
    const currencies = [...this.#currencies]
      .sort(([a], [b]) => ((a ?? '\uffff') < (b ?? '\uffff') ? -1 : 1))
      .map(([currency, counts]) => ({ currency, ...counts }));
    const sum = (of: (counts: Counts) => number): number => currencies.reduce((total, each) => total + of(each), 0);
    this.#resolve({
      complete,
      ...this.#totals,
      matched: sum(({ matched }) => matched),
      withinGrace: sum(({ withinGrace }) => withinGrace),
      findings: sum(({ findings }) => Object.values(findings).reduce((total, count) => total + count, 0)),
      notCompared: sum(({ notCompared }) => notCompared),
      currencies,
    });
  }

  async *entries(): AsyncGenerator<Result, void, undefined> {
    const { signal } = this.#settings;
    let isComplete = false;
    try {
      signal?.throwIfAborted();
      await this.#readOrders();
      for (const problem of await this.#walk()) yield this.#add(problem);
      const open = this.#rows.filter((row) => 'kind' in row || !this.#isMatched(row));
      yield* this.#inBatches(open, (row) => ('kind' in row ? [row] : this.#settle(row)));
      yield* this.#inBatches(this.#strangers, (invoice) => this.#settleStranger(invoice));
      isComplete = true;
    } catch (error) {
      const reported = signal?.aborted ? aborted(signal) : error;
      this.#reject(reported);
      throw reported;
    } finally {
      this.end(isComplete);
    }
  }

  async #readOrders(): Promise<void> {
    for await (const given of this.#settings.orders) {
      this.#settings.signal?.throwIfAborted();
      this.#totals.orders += 1;
      const order = readOrder(given, `row ${this.#totals.orders}`);
      if ('problem' in order) {
        this.#totals.ordersNotCompared += 1;
        this.#rows.push(notCompared('order_malformed', order.problem, order.place, order.external_id));
        if (order.external_id !== null) this.#badOrders.add(order.external_id);
        continue;
      }
      const known = this.#entries.get(order.external_id);
      if (known !== undefined) known.count += 1;
      else {
        const entry = { order, count: 1, uuid: null, invoice: null, isMatched: false, hasSeveral: false };
        this.#entries.set(order.external_id, entry);
        this.#rows.push(entry);
      }
    }
  }

  /** Walks the list once: marks what agrees, and keeps what differs. Returns what could not be listed. */
  async #walk(): Promise<NotCompared[]> {
    const { merchant, onProgress, signal } = this.#settings;
    const problems: NotCompared[] = [];
    const invalid = new Set<string>();
    let [total, pages] = [0, 0];
    const onInvalidItem = ({ page, index, path, raw }: InvalidInvoice): void => {
      const { uuid, external_id } = (raw ?? {}) as Readonly<Record<string, unknown>>; // whatever the row holds
      const name = typeof uuid === 'string' ? uuid : `row ${index + 1} of page ${page}`;
      if (invalid.has(name)) return; // its page was read again
      invalid.add(name);
      const id = typeof external_id === 'string' ? external_id : null;
      if (id !== null && (this.#entries.has(id) || this.#badOrders.has(id))) return; // read singly, or reported already
      problems.push(notCompared('invoice_malformed', `it cannot be read at "${path}"`, `invoice ${name}`, id));
    };
    try {
      const rows = merchant.invoices.list({ per_page: PER_PAGE }, { signal, onInvalidItem });
      for await (const { items, total_items } of rows.pages()) {
        total = total_items;
        pages += 1;
        for (const invoice of items) this.#see(invoice);
        const expected = Math.max(pages, Math.ceil(total / PER_PAGE));
        notify(() => onProgress?.({ phase: 'invoices', done: pages, total: expected }));
      }
    } catch (error) {
      if (!hasCode(error, 'SDK_PAGE')) throw error;
      this.#isListWhole = false;
      problems.push(notCompared('invoices_not_listed', error.message, 'the list', null));
    }
    const seen = this.#totals.invoices + invalid.size;
    if (this.#isListWhole && seen < total) {
      this.#isListWhole = false;
      const problem = `the list showed ${seen} invoices, and the service counts ${total}: invoices without an order may be missing`;
      problems.push(notCompared('invoices_not_listed', problem, 'the list', null));
    }
    return problems;
  }

  #see(invoice: ReconcileInvoice): void {
    this.#totals.invoices += 1;
    const { horizon, from } = this.#settings;
    if (this.#oldest === null || invoice.created_at < this.#oldest.created_at) this.#oldest = invoice;
    const entry = this.#entries.get(invoice.external_id);
    if (entry === undefined) {
      const isOurs = invoice.created_at.getTime() >= from && !this.#badOrders.has(invoice.external_id);
      if (isOurs && judge(null, invoice, horizon).ending !== 'matched') this.#strangers.push(invoice);
      return;
    }
    if (entry.uuid !== null && entry.uuid !== invoice.uuid) entry.hasSeveral = true;
    entry.uuid = invoice.uuid;
    entry.isMatched = judge(entry.order, invoice, horizon).ending === 'matched';
    entry.invoice = entry.isMatched ? null : invoice;
  }

  #isMatched({ order, count, isMatched, hasSeveral }: Entry): boolean {
    if (!isMatched || hasSeveral || count > 1) return false;
    this.#countsOf(order.currency).matched += 1;
    return true;
  }

  /** Works on several items at once, and yields their results in order. */
  async *#inBatches<Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<readonly Result[]> | readonly Result[],
  ): AsyncGenerator<Result, void, undefined> {
    const { concurrency, signal, onProgress } = this.#settings;
    for (let at = 0; at < items.length; at += concurrency) {
      const batch = items.slice(at, at + concurrency);
      const results = await Promise.all(batch.map(work));
      notify(() => onProgress?.({ phase: 'orders', done: at + batch.length, total: items.length }));
      for (const entry of results.flat()) {
        yield this.#add(entry);
        signal?.throwIfAborted();
      }
    }
  }

  #settle({ order, count, hasSeveral, invoice }: Entry): Promise<Result[]> | Result[] {
    if (hasSeveral) {
      this.#totals.ordersNotCompared += count;
      const problem = 'several invoices have this external_id';
      return [notCompared('several_invoices', problem, order.place, order.external_id, order.currency)];
    }
    if (count > 1) {
      this.#totals.differing += count;
      const action = 'Keep one order with this external_id: one payment must not fulfil two.';
      const difference = { kind: 'duplicate_order', expected: 1, actual: count, difference: null, action } as const;
      return [findingOf(difference, true, order, invoice)];
    }
    return this.#readAgain(order, invoice);
  }

  async #readAgain(order: FoundOrder, listed: ReconcileInvoice | null): Promise<Result[]> {
    const { external_id, currency, place } = order;
    const reading = listed === null ? await this.#search(external_id) : await this.#again(listed);
    const leaveOut = (reason: NotComparedReason, problem: string): Result[] => {
      this.#totals.ordersNotCompared += 1;
      return [notCompared(reason, problem, place, external_id, currency)];
    };
    const settle = (as: 'matched' | 'withinGrace'): [] => {
      this.#countsOf(currency)[as] += 1;
      return [];
    };
    if (reading === 'malformed') return leaveOut('invoice_malformed', 'the invoice is not as the interface says');
    if (reading === 'refused' && listed === null && !this.#isListWhole) {
      const problem = 'the service reads no invoice by this external_id, and the list is not whole';
      return leaveOut('invoice_not_read', problem);
    }
    const fresh = typeof reading === 'string' ? null : reading;
    // A single read in the creation form never replaces a full row.
    const isShort = fresh !== null && lacksItsEnd(fresh);
    if (isShort && listed?.status !== fresh.status) {
      if (listed !== null) return settle('withinGrace'); // it ended a moment ago
      return leaveOut('invoice_not_read', 'the single read does not say what was paid, and the list does not show it');
    }
    const invoice = isShort ? listed : (fresh ?? listed);
    const judgement = judge(order, invoice, this.#settings.horizon);
    if (judgement.ending === 'malformed') return leaveOut('invoice_malformed', judgement.problem);
    if (judgement.ending !== 'differs') return settle(judgement.ending);
    this.#totals.differing += 1;
    const isConfirmed = fresh !== null || (listed === null && reading === 'absent');
    return judgement.differences.map((difference) => findingOf(difference, isConfirmed, order, invoice));
  }

  async #settleStranger(listed: ReconcileInvoice): Promise<Result[]> {
    const reading = await this.#again(listed);
    const fresh = typeof reading === 'string' || lacksItsEnd(reading) ? null : reading;
    const invoice = fresh ?? listed;
    const judgement = judge(null, invoice, this.#settings.horizon);
    if (judgement.ending === 'malformed') {
      const { uuid, external_id, currency } = invoice;
      const place = `invoice ${uuid}`;
      return [notCompared('invoice_malformed', judgement.problem, place, external_id, currency.code.toUpperCase())];
    }
    if (judgement.ending !== 'differs') return [];
    this.#totals.invoicesWithoutOrder += 1;
    return judgement.differences.map((difference) => findingOf(difference, fresh !== null, null, invoice));
  }

  /** Reads a listed invoice again, by the id that the service accepts. */
  async #again({ uuid, external_id }: ReconcileInvoice): Promise<Reading> {
    for (const ident of [uuid, external_id]) {
      const reading = await this.#read(ident);
      if (reading === 'malformed' || (typeof reading === 'object' && reading.uuid === uuid)) return reading;
    }
    return 'refused';
  }

  /**
   * Looks for an invoice that the list did not show. The interface does not say which ids a read accepts, so "not found"
   * counts only if a listed invoice is found by its external_id: the oldest one, because a replica may lack a new one.
   */
  async #search(external_id: string): Promise<Reading> {
    const reading = await this.#read(external_id);
    if (typeof reading === 'object') return reading.external_id === external_id ? reading : 'refused';
    const known = this.#oldest;
    if (reading !== 'absent' || known === null) return reading;
    this.#readsByExternalId ??= this.#read(known.external_id).then(
      (found) => typeof found === 'object' && found.uuid === known.uuid,
    );
    return (await this.#readsByExternalId) ? 'absent' : 'refused';
  }

  async #read(ident: string): Promise<Reading> {
    try {
      return await this.#settings.merchant.invoices.get(ident, { signal: this.#settings.signal });
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      if (error.kind === 'not_found') return 'absent';
      if (error.kind === 'unexpected_response') return 'malformed';
      if (isRefusedIdent(error)) return 'refused';
      throw error;
    }
  }

  #add(entry: Result): Result {
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
