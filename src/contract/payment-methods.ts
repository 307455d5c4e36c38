import type { RowsEndpoint } from './endpoint.ts';
import { currency, rowsOf } from './envelope.ts';
import type { Currency } from './types.ts';
import { check, decimal, integer, money, requiredDisplayText, resource, shapeOf } from './values/codecs.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * Which currencies and amounts can be charged, and at what commission.
 * @see [Payment method (list item)](../../docs/service-interface.md#payment-method-list-item)
 */
export interface PaymentMethod {
  /** The service's number of the method. */
  readonly id: number;
  /** For people, such as `Bank transfer`. `''` if it cannot be read. */
  readonly name: string;
  /** The only currency that the method charges. */
  readonly currency: Currency;
  /** Smallest amount that can be charged, in the currency of the method. */
  readonly min_amount: Decimal;
  /** Largest amount that can be charged, in the currency of the method. */
  readonly max_amount: Decimal;
  /** Total commission in percent: 2.5 is 2.5 %, not 250 %. */
  readonly total_commission_percent: Decimal;
  /** Part of the commission that the customer carries, in percent: 1.5 is 1.5 %. */
  readonly client_commission_percent: Decimal;
  /** Part of the commission that the merchant carries, in percent: 1 is 1 %. */
  readonly merchant_commission_percent: Decimal;
  /** Address of the logo. `''` if the method has none, or one that cannot be read. */
  readonly logo_url: string;
}

const paymentMethod = check(() => {
  const shape = shapeOf<PaymentMethod>()({
    id: integer,
    name: requiredDisplayText,
    currency: currency(),
    min_amount: money,
    max_amount: money,
    total_commission_percent: decimal,
    client_commission_percent: decimal,
    merchant_commission_percent: decimal,
    logo_url: requiredDisplayText,
  });
  return resource(shape);
});

/** @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods) */
export const listPaymentMethods: RowsEndpoint<PaymentMethod> = {
  method: 'GET',
  path: '/api/v1/external/payment-methods',
  idempotent: true,
  data: rowsOf(paymentMethod),
  item: paymentMethod,
};
