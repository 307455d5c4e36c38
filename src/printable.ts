// Control characters (C0, DEL, C1), line and paragraph separators, and marks that turn the direction of text: in a log
// or on a terminal they forge lines, hide words and run escape sequences.
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Text from outside, safe for a message, a log line or a terminal: what cannot be seen is escaped as `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
