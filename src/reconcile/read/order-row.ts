import { kindOf } from '../../checks.ts';
import type { DecimalInput } from '../../contract/parameters.ts';
import { Decimal } from '../../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../../contract/values/scalars.ts';
import type { OrderState } from '../findings.ts';
import type { OrderRow } from '../rows/rows.ts';

/**
 * An order of the shop. Further members are ignored, so a row of a database will do.
 *
 * @example
 * const order = { external_id: 'order-1042', amount: '25.00', currency: 'EUR', credited_usdt: '26.86', state: 'fulfilled' };
 */
export interface ReconcileOrder {
  /** The id with which the invoice was created. */
  readonly external_id: string;
  /** The amount that the customer owes, as decimal text or a Decimal. Never a number. */
  readonly amount: DecimalInput;
  /** Currency code, compared without case. */
  readonly currency: string;
  /** The USDT that the shop has booked. Null or absent: not compared. */
  readonly credited_usdt?: DecimalInput | null | undefined;
  readonly state: OrderState;
  /** Where the order stands, for people. @defaultValue `row N`, its position from 1 */
  readonly place?: string | undefined;
}

/** The states of an order. */
export const ORDER_STATES: readonly OrderState[] = ['open', 'paid', 'fulfilled', 'canceled', 'refunded'];

/** An order whose id cannot be read. */
export class BadOrder {
  readonly problem: string;
  readonly place: string;

  constructor(problem: string, place: string) {
    this.problem = problem;
    this.place = place;
  }
}

const ID_MAX = 512;
const CURRENCY_MAX = 16;
const PLACE_MAX = 80;
/** Places that a host's Decimal may have: to print 1e1000000 would take all memory. */
const EXPONENT_MAX = 140;

/** Checks an order. Never throws, whatever the shop passes. */
export function readOrder(order: unknown, byDefault: string): OrderRow | BadOrder {
  if (order instanceof BadOrder) return order;
  let place = byDefault;
  let id: string | null = null;
  try {
    if (typeof order !== 'object' || order === null)
      throw new Problem(`an order must be an object, not ${kindOf(order)}`);
    const given = order as Readonly<Record<keyof ReconcileOrder, unknown>>; // each member is checked
    if (typeof given.place === 'string' && given.place !== '') place = given.place.slice(0, PLACE_MAX);
    id = readText('external_id', given.external_id, ID_MAX);
    return {
      side: 'o',
      id,
      amount: readAmount('amount', given.amount),
      currency: readText('currency', given.currency, CURRENCY_MAX).toUpperCase(),
      credited: (given.credited_usdt ?? null) === null ? null : readAmount('credited_usdt', given.credited_usdt),
      state: readState(given.state),
      place,
      problem: null,
    };
  } catch (error) {
    const problem = error instanceof Problem ? error.message : 'a member of the order cannot be read';
    if (id === null) return new BadOrder(problem, place);
    return { side: 'o', id, amount: '0', currency: '', credited: null, state: 'open', place, problem };
  }
}

function readText(name: string, value: unknown, longest: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value;
  throw new Problem(`${name} must be text of 1 to ${longest} characters, not ${kindOf(value)}`);
}

/** Canonical text of an amount: equal amounts give equal texts. */
function readAmount(name: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new Problem(`${name} must be decimal text such as "25.00", not a ${typeof value}, which is not exact`);
  }
  const isPrintable = Decimal.isDecimal(value) && Math.abs(value.e) <= EXPONENT_MAX;
  const decimal = decimalFrom(isPrintable ? value.toFixed() : value);
  if (decimal instanceof Problem) throw new Problem(`${name} ${decimal.message}`);
  if (decimal.isNegative()) throw new Problem(`${name} must not be negative`);
  return decimal.toFixed();
}

function readState(value: unknown): OrderState {
  const state = ORDER_STATES.find((known) => known === value);
  if (state !== undefined) return state;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value);
  throw new Problem(`state must be ${ORDER_STATES.join(', ')}, not ${shown}`);
}
