import type { Page } from './contract/types.ts';
import { UnexpectedResponseError } from './errors.ts';

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
      const next = walk.next();
      if (next === null) return;
      number = next;
      page = await walk.read(next);
    }
  } finally {
    walk.leave();
  }
}

/** Reads beyond this are not a walk any more: `READS_FACTOR` × total_pages + `READS_SPARE`. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

/** Places in the list, from 0, up to but not including `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

class Walk<T> {
  readonly #source: PageSource<T>;
  readonly #perPage: number;
  readonly #seen = new Set<string>();
  readonly #ahead = new Map<number, Promise<Page<T>>>();
  readonly #controller = new AbortController();
  readonly #release: () => void;
  /** Places behind the front where rows not seen yet may stand. From the front on, all rows are not seen yet. */
  #gaps: readonly Span[] = [];
  #front: number;
  #total: number;
  #totalPages: number;
  #reads = 1;
  #ended = false;

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
  take(page: Page<T>, number: number): Page<T> | null {
    this.#check(page, number);
    this.#source.onPage?.(page);
    const isForward = number > this.#front;
    const fresh = page.items.filter((item) => this.#isNew(item));
    const lost = this.#total - page.total_items;
    this.#move(lost, page.total_items);
    this.#close(number);
    if (isForward) this.#ended = !page.has_next || (fresh.length === 0 && lost === 0);
    else if (number === this.#front) this.#ended = !page.has_next;
    this.#front = Math.max(this.#front, number);
    this.#total = page.total_items;
    this.#totalPages = Math.max(this.#totalPages, page.total_pages);
    return isForward || fresh.length > 0 ? { ...page, items: fresh } : null;
  }

  /**
   * The page to read now. Gaps come first, the last one first, because rows move towards the beginning. One on the front
   * page itself waits for the next page: else a list that loses a row with each read would hold the walk there for ever.
   */
  next(): number | null {
    const limit = this.#ended ? Number.POSITIVE_INFINITY : (this.#front - 1) * this.#perPage;
    const ends = this.#gaps.filter(({ from }) => from < limit).map(({ to }) => Math.min(to, limit));
    if (ends.length > 0) return Math.ceil(Math.max(...ends) / this.#perPage);
    return this.#ended ? null : this.#front + 1;
  }

  async read(number: number): Promise<Page<T>> {
    const page = this.#request(number);
    this.#ahead.delete(number);
    const isForward = number > this.#front && !this.#ended;
    const last = isForward ? Math.min(number + this.#source.prefetch - 1, this.#totalPages) : 0;
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

  /** Rows not seen yet have moved: up to `lost` places forward, or, where the list has grown, backward. */
  #move(lost: number, total: number): void {
    const front = this.#front * this.#perPage;
    const moved = this.#gaps.map(({ from, to }) => ({ from: from - Math.max(0, lost), to: to + Math.max(0, -lost) }));
    if (lost > 0 && !this.#ended) moved.push({ from: front - lost, to: front });
    const end = this.#ended ? total : Math.min(total, front);
    this.#gaps = moved.map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(to, end) })).filter(isSpan);
  }

  /** This page has been seen. */
  #close(number: number): void {
    const [start, end] = [(number - 1) * this.#perPage, number * this.#perPage];
    this.#gaps = this.#gaps
      .flatMap(({ from, to }) => [
        { from, to: Math.min(to, start) },
        { from: Math.max(from, end), to },
      ])
      .filter(isSpan);
  }

  /** A service that does not know our query names answers the same page for ever. */
  #check(page: Page<T>, number: number): void {
    if (page.page !== number) {
      throw this.#problem(number, `page ${number} was asked for and page ${page.page} answered`);
    }
    if (page.per_page !== this.#perPage || page.per_page < 1) {
      throw this.#problem(number, `pages of ${this.#perPage} were asked for and pages of ${page.per_page} answered`);
    }
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

function isSpan({ from, to }: Span): boolean {
  return from < to;
}
