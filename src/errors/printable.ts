// Control characters (C0, DEL, C1), line and paragraph separators, and marks that change the direction of text.
// In a log or on a terminal they forge lines, hide words and run escape sequences.
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The text with unprintable characters escaped, such as `\u001b`: safe for a message, a log or a terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
