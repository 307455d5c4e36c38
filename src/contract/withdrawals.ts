import type * as z from 'zod/mini';
import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import type { Form } from './openapi/forms.ts';
import { ident, optionalInteger, optionalWord } from './parameters.ts';
import type { KnownWithdrawalStatus, ListWithdrawalsQuery, Withdrawal } from './types.ts';
import {
  after,
  check,
  finished,
  namesOf,
  openEnum,
  optionalScalar,
  parameters,
  resource,
  shapeOf,
  text,
} from './values/codecs.ts';
import { dateFrom, decimalFrom, Problem } from './values/scalars.ts';

export const WITHDRAWAL_STATUSES = [
  'pending',
  'approved',
  'rejected',
] as const satisfies readonly KnownWithdrawalStatus[];

const NOT_TEXT = new Problem('must be a string');

/** What a member came as, where it could not be read. */
class Unreadable {
  readonly raw: unknown;
  constructor(raw: unknown) {
    this.raw = raw;
  }
}

/**
 * A member beside uuid and status. All are "shown as strings", so an amount or a time that does not apply yet may be
 * absent, null or the empty string; and none of them is worth losing the withdrawal for.
 */
function member<T>(read: (value: unknown) => T | Problem, form: Form): z.ZodMiniType<T | null, unknown> {
  const codec = optionalScalar((value) => {
    if (value === undefined || value === null) return null;
    const result = read(value);
    if (!(result instanceof Problem)) return result;
    return value === '' ? null : new Unreadable(value);
  }, form);
  return codec as z.ZodMiniType<T | null, unknown>; // `settled` takes the unreadable ones out
}

/** Moves what could not be read from its members to `unreadable`. */
function settled(withdrawal: Withdrawal): Withdrawal {
  const unread = Object.entries(withdrawal).filter(([, value]) => value instanceof Unreadable);
  if (unread.length === 0) return withdrawal;
  const nulls = Object.fromEntries(unread.map(([name]) => [name, null]));
  const unreadable = Object.fromEntries(unread.map(([name, { raw }]: [string, Unreadable]) => [name, raw]));
  return { ...withdrawal, ...nulls, unreadable };
}

const words = member((value) => (typeof value === 'string' ? value : NOT_TEXT), { kind: 'text', orNull: true });
const decimal = member(decimalFrom, { kind: 'decimal', orNull: true });
const timestamp = member(dateFrom, { kind: 'timestamp', orNull: true });

const withdrawalShape = shapeOf<Omit<Withdrawal, 'unreadable'>>()({
  uuid: text,
  actor: words,
  balance_type: words,
  token: words,
  network: words,
  address: words,
  amount: decimal,
  network_commission: decimal,
  amount_to_send: decimal,
  status: openEnum<KnownWithdrawalStatus>(WITHDRAWAL_STATUSES),
  created_at: timestamp,
  logo_url: words,
  tx_hash: words,
  reject_reason: words,
  processed_at: timestamp,
});
const withdrawal = finished<Withdrawal>(resource(withdrawalShape, 'Withdrawal'), settled);

const listShape = namesOf<ListWithdrawalsQuery>()({
  status: optionalWord(WITHDRAWAL_STATUSES),
  page: optionalInteger(1, Number.MAX_SAFE_INTEGER),
  per_page: optionalInteger(1, 100),
});

/** @see [GET /api/v1/external/withdrawals](../../docs/service-interface.md#get-apiv1externalwithdrawals) */
export const listWithdrawals: PageEndpoint<Withdrawal> = {
  operation: 'withdrawals.list',
  method: 'GET',
  path: '/api/v1/external/withdrawals',
  idempotent: true,
  envelope: 'shown',
  params: null,
  query: check(() => parameters(listShape)),
  body: null,
  data: check(() => pageOf(withdrawal)),
  item: check(() => withdrawal),
};

/**
 * @see [GET /api/v1/external/withdrawals/{withdrawal_uuid}](../../docs/service-interface.md#get-apiv1externalwithdrawalswithdrawal_uuid)
 */
export const getWithdrawal: Endpoint<Withdrawal> = {
  operation: 'withdrawals.get',
  method: 'GET',
  path: '/api/v1/external/withdrawals/{withdrawal_uuid}',
  idempotent: true,
  envelope: 'unsaid',
  params: check(() => parameters({ withdrawal_uuid: ident })),
  query: null,
  body: null,
  data: check(() => after((payload) => unwrapped(payload), withdrawal)),
};
