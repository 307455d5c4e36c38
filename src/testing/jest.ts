/**
 * Money in the assertions of Jest. A setup file: amounts are compared by value, and `toEqualMoney` exists.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from '../errors/classes.ts';
import { type MoneyMatchers, moneyEquality, moneyMatchers } from './money-equality.ts';

/** The part of Jest's `expect` that is used here. */
interface JestExpect {
  addEqualityTesters(testers: readonly (typeof moneyEquality)[]): void;
  extend(matchers: object): void;
}

const { expect } = globalThis as { readonly expect?: JestExpect }; // Jest defines it before it runs the setup files
if (expect === undefined) {
  throw new ConfigurationError('merchant-invoicing/testing/jest must be listed in setupFilesAfterEnv of Jest.');
}
expect.addEqualityTesters([moneyEquality]);
expect.extend(moneyMatchers);

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the type parameters must be those of @types/jest
    interface Matchers<R, T = {}> extends MoneyMatchers<R> {}
    interface Expect extends MoneyMatchers {}
  }
}
