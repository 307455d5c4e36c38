import { FINAL_INVOICE_STATUSES, type FinalInvoiceStatus, isFinalStatus } from '../../contract/statuses.ts';
import { isUuid, plainIdent } from '../../contract/values/scalars.ts';
import { kindOf } from '../../errors/checks.ts';
import { AbortedError, WebhookVerificationError } from '../../errors/classes.ts';
import { failsEveryCall, isMerchantError, isRefusedIdent } from '../../errors/guards.ts';
import { notify } from '../../errors/notify.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';
import { eventOfInvoice, lacksPayment } from '../event/invoice-event.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { identify, playInTime } from '../handle/play-event.ts';
import { NO_SUBJECT, type ReportSubject, report } from '../handle/report.ts';
import { startTimeLimit } from '../handle/timing.ts';
import type { Ending, Verdict } from '../handle/verdict.ts';
import { concurrently, untilAborted } from './concurrently.ts';
import {
  type CatchUpClient,
  type CatchUpOptions,
  type CatchUpResult,
  type CatchUpSettings,
  fail,
  OPERATION,
  readCatchUpOptions,
} from './options.ts';

// Plays the events that no webhook delivered. The merchant's database says which orders wait, and the invoice of each
// is read. The order, the times and the totals of a list decide nothing, because they may be wrong: an order that this
// run does not see as final still waits, and the next run reads it again.

const PER_PAGE = 100;
/** With more orders than this, which fit on one page, it saves requests to walk the list of pending invoices first. */
const WALK_FROM = 100;
/** After this many failed reads, one after the other, a list is read to see whether the service is down. */
const FAILED_READS_MAX = 10;
/** After this many such series of failed reads, single reads are given up, and the lists are read. */
const FAILED_SERIES_MAX = 3;

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
  const checked = readCatchUpOptions(merchant, options, settings.store, settings.verify.now);
  const { source, signal } = checked;
  const run = new Run(merchant, settings, checked);
  try {
    if ('since' in source) await run.playLists(source.since);
    else await run.playOrders(await readOrders(source.orders, signal));
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
async function readOrders(
  orders: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const idents = new Map<string, string>();
  for await (const ident of untilAborted(orders, signal)) {
    if (typeof ident === 'string' && ident !== '') idents.set(plainIdent(ident), ident);
    else
      fail(`orders must hold external_ids or uuids, not ${kindOf(ident)}: orders: rows.map((row) => row.external_id)`);
  }
  return [...idents.values()];
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

/** One run of `catchUp`, with its counts. */
class Run<Extra extends object> {
  readonly counts: Counts = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
  readonly #merchant: CatchUpClient;
  readonly #settings: HandlerSettings<Extra>;
  readonly #options: CatchUpSettings;
  /** The event that runs for an order, by external_id. */
  readonly #playing = new Map<string, Promise<void>>();
  /** The single reads: found invoices, refused ids, the failures since the last invoice, and the series of them. */
  readonly #reads = { found: 0, refused: 0, failedInARow: 0, failedSeries: 0 };
  #total: number | null = null;

  constructor(merchant: CatchUpClient, settings: HandlerSettings<Extra>, options: CatchUpSettings) {
    this.#merchant = merchant;
    this.#settings = settings;
    this.#options = options;
  }

  /** Reads each order and plays those that are final. */
  async playOrders(idents: readonly string[]): Promise<void> {
    this.#total = idents.length;
    const open = idents.length > WALK_FROM ? await this.#openOrders() : new Set<string>();
    /**
     * The orders to take from the lists: those whose single read lacks the payment, and all if single reads are given
     * up.
     */
    const fromLists = new Map<string, string>();
    const reads = this.#reads;
    let areAllRead = true;
    try {
      await concurrently(idents, this.#options, async (ident) => {
        if (open.has(plainIdent(ident))) return this.#count('open');
        if (reads.failedSeries >= FAILED_SERIES_MAX) {
          areAllRead = false;
          return void fromLists.set(plainIdent(ident), ident);
        }
        let invoice: CatchUpInvoice;
        try {
          invoice = await this.#merchant.invoices.get(ident, { ...BATCH_READ, signal: this.#options.signal });
        } catch (error) {
          return await this.#countUnread(ident, error);
        }
        reads.found += 1;
        reads.failedInARow = 0;
        reads.failedSeries = 0;
        if (!isFinalStatus(invoice.status)) return this.#count('open');
        if (lacksPayment(invoice)) fromLists.set(plainIdent(invoice.uuid), ident);
        else await this.#play(invoice);
      });
    } finally {
      if (reads.refused > 0 && reads.found === 0 && !idents.every(isUuid)) {
        this.#report(
          'unknown_order',
          `The service found none of the ${reads.refused} orders. If they have invoices, it does not ` +
            'accept external_ids: keep the uuid of each created invoice in your database, and pass the uuids as orders.',
        );
      }
    }
    if (fromLists.size > 0) await this.#playFromLists(fromLists, areAllRead);
  }

  /** Reads the lists of final invoices to their ends, and plays what finished at `since` or later. */
  async playLists(since: number): Promise<void> {
    for (const status of FINAL_INVOICE_STATUSES) {
      await concurrently(this.#list(status, true), this.#options, async (invoice) => {
        const { finished_at } = invoice;
        const isEarlier = finished_at instanceof Date && finished_at.getTime() < since;
        // A service that does not know the filter also returns invoices of other statuses.
        if (invoice.status === status && !isEarlier) await this.#play(invoice);
      });
    }
  }

  /**
   * Returns the ids of the orders in the list of pending invoices, which are open. The list may move, or fail before
   * its end: an order that it does not show is read singly.
   */
  async #openOrders(): Promise<ReadonlySet<string>> {
    const open = new Set<string>();
    try {
      for await (const { uuid, external_id, status } of this.#list('pending')) {
        if (status === 'pending') open.add(plainIdent(uuid)).add(plainIdent(external_id));
      }
    } catch (error) {
      if (endsRun(error) || this.#options.signal?.aborted) throw error;
    }
    return open;
  }

  /**
   * Plays the invoices of these orders from the lists of final invoices.
   *
   * @param arePaid Whether all of them are known to be paid: then only that list is read.
   */
  async #playFromLists(wanted: Map<string, string>, arePaid: boolean): Promise<void> {
    const problems: unknown[] = [];
    for (const status of arePaid ? (['success'] as const) : FINAL_INVOICE_STATUSES) {
      try {
        await concurrently(this.#wantedOf(wanted, status), this.#options, (invoice) => this.#play(invoice));
      } catch (error) {
        if (endsRun(error) || this.#options.signal?.aborted) throw error;
        problems.push(error);
      }
    }
    for (const ident of wanted.values()) {
      const order = JSON.stringify(ident);
      const message = arePaid
        ? `The single read of order ${order} does not say what was credited, and the list of paid invoices does not show it yet.`
        : `The invoice of order ${order} was not read singly, because such reads failed, and no list of final invoices shows it.`;
      this.#report('order_not_read', message, problems[0], ident);
      this.#count('failed');
    }
  }

  async *#wantedOf(wanted: Map<string, string>, status: FinalInvoiceStatus): AsyncGenerator<CatchUpInvoice> {
    if (wanted.size === 0) return;
    for await (const invoice of this.#list(status)) {
      // A service that does not know the filter also returns open invoices.
      if (!isFinalStatus(invoice.status)) continue;
      if (wanted.delete(plainIdent(invoice.uuid)) || wanted.delete(plainIdent(invoice.external_id))) yield invoice;
      if (wanted.size === 0) return;
    }
  }

  /**
   * Lists the invoices of a status. A generator, because a list call of the client sends its request at once: if an
   * abort came before the first item, its failure would be an unhandled rejection.
   */
  async *#list(status: 'pending' | FinalInvoiceStatus, isCounted = false): AsyncGenerator<CatchUpInvoice> {
    const invalid = new Set<string>();
    yield* this.#merchant.invoices.list(
      { status, per_page: PER_PAGE },
      {
        ...BATCH_READ,
        signal: this.#options.signal,
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

  /** Counts an order that could not be read. Throws if no further order can be read. */
  async #countUnread(ident: string, error: unknown): Promise<void> {
    const reads = this.#reads;
    if (this.#options.signal?.aborted || endsRun(error)) throw error;
    const order = JSON.stringify(ident);
    const isRefused = isMerchantError(error) && isRefusedIdent(error);
    if (isRefused) reads.refused += 1;
    if (isRefused && !(error.kind === 'server' && error.status === 500)) {
      const message = `The service has no invoice for order ${order}, or does not accept this id.`;
      this.#report('unknown_order', message, error, ident);
      this.#count('unknown');
      return;
    }
    this.#report('order_not_read', `The invoice of order ${order} could not be read.`, error, ident);
    this.#count('failed');
    reads.failedInARow += 1;
    if (reads.failedInARow < FAILED_READS_MAX) return;
    reads.failedInARow = 0;
    await this.#checkThatServiceAnswers();
    reads.failedSeries += 1;
  }

  /** Reads the first page of a list. Throws its error if the service is down: the next run then plays the rest. */
  async #checkThatServiceAnswers(): Promise<void> {
    try {
      for await (const _ of this.#list('success')) return;
    } catch (error) {
      const message = `${FAILED_READS_MAX} orders in a row could not be read, and neither could the list of invoices: the service is down. Run it again later.`;
      if (!this.#options.signal?.aborted) this.#report('order_not_read', message, error);
      throw error;
    }
  }

  /** Plays a final invoice, after the earlier ones of the same order. */
  async #play(invoice: CatchUpInvoice): Promise<void> {
    const { signal } = this.#options;
    const order = invoice.external_id;
    const before = this.#playing.get(order);
    const task = (async () => {
      await before;
      if (signal?.aborted) return;
      const { verdict } = await playInvoice(invoice, this.#settings, signal);
      this.#count(COUNTED[verdict] ?? 'failed');
    })();
    this.#playing.set(order, task);
    await task;
    if (this.#playing.get(order) === task) this.#playing.delete(order);
  }

  #count(ending: Exclude<keyof CatchUpResult, 'checked'>): void {
    this.counts.checked += 1;
    this.counts[ending] += 1;
    notify(() => this.#options.onProgress?.({ ...this.counts, total: this.#total }));
  }

  #report(reason: 'unknown_order' | 'order_not_read', message: string, error?: unknown, order: string | null = null) {
    report(this.#settings, { ...NO_SUBJECT, external_id: order }, { reason, message, error });
  }
}

/** Plays one final invoice through the store and the merchant's function, and reports what is not normal. Never rejects. */
async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  stop: AbortSignal | undefined,
): Promise<Ending> {
  const order = JSON.stringify(String(invoice.external_id));
  let subject: ReportSubject = { ...NO_SUBJECT, external_id: String(invoice.external_id) };
  const limit = startTimeLimit(settings, stop);
  try {
    const identified = await identify(eventOfInvoice(invoice), settings);
    subject = { ...subject, key: identified.key };
    const ending = await playInTime(identified, settings, limit, subject);
    const isStopped = stop?.aborted && ending.verdict === 'time_limit'; // the caller aborted before the function began
    // Repeats of completed events are normal here: they are counted and not reported.
    if (!isStopped && ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
      const message = `Order ${order}: ${ending.message}`;
      report(settings, subject, { reason: ending.verdict, message, error: ending.error });
    }
    return ending;
  } catch (error) {
    const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
    const ending = {
      verdict: 'malformed_payload',
      message: `The invoice of order ${order} cannot be played. ${why}`,
    } as const;
    report(settings, subject, { reason: ending.verdict, message: ending.message });
    return ending;
  } finally {
    limit.end();
  }
}

function endsRun(error: unknown): boolean {
  return isMerchantError(error) && failsEveryCall(error);
}
