import { endpoints } from '../contract/endpoints.ts';
import { optionalText } from '../contract/parameters.ts';
import type { Rate } from '../contract/rates.ts';
import { check, parameters } from '../contract/values/codecs.ts';
import type { RowsOptions } from '../options.ts';
import { invalidInput } from '../transport/failure.ts';
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

const checkFilter = check(() =>
  parameters({ fiat: optionalText(1, 64), side: optionalText(1, 64), platform: optionalText(1, 128) }),
);

/** Market rates of USDT. They do not say what can be charged: {@link PaymentMethods} do. */
export interface Rates {
  /**
   * Lists the current rates. A pair without fresh data is missing. A row that cannot be read is left out, and reported
   * to `onInvalidItem` and `onDrift`.
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
    list(filter = {}, options) {
      const rows = readRows(client, endpoints['rates.list'], options, () => {
        const checked = checkFilter(filter);
        if (!checked.ok) throw invalidInput('rates.list', checked.issues, null, client.hide);
        const { fiat, side, platform } = checked.value;
        return (rate) => isSame(rate.fiat, fiat) && isSame(rate.side, side) && isSame(rate.platform, platform);
      });
      return new CallPromise(rows);
    },
  };
}

function isSame(actual: string, wanted: string | undefined): boolean {
  return wanted === undefined || actual.toLowerCase() === wanted.toLowerCase();
}
