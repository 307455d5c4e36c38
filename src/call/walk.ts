import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import { hasKind } from '../errors/guards.ts';
import { seeErrors } from '../transport/failure.ts';

// Page numbers shift while a list is walked. The rule:
//
// - Each row is yielded once, by its key. The walk follows has_next and checks that the answer is the page asked for.
// - When total_items becomes smaller, rows have moved forward, perhaps from an unread page into one that was read. Those
//   pages are read again, the last one first. Until then their places are gaps.
// - When rows were repeated and others are missing at the end, the list has no stable order: it is read again once. Rows
//   that are missing then are an error (SDK_PAGE), as is a list that never comes to rest.
// - A page that is refused may have ceased to exist: the page before it tells, because it has the new total.

/** A list to walk: its first page, and how to read the others. */
export interface PageSource<T> {
  /** For messages, such as `invoices.list`. */
  readonly operation: string;
  /** The first page. Its `per_page` is the size of all pages, because a service may answer another size than was asked for. */
  readonly first: Page<T>;
  /** The page that `first` was asked as. */
  readonly startPage: number;
  /** Requests in flight, the one for the page that the reader waits for included. */
  readonly prefetch: number;
  /** Rows that the reader takes at most. No page behind them is read ahead. */
  readonly limit?: number | undefined;
  readonly signal: AbortSignal | null;
  /** Returns the key by which an item is recognised on another page. */
  key(item: T): string;
  /** Keys of the rows that the service served on this page and that are not among its items. */
  leftOut?: ((page: Page<T>) => readonly string[]) | undefined;
  read(page: number, signal: AbortSignal): Promise<Page<T>>;
  /** Called with the error that ends the walk. Requests that fail after the walk has ended are not reported. */
  onFailure?: ((error: unknown) => void) | undefined;
  /** Called when the walk ends, without repeats, with fewer rows than the service counts. */
  onShort?: (() => void) | undefined;
}

/** Pages in a row without a new row, after which the walk ends. */
const WITHOUT_NEWS_MAX = 3;
/** A list may become shorter and longer again. A list that refuses a page this many times while it counts it is broken. */
const REFUSALS_MAX = 3;

/** Walks the pages of a list. Each page has the items that no earlier page had. */
export async function* walkPages<T>(source: PageSource<T>): AsyncGenerator<Page<T>, void, undefined> {
  const { operation, first, startPage, prefetch, limit = Number.POSITIVE_INFINITY } = source;
  const size = first.per_page;
  const requests = new PageRequests(source);
  const seen = new Set<string>();
  let total = first.total_items;
  let totalPages = first.total_pages;
  let front = startPage - 1; // the last page that was reached
  let isEnded = false;
  let gaps: readonly Gap[] = [];
  let counts = { joined: 0, unexplained: 0, lost: 0 }; // of this reading: rows that joined, those not yet seen as repeats, rows that left
  let lostInAll = 0;
  let repeatedOn: number | null = null; // the first page with repeats that no growth explains
  let seenAgain: Set<string> | null = null; // in the second reading
  let withoutNews = 0;
  let probe: number | null = null; // the page behind one that says it is the last, though the counts say otherwise
  let refused = null as { readonly page: number; readonly error: unknown } | null; // set in `read`
  let refusals = 0;

  const isNew = (key: string): boolean => {
    seenAgain?.add(key);
    return !seen.has(key) && seen.add(key).size > 0;
  };
  const expected = (): number => total - (startPage - 1) * size - counts.joined;
  /** Rows that were never served: exact unless rows have left, and then no less than the truth. */
  const missing = (): number =>
    expected() - Math.max(seenAgain === null ? 0 : seenAgain.size - counts.lost, seen.size - lostInAll);
  const lossError = (page: number, why: string): UnexpectedResponseError => {
    const count = missing();
    const problem = `${count} of ${total} rows ${count === 1 ? 'is' : 'are'} missing: ${why}. The list has no stable order`;
    return pageError(operation, page, problem);
  };

  /** Takes the service's count: rows that left or joined move the unseen ones. */
  const countAs = (counted: number): number => {
    const lost = total - counted;
    total = counted;
    counts.joined += Math.max(0, -lost);
    counts.unexplained += Math.max(0, -lost);
    counts.lost += Math.max(0, lost);
    lostInAll += Math.max(0, lost);
    gaps = movedGaps(gaps, lost, front * size, isEnded ? total : Math.min(total, front * size), isEnded);
    return lost;
  };

  /** Returns the page to read next. Pages in flight come first, because they show an older state than a new request. */
  const nextPage = (): number | null => {
    if (refused !== null) return refused.page - 1;
    if (!isEnded && requests.isInFlight(front + 1)) return front + 1;
    // A gap on the front page waits, or a list that loses a row with each read would stop the walk there.
    const before = isEnded ? Number.POSITIVE_INFINITY : (front - 1) * size;
    const gap = gaps.filter(({ from }) => from < before).at(-1);
    if (gap !== undefined) return Math.ceil(Math.min(gap.to, before) / size);
    if (!isEnded) return front + 1;
    if (missing() > 0 && repeatedOn !== null) {
      if (seenAgain !== null) throw lossError(repeatedOn, 'pages repeat rows of others, also when they are read again');
      seenAgain = new Set();
      counts = { joined: 0, unexplained: 0, lost: 0 };
      requests.forget();
      isEnded = false;
      withoutNews = 0;
      front = startPage - 1;
      return startPage;
    }
    if (expected() > seen.size) source.onShort?.();
    return null;
  };

  /** Reads a page. A refusal of a page that may no longer exist gives null: another page must be read first. */
  const read = async (number: number): Promise<Page<T> | null> => {
    const goesOn = number > front && !isEnded && gaps.length === 0;
    const wanted = startPage - 1 + Math.ceil(limit / size);
    try {
      return await requests.read(number, goesOn ? Math.min(number + prefetch - 1, totalPages, wanted) : 0, totalPages);
    } catch (error) {
      if (!['not_found', 'validation', 'request'].some((kind) => hasKind(error, kind as 'request'))) throw error;
      if (number === probe) isEnded = true;
      else if (number <= 1) throw refused?.error ?? error;
      else refused = { page: number, error: refused?.error ?? error };
      return null;
    }
  };

  try {
    for (let page: Page<T> | null = first, asked = startPage; ; ) {
      if (page !== null) {
        const others = source.leftOut?.(page) ?? [];
        const rows = page.items.length + others.length;
        const problem = asked === probe ? null : pageProblem(page, asked, rows, size);
        if (problem !== null) throw pageError(operation, asked, problem);
        const number = page.page; // the last page where the one that was asked for does not exist
        const isPastEnd = number !== asked || refused !== null;
        if (isPastEnd && requests.made === 1) return;
        const isForward = number > front;
        const fresh = page.items.filter((item) => isNew(source.key(item)));
        const news = fresh.length + others.filter(isNew).length;
        const lost = countAs(page.total_items);
        gaps = withoutPage(gaps, number, size);
        front = Math.max(front, number);
        totalPages = Math.max(totalPages, page.total_pages);
        const isCounted = front * size < total; // the service counts rows behind the front page
        if (refused !== null) {
          // By its count the list has the page that it refused: it has become longer again, or the error has another cause.
          if (total <= (refused.page - 1) * size) isEnded = true;
          else if (++refusals >= REFUSALS_MAX) throw refused.error;
          refused = null;
        } else if (isPastEnd || (asked === probe && news === 0)) isEnded = true;
        else if (isForward) {
          const repeats = rows - news;
          const isExplained = lost > 0 || (repeats > 0 && repeats <= counts.unexplained);
          if (seenAgain === null && repeats > counts.unexplained) repeatedOn ??= number;
          counts.unexplained = Math.max(0, counts.unexplained - repeats);
          refusals = 0;
          withoutNews = news > 0 || isExplained || seenAgain !== null ? 0 : withoutNews + 1;
          if (withoutNews >= WITHOUT_NEWS_MAX && missing() > 0) {
            throw lossError(front - WITHOUT_NEWS_MAX + 1, `${WITHOUT_NEWS_MAX} pages in a row have no new items`);
          }
          isEnded = news === 0 && !isExplained && !isCounted;
        }
        probe = null;
        if (!isEnded && number === front && !page.has_next) {
          if (isCounted && expected() > seen.size) probe = front + 1;
          else isEnded = true;
        }
        if (seenAgain !== null && missing() <= 0) isEnded = true;
        if (fresh.length > 0 || (isForward && seenAgain === null && !isPastEnd)) yield { ...page, items: fresh };
      }
      const next = nextPage();
      if (next === null) return;
      page = await read(next);
      asked = next;
    }
  } catch (error) {
    source.onFailure?.(error);
    throw error;
  } finally {
    requests.end();
  }
}

/** Places behind the front of the walk where rows not seen yet may stand, from 0, up to but not including `to`. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the gaps after rows have left (`lost` above 0) or joined. The rows behind the front, which begins at `end`, are
 * not seen yet, so rows that leave before them open a gap there. No row stands behind `last`.
 */
function movedGaps(gaps: readonly Gap[], lost: number, end: number, last: number, isEnded: boolean): Gap[] {
  const moved = gaps.map(({ from, to }) => ({ from: from - Math.max(0, lost), to: to + Math.max(0, -lost) }));
  if (lost > 0 && !isEnded) moved.push({ from: end - lost, to: end });
  const merged: Gap[] = [];
  for (const gap of moved.sort((a, b) => a.from - b.from)) {
    const [from, to] = [Math.max(0, gap.from), Math.min(gap.to, last)];
    const before = merged.at(-1);
    if (from >= to) continue;
    if (before === undefined || from > before.to) merged.push({ from, to });
    else merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return merged;
}

function withoutPage(gaps: readonly Gap[], page: number, size: number): Gap[] {
  return gaps
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, (page - 1) * size) },
      { from: Math.max(from, page * size), to },
    ])
    .filter(({ from, to }) => from < to);
}

/** A walk makes at most `READS_FACTOR` × total_pages + `READS_SPARE` requests. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

/** The requests of one walk: those in flight ahead of the reader, and how many were made. */
class PageRequests<T> {
  readonly #source: PageSource<T>;
  readonly #ahead = new Map<number, Promise<Page<T>>>();
  readonly #controller = new AbortController();
  readonly #release: () => void;
  made = 1; // the one for the first page

  constructor(source: PageSource<T>) {
    const { signal } = source;
    this.#source = source;
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
    this.#release = () => signal?.removeEventListener('abort', onAbort);
  }

  isInFlight(page: number): boolean {
    return this.#ahead.has(page);
  }

  /** Reads a page, and requests those after it up to `last`, as far as the walk may. */
  read(number: number, last: number, totalPages: number): Promise<Page<T>> {
    const most = READS_FACTOR * totalPages + READS_SPARE;
    if (!this.#ahead.has(number) && this.made >= most) {
      const problem = `the walk has made ${this.made} requests for a list of ${totalPages} pages, and the list still changes`;
      throw pageError(this.#source.operation, number, problem);
    }
    const page = this.#request(number);
    for (let ahead = number + 1; ahead <= last && this.made < most; ahead += 1) this.#request(ahead);
    this.#ahead.delete(number);
    return page;
  }

  #request(number: number): Promise<Page<T>> {
    const inFlight = this.#ahead.get(number);
    if (inFlight !== undefined) return inFlight;
    this.made += 1;
    const page = this.#source.read(number, this.#controller.signal);
    page.catch(() => {}); // requested ahead: no code may wait for it when it fails
    this.#ahead.set(number, page);
    return page;
  }

  /** Forgets the requests in flight, whose answers are too old. */
  forget(): void {
    this.#ahead.clear();
  }

  end(): void {
    this.#release();
    this.#controller.abort();
  }
}

/**
 * Returns the problem of a page, or null. The page must be the one that was asked for, or the last one if the list has
 * become shorter. A service that ignores the query names answers the same page each time. A service that changes the
 * size between two pages skips rows.
 */
function pageProblem(page: Page<unknown>, asked: number, rows: number, size: number): string | null {
  const isLastInstead = asked > page.total_pages && page.page === Math.max(1, page.total_pages);
  if (page.page !== asked && !isLastInstead) {
    return `page ${asked} was asked for and page ${page.page} answered. The service may use other names for the query`;
  }
  if (size < 1 && (rows > 0 || page.total_items > 0)) return `pages of ${size} were answered`;
  // Some services call the rows of the last page its size. As many as on a whole page would be another size.
  const isCount = !page.has_next && page.per_page === rows && rows < size;
  return page.per_page === size || isCount
    ? null
    : `the walk began with pages of ${size}, and pages of ${page.per_page} are answered now: rows between them would be lost`;
}

/** Returns the error that ends a walk. `page` is where the walk can resume. */
function pageError(operation: string, page: number, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError({
    code: 'SDK_PAGE',
    operation,
    page,
    status: 200,
    outcome: 'rejected',
    message: `${operation}: ${problem}. ${seeErrors('SDK_PAGE')}`,
  });
}
