import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import { ident, optionalInteger, optionalWord } from './parameters.ts';
import { type KnownWithdrawalStatus, WITHDRAWAL_STATUSES } from './statuses.ts';
import type { PageQuery, WithdrawalStatus } from './types.ts';
import {
  type Codec,
  check,
  displayText,
  openEnum,
  optionalScalar,
  parameters,
  parametersOf,
  prepared,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';
import type { Decimal } from './values/decimal.ts';
import { dateFrom, decimalFrom, isSameIdent, Problem } from './values/scalars.ts';

/**
 * A withdrawal. The interface names no required member but the status, so all others except `uuid` may be null. A
 * member that cannot be read is null as well: `withResponse()` has the text of the response.
 * @see [Withdrawal](../../docs/service-interface.md#withdrawal)
 */
export interface Withdrawal {
  /** The service's id of the withdrawal. */
  readonly uuid: string;
  /** Who asked for the withdrawal, in the words of the service. */
  readonly actor: string | null;
  /** The balance that the money comes from, in the words of the service. */
  readonly balance_type: string | null;
  /** The token that is sent, such as `USDT`. */
  readonly token: string | null;
  /** The network on which it is sent. */
  readonly network: string | null;
  /** Destination address. */
  readonly address: string | null;
  /** The amount that was asked for. */
  readonly amount: Decimal | null;
  /** Network fee. */
  readonly network_commission: Decimal | null;
  /** Amount actually sent. */
  readonly amount_to_send: Decimal | null;
  /** Whether it was approved. No webhook announces a change: compare with the status that you have stored. */
  readonly status: WithdrawalStatus;
  /** When it was asked for. */
  readonly created_at: Date | null;
  /** Network logo. */
  readonly logo_url: string | null;
  /** Transaction on the network. Null until it is approved. */
  readonly tx_hash: string | null;
  /** Null if it is not rejected. */
  readonly reject_reason: string | null;
  /** When it was approved or rejected. Null while it is pending. */
  readonly processed_at: Date | null;
}

/**
 * The filter and the page of a list of withdrawals. The interface does not show their names on the wire: the client
 * uses those of the invoices list, unless its option `withdrawalQuery` gives others.
 *
 * @example
 * for await (const withdrawal of merchant.withdrawals.list({ status: 'pending' })) console.log(withdrawal.uuid);
 */
export interface ListWithdrawalsQuery extends PageQuery {
  /** Only the words that the interface lists. */
  readonly status?: KnownWithdrawalStatus | null | undefined;
}

/** The codec of an amount or a time: null where it does not apply yet, and where it cannot be read. */
function orNull<T>(read: (value: unknown) => T | Problem): Codec<T | null> {
  return optionalScalar((value) => {
    const result = read(value);
    return result instanceof Problem ? null : result;
  });
}

function withdrawal() {
  const decimal = orNull(decimalFrom);
  const timestamp = orNull(dateFrom);
  const shape = shapeOf<Withdrawal>()({
    uuid: text,
    actor: displayText,
    balance_type: displayText,
    token: displayText,
    network: displayText,
    address: displayText,
    amount: decimal,
    network_commission: decimal,
    amount_to_send: decimal,
    status: openEnum<KnownWithdrawalStatus>(),
    created_at: timestamp,
    logo_url: displayText,
    tx_hash: displayText,
    reject_reason: displayText,
    processed_at: timestamp,
  });
  return resource(shape);
}

/** @see [GET /api/v1/external/withdrawals](../../docs/service-interface.md#get-apiv1externalwithdrawals) */
export const listWithdrawals: PageEndpoint<Withdrawal> = {
  method: 'GET',
  path: '/api/v1/external/withdrawals',
  idempotent: true,
  query: check(() => {
    const shape = parametersOf<ListWithdrawalsQuery>()({
      status: optionalWord(WITHDRAWAL_STATUSES),
      page: optionalInteger(1, Number.MAX_SAFE_INTEGER),
      per_page: optionalInteger(1, 100),
    });
    return parameters(shape);
  }),
  data: check(() => pageOf(withdrawal())),
  item: check(withdrawal),
  isPage: true,
  filters: { status: ({ status }) => status },
};

/**
 * @see [GET /api/v1/external/withdrawals/{withdrawal_uuid}](../../docs/service-interface.md#get-apiv1externalwithdrawalswithdrawal_uuid)
 */
export const getWithdrawal: Endpoint<Withdrawal> = {
  method: 'GET',
  path: '/api/v1/external/withdrawals/{withdrawal_uuid}',
  idempotent: true,
  params: check(() => parameters({ withdrawal_uuid: ident() })),
  data: check(() => prepared(unwrapped, withdrawal())),
  differences: ({ uuid }, { withdrawal_uuid = '' }) => (isSameIdent(uuid, withdrawal_uuid) ? [] : ['uuid']),
};
