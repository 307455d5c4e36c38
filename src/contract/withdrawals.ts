import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import { ident, optionalInteger, optionalWord } from './parameters.ts';
import { type KnownWithdrawalStatus, WITHDRAWAL_STATUSES } from './statuses.ts';
import type { PageQuery, WithdrawalStatus } from './types.ts';
import {
  type Codec,
  check,
  finished,
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
 * member that cannot be read is null as well, and {@link Withdrawal.unreadable} holds its value.
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
  /** The raw values of members that could not be read: `{ amount: "1.5 USDT" }`. Absent when all could be read. */
  readonly unreadable?: Readonly<Partial<Record<Exclude<keyof Withdrawal, 'uuid' | 'status' | 'unreadable'>, unknown>>>;
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

const NOT_TEXT = new Problem('must be a string');

/** Holds the raw value of a member that could not be read, until {@link withUnreadable} moves it. */
class Unreadable {
  readonly raw: unknown;
  constructor(raw: unknown) {
    this.raw = raw;
  }
}

/**
 * The codec of a member other than uuid and status. The interface shows all of them as strings. Absent, null and
 * the empty string mean that a member does not apply yet. An unreadable member does not make the withdrawal unreadable.
 */
function member<T>(read: (value: unknown) => T | Problem): Codec<T | null> {
  return optionalScalar((value) => {
    if (value === undefined || value === null) return null;
    const result = read(value);
    if (!(result instanceof Problem)) return result;
    return value === '' ? null : new Unreadable(value);
  }) as Codec<T | null>; // withUnreadable takes each Unreadable out
}

/** The withdrawal with null for each unreadable member, and their raw values in `unreadable`. */
function withUnreadable(withdrawal: Withdrawal): Withdrawal {
  const unread = Object.entries(withdrawal).filter(([, value]) => value instanceof Unreadable);
  if (unread.length === 0) return withdrawal;
  const nulls = Object.fromEntries(unread.map(([name]) => [name, null]));
  const unreadable = Object.fromEntries(unread.map(([name, { raw }]: [string, Unreadable]) => [name, raw]));
  return { ...withdrawal, ...nulls, unreadable };
}

function withdrawal() {
  const words = member((value) => (typeof value === 'string' ? value : NOT_TEXT));
  const decimal = member(decimalFrom);
  const timestamp = member(dateFrom);
  const shape = shapeOf<Omit<Withdrawal, 'unreadable'>>()({
    uuid: text,
    actor: words,
    balance_type: words,
    token: words,
    network: words,
    address: words,
    amount: decimal,
    network_commission: decimal,
    amount_to_send: decimal,
    status: openEnum<KnownWithdrawalStatus>(),
    created_at: timestamp,
    logo_url: words,
    tx_hash: words,
    reject_reason: words,
    processed_at: timestamp,
  });
  return finished<Withdrawal>(resource(shape), withUnreadable);
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
  rows: 'page',
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
