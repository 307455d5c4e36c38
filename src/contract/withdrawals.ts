import type * as z from 'zod/mini';
import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import type { ListWithdrawalsQuery } from './parameter-types.ts';
import { ident, optionalInteger, optionalWord } from './parameters.ts';
import { WITHDRAWAL_STATUSES } from './statuses.ts';
import type { Withdrawal } from './types.ts';
import {
  check,
  finished,
  namesOf,
  openEnum,
  optionalScalar,
  parameters,
  prepared,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';
import { dateFrom, decimalFrom, Problem } from './values/scalars.ts';
import type { Scalar } from './values/structure.ts';

const NOT_TEXT = new Problem('must be a string');

/** The raw value of a member that could not be read. */
class Unreadable {
  readonly raw: unknown;
  constructor(raw: unknown) {
    this.raw = raw;
  }
}

/**
 * Returns the codec of a member other than uuid and status. The interface shows all of them as strings. Absent, null and
 * the empty string mean that a member does not apply yet. An unreadable member does not make the withdrawal unreadable.
 */
function member<T>(read: (value: unknown) => T | Problem, structure: Scalar): z.ZodMiniType<T | null, unknown> {
  const codec = optionalScalar((value) => {
    if (value === undefined || value === null) return null;
    const result = read(value);
    if (!(result instanceof Problem)) return result;
    return value === '' ? null : new Unreadable(value);
  }, structure);
  return codec as z.ZodMiniType<T | null, unknown>; // withUnreadable replaces the unreadable ones
}

/** Moves the unreadable members to `unreadable`. */
function withUnreadable(withdrawal: Withdrawal): Withdrawal {
  const unread = Object.entries(withdrawal).filter(([, value]) => value instanceof Unreadable);
  if (unread.length === 0) return withdrawal;
  const nulls = Object.fromEntries(unread.map(([name]) => [name, null]));
  const unreadable = Object.fromEntries(unread.map(([name, { raw }]: [string, Unreadable]) => [name, raw]));
  return { ...withdrawal, ...nulls, unreadable };
}

function withdrawal() {
  const words = member((value) => (typeof value === 'string' ? value : NOT_TEXT), { kind: 'text', orNull: true });
  const decimal = member(decimalFrom, { kind: 'decimal', orNull: true });
  const timestamp = member(dateFrom, { kind: 'timestamp', orNull: true });
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
    status: openEnum(WITHDRAWAL_STATUSES),
    created_at: timestamp,
    logo_url: words,
    tx_hash: words,
    reject_reason: words,
    processed_at: timestamp,
  });
  return finished<Withdrawal>(resource(shape, 'Withdrawal'), withUnreadable);
}

function listShape() {
  return namesOf<ListWithdrawalsQuery>()({
    status: optionalWord(WITHDRAWAL_STATUSES),
    page: optionalInteger(1, Number.MAX_SAFE_INTEGER),
    per_page: optionalInteger(1, 100),
  });
}

/** @see [GET /api/v1/external/withdrawals](../../docs/service-interface.md#get-apiv1externalwithdrawals) */
export const listWithdrawals: PageEndpoint<Withdrawal> = {
  method: 'GET',
  path: '/api/v1/external/withdrawals',
  idempotent: true,
  envelope: 'shown',
  query: check(() => parameters(listShape())),
  data: check(() => pageOf(withdrawal())),
  item: check(withdrawal),
};

/**
 * @see [GET /api/v1/external/withdrawals/{withdrawal_uuid}](../../docs/service-interface.md#get-apiv1externalwithdrawalswithdrawal_uuid)
 */
export const getWithdrawal: Endpoint<Withdrawal> = {
  method: 'GET',
  path: '/api/v1/external/withdrawals/{withdrawal_uuid}',
  idempotent: true,
  envelope: 'not_shown',
  params: check(() => parameters({ withdrawal_uuid: ident() })),
  data: check(() => prepared((payload) => unwrapped(payload), withdrawal())),
};
