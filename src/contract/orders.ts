// An order that is tried again has an invoice for each attempt. The first one has the id of the order, and attempt n
// has `ORDER-r<n>`.

/** The order that an `external_id` belongs to, and the attempt that it is. */
export interface OrderAttempt {
  /** The id of the order. */
  readonly order: string;
  /** From 1. */
  readonly attempt: number;
}

/** The number of attempts of an order. */
export const ATTEMPTS_MAX = 50;

/**
 * The order of an `external_id`. Only the suffix `-r` with a number from 2 to 50, without a zero in front, makes it a
 * further attempt. Any other id is the first attempt of the order with this id.
 *
 * @example
 * orderOf('order-1042-r2'); // { order: 'order-1042', attempt: 2 }
 */
export function orderOf(external_id: string): OrderAttempt {
  const at = external_id.lastIndexOf('-r');
  const digits = at > 0 ? external_id.slice(at + 2) : '';
  const attempt = /^[1-9]\d?$/.test(digits) ? Number(digits) : 1;
  return attempt >= 2 && attempt <= ATTEMPTS_MAX
    ? { order: external_id.slice(0, at), attempt }
    : { order: external_id, attempt: 1 };
}

/** The `external_id` of an attempt. */
export function attemptId({ order, attempt }: OrderAttempt): string {
  return attempt === 1 ? order : `${order}-r${attempt}`;
}
