import { kindOf } from '../contract/json.ts';
import { ConfigurationError } from './classes.ts';
import { spoiltForm } from './environment.ts';

export { kindOf };

// Checks of options: one rule and one sentence for each kind of mistake, in every entry of the package.

/**
 * A function of the caller, which may be asynchronous. Two types in place of one that returns `void | Promise<void>`,
 * because `void` alone admits a function that returns anything, such as `(event) => events.push(event)`.
 */
export type Callback<Arguments extends readonly unknown[]> =
  | ((...given: Arguments) => void)
  | ((...given: Arguments) => Promise<void>);

/** A given value for a message: text in quotes and cut off, objects by their type. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Throws the error of the function that checks its options. `problem` says what is wrong and what would be right. */
export type Fail = (problem: string) => never;

/**
 * A function that throws a ConfigurationError. The message begins with `owner`, if a function or class is
 * given.
 */
export function configurationFail(owner = ''): Fail {
  return (problem) => {
    throw new ConfigurationError(owner === '' ? `${problem}.` : `${owner}: ${problem}.`);
  };
}

/** Carries the problem from `fail` out of the check. */
class Refused {
  readonly problem: string;
  constructor(problem: string) {
    this.problem = problem;
  }
}

/**
 * Reads what a caller gave, in the one `try` around it, and returns what is wrong with it as a value: what `fail` is
 * told, or that `what` cannot be read, where a getter throws.
 */
export function readGiven<Read>(what: string, read: (fail: Fail) => Read): Read | { readonly problem: string } {
  try {
    return read((problem) => {
      throw new Refused(problem);
    });
  } catch (thrown) {
    return { problem: thrown instanceof Refused ? thrown.problem : `${what} cannot be read` };
  }
}

/** A function that throws a ConfigurationError about the arguments of a call, before any request. */
export function argumentFail(operation: string, externalId: string | null = null): Fail {
  return (problem) => {
    throw new ConfigurationError(`${operation}: ${problem}. No request was made.`, {
      code: 'SDK_INVALID_ARGUMENT',
      operation,
      externalId,
    });
  };
}

/** Refuses anything but an object whose members are all known: a mistyped name would be ignored silently. */
export function checkOptions(what: string, options: unknown, names: ReadonlySet<string>, fail: Fail): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    fail(`${what} must be an object, not ${kindOf(options)}`);
  const problem = platformObject(options);
  if (problem !== null) fail(`${what} ${problem}`);
  for (const name of Object.keys(options)) {
    if (!names.has(name)) fail(`${what} has no ${JSON.stringify(name.slice(0, 40))}; it has ${[...names].join(', ')}`);
  }
}

const PASS: Readonly<Record<string, string>> = {
  AbortSignal: ': pass { signal }',
  AbortController: ': pass { signal: controller.signal }',
  Promise: ': await it',
};

/**
 * What is wrong with an object of the platform, such as an AbortSignal, in place of one with names: nothing of it would
 * be read. Null for any other value.
 */
export function platformObject(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length > 0) return null;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (kind === 'Object' || kind === 'Module') return null; // also an instance of the merchant's class
  return `must be an object with names, not ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}${PASS[kind] ?? ''}`;
}

/** The names of an options type, as a set. The compiler reports a missing one. */
export function namesOf<T>(table: { readonly [K in keyof Required<T>]: true }): ReadonlySet<string> {
  return new Set(Object.keys(table));
}

/** Refuses a callback that is neither absent nor a function. */
export function checkCallbacks(callbacks: Readonly<Record<string, unknown>>, fail: Fail): void {
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== undefined && typeof callback !== 'function') {
      fail(`${name} must be a function, not ${kindOf(callback)}`);
    }
  }
}

/** Refuses what is not an AbortSignal. Null and undefined mean that there is no signal. */
export function checkSignal(name: string, signal: unknown, fail: Fail): void {
  if (signal === undefined || signal === null || isSignal(signal)) return;
  const isController = typeof signal === 'object' && 'signal' in signal && isSignal(signal.signal);
  const remedy = isController
    ? 'not the AbortController: pass controller.signal'
    : `such as AbortSignal.timeout(5_000), not ${kindOf(signal)}`;
  fail(`${name} must be an AbortSignal, ${remedy}`);
}

/** Compares members, because a signal of another realm or of a polyfill has another class. */
function isSignal(signal: unknown): boolean {
  if (typeof signal !== 'object' || signal === null || !('aborted' in signal)) return false;
  const { addEventListener, removeEventListener } = signal as Partial<AbortSignal>; // checked below
  return typeof addEventListener === 'function' && typeof removeEventListener === 'function';
}

/** True for a Uint8Array, also one of another realm, as test runners pass it: the tag is compared, not the class. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]';
}

const KEY_MAX = 1_024;

/**
 * The problem of a key, without quoting it, or null. The key is checked before it becomes a header, because the
 * platform's error quotes the value, and the platform removes line breaks silently.
 */
export function keyProblem(key: unknown): string | null {
  if (typeof key !== 'string') return `must be a string, not ${key === null ? 'null' : typeof key}`;
  if (key === '') return 'is empty';
  if (key.length > KEY_MAX) return `is longer than ${KEY_MAX} characters`;
  const wrong = spoiltForm(key);
  if (wrong !== null) return `${wrong.problem}. ${wrong.remedy}`;
  return /^[\x21-\x7e]+$/.test(key) ? null : 'has characters that a header cannot carry';
}

/** Reads one option: checks what was given, or returns the default where it is absent. */
export type OptionReader<T> = (value: unknown, name: string, fail: Fail) => T;

/**
 * A table for an interface of options: each name with its reader. `satisfies` reports a missing and an unknown name.
 */
export type OptionTable<Options> = { readonly [Name in keyof Required<Options>]: OptionReader<unknown> };

/** What {@link readOptions} makes of a table. */
export type Read<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends OptionReader<infer T> ? T : never;
};

/**
 * Reads an options object by its table: names, checks and defaults at once. `place` stands before each name in a
 * message, such as `retry.`.
 */
export function readOptions<Table extends Readonly<Record<string, OptionReader<unknown>>>>(
  what: string,
  given: object,
  table: Table,
  fail: Fail,
  place = '',
): Read<Table> {
  checkOptions(what, given, new Set(Object.keys(table)), fail);
  const read = Object.entries(table).map(([name, reader]) => [
    name,
    reader(Reflect.get(given, name), place + name, fail),
  ]);
  return Object.fromEntries(read) as Read<Table>; // each name with what its own reader returned
}

const DURATION_MAX = 2 ** 31 - 1;

/** A number of milliseconds, above 0 or from `min`. */
export const duration =
  <Default extends number | undefined>(options: { readonly default: Default; readonly min?: number }) =>
  (value: unknown, name: string, fail: Fail): number | Default => {
    if (value === undefined) return options.default;
    const { min = 0 } = options;
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
      return fail(`${name} must be a number of milliseconds above 0, not ${kindOf(value)}`);
    // Timers count no further. A moment such as Date.now() + 30_000 would be no limit at all.
    if (value > DURATION_MAX) fail(`${name} is a duration in milliseconds, of at most 24 days, not ${value}`);
    return value >= min ? value : fail(`${name} is in milliseconds and at least ${min}, not ${value}`);
  };

/** A whole number from `min` to `max`. */
export const count =
  <Default extends number | undefined>(options: {
    readonly default: Default;
    readonly min: number;
    readonly max?: number;
  }) =>
  (value: unknown, name: string, fail: Fail): number | Default => {
    if (value === undefined) return options.default;
    const { min, max = Number.MAX_SAFE_INTEGER } = options;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    const range = options.max === undefined ? `from ${min}` : `from ${min} to ${max}`;
    return fail(`${name} must be a whole number ${range}, not ${kindOf(value)}`);
  };

/** True or false. */
export const flag =
  <Default extends boolean | undefined>(byDefault: Default) =>
  (value: unknown, name: string, fail: Fail): boolean | Default => {
    if (value === undefined) return byDefault;
    return typeof value === 'boolean' ? value : fail(`${name} must be true or false, not ${kindOf(value)}`);
  };

/** One of a few words. */
export const word =
  <const Word extends string, Default extends Word | undefined>(words: readonly Word[], byDefault: Default) =>
  (value: unknown, name: string, fail: Fail): Word | Default =>
    value === undefined
      ? byDefault
      : (words.find((each) => each === value) ?? fail(`${name} must be ${words.map((w) => `"${w}"`).join(' or ')}`));

/** A function of the caller, or undefined. `Type` is the interface's: only that it is a function can be checked. */
export const callback =
  <Type>() =>
  (value: unknown, name: string, fail: Fail): Type | undefined => {
    checkCallbacks({ [name]: value }, fail);
    return value as Type | undefined; // checked as far as it can be
  };

/** An AbortSignal, or undefined. */
export const signal =
  () =>
  (value: unknown, name: string, fail: Fail): AbortSignal | undefined => {
    checkSignal(name, value, fail);
    return (value ?? undefined) as AbortSignal | undefined; // checked by its members
  };

/** A value that somebody else checks, as it was given. */
export const unchecked =
  <Type>() =>
  (value: unknown): Type =>
    value as Type; // its own reader checks it
