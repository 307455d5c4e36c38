/**
 * A function of the caller, which may be asynchronous. Two types in place of one that returns `void | Promise<void>`,
 * because `void` alone admits a function that returns anything, such as `(event) => events.push(event)`.
 */
export type Callback<Arguments extends readonly unknown[]> =
  | ((...given: Arguments) => void)
  | ((...given: Arguments) => Promise<void>);

/** Throws the error of the entry that asks; `problem` says what is wrong and what would be right. */
export type Fail = (problem: string) => never;

/** Refuses an option that does not exist: a mistyped name would be ignored, and noticed in an outage only. */
export function checkNames(what: string, options: object, names: ReadonlySet<string>, fail: Fail): void {
  for (const name of Object.keys(options)) {
    if (!names.has(name)) fail(`${what} has no ${JSON.stringify(name.slice(0, 40))}; it has ${[...names].join(', ')}`);
  }
}

/** The names of an options type, as a set. The compiler says which one is missing. */
export function namesOf<T>(table: { readonly [K in keyof Required<T>]: true }): ReadonlySet<string> {
  return new Set(Object.keys(table));
}

/** Names a wrong value without quoting text, which could be a secret. */
export function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null || value === undefined) return String(value);
  if (value === '') return 'an empty string';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** By its tag, not instanceof: a test runner may hand over an array of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]';
}
