import type { Io } from './io.ts';

export type Paint = (text: string) => string;
/** Colours, or the text alone. */
export interface Style {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly soft: Paint;
  readonly strong: Paint;
}

/** No colour when piped, with NO_COLOR, or on a dumb terminal. */
export function styleOf({ env, isTerminal }: Pick<Io, 'env' | 'isTerminal'>): Style {
  const coloured = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (code: number): Paint =>
    (text) =>
      coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { good: paint(32), bad: paint(31), warn: paint(33), soft: paint(90), strong: paint(1) };
}

/** Text from outside, without what a terminal would obey: an order id must not move the cursor. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to take out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '·');
}

/** Plain text on one line, no longer than `length`. */
export function excerpt(text: string, length = 160): string {
  const line = plain(text.replace(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
