/** Writes a text of the data with at most `max` characters. */
export type WriteText = (text: string, max: number) => string;

/** A bounded copy of data from outside. */
export interface ShownData {
  readonly data: unknown;
  /** True where members were left out. */
  readonly isCut: boolean;
}

/** How much of the data is copied. */
interface Bounds {
  readonly members: number;
  readonly characters: number;
  readonly textLength: number;
  readonly nameLength: number;
}

const ERROR_BOUNDS: Bounds = { members: 1_000, characters: 24_000, textLength: 1_000, nameLength: 200 };
const { POSITIVE_INFINITY: NO_BOUND } = Number;
const NO_BOUNDS: Bounds = { members: NO_BOUND, characters: NO_BOUND, textLength: NO_BOUND, nameLength: NO_BOUND };
const DEEPEST = 24;

/**
 * Copies parsed JSON so that an error can hold it, with each text and name as `write` returns it. At most 1,000 members
 * and 24,000 characters are copied. Long texts and deep members are cut.
 */
export function shownData(value: unknown, write: WriteText): ShownData {
  const copy = new Copy(write, ERROR_BOUNDS);
  return { data: copy.of(value, 0), isCut: copy.isCut };
}

/** Copies all decoded data, with each text and name as `write` returns it. Dates and decimals are kept. */
export function rewriteTexts<T>(data: T, write: (text: string) => string): T {
  return new Copy(write, NO_BOUNDS).of(data, 0) as T; // only texts are written anew
}

class Copy {
  isCut = false;
  readonly #write: WriteText;
  readonly #bounds: Bounds;
  #members: number;
  #characters: number;

  constructor(write: WriteText, bounds: Bounds) {
    this.#write = write;
    this.#bounds = bounds;
    this.#members = bounds.members;
    this.#characters = bounds.characters;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, this.#bounds.textLength);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[nested too deeply]';
    if (Array.isArray(value)) return this.#list(value, depth);
    return Object.getPrototypeOf(value) === Object.prototype ? this.#record(value, depth) : value;
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of list) {
      if (this.#isFull()) break;
      copy.push(this.of(item, depth + 1));
    }
    return copy;
  }

  #record(record: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(record)) {
      if (this.#isFull()) break;
      // Defined, because assigning to __proto__ would change the copy instead of adding a member.
      Object.defineProperty(copy, this.#text(name, this.#bounds.nameLength), {
        value: this.of(Reflect.get(record, name), depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  #isFull(): boolean {
    if (this.#members <= 0 || this.#characters <= 0) this.isCut = true;
    this.#members -= 1;
    return this.isCut;
  }

  #text(text: string, max: number): string {
    const room = Math.max(0, Math.min(max, this.#characters));
    const written = this.#write(text, room);
    this.#characters -= written.length;
    return written;
  }
}
