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
    ['id', '11a'],
    ['currency', 'EUR'],
    ['currency.code', 7],
    ['min_amount', 'low'],
    ['min_amount', '-1'],
    ['max_amount', '-1'],
    ['max_amount', null],
    ['total_commission_percent', '3.5%'],
    ['client_commission_percent', false],
    ['merchant_commission_percent', {}],
  ])('leave out a row without %s, or with %j for it, and keep the others', (path, value) => {
    for (const row of [without(paymentMethods[0], path), changed(paymentMethods[0], path, value)]) {
      expect(decoded(listPaymentMethods.data, [row, paymentMethods[1]]).map(({ id }) => id)).toEqual([12]);
      expect(refused(listPaymentMethods.data, [row]).map((issue) => issue.path)).toEqual([`0.${path}`]);
    }
    expect(refused(listPaymentMethods.data, [without(paymentMethods[0], path)])[0]?.message).toBe('is required');
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
