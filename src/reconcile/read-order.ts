import { orderOf } from '../contract/orders.ts';
import type { Decimal } from '../contract/values/decimal.ts';
import { dateFrom, moneyGiven, Problem } from '../contract/values/scalars.ts';
import { kindOf } from '../errors/checks.ts';
import type { FoundOrder, OrderState, ReconcileOrder, UnreadableOrder } from './types.ts';

// Reads one row of the shop.

const ID_MAX = 512;
const WORD_MAX = 40;
/** The states of an order. */
const ORDER_STATES: readonly OrderState[] = ['open', 'paid', 'fulfilled', 'canceled', 'refunded'];

/** A row that cannot be compared. */
export interface BadOrder {
  readonly reason: 'order_malformed' | 'id_changed';
  readonly problem: string;
  readonly place: string;
  /** Null if it cannot be read either. */
  readonly external_id: string | null;
}

/** Reads a row of the shop. Never throws. `byDefault`: the place of a row that does not name one. */
export function readOrder(given: unknown, byDefault: string): FoundOrder | BadOrder {
  let place = byDefault;
  let external_id: string | null = null;
  let reason: BadOrder['reason'] = 'order_malformed';
  try {
    if (typeof given !== 'object' || given === null)
      throw new Problem(`an order must be an object, not ${kindOf(given)}`);
    const row = given as Readonly<Partial<Record<keyof ReconcileOrder | keyof UnreadableOrder, unknown>>>; // each member is checked
    if (typeof row.place === 'string' && row.place !== '') place = row.place;
    const problem = typeof row.problem === 'string' && row.problem !== '' ? row.problem : null;
    if (problem !== null && row.reason === 'id_changed') reason = 'id_changed';
    if (typeof row.external_id === 'bigint' || Number.isSafeInteger(row.external_id)) {
      external_id = String(row.external_id); // so that its invoice is no stranger
      throw new Problem('"external_id" must be text, not a number: cast it to text in the query');
    }
    external_id = problem !== null && !row.external_id ? null : readText('external_id', row.external_id);
    if (problem !== null || external_id === null) return { reason, problem: String(problem), place, external_id };
    const order = (row.order ?? null) === null ? orderOf(external_id).order : readText('order', row.order);
    if ([external_id, order].some((id) => id !== id.trim())) {
      reason = 'id_changed';
      throw new Problem('the id has white space around it, as a CHAR column adds, and no invoice has such an id');
    }
    return {
      external_id,
      order,
      part: readPart(row.part ?? null),
      amount: readAmount('amount', row.amount),
      currency: readCurrency(row.currency),
      credited_usdt: (row.credited_usdt ?? null) === null ? null : readAmount('credited_usdt', row.credited_usdt),
      refunded_amount:
        (row.refunded_amount ?? null) === null ? null : readAmount('refunded_amount', row.refunded_amount),
      state: readState(row.state),
      created_at: readTime('created_at', row.created_at ?? null),
      changed_at: readTime('changed_at', row.changed_at ?? null),
      place,
    };
  } catch (error) {
    const problem = error instanceof Problem ? error.message : 'a member of the order cannot be read';
    return { reason, problem, place, external_id };
  }
}

function readText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= ID_MAX) return value;
  const given = typeof value === 'string' && value !== '' ? `${value.length} characters` : kindOf(value);
  throw new Problem(`"${name}" must be text of 1 to ${ID_MAX} characters, not ${given}`);
}

/** A CHAR column adds blanks. */
function readCurrency(value: unknown): string {
  return readText('currency', typeof value === 'string' ? value.trim() : value).toUpperCase();
}

/** SQLite and MySQL have 0 and 1 for a boolean. */
function readPart(value: unknown): boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  throw new Problem(`"part" must be true or false, not ${shown(value)}`);
}

function readAmount(name: string, value: unknown): Decimal {
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new Problem(`"${name}" must be decimal text such as "25.00", not a ${typeof value}, which is not exact`);
  }
  const amount = moneyGiven(value);
  if (amount instanceof Problem) throw new Problem(`"${name}" ${amount.message}`);
  return amount;
}

function readState(value: unknown): OrderState {
  const state = ORDER_STATES.find((known) => known === value);
  if (state !== undefined) return state;
  throw new Problem(`"state" must be ${ORDER_STATES.join(', ')}, not ${shown(value)}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, WORD_MAX)) : kindOf(value);
}

function readTime(name: string, value: unknown): Date | null {
  if (value === null) return null;
  const time = value instanceof Date ? value : dateFrom(value);
  if (time instanceof Problem || Number.isNaN(time.getTime())) throw new Problem(`"${name}" must be a time`);
  return time;
}
