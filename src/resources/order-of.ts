import { type OrderRenewal, orderOf as readOrderOf } from '../contract/orders.ts';
import { argumentFail, kindOf } from '../errors/checks.ts';

/**
 * The order that an `external_id` belongs to, and the number of its invoice there. Only `--` and a number from 1 to 99,
 * without a zero in front, make it a renewal. Any other id, a uuid too, is the first invoice of the order with this id.
 *
 * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for anything but text.
 * @example
 * orderOf('order-7--1'); // { order: 'order-7', renewal: 1 }
 * orderOf('order-7'); // { order: 'order-7', renewal: 0 }
 */
export function orderOf(external_id: string): OrderRenewal {
  if (typeof external_id === 'string') return readOrderOf(external_id);
  return argumentFail('orderOf')(`the external_id must be text, not ${kindOf(external_id)}`);
}
