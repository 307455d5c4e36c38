import { eventOfStatus } from '../../contract/statuses.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import type { FindingKind, FindingValues, NotCompared, OrderState } from '../findings.ts';
import type { InvoiceRow, OrderRow } from '../rows/rows.ts';

/** The order and the invoice of one `external_id`. */
export interface Pair {
  readonly id: string;
  readonly order: OrderRow | null;
  readonly invoice: InvoiceRow | null;
}

/** A difference between an order and its invoice: a finding without its facts. */
export type Difference = {
  readonly [Kind in Exclude<FindingKind, 'duplicate_order' | 'webhook_not_delivered'>]: {
    readonly kind: Kind;
  } & FindingValues[Kind];
}[Exclude<FindingKind, 'duplicate_order' | 'webhook_not_delivered'>];

/** The result of a comparison. */
export type Judgement =
  | { readonly ending: 'matched' | 'within_grace' }
  | { readonly ending: 'not_compared'; readonly reason: NotCompared['reason']; readonly problem: string }
  | { readonly ending: 'differs'; readonly differences: readonly Difference[] };

/** The rules of a run. Times are in milliseconds since 1970. */
export interface Rules {
  readonly now: number;
  /** Invoices that ended after this time are left to their webhook. */
  readonly horizon: number;
  /** A difference of credits up to this counts as none. */
  readonly tolerance: Decimal;
}

const MATCHED: Judgement = { ending: 'matched' };

/** States in which the shop has taken the payment for granted. */
const SETTLED: ReadonlySet<OrderState> = new Set(['paid', 'fulfilled', 'refunded']);

/** Compares an order with its invoice. */
export function judge({ order, invoice }: Pair, rules: Rules): Judgement {
  if (order !== null && order.problem !== null) {
    return { ending: 'not_compared', reason: 'order_malformed', problem: order.problem };
  }
  if (invoice === null) return order === null ? MATCHED : judgeOrderAlone(order);
  if (invoice.problem !== null)
    return { ending: 'not_compared', reason: 'invoice_malformed', problem: invoice.problem };
  const differences = [
    ...(order === null ? withoutOrder(invoice) : between(order, invoice, rules)),
    ...pastExpiry(invoice, rules),
  ];
  if (differences.length === 0) return MATCHED;
  const isRecent = (invoice.ended ?? (order === null ? invoice.created : 0)) > rules.horizon;
  return isRecent ? { ending: 'within_grace' } : { ending: 'differs', differences };
}

function judgeOrderAlone({ state }: OrderRow): Judgement {
  if (state === 'canceled') return MATCHED; // nothing was charged and nothing was given
  return {
    ending: 'differs',
    differences: [{ kind: 'order_without_invoice', expected: state, actual: null, difference: null }],
  };
}

/** For an invoice that ended unpaid nothing is owed, so the shop may have deleted its order. */
function withoutOrder({ status }: InvoiceRow): Difference[] {
  if (eventOfStatus(status) === 'invoice.canceled') return [];
  return [{ kind: 'invoice_without_order', expected: null, actual: status, difference: null }];
}

function between(order: OrderRow, invoice: InvoiceRow, rules: Rules): Difference[] {
  const { state } = order;
  const { status, paid, credited } = invoice;
  if (paid === null || credited === null) {
    return SETTLED.has(state)
      ? [{ kind: 'fulfilled_not_paid', expected: 'success', actual: status, difference: null }]
      : [];
  }
  if (!SETTLED.has(state)) {
    return [{ kind: 'paid_not_fulfilled', expected: 'fulfilled', actual: state, difference: null }];
  }
  if (state === 'refunded') return []; // settled by hand, so the amounts no longer count
  if (order.currency !== invoice.currency) {
    return [{ kind: 'currency_differs', expected: order.currency, actual: invoice.currency, difference: null }];
  }
  return amountsBetween(order, { paid, credited, adjusted: invoice.adjusted }, rules);
}

function amountsBetween(
  { amount, credited: booked }: OrderRow,
  { paid, credited, adjusted }: { readonly paid: string; readonly credited: string; readonly adjusted: boolean },
  { tolerance }: Rules,
): Difference[] {
  const exact = booked === null || booked === credited ? null : amountValues(booked, credited);
  const credit = exact === null || exact.difference.abs().lte(tolerance) ? null : exact;
  // The correction explains the paid amount as well.
  if (credit !== null && adjusted) return [{ kind: 'corrected_after_fulfilment', ...credit }];
  const money = amount === paid ? null : amountValues(amount, paid);
  return [
    ...(money === null ? [] : [{ kind: money.difference.isNegative() ? 'underpaid' : 'overpaid', ...money } as const]),
    ...(credit === null ? [] : [{ kind: 'credited_differs', ...credit } as const]),
  ];
}

function amountValues(expected: string, actual: string) {
  const [left, right] = [new Decimal(expected), new Decimal(actual)];
  return { expected: left, actual: right, difference: right.minus(left) };
}

function pastExpiry({ status, expires }: InvoiceRow, { now, horizon }: Rules): Difference[] {
  if (status !== 'pending' || expires > horizon) return [];
  return [
    {
      kind: 'pending_past_expiry',
      expected: new Date(expires),
      actual: new Date(now),
      difference: now - expires,
    },
  ];
}
