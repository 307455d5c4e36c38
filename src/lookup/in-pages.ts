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
