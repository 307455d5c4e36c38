import { Decimal } from './decimal.ts';

// Quick readings of the texts that a service usually sends. Any other text gives null, and scalars.ts reads it exactly.
// They scan character codes, because a pattern with its substrings takes longer than the value itself. A Decimal takes
// 0.12 instead of 0.48 µs, and a Date 0.2 instead of 0.7 µs. A page of 100 invoices has up to 650 of both.

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const HYPHEN = 45;
const COLON = 58;
const TIME = 84;
const UTC = 90;

/** decimal.js keeps digits in words of seven, counted from the point: 12.3 is 12 and 3000000. */
const WORD = 7;
/** Two words and the point. The rest of a text that is longer is not looked at. */
const LONGEST = 2 * WORD + 1;
/** The factor that moves a number of digits to the beginning of a word. */
const SHIFTS = Array.from({ length: WORD + 1 }, (_, digits) => 10 ** (WORD - digits));
/** False for a version of decimal.js with other words. */
const HAS_WORDS_OF_SEVEN = String(new Decimal('12.3').d) === '12,3000000';

/** Reads up to seven digits before the point and up to seven behind it. */
export function quickDecimal(text: string): Decimal | null {
  if (text.length > LONGEST) return null;
  const point = digitsEnd(text, 0);
  if (point === 0 || point > WORD || !isUsable()) return null;
  const whole = numberIn(text, 0, point);
  if (point === text.length) return new Decimal(whole);
  const places = text.length - point - 1;
  if (text.charCodeAt(point) !== POINT || places === 0 || places > WORD || digitsEnd(text, point + 1) < text.length)
    return null;
  const part = numberIn(text, point + 1, text.length) * (SHIFTS[places] ?? 0);
  if (part === 0) return new Decimal(whole);
  const decimal = new Decimal(whole === 0 ? part : whole);
  if (whole > 0) decimal.d.push(part);
  else (decimal as { e: number }).e -= WORD; // declared as readonly
  return decimal;
}

/** False where `Decimal.set` has narrowed the exponents, which the constructor compares with. */
function isUsable(): boolean {
  return HAS_WORDS_OF_SEVEN && Decimal.maxE >= WORD && Decimal.minE <= -WORD;
}

/** Reads `2026-01-31T09:30:00Z`, also with three to nine digits of a fraction. */
export function quickDate(text: string): Date | null {
  const end = text.length - 1;
  if (end < 19 || text.charCodeAt(end) !== UTC || !hasMarks(text)) return null;
  const hasFraction = end >= 23 && end <= 29 && text.charCodeAt(19) === POINT && digitsEnd(text, 20) === end;
  if (end !== 19 && !hasFraction) return null;
  const year = pairAt(text, 0) * 100 + pairAt(text, 2);
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  const hour = pairAt(text, 11);
  const minute = pairAt(text, 14);
  const second = pairAt(text, 17);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999. NaN fails each comparison.
  const isDate = year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || !(hour <= 23 && minute <= 59 && second <= 59)) return null;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, hasFraction ? numberIn(text, 20, 23) : 0));
}

/** True for the marks of `____-__-__T__:__:__`. */
function hasMarks(text: string): boolean {
  return (
    text.charCodeAt(4) === HYPHEN &&
    text.charCodeAt(7) === HYPHEN &&
    text.charCodeAt(10) === TIME &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
}

/** Returns the place of the first character that is not a digit. */
function digitsEnd(text: string, from: number): number {
  let at = from;
  // Stryker disable next-line ConditionalExpression,EqualityOperator: behind the text is NaN, no digit either, but slower
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Returns the number that these digits write. */
function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 10 + text.charCodeAt(at) - ZERO;
  return number;
}

/** Returns the number that two characters write, or NaN. */
function pairAt(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}

/** Returns the number of days of a month, counted from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
