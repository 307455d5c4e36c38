// The report of `reconcile` on a terminal of 80 columns.
import { markOf, oneLine, type Style, wrapped } from '../terminal.ts';
import type { ReconcileReport, Table } from './report.ts';

const COLUMNS = 80;

/** The report for a terminal. */
export function textOf(report: ReconcileReport, style: Style): string {
  const { grade, verdict, counts, money, tables, folded } = report;
  const blocks = [
    [
      wrapped(`${verdict.first} ${verdict.rest}`.trim(), 4, `  ${markOf(grade, style)} `),
      ...counts.map((text) => wrapped(text, 4)),
    ],
    ...(money === null ? [] : [tableLines(money)]),
    ...tables.map((table) => [style.strong(`  ${table.title}`), ...adviceLines(table), ...tableLines(table)]),
    ...(folded === null ? [] : [foldedLines(folded, style)]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function adviceLines({ advice }: Table): string[] {
  return advice === '' ? [] : [wrapped(advice, 2)];
}

function foldedLines({ title, advice, names }: NonNullable<ReconcileReport['folded']>, style: Style): string[] {
  return [style.strong(`  ${title}`), wrapped(advice, 2), wrapped(names, 4)];
}

/** A text in the last column wraps under itself, and the first one is cut where a row would be too long. */
function tableLines({ heads, rows }: Table): string[] {
  const texts = rows.map((row) => row.map((cell) => oneLine(cell, 300)));
  const widths = heads.map(({ text }, at) => Math.max(text.length, ...texts.map((row) => row[at]?.length ?? 0)));
  const last = heads.length - 1;
  const [first = 0] = widths;
  const sum = (of: readonly number[]): number => of.reduce((total, width) => total + width + 2, 2);
  const rest = sum(widths.slice(1, last)) + Math.min(widths[last] ?? 0, 30);
  const name = Math.min(first, Math.max(12, COLUMNS - rest - 2));
  const all = [name, ...widths.slice(1)];
  const indent = sum(all.slice(0, last));
  const line = (cells: readonly string[]): string => {
    const start = cells.slice(0, last).map((cell, at) => {
      const width = all[at] ?? 0;
      const text = oneLine(cell, Math.max(1, width));
      return heads[at]?.isNumber ? text.padStart(width) : text.padEnd(width);
    });
    const end = cells[last] ?? '';
    const shown = heads[last]?.isNumber ? end.padStart(all[last] ?? 0) : end;
    const before = `  ${start.map((text) => `${text}  `).join('')}`;
    return (heads[last]?.isNumber ? before + shown : wrapped(shown, indent, before)).trimEnd();
  };
  return [line(heads.map(({ text }) => text)), ...texts.map(line)];
}
