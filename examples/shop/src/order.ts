import { Decimal } from 'merchant-invoicing';
import type { Line } from './catalogue.ts';

/** What the customer was asked for: the whole order, or what was missing. */
export interface Charge {
  readonly id: string;
  readonly status: 'new' | 'pending' | 'paid' | 'canceled';
}

/** A row of the table, with its charges, and the fiat of each payment. */
export interface OrderFacts {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly amount: string;
  readonly currency: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly placed_at: string | null;
  readonly charges: readonly Charge[];
  readonly payments: readonly string[];
}

/**
 * The state that the customer sees. It follows from charges and payments, so it
 * cannot contradict them.
 */
export type OrderState = 'draft' | 'waiting' | 'underpaid' | 'ended' | 'paid';

/**
 * An order with what follows from its payments. Amounts are in the currency of
 * the order.
 */
export interface Order extends OrderFacts {
  readonly state: OrderState;
  readonly paid: Decimal;
  /** Zero if the order is paid, never below. */
  readonly missing: Decimal;
  /** The part of the payments that is too much. */
  readonly surplus: Decimal;
  /**
   * The number of the charge: the first one is the whole order, and after each
   * payment another one is what is still missing. An outdated page has an older
   * number, which creates nothing.
   */
  readonly charge: number;
  /** `ID` or `ID.2`: the `order` of its invoices. */
  readonly chargeId: string;
}

export function toOrder(facts: OrderFacts): Order {
  const paid = facts.payments.reduce(
    (sum, payment) => sum.plus(payment),
    new Decimal(0),
  );
  const rest = new Decimal(facts.amount).minus(paid);
  const charge = 1 + facts.payments.length;
  // a rest below a cent would never be paid
  const missing = Decimal.max(rest, 0).toDecimalPlaces(2, Decimal.ROUND_UP);
  return {
    ...facts,
    state: stateOf(facts, missing, paid),
    paid,
    missing,
    surplus: Decimal.max(rest.negated(), 0),
    charge,
    chargeId: charge === 1 ? facts.id : `${facts.id}.${charge}`,
  };
}

function stateOf(
  { placed_at, charges }: OrderFacts,
  missing: Decimal,
  paid: Decimal,
): OrderState {
  if (placed_at === null) return 'draft';
  if (missing.isZero()) return 'paid';
  const isOpen = charges.some(({ status }) => status === 'pending');
  if (isOpen || charges.every(({ status }) => status === 'new'))
    return 'waiting';
  return paid.isZero() ? 'ended' : 'underpaid';
}
