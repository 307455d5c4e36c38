import type { RowsEndpoint } from './endpoint.ts';
import { rowsOf } from './rows.ts';
import type { PaymentMethod } from './types.ts';
import { check, decimal, integer, nullable, resource, shapeOf, text } from './values/codecs.ts';
import { currency } from './values/currency.ts';

const paymentMethod = check(() => {
  const shape = shapeOf<PaymentMethod>()({
    id: integer,
    name: text,
    currency: currency(),
    min_amount: decimal,
    max_amount: decimal,
    total_commission_percent: decimal,
    client_commission_percent: decimal,
    merchant_commission_percent: decimal,
    logo_url: nullable(text),
  });
  return resource(shape, 'PaymentMethod');
});

/** @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods) */
export const listPaymentMethods: RowsEndpoint<PaymentMethod> = {
  method: 'GET',
  path: '/api/v1/external/payment-methods',
  idempotent: true,
  envelope: 'shown',
  data: rowsOf(paymentMethod),
  item: paymentMethod,
};
