// The folder `secrecy` keeps the API key and the webhook secrets out of each text that leaves the client.
import { type Needle, overlappedSpans, type Span, shortestBeginning } from './overlaps.ts';
import { base64Forms, beginningAtEnd, folded, looksEscaped, spellings, withoutHalfEscape } from './secret-spellings.ts';

const HIDDEN = '[redacted]';
/** Keys that a function gave, beyond which the oldest is forgotten. */
const REMEMBERED = 32;
/** A key or secret of this length is not a word: it is hidden also inside of a word, as in `\nsk_test_secret`. */
const NO_WORD = 8;
/** Characters that one character of a secret may be written with, and still be found where a text is cut. */
const LONGEST_SPELLING = 12;

/** Everything to look for. */
interface Known {
  readonly needles: readonly Needle[];
  readonly longest: number;
  /** A secret holds signs with which others escape. */
  readonly isOdd: boolean;
}

/** Replaces every secret that the client ever held in text and data from outside: servers echo headers. */
export class Redactor {
  readonly #fixed: readonly string[];
  readonly #rotated = new Map<string, readonly Needle[] | null>();
  /** Made when something has to be hidden for the first time: most calls succeed. */
  #known: Known | null = null;

  constructor(fixed: readonly string[]) {
    this.#fixed = fixed;
  }

  /** Returns a redactor that hides other secrets as well. It does not know the keys that a function gave to this one. */
  with(more: readonly string[]): Redactor {
    return new Redactor([...new Set([...more, ...this.#fixed])]);
  }

  /** Remembers a key that a function gave. */
  add(key: string): void {
    if (key === '' || this.#rotated.has(key)) return;
    this.#rotated.set(key, null);
    const [oldest] = this.#rotated.keys();
    if (this.#rotated.size > REMEMBERED && oldest !== undefined) this.#rotated.delete(oldest);
    this.#known = null;
  }

  /** The text with each secret in it replaced, in any case and in every usual spelling. Linear in the text's length. */
  text(text: string): string {
    return this.#hide(text, false);
  }

  /**
   * The beginning of a text, of at most `max` characters. What is not shown is not looked through. `isBroken`: the text
   * broke off, perhaps in the middle of a secret.
   */
  beginning(text: string, max: number, isBroken = false): string {
    const room = max + LONGEST_SPELLING * this.#all().longest;
    return this.#hide(text.slice(0, room), isBroken || text.length > room).slice(0, max);
  }

  #hide(text: string, isBroken: boolean): string {
    const { isOdd, needles } = this.#all();
    if (needles.length === 0) return text;
    const found: Span[] = [];
    let end = text.length;
    for (const spelled of spellings(text, isOdd)) {
      const { text: read, places } = spelled;
      for (const span of overlappedSpans(spelled, needles, isBroken)) found.push(span);
      for (const [from, to] of spansIn(read, needles)) found.push([places?.[from] ?? from, places?.[to] ?? to]);
      const half = isBroken ? halfAtEnd(read, needles) : null;
      if (half !== null) end = Math.min(end, places?.[half] ?? half);
    }
    if (end < text.length) found.push([end, text.length]);
    return found.length === 0 ? text : replaced(text, found);
  }

  #all(): Known {
    if (this.#known !== null) return this.#known;
    const needles = this.#fixed.flatMap(needlesOf);
    for (const [key, made] of this.#rotated) {
      const forms = made ?? needlesOf(key);
      this.#rotated.set(key, forms);
      needles.push(...forms);
    }
    const longest = needles.reduce((length, { text }) => Math.max(length, text.length), 0);
    this.#known = { needles, longest, isOdd: [...this.#fixed, ...this.#rotated.keys()].some(looksEscaped) };
    return this.#known;
  }
}

function needlesOf(secret: string): Needle[] {
  const isShort = secret.length < NO_WORD;
  const isWord = isShort && /^[a-z_]+$/i.test(secret);
  // Secret and text are read in the same way, because a secret may itself look escaped.
  const forms = new Set([...spellings(secret)].map(({ text }) => folded(text)).filter((text) => text !== ''));
  return [
    ...[...forms].map((text) => ({ text, isBase64: false, isWord })),
    ...(isShort ? [] : base64Forms(secret)).map((text) => ({ text, isBase64: true, isWord: false })),
  ];
}

function spansIn(text: string, needles: readonly Needle[]): Span[] {
  const inLowerCase = folded(text);
  const spans: Span[] = [];
  for (const { text: needle, isBase64, isWord } of needles) {
    const where = isBase64 ? text : inLowerCase;
    for (let from = where.indexOf(needle); from !== -1; ) {
      const to = from + needle.length;
      const isHidden = !isWord || !(isWordPart(where, from - 1) || isWordPart(where, to));
      if (isHidden) spans.push([from, to]);
      from = where.indexOf(needle, isHidden ? to : from + 1);
    }
  }
  return spans;
}

function isWordPart(text: string, at: number): boolean {
  return /[a-z0-9_]/.test(text.charAt(at));
}

/** Returns where the beginning of a secret is at the end of the text, perhaps followed by half an escape. */
function halfAtEnd(text: string, needles: readonly Needle[]): number | null {
  const whole = withoutHalfEscape(text);
  const inLowerCase = folded(whole);
  let longest = 0;
  for (const needle of needles) {
    const length = beginningAtEnd(needle.isBase64 ? whole : inLowerCase, needle.text);
    if (length >= shortestBeginning(needle)) longest = Math.max(longest, length);
  }
  return longest === 0 ? null : whole.length - longest;
}

/** Spans that overlap are one. */
function replaced(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let shown = 0;
  let hidden = 0;
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (from >= hidden) {
      pieces.push(text.slice(shown, from), HIDDEN);
      hidden = to;
    }
    hidden = Math.max(hidden, to);
    shown = hidden;
  }
  pieces.push(text.slice(shown));
  return pieces.join('');
}
