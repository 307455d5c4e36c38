import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { CatchUpCursor, CatchUpTotal } from './cursor.ts';
import type { ListWalk, Order } from './lists/list-walk.ts';

/** Invoices that have left the pending list for one status since the last run. */
interface Ended {
  /** They are in the count of the list. */
  certain: number;
  /** They ended during this run, so they may be in the count. */
  uncertain: number;
}

/** Compares the counts of the service with the invoices that this run has found, so that a lost one shows. */
export class Totals {
  /** For the comparison with the last run. */
  readonly #ended = new Map<FinalInvoiceStatus, Ended>();
  /** For the next run: invoices that ended in this one, and that its count may lack. */
  readonly #late = new Map<FinalInvoiceStatus, number>();

  /** Takes an invoice that the last run saw as pending. */
  addEnded(status: FinalInvoiceStatus, isCounted: boolean): void {
    const ended = this.#ended.get(status) ?? { certain: 0, uncertain: 0 };
    ended[isCounted ? 'certain' : 'uncertain'] += 1;
    this.#ended.set(status, ended);
  }

  /** Takes an invoice that was pending when this run began, and that the count of its list may lack. */
  addLate(status: FinalInvoiceStatus): void {
    this.#late.set(status, (this.#late.get(status) ?? 0) + 1);
  }

  /** True if every older row of the list is accounted for. */
  addUp(walk: ListWalk, status: FinalInvoiceStatus, cursor: CatchUpCursor): boolean {
    const { order } = walk;
    const total = order === null ? null : cursor.totals[status][order];
    const count = order === null ? null : walk.old.get(order).count;
    if (total === null || count === null) return false;
    const [least, most] = total;
    // No invoice finishes before a time that has passed. One that was created before it may still be pending.
    const { certain, uncertain } = (order === 'created' && this.#ended.get(status)) || { certain: 0, uncertain: 0 };
    return count >= least + certain && count <= most + certain + uncertain;
  }

  /** Returns the counts of a list for the next run. */
  of(walk: ListWalk, status: FinalInvoiceStatus): Readonly<Record<Order, CatchUpTotal>> {
    const read = (order: Order, late: number): CatchUpTotal => {
      const counter = walk.next.get(order);
      const isKnown = walk.isRegular && walk.orders[order].mayHold && (counter.isSettled || walk.hasEnded);
      const { count } = counter;
      return isKnown && count !== null && count >= 0 ? [count, count + late] : null;
    };
    return { created: read('created', this.#late.get(status) ?? 0), finished: read('finished', 0) };
  }
}
