import { endpoints } from '../contract/endpoints.ts';
import type { Rate } from '../contract/rates.ts';
import { warnOnce } from '../errors/notify.ts';
import { printable } from '../errors/printable.ts';
import type { RowsOptions } from '../options.ts';
import type { ClientCore, OpenCall } from '../transport/types.ts';
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
    list: (filter, options) => new CallPromise(readRows(client, endpoints['rates.list'], options, filter, selectRates)),
  };
}

/**
 * The rates of a filter. A platform that no rate has is printed once: the empty list of a mistyped one is no error. A
 * currency is not, because one without fresh prices has no rates either.
 */
function selectRates(rates: Rate[], { client, sent }: OpenCall<unknown>): Rate[] {
  const { fiat, side, platform } = sent;
  if (rates.length > 0 && !rates.some((rate) => isSame(rate.platform, platform))) {
    const names = [...new Set(rates.map((rate) => rate.platform))];
    const shown = printable(client.hide(`"${platform}". There are ${names.slice(0, NAMED_MAX).join(', ')}`));
    const text = `rates.list: the service has no rate with the platform ${shown}. This is printed once.`;
    warnOnce('no platform', text, client.printed);
  }
  return rates.filter((rate) => isSame(rate.fiat, fiat) && isSame(rate.side, side) && isSame(rate.platform, platform));
}

const NAMED_MAX = 20;

function isSame(actual: string, wanted: string | undefined): boolean {
  return wanted === undefined || actual.toLowerCase() === wanted.toLowerCase();
}
