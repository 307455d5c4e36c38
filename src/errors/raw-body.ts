// The text of a body may hold data of a customer. A table outside the error holds it, so that no print, JSON or clone of
// the error shows it. Inspection prints also members that are not enumerable.
const raws = new WeakMap<object, string>();

/** Keeps the body's text for {@link rawOf}. */
export function keepRaw(error: object, raw: string | undefined): void {
  if (raw !== undefined && raw !== '') raws.set(error, raw);
}

/** Returns the body of an error, or of an object that inherits from it. Empty when there is no body. */
export function rawOf(error: object): string {
  for (let holder: object | null = error; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const raw = raws.get(holder);
    if (raw !== undefined) return raw;
  }
  return '';
}

const results = new WeakMap<object, unknown>();

/** Keeps the result of a call that succeeded for {@link dataOf}. */
export function keepData(error: object, data: unknown): void {
  if (data !== undefined) results.set(error, data);
}

/** Returns the result that an error holds. Undefined where it holds none. */
export function dataOf(error: object): unknown {
  return results.get(error);
}
