import { Decimal, orderOf } from 'merchant-invoicing';
import type { Line } from './catalogue.ts';

/** One invoice of an order. */
export interface Payment {
  readonly external_id: string;
  readonly amount: string;
  readonly state: 'open' | 'paid' | 'ended';
  readonly paid: string | null;
  readonly credited_usdt: string | null;
}

/** Returns the order of an invoice: `ID` for `ID--1`, `ID.2` and `ID.2--1`. */
export const orderIdOf = (external_id: string): string =>
  orderOf(external_id).order.replace(/\.[1-9]\d*$/, '');

/** A row of the table, and its payments. */
export interface OrderFacts {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly amount: string;
  readonly currency: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly placed_at: string | null;
  readonly payments: readonly Payment[];
}

/**
 * The state that the customer sees. It follows from the payments, so it cannot
 * contradict them.
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
  /** `ID` or `ID.2`. A renewed invoice has `--1` behind it. */
  readonly chargeId: string;
}

export function toOrder(facts: OrderFacts): Order {
  const paid = facts.payments.reduce(
    (sum, payment) => sum.plus(payment.paid ?? 0),
    new Decimal(0),
  );
  const rest = new Decimal(facts.amount).minus(paid);
  const isOpen = facts.payments.some(({ state }) => state === 'open');
  const charge =
    1 + facts.payments.filter(({ state }) => state === 'paid').length;
  // a rest below a cent would never be paid
  const missing = Decimal.max(rest, 0).toDecimalPlaces(2, Decimal.ROUND_UP);
  return {
    ...facts,
    state: stateOf(facts, missing, paid, isOpen),
    paid,
    missing,
    surplus: Decimal.max(rest.negated(), 0),
    charge,
    chargeId: charge === 1 ? facts.id : `${facts.id}.${charge}`,
  };
}

function stateOf(
  { placed_at, payments }: OrderFacts,
  missing: Decimal,
  paid: Decimal,
  isOpen: boolean,
): OrderState {
  if (placed_at === null) return 'draft';
  if (missing.isZero()) return 'paid';
  if (isOpen || payments.length === 0) return 'waiting';
  return paid.isZero() ? 'ended' : 'underpaid';
}
