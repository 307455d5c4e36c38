import type * as z from 'zod/mini';
import type { DecimalLike } from './parameter-types.ts';
import { optionalScalar, scalar } from './values/codecs.ts';
import { Decimal } from './values/decimal.ts';
import { isLoopback } from './values/hosts.ts';
import { codePoints, isWellFormed, Problem } from './values/scalars.ts';
import type { Scalar } from './values/structure.ts';

/** Returns the codec of a text of `min` to `max` code points. */
export function limitedText(min: number, max: number): z.ZodMiniType<string, unknown> {
  return scalar((value) => readText(value, min, max), { kind: 'text', min, max });
}

function readText(value: unknown, min: number, max: number): string | Problem {
  if (typeof value !== 'string') return new Problem(`must be a string, not ${typeNameOf(value)}`);
  if (value === '' && min > 0) return new Problem('must not be empty');
  // A code point has one or two units, so most texts need no count.
  if (value.length > max * 2 || (value.length > max && codePoints(value) > max)) {
    return new Problem(`must have at most ${max} characters`);
  }
  if (codePoints(value.slice(0, min * 2)) < min) return new Problem(`must have at least ${min} characters`);
  if (!isWellFormed(value)) return new Problem('must be valid Unicode: it holds half of a surrogate pair');
  return value;
}

/** Returns the kind of a value for a message, never the value. */
function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return 'a Date';
  return typeof value === 'object' ? 'an object' : typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
}

/** Returns the codec of a parameter that the interface does not require. Null and undefined are left out of the request. */
export function optional<T>(
  inner: (value: unknown) => T | Problem,
  structure: Scalar,
): z.ZodMiniType<T | undefined, unknown> {
  return optionalScalar((value) => (value === undefined || value === null ? undefined : inner(value)), structure);
}

export function optionalText(min: number, max: number): z.ZodMiniType<string | undefined, unknown> {
  return optional((value) => readText(value, min, max), { kind: 'text', min, max });
}

/** Returns the codec of a whole number in a range, written as query text. `byDefault` is the default of the service. */
export function optionalInteger(
  min: number,
  max: number,
  byDefault?: number,
): z.ZodMiniType<string | undefined, unknown> {
  return optional(
    (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
        ? String(value)
        : new Problem(
            max === Number.MAX_SAFE_INTEGER
              ? `must be a whole number from ${min}`
              : `must be a whole number from ${min} to ${max}`,
          ),
    { kind: 'whole', min, max, byDefault },
  );
}

/** Returns the codec of one of the words that the interface lists. */
export function optionalWord(words: readonly string[]): z.ZodMiniType<string | undefined, unknown> {
  return optional(
    (value) =>
      typeof value === 'string' && words.includes(value) ? value : new Problem(`must be one of ${words.join(', ')}`),
    { kind: 'text', words, isClosed: true },
  );
}

const AMOUNT_TEXT = /^\d{1,30}(?:\.\d{1,2})?$/;
const AMOUNT_RULE = 'must be a decimal string greater than 0 with at most 2 decimals, such as "25.00"';

/** Returns an amount to charge as the text that is sent. A string keeps its digits. */
export function amountText(value: unknown): string | Problem {
  if (typeof value === 'number') {
    return new Problem(
      'must not be a JavaScript number, which cannot hold every amount exactly: write it as text, amount: "25.00"',
    );
  }
  if (typeof value === 'bigint') {
    return new Problem(
      'must not be a bigint, which could mean whole units or cents: write it as text, amount: "25.00"',
    );
  }
  const text = plainText(value);
  if (text === null || !AMOUNT_TEXT.test(text)) return new Problem(AMOUNT_RULE);
  return new Decimal(text).gt(0) ? text : new Problem(AMOUNT_RULE);
}

function plainText(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 40 ? value : decimalText(value);
}

/** Returns a decimal of this package or of the host in plain notation, or null for any other value. */
export function decimalText(value: unknown): string | null {
  // Bounded first, because a huge exponent in plain notation takes minutes or all of the memory.
  return isDecimalLike(value) && Math.abs(value.e) <= 30 ? value.toFixed() : null;
}

// The marker of decimal.js is not enough, because parsed JSON can carry it. NaN and Infinity have the exponent NaN.
function isDecimalLike(value: unknown): value is DecimalLike {
  return Decimal.isDecimal(value) && typeof value.e === 'number' && typeof value.toFixed === 'function';
}

export function amount(): z.ZodMiniType<string, unknown> {
  return scalar(amountText, { kind: 'amount' });
}

const URL_MAX = 512;
// URL parsing accepts spaces, control characters, backslashes, and missing or extra slashes. The service may not.
const URL_TEXT = /^https?:\/\/(?<authority>[^/?#\s\\\p{Cc}]+)(?:[/?#][^\s\\\p{Cc}]*)?$/iu;

/** An address the service calls or sends the customer to. Plain http is accepted for loopback only, and the service decides about it. */
export function optionalUrl(): z.ZodMiniType<string | undefined, unknown> {
  return optional(readUrl, { kind: 'address' });
}

function readUrl(value: unknown): string | Problem {
  const text = readText(value, 1, URL_MAX);
  if (text instanceof Problem) return text;
  const host = URL_TEXT.exec(text)?.groups?.['authority'];
  if (host?.includes('@')) return new Problem('must not contain a user name or password');
  if (host === undefined || !URL.canParse(text)) return new Problem('must be an https:// address');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) return new Problem('must be an https:// address');
  return text;
}

const IDENT_MAX = 128;

/** A path parameter. `.` and `..` cannot be encoded: URL parsing would turn them into another path. */
export function ident(): z.ZodMiniType<string, unknown> {
  return scalar(readIdent, { kind: 'text', min: 1, max: IDENT_MAX });
}

function readIdent(value: unknown): string | Problem {
  const text = readText(value, 1, IDENT_MAX);
  return text === '.' || text === '..'
    ? new Problem('must not be "." or "..", which a URL cannot carry as a path segment')
    : text;
}
