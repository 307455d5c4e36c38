/** A JSON object. Its members are unknown. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object. An array and null are not one. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first value that is a text and not empty, or null. It is never cut. */
export function firstText(values: readonly unknown[]): string | null {
  return values.filter((value) => typeof value === 'string').find((text) => text !== '') ?? null;
}

/** Names what a wrong value is, for a message. Text is never quoted: it could be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value);
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return 'a Date';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
