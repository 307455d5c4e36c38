import { isObject } from '../contract/json.ts';
import { orderOf } from '../contract/orders.ts';
import { isSameIdent } from '../contract/values/scalars.ts';

// Invoices that no path gave are looked up in the lists, in a walk for all of them together. Its pages are bounded, because
// a list may be long.

/** The pages that a call or a run may still read. It is shared by its walks. */
export interface PageBudget {
  pages: number;
}

/**
 * How a walk through a list ended. `end`: the list was read whole, so what it did not show does not exist. `enough`: the
 * reader has what it wants. `limit`: there are more pages.
 */
export type WalkEnding = 'end' | 'enough' | 'limit';

/**
 * Walks a list as far as its reader needs it.
 *
 * @param visit Takes each page. Returns true if it needs no further one.
 */
export async function walkPagesWithin<Page>(
  pages: AsyncIterable<Page>,
  budget: PageBudget,
  visit: (page: Page) => boolean | Promise<boolean>,
): Promise<WalkEnding> {
  if (budget.pages <= 0) return 'limit';
  for await (const page of pages) {
    budget.pages -= 1;
    if (await visit(page)) return 'enough';
    if (budget.pages <= 0) return 'limit';
  }
  return 'end';
}

/**
 * Whether a row that cannot be read may be an invoice of the order. While it may be, a list shows neither that the order
 * has no further invoice nor that nobody has paid it.
 */
export function mayBeOf(row: unknown, ident: string, order: string): boolean {
  if (!isObject(row)) return true;
  const { uuid, external_id } = row;
  if (typeof uuid !== 'string' || typeof external_id !== 'string') return true;
  return isSameIdent(uuid, ident) || orderOf(external_id).order === order;
}
