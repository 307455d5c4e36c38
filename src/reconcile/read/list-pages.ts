import type { Page } from '../../contract/types.ts';
import { UnexpectedResponseError } from '../../errors/classes.ts';
import { hasKind } from '../../errors/guards.ts';

export const PAGE_SIZE = 100;

/** How to read one list. */
export interface PagesOptions<T> {
  /** Requests in flight. */
  readonly prefetch: number;
  read(page: number): PromiseLike<Page<T>>;
}

/** A walk makes at most `READS_FACTOR` × total_pages + `READS_SPARE` requests. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

/**
 * Reads the pages of a list that moves meanwhile. Rows may come twice: the reader recognises them by their uuid. Unlike
 * the walk of a list, this one remembers no rows, so its memory does not grow. Where `total_items` becomes smaller, rows
 * have moved forward, and the pages that they may have reached are read again.
 */
export async function* readPages<T>({ prefetch, read }: PagesOptions<T>): AsyncGenerator<Page<T>, void, undefined> {
  const ahead = new Map<number, Promise<Page<T>>>();
  const again: number[] = [];
  let made = 0;
  let total = 0;
  let pages = 1;
  const request = (number: number): Promise<Page<T>> => {
    const known = ahead.get(number);
    if (known !== undefined) return known;
    if (made >= READS_FACTOR * pages + READS_SPARE) throw tooMany(made, pages, number);
    made += 1;
    const answer = Promise.resolve(read(number));
    answer.catch(() => {}); // requested ahead: no code may wait for it when it fails
    ahead.set(number, answer);
    return answer;
  };
  for (let front = 0, isEnded = false; !isEnded || again.length > 0; ) {
    const number = again.pop() ?? front + 1;
    const answer = request(number);
    ahead.delete(number);
    for (let next = number + 1; number > front && next < number + prefetch && next <= pages; next += 1) request(next);
    const page = await pageOrEnd(answer, number);
    if (page === null) {
      if (!isEnded) again.push(front); // its count says how many rows have moved forward
      isEnded = true;
      continue;
    }
    const isLastInstead = number > page.total_pages && page.page < number;
    if (page.page !== number && !isLastInstead) throw otherPage(page.page, number);
    yield page;
    const lost = Math.max(0, total - page.total_items);
    total = page.total_items;
    pages = Math.max(1, page.total_pages);
    // It may have been answered before the page in front of it, while a row joined in between.
    if (lost > 0 && prefetch > 1) again.push(page.page);
    for (let back = Math.ceil(lost / Math.max(1, page.per_page)); back > 0; back -= 1) {
      if (page.page > back) again.push(page.page - back);
    }
    if (number <= front) continue;
    front = page.page;
    isEnded = !page.has_next || isLastInstead;
  }
}

/** Null for a page that the list no longer has: the interface does not say how that is answered. */
async function pageOrEnd<T>(answer: Promise<Page<T>>, number: number): Promise<Page<T> | null> {
  try {
    return await answer;
  } catch (error) {
    const isRefused = hasKind(error, 'not_found') || hasKind(error, 'validation') || hasKind(error, 'request');
    if (number > 1 && isRefused) return null;
    throw error;
  }
}

function otherPage(answered: number, asked: number): UnexpectedResponseError {
  const problem = `page ${asked} was asked for and page ${answered} answered. The service may use other names for the query`;
  return pageError(problem, asked);
}

function tooMany(made: number, pages: number, page: number): UnexpectedResponseError {
  return pageError(`${made} requests were made for a list of ${pages} pages, and the list still changes`, page);
}

function pageError(problem: string, page: number): UnexpectedResponseError {
  const message = `reconcile: ${problem}.`;
  return new UnexpectedResponseError({
    code: 'SDK_PAGE',
    operation: 'reconcile',
    page,
    status: 200,
    outcome: 'rejected',
    message,
  });
}
