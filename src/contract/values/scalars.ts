import { Decimal } from './decimal.ts';

/**
 * The reason why a value is refused. The message states the rule, never the value, which may hold a customer's data.
 */
export class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

// decimal.js needs seconds or gigabytes for some text, such as 1e1000000000 or 10 MB of digits. The bounds on length
// and exponent refuse it first.
const DECIMAL_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;
/** The longest text of a decimal. Each accepted value fits into it in plain notation. */
const DECIMAL_TEXT_MAX = 150;
/** The precision of the arithmetic. */
const SIGNIFICANT_DIGITS = 40;
/**
 * The most digits before the point, and after it: 40 digits, which an exponent of two digits moves by up to 99 places.
 */
const PLACES_MAX = 140;
const NOT_DECIMAL = new Problem('must be a decimal string, such as "25.00"');
const TOO_LONG = new Problem('must be a decimal string of at most 40 significant digits');

/**
 * Reads an amount exactly: a decimal string of up to 40 significant digits, also with an exponent of up to two digits.
 * Python writes zero as `0E-8`. A JSON number is accepted below 2^53 with at most 15 significant digits, where it is
 * exact.
 */
export function decimalFrom(value: unknown): Decimal | Problem {
  if (typeof value === 'number') return decimalFromNumber(value);
  if (typeof value !== 'string' || value.length > DECIMAL_TEXT_MAX || !DECIMAL_TEXT.test(value)) return NOT_DECIMAL;
  const decimal = new Decimal(value);
  if (decimal.isZero()) return new Decimal(0); // "-0" would be a negative that is not below zero
  // A text of 40 characters can hold no more digits, and no place beyond the bounds.
  return value.length <= SIGNIFICANT_DIGITS || isWithinBounds(decimal) ? decimal : TOO_LONG;
}

function isWithinBounds(decimal: Decimal): boolean {
  return decimal.precision() <= SIGNIFICANT_DIGITS && decimal.e < PLACES_MAX && decimal.decimalPlaces() <= PLACES_MAX;
}

/** The members of a decimal.js instance that this package reads. */
export interface DecimalLike {
  readonly s: number;
  readonly e: number;
  readonly d: readonly number[];
  toFixed(): string;
}

/** A decimal of this package or of the host in plain notation, or null for any other value. */
export function decimalText(value: unknown): string | null {
  // Bounded first, because a huge exponent in plain notation takes minutes or all of the memory.
  return isDecimalLike(value) && Math.abs(value.e) < PLACES_MAX ? value.toFixed() : null;
}

// `Decimal.isDecimal` alone is not enough, because parsed JSON can have the member that it looks for. NaN and Infinity
// have the exponent NaN.
function isDecimalLike(value: unknown): value is DecimalLike {
  return Decimal.isDecimal(value) && typeof value.e === 'number' && typeof value.toFixed === 'function';
}

/** Reads an amount that a caller gives: decimal text, or a Decimal of any copy of decimal.js. A number is not exact. */
export function decimalGiven(value: unknown): Decimal | Problem {
  return decimalFrom(typeof value === 'string' ? value : decimalText(value));
}

/** Reads money that a caller gives, as {@link decimalGiven}. A negative amount is refused. */
export function moneyGiven(value: unknown): Decimal | Problem {
  const read = decimalGiven(value);
  return read instanceof Problem || !read.isNegative() ? read : NEGATIVE;
}

const NEGATIVE = new Problem('must not be negative');

/** Reads an amount of money, as {@link decimalFrom}. A negative one is refused. */
export function moneyFrom(value: unknown): Decimal | Problem {
  const read = decimalFrom(value);
  return read instanceof Problem || !read.isNegative() ? read : NEGATIVE;
}

const SAFE_NUMBER_DIGITS = 15;
const SAFE_NUMBER_LIMIT = 2 ** 53;
const INEXACT_NUMBER = new Problem(
  'must be a decimal string, because a JSON number with more than 15 significant digits, or from 2^53 on, may have lost some',
);

function decimalFromNumber(value: number): Decimal | Problem {
  if (!Number.isFinite(value)) return NOT_DECIMAL;
  const decimal = new Decimal(value);
  const isExact = Math.abs(value) < SAFE_NUMBER_LIMIT && decimal.precision() <= SAFE_NUMBER_DIGITS;
  return isExact ? decimalFrom(decimal.toFixed()) : INEXACT_NUMBER;
}

const INTEGER_TEXT = /^\d{1,16}$/;
const NOT_INTEGER = new Problem('must be an integer');

/** Reads an integer, also as text such as `"20"`. */
export function integerFrom(value: unknown): number | Problem {
  const number = typeof value === 'string' && INTEGER_TEXT.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : NOT_INTEGER;
}

/** Reads a number of things, as {@link integerFrom}. */
export function countFrom(value: unknown): number | Problem {
  const read = integerFrom(value);
  return read instanceof Problem || read >= 0 ? read : NEGATIVE;
}

const DATE_TEXT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?:(:\d{2})(?:[.,](\d+))?)?(?: ?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?))?$/;
const DATE_TEXT_MAX = 128;
// The usual form, with a day that its month has each year: the platform reads it exactly, in a third of the time.
const USUAL_DATE =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const NOT_DATE = new Problem('must be an ISO 8601 date-time, such as "2026-01-31T09:30:00Z"');
const MINUTE = 60_000;

/**
 * Reads an ISO 8601 date-time: `Z`, an offset, or neither, which means UTC as the interface says. Fractions finer
 * than a millisecond are cut. A date or time that does not exist is refused.
 */
export function dateFrom(value: unknown): Date | Problem {
  if (typeof value !== 'string' || value.length > DATE_TEXT_MAX) return NOT_DATE;
  if (USUAL_DATE.test(value)) return new Date(value);
  const match = DATE_TEXT.exec(value);
  if (match === null) return NOT_DATE;
  const [, day = '', time, second = ':00', fraction = '', sign, hours = '0', minutes = '0'] = match;
  const date = new Date(`${day}T${time}${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date accepts 30 February and 24:00, and moves them into the next month or day.
  if (date.getUTCDate() !== Number(day.slice(8)) || Number(hours) > 23 || Number(minutes) > 59) return NOT_DATE;
  const offset = Number(hours) * 60 + Number(minutes);
  return offset === 0 ? date : new Date(date.getTime() + (sign === '-' ? offset : -offset) * MINUTE);
}

/** The length in code points, which the limits of the service count. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** True for a uuid, with or without hyphens. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** True if two idents name the same resource. Uuids are compared without case and hyphens. */
export function isSameIdent(a: string, b: string): boolean {
  return plainIdent(a) === plainIdent(b);
}

/** An ident in the form for comparison: a uuid without case and hyphens, any other id unchanged. */
export function plainIdent(ident: string): string {
  return isUuid(ident) ? ident.replaceAll('-', '').toLowerCase() : ident;
}

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads a Date, milliseconds since 1970, or ISO 8601 text (UTC without an offset), as milliseconds since 1970. Else
 * null.
 */
export function instantFrom(value: unknown): number | null {
  const text = typeof value === 'string' && DATE_ALONE.test(value) ? `${value}T00:00:00Z` : value;
  const date = typeof text === 'string' ? dateFrom(text) : typeof text === 'number' ? new Date(text) : text;
  const ms = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * True for a host name of the machine itself. `shop.localhost` does not count, because DNS decides where such a name
 * leads.
 */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase());
}

/** True for an absolute http or https address. */
export function isHttpAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}
