/** A JSON object. Its members are unknown. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object. An array and null are not one. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
