// An order whose invoice ended unpaid gets another one. The first invoice has the id of the order as its external_id,
// and renewal n has `ORDER--n`. Orders of the merchant must not end so: the client refuses such ids, by the pattern that
// also reads them.

/** The order that an invoice belongs to, and its number there. */
export interface OrderRenewal {
  /** The id of the order. */
  readonly order: string;
  /** 0 for the first invoice of the order, 1 for its first renewal. */
  readonly renewal: number;
}

/** The renewals that an order can have. */
export const RENEWALS_MAX = 49;

/** `.` before the hyphens: an id that consists of a suffix alone names no order. */
const SUFFIX = /.--[1-9]\d?$/;

/** True for an external_id that belongs to a renewal. */
export function isRenewalId(external_id: string): boolean {
  return SUFFIX.test(external_id);
}

/** The order of an external_id, and the number of its invoice there. */
export function orderOf(external_id: string): OrderRenewal {
  if (!isRenewalId(external_id)) return { order: external_id, renewal: 0 };
  const at = external_id.lastIndexOf('--');
  return { order: external_id.slice(0, at), renewal: Number(external_id.slice(at + 2)) };
}

/** The external_id of an invoice of an order. */
export function renewalId({ order, renewal }: OrderRenewal): string {
  return renewal === 0 ? order : `${order}--${renewal}`;
}
