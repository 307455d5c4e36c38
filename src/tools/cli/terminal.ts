import { styleText } from 'node:util';
import { printable } from '../../errors/printable.ts';
import type { Line } from '../sandbox/lines.ts';
import type { Io } from './io.ts';

/**
 * How a check ended. `advice`: no rule is broken, but a change is worthwhile. `inconclusive`: the check could not be
 * made, or proves nothing.
 */
export type Grade = 'pass' | 'fail' | 'advice' | 'inconclusive';

/** The result of one check: one line of a report. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly grade: Grade;
  /** The command or the change that helps. Empty if there is nothing to do. */
  readonly fix: string;
}

/** A check that passed. */
export function passed(id: string, title: string): CheckResult {
  return { id, title, grade: 'pass', fix: '' };
}

/** A check that failed, with its remedy. */
export function failed(id: string, title: string, fix: string): CheckResult {
  return { id, title, grade: 'fail', fix };
}

/** A check with its mark, short facts beside it, and below what is wrong and the remedy. */
export function resultLines({ title, grade, fix }: CheckResult, style: Style, facts = '', details = ''): string {
  const head = facts === '' ? title : `${title.padEnd(50)} ${facts}`;
  const lines = [wrapped(head, 4, `  ${markOf(grade, style)} `)];
  if (details !== '') lines.push(wrapped(details, 6));
  if (fix !== '' && grade !== 'inconclusive') lines.push(fixLines(fix));
  return lines.join('\n');
}

/** A remedy. A command with a comment is not broken, so that it can be copied: the comment may go below it. */
function fixLines(fix: string): string {
  const [command, comment] = fix.split(/ {3}(?=# )/);
  const isLong = 'fix: '.length + 6 + fix.length > COLUMNS;
  return comment === undefined || !isLong
    ? wrapped(`fix: ${fix}`, 6)
    : `      fix: ${command}\n${wrapped(comment, 11)}`;
}

/** The mark of a grade, in its colour. */
export function markOf(grade: Grade, style: Style): string {
  const marks = { pass: style.good('✓'), fail: style.bad('✗'), advice: style.warn('!'), inconclusive: '?' };
  return marks[grade];
}

const COLUMNS = 80;

/**
 * The text in lines of 80 columns at most, each behind `indent` columns. `first` replaces the indent of the first line,
 * and may hold colours. A word that is longer than a line is not broken, so that it can be copied.
 */
export function wrapped(text: string, indent: number, first = ' '.repeat(indent)): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<=\S)(?= )/)) {
    if (line !== '' && indent + line.length + word.trimEnd().length > COLUMNS) {
      lines.push(line);
      line = word.trimStart();
    } else line += word;
  }
  return [...lines, line].map((each, at) => (at === 0 ? first : ' '.repeat(indent)) + each).join('\n');
}

export type Paint = (text: string) => string;

/** Colours, or the text alone. */
export interface Style {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly strong: Paint;
  readonly soft: Paint;
}

/** No colour when piped, with NO_COLOR, or on a dumb terminal. */
export function styleOf({ env, isTerminal }: Pick<Io, 'env' | 'isTerminal'>): Style {
  const isColoured = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (format: 'green' | 'red' | 'yellow' | 'bold' | 'dim'): Paint =>
    (text) =>
      isColoured ? styleText(format, text, { validateStream: false }) : text;
  return { good: paint('green'), bad: paint('red'), warn: paint('yellow'), strong: paint('bold'), soft: paint('dim') };
}

/** A line of JSON. Its escapes also hide what JSON leaves as it is, such as U+009B and U+2028. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}

/** Printable text on one line, no longer than `length`. */
export function oneLine(text: string, length = 160): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** A line of an event or an action with its time, its mark and its cause. */
export function lineText({ at, grade, text, cause }: Line, style: Style): string {
  const time = at === null ? '' : `${at.slice(11, 19)}  `;
  const mark = grade === null ? ' ' : markOf(grade, style);
  const indent = time.length + 2;
  const first = wrapped(printable(text), indent, `${time}${mark} `).trimEnd();
  return cause === null ? first : `${first}\n${wrapped(printable(cause), indent)}`;
}
