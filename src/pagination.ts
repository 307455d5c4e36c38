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
 * can have moved are read again, once. Ends at `has_next: false`, or at a page without anything new that no growth explains.
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

class Walk<T> {
  readonly #source: PageSource<T>;
  readonly #perPage: number;
  readonly #seen = new Set<string>();
  readonly #ahead = new Map<number, Promise<Page<T>>>();
  readonly #again: number[] = [];
  readonly #controller = new AbortController();
  readonly #release: () => void;
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
    if (lost > 0) this.#readAgain(isForward ? number - 1 : this.#front, lost);
    if (isForward) this.#ended = !page.has_next || (fresh.length === 0 && lost === 0);
    else if (number === this.#front) this.#ended = !page.has_next;
    this.#front = Math.max(this.#front, number);
    this.#total = page.total_items;
    this.#totalPages = Math.max(this.#totalPages, page.total_pages);
    return isForward || fresh.length > 0 ? { ...page, items: fresh } : null;
  }

  next(): number | null {
    return this.#again.shift() ?? (this.#ended ? null : this.#front + 1);
  }

  async read(number: number): Promise<Page<T>> {
    const page = this.#request(number);
    this.#ahead.delete(number);
    const last = this.#ended ? 0 : Math.min(number + this.#source.prefetch - 1, this.#totalPages);
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

  /** Rows not yet seen may have moved at most `lost` places forward, into the pages up to `end`. */
  #readAgain(end: number, lost: number): void {
    const from = Math.max(1, end - Math.ceil(lost / this.#perPage) + 1);
    for (let number = end; number >= from; number -= 1) {
      if (!this.#again.includes(number)) this.#again.push(number);
    }
  }

  /** A service that does not know our query names answers the same page for ever. */
  #check(page: Page<T>, number: number): void {
    if (page.page !== number) {
      throw this.#problem(number, `page ${number} was asked for and page ${page.page} answered`);
    }
    if (page.per_page !== this.#perPage) {
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
