import { isBytes } from './checks.ts';
import { Decimal } from './contract/values/decimal.ts';
import { ConfigurationError, type MerchantError } from './errors/classes.ts';
import { isMerchantError } from './errors/guards.ts';
import { printable } from './printable.ts';

/**
 * The JSON-safe form of a value, as {@link toPlain} returns it. Amounts and times are text, and an error is an object.
 *
 * @example
 * const cached: Plain<Invoice> = toPlain(await merchant.invoices.get('order-1042'));
 */
export type Plain<T> = T extends string | number | boolean | null
  ? T
  : T extends Decimal | Date
    ? string
    : T extends MerchantError
      ? PlainError<T>
      : T extends undefined
        ? null
        : T extends Unsupported
          ? never
          : T extends readonly unknown[]
            ? { [K in keyof T]: Plain<T[K]> }
            : T extends object
              ? { [K in keyof T as T[K] extends Unsupported ? never : K]: PlainMember<T[K]> }
              : T;

/** The JSON-safe form of an error: what its `toJSON` shows. */
export type PlainError<T extends MerchantError = MerchantError> = {
  readonly name: string;
  readonly message: string;
} & Plain<Omit<T, keyof Error | 'toJSON' | 'raw' | 'reason'>>;

type Unsupported = Headers | symbol | bigint | ((...given: never[]) => unknown);
type PlainMember<T> = Plain<Exclude<T, undefined>>;

/** An object in an object, this many times. No answer of the service is deeper, except a hostile one. */
const DEEPEST = 100;

/**
 * Returns data without classes, for JSON, logs, caches, `structuredClone`, workers and React server components.
 *
 * A Decimal becomes plain decimal text, and a Date ISO text. An error of this package becomes what its `toJSON` shows:
 * no key, no secret, no stack and no body. Members that the types do not know stay. Members that are undefined are left
 * out, and so are the `headers` of `withResponse()`, which a server may fill with anything. The value is not changed.
 *
 * @param value A result of the SDK, an event, an error, or your objects and lists of them.
 * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) for a value that contains itself or is deeper than 100 objects. Also
 * for one without a JSON form, such as a function, a Map, a bigint or NaN.
 * @example
 * const page = await merchant.invoices.list();
 * console.log(toPlain(page.items)); // [{ external_id: 'order-1042', amount: '25', … }]
 */
export function toPlain<T>(value: T): Plain<T> {
  return plainOf(value, new Path()) as Plain<T>; // the rules below are those of the type
}

/** The way from the value to the part that is converted: for messages, and to recognise a circle. */
class Path {
  readonly #names: string[] = [];
  readonly #objects: unknown[] = [];

  /** Converts the member of an object. */
  within<R>(object: unknown, name: string, work: () => R): R {
    if (this.#objects.includes(object)) this.fail('contains itself');
    if (this.#objects.length >= DEEPEST) this.fail(`is deeper than ${DEEPEST} objects`);
    this.#objects.push(object);
    this.#names.push(name);
    const result = work();
    this.#objects.pop();
    this.#names.pop();
    return result;
  }

  fail(problem: string): never {
    const names = printable(this.#names.slice(0, 5).join('.').slice(0, 200));
    const at = names === '' ? 'the value' : `the value at "${names}"`;
    throw new ConfigurationError(`toPlain: ${at} ${problem}.`, { code: 'SDK_INVALID_ARGUMENT' });
  }
}

function plainOf(value: unknown, path: Path): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (value === undefined) return null;
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : path.fail(`is ${value}, which JSON cannot hold`);
  if (typeof value !== 'object') return path.fail(`is a ${typeof value}, which JSON cannot hold`);
  return objectOf(value, path);
}

function objectOf(value: object, path: Path): unknown {
  if (Array.isArray(value)) {
    return Array.from<unknown, unknown>(value, (item, index) =>
      path.within(value, String(index), () => plainOf(item, path)),
    );
  }
  if (Decimal.isDecimal(value)) return value.isFinite() ? value.toFixed() : path.fail('is not a finite Decimal');
  if (isDate(value)) return Number.isNaN(value.getTime()) ? path.fail('is an invalid Date') : value.toISOString();
  if (isMerchantError(value)) return membersOf(value, value.toJSON(), path);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (isRecord(value)) return membersOf(value, value, path);
  if ('then' in value) return path.fail('is a promise: await it first');
  if (!isBytes(value) && 'toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON();
    return path.within(value, 'toJSON()', () => plainOf(json, path));
  }
  return path.fail(`is ${nameOf(value)}, which JSON cannot hold`);
}

function membersOf(owner: object, members: object, path: Path): unknown {
  const entries = Object.entries(members)
    .filter(([, member]) => member !== undefined && !isHeaders(member))
    .map(([name, member]) => [name, path.within(owner, name, () => plainOf(member, path))] as const);
  return Object.fromEntries(entries); // defines each member, also one named __proto__
}

/** An object without a class, of this realm or another one. */
function isRecord(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// Compared by tag, because a test runner has classes of another realm.
const tagOf = (value: unknown): string => Object.prototype.toString.call(value);
const isHeaders = (value: unknown): boolean => tagOf(value) === '[object Headers]';
const isDate = (value: object): value is Date => tagOf(value) === '[object Date]';

function nameOf(value: object): string {
  return typeof value.constructor === 'function' ? `an object of the class ${value.constructor.name}` : 'an object';
}
