import { endpoints } from '../contract/endpoints.ts';
import { amount, currencyCode, type DecimalInput } from '../contract/parameters.ts';
import type { PaymentMethod } from '../contract/payment-methods.ts';
import { check, parameters } from '../contract/values/codecs.ts';
import { Decimal } from '../contract/values/decimal.ts';
import type { RowsOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise } from './call-promise.ts';
import { readRows } from './list.ts';

/**
 * A charge to find payment methods for.
 *
 * @example
 * await merchant.paymentMethods.forCharge({ currency: 'EUR', amount: '25.00' });
 */
export interface ChargeQuery {
  /** Currency code, such as `EUR`, in upper or lower case. */
  readonly currency: string;
  /** Greater than 0, at most 2 decimals, without the commission. */
  readonly amount: DecimalInput;
}

/** The methods with the charge for which they are selected. */
const methodsForCharge = {
  ...endpoints['paymentMethods.list'],
  local: check(() => parameters({ currency: currencyCode(2, 16), amount: amount() })),
};

/** The payment methods of the business. They alone say which currencies and amounts can be charged. */
export interface PaymentMethods {
  /**
   * Lists all methods. One that cannot be read is left out: `onInvalidItem` gets it, or the console
   * once for each client.
   * @throws UnexpectedResponseError (`SDK_CONTRACT`) if none of the rows can be read.
   * @example
   * for (const method of await merchant.paymentMethods.list()) console.log(method.currency.code, method.min_amount.toFixed());
   * @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods)
   */
  list(options?: RowsOptions): Call<PaymentMethod[]>;

  /**
   * Lists the methods by which this amount of this currency can be charged. Empty when it cannot be charged.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable currency or amount. No request is made.
   * @example
   * const methods = await merchant.paymentMethods.forCharge({ currency: 'EUR', amount: '25.00' });
   * @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods)
   */
  forCharge(charge: ChargeQuery, options?: RowsOptions): Call<PaymentMethod[]>;
}

/** @internal */
export function buildPaymentMethods(client: ClientCore): PaymentMethods {
  return {
    list: (options) => new CallPromise(readRows(client, endpoints['paymentMethods.list'], options)),
    forCharge: (charge, options) =>
      new CallPromise(
        readRows(client, methodsForCharge, options, charge, (methods, { sent }) => {
          const amount = new Decimal(sent['amount'] ?? 0);
          const code = sent['currency']?.toUpperCase();
          return methods.filter(
            ({ currency, min_amount, max_amount }) =>
              currency.code.toUpperCase() === code && min_amount.lte(amount) && max_amount.gte(amount),
          );
        }),
      ),
  };
}
