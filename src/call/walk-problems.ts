import type { Page } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';

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
