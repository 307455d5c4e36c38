import * as z from 'zod/mini';
import { compile } from 'zod/v4/core';
import { isObject } from '../json.ts';
import type { OpenEnum } from '../types.ts';
import type { Check, Checked, Issue, MemberNames } from './check.ts';
import { countFrom, dateFrom, decimalFrom, integerFrom, moneyFrom, Problem } from './scalars.ts';

// Codecs over zod: a schema, with the names of the members that it reads.

/** A schema, and the names of the members that it reads. */
export interface Codec<T> extends MemberNames {
  readonly schema: z.ZodMiniType<T, unknown>;
  readonly members?: Shape;
  readonly item?: Codec<unknown>;
}

/**
 * The members of a record by name. {@link resource} makes its codec, and {@link shapeOf} compares it with an interface.
 */
export type Shape = Readonly<Record<string, Codec<unknown>>>;

/** The decoded type of a shape. */
export type Decoded<S extends Shape> = { readonly [K in keyof S]: S[K] extends Codec<infer T> ? T : never };

/** The most issues that are kept for one value, because a few hundred compressed bytes can cause millions. */
export const ISSUES_MAX = 20;

// `error` takes precedence over the messages that a host may have set for every copy of zod in the process.
// `reportInput` lets toIssues see whether a member is absent or of another type. toIssues keeps neither zod's text nor
// the input.
const PARSE_CONTEXT = { reportInput: true, error: () => 'is not as the interface says' };

/**
 * Turns a codec into a function. Its schema is built and compiled at the first use, because a process uses few of the
 * operations. Messages of zod are never shown: a host can change them for every copy of zod in the process.
 */
export function check<T>(build: () => Codec<T>): Check<T> {
  let codec: Codec<T> | undefined;
  let compiled: z.ZodMiniType<T, unknown> | undefined;
  const shape = (): Codec<T> => {
    codec ??= build();
    return codec;
  };
  const run = (value: unknown): Checked<T> => {
    compiled ??= compile(shape().schema);
    const result = compiled.safeParse(value, PARSE_CONTEXT);
    if (result.success) return { ok: true, value: result.data };
    const issues = result.error.issues.slice(0, ISSUES_MAX + 1).flatMap(toIssues);
    return { ok: false, issues: issues.slice(0, ISSUES_MAX), ...(issues.length > ISSUES_MAX && { isMore: true }) };
  };
  return Object.assign(run, { shape });
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String).join('.');
  switch (issue.code) {
    case 'custom':
      return [{ path, message: issue.message }];
    case 'too_small':
      return [{ path, message: 'must not be empty' }];
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, ISSUES_MAX + 1)
        .map((key) => ({ path: pathTo(path, key), message: 'is not a parameter of this call' }));
    case 'invalid_type':
      return [
        {
          path,
          message: issue.input === undefined && path !== '' ? 'is required' : `must be ${article(issue.expected)}`,
        },
      ];
    default:
      return [{ path, message: 'is not as the interface says' }];
  }
}

/** The path of a member: names joined with dots. */
export function pathTo(parent: string, name: string | number): string {
  return parent === '' ? String(name) : `${parent}.${name}`;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The codec of a scalar that `read` converts. An absent value is reported as required. */
export function scalar<T>(read: (value: unknown) => T | Problem): Codec<T> {
  const schema = z.pipe(
    z.unknown(),
    z.transform((value, context) => {
      const result = read(value);
      if (!(result instanceof Problem)) return result;
      const message = value === undefined ? 'is required' : result.message;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }),
  );
  return { schema };
}

/** The codec of a scalar that may be absent. `read` receives undefined and null as well. */
export function optionalScalar<T>(read: (value: unknown) => T | Problem): Codec<T> {
  // zod would infer that the member may be missing from the output, but `read` returns a value for it.
  return { schema: z.pipe(z.optional(z.unknown()), scalar(read).schema) as unknown as z.ZodMiniType<T, unknown> };
}

// The casts widen the input type: zod types it as what the schema accepts, and a codec is given anything.
export const text: Codec<string> = { schema: z.string() as z.ZodMiniType<string, unknown> };
/** A text that identifies something. */
export const filledText: Codec<string> = {
  schema: z.string().check(z.minLength(1)) as z.ZodMiniType<string, unknown>,
};
export const flag: Codec<boolean> = { schema: z.boolean() as z.ZodMiniType<boolean, unknown> };
/** True, false, or null where it is not said. */
export const statedOrNull: Codec<boolean | null> = {
  schema: z.nullable(z.boolean()) as z.ZodMiniType<boolean | null, unknown>,
};
export const integer = scalar(integerFrom);
export const count = scalar(countFrom);
export const decimal = scalar(decimalFrom);
export const money = scalar(moneyFrom);
export const timestamp = scalar(dateFrom);

/** Any value, unchanged. */
export const anything: Codec<unknown> = { schema: z.unknown() };

/** The codec of an open list of words. Any other word is accepted as well: an unknown one is not an error. */
export function openEnum<Known extends string>(word: Codec<string> = text): Codec<OpenEnum<Known>> {
  return word as unknown as Codec<OpenEnum<Known>>; // its type only completes the known words
}

/** The codec of an amount or time that the interface marks as "no, nullable". Absent, null and `""` are null. */
export function nullable<T>(read: (value: unknown) => T | Problem): Codec<T | null> {
  return optionalScalar((value) => (value === undefined || value === null || value === '' ? null : read(value)));
}

/**
 * An optional text that only people read. Null if it is empty, since PHP writes an absent text so, and if it cannot be
 * read: a broken logo must not stop a checkout.
 */
export const displayText = optionalScalar((value) => (typeof value === 'string' && value !== '' ? value : null));

/** Same as {@link displayText} where the interface requires the text: `''` if it cannot be read. */
export const requiredDisplayText = optionalScalar((value) => (typeof value === 'string' ? value : ''));

/** Same as {@link nullable} for an object. `[]` counts as absent, because PHP writes an empty object as `[]`. */
export function nullableObject<T>(inner: Codec<T>): Codec<T | null> {
  return objectWhere((value) => !isAbsentObject(value), inner);
}

/** The codec of an object that only people read: null for anything but an object. */
export function displayObject<T>(inner: Codec<T>): Codec<T | null> {
  return objectWhere(isObject, inner);
}

function objectWhere<T>(isGiven: (value: unknown) => boolean, inner: Codec<T>): Codec<T | null> {
  const given = z.pipe(
    z.optional(z.unknown()),
    z.transform((value) => (isGiven(value) ? value : null)),
  );
  const schema = z.pipe(given, z.nullable(inner.schema)) as unknown as z.ZodMiniType<T | null, unknown>;
  return { ...inner, schema };
}

/** True for an absent object: undefined, null, an empty text or an empty list. */
export function isAbsentObject(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function schemasOf(shape: Shape): Record<string, z.ZodMiniType<unknown, unknown>> {
  return Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema]));
}

/** The codec of a resource. Unknown members are kept unchanged. */
export function resource<S extends Shape>(members: S): Codec<Decoded<S>> {
  // looseObject adds an index signature for the unknown members, which the public types leave out on purpose.
  const schema = z.looseObject(schemasOf(members)) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
  return { schema, members };
}

/** The codec of a list. */
export function listOf<T>(item: Codec<T>): Codec<T[]> {
  const schema = z.array(item.schema) as unknown as z.ZodMiniType<T[], unknown>; // its input may be anything
  return { schema, item };
}

/** The codec of parameters. An unknown name is refused, because a mistyped one would be ignored silently. */
export function parameters<S extends Shape>(members: S): Codec<Decoded<S>> {
  return { schema: z.strictObject(schemasOf(members)) as unknown as z.ZodMiniType<Decoded<S>, unknown> };
}

/** A codec that changes the raw value before it is read, for forms that the interface does not show. */
export function prepared<T>(prepare: (raw: unknown) => unknown, codec: Codec<T>): Codec<T> {
  const schema = z.pipe(z.pipe(z.unknown(), z.transform(prepare)), codec.schema);
  return { ...codec, schema: schema as unknown as z.ZodMiniType<T, unknown> };
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
// Lists are compared as readonly lists, because the interfaces declare them so.
type Plain<T> = { readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? readonly Item[] : T[K] };

/**
 * Pins a shape to a hand-written interface, member by member: an extra member, a missing one and one of another type
 * fail the build. `const currencyShape = shapeOf<Currency>()({ … })`
 */
export function shapeOf<T>(): <S extends Shape>(
  shape: S & (Same<Plain<Decoded<S>>, Plain<T>> extends true ? S : never),
) => S {
  return (shape) => shape;
}

/** Pins the names of a call's parameters to the hand-written interface that users see. */
export function parametersOf<T>(): <S extends Shape>(
  shape: S & (Same<keyof S, keyof T> extends true ? S : never),
) => S {
  return (shape) => shape;
}
