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
  /** Invoices whose status no interface names. They are not played, and are not taken for open. */
  readonly unlisted: readonly CatchUpInvoice[];
}

/** What is known of an order besides its invoices. */
export interface OrderKnowledge {
  /** Whether these are all its invoices. */
  readonly isWhole: boolean;
  /** Whether an invoice of the order that is not among them is known to be open. */
  readonly isOpen: boolean;
  /** Whether no invoice that is not among them can have been paid. */
  readonly isUnpaid: boolean;
}

/**
 * Decides what is played of an order: each payment, also behind an invoice that is open. A cancellation is played only for
 * the last invoice, and only where none is paid or open and all are known. So no order is canceled that somebody has
 * paid, or still can pay. An order is open only where no payment of it can be hidden.
 *
 * @param invoices The invoices of the order that could be read, the first one first.
 */
export function planOf(invoices: readonly CatchUpInvoice[], { isWhole, isOpen, isUnpaid }: OrderKnowledge): OrderPlan {
  const [first] = invoices;
  const others = invoices.filter((invoice) => first !== undefined && isOfAnotherSystem(first, invoice));
  const own = invoices.filter((invoice) => !others.includes(invoice));
  const unlisted = own.filter(({ status }) => status !== 'pending' && !isFinalStatus(status));
  const isSure = isWhole && others.length === 0 && unlisted.length === 0;
  const plan = (play: readonly CatchUpInvoice[], counts: OrderPlan['counts']) => ({ play, counts, others, unlisted });
  const paid = own.filter(({ status }) => status === 'success');
  if (paid.length > 0) return plan(paid, isSure ? null : 'failed');
  const isPending = isOpen || own.some(({ status }) => status === 'pending');
  if (isPending && (isSure || (isUnpaid && others.length + unlisted.length === 0))) return plan([], 'open');
  if (!isSure) return plan([], 'failed');
  const last = own.at(-1);
  return last === undefined ? plan([], 'unknown') : plan([last], null);
}
