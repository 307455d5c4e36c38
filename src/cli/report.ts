import { printable } from '../printable.ts';
import type { Io } from './io.ts';

/**
 * How a check ended. `advice`: no rule is broken, but a change is worthwhile. `inconclusive`: the check could not be
 * made, or proves nothing.
 */
export type Verdict = 'pass' | 'fail' | 'advice' | 'inconclusive';

/** The result of one check: one line of a report. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** The command or the change that helps. Empty if there is nothing to do. */
  readonly fix: string;
}

/** A check that passed. */
export function passed(id: string, title: string): CheckResult {
  return { id, title, verdict: 'pass', fix: '' };
}

/** A check that failed, with its remedy. */
export function failed(id: string, title: string, fix: string): CheckResult {
  return { id, title, verdict: 'fail', fix };
}

/** A check with its mark, further facts, and its remedy. */
export function resultLines({ title, verdict, fix }: CheckResult, style: Style, facts = '', details = ''): string {
  const marks = { pass: style.good('✓'), fail: style.bad('✗'), advice: style.warn('!'), inconclusive: style.soft('?') };
  const line = `  ${marks[verdict]} ${facts === '' ? title : title.padEnd(50)} ${style.soft(facts)}`.trimEnd();
  const more = [details && style.soft(details), fix && verdict !== 'inconclusive' && `${style.warn('fix')}: ${fix}`];
  return [line, ...more.filter(Boolean).map((text) => `      ${text}`)].join('\n');
}

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
  const isColoured = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (code: number): Paint =>
    (text) =>
      isColoured && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { good: paint(32), bad: paint(31), warn: paint(33), soft: paint(90), strong: paint(1) };
}

/** A line of JSON. Its escapes also hide what JSON leaves as it is, such as U+009B and U+2028. */
export function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`;
}

/** Printable text on one line, no longer than `length`. */
export function excerpt(text: string, length = 160): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
