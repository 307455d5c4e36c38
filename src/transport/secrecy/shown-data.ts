/** How a text of the data is written; `max` is the length it may have. */
export type WriteText = (text: string, max: number) => string;

/** A bounded copy of data from outside. */
export interface ShownData {
  readonly data: unknown;
  /** True where members were left out. */
  readonly isCut: boolean;
}

const MEMBERS_MAX = 1_000;
const LETTERS_MAX = 24_000;
const TEXT_MAX = 1_000;
const NAME_MAX = 200;
const DEEPEST = 24;

/**
 * A copy of parsed JSON that an error can hold: each text and name as `write` gives it, at most 1,000 members and 24,000
 * characters, cut where it is nested too deeply to be read. What does not fit is left out, and a long text is cut.
 */
export function shownData(value: unknown, write: WriteText): ShownData {
  const copy = new Copy(write);
  return { data: copy.of(value, 0), isCut: copy.isCut };
}

class Copy {
  isCut = false;
  readonly #write: WriteText;
  #members = MEMBERS_MAX;
  #letters = LETTERS_MAX;

  constructor(write: WriteText) {
    this.#write = write;
  }

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, TEXT_MAX);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEEPEST) return '[nested too deeply]';
    return Array.isArray(value) ? this.#list(value, depth) : this.#record(value, depth);
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
    for (const name in record) {
      if (!Object.hasOwn(record, name)) continue;
      if (this.#isFull()) break;
      // Defined, because assigning to __proto__ would change the copy instead of adding a member.
      Object.defineProperty(copy, this.#text(name, NAME_MAX), {
        value: this.of(Reflect.get(record, name), depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  #isFull(): boolean {
    if (this.#members <= 0 || this.#letters <= 0) this.isCut = true;
    this.#members -= 1;
    return this.isCut;
  }

  #text(text: string, max: number): string {
    const room = Math.max(0, Math.min(max, this.#letters));
    const written = this.#write(text, room);
    this.#letters -= written.length;
    return written;
  }
}
