import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import { guideTo } from '../errors/codes.ts';
import { hasKind } from '../errors/guards.ts';

// Page numbers shift while a list is walked. The rule:
//
// - Each row is yielded once, by its key.
// - The front is the first place of the list after the rows that were read, and the next page is the one that holds
//   it. When total_items has become smaller by k, rows have moved forward, so the front moves k places back.
// - If fewer rows were seen at the end than the service counts, or rows came again that no new ones explain, the list
//   is read once more from the start. If some are still missing, the error SDK_PAGE says how many.
// - A page that is refused may have ceased to exist: the page before it is read again, once for each page.
//
// No row comes twice, and none is missed as long as each loss of rows shows as a smaller total_items. Nothing is
// promised for rows that join meanwhile.

/** A page, and the keys of the rows that the service sent on it and that are not among its items. */
export interface ReadPage<T> {
  readonly page: Page<T>;
  readonly skipped: readonly string[];
}

/** The request of one page. */
export interface PageRequest<T> {
  readonly page: Promise<ReadPage<T>>;
  /** Called once if `page` rejects, when it is known whether the walk needs the page. */
  failed(error: unknown, isNeeded: boolean): void;
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
  /** The key by which an item is recognised on another page. */
  key(item: T): string;
  read(page: number, signal: AbortSignal): PageRequest<T>;
}

/** Walks the pages of a list. Each page has the items that no earlier page had. */
export async function* walkPages<T>(source: PageSource<T>): AsyncGenerator<Page<T>, void, undefined> {
  const { operation, first, startPage } = source;
  const size = first.page.per_page;
  const start = (startPage - 1) * size;
  const requests = new PageRequests(source);
  const rows = new RowCount(start, first.page.total_items);
  const places = new ReadPlaces(start);
  let furthest = 0;
  let totalPages = first.page.total_pages;
  let isSecondReading = false;
  let asked = startPage;
  let read = first;
  try {
    for (;;) {
      const { page, skipped } = read;
      const rowsSent = page.items.length + skipped.length;
      const problem = pageProblem(page, asked, rowsSent, size);
      if (problem !== null) throw pageError(operation, asked, problem);
      if (page.page !== asked && read === first) return; // the walk begins behind the end of the list

      const isNewPage = page.page > furthest;
      furthest = Math.max(furthest, page.page);
      totalPages = Math.max(totalPages, page.total_pages);
      const items = page.items.filter((item) => rows.add(source.key(item), isNewPage));
      for (const key of skipped) rows.add(key, false);
      if (items.length > 0 || isNewPage) yield { ...page, items };

      const change = rows.recount(page.total_items);
      if (change < 0) requests.discard(); // requested before the rows moved
      places.move(change);
      places.add((page.page - 1) * size, page.page * size);

      // A page before the furthest one does not show where the list ends. There the count decides.
      const isLast = page.page !== asked || !page.has_next || (rowsSent === 0 && page.page >= page.total_pages);
      const isEnd = places.front > page.page * size ? places.front >= rows.total : isLast;
      if (isEnd && !places.hasGap) {
        if (!rows.isShort) return;
        if (isSecondReading) throw lossError(operation, startPage, rows.missing, rows.total);
        isSecondReading = true;
        rows.countAgain();
        places.forget();
      }
      const next = Math.floor(places.front / size) + 1;
      const isAhead = next > furthest && !isSecondReading;
      ({ asked, read } = await requests.next(next, isAhead, totalPages));
    }
  } finally {
    requests.end();
  }
}

/** The rows that a walk has seen, beside the number that the service counts. */
class RowCount {
  /** Rows before the page at which the walk begins. */
  readonly #before: number;
  readonly #seen = new Set<string>();
  /** Rows added during this reading. The walk need not return them. */
  #joined = 0;
  /** Rows that came again, on pages that were read for the first time; null in the second reading. */
  #repeated: number | null = 0;
  /** The latest total_items. */
  total: number;

  constructor(before: number, total: number) {
    this.#before = before;
    this.total = total;
  }

  /** Whether the row is new. */
  add(key: string, isNewPage: boolean): boolean {
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    if (!isNew && isNewPage && this.#repeated !== null) this.#repeated += 1;
    return isNew;
  }

  /** Takes the total_items of the latest page, and returns by how many it is larger than before. */
  recount(total: number): number {
    const change = total - this.total;
    this.#joined += Math.max(0, change);
    this.total = total;
    return change;
  }

  get missing(): number {
    return this.total - this.#joined - this.#before - this.#seen.size;
  }

  /**
   * True if rows are missing, or if more rows came again than new rows explain.
   */
  get isShort(): boolean {
    return this.missing > 0 || (this.#repeated !== null && this.#repeated > this.#joined);
  }

  /** Begins the second reading, which shows the rows that joined during the first. */
  countAgain(): void {
    this.#joined = 0;
    this.#repeated = null;
  }
}

/** The places of a list that were read: those before the front, and perhaps a block behind it. */
class ReadPlaces {
  readonly #start: number;
  #front: number;
  #block: { readonly from: number; readonly to: number } | null = null;

  constructor(start: number) {
    this.#start = start;
    this.#front = start;
  }

  /** The first place that was not read. */
  get front(): number {
    return this.#front;
  }

  get hasGap(): boolean {
    return this.#block !== null;
  }

  /** Moves the rows that were read: forward if there are fewer rows than before, and back if there are more. */
  move(change: number): void {
    if (change > 0) this.#block = null; // nothing shows which of its rows have moved
    if (change >= 0) return;
    this.#front = Math.max(0, this.#front + change);
    const { from, to } = this.#block ?? { from: 0, to: 0 };
    this.#block = from < to + change ? { from, to: to + change } : null;
  }

  /** Notes that the places from `from` up to and without `to` were read. */
  add(from: number, to: number): void {
    if (this.#front >= from) this.#front = Math.max(this.#front, to);
    else this.#block ??= { from, to };
    if (this.#block === null || this.#front < this.#block.from) return;
    this.#front = Math.max(this.#front, this.#block.to);
    this.#block = null;
  }

  forget(): void {
    this.#front = this.#start;
  }
}

/** A walk makes at most `REQUESTS_FACTOR` × total_pages + `REQUESTS_SPARE` requests. */
const REQUESTS_FACTOR = 3;
const REQUESTS_SPARE = 10;

/** The requests of a walk, some of them made before the reader needs their pages. */
class PageRequests<T> {
  readonly #source: PageSource<T>;
  /** The last page with a row that the reader takes. */
  readonly #lastWanted: number;
  readonly #inFlight = new Map<number, PageRequest<T>>();
  readonly #refused = new Set<number>();
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.#controller.abort(this.#source.signal?.reason);
  #made = 1; // the first page is read

  constructor(source: PageSource<T>) {
    const { first, startPage, limit = Number.POSITIVE_INFINITY, signal } = source;
    this.#source = source;
    this.#lastWanted = startPage - 1 + Math.ceil(limit / first.page.per_page);
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /**
   * A page, or the one before it if the service refuses it, because it may have ceased to exist. With `isAhead`,
   * pages behind it are requested too. If one of them fails, `next` rejects when the reader needs that page.
   */
  async next(asked: number, isAhead: boolean, totalPages: number): Promise<{ asked: number; read: ReadPage<T> }> {
    const { operation, prefetch } = this.#source;
    if (this.#made >= REQUESTS_FACTOR * totalPages + REQUESTS_SPARE && !this.#inFlight.has(asked)) {
      const changes = `the walk has made ${this.#made} requests for a list of ${totalPages} pages, and the list still changes`;
      throw pageError(operation, asked, changes);
    }
    const request = this.#request(asked);
    const last = isAhead ? Math.min(asked + prefetch - 1, totalPages, this.#lastWanted) : asked;
    for (let ahead = asked + 1; ahead <= last; ahead += 1) this.#request(ahead);
    this.#inFlight.delete(asked);
    try {
      return { asked, read: await request.page };
    } catch (error) {
      const mayBeGone = hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request');
      const isNeeded = !mayBeGone || asked <= 1 || this.#refused.has(asked);
      request.failed(error, isNeeded);
      if (isNeeded) throw error;
      this.#refused.add(asked);
      this.discard();
      return this.next(asked - 1, false, totalPages);
    }
  }

  #request(page: number): PageRequest<T> {
    const inFlight = this.#inFlight.get(page);
    if (inFlight !== undefined) return inFlight;
    this.#made += 1;
    const request = this.#source.read(page, this.#controller.signal);
    request.page.catch(() => {}); // no code may be waiting for it when it rejects
    this.#inFlight.set(page, request);
    return request;
  }

  /** Forgets the pages that were requested ahead, whose rows may have moved. */
  discard(): void {
    for (const { page, failed } of this.#inFlight.values()) page.catch((error: unknown) => failed(error, false));
    this.#inFlight.clear();
  }

  end(): void {
    this.#source.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
    this.discard();
  }
}

/**
 * The problem of a page, or null. The page must be the requested one, or the last one if the list has become
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

/** The error that ends a walk. `page` is where the walk can resume. */
export function pageError(
  operation: string,
  page: number,
  problem: string,
  externalId: string | null = null,
): UnexpectedResponseError {
  const code = 'SDK_PAGE';
  const message = `${operation}: ${problem}. See ${guideTo(code)}`;
  return new UnexpectedResponseError({ code, operation, externalId, page, status: 200, outcome: 'rejected', message });
}
