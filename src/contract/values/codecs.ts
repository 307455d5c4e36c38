import * as z from 'zod/mini';
import { compile } from 'zod/v4/core';
import type { OpenEnum } from '../types.ts';
import { annotated, structureOf } from './annotations.ts';
import type { Check, Checked, Issue } from './check.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';
import type { RecordStructure, Scalar, Structure } from './structure.ts';

export type { Check, Checked, Issue } from './check.ts';

/** Issues built for one value: a body of a few hundred compressed bytes may hold millions. */
export const ISSUES_MAX = 20;

// `error` is asked before the settings that a host may have given to every copy of zod; `reportInput` tells an absent
// member from one of another type. Neither text nor input goes any further than toIssues.
const PARSE_CONTEXT = { reportInput: true, error: () => 'is not as the interface says' };

/**
 * Turns a schema into a function. Built and compiled at the first use, because a process uses few of the operations.
 * zod's own texts never leave: a host can change them for every copy of zod in the process.
 */
export function check<T>(build: () => z.ZodMiniType<T, unknown>): Check<T> {
  let schema: z.ZodMiniType<T, unknown> | undefined;
  const run = (value: unknown): Checked<T> => {
    schema ??= compile(build());
    const result = schema.safeParse(value, PARSE_CONTEXT);
    if (result.success) return { ok: true, value: result.data };
    const issues = result.error.issues.slice(0, ISSUES_MAX + 1).flatMap(toIssues);
    return { ok: false, issues: issues.slice(0, ISSUES_MAX), ...(issues.length > ISSUES_MAX && { isMore: true }) };
  };
  let structure: Structure | undefined;
  return Object.assign(run, {
    structure(): Structure {
      structure ??= structureOf(build());
      return structure;
    },
  });
}

type ZodIssue = z.core.$ZodIssue;

function toIssues(issue: ZodIssue): Issue[] {
  const path = issue.path.map(String).join('.');
  switch (issue.code) {
    case 'custom':
      return [{ path, message: issue.message }];
    case 'unrecognized_keys':
      return issue.keys.slice(0, ISSUES_MAX + 1).map((key) => ({
        path: [...issue.path.map(String), key].join('.'),
        message: 'is not a parameter of this call',
      }));
    case 'invalid_type':
      return [{ path, message: issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}` }];
    default:
      return [{ path, message: 'is not as the interface says' }];
  }
}

function article(type: string): string {
  if (type === 'int') return 'an integer';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A scalar read by one of the plain functions of scalars.ts. Absent is reported as required. */
export function scalar<T>(read: (value: unknown) => T | Problem, structure: Scalar): z.ZodMiniType<T, unknown> {
  const codec = z.pipe(
    z.unknown(),
    z.transform((value, context) => {
      const result = read(value);
      if (!(result instanceof Problem)) return result;
      const message = value === undefined ? 'is required' : result.message;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }),
  );
  return annotated(codec, structure);
}

export const text = z.string() as z.ZodMiniType<string, unknown>; // zod's type of the input says what is checked
export const flag = z.boolean() as z.ZodMiniType<boolean, unknown>;
export const integer = scalar(integerFrom, { kind: 'integer' });
export const decimal = scalar(decimalFrom, { kind: 'decimal' });
export const timestamp = scalar(dateFrom, { kind: 'timestamp' });

/** Any value, as it came. */
export const anything: z.ZodMiniType<unknown, unknown> = z.unknown();

/** Known words for the reader of the types; any other text passes. */
export function openEnum<const Known extends string>(words: readonly Known[]): z.ZodMiniType<OpenEnum<Known>, unknown> {
  // The known words exist in the type and the form only: an unknown one is not an error.
  return annotated(z.string() as unknown as z.ZodMiniType<OpenEnum<Known>, unknown>, { kind: 'text', words });
}

/** "no, nullable" in the interface: absent and null are both null. */
export function nullable<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  return z._default(z.nullable(inner), null) as z.ZodMiniType<T | null, unknown>;
}

/** Likewise for an object, for which a language that has one empty value for lists and objects writes `[]`. */
export function nullableObject<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  const given = z.pipe(
    z.optional(z.unknown()),
    z.transform((value) => (isAbsentObject(value) ? null : value)),
  );
  return z.pipe(given, z.nullable(inner)) as unknown as z.ZodMiniType<T | null, unknown>;
}

/** True for what stands in place of an object that is not there. */
export function isAbsentObject(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The members of a resource; its schema is {@link resource} of them, its type is pinned by {@link Pinned}. */
export type Shape = Readonly<Record<string, z.ZodMiniType<unknown, unknown>>>;

/** What the members of a shape decode to. */
export type Decoded<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> };

/** A resource: the members of the shape are checked, unknown ones are kept as they came. Named in the OpenAPI text. */
export function resource<S extends Shape>(
  shape: S,
  name: string | null = null,
  traits: Pick<RecordStructure, 'hasChosenNames'> = {},
): z.ZodMiniType<Decoded<S>, unknown> {
  // looseObject adds an index signature for the unknown members, which the public types leave out on purpose.
  const codec = z.looseObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
  return annotated(codec, { kind: 'record', name, ...traits });
}

/** A list, decoded item by item: it stops at the first items that hold more issues than are built. */
export function listOf<T>(item: z.ZodMiniType<T, unknown>): z.ZodMiniType<T[], unknown> {
  const one = check(() => item);
  const codec = z.pipe(
    z.unknown(),
    z.transform((value, context) => {
      const report = (path: (string | number)[], message: string) =>
        context.issues.push({ code: 'custom', path, message, input: value });
      const list: T[] = [];
      if (value instanceof Problem) report([], value.message);
      else if (!Array.isArray(value)) report([], value === undefined ? 'is required' : 'must be an array');
      else {
        for (let index = 0; index < value.length && context.issues.length <= ISSUES_MAX; index += 1) {
          const read = one(value[index]);
          if (read.ok) list.push(read.value);
          else for (const { path, message } of read.issues) report(path === '' ? [index] : [index, path], message);
        }
      }
      return context.issues.length === 0 ? list : z.NEVER;
    }),
  );
  return annotated(codec, { kind: 'list', item: structureOf(item) });
}

/** Parameters: every member is checked, an unknown one is refused, because a mistyped name would be lost silently. */
export function parameters<S extends Shape>(shape: S): z.ZodMiniType<Decoded<S>, unknown> {
  return z.strictObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
}

/** Shapes the raw value before the schema sees it, for what the interface leaves unnamed. */
export function after<T>(
  prepare: (raw: unknown) => unknown,
  schema: z.ZodMiniType<T, unknown>,
): z.ZodMiniType<T, unknown> {
  return z.pipe(z.pipe(z.unknown(), z.transform(prepare)), schema) as unknown as z.ZodMiniType<T, unknown>;
}

/** Shapes the decoded value. */
export function finished<T>(schema: z.ZodMiniType<T, unknown>, finish: (value: T) => T): z.ZodMiniType<T, unknown> {
  return z.pipe(schema, z.transform(finish)) as unknown as z.ZodMiniType<T, unknown>;
}

/** A scalar that may be absent: `read` decides what absent and null become. */
export function optionalScalar<T>(...rule: Parameters<typeof scalar<T>>): z.ZodMiniType<T, unknown> {
  return z.pipe(z.optional(z.unknown()), scalar(...rule)) as unknown as z.ZodMiniType<T, unknown>;
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
// Lists are compared as readonly ones: the interfaces promise no more.
type Plain<T> = { readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? readonly Item[] : T[K] };

/**
 * Pins a shape to a hand-written interface, member by member in both directions: an extra member, a missing one and
 * one of another type each fail the build. `const currencyShape = shapeOf<Currency>()({ … })`
 */
export function shapeOf<T>(): <S extends Shape>(
  shape: S & (Same<Plain<Decoded<S>>, Plain<T>> extends true ? S : never),
) => S {
  return (shape) => shape;
}

/** Pins the names of a call's parameters to the hand-written interface that users see. */
export function namesOf<T>(): <S extends Shape>(shape: S & (Same<keyof S, keyof T> extends true ? S : never)) => S {
  return (shape) => shape;
}
