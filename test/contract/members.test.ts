import { expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import { createInvoice, getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { getWithdrawal, listWithdrawals } from '../../src/contract/withdrawals.ts';
import { deliveredRecord, failedAttempt } from '../support/fixtures/deliveries.ts';
import { adjustedInvoice, createdInvoice, invoicePage } from '../support/fixtures/invoices.ts';
import { cardMethod } from '../support/fixtures/payment-methods.ts';
import { buyRate } from '../support/fixtures/rates.ts';
import { approvedWithdrawal, withdrawalPage } from '../support/fixtures/withdrawals.ts';
import { changed, decoded, refused, without } from './mutation.ts';

// "Resources and their fields" of the interface, member by member: what happens to a response where one is not as it
// should be. Each resource is read through every endpoint that returns it.

type Name = 'creation' | 'invoice' | 'page' | 'withdrawal' | 'payment method' | 'rate' | 'delivery' | 'attempt';

interface Place {
  readonly check: Check<unknown>;
  /** Where the resource stands in the payload. */
  readonly path: string;
  payload(resource: unknown): unknown;
}
const alone = (check: Check<unknown>): Place => ({ check, path: '', payload: (resource) => resource });
const inList = (check: Check<unknown>): Place => ({ check, path: '0.', payload: (resource) => [resource] });
/** A list without pages: its rows, as its check reads them. */
const inRows = (check: Check<{ readonly rows: unknown }>): Place =>
  inList((payload) => {
    const read = check(payload);
    return read.ok ? { ok: true, value: read.value.rows } : read;
  });
const inPage = (check: Check<unknown>, page: object): Place => ({
  check,
  path: 'items.0.',
  payload: (resource) => ({ ...page, items: [resource] }),
});
const inLog: Place = {
  check: listDeliveries.data,
  path: '0.attempt_log.0.',
  payload: (attempt) => [{ ...deliveredRecord, attempt_log: [attempt] }],
};

const RESOURCES: Readonly<Record<Name, { readonly right: object; readonly places: readonly Place[] }>> = {
  creation: { right: createdInvoice, places: [alone(createInvoice.data)] },
  invoice: { right: adjustedInvoice, places: [alone(getInvoice.data), inPage(listInvoices.data, invoicePage)] },
  page: { right: invoicePage, places: [alone(listInvoices.data)] },
  withdrawal: {
    right: approvedWithdrawal,
    places: [alone(getWithdrawal.data), inPage(listWithdrawals.data, withdrawalPage)],
  },
  'payment method': { right: cardMethod, places: [inRows(listPaymentMethods.data)] },
  rate: { right: buyRate, places: [inRows(listRates.data)] },
  delivery: { right: deliveredRecord, places: [inList(listDeliveries.data)] },
  attempt: { right: failedAttempt, places: [inLog] },
};

const CREATION = ['uuid', 'external_id', 'amount', 'currency', 'currency.id', 'currency.code', 'status', 'payment_url'];
const TIMES = ['created_at', 'expires_at'];
const REQUIRED: Readonly<Partial<Record<Name, readonly string[]>>> = {
  creation: [...CREATION, ...TIMES],
  invoice: [
    ...CREATION,
    ...TIMES,
    ...['adjustment.expected_amount_fiat', 'adjustment.actual_amount_fiat'],
    ...['adjustment.expected_amount_usdt', 'adjustment.actual_amount_usdt'],
  ],
  page: ['page', 'per_page', 'total_items', 'total_pages', 'has_next', 'has_prev'],
  withdrawal: ['uuid', 'status'],
  'payment method': [
    ...['id', 'currency', 'currency.id', 'currency.code', 'min_amount', 'max_amount'],
    ...['total_commission_percent', 'client_commission_percent', 'merchant_commission_percent'],
  ],
  rate: ['platform', 'asset', 'fiat', 'side'],
  delivery: ['status'],
};

/** Required by the interface and only for eyes: a broken name must not stop a checkout. */
const BLANK_IN_CREATION = ['customer_id', 'currency.name', 'currency.symbol'];
const BLANK: Readonly<Partial<Record<Name, readonly string[]>>> = {
  creation: BLANK_IN_CREATION,
  invoice: [...BLANK_IN_CREATION, 'payment_method.name'],
  'payment method': ['name', 'currency.name', 'currency.symbol', 'logo_url'],
};

const OPTIONAL_IN_CREATION = ['purpose', 'amount_to_send', 'callback_url', 'success_url', 'fail_url'];
const OPTIONAL: Readonly<Partial<Record<Name, readonly string[]>>> = {
  creation: OPTIONAL_IN_CREATION,
  invoice: [
    ...OPTIONAL_IN_CREATION,
    ...['finished_at', 'payment_method', 'payment_method.logo_url'],
    ...['rate', 'settled_amount_usdt', 'adjustment'],
  ],
  withdrawal: [
    ...['actor', 'balance_type', 'token', 'network', 'address', 'amount', 'network_commission', 'amount_to_send'],
    ...['created_at', 'logo_url', 'tx_hash', 'reject_reason', 'processed_at'],
  ],
  rate: ['min_amount', 'max_amount'],
  delivery: ['event_type', 'max_attempts', 'last_http_status', 'next_retry_at', 'delivered_at'],
  attempt: ['status_code', 'success', 'error', 'duration_ms', 'triggered_by', 'created_at'],
};

const [STRING, INTEGER, BOOLEAN, OBJECT] = ['a string', 'an integer', 'a boolean', 'an object'].map(
  (form) => `must be ${form}`,
);
const DECIMAL = 'must be a decimal string, such as "25.00"';
const DATE = 'must be an ISO 8601 date-time, such as "2026-01-31T09:30:00Z"';
const INEXACT =
  'must be a decimal string, because a JSON number with more than 15 significant digits, or from 2^53 on, may have lost some';
const NEGATIVE = 'must not be negative';
const LINK = 'must be an http or https address';

/** The member, what came in its place, and why the resource cannot be read. */
const REFUSED: Readonly<Partial<Record<Name, readonly (readonly [string, unknown, string | undefined])[]>>> = {
  invoice: [
    ['uuid', 5, STRING],
    ['uuid', '', 'must not be empty'],
    ['external_id', 1042, STRING],
    ['external_id', '', 'must not be empty'],
    ['amount', 'many', DECIMAL],
    ['amount', true, DECIMAL],
    ['amount', 0.1 + 0.2, INEXACT],
    ['amount', '-25.00', NEGATIVE],
    ['amount_to_send', '-0.01', NEGATIVE],
    ['settled_amount_usdt', '-1', NEGATIVE],
    ['settled_amount_usdt', 'NaN', DECIMAL],
    ['rate', '1e333', DECIMAL],
    ['currency', 'EUR', OBJECT],
    ['currency.id', 'two', INTEGER],
    ['currency.code', 978, STRING],
    ['currency.code', '', 'must not be empty'],
    ['status', 1, STRING],
    ['status', '', 'must not be empty'],
    ['payment_url', 'javascript:alert(1)', LINK],
    ['payment_url', 'data:text/html,x', LINK],
    ['payment_url', '/i/0b9f6e1c', LINK],
    ['payment_url', 'ftp://pay.example', LINK],
    ['payment_url', 'https:/pay.example', LINK],
    ['payment_url', 'x https://pay.example', LINK],
    ['payment_url', 'https://', LINK],
    ['created_at', 1767225600, DATE],
    ['expires_at', 'tomorrow', DATE],
    ['finished_at', '2026-02-30T00:00:00Z', DATE],
    ['is_adjusted', 'yes', BOOLEAN],
    ['adjustment', [1], OBJECT],
    ['adjustment', [[]], OBJECT],
    ['adjustment', 'none', OBJECT],
    ['adjustment.actual_amount_usdt', '-1', NEGATIVE],
  ],
  page: [
    ['items', {}, 'must be an array'],
    ['items', 'none', 'must be an array'],
    ['page', '2nd', INTEGER],
    ['page', '', INTEGER],
    ['page', '-1', INTEGER],
    ['page', '2.0', INTEGER],
    ['page', '9007199254740992', INTEGER],
    ['page', '1'.repeat(17), INTEGER],
    ['page', 1.5, INTEGER],
    ['total_items', true, INTEGER],
    ['total_items', -5, NEGATIVE],
    ['per_page', -1, NEGATIVE],
    ['total_pages', [], INTEGER],
    ['has_next', 'true', BOOLEAN],
    ['has_prev', 0, BOOLEAN],
  ],
  withdrawal: [
    ['uuid', 5, STRING],
    ['status', 4, STRING],
  ],
  'payment method': [
    ['id', '11a', INTEGER],
    ['currency', 'EUR', OBJECT],
    ['currency.code', 7, STRING],
    ['min_amount', 'low', DECIMAL],
    ['min_amount', '-1', NEGATIVE],
    ['max_amount', '-1', NEGATIVE],
    ['total_commission_percent', '3.5%', DECIMAL],
    ['client_commission_percent', false, DECIMAL],
    ['merchant_commission_percent', {}, DECIMAL],
  ],
  rate: [
    ['platform', 1, STRING],
    ['asset', 'BTC', 'must be USDT'],
    ['fiat', {}, STRING],
    ['side', 1, STRING],
    ['price', '-1', NEGATIVE],
    ['price', 'none', DECIMAL],
    ['min_amount', '-1', NEGATIVE],
    ['min_amount', 'low', DECIMAL],
    ['max_amount', 'Infinity', DECIMAL],
  ],
};

/** The member, what came in its place, and what is read. */
const READ: Readonly<Partial<Record<Name, readonly (readonly [string, unknown, unknown])[]>>> = {
  invoice: [
    ['uuid', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001'],
    ['status', 'under_review', 'under_review'],
    ['amount', 100, new Decimal('100')],
    ['customer_id', 7, ''],
    ['customer_id', false, ''],
    ['purpose', 7, null],
    ['purpose', {}, null],
    ['currency.id', '007', 7],
    ['currency.symbol', {}, ''],
    ['callback_url', {}, null],
    ['success_url', [], null],
    ['fail_url', 0, null],
    ['payment_method', 'Card', null],
    ['payment_method', '', null],
    ['payment_method', [], null],
    ['payment_method.logo_url', 3, null],
    ['amount_to_send', '', null],
    ['rate', '', null],
    ['settled_amount_usdt', '', null],
    ['finished_at', '', null],
    ['adjustment', '', null],
    ['adjustment', [], null],
  ],
  page: [
    ['items', null, []],
    ['page', '2', 2],
    ['per_page', '007', 7],
    ['total_items', '0', 0],
    ['total_pages', '9007199254740991', Number.MAX_SAFE_INTEGER],
  ],
  withdrawal: [
    ['status', 'on_hold', 'on_hold'],
    ['amount', 25, new Decimal('25')],
    ['network_commission', '', null],
    ['created_at', '', null],
    ['tx_hash', '', null],
    ['reject_reason', '', null],
    ['actor', '', null],
    ['logo_url', '', null],
    ['actor', 4, null],
    ['balance_type', false, null],
    ['token', {}, null],
    ['network', ['TRC20'], null],
    ['address', 1e21, null],
    ['amount', '1.5 USDT', null],
    ['amount', 2 ** 53, null],
    ['amount', '1'.repeat(10_000_000), null],
    ['network_commission', 'NaN', null],
    ['amount_to_send', {}, null],
    ['created_at', '2026-02-01', null],
    ['logo_url', 0, null],
    ['tx_hash', [], null],
    ['reject_reason', { code: 7 }, null],
    ['processed_at', 1767225600, null],
  ],
  'payment method': [
    ['name', {}, ''],
    ['currency.symbol', {}, ''],
    ['logo_url', {}, ''],
  ],
  rate: [
    ['side', 'mid', 'mid'],
    ['asset', 'usdt', 'usdt'],
  ],
  delivery: [
    ['status', 'paused', 'paused'],
    ['event_type', 'invoice.reviewed', 'invoice.reviewed'],
  ],
  // The types of its members are not shown.
  attempt: [
    ['status_code', '503', 503],
    ['status_code', 0, null],
    ['status_code', 'none', null],
    ['status_code', [503], null],
    ['duration_ms', 0, 0],
    ['duration_ms', '181.5', 181.5],
    ['duration_ms', '12 ms', null],
    ['success', 'true', true],
    ['success', 'False', false],
    ['success', '0', false],
    ['success', 1, true],
    ['success', 2, null],
    ['success', 'perhaps', null],
    ['success', [true], null],
    ['error', { type: 'timeout' }, '{"type":"timeout"}'],
    ['triggered_by', 7, '7'],
    ['created_at', '', null],
    ['created_at', 'yesterday', null],
  ],
};

/** The rows of a table by resource, each with the resource in front. */
function rowsOf<Row>(table: Readonly<Partial<Record<Name, readonly Row[]>>>) {
  const entries = Object.entries(table) as [Name, readonly Row[]][]; // the keys of the table above
  return entries.flatMap(([name, rows]) => rows.map((row) => ({ name, row, ...RESOURCES[name] })));
}

it.each(rowsOf(REQUIRED))('$name: without $row, or with null for it, it cannot be read', ({ row, right, places }) => {
  for (const { check, path, payload } of places) {
    const issue = { path: path + row, message: 'is required' };
    expect(refused(check, payload(without(right, row)))).toEqual([issue]);
    expect(refused(check, payload(changed(right, row, null))).map((each) => each.path)).toEqual([issue.path]);
  }
});

it.each([
  ...rowsOf(OPTIONAL).map((row) => ({ ...row, read: null })),
  ...rowsOf(BLANK).map((row) => ({ ...row, read: '' })),
])('$name: $row is "$read" where it is absent or null', ({ row, right, places, read }) => {
  for (const { check, path, payload } of places) {
    for (const resource of [without(right, row), changed(right, row, null)]) {
      expect(decoded(check, payload(resource))).toHaveProperty(path + row, read);
    }
  }
});

it.each(rowsOf(REFUSED))('$name: $row.0 = $row.1 cannot be read', ({ row: [member, came, message], right, places }) => {
  for (const { check, path, payload } of places) {
    const wire = payload(changed(right, member, came));
    expect(refused(check, wire)).toEqual([{ path: path + member, message }]);
  }
});

it.each(rowsOf(READ))('$name: $row.0 = $row.1 is read as $row.2', ({ row: [member, came, read], right, places }) => {
  for (const { check, path, payload } of places) {
    const wire = payload(changed(right, member, came));
    expect(decoded(check, wire)).toHaveProperty(path + member, read);
  }
});

it('a list of invoices says whether each one is adjusted', () => {
  const page = { ...invoicePage, items: [without(adjustedInvoice, 'is_adjusted')] };
  expect(refused(listInvoices.data, page)).toEqual([{ path: 'items.0.is_adjusted', message: 'is required' }]);
  expect(refused(listInvoices.data, without(invoicePage, 'items'))).toEqual([
    { path: 'items', message: 'is required' },
  ]);
});

it('every member that is wrong is named at once, and its value never', () => {
  const broken = changed(changed(createdInvoice, 'amount', 'customer@example.test'), 'currency.id', null);
  const issues = refused(createInvoice.data, broken);
  expect(issues.map(({ path }) => path)).toEqual(['amount', 'currency.id']);
  expect(JSON.stringify(issues)).not.toContain('customer@example.test');
});

it('a member of a withdrawal that cannot be read is null, and the withdrawal stays readable', () => {
  const odd = {
    ...approvedWithdrawal,
    amount: '1.5 USDT',
    processed_at: '2026-02-01',
    actor: { id: 4 },
    tx_hash: null,
  };
  const right = decoded(getWithdrawal.data, approvedWithdrawal);
  const found = decoded(getWithdrawal.data, odd);
  expect(found).toEqual({ ...right, amount: null, processed_at: null, actor: null, tx_hash: null });
});
