/** A JSON object. Its members are unknown. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object. An array and null are not one. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the first value that is a text and not empty, or null. It is never cut. */
export function firstText(values: readonly unknown[]): string | null {
  return values.filter((value) => typeof value === 'string').find((text) => text !== '') ?? null;
}
