import { describe, expect, it } from 'vitest';
import { listRates } from '../../src/contract/rates.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
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

  it.each(['min_amount', 'max_amount'])('may have no %s', (name) => {
    expect(decoded(listRates.data, [changed(buyRate, name, null)])[0]).toHaveProperty(name, null);
    expect(decoded(listRates.data, [without(buyRate, name)])[0]).toHaveProperty(name, null);
  });

  it.each([
    ['platform', undefined],
    ['platform', 1],
    ['asset', undefined],
    ['asset', null],
    ['asset', 'BTC'],
    ['fiat', undefined],
    ['fiat', {}],
    ['side', undefined],
    ['side', 1],
    ['price', '-1'],
    ['price', 'none'],
    ['min_amount', '-1'],
    ['min_amount', 'low'],
    ['max_amount', 'Infinity'],
  ])('leave out a row with %s = %j, and keep the others', (path, value) => {
    const row = value === undefined ? without(buyRate, path) : changed(buyRate, path, value);
    expect(decoded(listRates.data, [row, sellRate]).map(({ side }) => side)).toEqual(['sell']);
    expect(refused(listRates.data, [row]).map((issue) => issue.path)).toEqual([`0.${path}`]);
  });

  it.each([
    [20, undefined],
    [21, true],
    [1_001, true],
  ])('say whether there are more issues than they name: %i odd rows', (count, isMore) => {
    const result = listRates.data(Array.from({ length: count }, () => ({ price: '1' })));
    expect(result).toHaveProperty('issues.length', 20);
    expect('isMore' in result ? result.isMore : undefined).toBe(isMore);
  });

  it.each([[null], [undefined], [{}], ['text'], [[null]], [[5]]])('are refused when the payload is %j', (payload) => {
    expect(refused(listRates.data, payload)).toHaveLength(1);
    expect(listRates.data(payload)).not.toHaveProperty('isMore');
  });
});
