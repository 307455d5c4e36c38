import { describe, expect, it } from 'vitest';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
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

  it.each(['name', 'currency.symbol', 'logo_url'])('keep a row whose %s cannot be read', (path) => {
    expect(decoded(listPaymentMethods.data, changed(paymentMethods, `0.${path}`, {}))[0]).toHaveProperty(path, null);
  });

  it('may lack a logo', () => {
    expect(decoded(listPaymentMethods.data, without(paymentMethods, '0.logo_url'))[0]?.logo_url).toBeNull();
  });

  it.each([
    'id',
    'currency',
    'currency.code',
    'min_amount',
    'max_amount',
    'total_commission_percent',
    'client_commission_percent',
    'merchant_commission_percent',
  ])('leave out a row without %s, and keep the others', (path) => {
    const list = without(paymentMethods, `0.${path}`);
    expect(decoded(listPaymentMethods.data, list).map(({ id }) => id)).toEqual([12]);
    expect(refused(listPaymentMethods.data, [without(paymentMethods[0], path)])).toEqual([
      { path: `0.${path}`, message: 'is required' },
    ]);
  });

  it.each([
    ['id', '11a'],
    ['currency', 'EUR'],
    ['min_amount', 'low'],
    ['min_amount', '-1'],
    ['max_amount', '-1'],
    ['max_amount', null],
    ['total_commission_percent', '3.5%'],
    ['client_commission_percent', false],
    ['merchant_commission_percent', {}],
  ])('leave out a row with %s = %j', (path, value) => {
    const list = changed(paymentMethods, `1.${path}`, value);
    expect(decoded(listPaymentMethods.data, list).map(({ id }) => id)).toEqual([11]);
    expect(refused(listPaymentMethods.data, [changed(paymentMethods[1], path, value)])[0]?.path).toBe(`0.${path}`);
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
