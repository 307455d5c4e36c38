import { isFinalStatus } from '../../contract/statuses.ts';
import { isOfAnotherSystem } from '../../lookup/order.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';

/** What a run plays of an order, and how the order counts. */
export interface OrderPlan {
  /** The invoices whose events are played, one after the other. */
  readonly play: readonly CatchUpInvoice[];
  /**
   * How the order counts besides its events. `failed`: something of it is not known, or is not played. Null: its events
   * are all that is to be counted.
   */
  readonly counts: 'open' | 'unknown' | 'failed' | null;
  /** Invoices that another system created under an id of this order. They are not played. */
  readonly others: readonly CatchUpInvoice[];
}

/**
 * Decides what is played of an order: each payment, also behind an invoice that is open. A cancellation is played only for
 * the last invoice, and only where none is paid or open and all are known. So no order is canceled that somebody has
 * paid, or still can pay.
 *
 * @param invoices The invoices of the order that could be read, the first one first.
 * @param isWhole Whether these are all.
 * @param isOpen Whether an invoice of the order that is not among them is known to be open.
 */
export function planOf(invoices: readonly CatchUpInvoice[], isWhole: boolean, isOpen: boolean): OrderPlan {
  const [first] = invoices;
  const others = invoices.filter((invoice) => first !== undefined && isOfAnotherSystem(first, invoice));
  const own = invoices.filter((invoice) => !others.includes(invoice));
  const isSure = isWhole && others.length === 0;
  const paid = own.filter(({ status }) => status === 'success');
  if (paid.length > 0) return { play: paid, counts: isSure ? null : 'failed', others };
  if (others.length === 0 && (isOpen || own.some(({ status }) => !isFinalStatus(status))))
    return { play: [], counts: 'open', others };
  if (!isSure) return { play: [], counts: 'failed', others };
  const last = own.at(-1);
  return last === undefined ? { play: [], counts: 'unknown', others } : { play: [last], counts: null, others };
}
