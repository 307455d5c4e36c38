import type { Page } from '../contract/types.ts';
import { Walk } from './walk.ts';

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

/**
 * Walks the pages of a list that moves while it is read, each with the items not seen before. The first copy of an
 * item wins. Where `total_items` shrinks, the rows behind the reader have moved forward, so the pages into which they
 * can have moved are read again. A page that brings nothing new, though more rows are counted, is read again once, and
 * so is the whole list when rows were repeated and others are missing; what is missing then is an error.
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
  } catch (error) {
    source.onFailure?.(error);
    throw error;
  } finally {
    walk.leave();
  }
}
