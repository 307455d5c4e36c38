import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import { seeErrors } from '../transport/failure.ts';

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
  onPage?: ((page: Page<T>) => void) | undefined;
  /** Called with the error that ends the walk. Requests that fail after the walk has ended are not reported. */
  onFailure?: ((error: unknown) => void) | undefined;
  /** Called when the walk ends, without repeats, with fewer rows than the service counts. */
  onShort?: (() => void) | undefined;
}

/** A walk makes at most `READS_FACTOR` × total_pages + `READS_SPARE` requests. */
const READS_FACTOR = 3;
const READS_SPARE = 10;
/** The requests of one walk: those in flight ahead of the reader, and how many were made. */
export class PageRequests<T> {
  readonly #source: PageSource<T>;
  readonly #ahead = new Map<number, Promise<Page<T>>>();
  readonly #controller = new AbortController();
  readonly #release: () => void;
  #made = 1;

  constructor(source: PageSource<T>) {
    const { signal } = source;
    this.#source = source;
    const onAbort = (): void => this.#controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
    this.#release = () => signal?.removeEventListener('abort', onAbort);
  }

  /** Requests made, the one for the first page included. */
  get made(): number {
    return this.#made;
  }

  isInFlight(page: number): boolean {
    return this.#ahead.has(page);
  }

  /** Reads a page, and requests those after it up to `last`, as far as the walk may. `totalPages` bounds its requests. */
  async read(number: number, last: number, totalPages: number): Promise<Page<T>> {
    const page = this.#request(number, totalPages);
    this.#ahead.delete(number);
    for (let ahead = number + 1; ahead <= last && this.#mayRequest(totalPages); ahead += 1)
      this.#request(ahead, totalPages);
    return page;
  }

  /** Forgets the requests in flight, whose answers are too old. */
  forget(): void {
    this.#ahead.clear();
  }

  /** Ends the requests in flight. */
  end(): void {
    this.#release();
    this.#controller.abort();
  }

  #mayRequest(totalPages: number): boolean {
    return this.#made < READS_FACTOR * totalPages + READS_SPARE;
  }

  #request(number: number, totalPages: number): Promise<Page<T>> {
    const inFlight = this.#ahead.get(number);
    if (inFlight !== undefined) return inFlight;
    if (!this.#mayRequest(totalPages)) {
      throw pageError(
        this.#source.operation,
        number,
        `the walk has made ${this.#made} requests for a list of ${totalPages} pages, and the list still changes`,
      );
    }
    this.#made += 1;
    const page = this.#source.read(number, this.#controller.signal);
    page.catch(() => {}); // requested ahead: no code may wait for it when it fails
    this.#ahead.set(number, page);
    return page;
  }
}

/**
 * Returns the problem of a page, or null. The page must be the one that was asked for, or the last one if the list has
 * become shorter. A service that ignores the query names answers the same page each time. A service that changes the
 * size between two pages skips rows.
 */
export function pageProblem(page: Page<unknown>, asked: number, rows: number, size: number): string | null {
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
export function pageError(operation: string, page: number, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError({
    code: 'SDK_PAGE',
    operation,
    page,
    status: 200,
    outcome: 'rejected',
    message: `${operation}: ${problem}. ${seeErrors('SDK_PAGE')}`,
  });
}
