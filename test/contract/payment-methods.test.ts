import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/decimal.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { changed, decoded, refused, without } from './mutation.ts';

describe('payment methods', () => {
  it('are decoded member by member', () => {
    expect(decoded(listPaymentMethods.data, paymentMethods)).toEqual([
      {
        id: 11,
        name: 'Card',
        currency: { id: 2, code: 'EUR', name: 'Euro', symbol: '€' },
        min_amount: new Decimal('5'),
        max_amount: new Decimal('2000'),
        total_commission_percent: new Decimal('3.5'),
        client_commission_percent: new Decimal('2'),
        merchant_commission_percent: new Decimal('1.5'),
        logo_url: 'https://cdn.example/card.svg',
      },
      {
        id: 12,
        name: 'Bank transfer',
        currency: { id: 7, code: 'KZT', name: 'Tenge', symbol: '₸' },
        min_amount: new Decimal('1000'),
        max_amount: new Decimal('5000000'),
        total_commission_percent: new Decimal('0.75'),
        client_commission_percent: new Decimal('0'),
        merchant_commission_percent: new Decimal('0.75'),
        logo_url: 'https://cdn.example/bank.svg',
      },
    ]);
  });

  it('may be none', () => {
    expect(decoded(listPaymentMethods.data, [])).toEqual([]);
  });

  it('may lack a logo', () => {
    expect(decoded(listPaymentMethods.data, without(paymentMethods, '0.logo_url'))[0]?.logo_url).toBeNull();
  });

  it.each([
    '0.id',
    '0.name',
    '0.currency',
    '0.currency.code',
    '0.min_amount',
    '0.max_amount',
    '0.total_commission_percent',
    '0.client_commission_percent',
    '1.merchant_commission_percent',
  ])('are refused without %s', (path) => {
    expect(refused(listPaymentMethods.data, without(paymentMethods, path))).toEqual([{ path, message: 'is required' }]);
  });

  it.each([
    ['0.id', '11'],
    ['0.name', null],
    ['0.currency', 'EUR'],
    ['0.min_amount', 'low'],
    ['0.max_amount', null],
    ['1.total_commission_percent', '3.5%'],
    ['1.client_commission_percent', false],
    ['1.merchant_commission_percent', {}],
    ['1.logo_url', 1],
  ])('are refused with %s = %j', (path, value) => {
    expect(refused(listPaymentMethods.data, changed(paymentMethods, path, value)).map((i) => i.path)).toEqual([path]);
  });

  it('are not a page', () => {
    expect(refused(listPaymentMethods.data, { items: paymentMethods })).toEqual([
      { path: '', message: 'must be an array' },
    ]);
  });

  it('keep unknown members', () => {
    expect(decoded(listPaymentMethods.data, [{ ...paymentMethods[0], is_new: true }])[0]).toMatchObject({
      is_new: true,
    });
  });
});
