import { describe, expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import { getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { driftsIn } from '../../src/contract/values/drift.ts';
import { getWithdrawal } from '../../src/contract/withdrawals.ts';
import { deliveredRecord } from '../support/fixtures/deliveries.ts';
import { adjustedInvoice, invoicePage, successInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, rates } from '../support/fixtures/rates.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { changed } from './mutation.ts';

const { attempts: _count, ...unnamed } = deliveredRecord;

function drifts(check: Check<unknown>, payload: unknown): string[] {
  const form = check.structure?.();
  if (form === undefined) throw new Error('this check has no structure');
  return driftsIn(form, payload).map(({ path, kind }) => `${path} ${kind}`);
}

const DEEP: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
const LONG = 'x'.repeat(101);

describe('drift', () => {
  it.each<[string, Check<unknown>, unknown, readonly string[]]>([
    [
      'each amount that came as a number',
      getInvoice.data,
      changed(changed(adjustedInvoice, 'amount', 100), 'adjustment.actual_amount_fiat', 68.5),
      ['amount number_for_decimal', 'adjustment.actual_amount_fiat number_for_decimal'],
    ],
    [
      'a member of a list once',
      listInvoices.data,
      { ...invoicePage, items: [changed(successInvoice, 'rate', 0), changed(adjustedInvoice, 'rate', 0.92)] },
      ['items.*.rate number_for_decimal'],
    ],
    [
      'fields and words that the interface does not know',
      getInvoice.data,
      { ...successInvoice, status: 'refunded', points: 5, currency: { ...successInvoice.currency, flag: 'eu' } },
      ['currency.flag unknown_field', 'status unknown_word', 'points unknown_field'],
    ],
    ['a word in a list', listRates.data, [changed(buyRate, 'side', 'swap')], ['*.side unknown_word']],
    [
      'what was forgiven in a page',
      listInvoices.data,
      { ...invoicePage, items: null, per_page: '20', total_items: 'x' },
      ['items null_for_list', 'per_page text_for_number'],
    ],
    [
      'what was forgiven in its rows',
      listInvoices.data,
      { ...invoicePage, items: [changed(changed(successInvoice, 'payment_method', []), 'currency.id', '2')] },
      ['items.*.currency.id text_for_number', 'items.*.payment_method list_for_object'],
    ],
    [
      'the members of a withdrawal that could not be read, and neither empty nor null ones',
      getWithdrawal.data,
      {
        ...approvedWithdrawal,
        ...{ amount: '1.5 USDT', processed_at: '2026-02-01', actor: 4 },
        ...{ tx_hash: '', created_at: '', address: null },
      },
      ['actor unreadable_member', 'amount unreadable_member', 'processed_at unreadable_member'],
    ],
    [
      'an amount of a withdrawal that came as a number',
      getWithdrawal.data,
      { ...approvedWithdrawal, amount: 25, network_commission: '' },
      ['amount number_for_decimal'],
    ],
    [
      'a field of any length with its first 100 characters',
      getInvoice.data,
      { ...successInvoice, [LONG]: 1 },
      [`${LONG.slice(1)} unknown_field`],
    ],
    [
      'a field whose value is deep, without entering it',
      getInvoice.data,
      { ...successInvoice, deep: DEEP },
      ['deep unknown_field'],
    ],
    [
      'fields that are called as those of every object',
      getInvoice.data,
      { ...successInvoice, ...JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2}') },
      ['__proto__ unknown_field', 'constructor unknown_field', 'toString unknown_field'],
    ],
  ])('names %s', (_name, check, payload, found) => {
    expect(drifts(check, payload)).toEqual(found);
  });

  it.each<[string, Check<unknown>, unknown]>([
    ['an invoice', getInvoice.data, adjustedInvoice],
    ['a page', listInvoices.data, invoicePage],
    ['payment methods', listPaymentMethods.data, paymentMethods],
    ['rates', listRates.data, rates],
    ['a withdrawal', getWithdrawal.data, approvedWithdrawal],
    // The names of a delivery are not shown.
    ['a delivery', listDeliveries.data, [{ webhook_id: '1', state: 'failed', history: [{ extra: 1 }] }]],
    ['a delivery without a log', listDeliveries.data, [{ ...deliveredRecord, attempt_log: null }]],
    ['a delivery whose log is empty and called attempts', listDeliveries.data, [{ ...unnamed, attempts: [] }]],
    // Members of another type are errors.
    ['rows that are text', listInvoices.data, { ...invoicePage, items: 'abc' }],
    ['a status that is a number', getInvoice.data, { ...successInvoice, status: 5 }],
    ['a currency that is a list', getInvoice.data, { ...successInvoice, currency: ['EUR'] }],
    ['an adjustment that is text', getInvoice.data, { ...successInvoice, adjustment: 'none' }],
    ['text', getInvoice.data, 'text'],
    ['a number', getInvoice.data, 5],
    ['null', getInvoice.data, null],
    ['undefined', getInvoice.data, undefined],
    ['a Date', getInvoice.data, new Date(0)],
    ['a list', getInvoice.data, [1]],
  ])('is not found in %s', (_name, check, payload) => {
    expect(drifts(check, payload)).toEqual([]);
  });

  it('is looked for in 20,000 values of a response, and no more', () => {
    const rows = Array.from({ length: 20_000 }, () => ({ side: 'buy' }));
    const odd = { side: 'swap' };
    expect(drifts(listRates.data, [...rows.slice(1), odd])).toEqual(['*.side unknown_word']);
    expect(drifts(listRates.data, [...rows, odd])).toEqual([]);
  });
});
