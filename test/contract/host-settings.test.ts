import { Decimal as HostDecimal } from 'decimal.js';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createInvoice, getInvoice } from '../../src/contract/invoices.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { decimalFrom } from '../../src/contract/values/scalars.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { changed, decoded, refused, without } from './mutation.ts';

// decimal.js and zod keep settings for the whole process, which a host may change at any time.

describe('a host that changes decimal.js', () => {
  const settings = { precision: 20, rounding: 4, toExpNeg: -7, toExpPos: 21, maxE: 9e15, minE: -9e15 } as const;
  afterEach(() => {
    HostDecimal.set(settings);
  });

  it('does not change our arithmetic', () => {
    HostDecimal.set({ precision: 1, rounding: 0, toExpPos: 0, toExpNeg: 0 });
    expect(new HostDecimal('1.25').plus('1').toString()).toBe('3e+0'); // the setting is at work
    expect(String(decimalFrom('123456789012345678901.23'))).toBe('123456789012345678901.23');
    expect(new Decimal('1.25').plus('1').toString()).toBe('2.25');
  });

  it('may give its own Decimal as an amount, before and after', () => {
    const order = (amount: unknown) => ({ external_id: 'a', customer_id: 'b', amount, currency: 'EUR' });
    const price = new HostDecimal('25.50');
    expect(decoded(createInvoice.body ?? neverCheck, order(price))).toMatchObject({ amount: '25.5' });
    HostDecimal.set({ precision: 1, toExpPos: 0, toExpNeg: 0 });
    expect(decoded(createInvoice.body ?? neverCheck, order(price))).toMatchObject({ amount: '25.5' });
    const Cloned = HostDecimal.clone({ precision: 3 });
    expect(decoded(createInvoice.body ?? neverCheck, order(new Cloned('1234.56')))).toMatchObject({
      amount: '1234.56',
    });
  });
});

const neverCheck = () => {
  throw new Error('the endpoint has no body');
};

describe('a host that changes zod', () => {
  const broken: readonly [string, unknown, string, string][] = [
    ['a missing member', without(pendingInvoice, 'uuid'), 'uuid', 'is required'],
    ['another type', changed(pendingInvoice, 'uuid', 5), 'uuid', 'must be a string'],
    ['a broken scalar', changed(pendingInvoice, 'amount', 'x'), 'amount', 'must be a decimal string, such as "25.00"'],
    ['a huge integer', changed(pendingInvoice, 'currency.id', 1e300), 'currency.id', 'must be an integer'],
  ];
  afterEach(() => {
    z.config({ customError: undefined, localeError: z.locales.en().localeError });
  });

  it.each(broken)('does not change our texts: %s', (_name, wire, path, message) => {
    let asked = 0;
    z.config({
      customError: () => {
        asked += 1;
        return 'LEAK';
      },
      localeError: () => 'LEAK',
    });
    expect(z.string().safeParse(1).error?.issues[0]?.message).toBe('LEAK'); // the setting is at work
    asked = 0;
    expect(refused(getInvoice.data, wire)).toEqual([{ path, message }]);
    expect(asked).toBe(0);
  });

  it('does not change what unknown parameters are told', () => {
    z.config({ customError: () => 'LEAK' });
    const order = { external_id: 'a', customer_id: 'b', amount: '1', currency: 'EUR', ammount: '1' };
    expect(refused(createInvoice.body ?? neverCheck, order)).toEqual([
      { path: 'ammount', message: 'is not a parameter of this call' },
    ]);
  });

  it('cannot break us with a map that throws', () => {
    z.config({
      customError: () => {
        throw new Error('host');
      },
    });
    expect(refused(getInvoice.data, without(pendingInvoice, 'uuid'))).toHaveLength(1);
  });
});
