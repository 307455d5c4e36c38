import { Call, type ListCall } from '../call.ts';
import type { CallOptions } from '../call-options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { ListWithdrawalsQuery, Withdrawal } from '../contract/types.ts';
import type { Runner } from '../transport/runner.ts';
import { compared, isSameUuid } from './compared.ts';
import { type ListOptions, listCall } from './list.ts';

/** The business's withdrawals. */
export class Withdrawals {
  readonly #runner: Runner;
  readonly #queryNames: Readonly<Record<string, string>>;

  /** @internal */
  constructor(runner: Runner, queryNames: Readonly<Record<string, string>>) {
    this.#runner = runner;
    this.#queryNames = queryNames;
  }

  /** @see service interface, "GET /api/v1/external/withdrawals" */
  list(query: ListWithdrawalsQuery = {}, options: ListOptions<Withdrawal> = {}): ListCall<Withdrawal> {
    const status: unknown = query?.status;
    // What is no text is refused when the request is prepared.
    const wanted = typeof status === 'string' ? status.toLowerCase() : undefined;
    return listCall(this.#runner, endpoints['withdrawals.list'], query, options, {
      queryNames: this.#queryNames,
      wasAskedFor: (withdrawal) => wanted === undefined || withdrawal.status.toLowerCase() === wanted,
    });
  }

  /** @see service interface, "GET /api/v1/external/withdrawals/{withdrawal_uuid}" */
  get(uuid: string, options?: CallOptions): Call<Withdrawal> {
    const endpoint = endpoints['withdrawals.get'];
    const data = compared(endpoint.data, (withdrawal) => (isSameUuid(withdrawal.uuid, uuid) ? [] : ['uuid']));
    return new Call(this.#runner.run(endpoint, { params: { withdrawal_uuid: uuid } }, options, { data }));
  }
}
