import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  type Fail,
  kindOf,
  namesOf,
  readCount,
} from '../../checks.ts';
import type { Invoice } from '../../contract/invoices.ts';
import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus } from '../../contract/statuses.ts';
import { instantFrom } from '../../contract/values/instants.ts';
import { isUuid, plainIdent } from '../../contract/values/scalars.ts';
import { AbortedError, ConfigurationError, WebhookVerificationError } from '../../errors/classes.ts';
import { isMerchantError, isRefusedIdent } from '../../errors/guards.ts';
import { notify } from '../../notify.ts';
import { eventOfInvoice, lacksItsEnd } from '../event/invoice-event.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { playEvent } from '../handle/play-event.ts';
import { Reporter, type WebhookReportReason } from '../handle/report.ts';
import { runWithTimeLimit } from '../handle/timing.ts';
import type { Ending, Verdict } from '../handle/verdict.ts';

// Plays the events that no webhook delivered. The merchant's database says which orders wait, and the service is asked about
// each of them. Nothing is inferred from the order, the times or the totals of a list, so nothing can be missed by it: an
// order that this run does not see as final still waits, and the next run asks again.

/** The members of an invoice that its event is built from. */
export type CatchUpInvoice = Pick<
  Invoice,
  'uuid' | 'external_id' | 'status' | 'amount' | 'finished_at' | 'settled_amount_usdt' | 'is_adjusted' | 'adjustment'
>;

/** Options of a read of a batch job. */
interface BatchReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: number | undefined;
  readonly retry?: { readonly maxRetryAfter: number } | undefined;
}

/** The part of a `MerchantClient` that `catchUp` needs. */
export interface CatchUpClient {
  readonly invoices: {
    /** Reads one invoice by its uuid or external_id. */
    get(ident: string, options: BatchReadOptions): PromiseLike<CatchUpInvoice>;
    /** Iterates over the invoices of a status. */
    list(
      query: { readonly status: 'pending' | FinalInvoiceStatus; readonly per_page: number },
      options: BatchReadOptions & {
        readonly onInvalidItem: (item: {
          readonly page: number;
          readonly index: number;
          readonly path: string;
          readonly raw: unknown;
        }) => void;
      },
    ): AsyncIterable<CatchUpInvoice>;
  };
}

/**
 * Options of `handler.catchUp`. Give `orders`, or `since` for a first run without them.
 *
 * @example
 * const waiting = db.prepare(`SELECT external_id FROM orders WHERE status = 'pending' ORDER BY created_at`).all();
 * await handler.catchUp(merchant, { orders: waiting.map((row) => String(row.external_id)) });
 */
export interface CatchUpOptions {
  /**
   * The external_ids or uuids of the orders that wait for money in your database, and of those that were canceled in the
   * last days, because an expired invoice may still be paid. They are read into memory first. Each is asked about once.
   */
  readonly orders?: Iterable<string> | AsyncIterable<string> | undefined;
  /**
   * Without `orders`, the lists of final invoices are read to their ends, and the invoices that finished at this time or
   * later are played: a Date, milliseconds since 1970, or ISO 8601 text (UTC if it has no offset). This costs one request
   * for each hundred invoices that the account ever had.
   */
  readonly since?: Date | number | string | undefined;
  /** Ends the run. No function begins afterwards, and the promise rejects with an AbortedError when the running ones have ended. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Orders that are read and played at the same time, 1 to 32. Two events of one order never are.
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /** Called after each order. Its errors change nothing. */
  readonly onProgress?: Callback<[progress: CatchUpProgress]> | undefined;
}

/** The result of `catchUp`: numbers of orders. `checked` is the sum of the others. */
export interface CatchUpResult {
  /** Orders that were asked about, each once. */
  readonly checked: number;
  /** Handled now. */
  readonly played: number;
  /** Done before, by a webhook or an earlier run. */
  readonly alreadyDone: number;
  /** The invoice is not final yet. */
  readonly open: number;
  /** The service has no invoice for this order, or does not accept this id. `onReport` names each: `unknown_order`. */
  readonly unknown: number;
  /** Being handled by another attempt, perhaps by a delivery. `onReport` names each. The next run sees how that ended. */
  readonly busy: number;
  /**
   * Not done: your function threw or took too long, the store failed, or the invoice could not be read or lacks a needed
   * value. `onReport` names each, with the error. The next run tries it again.
   */
  readonly failed: number;
}

/** The progress of `catchUp`. */
export interface CatchUpProgress extends CatchUpResult {
  /** The number of orders that were given, or null where the lists are read. */
  readonly total: number | null;
}

const OPERATION = 'handler.catchUp';
const PER_PAGE = 100;
/** More orders than a page of the pending list holds: walking that list first then saves requests. */
const WALK_FROM = 100;
/** So many reads in a row without an answer mean that the service is down: the run ends with the error. */
const MAX_UNANSWERED = 10;

/** A rate limit closes the whole client, for a minute at most. A batch job waits for it, because no customer does. */
const PATIENCE = { deadline: 120_000, retry: { maxRetryAfter: 60_000 } };

const NAMES = namesOf<CatchUpOptions>({
  orders: true,
  since: true,
  signal: true,
  concurrency: true,
  onProgress: true,
});

const fail: Fail = (problem) => {
  throw new ConfigurationError(`${OPERATION}: ${problem}.`, { operation: OPERATION });
};

/** Plays every final invoice of these orders that is not done through the merchant's functions. */
export async function catchUp<Extra extends object>(
  merchant: CatchUpClient,
  options: CatchUpOptions | undefined,
  settings: HandlerSettings<Extra>,
): Promise<CatchUpResult> {
  const { get, list } = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices ?? {}; // checked here
  if (typeof get !== 'function' || typeof list !== 'function') fail('needs a MerchantClient, which reads the invoices');
  const given = options ?? {};
  checkOptions('options', given, NAMES, fail);
  const { orders, since, signal, onProgress } = given;
  checkSignal('signal', signal, fail);
  checkCallbacks({ onProgress }, fail);
  const concurrency = readCount('concurrency', given.concurrency, { byDefault: 4, min: 1, max: 32 }, fail);
  const forgot = settings.store.forgot?.() ?? null;
  if (forgot !== null) fail(`${forgot} Use a store that keeps its records`);
  if (orders === undefined && since === undefined) {
    fail(
      'needs { orders }: the ids of the orders that wait in your database. Without them, give { since }: the oldest finished_at to play',
    );
  }
  if (orders !== undefined && since !== undefined) fail('has orders and since: with orders, leave since out');
  const run = new Run(merchant, settings, { signal, concurrency, onProgress });
  try {
    if (orders === undefined) await run.playLists(parseSince(since, settings.store.retention, settings.verify.now()));
    else await run.playOrders(await readOrders(orders));
    if (!signal?.aborted) return { ...run.counts };
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  throw new AbortedError({
    code: 'SDK_ABORTED',
    message: `${OPERATION}: aborted by the caller's signal. The played events are done. Run it again for the rest.`,
    operation: OPERATION,
    outcome: run.counts.played + run.counts.failed === 0 ? 'not_sent' : 'unknown',
    stoppedBy: 'aborted',
    reason: signal?.reason,
  });
}

/** Reads the ids, each once. @throws ConfigurationError for anything but ids */
async function readOrders(orders: Iterable<string> | AsyncIterable<string>): Promise<readonly string[]> {
  const isIterable =
    typeof orders === 'object' && orders !== null && (Symbol.iterator in orders || Symbol.asyncIterator in orders);
  if (!isIterable) fail(`orders must be an array or another iterable of ids, not ${kindOf(orders)}`);
  const idents = new Map<string, string>();
  for await (const ident of orders) {
    if (typeof ident === 'string' && ident !== '') idents.set(plainIdent(ident), ident);
    else
      fail(`orders must hold external_ids or uuids, not ${kindOf(ident)}: orders: rows.map((row) => row.external_id)`);
  }
  return [...idents.values()];
}

/** @throws ConfigurationError also where the store does not remember events that far back: they would run again */
function parseSince(since: unknown, retention: number | null | undefined, now: number): number {
  const time = instantFrom(since);
  if (time === null) return fail('since is not a time. Give a Date, milliseconds since 1970 or ISO 8601 text');
  if (typeof retention === 'number' && now - time > retention) {
    const days = Math.round((retention / 86_400_000) * 100) / 100;
    fail(
      `since is too early: this store remembers completed events for ${days} days, and older ones would run again. Give a later since, or orders`,
    );
  }
  return time;
}

const COUNTED: Partial<Record<Verdict, 'played' | 'alreadyDone' | 'busy'>> = {
  done: 'played',
  failed_after_commit: 'played', // its writes are kept, and the report has the error
  duplicate: 'alreadyDone',
  duplicate_differs: 'alreadyDone',
  duplicate_running: 'busy',
  lease_lost: 'busy', // another attempt has it
};

type Counts = { -readonly [Name in keyof CatchUpResult]: number };

/** One run: what it reads, what it plays, and how many ended how. */
class Run<Extra extends object> {
  readonly counts: Counts = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
  readonly #merchant: CatchUpClient;
  readonly #settings: HandlerSettings<Extra>;
  readonly #signal: AbortSignal | undefined;
  readonly #concurrency: number;
  readonly #onProgress: CatchUpOptions['onProgress'];
  /** The event that runs for an order, by external_id. */
  readonly #playing = new Map<string, Promise<void>>();
  #total: number | null = null;

  constructor(
    merchant: CatchUpClient,
    settings: HandlerSettings<Extra>,
    options: Pick<CatchUpOptions, 'signal' | 'onProgress'> & { readonly concurrency: number },
  ) {
    this.#merchant = merchant;
    this.#settings = settings;
    this.#signal = options.signal;
    this.#concurrency = options.concurrency;
    this.#onProgress = options.onProgress;
  }

  /** Reads each order and plays those that are final. */
  async playOrders(idents: readonly string[]): Promise<void> {
    this.#total = idents.length;
    const open = idents.length > WALK_FROM ? await this.#openOrders() : new Set<string>();
    /** Paid invoices whose single read lacks the members of the end, by uuid. */
    const incomplete = new Map<string, string>();
    const reads = { answered: 0, refused: 0, unanswered: 0 };
    try {
      await this.#each(idents, async (ident) => {
        if (open.has(plainIdent(ident))) return this.#count('open');
        let invoice: CatchUpInvoice;
        try {
          invoice = await this.#merchant.invoices.get(ident, { ...PATIENCE, signal: this.#signal });
        } catch (error) {
          return this.#countUnread(ident, error, reads);
        }
        reads.answered += 1;
        reads.unanswered = 0;
        if (!isFinal(invoice)) return this.#count('open');
        if (lacksItsEnd(invoice)) incomplete.set(plainIdent(invoice.uuid), ident);
        else await this.#play(invoice);
      });
    } finally {
      if (reads.refused > 0 && reads.answered === 0 && !idents.every(isUuid)) {
        this.#report(
          'unknown_order',
          `The service gave none of the ${reads.refused} orders that it was asked for. If they have invoices, it does not ` +
            'accept external_ids: keep the uuid of each created invoice in your database, and pass the uuids as orders.',
        );
      }
    }
    if (incomplete.size > 0) await this.#playFromList(incomplete);
  }

  /** Reads the lists of final invoices to their ends, and plays what finished at `since` or later. */
  async playLists(since: number): Promise<void> {
    for (const status of FINAL_INVOICE_STATUSES) {
      await this.#each(this.#list(status, true), async (invoice) => {
        const { finished_at } = invoice;
        const isEarlier = finished_at instanceof Date && finished_at.getTime() < since;
        // A service that does not know the filter also returns invoices of other statuses.
        if (invoice.status === status && !isEarlier) await this.#play(invoice);
      });
    }
  }

  /**
   * The ids of what the list of pending invoices shows: those were open when they were read. The list may move or break
   * off: an order that it misses is read singly.
   */
  async #openOrders(): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    try {
      for await (const { uuid, external_id, status } of this.#list('pending')) {
        if (status === 'pending') open.add(plainIdent(uuid)).add(plainIdent(external_id));
      }
    } catch (error) {
      if (isAboutAll(error) || this.#signal?.aborted) throw error;
    }
    return open;
  }

  /** Takes the paid invoices whose single read is too short from the list of paid ones. */
  async #playFromList(incomplete: Map<string, string>): Promise<void> {
    const rows = this.#list('success');
    const wanted = async function* (): AsyncGenerator<CatchUpInvoice> {
      for await (const invoice of rows) {
        if (incomplete.delete(plainIdent(invoice.uuid))) yield invoice;
        if (incomplete.size === 0) return;
      }
    };
    let problem: unknown;
    try {
      await this.#each(wanted(), (invoice) => this.#play(invoice));
    } catch (error) {
      if (isAboutAll(error) || this.#signal?.aborted) throw error;
      problem = error;
    }
    for (const ident of incomplete.values()) {
      const message = `The single read of order ${JSON.stringify(ident)} does not say what was credited, and the list of paid invoices does not show it yet.`;
      this.#report('order_not_read', message, problem);
      this.#count('failed');
    }
  }

  /** A generator, because the list of a client begins with its call, and rejects unhandled where an abort comes before its first item. */
  async *#list(status: 'pending' | FinalInvoiceStatus, isCounted = false): AsyncGenerator<CatchUpInvoice> {
    const invalid = new Set<string>();
    yield* this.#merchant.invoices.list(
      { status, per_page: PER_PAGE },
      {
        ...PATIENCE,
        signal: this.#signal,
        onInvalidItem: ({ page, index, path, raw }) => {
          if (!isCounted) return;
          const uuid = (raw as { readonly uuid?: unknown } | null | undefined)?.uuid; // whatever the row holds
          const name = typeof uuid === 'string' ? uuid : `row ${index + 1} of page ${page}`;
          if (invalid.has(name)) return; // its page was read again
          invalid.add(name);
          this.#report('order_not_read', `The ${status} invoice ${name} cannot be read at "${path}". It was left out.`);
          this.#count('failed');
        },
      },
    );
  }

  /** Works on several items at once. Ends at the first failure or at the abort, when what runs has ended. */
  async #each<Item>(
    items: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item) => void | Promise<void>,
  ): Promise<void> {
    const running = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | null = null;
    const begin = (item: Item): void => {
      const task = (async () => await work(item))()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(task));
      running.add(task);
    };
    try {
      this.#signal?.throwIfAborted();
      for await (const item of items) {
        this.#signal?.throwIfAborted();
        begin(item);
        if (running.size >= this.#concurrency) await Promise.race(running);
        if (failure !== null) break;
      }
    } finally {
      await Promise.all(running);
    }
    if (failure !== null) throw (failure as { readonly error: unknown }).error; // set inside `begin`
  }

  /** Counts an order that could not be read. Throws where no order can be. */
  #countUnread(ident: string, error: unknown, reads: { refused: number; unanswered: number }): void {
    if (this.#signal?.aborted || isAboutAll(error)) throw error;
    const order = JSON.stringify(ident);
    const isRefused = isMerchantError(error) && isRefusedIdent(error);
    if (isRefused) reads.refused += 1;
    if (isRefused && !(error.kind === 'server' && error.status === 500)) {
      const message = `The service has no invoice for order ${order}, or does not accept this id.`;
      this.#report('unknown_order', message, error, ident);
      this.#count('unknown');
      reads.unanswered = 0;
      return;
    }
    this.#report('order_not_read', `The invoice of order ${order} could not be read.`, error, ident);
    this.#count('failed');
    reads.unanswered += 1;
    if (reads.unanswered >= MAX_UNANSWERED) throw error;
  }

  /** Plays a final invoice, after those of the same order. */
  async #play(invoice: CatchUpInvoice): Promise<void> {
    const order = invoice.external_id;
    const before = this.#playing.get(order);
    const task = (async () => {
      await before;
      if (this.#signal?.aborted) return;
      const { verdict } = await playInvoice(invoice, this.#settings, this.#signal);
      this.#count(COUNTED[verdict] ?? 'failed');
    })();
    this.#playing.set(order, task);
    await task;
    if (this.#playing.get(order) === task) this.#playing.delete(order);
  }

  #count(ending: Exclude<keyof CatchUpResult, 'checked'>): void {
    this.counts.checked += 1;
    this.counts[ending] += 1;
    notify(() => this.#onProgress?.({ ...this.counts, total: this.#total }));
  }

  #report(reason: WebhookReportReason, message: string, error?: unknown, order: string | null = null): void {
    const reporter = new Reporter(this.#settings.onReport);
    reporter.order = order;
    reporter.report(reason, message, null, error);
  }
}

/** Plays one final invoice through the store and the merchant's function, and reports what is not normal. Never rejects. */
async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  const reporter = new Reporter(settings.onReport);
  reporter.order = String(invoice.external_id);
  const order = JSON.stringify(String(invoice.external_id));
  const play = async (signal: AbortSignal): Promise<Ending> => {
    try {
      return await playEvent(eventOfInvoice(invoice), settings, signal, reporter);
    } catch (error) {
      const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
      return { verdict: 'malformed_payload', message: `The invoice of order ${order} cannot be played. ${why}` };
    }
  };
  const { ending, work } = await runWithTimeLimit(settings, play, stop);
  if (ending === null) {
    void work.then((late) => reporter.reportLate(late));
    const message = `Your function takes longer than ${settings.timeout} ms for order ${order}. It continues, and its claim is kept.`;
    reporter.report('time_limit', message);
    return { verdict: 'time_limit', message };
  }
  if (stop?.aborted && ending.verdict === 'time_limit') return ending; // the caller stopped it before it began
  // Repeats of completed events are normal here: they are counted and not reported.
  if (ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
    const named = ending.verdict === 'malformed_payload' ? ending.message : `Order ${order}: ${ending.message}`;
    reporter.report(ending.verdict, named, null, ending.error);
  }
  return ending;
}

function isFinal({ status }: CatchUpInvoice): boolean {
  return FINAL_INVOICE_STATUSES.some((final) => final === status);
}

/** True for failures that every further request meets. */
function isAboutAll(error: unknown): boolean {
  if (!isMerchantError(error)) return false;
  return error.kind === 'authentication' || (error.kind === 'configuration' && error.code !== 'SDK_INVALID_ARGUMENT');
}
