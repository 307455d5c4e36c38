import { kindOf } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { NotCompared } from '../findings.ts';
import { isIterable, type ReconcileOptions } from '../options.ts';
import type { OrderRow } from '../rows/rows.ts';
import { BadOrder, readOrder } from './order-row.ts';

/** The most ids of one look-up. SQLite takes 999 parameters in its older versions. */
export const LOOKUP_SIZE = 200;

/** The answer to one look-up. */
export interface LookedUp {
  /** The orders of each id that has any. */
  readonly orders: ReadonlyMap<string, readonly OrderRow[]>;
  /** Rows that belong to none of the ids. */
  readonly others: readonly NotCompared[];
}

/** Reads orders by id. Errors of the function are the caller's, and end the run. */
export async function lookUp(
  lookup: NonNullable<ReconcileOptions['lookup']>,
  ids: readonly string[],
): Promise<LookedUp> {
  const asked = new Set(ids);
  const orders = new Map<string, OrderRow[]>();
  const others: NotCompared[] = [];
  const answer = await lookup([...ids]);
  if (!isIterable(answer)) {
    throw new ConfigurationError(`reconcile: lookup must return orders in an iterable, not ${kindOf(answer)}.`);
  }
  for await (const order of answer) {
    const row = readOrder(order, 'lookup');
    if (row instanceof BadOrder) others.push(badOrder(row));
    else if (asked.has(row.id)) orders.set(row.id, [...(orders.get(row.id) ?? []), row]);
    else others.push(notAsked(row));
  }
  return { orders, others };
}

/** Tells an order whose id cannot be read. */
export function badOrder({ problem, place }: BadOrder): NotCompared {
  return {
    kind: 'not_compared',
    external_id: null,
    currency: null,
    reason: 'order_malformed',
    problem: sentence(problem),
    place,
  };
}

function notAsked({ id, currency, place }: OrderRow): NotCompared {
  const problem = 'The lookup answered this order without being asked for it. Compare ids exactly, with their case.';
  return {
    kind: 'not_compared',
    external_id: id,
    currency: currency || null,
    reason: 'order_not_asked',
    problem,
    place,
  };
}

/** Writes a problem as a sentence. */
export function sentence(problem: string): string {
  const [first = '', ...rest] = problem;
  return `${first.toUpperCase()}${rest.join('')}${problem.endsWith('.') ? '' : '.'}`;
}
