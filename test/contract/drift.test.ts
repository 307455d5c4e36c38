import { describe, expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import { getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { getWithdrawal } from '../../src/contract/withdrawals.ts';
import { deliveredRecord } from '../support/fixtures/deliveries.ts';
import { adjustedInvoice, invoicePage, successInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { rates } from '../support/fixtures/rates.ts';
import { approvedWithdrawal } from '../support/fixtures/withdrawals.ts';
import { changed, driftOf } from './mutation.ts';

// The drift of a single member stands beside what is read for it: members.test.ts.

const { attempts: _count, ...unnamed } = deliveredRecord;
const DEEP: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
const LONG = 'x'.repeat(101);
const NUMBERED = changed(successInvoice, 'rate', 0);
const { adjustment } = adjustedInvoice;

describe('drift', () => {
  it.each<[string, Check<unknown>, unknown, readonly string[]]>([
    [
      'in a list once for all its rows',
      listInvoices.data,
      { ...invoicePage, items: [NUMBERED, changed(adjustedInvoice, 'rate', 0.92)], per_page: '20' },
      ['items.*.rate number_for_decimal', 'per_page text_for_number'],
    ],
    [
      'in any depth, and a field that the interface does not name',
      getInvoice.data,
      {
        ...adjustedInvoice,
        adjustment: { ...adjustment, actual_amount_fiat: 68.5 },
        currency: { ...adjustedInvoice.currency, flag: 'eu' },
      },
      ['currency.flag unknown_field', 'adjustment.actual_amount_fiat number_for_decimal'],
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
    expect(driftOf(check, payload)).toEqual(found);
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
    // A member of another type is an error, or a payload that is none.
    ['rows that are text', listInvoices.data, { ...invoicePage, items: 'abc', total_items: 'x' }],
    ['a status that is a number', getInvoice.data, { ...successInvoice, status: 5 }],
    ['a currency that is a list', getInvoice.data, { ...successInvoice, currency: ['EUR'] }],
    ['an adjustment that is text', getInvoice.data, { ...successInvoice, adjustment: 'none' }],
    ...['text', 5, null, undefined, new Date(0), [1]].map((payload): [string, Check<unknown>, unknown] => [
      `a payload that is ${payload}`,
      getInvoice.data,
      payload,
    ]),
  ])('is not found in %s', (_name, check, payload) => {
    expect(driftOf(check, payload)).toEqual([]);
  });

  it('is looked for in 20,000 values of a response, and no more', () => {
    const rows = Array.from({ length: 20_000 }, () => ({ side: 'buy' }));
    const odd = { side: 'swap' };
    expect(driftOf(listRates.data, [...rows.slice(1), odd])).toEqual(['*.side unknown_word']);
    expect(driftOf(listRates.data, [...rows, odd])).toEqual([]);
  });
});
