import { Call, type ListCall } from '../call.ts';
import type { CallOptions } from '../call-options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { ListWithdrawalsQuery, Withdrawal } from '../contract/types.ts';
import type { Runner } from '../transport/runner.ts';
import { type ListOptions, listCall } from './list.ts';

/** The business's withdrawals. */
export class Withdrawals {
  readonly #runner: Runner;

  /** @internal */
  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** @see service interface, "GET /api/v1/external/withdrawals" */
  list(query: ListWithdrawalsQuery = {}, options: ListOptions<Withdrawal> = {}): ListCall<Withdrawal> {
    return listCall(this.#runner, endpoints['withdrawals.list'], query, options);
  }

  /** @see service interface, "GET /api/v1/external/withdrawals/{withdrawal_uuid}" */
  get(uuid: string, options?: CallOptions): Call<Withdrawal> {
    return new Call(this.#runner.run(endpoints['withdrawals.get'], { params: { withdrawal_uuid: uuid } }, options));
  }
}
