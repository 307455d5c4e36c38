import type { DecimalInput } from '../contract/parameters.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { decimalGiven, Problem } from '../contract/values/scalars.ts';
import { argumentFail, kindOf } from '../errors/checks.ts';

// For shops that count in cents. How many digits a currency has is the shop's own: its column, not ISO 4217, says what
// 2510 means.

const DIGITS_MAX = 12;

/**
 * Writes a number of minor units as the amount that the service takes: 2510 cents are `'25.10'`.
 *
 * @param minor A whole number from 0, below 2^53. A division by 100 would lose digits: `String(2510 / 100)` is `25.1`.
 * @param digits How many decimals the shop counts in, from 0 to 12: 2 for cents.
 * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for anything else.
 * @example
 * await merchant.invoices.create({ ...order, amount: amountFromMinor(2510, 2) });
 */
export function amountFromMinor(minor: number, digits: number): string {
  const fail = argumentFail('amountFromMinor');
  checkDigits(digits, fail);
  if (!Number.isSafeInteger(minor) || minor < 0) {
    fail(`the minor units must be a whole number from 0, below 2^53, not ${kindOf(minor)}`);
  }
  return new Decimal(minor).div(new Decimal(10).pow(digits)).toFixed(digits);
}

/**
 * Reads an amount as a number of minor units: `'25.10'` is 2510 cents.
 *
 * @param amount Decimal text or a Decimal, such as `amount` of an invoice or of an event.
 * @param digits How many decimals the shop counts in, from 0 to 12: 2 for cents.
 * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for an amount that is no whole number of minor units: nothing is
 * rounded. Also for one from 2^53 minor units on.
 * @example
 * const cents = amountToMinor(event.amount, 2);
 */
export function amountToMinor(amount: DecimalInput, digits: number): number {
  const fail = argumentFail('amountToMinor');
  checkDigits(digits, fail);
  const read = decimalGiven(amount);
  if (read instanceof Problem) return fail(`the amount must be decimal text or a Decimal, not ${kindOf(amount)}`);
  const minor = read.times(new Decimal(10).pow(digits));
  if (!minor.isInteger()) fail(`${read.toFixed()} has more than ${digits} decimals: round it first, where it is made`);
  const number = Number(minor.toString());
  return Number.isSafeInteger(number) ? number : fail(`${read.toFixed()} has too many minor units for a number`);
}

function checkDigits(digits: number, fail: (problem: string) => never): void {
  if (Number.isInteger(digits) && digits >= 0 && digits <= DIGITS_MAX) return;
  fail(`the digits must be a whole number from 0 to ${DIGITS_MAX}, not ${kindOf(digits)}`);
}
