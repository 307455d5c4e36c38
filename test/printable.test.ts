import { expect, it } from 'vitest';
import { printable } from '../src/printable.ts';
import fc from './support/fast-check.ts';

// What a terminal or a log viewer obeys instead of showing it.

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;

it.each([
  ['control characters', [...range(0x00, 0x1f), 0x7f]],
  ['C1 control characters, of which 9b begins an escape sequence', range(0x80, 0x9f)],
  ['separators of lines and paragraphs', [0x2028, 0x2029]],
  ['marks and overrides of direction', [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]],
  ['the mark of byte order', [0xfeff]],
])('%s are escaped', (_name, codes) => {
  for (const code of codes) {
    const character = String.fromCharCode(code);
    expect(printable(`a${character}${character}b`)).toBe(`a${escaped(code)}${escaped(code)}b`);
  }
});

it.each([
  ['letters and signs', 'Order 1042: 25.00 € <b>"x"</b> \\ \\n %1b'],
  ['other scripts', 'Два билета, 二枚, تذكرتان, שני כרטיסים, टिकट'],
  ['pictures, joined and coloured', '👩‍👩‍👧 👍🏽 🏳️‍🌈'],
  ['letters with marks', 'e\u0301 a\u0308'],
  ['spaces of every width', 'a\u00a0b\u2009c\u3000d'],
  ['a joiner and a non-joiner, which some scripts need', 'क्\u200dष नمی\u200cخواهم'],
  ['half of a pair', '\ud83d'],
  ['nothing', ''],
])('what people read stays: %s', (_name, text) => {
  expect(printable(text)).toBe(text);
});

it('whatever the text is, nothing is left to escape, and all else is in its place', () => {
  const unescaped = (text: string) =>
    text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = printable(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      expect(printable(shown)).toBe(shown);
      expect(unescaped(shown)).toBe(unescaped(text));
    }),
  );
});

it('1 MiB of control characters is looked through once', () => {
  expect(printable('\u0000'.repeat(1024 * 1024)).length).toBe(6 * 1024 * 1024);
});
