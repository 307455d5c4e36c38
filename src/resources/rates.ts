import { type Call, CallPromise } from '../call/call.ts';
import type { RowsOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import { optionalText } from '../contract/parameters.ts';
import type { Rate } from '../contract/types.ts';
import { check, parameters } from '../contract/values/codecs.ts';
import { readInput } from '../transport/request.ts';
import type { Runner, Success } from '../transport/runner.ts';
import { readRows } from './rows.ts';

/** Which rates. Case does not matter. The service always answers all of them; these are picked here. */
export interface RateFilter {
  /** Fiat currency code. */
  readonly fiat?: string | null | undefined;
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
   * A live snapshot; a pair without fresh data is missing. A row that cannot be read is left out, and reported to
   * `onInvalidItem` and `onDrift`.
   * @see [GET /api/v1/external/rates](../../docs/service-interface.md#get-apiv1externalrates)
   */
  list(filter?: RateFilter, options?: RowsOptions): Call<Rate[]>;
}

/** @internal */
export class RatesResource implements Rates {
  readonly #runner: Runner;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  list(filter: RateFilter = {}, options?: RowsOptions): Call<Rate[]> {
    return new CallPromise(this.#list(filter, options));
  }

  async #list(filter: RateFilter, options: RowsOptions | undefined): Promise<Success<Rate[]>> {
    const { fiat, side, platform } = readInput(checkFilter, filter, 'rates.list');
    const success = await readRows(this.#runner, endpoints['rates.list'], options);
    const value = success.value.filter(
      (rate) => isSame(rate.fiat, fiat) && isSame(rate.side, side) && isSame(rate.platform, platform),
    );
    return { ...success, value };
  }
}

function isSame(actual: string, wanted: string | undefined): boolean {
  return wanted === undefined || actual.toLowerCase() === wanted.toLowerCase();
}
