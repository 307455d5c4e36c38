import { expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import { getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { type Drift, driftsIn } from '../../src/contract/values/drift.ts';
import { getWithdrawal } from '../../src/contract/withdrawals.ts';
import { deliveredRecord } from '../support/fixtures/deliveries.ts';
import { adjustedInvoice, invoicePage, successInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, rates } from '../support/fixtures/rates.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { changed } from './mutation.ts';

function drifts(check: Check<unknown>, payload: unknown): Drift[] {
  const form = check.structure?.();
  if (form === undefined) throw new Error('this check has no structure');
  return driftsIn(form, payload);
}

it('finds none in what the interface describes', () => {
  expect(drifts(getInvoice.data, adjustedInvoice)).toEqual([]);
  expect(drifts(listInvoices.data, invoicePage)).toEqual([]);
  expect(drifts(listPaymentMethods.data, paymentMethods)).toEqual([]);
  expect(drifts(listRates.data, rates)).toEqual([]);
});

it('names each amount that came as a number', () => {
  const wire = changed(changed(adjustedInvoice, 'amount', 100), 'adjustment.actual_amount_fiat', 68.5);
  expect(drifts(getInvoice.data, wire)).toEqual(
    expect.arrayContaining([
      { path: 'adjustment.actual_amount_fiat', kind: 'number_for_decimal' },
      { path: 'amount', kind: 'number_for_decimal' },
    ]),
  );
});

it('names a member of a list once', () => {
  const items = [changed(successInvoice, 'rate', 0), changed(adjustedInvoice, 'rate', 0.92)];
  expect(drifts(listInvoices.data, { ...invoicePage, items })).toEqual([
    { path: 'items.*.rate', kind: 'number_for_decimal' },
  ]);
});

it('names fields and words that the interface does not know', () => {
  const wire = {
    ...successInvoice,
    status: 'refunded',
    points: 5,
    currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€', flag: 'eu' },
  };
  expect(drifts(getInvoice.data, wire)).toEqual([
    { path: 'currency.flag', kind: 'unknown_field' },
    { path: 'status', kind: 'unknown_word' },
    { path: 'points', kind: 'unknown_field' },
  ]);
  expect(drifts(listRates.data, [changed(buyRate, 'side', 'swap')])).toEqual([
    { path: '*.side', kind: 'unknown_word' },
  ]);
});

it('names what was forgiven in a page', () => {
  expect(drifts(listInvoices.data, { ...invoicePage, items: null, per_page: '20', total_items: 'x' })).toEqual([
    { path: 'items', kind: 'null_for_list' },
    { path: 'per_page', kind: 'text_for_number' },
  ]);
  const items = [changed(changed(successInvoice, 'payment_method', []), 'currency.id', '2')];
  expect(drifts(listInvoices.data, { ...invoicePage, items })).toEqual([
    { path: 'items.*.currency.id', kind: 'text_for_number' },
    { path: 'items.*.payment_method', kind: 'list_for_object' },
  ]);
});

it('names the members of a withdrawal that could not be read', () => {
  const odd = {
    ...approvedWithdrawal,
    amount: '1.5 USDT',
    processed_at: '2026-02-01',
    actor: 4,
    tx_hash: '',
    address: null,
  };
  expect(drifts(getWithdrawal.data, odd)).toEqual([
    { path: 'actor', kind: 'unreadable_member' },
    { path: 'amount', kind: 'unreadable_member' },
    { path: 'processed_at', kind: 'unreadable_member' },
  ]);
  expect(
    drifts(getWithdrawal.data, { ...approvedWithdrawal, amount: 25, created_at: '', network_commission: '' }),
  ).toEqual([{ path: 'amount', kind: 'number_for_decimal' }]);
  expect(drifts(getWithdrawal.data, approvedWithdrawal)).toEqual([]);
});

it('does not count the names of a delivery, which are not shown', () => {
  expect(drifts(listDeliveries.data, [{ webhook_id: '1', state: 'failed', history: [{ extra: 1 }] }])).toEqual([]);
});

it('leaves out members of a delivery that are null: their names are not shown', () => {
  expect(drifts(listDeliveries.data, [{ ...deliveredRecord, attempt_log: null }])).toEqual([]);
});

it('reads 20,000 values of a response, and no more', () => {
  const rows = Array.from({ length: 20_000 }, () => ({ side: 'buy' }));
  const odd = { side: 'swap' };
  expect(drifts(listRates.data, [...rows.slice(1), odd])).toEqual([{ path: '*.side', kind: 'unknown_word' }]);
  expect(drifts(listRates.data, [...rows, odd])).toEqual([]);
});

it('names a field of any length with its first 100 characters', () => {
  expect(drifts(getInvoice.data, { ...successInvoice, ['x'.repeat(101)]: 1 })).toEqual([
    { path: 'x'.repeat(100), kind: 'unknown_field' },
  ]);
});

it('does not take a list that may be absent for one in place of an object', () => {
  const { attempts: _count, ...rest } = deliveredRecord;
  expect(drifts(listDeliveries.data, [{ ...rest, attempts: [] }])).toEqual([]);
});

it('does not enter what the interface does not name, however deep', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  expect(drifts(getInvoice.data, { ...successInvoice, deep })).toEqual([{ path: 'deep', kind: 'unknown_field' }]);
});

it('takes a field of any name for what it is', () => {
  const wire = { ...successInvoice, ...JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2}') };
  expect(drifts(getInvoice.data, wire).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['constructor', 'toString']),
  );
});

it.each([[undefined], [null], ['text'], [5], [new Date(0)], [[]], [[1]]])('finds none in %j', (value) => {
  expect(drifts(getInvoice.data, value)).toEqual([]);
});

it('finds none in members of another type, which are errors', () => {
  expect(drifts(listInvoices.data, { ...invoicePage, items: 'abc' })).toEqual([]);
  expect(drifts(getInvoice.data, { ...successInvoice, status: 5, currency: ['EUR'], adjustment: 'none' })).toEqual([]);
});
