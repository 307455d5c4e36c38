import { printable } from './printable.ts';

// Keeps the API key and the webhook secrets out of each text that leaves the client or reaches a terminal. A server may
// repeat them in its response.

const HIDDEN = '[redacted]';
/**
 * How many characters after the shown ones are searched as well. A secret at the cut is then found whole, and a
 * replaced secret is shorter than before, so that characters behind the cut become visible.
 */
const SEARCHED_BEYOND = 64 * 1024;

/** A text with each secret in it replaced by `[redacted]`. */
export type Hide = (text: string) => string;

/** Hides these secrets as they are, JSON-escaped, percent-encoded and in base64, without regard to case. */
export function hiding(secrets: readonly string[]): Hide {
  let forms: readonly string[] | null = null; // made at the first use: most calls have no text to hide in
  return function hide(text) {
    forms ??= [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    const searched = lowerCase(text);
    if (!forms.some((form) => searched.includes(form))) return text;
    let pieces: readonly string[] = [text];
    for (const form of forms) pieces = pieces.flatMap((piece) => split(piece, form));
    return pieces.join(HIDDEN);
  };
}

/** The beginning of a text from outside, of at most `max` characters: without secrets and control characters. */
export function shown(hide: Hide, text: string, max: number): string {
  return printable(beginningWithoutSecrets(hide, text, max));
}

/** As {@link shown}, with control characters kept: for ids that programs compare, and for `raw`. */
export function beginningWithoutSecrets(hide: Hide, text: string, max: number): string {
  return hide(text.slice(0, max + SEARCHED_BEYOND)).slice(0, max);
}

/** A shorter secret is not hidden, because it also occurs in ordinary words. Only tests have one. */
const SECRET_MIN = 4;
/** A shorter encoded form is not hidden, for the same reason: the base64 of one letter is another letter. */
const DERIVED_MIN = 8;

/** The forms in which a secret is searched, in lower case. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const wellFormed = new TextDecoder().decode(bytes);
  // The last characters are cut off, because they depend on what follows the secret in the encoded text.
  const base64 = btoa(String.fromCharCode(...bytes)).slice(0, Math.floor((bytes.length * 4) / 3));
  const derived = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(wellFormed), base64];
  const own = secret.length >= SECRET_MIN ? [secret] : [];
  return [...own, ...derived.filter((form) => form.length >= DERIVED_MIN)].map(lowerCase);
}

/** Lower case of ASCII only, which keeps the length. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Splits a text at each place of a form. Case is ignored. */
function split(text: string, form: string): string[] {
  const searched = lowerCase(text);
  const pieces: string[] = [];
  let from = 0;
  for (let at = searched.indexOf(form); at !== -1; at = searched.indexOf(form, from)) {
    pieces.push(text.slice(from, at));
    from = at + form.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

const MEMBERS_MAX = 1_000;
const TEXT_MAX = 1_000;
const DEEPEST = 24;

/**
 * Copies parsed JSON for an error, with each text and name as `write` returns it. At most 1,000 members are copied,
 * texts are cut at 1,000 characters, and members below 24 levels are left out.
 */
export function shownData(value: unknown, write: (text: string, max: number) => string): unknown {
  let room = MEMBERS_MAX;
  const copy = (member: unknown, depth: number): unknown => {
    if (typeof member === 'string') return write(member, TEXT_MAX);
    if (typeof member !== 'object' || member === null) return member;
    if (depth >= DEEPEST) return '[nested too deeply]';
    const entries = Object.entries(member)
      .slice(0, room)
      .flatMap(([name, each]) => (room-- > 0 ? [[write(name, TEXT_MAX), copy(each, depth + 1)] as const] : []));
    // fromEntries defines members, so that one named __proto__ is an ordinary one.
    return Array.isArray(member) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  };
  return copy(value, 0);
}

/** Copies decoded data with the secrets in its texts and names hidden. Dates and decimals are kept. */
export function hideIn<T>(data: T, hide: Hide): T {
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return hide(value);
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), copy(member)]));
  };
  return copy(data) as T; // only texts are written anew
}
