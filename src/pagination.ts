import type { Page } from './contract/types.ts';
import { hasKind, UnexpectedResponseError } from './errors.ts';
import { merged, type Span, without } from './pagination-gaps.ts';

/** A list to walk: its first answer, and how to get the others. */
export interface PageSource<T> {
  /** For messages, such as `invoices.list`. */
  readonly operation: string;
  readonly first: Page<T>;
  /** The page that `first` was asked as. */
  readonly startPage: number;
  /** The page size that was asked for; null when the service's default was taken. */
  readonly perPage: number | null;
  /** Requests in flight ahead of the reader. */
  readonly prefetch: number;
  readonly signal: AbortSignal | null;
  /** What makes an item the same item on another page. */
  key(item: T): string;
  read(page: number, perPage: number, signal: AbortSignal): Promise<Page<T>>;
  onPage?: ((page: Page<T>) => void) | undefined;
}

/**
 * Walks the pages of a list that moves while it is read, each with the items not seen before. The first copy of an
 * item wins. Where `total_items` shrinks, the rows behind the reader have moved forward, so the pages into which they
 * can have moved are read again. Ends at `has_next: false`, or at a page without anything new that no movement explains.
 * Leaving the loop ends the requests in flight.
 */
export async function* walkPages<T>(source: PageSource<T>): AsyncGenerator<Page<T>, void, undefined> {
  const walk = new Walk(source);
  try {
    for (let page = source.first, number = source.startPage; ; ) {
      const fresh = walk.take(page, number);
      if (fresh !== null) yield fresh;
      for (let isRead = false; !isRead; ) {
        const next = walk.next();
        if (next === null) return;
        try {
          page = await walk.read(next);
          number = next;
          isRead = true;
        } catch (error) {
          walk.refuse(next, error); // throws, unless the list has become shorter than this
        }
      }
    }
  } finally {
    walk.leave();
  }
}

/** Reads beyond this are not a walk any more: `READS_FACTOR` × total_pages + `READS_SPARE`. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

class Walk<T> {
  readonly #source: PageSource<T>;
  readonly #perPage: number;
  readonly #seen = new Set<string>();
  readonly #ahead = new Map<number, Promise<Page<T>>>();
  readonly #controller = new AbortController();
  readonly #release: () => void;
  /** Places behind the front where rows not seen yet may stand, merged. From the front on, none is seen yet. */
  #gaps: readonly Span[] = [];
  #front: number;
  /** Rows that have joined and not shown yet as repeats of those that they moved backward. */
  #joined = 0;
  #total: number;
  #totalPages: number;
  #reads = 1;
  #ended = false;
  /** A page that was refused: perhaps the list has become shorter. The next page back that is there will show it. */
  #refused: { readonly page: number; readonly error: unknown } | null = null;
  #retreat: number | null = null;

  constructor(source: PageSource<T>) {
    const { signal, first } = source;
    this.#source = source;
    this.#perPage = source.perPage ?? first.per_page;
    this.#front = source.startPage - 1;
    this.#total = first.total_items;
    this.#totalPages = first.total_pages;
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    this.#release = () => signal?.removeEventListener('abort', onAbort);
  }

  /** Notes a page and returns it with its new items; null for one that was read again in vain. */
  take(page: Page<T>, asked: number): Page<T> | null {
    const number = this.#answered(page, asked);
    const isPastEnd = number !== asked || this.#retreat !== null;
    if (isPastEnd && this.#reads === 1) {
      this.#ended = true; // the walk was to begin behind the end
      return null;
    }
    this.#source.onPage?.(page);
    const isForward = number > this.#front;
    const fresh = page.items.filter((item) => this.#isNew(item));
    const lost = this.#total - page.total_items;
    this.#move(lost, page.total_items);
    this.#close(number);
    this.#joined += Math.max(0, -lost);
    if (isPastEnd) this.#turnBack(page.total_items);
    else if (isForward) this.#ended = !page.has_next || !this.#goesOn(page.items.length, fresh.length, lost);
    else if (number === this.#front) this.#ended = !page.has_next;
    this.#front = Math.max(this.#front, number);
    this.#total = page.total_items;
    this.#totalPages = Math.max(this.#totalPages, page.total_pages);
    return isForward || fresh.length > 0 ? { ...page, items: fresh } : null;
  }

  /** Notes that there is no such page any more; throws the error where that cannot be why. */
  refuse(number: number, error: unknown): void {
    const maybePastEnd = hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request');
    if (!maybePastEnd) throw error;
    if (number <= 1) throw this.#refused?.error ?? error;
    this.#ahead.delete(number);
    this.#refused ??= { page: number, error };
    this.#retreat = number - 1;
  }

  /** The rest of the list is gone, and rows not seen yet may have moved into the pages before. */
  #turnBack(total: number): void {
    const { page, error } = this.#refused ?? {};
    // By its own count the list has the page that it refuses: something else is wrong.
    if (page !== undefined && total > (page - 1) * this.#perPage) throw error;
    this.#refused = null;
    this.#retreat = null;
    this.#ended = true;
  }

  /**
   * The page to read now. What is in flight comes first: it shows an older state than anything asked for now would.
   * Then the gaps, the last one first, because rows move towards the beginning. One on the front
   * page itself waits for the next page: else a list that loses a row with each read would hold the walk there for ever.
   */
  next(): number | null {
    if (this.#retreat !== null) return this.#retreat;
    if (!this.#ended && this.#ahead.has(this.#front + 1)) return this.#front + 1;
    const limit = this.#ended ? Number.POSITIVE_INFINITY : (this.#front - 1) * this.#perPage;
    const gap = this.#gaps.filter(({ from }) => from < limit).at(-1);
    if (gap !== undefined) return Math.ceil(Math.min(gap.to, limit) / this.#perPage);
    return this.#ended ? null : this.#front + 1;
  }

  async read(number: number): Promise<Page<T>> {
    const page = this.#request(number);
    this.#ahead.delete(number);
    const goesOn = number > this.#front && !this.#ended && this.#gaps.length === 0;
    const last = goesOn ? Math.min(number + this.#source.prefetch - 1, this.#totalPages) : 0;
    for (let ahead = number + 1; ahead <= last; ahead += 1) this.#request(ahead);
    return page;
  }

  leave(): void {
    this.#release();
    this.#controller.abort();
  }

  #request(number: number): Promise<Page<T>> {
    const inFlight = this.#ahead.get(number);
    if (inFlight !== undefined) return inFlight;
    if (this.#reads >= READS_FACTOR * this.#totalPages + READS_SPARE) {
      throw this.#problem(
        number,
        `the walk has made ${this.#reads} requests for a list of ${this.#totalPages} pages, which does not come to rest`,
      );
    }
    this.#reads += 1;
    const page = this.#source.read(number, this.#perPage, this.#controller.signal);
    page.catch(() => {}); // asked ahead of time: nobody may be waiting when it fails
    this.#ahead.set(number, page);
    return page;
  }

  #isNew(item: T): boolean {
    const key = this.#source.key(item);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  /** A page without anything new is the end, unless rows were lost, or as many have joined as are repeated here. */
  #goesOn(items: number, fresh: number, lost: number): boolean {
    const explained = lost > 0 || (items > 0 && items <= this.#joined);
    this.#joined = Math.max(0, this.#joined - (items - fresh));
    return fresh > 0 || explained;
  }

  /** Rows not seen yet have moved: up to `lost` places forward, or, where the list has grown, backward. */
  #move(lost: number, total: number): void {
    const front = this.#front * this.#perPage;
    const moved = this.#gaps.map(({ from, to }) => ({ from: from - Math.max(0, lost), to: to + Math.max(0, -lost) }));
    if (lost > 0 && !this.#ended) moved.push({ from: front - lost, to: front });
    const end = this.#ended ? total : Math.min(total, front);
    this.#gaps = merged(moved.map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(to, end) })));
  }

  /** This page has been seen. */
  #close(number: number): void {
    this.#gaps = without(this.#gaps, { from: (number - 1) * this.#perPage, to: number * this.#perPage });
  }

  /**
   * The number of the page that came: the one asked for, or the last, where there is none so high any more. A service
   * that does not know our query names answers the same page for ever.
   */
  #answered(page: Page<T>, number: number): number {
    const isLastInstead = number > page.total_pages && page.page === Math.max(1, page.total_pages);
    if (page.page !== number && !isLastInstead) {
      throw this.#problem(number, `page ${number} was asked for and page ${page.page} answered`);
    }
    if (page.per_page !== this.#perPage || page.per_page < 1) {
      throw this.#problem(number, `pages of ${this.#perPage} were asked for and pages of ${page.per_page} answered`);
    }
    return page.page;
  }

  #problem(page: number, problem: string): UnexpectedResponseError {
    const { operation } = this.#source;
    return new UnexpectedResponseError({
      code: 'SDK_PAGE',
      operation,
      page,
      status: 200,
      outcome: 'rejected',
      message: `${operation}: ${problem}. The service may use other names for the query; see docs/pagination.md.`,
    });
  }
}
