import { Decimal as HostDecimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { amountFromMinor, amountToMinor, Decimal } from '../../src/index.ts';

it.each<[number, number, string]>([
  [2510, 2, '25.10'],
  [5, 2, '0.05'],
  [0, 2, '0.00'],
  [2510, 0, '2510'],
  [2510, 3, '2.510'],
  [Number.MAX_SAFE_INTEGER, 2, '90071992547409.91'],
])('%i minor units with %i digits are %s, and back', (minor, digits, amount) => {
  expect(amountFromMinor(minor, digits)).toBe(amount);
  expect(amountToMinor(amount, digits)).toBe(minor);
  expect(amountToMinor(new Decimal(amount), digits)).toBe(minor);
  expect(amountToMinor(new HostDecimal(amount), digits)).toBe(minor);
});

it.each<[string, () => unknown, string]>([
  ['half a cent', () => amountFromMinor(2510.5, 2), 'a whole number from 0'],
  ['a negative number', () => amountFromMinor(-1, 2), 'a whole number from 0'],
  ['a number that has lost digits', () => amountFromMinor(2 ** 53, 2), 'below 2^53'],
  ['text', () => amountFromMinor('2510' as never, 2), 'not a string'],
  ['no digits', () => amountFromMinor(2510, undefined as never), 'the digits must be'],
  ['too many digits', () => amountFromMinor(2510, 13), 'the digits must be'],
  ['a third decimal', () => amountToMinor('25.105', 2), '25.105 has more than 2 decimals'],
  ['a number', () => amountToMinor(25.1 as never, 2), 'decimal text or a Decimal, not 25.1'],
  ['no amount', () => amountToMinor('abc', 2), 'decimal text or a Decimal'],
  ['more than a number holds', () => amountToMinor('90071992547409.92', 2), 'too many minor units'],
])('%s is refused', (_name, call, message) => {
  expect(call).toThrow(message);
  expect(call).toThrow(expect.objectContaining({ code: 'SDK_INVALID_ARGUMENT' }));
});

it('zeros beyond the digits are none', () => expect(amountToMinor('25.1000', 2)).toBe(2510));
