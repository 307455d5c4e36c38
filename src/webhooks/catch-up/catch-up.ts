import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus, isFinalStatus } from '../../contract/statuses.ts';
import { isUuid, plainIdent } from '../../contract/values/scalars.ts';
import { AbortedError, WebhookVerificationError } from '../../errors/classes.ts';
import { failsEveryCall, hasKind, isMerchantError } from '../../errors/guards.ts';
import { notify } from '../../errors/notify.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';
import { eventOfInvoice, lacksPayment } from '../event/invoice-event.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { identify, playInTime } from '../handle/play-event.ts';
import type { Ending } from '../handle/reply.ts';
import { NO_SUBJECT, type ReportSubject, report } from '../handle/report.ts';
import { startTimeLimit } from '../handle/timing.ts';
import { type Fact, REASONS, type Verdict } from '../reasons.ts';
import { concurrently, untilAborted } from './concurrently.ts';
import {
  type CatchUpClient,
  type CatchUpOptions,
  type CatchUpResult,
  type CatchUpSettings,
  OPERATION,
  readCatchUpOptions,
  readIdents,
} from './options.ts';

// Plays the events that no webhook delivered. The merchant's database says which orders wait, and the invoice of each
// is read. The order, the times and the totals of a list decide nothing, because they may be wrong: an order that this
// run does not see as final still waits, and the next run reads it again.
//
// An order that could not be read, and that the service did not call unknown, is looked up in the lists at the end of the
// run, together with all such orders: a path may refuse its id, and a proxy may have answered.

const PER_PAGE = 100;
/** With more orders than this, which fit on one page, it saves requests to walk the list of pending invoices first. */
const WALK_FROM = 100;
/** After this many failed reads, one after the other, a list is read to see whether the service is down. */
const FAILED_READS_MAX = 10;
/** The most pages that the look-up of a run reads. */
const LOOK_UP_PAGES_MAX = 200;

/**
 * Options of each read. A batch job waits for the end of a rate limit, at most a minute, because no customer waits for
 * it.
 */
const BATCH_READ = { deadline: 120_000, retry: { maxRetryAfter: 60_000 } };

/** Plays the final invoices of the orders through the merchant's functions, if their events are not done yet. */
export async function catchUp<Extra extends object>(
  merchant: CatchUpClient,
  options: CatchUpOptions | undefined,
  settings: HandlerSettings<Extra>,
): Promise<CatchUpResult> {
  const checked = readCatchUpOptions(merchant, options);
  const { idents, again, signal } = checked;
  const counts: Counts = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
  try {
    const orders = await readIdents(untilAborted(idents, signal), again);
    await new Run(merchant, settings, checked, counts, orders).play();
    if (!signal?.aborted) return { ...counts };
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  throw new AbortedError({
    code: 'SDK_ABORTED',
    message: `${OPERATION}: aborted by the caller's signal. The played events are done. Run it again for the rest.`,
    operation: OPERATION,
    outcome: counts.played + counts.failed === 0 ? 'not_sent' : 'unknown',
    stoppedBy: 'aborted',
    reason: signal?.reason,
  });
}

/** The count to which an event with a verdict belongs. Any other verdict counts as failed. */
const COUNTED: Partial<Record<Verdict, 'played' | 'alreadyDone' | 'busy'>> = {
  done: 'played',
  failed_after_commit: 'played', // its writes are kept, and the report has the error
  duplicate: 'alreadyDone',
  duplicate_differs: 'alreadyDone',
  duplicate_running: 'busy',
  lease_lost: 'busy', // another attempt has it
};

type Counts = { -readonly [Name in keyof CatchUpResult]: number };

/** An order whose read gave no invoice that can be played, until the look-up. */
interface Unread {
  readonly ident: string;
  /** `success`: it is known to be paid, and its single read lacks the payment. Null: nothing is known of it. */
  readonly status: 'success' | null;
  readonly error: unknown;
}

type ListedStatus = 'pending' | FinalInvoiceStatus;

/** One run of `catchUp`. */
class Run<Extra extends object> {
  readonly #merchant: CatchUpClient;
  readonly #settings: HandlerSettings<Extra>;
  readonly #options: CatchUpSettings;
  readonly #counts: Counts;
  readonly #idents: readonly string[];
  /** The event that runs for an order, by external_id. */
  readonly #playing = new Map<string, Promise<void>>();
  readonly #unread = new Map<string, Unread>();
  /** The single reads: found invoices, unknown orders, and failures since the last response about an order. */
  readonly #reads = { found: 0, unknown: 0, failedInARow: 0 };

  constructor(
    merchant: CatchUpClient,
    settings: HandlerSettings<Extra>,
    options: CatchUpSettings,
    counts: Counts,
    idents: readonly string[],
  ) {
    this.#merchant = merchant;
    this.#settings = settings;
    this.#options = options;
    this.#counts = counts;
    this.#idents = idents;
  }

  /** Reads each order and plays those that are final. */
  async play(): Promise<void> {
    const isLong = this.#idents.length > WALK_FROM;
    const open = isLong ? await this.#openOrders() : new Set<string>();
    const reads = this.#reads;
    try {
      await concurrently(this.#idents, this.#options, async (ident) => {
        if (open.has(plainIdent(ident))) return this.#count('open');
        const read = await this.#read(ident);
        if (read === null) return;
        const { invoice } = read;
        reads.found += 1;
        reads.failedInARow = 0;
        if (!isFinalStatus(invoice.status)) return this.#count('open');
        if (!lacksPayment(invoice)) return await this.#playInvoice(invoice);
        this.#unread.set(plainIdent(invoice.uuid), { ident, status: 'success', error: undefined });
      });
    } finally {
      if (reads.unknown > 0 && reads.found === 0 && !this.#idents.every(isUuid)) {
        this.#report('unknown_order', {
          cause: `The service found none of the ${reads.unknown} orders. Their ids are not the external_ids of invoices, the API key is that of another business, or the service accepts uuids alone.`,
          remedy:
            'Compare an id with the invoice in the dashboard. For uuids, keep the uuid of each created invoice in your database, and pass the uuids as orders.',
        });
      }
    }
    if (this.#unread.size > 0) await this.#lookUp(isLong);
  }

  /**
   * Reads the invoice of an order. Null for an unknown order, and for one to look up. Throws if the run cannot go on.
   */
  async #read(ident: string): Promise<{ readonly invoice: CatchUpInvoice } | null> {
    const { signal } = this.#options;
    try {
      return { invoice: await this.#merchant.invoices.get(ident, { ...BATCH_READ, signal }) };
    } catch (error) {
      if (signal?.aborted || endsRun(error)) throw error;
      if (hasKind(error, 'not_found')) {
        this.#reads.unknown += 1;
        this.#reads.failedInARow = 0;
        this.#report(
          'unknown_order',
          { cause: `The service knows no invoice of order ${JSON.stringify(ident)}.` },
          error,
          ident,
        );
        this.#count('unknown');
        return null;
      }
      this.#unread.set(plainIdent(ident), { ident, status: null, error });
      await this.#checkAfterFailures();
      return null;
    }
  }

  /** After ten failed reads in a row: reads the first page of a list. Throws its error if the service is down. */
  async #checkAfterFailures(): Promise<void> {
    this.#reads.failedInARow += 1;
    if (this.#reads.failedInARow < FAILED_READS_MAX) return;
    this.#reads.failedInARow = 0;
    try {
      for await (const _ of this.#pages('success', 1)) return;
    } catch (error) {
      const cause = `${FAILED_READS_MAX} orders in a row could not be read, and neither could the list of invoices: the service is down.`;
      if (!this.#options.signal?.aborted)
        this.#report('order_not_read', { cause, remedy: 'Run it again later.' }, error);
      throw error;
    }
  }

  /**
   * The ids of the orders in the list of pending invoices, which are open. The list may move, or fail before
   * its end: an order that it does not show is read singly.
   */
  async #openOrders(): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    try {
      for await (const page of this.#pages('pending')) {
        for (const { uuid, external_id, status } of page)
          if (status === 'pending') open.add(plainIdent(uuid)).add(plainIdent(external_id));
      }
    } catch (error) {
      if (endsRun(error) || this.#options.signal?.aborted) throw error;
    }
    return open;
  }

  /**
   * Looks the unread orders up in the lists, until all are found or the pages of a run are read. What the lists do not
   * show has failed. Throws if no list could be read either, and no order: the service is down.
   *
   * @param arePendingKnown Whether this run has walked the list of pending invoices before.
   */
  async #lookUp(arePendingKnown: boolean): Promise<void> {
    const unread = this.#unread;
    const budget = { pages: LOOK_UP_PAGES_MAX };
    let problem: unknown;
    const lists: readonly ListedStatus[] = [
      ...(arePendingKnown ? [] : (['pending'] as const)),
      ...FINAL_INVOICE_STATUSES,
    ];
    for (const status of lists) {
      try {
        await concurrently(this.#found(status, budget), this.#options, (invoice) =>
          isFinalStatus(invoice.status) ? this.#playInvoice(invoice) : this.#count('open'),
        );
      } catch (error) {
        if (endsRun(error) || this.#options.signal?.aborted) throw error;
        problem ??= error;
      }
    }
    const { found, unknown } = this.#reads;
    const isDown = problem !== undefined && budget.pages === LOOK_UP_PAGES_MAX && found + unknown === 0;
    const lookedUp =
      problem !== undefined
        ? 'not all lists of invoices could be read'
        : budget.pages > 0
          ? 'no list shows it'
          : `the ${LOOK_UP_PAGES_MAX} pages of lists that a run reads do not show it`;
    for (const { ident, status, error } of unread.values()) {
      const order = JSON.stringify(ident);
      const cause =
        status === 'success'
          ? `The single read of order ${order} does not say what was credited, and the list of paid invoices does not show it.`
          : `The invoice of order ${order} could not be read, and ${lookedUp}.`;
      this.#report('order_not_read', { cause }, error ?? problem, ident);
      this.#count('failed');
    }
    if (isDown) throw problem;
  }

  /** Yields the invoices of a list that are unread, and removes them from there. */
  async *#found(status: ListedStatus, budget: { pages: number }): AsyncGenerator<CatchUpInvoice> {
    const unread = this.#unread;
    const isWanted = (): boolean => [...unread.values()].some((each) => each.status === null || each.status === status);
    if (budget.pages === 0 || !isWanted()) return;
    // One page in flight, so that no page is read beyond the budget.
    for await (const page of this.#pages(status, 1)) {
      budget.pages -= 1;
      for (const invoice of page) {
        const isKnown = invoice.status === 'pending' || isFinalStatus(invoice.status); // a filter may be ignored
        if (isKnown && (unread.delete(plainIdent(invoice.uuid)) || unread.delete(plainIdent(invoice.external_id))))
          yield invoice;
      }
      if (budget.pages === 0 || !isWanted()) return;
    }
  }

  /**
   * Yields the pages of the list of a status. A generator, because a list call of the client sends its request at once:
   * if an abort came before the first page, its failure would be an unhandled rejection.
   */
  async *#pages(status: ListedStatus, prefetch?: number): AsyncGenerator<readonly CatchUpInvoice[]> {
    const options = { ...BATCH_READ, signal: this.#options.signal, onInvalidItem: () => {}, prefetch };
    const list = this.#merchant.invoices.list({ status, per_page: PER_PAGE }, options);
    if (list.pages !== undefined) {
      for await (const { items } of list.pages()) yield items;
      return;
    }
    let page: CatchUpInvoice[] = [];
    for await (const invoice of list) {
      page.push(invoice);
      if (page.length === PER_PAGE) {
        yield page;
        page = [];
      }
    }
    yield page;
  }

  /** Plays a final invoice, after the earlier ones of the same order. */
  async #playInvoice(invoice: CatchUpInvoice): Promise<void> {
    const { signal, again } = this.#options;
    const order = invoice.external_id;
    const before = this.#playing.get(order);
    const task = (async () => {
      await before;
      if (signal?.aborted) return;
      const { verdict } = await playInvoice(invoice, this.#settings, again, signal);
      this.#count(COUNTED[verdict] ?? 'failed');
    })();
    this.#playing.set(order, task);
    await task;
    if (this.#playing.get(order) === task) this.#playing.delete(order);
  }

  #count(ending: Exclude<keyof CatchUpResult, 'checked'>): void {
    this.#counts.checked += 1;
    this.#counts[ending] += 1;
    notify(() => this.#options.onProgress?.({ ...this.#counts, total: this.#idents.length }));
  }

  #report(reason: 'unknown_order' | 'order_not_read', fact: Fact, error?: unknown, order: string | null = null): void {
    report(this.#settings, { ...NO_SUBJECT, external_id: order }, { reason, ...fact, error });
  }
}

/**
 * Plays one final invoice through the store and the merchant's function, and reports what is not normal. Never rejects.
 */
async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  again: boolean,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  const order = JSON.stringify(String(invoice.external_id));
  let subject: ReportSubject = { ...NO_SUBJECT, external_id: String(invoice.external_id) };
  const limit = startTimeLimit(settings, stop);
  try {
    const identified = { ...(await identify(eventOfInvoice(invoice), settings)), again };
    subject = { ...subject, key: identified.key };
    const ending = await playInTime(identified, settings, limit, subject);
    const isStopped = stop?.aborted && ending.verdict === 'time_limit'; // the caller aborted before the function began
    // Repeats of completed events are normal here: they are counted and not reported.
    if (!isStopped && ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
      const { verdict: reason, ...fact } = ending;
      const cause = `Order ${order}: ${fact.cause ?? REASONS[reason].cause}`;
      report(settings, subject, { reason, ...fact, cause });
    }
    return ending;
  } catch (error) {
    const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
    const reason = 'malformed_payload';
    report(settings, subject, {
      reason,
      cause: `The invoice of order ${order} cannot be played. ${why}`,
      remedy: null,
    });
    return { verdict: reason };
  } finally {
    limit.end();
  }
}

/** True if every further call would fail. The page of a stranger, also a 401, says nothing about the next order. */
function endsRun(error: unknown): boolean {
  if (!isMerchantError(error) || !failsEveryCall(error)) return false;
  return !('answeredBy' in error) || error.answeredBy === 'service';
}
