import { isObject } from '../../contract/json.ts';
import { orderOf } from '../../contract/orders.ts';
import { isSameIdent, isUuid, plainIdent } from '../../contract/values/scalars.ts';
import { AbortedError, WebhookVerificationError } from '../../errors/classes.ts';
import { failsEveryCall, hasKind, isMerchantError } from '../../errors/guards.ts';
import { notify } from '../../errors/notify.ts';
import { IdentProof, type InvoicePaths } from '../../lookup/by-path.ts';
import { mayBeOf, type WalkEnding, walkPagesWithin } from '../../lookup/in-pages.ts';
import { type OrderReading, readOrder } from '../../lookup/order.ts';
import { saidOf } from '../event/adjusted.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';
import { eventOfInvoice, lacksPayment } from '../event/invoice-event.ts';
import type { HandlerSettings } from '../handle/handler-options.ts';
import { identify, playInTime } from '../handle/play-event.ts';
import { NO_SUBJECT, type ReportSubject, report } from '../handle/report.ts';
import { startTimeLimit } from '../handle/timing.ts';
import { type Fact, REASONS, type Verdict } from '../reasons.ts';
import { warnOfCatchUp } from '../stores/memory-store.ts';
import { abortedBy, concurrently, untilAborted } from './concurrently.ts';
import {
  type CatchUpClient,
  type CatchUpOptions,
  type CatchUpResult,
  type CatchUpSettings,
  OPERATION,
  readCatchUpOptions,
  readIdents,
} from './options.ts';
import { type OrderKnowledge, planOf } from './order-plan.ts';

// Plays the events that no webhook delivered. The merchant's database says which orders wait, and all invoices of each
// are read. The order, the times and the totals of a list decide nothing, because they may be wrong: an order that this
// run does not see as ended still waits, and the next run reads it again.
//
// What single reads do not give is looked up in the lists at the end of the run, for all such orders together: a path may
// refuse an id, a proxy may have answered, and a single read may be too short.

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
  warnOfCatchUp(settings.store);
  const { idents, again, signal } = checked;
  const wasOver = signal?.aborted;
  const counts: Counts = { checked: 0, played: 0, alreadyDone: 0, open: 0, unknown: 0, busy: 0, failed: 0 };
  try {
    const orders = await readIdents(untilAborted(idents, signal), again);
    await new Run(merchant, settings, checked, counts, orders.idents).play(orders.missing);
    if (!signal?.aborted) return { ...counts };
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  throw new AbortedError({
    code: 'SDK_ABORTED',
    message: `${OPERATION}: ${abortedBy(wasOver)}. The played events are done. Run it again for the rest.`,
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

/** An order whose invoices single reads did not give whole, until the look-up. */
interface Unread {
  /** As it was given. */
  readonly ident: string;
  /** The id of the order. Null while only a uuid is known. */
  order: string | null;
  /** The invoices that are known, by renewal. */
  readonly invoices: Map<number, CatchUpInvoice>;
  /** Whether these are all invoices of the order. Those that lack a payment are then looked up. */
  readonly isWhole: boolean;
  /** Why the single reads gave no more. */
  readonly error: unknown;
}

/**
 * The lists of a look-up, in the order in which they are read: an invoice that ends meanwhile is in a later one. The list
 * of all comes last. It also has those of a status that no interface names, which no other list shows.
 */
const LISTS = ['pending', 'success', 'all'] as const;
type ListName = (typeof LISTS)[number];

/** The orders of the list of pending invoices. */
interface OpenOrders {
  /** The orders that are open, by each ident of their first invoice: its end is not past, so it has no renewal. */
  readonly certain: ReadonlyMap<string, string>;
  /** The orders of all pending invoices. */
  readonly all: ReadonlySet<string>;
  /** Whether the list was read to its end. */
  readonly isWhole: boolean;
}

const NO_ORDERS: OpenOrders = { certain: new Map(), all: new Set(), isWhole: false };

/** One run of `catchUp`. */
class Run<Extra extends object> {
  readonly #merchant: CatchUpClient;
  readonly #settings: HandlerSettings<Extra>;
  readonly #options: CatchUpSettings;
  readonly #counts: Counts;
  readonly #idents: readonly string[];
  readonly #proof = new IdentProof();
  readonly #paths: InvoicePaths<CatchUpInvoice>;
  /** The orders that the run has begun, because an order may be named twice. */
  readonly #begun = new Set<string>();
  readonly #unread: Unread[] = [];
  /** The rows of lists that cannot be read, as the service sent them. */
  readonly #leftOut: unknown[] = [];
  /** Orders that single reads gave, those for which the service said that it has none, and failures since the last of both. */
  readonly #reads = { found: 0, denied: 0, failedInARow: 0 };

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
    this.#paths = {
      get: async (ident) => await merchant.invoices.get(ident, { ...BATCH_READ, signal: options.signal }),
      firstPage: async () => {
        for await (const page of this.#pages(undefined, 1)) return page;
        return [];
      },
    };
  }

  /** Reads each order and plays its events. `missing`: rows without an id. */
  async play(missing: number): Promise<void> {
    if (missing > 0) this.#refuseMissing(missing);
    const open = this.#idents.length > WALK_FROM ? await this.#openOrders() : NO_ORDERS;
    try {
      await concurrently(this.#idents, this.#options, async (ident) => {
        const order = open.certain.get(plainIdent(ident));
        if (order !== undefined) {
          if (this.#begins(order)) this.#end('open');
        } else if (ident !== ident.trim()) this.#refuse(ident);
        else await this.#take(ident, await this.#readOrder(ident));
      });
    } finally {
      const { found, denied } = this.#reads;
      if (denied > 0 && found === 0 && !this.#idents.every(isUuid)) this.#reportNoneFound(denied);
    }
    if (this.#unread.length > 0) await this.#lookUp(open);
  }

  /** Plays an order that was read, or keeps it for the look-up. Throws if the run cannot go on. */
  async #take(ident: string, { order, invoices, rest, error }: OrderReading<CatchUpInvoice>): Promise<void> {
    const reads = this.#reads;
    if (rest === 'failed' && (this.#options.signal?.aborted || endsRun(error))) throw error;
    const isFound = invoices.length > 0;
    const isDenied = !isFound && hasKind(error, 'not_found');
    if (isFound) reads.found += 1;
    if (isDenied) reads.denied += 1;
    if (isFound || isDenied) reads.failedInARow = 0;
    else await this.#checkAfterFailures();
    if (!this.#begins(order)) return;
    if (rest === 'none' && !invoices.some(lacksPayment)) return await this.#playOrder(ident, invoices, WHOLE, error);
    this.#unread.push({
      ident,
      order: isFound || !isUuid(ident) ? order : null,
      invoices: new Map(invoices.map((invoice) => [orderOf(invoice.external_id).renewal, invoice])),
      isWhole: rest === 'none',
      error,
    });
  }

  /**
   * Reads the invoices of an order. One that is pending has no renewal before its end. That is judged by this machine's
   * clock: a clock that is slow only delays what a renewal tells.
   */
  #readOrder(ident: string): Promise<OrderReading<CatchUpInvoice>> {
    return readOrder(ident, this.#paths, this.#proof, (invoice) => this.#isBeforeEnd(invoice));
  }

  #isBeforeEnd({ status, expires_at }: CatchUpInvoice): boolean {
    return status === 'pending' && expires_at !== undefined && expires_at.getTime() > this.#settings.verify.now();
  }

  /** False for an order that the run has begun under another id. */
  #begins(order: string): boolean {
    const count = this.#begun.size;
    return this.#begun.add(plainIdent(order)).size > count;
  }

  /** After ten failed reads in a row: reads the first page of a list. Throws its error if the service is down. */
  async #checkAfterFailures(): Promise<void> {
    this.#reads.failedInARow += 1;
    if (this.#reads.failedInARow < FAILED_READS_MAX) return;
    this.#reads.failedInARow = 0;
    try {
      await this.#paths.firstPage();
    } catch (error) {
      const cause = `${FAILED_READS_MAX} orders in a row could not be read, and neither could the list of invoices: the service is down.`;
      if (!this.#options.signal?.aborted)
        this.#report('order_not_read', { cause, remedy: 'Run it again later.' }, error);
      throw error;
    }
  }

  /**
   * Walks the list of pending invoices. It may move, or fail before its end: an order that it does not show is read
   * singly, and so is one whose first invoice is past its end, because the order may have a renewal.
   */
  async #openOrders(): Promise<OpenOrders> {
    const certain = new Map<string, string>();
    const all = new Set<string>();
    let isWhole = false;
    try {
      for await (const page of this.#pages('pending')) {
        for (const invoice of page) {
          const { uuid, external_id } = invoice;
          if (invoice.status !== 'pending') continue; // a filter may be ignored
          const { order, renewal } = orderOf(external_id);
          all.add(order);
          if (renewal === 0 && this.#isBeforeEnd(invoice))
            certain.set(plainIdent(uuid), order).set(plainIdent(external_id), order);
        }
      }
      isWhole = true;
    } catch (error) {
      if (endsRun(error) || this.#options.signal?.aborted) throw error;
    }
    return { certain, all, isWhole };
  }

  /**
   * Looks the unread orders up in the lists, as far as they are needed and the pages of a run go. Throws if no list could
   * be read either, and no order: the service is down.
   */
  async #lookUp(open: OpenOrders): Promise<void> {
    const budget = { pages: LOOK_UP_PAGES_MAX };
    // An ident in the form of a uuid may be the service's, or the id of an order.
    const byOrder = new Map(this.#unread.map((each) => [each.order ?? each.ident, each]));
    const byUuid = new Map(
      this.#unread.filter(({ order }) => order === null).map((each) => [plainIdent(each.ident), each]),
    );
    /** The orders that a list named by a uuid, when the walk may have passed other invoices of them. */
    const named = new Set<Unread>();
    const isPinned = this.#settings.verify.adjustedAbsent !== undefined;
    const listed = new Set<CatchUpInvoice>();
    /** Adds an invoice of a list to its order, if that is unread. */
    const file = (invoice: CatchUpInvoice): void => {
      const { order, renewal } = orderOf(invoice.external_id);
      for (const unread of [byOrder.get(order), byUuid.get(plainIdent(invoice.uuid))]) {
        if (unread === undefined) continue;
        if (unread.order === null && order !== unread.ident) named.add(unread);
        unread.order = order;
        unread.invoices.set(renewal, invoice);
        listed.add(invoice);
      }
    };
    const ended = new Set<ListName>(open.isWhole ? ['pending'] : []);
    let problem: unknown;
    for (const name of LISTS) {
      if (ended.has(name) || !this.#unread.some((each) => needs(each, name, ended))) continue;
      try {
        const pages = this.#pages(name === 'all' ? undefined : name, 1);
        const ending: WalkEnding = await walkPagesWithin(pages, budget, (page) => {
          for (const invoice of page) file(invoice);
          return !this.#unread.some((each) => needs(each, name, ended));
        });
        if (ending === 'end') ended.add(name);
      } catch (error) {
        if (endsRun(error) || this.#options.signal?.aborted) throw error;
        problem ??= error;
      }
    }
    const isAll = ended.has('all');
    const whyOf = (isDoubtful: boolean): string => {
      if (isDoubtful) return 'a row of a list, which may be of this order, cannot be read';
      if (problem !== undefined) return 'not all lists of invoices could be read';
      return isAll ? 'no list shows it' : `the ${LOOK_UP_PAGES_MAX} pages of lists that a run reads do not show it`;
    };
    await concurrently(this.#unread, this.#options, async (unread) => {
      const { ident, order, invoices, isWhole, error } = unread;
      if (order !== null && named.has(unread)) {
        if (!this.#begins(order)) return;
        const reading = await this.#readOrder(order);
        for (const each of reading.invoices) invoices.set(orderOf(each.external_id).renewal, each);
        if (reading.rest === 'none') return await this.#playOrder(ident, sorted(invoices), WHOLE, reading.error);
      }
      const all = sorted(invoices);
      // A pin speaks for a list that is silent, and not for one that did not show the invoice.
      const isShown = (each: CatchUpInvoice): boolean =>
        listed.has(each) || this.#leftOut.some((row) => isSilentAbout(row, each));
      const known = isPinned ? all.filter((each) => !lacksPayment(each) || isShown(each)) : all;
      const isPaid = known.some(({ status }) => status === 'success');
      const isDoubtful = this.#leftOut.some((row) => mayBeOf(row, ident, order ?? ident));
      // Whose a payment is, is told by the first invoice of the order.
      const isListed = !isDoubtful && (isAll || (isPaid && invoices.has(0) && ended.has('success')));
      const knowledge = {
        isWhole: (isWhole || isListed) && known.length === all.length,
        isOpen: order !== null && open.all.has(order),
        isUnpaid:
          (ended.has('success') && !isDoubtful) || known.some((each) => isFirst(each) && this.#isBeforeEnd(each)),
      };
      await this.#playOrder(ident, known, knowledge, error ?? problem, whyOf(isDoubtful));
    });
    const { found, denied } = this.#reads;
    if (problem !== undefined && budget.pages === LOOK_UP_PAGES_MAX && found + denied === 0) throw problem;
  }

  /**
   * Yields the pages of the list of a status, or of all. A generator, because a list call of the client sends its request
   * at once: if an abort came before the first page, its failure would be an unhandled rejection.
   */
  async *#pages(
    status: 'pending' | 'success' | undefined,
    prefetch?: number,
  ): AsyncGenerator<readonly CatchUpInvoice[]> {
    const onInvalidItem = ({ raw }: { readonly raw: unknown }): void => void this.#leftOut.push(raw);
    const options = { ...BATCH_READ, signal: this.#options.signal, onInvalidItem, prefetch };
    const query = { ...(status !== undefined && { status }), per_page: PER_PAGE };
    const list = this.#merchant.invoices.list(query, options);
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

  /** Plays what is to be played of an order, one event after the other, and counts it. */
  async #playOrder(
    ident: string,
    invoices: readonly CatchUpInvoice[],
    knowledge: OrderKnowledge,
    error: unknown,
    why = '',
  ): Promise<void> {
    const { signal, again } = this.#options;
    // Only the service's own word makes an order unknown. A list may be cut.
    const isKnown = invoices.length > 0 || hasKind(error, 'not_found');
    const plan = planOf(invoices, { ...knowledge, isWhole: knowledge.isWhole && isKnown });
    const endings = new Set<keyof CatchUpResult>(plan.counts === null ? [] : [plan.counts]);
    for (const invoice of plan.play) {
      if (signal?.aborted) return;
      const verdict = await playInvoice(invoice, this.#settings, again, signal);
      const counted = COUNTED[verdict] ?? 'failed';
      if (counted === 'played' || counted === 'alreadyDone') this.#counts[counted] += 1;
      else endings.add(counted);
    }
    const name = JSON.stringify(ident);
    for (const { external_id } of plan.others) {
      const cause = `Another system created the invoice ${JSON.stringify(external_id)} of order ${name}, for another customer and with another callback_url. It was not played.`;
      this.#report(
        'order_not_read',
        { cause, remedy: 'Give the order ids of each system a prefix of its own.' },
        undefined,
        ident,
      );
    }
    for (const { external_id, status } of plan.unlisted) {
      const cause = `The invoice ${JSON.stringify(external_id)} has the status ${JSON.stringify(status)}, which the interface does not name. It was not played.`;
      const remedy = 'Look at the invoice in the dashboard, and decide by hand whether it was paid.';
      this.#report('order_not_read', { cause, remedy }, undefined, ident);
    }
    if (plan.counts === 'unknown') {
      this.#report('unknown_order', { cause: `The service knows no invoice of order ${name}.` }, error, ident);
    } else if (plan.counts === 'failed' && plan.others.length + plan.unlisted.length === 0) {
      const what = invoices.length === 0 ? 'The invoice' : 'A further invoice';
      const cause = `${what} of order ${name} could not be read, and ${why}.`;
      this.#report('order_not_read', { cause }, error, ident);
    }
    this.#end(...endings);
  }

  /** Counts an id that no creation accepts. A column of fixed length adds such blanks. */
  #refuse(ident: string): void {
    if (!this.#begins(ident)) return;
    const cause = `The id ${JSON.stringify(ident)} has white space around it, which no invoice has.`;
    const remedy = 'Trim it, or change the type of the column: CHAR adds blanks.';
    this.#report('order_not_read', { cause, remedy }, undefined, ident);
    this.#end('failed');
  }

  #refuseMissing(count: number): void {
    const cause = `${count} of the orders ${count === 1 ? 'has' : 'have'} no id: NULL, or empty text.`;
    this.#report('order_not_read', { cause, remedy: 'Select the id of each order that waits.' });
    for (let each = 0; each < count; each += 1) this.#end('failed');
  }

  #reportNoneFound(count: number): void {
    this.#report('unknown_order', {
      cause: `The service found none of the ${count} orders by its id. The ids are not external_ids of invoices, the API key belongs to another business, or the service accepts only uuids.`,
      remedy:
        'Compare an id with the invoice in the dashboard. For uuids, keep the uuid of each created invoice in your database, and pass the uuids as orders.',
    });
  }

  /** Counts an order that was looked at. */
  #end(...endings: readonly (keyof CatchUpResult)[]): void {
    this.#counts.checked += 1;
    for (const ending of endings) this.#counts[ending] += 1;
    notify(() => this.#options.onProgress?.({ ...this.#counts, total: this.#idents.length }));
  }

  #report(reason: 'unknown_order' | 'order_not_read', fact: Fact, error?: unknown, ident: string | null = null): void {
    const order = ident === null || isUuid(ident) ? null : orderOf(ident).order;
    report(this.#settings, { ...NO_SUBJECT, external_id: ident, order }, { reason, ...fact, error });
  }
}

/** All invoices of an order are known. */
const WHOLE: OrderKnowledge = { isWhole: true, isOpen: false, isUnpaid: true };

/** Whether a row that cannot be read is of this invoice, and does not say whether it was adjusted either. */
function isSilentAbout(row: unknown, { uuid }: CatchUpInvoice): boolean {
  if (!isObject(row) || !isSameIdent(String(row['uuid']), uuid)) return false;
  return saidOf(row) === null && (row['adjustment'] ?? null) === null;
}

function isFirst({ external_id }: CatchUpInvoice): boolean {
  return orderOf(external_id).renewal === 0;
}

/** Whether a list can tell more of an order. */
function needs({ invoices, isWhole }: Unread, list: ListName, ended: ReadonlySet<ListName>): boolean {
  const known = [...invoices.values()];
  if (isWhole) return list === 'success' && known.some(lacksPayment);
  if (list !== 'all') return true;
  // Only a cancellation needs all invoices, because it is that of the last one, and a renewal needs the first invoice.
  if (known.length > 0 && !invoices.has(0)) return true;
  const isPaid = known.some((each) => each.status === 'success');
  const isOpen = known.some((each) => each.status === 'pending');
  return ended.has('success') && ended.has('pending') && !isPaid && !isOpen;
}

function sorted(invoices: ReadonlyMap<number, CatchUpInvoice>): readonly CatchUpInvoice[] {
  return [...invoices.entries()].sort(([a], [b]) => a - b).map(([, invoice]) => invoice);
}

/**
 * Plays one final invoice through the store and the merchant's function, and reports what is not normal. Never rejects.
 */
async function playInvoice<Extra extends object>(
  invoice: CatchUpInvoice,
  settings: HandlerSettings<Extra>,
  again: boolean,
  stop: AbortSignal | undefined,
): Promise<Verdict> {
  const external_id = String(invoice.external_id);
  const name = JSON.stringify(external_id);
  let subject: ReportSubject = { ...NO_SUBJECT, external_id, order: orderOf(external_id).order };
  const limit = startTimeLimit(settings, stop);
  try {
    const identified = { ...(await identify(eventOfInvoice(invoice, settings.verify), settings)), again };
    subject = { ...subject, key: identified.key };
    const ending = await playInTime(identified, settings, limit, subject);
    const isStopped = stop?.aborted && ending.verdict === 'time_limit'; // the caller aborted before the function began
    // Repeats of completed events are normal here: they are counted and not reported.
    if (!isStopped && ending.verdict !== 'done' && ending.verdict !== 'duplicate') {
      const { verdict: reason, ...fact } = ending;
      const cause = `Invoice ${name}: ${fact.cause ?? REASONS[reason].cause}`;
      report(settings, subject, { reason, ...fact, cause });
    }
    return ending.verdict;
  } catch (error) {
    const why = error instanceof WebhookVerificationError ? error.message : 'It cannot be read.';
    const reason = 'malformed_payload';
    report(settings, subject, { reason, cause: `The invoice ${name} cannot be played. ${why}`, remedy: null });
    return reason;
  } finally {
    limit.end();
  }
}

/** True if every further call would fail. The page of a stranger, also a 401, says nothing about the next order. */
function endsRun(error: unknown): boolean {
  if (!isMerchantError(error) || !failsEveryCall(error)) return false;
  return !('answeredBy' in error) || error.answeredBy === 'service';
}
