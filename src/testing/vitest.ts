/**
 * Money in the assertions of vitest 4 and 5. A setup file: amounts are compared by value, and `toEqualMoney` exists.
 *
 * @packageDocumentation
 */
import { expect } from 'vitest';
import type { MoneyMatchers } from './money-equality.ts';
import { moneyEquality, moneyMatchers } from './money-equality.ts';

expect.addEqualityTesters([moneyEquality]);
expect.extend(moneyMatchers);

// The assertion types of vitest have other type parameters in 4 and 5. Both take the methods of chai's, which have none.
declare global {
  namespace Chai {
    interface Assertion extends MoneyMatchers<void> {}
  }
}
declare module 'vitest' {
  interface AsymmetricMatchersContaining extends MoneyMatchers {}
}
