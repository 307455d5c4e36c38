import { expect, it } from 'vitest';
import { driftsIn } from '../../src/contract/drift.ts';
import { getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import { adjustedInvoice, invoicePage, successInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, rates } from '../support/fixtures/rates.ts';
import { changed, decoded, without } from './mutation.ts';

const message = 'is a JSON number; the interface says decimal string';

it('finds none in what the interface describes', () => {
  expect(driftsIn(decoded(getInvoice.data, adjustedInvoice))).toEqual([]);
  expect(driftsIn(decoded(listInvoices.data, invoicePage))).toEqual([]);
  expect(driftsIn(decoded(listPaymentMethods.data, paymentMethods))).toEqual([]);
  expect(driftsIn(decoded(listRates.data, rates))).toEqual([]);
});

it('names each amount that came as a number', () => {
  const wire = changed(changed(adjustedInvoice, 'amount', 100), 'adjustment.actual_amount_fiat', 68.5);
  expect(driftsIn(decoded(getInvoice.data, wire))).toEqual([
    { path: 'adjustment.actual_amount_fiat', message },
    { path: 'amount', message },
  ]);
});

it('names a member of a list once', () => {
  const items = [changed(successInvoice, 'rate', 0), changed(adjustedInvoice, 'rate', 0.92)];
  expect(driftsIn(decoded(listInvoices.data, { ...invoicePage, items }))).toEqual([{ path: 'items.*.rate', message }]);
});

it('is not confused by rows that are left out', () => {
  const list = [without(buyRate, 'price'), changed(buyRate, 'min_amount', 10)];
  expect(driftsIn(decoded(listRates.data, list))).toEqual([{ path: '*.min_amount', message }]);
});

it('does not mind numbers that the interface does not name, however deep', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  expect(driftsIn(decoded(getInvoice.data, { ...successInvoice, points: 5, deep }))).toEqual([]);
});

it.each([[undefined], [null], ['text'], [5], [new Date(0)]])('finds none in %j', (value) => {
  expect(driftsIn(value)).toEqual([]);
});
