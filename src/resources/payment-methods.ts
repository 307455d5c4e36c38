import { type Call, CallPromise } from '../call/call.ts';
import type { RowsOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import { amount, limitedText } from '../contract/parameters.ts';
import type { DecimalInput, PaymentMethod } from '../contract/types.ts';
import { check, parameters } from '../contract/values/codecs.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { readInput } from '../transport/request.ts';
import type { Runner, Success } from '../transport/runner.ts';
import { readRows } from './rows.ts';

/** What is to be charged. */
export interface ChargeQuery {
  /** Currency code, such as `EUR`; case does not matter. */
  readonly currency: string;
  readonly amount: DecimalInput;
}

const checkCharge = check(() => parameters({ currency: limitedText(2, 16), amount }));

/** The payment methods available to the business: the source of truth for currencies and amounts that can be charged. */
export interface PaymentMethods {
  /**
   * All methods. One that cannot be read is left out, and reported to `onInvalidItem` and `onDrift`.
   * @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods)
   */
  list(options?: RowsOptions): Call<PaymentMethod[]>;

  /**
   * The methods by which this amount of this currency can be charged; empty when it cannot be charged.
   * @see [GET /api/v1/external/payment-methods](../../docs/service-interface.md#get-apiv1externalpayment-methods)
   */
  forCharge(charge: ChargeQuery, options?: RowsOptions): Call<PaymentMethod[]>;
}

/** @internal */
export class PaymentMethodsResource implements PaymentMethods {
  readonly #runner: Runner;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  list(options?: RowsOptions): Call<PaymentMethod[]> {
    return new CallPromise(readRows(this.#runner, endpoints['paymentMethods.list'], options));
  }

  forCharge(charge: ChargeQuery, options?: RowsOptions): Call<PaymentMethod[]> {
    return new CallPromise(this.#forCharge(charge, options));
  }

  async #forCharge(charge: ChargeQuery, options: RowsOptions | undefined): Promise<Success<PaymentMethod[]>> {
    const checked = readInput(checkCharge, charge, 'paymentMethods.forCharge');
    const currency = checked.currency.toUpperCase();
    const wanted = new Decimal(checked.amount);
    const success = await readRows(this.#runner, endpoints['paymentMethods.list'], options);
    const value = success.value.filter(
      (method) =>
        method.currency.code.toUpperCase() === currency &&
        method.min_amount.lte(wanted) &&
        method.max_amount.gte(wanted),
    );
    return { ...success, value };
  }
}
