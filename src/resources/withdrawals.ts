import { type Call, CallPromise, type ListCall } from '../call/call.ts';
import type { CallOptions } from '../call/options.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { ListWithdrawalsQuery, Withdrawal } from '../contract/types.ts';
import type { Runner } from '../transport/runner.ts';
import { compared, isSameUuid } from './compared.ts';
import { listCall, wordFilter } from './list.ts';
import type { ListOptions } from './list-options.ts';

/** The business's withdrawals. */
export interface Withdrawals {
  /**
   * Lists withdrawals in the order of the service. The result is a promise of one page and an async iterable of all
   * withdrawals. Those of another status than was asked for are left out, with an `onDrift` event.
   * @see [GET /api/v1/external/withdrawals](../../docs/service-interface.md#get-apiv1externalwithdrawals)
   */
  list(query?: ListWithdrawalsQuery, options?: ListOptions<Withdrawal>): ListCall<Withdrawal>;

  /**
   *
   * @see [GET /api/v1/external/withdrawals/{withdrawal_uuid}](../../docs/service-interface.md#get-apiv1externalwithdrawalswithdrawal_uuid)
   */
  get(uuid: string, options?: CallOptions): Call<Withdrawal>;
}

/** @internal */
export class WithdrawalsResource implements Withdrawals {
  readonly #runner: Runner;
  readonly #queryNames: Readonly<Record<string, string>>;

  constructor(runner: Runner, queryNames: Readonly<Record<string, string>>) {
    this.#runner = runner;
    this.#queryNames = queryNames;
  }

  list(query: ListWithdrawalsQuery = {}, options: ListOptions<Withdrawal> = {}): ListCall<Withdrawal> {
    return listCall(this.#runner, endpoints['withdrawals.list'], query, options, {
      queryNames: this.#queryNames,
      filtersOf: ({ status }) => wordFilter('status', status, (withdrawal: Withdrawal) => withdrawal.status),
    });
  }

  get(uuid: string, options?: CallOptions): Call<Withdrawal> {
    const endpoint = endpoints['withdrawals.get'];
    const data = compared(endpoint.data, (withdrawal) => (isSameUuid(withdrawal.uuid, uuid) ? [] : ['uuid']));
    return new CallPromise(this.#runner.run(endpoint, { params: { withdrawal_uuid: uuid } }, options, { data }));
  }
}
