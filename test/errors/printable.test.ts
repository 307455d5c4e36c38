import { expect, it } from 'vitest';
import { printable } from '../../src/errors/printable.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** What a terminal or a log viewer obeys instead of showing it. */
const OBEYED = new Set([
  ...[...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f)], // control characters; 9b begins an escape sequence
  ...[0x2028, 0x2029], // separators of lines and paragraphs
  ...[0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)], // marks and overrides of direction
  0xfeff, // the mark of byte order
]);

it('of the characters of one unit, exactly those that a terminal obeys are escaped, and all others stay', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code); // also half of a pair
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`;
    const expected = OBEYED.has(code) ? `a${escaped}${escaped}b` : `a${character}${character}b`;
    if (printable(`a${character}${character}b`) !== expected) wrong.push(escaped);
  }
  expect(wrong).toEqual([]);
});

it.each([
  'Order 1042: 25.00 € <b>"x"</b> \\ \\n %1b',
  '👩‍👩‍👧 👍🏽 🏳️‍🌈',
  'e\u0301 a\u0308',
  'क्\u200dष नमی\u200cخواهم',
  '',
])('what people read stays: %s', (text) => expect(printable(text)).toBe(text));

it('1 MiB of control characters is looked through once', () => {
  expect(printable('\u0000'.repeat(1024 * 1024)).length).toBe(6 * 1024 * 1024);
});
