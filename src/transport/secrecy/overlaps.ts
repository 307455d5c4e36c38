import { folded, type Spelled, withoutHalfEscape } from './secret-spellings.ts';

/** One text to look for. */
export interface Needle {
  readonly text: string;
  readonly isBase64: boolean;
  /** A short word of letters counts as a whole word only: it may be part of any other. */
  readonly isWord: boolean;
}

/** A beginning of a needle at the end of a broken text is hidden from this length on. */
export function shortestBeginning({ isBase64 }: Needle): number {
  return isBase64 ? 6 : 4;
}

/** Beginning and end of something to hide. */
export type Span = readonly [from: number, to: number];

/**
 * Finds needles whose first characters are read as the end of an escape, as those of `00key+` in `%00key%2B`. The rest of
 * such a needle follows the escape in the text that was read. `isBroken`: the text may end within the rest.
 *
 * Each place within an escape is looked at once, and each rest is searched for once: linear in the text's length.
 */
export function* overlappedSpans(read: Spelled, needles: readonly Needle[], isBroken: boolean): Generator<Span> {
  for (let lower = read.readFrom; lower !== null; lower = lower.readFrom) {
    yield* spansFrom(lower, read, needles, isBroken);
  }
}

/** Finds those with their first characters in `lower`, a level from which `read` was read. */
function* spansFrom(lower: Spelled, read: Spelled, needles: readonly Needle[], isBroken: boolean): Generator<Span> {
  const text = isBroken ? withoutHalfEscape(read.text) : read.text;
  const inLowerCase = folded(text);
  /** By the code of their first character, in either case. */
  const byFirst = new Map<number, Rests[]>();
  for (const needle of needles) {
    if (needle.isWord) continue; // found as it stands: no escape is a part of it
    const first = needle.text.charAt(0);
    const rests = new Rests(needle, needle.isBase64 ? text : inLowerCase, isBroken);
    for (const code of new Set([first.toLowerCase(), first.toUpperCase()].map(codeOf))) {
      byFirst.set(code, [...(byFirst.get(code) ?? []), rests]);
    }
  }
  for (let at = 0, next = 0; at < text.length; at += 1) {
    // The characters of the lower level from `next` up to `end` are read as the one at `at`.
    const end = placeIn(read, at + 1);
    let first = next + 1;
    while (next < lower.text.length && placeIn(lower, next) < end) next += 1;
    for (; first < next; first += 1) {
      for (const rests of byFirst.get(lower.text.charCodeAt(first)) ?? []) {
        const to = rests.endAfter(lower.text.slice(first, next), at + 1);
        if (to !== null) yield [placeIn(lower, first), placeIn(read, to)];
      }
    }
  }
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

/** The place in the source. CUT_OFF stays as it is. */
function placeIn({ places }: Spelled, at: number): number {
  return places?.[at] ?? at;
}

/** The end of a needle of which the text has only the beginning. */
const CUT_OFF = Number.POSITIVE_INFINITY;

/** A needle, and where the text has what remains of it behind each of its beginnings. */
class Rests {
  readonly #needle: Needle;
  readonly #text: string;
  readonly #isBroken: boolean;
  /** By length of the beginning: the rest, and the first place that has it from the last place that was asked for. */
  readonly #rests: { readonly text: string; at: number }[] = [];

  constructor(needle: Needle, text: string, isBroken: boolean) {
    this.#needle = needle;
    this.#text = text;
    this.#isBroken = isBroken;
  }

  /** Returns the end of the needle that begins with `head` and continues at this place, CUT_OFF, or null. */
  endAfter(head: string, at: number): number | null {
    const { text, isBase64 } = this.#needle;
    const beginning = isBase64 ? head : folded(head);
    if (beginning.length >= text.length || !text.startsWith(beginning)) return null;
    const rest = this.#restAfter(beginning.length);
    if (rest.at < at) {
      const found = this.#text.indexOf(rest.text, at);
      rest.at = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    if (rest.at === at) return at + rest.text.length;
    const shown = this.#text.length - at;
    const isCut = this.#isBroken && shown < rest.text.length && head.length + shown >= shortestBeginning(this.#needle);
    return isCut && rest.text.startsWith(this.#text.slice(at)) ? CUT_OFF : null;
  }

  #restAfter(length: number): { readonly text: string; at: number } {
    this.#rests[length] ??= { text: this.#needle.text.slice(length), at: -1 };
    return this.#rests[length];
  }
}
