import { printable } from '../printable.ts';
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

/** Printable text on one line, no longer than `length`. */
export function excerpt(text: string, length = 160): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
