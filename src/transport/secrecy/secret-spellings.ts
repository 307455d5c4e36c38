// How others write a text: servers echo what they got in JSON, in JSON inside JSON, in a page, in an address or in base64.
// Everything here reads a text once, from left to right: the cost grows with its length, whatever it holds.

/** A text with the escapes of one level read, and where each of its characters stood. */
export interface Spelled {
  readonly text: string;
  /** Place of each character in the source, and the source's length at the end. Null when no place differs. */
  readonly places: Int32Array | null;
  /** The text with one level more of escapes, from which this one was read. Null for the source. */
  readonly readFrom: Spelled | null;
}

const BACK_SLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const CHUNK = 8_192;

/** Escaped this often a text is still found: JSON in JSON in JSON in JSON. */
const LEVELS = 4;
const MARKS = [BACK_SLASH, PERCENT, AMPERSAND];

/**
 * A text as it is, and with the escapes of each level read. `byKind`: also with those of one kind only, twice, for a
 * secret in which the signs of the other kinds are meant as they stand.
 */
export function* spellings(text: string, byKind = false): Generator<Spelled, void, undefined> {
  const asItIs: Spelled = { text, places: null, readFrom: null };
  yield asItIs;
  let all = unescaped(asItIs, MARKS);
  for (let level = 1; level <= LEVELS && all !== null; level += 1) {
    yield all;
    all = level === LEVELS ? null : unescaped(all, MARKS);
  }
  for (const mark of byKind ? MARKS : []) {
    const once = unescaped(asItIs, [mark]);
    if (once === null) continue;
    yield once;
    for (const next of MARKS) {
      const twice = unescaped(once, [next]);
      if (twice !== null) yield twice;
    }
  }
}

/** True for a text in which something may look escaped. */
export function looksEscaped(text: string): boolean {
  return /[\\%&]/.test(text);
}

/** The text one level less escaped: JSON and JavaScript, percent, HTML. Null where nothing in it is escaped. */
function unescaped(readFrom: Spelled, marks: readonly number[]): Spelled | null {
  const { text, places } = readFrom;
  if (!looksEscaped(text)) return null;
  const [slash, sign, entity] = MARKS.map((mark) => (marks.includes(mark) ? mark : -1));
  const units = new Uint16Array(text.length);
  const found = new Int32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const isMark = unit === slash || unit === sign || unit === entity;
    const read = isMark ? escapeAt(text, at, unit) : null;
    const written = read === null ? 1 : read.written;
    const value = read === null ? unit : read.value;
    const place = places?.[at] ?? at;
    if (value > 0xffff) {
      units[length] = 0xd7c0 + (value >> 10);
      found[length] = place;
      length += 1;
    }
    units[length] = value > 0xffff ? 0xdc00 + (value & 0x3ff) : value;
    found[length] = place;
    length += 1;
    at += written;
  }
  if (length === text.length) return null;
  found[length] = places?.[text.length] ?? text.length;
  return { text: textOf(units.subarray(0, length)), places: found, readFrom };
}

function textOf(units: Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += CHUNK) {
    text += String.fromCharCode.apply(null, units.subarray(at, at + CHUNK) as unknown as number[]); // takes any array-like
  }
  return text;
}

/** An escaped character: its code point, and the number of characters that it is written with. */
interface Escape {
  readonly value: number;
  readonly written: number;
}

function escapeAt(text: string, at: number, mark: number): Escape | null {
  if (mark === BACK_SLASH) return slashed(text, at);
  return mark === PERCENT ? percent(text, at) : entity(text, at);
}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, b: 8, f: 12 };

function slashed(text: string, at: number): Escape | null {
  const next = text.charAt(at + 1);
  if (next === '') return null;
  const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
  const value = digits === 0 ? null : hexAt(text, at + 2, digits);
  if (value !== null) return { value, written: 2 + digits };
  return { value: CONTROLS[next] ?? next.charCodeAt(0), written: 2 };
}

/** Reads a character in UTF-8 bytes, each as `%D0`. Bytes that are not UTF-8 are read one by one. */
function percent(text: string, at: number): Escape | null {
  const first = hexAt(text, at + 1, 2);
  if (first === null) return null;
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
  let value = more === 0 ? first : first & (0x3f >> more);
  for (let index = 1; index <= more; index += 1) {
    const place = at + 3 * index;
    const byte = text.charCodeAt(place) === PERCENT ? hexAt(text, place + 1, 2) : null;
    if (byte === null || (byte & 0xc0) !== 0x80) return { value: first, written: 3 };
    value = (value << 6) | (byte & 0x3f);
  }
  return value > 0x10ffff ? { value: first, written: 3 } : { value, written: 3 * (more + 1) };
}

const NAMES: Readonly<Record<string, number>> = { lt: 0x3c, gt: 0x3e, amp: 0x26, quot: 0x22, apos: 0x27 };
/** Sticky and bounded, so that it reads one place and at most this many characters. */
const ENTITY = /&(?:#(\d{1,16})|#x([0-9a-f]{1,16})|(lt|gt|amp|quot|apos));/iy;

function entity(text: string, at: number): Escape | null {
  ENTITY.lastIndex = at;
  const match = ENTITY.exec(text);
  if (match === null) return null;
  const [written, decimal, hex, name] = match;
  const value =
    name === undefined
      ? Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)
      : (NAMES[name.toLowerCase()] ?? 0);
  return value > 0x10ffff ? null : { value, written: written.length };
}

function hexAt(text: string, at: number, digits: number): number | null {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const unit = text.charCodeAt(index); // NaN behind the end
    const lower = unit | 0x20;
    if (unit >= 0x30 && unit <= 0x39) value = value * 16 + unit - 0x30;
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + lower - 0x57;
    else return null;
  }
  return value;
}

/** Returns the text without an incomplete escape at its end. */
export function withoutHalfEscape(text: string): string {
  return text.replace(/(?:\\(?:[ux][0-9a-f]{0,3})?|%[0-9a-f]?|&(?:#x?[0-9a-f]{0,16}|[a-z]{0,4}))$/i, '');
}

/** In lower case, each character in its place: only one capital letter would become two. */
export function folded(text: string): string {
  return text.replaceAll('\u0130', 'I').toLowerCase();
}

/**
 * Returns the forms of a text inside of any base64 or base64url text. There is one for each of the three places in a
 * group, without the characters that are shared with a neighbour.
 */
export function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const forms = new Set<string>();
  for (let offset = 0; offset < 3; offset += 1) {
    const whole = btoa('\0'.repeat(offset) + textOf(Uint16Array.from(bytes)));
    const from = Math.ceil((offset * 8) / 6);
    const form = whole.slice(from, Math.floor(((offset + bytes.length) * 8) / 6));
    forms.add(form);
    forms.add(form.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return [...forms];
}

/** Returns the length of the longest beginning of `form`, but not all of it, at the end of `text`. Linear time. */
export function beginningAtEnd(text: string, form: string): number {
  // How much of a beginning of `form` is matched when the next character differs: Knuth, Morris and Pratt.
  const back = new Uint16Array(form.length + 1);
  for (let at = 1, matched = 0; at < form.length; at += 1) {
    while (matched > 0 && form[at] !== form[matched]) matched = back[matched - 1] ?? 0;
    if (form[at] === form[matched]) matched += 1;
    back[at] = matched;
  }
  let matched = 0;
  for (let at = Math.max(0, text.length - form.length + 1); at < text.length; at += 1) {
    while (matched > 0 && text[at] !== form[matched]) matched = back[matched - 1] ?? 0;
    if (text[at] === form[matched]) matched += 1;
  }
  return matched;
}
