import { endpoints } from '../contract/endpoints.ts';
import type { Rate } from '../contract/rates.ts';
import type { RowsOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise } from './call-promise.ts';
import { readRows } from './list.ts';

/**
 * A filter of rates, compared without case. The service returns all rates, and the client filters them.
 *
 * @example
 * await merchant.rates.list({ fiat: 'EUR', side: 'buy' });
 */
export interface RateFilter {
  /** Fiat currency code. */
  readonly fiat?: string | null | undefined;
  /** @defaultValue both sides */
  readonly side?: 'buy' | 'sell' | null | undefined;
  /** Rate source name. */
  readonly platform?: string | null | undefined;
}

/** Market rates of USDT. They do not say what can be charged: {@link PaymentMethods} do. */
export interface Rates {
  /**
   * Lists the current rates. A pair without fresh data is missing. A row that cannot be read is left out:
   * `onInvalidItem` gets it, or the console once for each client.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable filter. No request is made.
   * @throws UnexpectedResponseError (`SDK_CONTRACT`) if none of the rows can be read.
   * @example
   * for (const { fiat, side, price } of await merchant.rates.list({ fiat: 'EUR' })) console.log(fiat, side, price.toFixed());
   * @see [GET /api/v1/external/rates](../../docs/service-interface.md#get-apiv1externalrates)
   */
  list(filter?: RateFilter, options?: RowsOptions): Call<Rate[]>;
}

/** @internal */
export function buildRates(client: ClientCore): Rates {
  return {
    list: (filter, options) =>
      new CallPromise(
        readRows(client, endpoints['rates.list'], options, filter, (rate, { fiat, side, platform }) => {
          return isSame(rate.fiat, fiat) && isSame(rate.side, side) && isSame(rate.platform, platform);
        }),
      ),
  };
}

function isSame(actual: string, wanted: string | undefined): boolean {
  return wanted === undefined || actual.toLowerCase() === wanted.toLowerCase();
}
