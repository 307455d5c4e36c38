import * as z from 'zod/mini';
import { compile } from 'zod/v4/core';
import { described, type Form, type Member, memberOf } from '../openapi/forms.ts';
import type { OpenEnum } from '../types.ts';
import type { Check, Checked, Issue } from './check.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';

// Declared apart: the public declarations name them, and hold no type of zod.
export type { Check, Checked, Issue } from './check.ts';

/** Issues built for one value: a body of a few hundred compressed bytes may hold millions. */
const ISSUES_MAX = 20;

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
  let form: Form | undefined;
  return Object.assign(run, {
    form(): Form {
      form ??= memberOf(build()).form;
      return form;
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
export function scalar<T>(read: (value: unknown) => T | Problem, form: Form): z.ZodMiniType<T, unknown> {
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
  return described(codec, form);
}

export const text: z.ZodMiniType<string, unknown> = described(z.string() as z.ZodMiniType<string, unknown>, {
  kind: 'text',
});
export const flag: z.ZodMiniType<boolean, unknown> = described(z.boolean() as z.ZodMiniType<boolean, unknown>, {
  kind: 'flag',
});
export const integer = scalar(integerFrom, { kind: 'integer' });
export const decimal = scalar(decimalFrom, { kind: 'decimal' });
export const timestamp = scalar(dateFrom, { kind: 'timestamp' });

/** Any value, as it came. */
export const anything: z.ZodMiniType<unknown, unknown> = z.unknown();

/** Known words for the reader of the types; any other text passes. */
export function openEnum<Known extends string>(words: readonly Known[]): z.ZodMiniType<OpenEnum<Known>, unknown> {
  // The known words exist in the type and the form only: an unknown one is not an error.
  return described(z.string() as unknown as z.ZodMiniType<OpenEnum<Known>, unknown>, { kind: 'text', words });
}

/** "no, nullable" in the interface: absent and null are both null. */
export function nullable<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  const codec = z._default(z.nullable(inner), null) as z.ZodMiniType<T | null, unknown>;
  return described(codec, memberOf(inner).form, { optional: true, nullable: true });
}

/** Likewise for an object, for which a language that has one empty value for lists and objects writes `[]`. */
export function nullableObject<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  const given = z.pipe(
    z.optional(z.unknown()),
    z.transform((value) => (isAbsentObject(value) ? null : value)),
  );
  const codec = z.pipe(given, z.nullable(inner)) as unknown as z.ZodMiniType<T | null, unknown>;
  return described(codec, memberOf(inner).form, { optional: true, nullable: true });
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
  traits: { readonly namesUnsaid?: boolean } = {},
): z.ZodMiniType<Decoded<S>, unknown> {
  // looseObject adds an index signature for the unknown members, which the public types leave out on purpose.
  const codec = z.looseObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
  return described(codec, { ...recordOf(shape, name), ...traits });
}

function recordOf(shape: Shape, name: string | null): Extract<Form, { kind: 'record' }> {
  const members: Record<string, Member> = {};
  for (const [key, codec] of Object.entries(shape)) members[key] = memberOf(codec);
  return { kind: 'record', name, members };
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
  return described(codec, { kind: 'list', item: memberOf(item).form });
}

/** Parameters: every member is checked, an unknown one is refused, because a mistyped name would be lost silently. */
export function parameters<S extends Shape>(shape: S): z.ZodMiniType<Decoded<S>, unknown> {
  const codec = z.strictObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
  return described(codec, recordOf(shape, null));
}

/** Shapes the raw value before the schema sees it, for what the interface leaves unnamed. */
export function after<T>(
  prepare: (raw: unknown) => unknown,
  schema: z.ZodMiniType<T, unknown>,
): z.ZodMiniType<T, unknown> {
  const codec = z.pipe(z.pipe(z.unknown(), z.transform(prepare)), schema) as unknown as z.ZodMiniType<T, unknown>;
  return described(codec, memberOf(schema).form);
}

/** Shapes the decoded value. */
export function finished<T>(schema: z.ZodMiniType<T, unknown>, finish: (value: T) => T): z.ZodMiniType<T, unknown> {
  const codec = z.pipe(schema, z.transform(finish)) as unknown as z.ZodMiniType<T, unknown>;
  return described(codec, memberOf(schema).form);
}

/** A scalar that may be absent: `read` decides what absent and null become. */
export function optionalScalar<T>(read: (value: unknown) => T | Problem, form: Form): z.ZodMiniType<T, unknown> {
  const codec = z.pipe(z.optional(z.unknown()), scalar(read, form)) as unknown as z.ZodMiniType<T, unknown>;
  return described(codec, form, { optional: true, nullable: true });
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
