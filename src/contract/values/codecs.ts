// values/ reads single values: scalars, codecs over zod, the structure that a codec reads, and drift from it. It
// imports zod, decimal.js and the public types.

import * as z from 'zod/mini';
import type { OpenEnum } from '../types.ts';
import { annotated, structureOf } from './annotations.ts';
import type { Check, Checked, Issue } from './check.ts';
import { dateFrom, decimalFrom, integerFrom, Problem } from './scalars.ts';
import type { RecordStructure, Scalar, Structure } from './structure.ts';

// In a separate file, so that the public declarations name them and hold no type of zod.
export type { Check, Checked, Issue } from './check.ts';

/** The most issues of one value. A body of a few hundred compressed bytes may hold millions. */
export const ISSUES_MAX = 20;

// `error` takes precedence over settings that a host may have given to every copy of zod. `reportInput` distinguishes an
// absent member from a member of another type. toIssues keeps neither text nor input.
const PARSE_CONTEXT = { reportInput: true, error: () => 'is not as the interface says' };

/** The compiler of zod: undefined before it is first needed, null until it is loaded. */
let compile: typeof import('./compiler.ts').compile | null | undefined;

/** Loads the compiler during the first request. Until then a schema runs as it was built, which is slower. */
function loadCompiler(): void {
  compile = null;
  import('./compiler.ts').then(
    (loaded) => {
      compile = loaded.compile;
    },
    () => undefined, // the results are the same without it
  );
}

/**
 * Turns a schema into a function. The schema is built and compiled at the first use, because a process uses few of the
 * operations. Messages of zod are never shown: a host can change them for every copy of zod in the process.
 */
export function check<T>(build: () => z.ZodMiniType<T, unknown>): Check<T> {
  let built: z.ZodMiniType<T, unknown> | undefined;
  let compiled: z.ZodMiniType<T, unknown> | undefined;
  const builtOnce = (): z.ZodMiniType<T, unknown> => {
    built ??= build();
    return built;
  };
  const run = (value: unknown): Checked<T> => {
    if (compile === undefined) loadCompiler();
    if (compile) compiled ??= compile(builtOnce());
    const result = (compiled ?? builtOnce()).safeParse(value, PARSE_CONTEXT);
    if (result.success) return { ok: true, value: result.data };
    const issues = result.error.issues.slice(0, ISSUES_MAX + 1).flatMap(toIssues);
    return { ok: false, issues: issues.slice(0, ISSUES_MAX), ...(issues.length > ISSUES_MAX && { isMore: true }) };
  };
  let structure: Structure | undefined;
  return Object.assign(run, {
    structure(): Structure {
      structure ??= structureOf(builtOnce());
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

/** Returns the codec of a scalar that `read` converts. An absent value is reported as required. */
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

/** Any value, unchanged. */
export const anything: z.ZodMiniType<unknown, unknown> = z.unknown();

/** Returns the codec of an open list of words. Any other text is accepted as well. */
export function openEnum<const Known extends string>(words: readonly Known[]): z.ZodMiniType<OpenEnum<Known>, unknown> {
  // The known words exist in the type and the form only: an unknown one is not an error.
  return annotated(z.string() as unknown as z.ZodMiniType<OpenEnum<Known>, unknown>, { kind: 'text', words });
}

/** Returns the codec of a member that the interface marks as "no, nullable". Absent and null are both null. */
export function nullable<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  return z._default(z.nullable(inner), null) as z.ZodMiniType<T | null, unknown>;
}

/** Same as {@link nullable} for an object. `[]` counts as absent, because some languages write an empty object so. */
export function nullableObject<T>(inner: z.ZodMiniType<T, unknown>): z.ZodMiniType<T | null, unknown> {
  const given = z.pipe(
    z.optional(z.unknown()),
    z.transform((value) => (isAbsentObject(value) ? null : value)),
  );
  return z.pipe(given, z.nullable(inner)) as unknown as z.ZodMiniType<T | null, unknown>;
}

/** True for an absent object: undefined, null or an empty list. */
export function isAbsentObject(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The members of a resource by name. {@link resource} makes the codec, and {@link shapeOf} pins the type. */
export type Shape = Readonly<Record<string, z.ZodMiniType<unknown, unknown>>>;

/** The decoded type of a shape. */
export type Decoded<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> };

/** Returns the codec of a resource. Unknown members are kept unchanged. `name` is its name in the OpenAPI document. */
export function resource<S extends Shape>(
  shape: S,
  name: string | null = null,
  traits: Pick<RecordStructure, 'hasChosenNames'> = {},
): z.ZodMiniType<Decoded<S>, unknown> {
  // looseObject adds an index signature for the unknown members, which the public types leave out on purpose.
  const codec = z.looseObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
  return annotated(codec, { kind: 'record', name, ...traits });
}

/** Returns the codec of a list. Decoding stops after the first {@link ISSUES_MAX} issues. */
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

/** Returns the codec of parameters. An unknown name is refused, because a mistyped one would be ignored silently. */
export function parameters<S extends Shape>(shape: S): z.ZodMiniType<Decoded<S>, unknown> {
  return z.strictObject({ ...shape }) as unknown as z.ZodMiniType<Decoded<S>, unknown>;
}

/** Returns a codec that prepares the raw value first, where the interface does not show names or shape. */
export function prepared<T>(
  prepare: (raw: unknown) => unknown,
  schema: z.ZodMiniType<T, unknown>,
): z.ZodMiniType<T, unknown> {
  return z.pipe(z.pipe(z.unknown(), z.transform(prepare)), schema) as unknown as z.ZodMiniType<T, unknown>;
}

/** Returns a codec that changes the decoded value. */
export function finished<T>(schema: z.ZodMiniType<T, unknown>, finish: (value: T) => T): z.ZodMiniType<T, unknown> {
  return z.pipe(schema, z.transform(finish)) as unknown as z.ZodMiniType<T, unknown>;
}

/** Returns the codec of a scalar that may be absent. `read` receives undefined and null as well. */
export function optionalScalar<T>(...rule: Parameters<typeof scalar<T>>): z.ZodMiniType<T, unknown> {
  return z.pipe(z.optional(z.unknown()), scalar(...rule)) as unknown as z.ZodMiniType<T, unknown>;
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
// Lists are compared as readonly ones: the interfaces promise no more.
type Plain<T> = { readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? readonly Item[] : T[K] };

/**
 * Pins a shape to a hand-written interface, member by member: an extra member, a missing one and one of another type fail
 * the build. `const currencyShape = shapeOf<Currency>()({ … })`
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
