import { checkOptions, type Fail } from '../checks.ts';
import type { DecimalInput } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { dateFrom, decimalFrom, Problem } from '../contract/values/scalars.ts';

/** A member as a fake takes it: money as text or a Decimal, a time as a Date or ISO text. */
export type Override<T> = T extends Decimal ? DecimalInput : T extends Date ? Date | string : T;

/**
 * Members of a fake. Those that are absent or undefined get plausible values that fit the others.
 *
 * @example
 * const overrides: Overrides<Withdrawal> = { status: 'approved', amount: '100.00', created_at: '2026-01-31T09:00:00Z' };
 * const withdrawal = fakeWithdrawal(overrides);
 */
export type Overrides<T> = { readonly [K in keyof T]?: Override<T[K]> | undefined };

/** How each member of a type is read. The compiler reports a missing one. */
export type Kinds<T> = { readonly [K in keyof Required<T>]: KindOf<NonNullable<T[K]>> };
type KindOf<T> = T extends Decimal ? 'money' : T extends Date ? 'time' : 'as_is';

/** The members that were given. */
export type Given<T> = { readonly [K in keyof T]?: T[K] };

/**
 * Reads overrides: refuses unknown names, and makes Decimals and Dates. Null stays.
 *
 * @throws ConfigurationError for an unknown name, an unusable amount or an unusable time.
 */
export function readOverrides<T>(overrides: Overrides<T>, kinds: Kinds<T>, fail: Fail): Given<T> {
  checkOptions('overrides', overrides, new Set(Object.keys(kinds)), fail);
  const kindOf: Readonly<Record<string, unknown>> = kinds;
  const entries = Object.entries(overrides).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    if (value === null) return [[name, null]];
    if (kindOf[name] === 'money') return [[name, readMoney(name, value, fail)]];
    return [[name, kindOf[name] === 'time' ? readTime(name, value, fail) : value]];
  });
  return Object.fromEntries(entries) as Given<T>; // the table of kinds is pinned to T
}

/** Reads an amount. A Decimal of another copy of decimal.js becomes one of this package. */
export function readMoney(name: string, value: unknown, fail: Fail): Decimal {
  const text = Decimal.isDecimal(value) ? value.toFixed() : value;
  const read = typeof text === 'string' ? decimalFrom(text) : NO_TEXT;
  if (read instanceof Problem) return fail(`${name} ${read.message}`);
  return read.isNegative() ? fail(`${name} must not be negative`) : read;
}

const NO_TEXT = new Problem('must be text such as "25.00", or a Decimal');

/** Reads a time, and copies a Date. */
export function readTime(name: string, value: unknown, fail: Fail): Date {
  const isDate = Object.prototype.toString.call(value) === '[object Date]';
  const read = isDate ? new Date(Number(value)) : dateFrom(value);
  if (read instanceof Problem) return fail(`${name} ${read.message}, or a Date`);
  return Number.isNaN(read.getTime()) ? fail(`${name} is an invalid Date`) : read;
}
