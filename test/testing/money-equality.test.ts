import { Decimal as Foreign } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { Decimal, fakeInvoice, moneyEquality, moneyMatchers } from '../../src/testing/index.ts';
import '../../src/testing/vitest.ts';

const amount = new Decimal('25.00');

describe('money in the assertions of vitest', () => {
  it('equals text and Decimals by value, at any depth', () => {
    expect(amount).toEqual('25.00');
    expect('25').toEqual(amount);
    expect(amount).toStrictEqual(new Foreign('25'));
    expect(fakeInvoice({ amount: '25.00' })).toMatchObject({ amount: '25.0', currency: { code: 'EUR' } });
    expect([{ a: [amount] }]).toEqual([{ a: ['25.000'] }]);
    expect({ amount }).toEqual(expect.objectContaining({ amount: '25' }));
  });

  it('differs from everything else', () => {
    for (const other of ['25.01', 25, '25 EUR', '', null, undefined, {}, '0x19', new Decimal('-25'), Number.NaN])
      expect(amount).not.toEqual(other);
    expect('25.00').not.toEqual('25'); // texts stay texts
    expect({ amount }).not.toEqual({});
  });

  it('has toEqualMoney, which says both amounts', () => {
    expect(amount).toEqualMoney('25.00');
    expect('25.0').toEqualMoney(amount);
    expect(amount).not.toEqualMoney('25.01');
    expect({ amount }).toEqual({ amount: expect.toEqualMoney('25.00') });
    expect(() => expect(amount).toEqualMoney('25.01')).toThrow('expected the amount 25.01, got 25');
    expect(() => expect(amount).not.toEqualMoney('25')).toThrow('expected another amount than 25, got 25');
    expect(() => expect(25).toEqualMoney('25')).toThrow('got number, which is not an amount');
    expect(moneyMatchers.toEqualMoney(amount, 25 as never)).toMatchObject({ pass: false });
  });

  it('leaves values without a Decimal to the runner', () => {
    expect(moneyEquality('25', '25.0')).toBeUndefined();
    expect(moneyEquality(amount, new Decimal(Number.NaN))).toBe(false);
  });
});
