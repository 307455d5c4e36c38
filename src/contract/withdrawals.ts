import {
  after,
  check,
  namesOf,
  nullable,
  openEnum,
  optionalScalar,
  parameters,
  resource,
  shapeOf,
  text,
} from './codecs.ts';
import type { Endpoint, PageEndpoint } from './endpoint.ts';
import { pageOf, unwrapped } from './envelope.ts';
import { ident, optionalInteger, optionalWord } from './parameters.ts';
import { dateFrom, decimalFrom, type Problem } from './scalars.ts';
import type { KnownWithdrawalStatus, ListWithdrawalsQuery, Withdrawal } from './types.ts';

export const WITHDRAWAL_STATUSES = [
  'pending',
  'approved',
  'rejected',
] as const satisfies readonly KnownWithdrawalStatus[];

/** All members are "shown as strings", so one that does not apply yet may be absent, null or the empty string. */
function unlessEmpty<T>(read: (value: unknown) => T | Problem): (value: unknown) => T | null | Problem {
  return (value) => (value === undefined || value === null || value === '' ? null : read(value));
}
const decimal = optionalScalar(unlessEmpty(decimalFrom), { kind: 'decimal' });
const timestamp = optionalScalar(unlessEmpty(dateFrom), { kind: 'timestamp' });
const optionalText = nullable(text);

const withdrawalShape = shapeOf<Withdrawal>()({
  uuid: text,
  actor: optionalText,
  balance_type: optionalText,
  token: optionalText,
  network: optionalText,
  address: optionalText,
  amount: decimal,
  network_commission: decimal,
  amount_to_send: decimal,
  status: openEnum<KnownWithdrawalStatus>(WITHDRAWAL_STATUSES),
  created_at: timestamp,
  logo_url: optionalText,
  tx_hash: optionalText,
  reject_reason: optionalText,
  processed_at: timestamp,
});
const withdrawal = resource(withdrawalShape, 'Withdrawal');

const listShape = namesOf<ListWithdrawalsQuery>()({
  status: optionalWord(WITHDRAWAL_STATUSES),
  page: optionalInteger(1, Number.MAX_SAFE_INTEGER),
  per_page: optionalInteger(1, 100),
});

/** @see service interface, "GET /api/v1/external/withdrawals" */
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

/** @see service interface, "GET /api/v1/external/withdrawals/{withdrawal_uuid}" */
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
