import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import { guideTo } from '../errors/codes.ts';
import { hasKind } from '../errors/guards.ts';

// Page numbers shift while a list is walked. The rule:
//
// - Each row is yielded once, by its key.
// - The front is the first place of the list behind the rows that were read, and the next page is the one that holds it. When
//   total_items has become smaller by k, rows have moved forward, so the front moves k places back.
// - If fewer rows were seen at the end than the service counts, or rows came again that no new ones explain, the list is read
//   once more from the start. If some are still missing, the error SDK_PAGE says how many.
// - A page that is refused may have ceased to exist: the page before it is read again, once for each page.
//
// No row comes twice, and none is missed as long as each loss of rows shows as a smaller total_items. Nothing is promised for
// rows that join meanwhile.

/** A page, and the keys of the rows that the service sent on it and that are not among its items. */
export interface ReadPage<T> {
  readonly page: Page<T>;
  readonly leftOut: readonly string[];
}

/** A list to walk: its first page, and how to read the others. */
export interface PageSource<T> {
  /** For messages, such as `invoices.list`. */
  readonly operation: string;
  /** Its `per_page` is the size of all pages, because a service may send another size than was requested. */
  readonly first: ReadPage<T>;
  /** The number with which `first` was requested. */
  readonly startPage: number;
  /** Requests in flight, the one for the page that the reader waits for included. */
  readonly prefetch: number;
  /** The most rows that the reader takes. No page behind them is read ahead. */
  readonly limit?: number;
  readonly signal: AbortSignal | null;
  /** Returns the key by which an item is recognised on another page. */
  key(item: T): string;
  read(page: number, signal: AbortSignal): Promise<ReadPage<T>>;
}

/** A walk makes at most `READS_FACTOR` × total_pages + `READS_SPARE` requests. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

/** Walks the pages of a list. Each page has the items that no earlier page had. */
export async function* walkPages<T>(source: PageSource<T>): AsyncGenerator<Page<T>, void, undefined> {
  const { operation, first, startPage, prefetch, limit = Number.POSITIVE_INFINITY } = source;
  const size = first.page.per_page;
  const start = (startPage - 1) * size;
  const wanted = startPage - 1 + Math.ceil(limit / size);
  const ahead = new PagesAhead(source);
  const seen = new Set<string>();
  const refused = new Set<number>();
  let total = first.page.total_items;
  let totalPages = first.page.total_pages;
  let joined = 0; // rows that joined during the walk, which it need not find
  let repeated = 0; // rows that were already seen, on pages that were read for the first time
  let furthest = 0;
  let front = start; // see the rule above
  let behind: Block | null = null; // places behind the front that were read already
  let isSecondReading = false;
  const missing = (): number => total - joined - start - seen.size;
  try {
    for (let number = startPage, read: ReadPage<T> | null = first; ; ) {
      if (read !== null) {
        const { page, leftOut } = read;
        const rows = page.items.length + leftOut.length;
        const problem = pageProblem(page, number, rows, size);
        if (problem !== null) throw pageError(operation, number, problem);
        if (page.page !== number && read === first) return; // the walk begins behind the end of the list
        const fresh = page.items.filter((item) => isNew(seen, source.key(item)));
        for (const key of leftOut) seen.add(key);
        if (page.page > furthest) repeated += page.items.length - fresh.length;
        if (fresh.length > 0 || page.page > furthest) yield { ...page, items: fresh };
        furthest = Math.max(furthest, page.page);
        totalPages = Math.max(totalPages, page.total_pages);

        const lost = Math.max(0, total - page.total_items);
        const more = Math.max(0, page.total_items - total);
        joined += more;
        total = page.total_items;
        if (more > 0) behind = null; // its rows may have moved away from the front
        if (lost > 0) {
          ahead.discard(); // requested before the rows moved
          front = Math.max(0, front - lost);
          if (behind !== null) behind = blockOf(behind.from, behind.to - lost);
        }
        const block = { from: (page.page - 1) * size, to: page.page * size };
        if (front >= block.from) front = Math.max(front, block.to);
        else behind ??= block;
        if (behind !== null && front >= behind.from) {
          front = Math.max(front, behind.to);
          behind = null;
        }
        // A page before the furthest one does not show where the list ends. There the count decides.
        const isLast = page.page !== number || !page.has_next || (rows === 0 && page.page >= page.total_pages);
        const isRead = behind === null && (block.to < front ? front >= total : isLast && front > block.from);
        const isShort = missing() > 0 || (!isSecondReading && repeated > joined);
        if (!isShort && isRead) return;
        if (isRead) {
          if (isSecondReading) throw lossError(operation, startPage, missing(), total);
          isSecondReading = true;
          joined = 0; // the second reading shows them
          front = start;
        }
        number = Math.floor(front / size) + 1;
      }
      if (ahead.made >= READS_FACTOR * totalPages + READS_SPARE && !ahead.has(number)) {
        const changes = `the walk has made ${ahead.made} requests for a list of ${totalPages} pages, and the list still changes`;
        throw pageError(operation, number, changes);
      }
      try {
        const isForward = number > furthest && !isSecondReading;
        read = await ahead.take(number, isForward ? Math.min(number + prefetch - 1, totalPages, wanted) : number);
      } catch (error) {
        const mayBeGone = hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request');
        if (!mayBeGone || number <= 1 || refused.has(number)) throw error;
        refused.add(number);
        ahead.discard();
        number -= 1;
        read = null;
      }
    }
  } finally {
    ahead.end();
  }
}

/** Places of the list that were read, from `from` up to and without `to`, with unread places before them. */
interface Block {
  readonly from: number;
  readonly to: number;
}

function blockOf(from: number, to: number): Block | null {
  return from < to ? { from, to } : null;
}

function isNew(seen: Set<string>, key: string): boolean {
  return !seen.has(key) && seen.add(key).size > 0;
}

/** The pages that are requested before the reader needs them. If one fails, `take` rejects when the reader needs it. */
class PagesAhead<T> {
  readonly #source: PageSource<T>;
  readonly #inFlight = new Map<number, Promise<ReadPage<T>>>();
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.#controller.abort(this.#source.signal?.reason);
  /** Requests, the one for the first page included. */
  made = 1;

  constructor(source: PageSource<T>) {
    this.#source = source;
    if (source.signal?.aborted) this.#onAbort();
    else source.signal?.addEventListener('abort', this.#onAbort);
  }

  has(page: number): boolean {
    return this.#inFlight.has(page);
  }

  /** Returns a page, and requests those up to `last` behind it. */
  take(page: number, last: number): Promise<ReadPage<T>> {
    for (let next = page; next <= Math.max(page, last); next += 1) {
      if (this.#inFlight.has(next)) continue;
      this.made += 1;
      const response = this.#source.read(next, this.#controller.signal);
      response.catch(() => {}); // no code may be waiting for it when it rejects
      this.#inFlight.set(next, response);
    }
    const taken = this.#inFlight.get(page);
    this.#inFlight.delete(page);
    return taken ?? Promise.reject(new Error('no such page')); // the loop has requested it
  }

  /** Forgets the requested pages, whose rows may have moved. */
  discard(): void {
    this.#inFlight.clear();
  }

  end(): void {
    this.#source.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}

/**
 * Returns the problem of a page, or null. The page must be the requested one, or the last one if the list has become
 * shorter. A service that ignores the query names would send the same page each time, and one that changes the page
 * size would skip rows.
 */
function pageProblem(page: Page<unknown>, asked: number, rows: number, size: number): string | null {
  const isLastInstead = asked > page.total_pages && page.page === Math.max(1, page.total_pages);
  if (page.page !== asked && !isLastInstead) {
    return `page ${asked} was requested and page ${page.page} came. The service may use other names for the query`;
  }
  if (size < 1 && (rows > 0 || page.total_items > 0)) return `pages of ${size} came`;
  // Some services send the number of rows as the size of the last page.
  const isCount = !page.has_next && page.per_page === rows && rows < size;
  return page.per_page === size || isCount
    ? null
    : `the walk began with pages of ${size}, and pages of ${page.per_page} come now: rows would be skipped`;
}

function lossError(operation: string, page: number, missing: number, total: number): UnexpectedResponseError {
  const rows = `${missing} of ${total} rows ${missing === 1 ? 'is' : 'are'} missing`;
  return pageError(
    operation,
    page,
    `${rows}, although the list was read twice. It has no stable order, or its total_items is wrong`,
  );
}

/** Returns the error that ends a walk. `page` is where the walk can resume. */
function pageError(operation: string, page: number, problem: string): UnexpectedResponseError {
  const code = 'SDK_PAGE';
  const message = `${operation}: ${problem}. See ${guideTo(code)}`;
  return new UnexpectedResponseError({ code, operation, page, status: 200, outcome: 'rejected', message });
}
