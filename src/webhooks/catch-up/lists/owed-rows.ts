import type { CatchUpPage } from '../catch-up-client.ts';

/**
 * Observes the totals of a walk. A total that becomes smaller shows that rows have left, or that a page was answered before
 * the one in front of it. Rows that no page has shown have then moved to pages that were read. The walk reads these pages
 * again, but not at once: requests in flight come first.
 */
export class OwedRows {
  #front = 0;
  #total = 0;
  #areOwed = false;
  #wentBack = false;

  observe({ page, total_items = 0 }: Pick<CatchUpPage, 'page' | 'total_items'>): void {
    if (page <= this.#front) this.#wentBack = true;
    else if (this.#wentBack) this.#areOwed = false; // the walk continues when it has read all of them
    if (total_items < this.#total) {
      this.#areOwed = true;
      this.#wentBack = false;
    }
    this.#front = Math.max(this.#front, page);
    this.#total = total_items;
  }

  /** True while the walk has pages to read again. */
  get areOwed(): boolean {
    return this.#areOwed;
  }
}
