import { Decimal } from './decimal.ts';

/** Why a value is not what it should be. Says the rule, never the value: it may hold a customer's data. */
export class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

// The length and the two digits of the exponent keep decimal.js away from text on which it needs seconds or gigabytes
// (1e1000000000, 10 MB of digits).
const DECIMAL_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;
/** The longest text of a decimal: what is accepted fits, printed without an exponent. */
export const DECIMAL_TEXT_MAX = 150;
/** Arithmetic keeps this many. */
const SIGNIFICANT_DIGITS = 40;
/** Before and behind the point: 40 digits, moved by 99 places. */
const PLACES_MAX = 140;
const NOT_DECIMAL = new Problem('must be a decimal string, such as "25.00"');
const TOO_LONG = new Problem('must be a decimal string of at most 40 significant digits');

/**
 * Reads money from the wire, exactly: a decimal string of up to 40 significant digits, also with an exponent of up to
 * two digits (`0E-8` is what Python writes for zero). A JSON number is accepted where it is surely exact: 15
 * significant digits, below 2^53.
 */
export function decimalFrom(value: unknown): Decimal | Problem {
  if (typeof value === 'number') return decimalFromNumber(value);
  if (typeof value !== 'string' || value.length > DECIMAL_TEXT_MAX || !DECIMAL_TEXT.test(value)) return NOT_DECIMAL;
  const decimal = new Decimal(value);
  if (decimal.isZero()) return new Decimal(0); // "-0" would be a negative that is not below zero
  return value.length <= SIGNIFICANT_DIGITS || isWithinBounds(decimal) ? decimal : TOO_LONG;
}

function isWithinBounds(decimal: Decimal): boolean {
  return decimal.precision() <= SIGNIFICANT_DIGITS && decimal.e < PLACES_MAX && decimal.decimalPlaces() <= PLACES_MAX;
}

const SAFE_NUMBER_DIGITS = 15;
const SAFE_NUMBER_LIMIT = 2 ** 53;
const INEXACT_NUMBER = new Problem(
  'must be a decimal string; a JSON number with more than 15 significant digits, or from 2^53 on, may have lost some',
);

function decimalFromNumber(value: number): Decimal | Problem {
  if (!Number.isFinite(value)) return NOT_DECIMAL;
  const decimal = new Decimal(value);
  const isExact = Math.abs(value) < SAFE_NUMBER_LIMIT && decimal.precision() <= SAFE_NUMBER_DIGITS;
  return isExact ? decimalFrom(decimal.toFixed()) : INEXACT_NUMBER;
}

const INTEGER_TEXT = /^\d{1,16}$/;
const NOT_INTEGER = new Problem('must be an integer');

/** Reads an integer, also one written as text: `"20"`. */
export function integerFrom(value: unknown): number | Problem {
  const number = typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : NOT_INTEGER;
}

const DATE_TEXT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?(?: ?(Z|z|[+-]\d{2}(?::?\d{2})?))?$/;
const DATE_TEXT_MAX = 64;
const NOT_DATE = new Problem('must be an ISO 8601 date-time, such as "2026-01-31T09:30:00Z"');
const MINUTE = 60_000;

/**
 * Reads an ISO 8601 date-time: `Z`, an offset, or neither, which means UTC as the interface says. Fractions finer
 * than a millisecond are cut. A date or time that does not exist is refused.
 */
export function dateFrom(value: unknown): Date | Problem {
  if (typeof value !== 'string' || value.length > DATE_TEXT_MAX) return NOT_DATE;
  const match = DATE_TEXT.exec(value);
  if (match === null) return NOT_DATE;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone] = match;
  const [y, mo, d, h, mi, s] = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)];
  if (mo < 1 || mo > 12 || d < 1 || d > daysInMonth(y, mo) || h > 23 || mi > 59 || s > 59) return NOT_DATE;
  const offset = offsetMinutes(zone);
  if (offset === null) return NOT_DATE;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d); // Date.UTC would move the years 0 to 99 into the twentieth century
  date.setUTCHours(h, mi, s, Number(fraction.slice(0, 3).padEnd(3, '0')));
  return offset === 0 ? date : new Date(date.getTime() - offset * MINUTE);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function offsetMinutes(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Length as the service's limits are counted: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** True for text that is valid Unicode, with no half of a surrogate pair standing alone. */
export function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
