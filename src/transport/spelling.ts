// How others write a text: servers echo what they got in JSON, in JSON inside JSON, in a page or in an address.

const HTML_NAMES: Readonly<Record<string, string>> = { '<': 'lt', '>': 'gt', '&': 'amp', '"': 'quot', "'": 'apos' };

/**
 * Finds a text in every usual spelling of it, in any case. Where `keepsNames`, a word of letters alone counts as a whole
 * word only, because it may be the beginning of a member's name.
 */
export function anySpelling(text: string, keepsNames: boolean): RegExp {
  const pattern = [...text].map(anySpellingOf).join('');
  return new RegExp(keepsNames && /^[a-z_]+$/i.test(text) ? `(?<![a-z0-9_])${pattern}(?![a-z0-9_])` : pattern, 'gi');
}

/** JSON in JSON doubles them each time. Bounded: else a body of back slashes would take the afternoon. */
const SLASHES = '\\\\{1,16}';

function anySpellingOf(character: string): string {
  if (/^[a-z0-9_-]$/i.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const escapes = Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index)));
  const name = HTML_NAMES[character];
  const ways = [
    character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
    `u${escapes.join(`${SLASHES}u`)}`,
    `&#0*${code};`,
    `&#x0*${code.toString(16)};`,
    ...(name === undefined ? [] : [`&${name};`]),
    ...percent(character),
  ];
  return `(?:${SLASHES})?(?:${ways.join('|')})`;
}

function hex(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

function percent(character: string): string[] {
  try {
    const encoded = encodeURIComponent(character);
    return encoded === character ? [] : [encoded];
  } catch {
    return []; // half of a surrogate pair cannot stand in an address
  }
}

const SHORTEST_BEGINNING = 4;

/** Length of the longest beginning of `text` that stands at the end of `whole`; 0 when too short to matter. */
export function beginningAtEnd(whole: string, text: string): number {
  const json = JSON.stringify(text).slice(1, -1);
  return Math.max(...[text, json, JSON.stringify(json).slice(1, -1)].map((form) => longestBeginning(whole, form)));
}

function longestBeginning(whole: string, form: string): number {
  for (let length = Math.min(form.length - 1, whole.length); length >= SHORTEST_BEGINNING; length -= 1) {
    if (whole.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
