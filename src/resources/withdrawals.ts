import { endpoints } from '../contract/endpoints.ts';
import type { ListWithdrawalsQuery, Withdrawal } from '../contract/withdrawals.ts';
import type { CallOptions, ListOptions } from '../options.ts';
import type { ClientCore } from '../transport/types.ts';
import { type Call, CallPromise, call, type ListCall } from './call-promise.ts';
import { listCall } from './list.ts';

/** The business's withdrawals. */
export interface Withdrawals {
  /**
   * Lists withdrawals in the order of the service. The result is a promise of one page and an async iterable of all
   * withdrawals. Those of another status than was asked for are left out.
   * @throws ValidationError (`VALIDATION_ERROR`) for an unusable filter. No request is made.
   * @example
   * for await (const withdrawal of merchant.withdrawals.list({ status: 'approved' })) console.log(withdrawal.uuid);
   * @see [GET /api/v1/external/withdrawals](../../docs/service-interface.md#get-apiv1externalwithdrawals)
   */
  list(query?: ListWithdrawalsQuery, options?: ListOptions): ListCall<Withdrawal>;

  /**
   * Reads one withdrawal.
   *
   * @param uuid The service's uuid.
   * @throws NotFoundError (with the code of the service) if the business has no such withdrawal.
   * @example
   * const { status } = await merchant.withdrawals.get('9f6b2a0e-3c1d-4e5f-8a7b-1c2d3e4f5a6b');
   * @see [GET /api/v1/external/withdrawals/{withdrawal_uuid}](../../docs/service-interface.md#get-apiv1externalwithdrawalswithdrawal_uuid)
   */
  get(uuid: string, options?: CallOptions): Call<Withdrawal>;
}

/** @internal */
export function buildWithdrawals(client: ClientCore, queryNames: Readonly<Record<string, string>>): Withdrawals {
  const list = { ...endpoints['withdrawals.list'], queryNames };
  return {
    list: (query = {}, options) => listCall(client, list, query, options),
    get: (uuid, options) =>
      new CallPromise(call(client, endpoints['withdrawals.get'], { withdrawal_uuid: uuid }, options)),
  };
}
