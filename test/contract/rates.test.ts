import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/contract/decimal.ts';
import { listRates } from '../../src/contract/rates.ts';
import { buyRate, rates, sellRate } from '../support/fixtures/rates.ts';
import { changed, decoded, refused, without } from './mutation.ts';

describe('rates', () => {
  it('are decoded member by member', () => {
    expect(decoded(listRates.data, rates)).toEqual([
      {
        platform: 'Example Exchange',
        asset: 'USDT',
        fiat: 'EUR',
        side: 'buy',
        price: new Decimal('0.9215'),
        min_amount: new Decimal('10'),
        max_amount: new Decimal('50000'),
      },
      {
        platform: 'Example Exchange',
        asset: 'USDT',
        fiat: 'EUR',
        side: 'sell',
        price: new Decimal('0.9187'),
        min_amount: new Decimal('10'),
        max_amount: new Decimal('50000'),
      },
    ]);
  });

  it('may be none', () => {
    expect(decoded(listRates.data, [])).toEqual([]);
  });

  it('leave out a row without a price, absent or null', () => {
    const list = [without(buyRate, 'price'), changed(buyRate, 'price', null), sellRate];
    expect(decoded(listRates.data, list).map((rate) => rate.side)).toEqual(['sell']);
  });

  it('pass a side that the interface does not list, and keep unknown members', () => {
    expect(decoded(listRates.data, [{ ...buyRate, side: 'mid', depth: 3 }])[0]).toMatchObject({
      side: 'mid',
      depth: 3,
    });
  });

  it.each(['0.platform', '0.asset', '0.fiat', '1.side', '1.min_amount', '1.max_amount'])(
    'are refused without %s',
    (path) => {
      expect(refused(listRates.data, without(rates, path))).toEqual([{ path, message: 'is required' }]);
    },
  );

  it.each([
    ['0.platform', 1],
    ['0.asset', null],
    ['0.fiat', {}],
    ['0.side', 1],
    ['0.price', 'none'],
    ['1.min_amount', null],
    ['1.max_amount', 'Infinity'],
  ])('are refused with %s = %j', (path, value) => {
    expect(refused(listRates.data, changed(rates, path, value)).map((issue) => issue.path)).toEqual([path]);
  });

  it.each([[null], [{}], ['text'], [[null]], [[5]]])('are refused when the payload is %j', (payload) => {
    expect(refused(listRates.data, payload)).toHaveLength(1);
  });
});
