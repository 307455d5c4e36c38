// The text of a body may hold a customer's data. It stands beside the error, not in it: whatever prints an error, its
// own members, its JSON or its clone, prints nothing of it. A member that is only not enumerable would be inspected.
const raws = new WeakMap<object, string>();

/** Keeps the body's text for {@link rawOf}. */
export function keepRaw(error: object, raw: string | undefined): void {
  if (raw !== undefined && raw !== '') raws.set(error, raw);
}

/** The body's text of an error, or of what was made from it with `Object.create`; empty where there is none. */
export function rawOf(error: object): string {
  for (let holder: object | null = error; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const raw = raws.get(holder);
    if (raw !== undefined) return raw;
  }
  return '';
}
