import type { Page } from '../../contract/types.ts';
import type { NotCompared } from '../findings.ts';
import type { Settings } from '../options.ts';

/**
 * Compares the number of different invoices with the count of the service: a list without a stable order repeats some rows
 * and hides others. The check works only for one list that is read from end to end.
 */
export class ListCheck {
  readonly #isUsable: boolean;
  #least = Number.POSITIVE_INFINITY;
  #unread = 0;

  constructor({ statuses, since, until }: Pick<Settings, 'statuses' | 'since' | 'until'>) {
    this.#isUsable = statuses.length === 1 && !Number.isFinite(since) && !Number.isFinite(until);
  }

  take({ total_items }: Pick<Page<unknown>, 'total_items'>, unread: number): void {
    this.#least = Math.min(this.#least, total_items);
    this.#unread += unread;
  }

  /** Reports the number of missing invoices. */
  *shortage(invoices: number): Generator<NotCompared, void, undefined> {
    const missing = this.#least - invoices - this.#unread;
    if (!this.#isUsable || !Number.isFinite(missing) || missing <= 0) return;
    yield {
      kind: 'not_compared',
      external_id: null,
      currency: null,
      reason: 'invoices_not_listed',
      problem: `The list counts ${this.#least} invoices and served ${missing} fewer: it has no stable order. Run it again.`,
      place: 'the list',
    };
  }
}
