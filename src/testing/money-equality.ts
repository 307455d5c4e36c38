import type { DecimalInput } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { decimalFrom, Problem } from '../contract/values/scalars.ts';

/**
 * Compares amounts by value, for `expect.addEqualityTesters` of vitest and Jest: a Decimal equals a Decimal, and decimal
 * text, of the same value. A Decimal never equals a number, which cannot hold every amount.
 *
 * @returns True or false if one of the two is a Decimal, otherwise undefined, which leaves the decision to the runner.
 * @example
 * expect.addEqualityTesters([moneyEquality]);
 * expect(fakeInvoice()).toMatchObject({ amount: '25.00' });
 */
export function moneyEquality(a: unknown, b: unknown): boolean | undefined {
  if (!Decimal.isDecimal(a) && !Decimal.isDecimal(b)) return undefined;
  const [first, second] = [amountOf(a), amountOf(b)];
  return first !== null && second !== null && first.eq(second);
}

function amountOf(value: unknown): Decimal | null {
  const text = Decimal.isDecimal(value) ? value.toFixed() : value;
  const read = typeof text === 'string' ? decimalFrom(text) : null;
  return read instanceof Problem ? null : read;
}

/** The part of the result of a matcher that vitest and Jest read. */
export interface MatcherResult {
  readonly pass: boolean;
  /** The text of the failure. The runner calls it only then. */
  message(): string;
  /** The received amount as text, for the diff of the runner. */
  readonly actual?: unknown;
  /** The expected amount as text, for the diff of the runner. */
  readonly expected?: unknown;
}

/** The matchers of this package. */
export interface MoneyMatchers<R = unknown> {
  /**
   * Passes for a Decimal, or decimal text, of the same value. Numbers never pass.
   *
   * @example
   * expect(fakePaidEvent().credited_usdt).toEqualMoney('26.861298');
   */
  toEqualMoney(expected: DecimalInput): R;
}

/**
 * The matchers, for `expect.extend` of vitest and Jest.
 *
 * @example
 * expect.extend(moneyMatchers);
 */
export const moneyMatchers: { toEqualMoney(received: unknown, expected: DecimalInput): MatcherResult } = {
  toEqualMoney(received, expected) {
    const [got, wanted] = [amountOf(received), amountOf(expected)];
    const pass = got !== null && wanted !== null && got.eq(wanted);
    const shown = got === null ? `${typeof received}, which is not an amount` : got.toFixed();
    const said = wanted === null ? 'an amount, which must be text or a Decimal' : wanted.toFixed();
    return {
      pass,
      message: () => `expected ${pass ? 'another amount than' : 'the amount'} ${said}, got ${shown}`,
      actual: got?.toFixed() ?? received,
      expected: wanted?.toFixed() ?? expected,
    };
  },
};
