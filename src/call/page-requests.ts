import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';

/** A list to walk: its first answer, and how to get the others. */
export interface PageSource<T> {
  /** For messages, such as `invoices.list`. */
  readonly operation: string;
  /** Its `per_page` is the size of all pages: a service may answer another size than was asked for. */
  readonly first: Page<T>;
  /** The page that `first` was asked as. */
  readonly startPage: number;
  /** Requests in flight ahead of the reader. */
  readonly prefetch: number;
  readonly signal: AbortSignal | null;
  /** What makes an item the same item on another page. */
  key(item: T): string;
  /** Keys of the rows that the service served on this page and that are not among its items. */
  leftOut?: ((page: Page<T>) => readonly string[]) | undefined;
  read(page: number, signal: AbortSignal): Promise<Page<T>>;
  onPage?: ((page: Page<T>) => void) | undefined;
  /** Called with the error that ends the walk. A request that fails after the walk has ended is no failure. */
  onFailure?: ((error: unknown) => void) | undefined;
  /** Called when the walk ends, without repeats, with fewer rows than the service counts. */
  onShort?: (() => void) | undefined;
}

/** Reads beyond this are not a walk any more: `READS_FACTOR` × total_pages + `READS_SPARE`. */
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
    else signal?.addEventListener('abort', onAbort, { once: true });
    this.#release = () => signal?.removeEventListener('abort', onAbort);
  }

  /** Requests made, the one for the first page included. */
  get made(): number {
    return this.#made;
  }

  isInFlight(page: number): boolean {
    return this.#ahead.has(page);
  }

  /** Reads a page, and requests those after it up to `last`. `totalPages` bounds the requests of the walk. */
  async read(number: number, last: number, totalPages: number): Promise<Page<T>> {
    const page = this.#request(number, totalPages);
    this.#ahead.delete(number);
    for (let ahead = number + 1; ahead <= last; ahead += 1) this.#request(ahead, totalPages);
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

  #request(number: number, totalPages: number): Promise<Page<T>> {
    const inFlight = this.#ahead.get(number);
    if (inFlight !== undefined) return inFlight;
    if (this.#made >= READS_FACTOR * totalPages + READS_SPARE) {
      throw pageError(
        this.#source.operation,
        number,
        `the walk has made ${this.#made} requests for a list of ${totalPages} pages, which does not come to rest`,
      );
    }
    this.#made += 1;
    const page = this.#source.read(number, this.#controller.signal);
    page.catch(() => {}); // asked ahead of time: nobody may be waiting when it fails
    this.#ahead.set(number, page);
    return page;
  }
}

/**
 * What is wrong with an answer to a walk; null when it is the page that was asked for, or the last one, where there is
 * none so high any more. A service that does not know our query names answers the same page for ever; one that changes
 * the size between two pages skips rows.
 */
export function problemOf(page: Page<unknown>, asked: number, rows: number, size: number): string | null {
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

/** The error that ends a walk; `page` is where it can resume. */
export function pageError(operation: string, page: number, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError({
    code: 'SDK_PAGE',
    operation,
    page,
    status: 200,
    outcome: 'rejected',
    message: `${operation}: ${problem}; see docs/pagination.md.`,
  });
}
