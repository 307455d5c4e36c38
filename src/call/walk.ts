import type { Page } from '../contract/types.ts';
import type { UnexpectedResponseError } from '../errors/classes.ts';
import { hasKind } from '../errors/guards.ts';
import { Gaps } from './gaps.ts';
import { PageRequests, type PageSource, pageError, pageProblem } from './page-requests.ts';
import { Tally } from './tally.ts';

/** The walk ends after this number of pages in a row without new items, each read twice. */
const BARREN_MAX = 3;
/** A list may become shorter and longer again. A list that refuses a page this many times while it counts it is broken. */
const REFUSALS_MAX = 3;

/**
 * Walks the pages of a list that moves while it is read. Each page has the items that no earlier page had.
 *
 * - Where `total_items` becomes smaller, rows have moved forward. The pages that they may have reached are read again.
 * - A page without new items is read again once if more rows are counted.
 * - The whole list is read again once if rows were repeated and others are missing. Rows missing then are an error.
 * - A caller that leaves the loop ends the requests in flight.
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

/** The state of one walk: which page to read now, and what is new on each. */
class Walk<T> {
  readonly #source: PageSource<T>;
  readonly #size: number;
  readonly #tally: Tally;
  readonly #requests: PageRequests<T>;
  readonly #gaps: Gaps;
  #front: number;
  #totalPages: number;
  #ended = false;
  #isSecondReading = false;
  /** A page that was refused, perhaps because the list has become shorter. The pages before it show that. */
  #refused: { readonly page: number; readonly error: unknown } | null = null;
  #refusals = 0;
  #retreat: number | null = null;
  /** A page without new items, to be read again at once. */
  #again: number | null = null;
  /** Pages in a row without new items even when they were read again, and the first of them. */
  #barren = 0;
  #barrenFrom: number | null = null;
  /** The page behind one that says it is the last, though by its counts there are more. */
  #probe: number | null = null;

  constructor(source: PageSource<T>) {
    const { first, startPage } = source;
    this.#source = source;
    this.#requests = new PageRequests(source);
    this.#size = first.per_page;
    this.#gaps = new Gaps(first.per_page);
    this.#front = startPage - 1;
    this.#tally = new Tally(first.total_items, this.#front * this.#size);
    this.#totalPages = first.total_pages;
  }

  /** Takes a page and returns it with its new items, or null if it was read again without a result. */
  take(page: Page<T>, asked: number): Page<T> | null {
    const others = this.#source.leftOut?.(page) ?? [];
    const rows = page.items.length + others.length;
    const number = this.#answered(page, asked, rows);
    const isPastEnd = number !== asked || this.#retreat !== null;
    if (isPastEnd && this.#requests.made === 1) {
      this.#ended = true; // the walk was to begin behind the end
      return null;
    }
    this.#source.onPage?.(page);
    const isForward = number > this.#front;
    const fresh = page.items.filter((item) => this.#tally.isNew(this.#source.key(item)));
    const news = fresh.length + others.filter((key) => this.#tally.isNew(key)).length;
    const lost = this.#tally.countedAs(page.total_items);
    this.#gaps.move(lost, page.total_items, this.#front, this.#ended);
    this.#gaps.close(number);
    const wasProbe = this.#probe === asked;
    const wasBarren = this.#again === asked;
    this.#probe = null;
    this.#again = null;
    this.#front = Math.max(this.#front, number);
    this.#totalPages = Math.max(this.#totalPages, page.total_pages);
    if (isPastEnd) this.#turnBack(page.total_items);
    else if (wasProbe && news === 0) this.#ended = true;
    else if (isForward) this.#goForward(page, news, rows - news, lost);
    else if (number === this.#front) this.#stayAtFront(page, news, wasBarren);
    if (this.#isSecondReading && this.#tally.missing <= 0) this.#ended = true;
    return fresh.length > 0 || (isForward && !this.#isSecondReading) ? { ...page, items: fresh } : null;
  }

  /** Takes the refusal of a page that may no longer exist. Throws the error if it has another cause. */
  refuse(number: number, error: unknown): void {
    const maybePastEnd = hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request');
    if (!maybePastEnd) throw error;
    this.#again = null;
    if (number === this.#probe) {
      this.#ended = true; // as the page before it has said
      return;
    }
    if (number <= 1) throw this.#refused?.error ?? error;
    this.#refused ??= { page: number, error };
    this.#retreat = number - 1;
  }

  /** The list has become shorter, and rows not seen yet may have moved into earlier pages. */
  #turnBack(total: number): void {
    const refused = this.#refused;
    this.#refused = null;
    this.#retreat = null;
    if (refused === null || total <= (refused.page - 1) * this.#size) {
      this.#ended = true;
      return;
    }
    // By its count the list has the page that it refused. It has become longer again, or the error has another cause.
    this.#refusals += 1;
    if (this.#refusals >= REFUSALS_MAX) throw refused.error;
  }

  #goForward(page: Page<T>, news: number, repeats: number, lost: number): void {
    const isExplained = lost > 0 || (news === 0 && this.#tally.explains(repeats));
    if (!this.#isSecondReading) this.#tally.repeated(this.#front, repeats);
    this.#refusals = 0;
    this.#ended = !this.#goesOn(page);
    if (news > 0) this.#barren = 0;
    if (this.#ended || news > 0 || isExplained) return;
    if (!this.#countsMore(page)) this.#ended = true;
    else if (!this.#isSecondReading) this.#again = this.#front;
    else if (repeats === 0) this.#ended = true;
  }

  /** The front page was read again, because it had no new items or because rows have moved into it. */
  #stayAtFront(page: Page<T>, news: number, wasBarren: boolean): void {
    if (wasBarren) {
      if (this.#barren === 0) this.#barrenFrom = this.#front;
      this.#barren = news > 0 ? 0 : this.#barren + 1;
    }
    this.#ended = !this.#goesOn(page) || this.#barren >= BARREN_MAX;
  }

  /** The page says that there is a next one, or its counts do while rows are missing: then that is tried. */
  #goesOn(page: Page<T>): boolean {
    if (page.has_next) return true;
    const contradictsItself = this.#countsMore(page) && this.#tally.surelyMissing > 0;
    if (contradictsItself) this.#probe = this.#front + 1;
    return contradictsItself;
  }

  /** True when the service counts rows behind the front page. */
  #countsMore(page: Page<T>): boolean {
    return this.#front * this.#size < page.total_items;
  }

  /**
   * Returns the page to read now. Pages in flight come first, because they show an older state than a new request. Then
   * come the gaps, the last one first, because rows move towards the beginning. A gap on the front page waits for the
   * next page. Otherwise a list that loses a row with each read would stop the walk there.
   */
  next(): number | null {
    const now = this.#retreat ?? this.#again;
    if (now !== null) return now;
    if (!this.#ended && this.#requests.isInFlight(this.#front + 1)) return this.#front + 1;
    const gap = this.#gaps.lastBefore(this.#ended ? Number.POSITIVE_INFINITY : this.#front);
    if (gap !== null) return gap;
    return this.#ended ? this.#afterEnd() : this.#front + 1;
  }

  /** Returns the first page if rows were repeated and others are missing. Throws if they still are. */
  #afterEnd(): number | null {
    const { missing, repeatedOn, surelyMissing } = this.#tally;
    if (missing > 0 && this.#barren >= BARREN_MAX) {
      throw this.#lossOf(missing, this.#barrenFrom ?? this.#front, `${BARREN_MAX} pages in a row have no new items`);
    }
    if (missing <= 0 || repeatedOn === null) {
      if (surelyMissing > 0) this.#source.onShort?.();
      return null;
    }
    if (this.#isSecondReading) throw this.#lossOf(missing, repeatedOn, 'pages repeat rows of others');
    this.#isSecondReading = true;
    this.#tally.again();
    this.#requests.forget();
    this.#ended = false;
    this.#front = this.#source.startPage - 1;
    return this.#source.startPage;
  }

  read(number: number): Promise<Page<T>> {
    const goesOn = number > this.#front && !this.#ended && this.#gaps.isEmpty;
    const { prefetch, startPage, limit = Number.POSITIVE_INFINITY } = this.#source;
    const wanted = startPage - 1 + Math.ceil(limit / this.#size);
    const last = goesOn ? Math.min(number + prefetch - 1, this.#totalPages, wanted) : 0;
    return this.#requests.read(number, last, this.#totalPages);
  }

  leave(): void {
    this.#requests.end();
  }

  /** The number of the page that was answered: the one asked for, or the last one where the list has become shorter. */
  #answered(page: Page<T>, asked: number, rows: number): number {
    const problem = asked === this.#probe ? null : pageProblem(page, asked, rows, this.#size);
    if (problem !== null) throw pageError(this.#source.operation, asked, problem);
    return page.page;
  }

  #lossOf(missing: number, page: number, why: string): UnexpectedResponseError {
    const { operation } = this.#source;
    const { total } = this.#tally;
    return pageError(
      operation,
      page,
      `${missing} of ${total} rows ${missing === 1 ? 'is' : 'are'} missing: ${why}, also when they are read again. The list has no stable order`,
    );
  }
}
