// The report of `reconcile` on a terminal of 80 columns.
import { markOf, oneLine, type Style, wrapped } from '../terminal.ts';
import { type ReconcileReport, type Section, SUMS } from './report.ts';

const COLUMNS = 80;

/** The report for a terminal. */
export function textOf(report: ReconcileReport, style: Style): string {
  const { grade, about, verdict, counts, money, sections, folded } = report;
  const blocks = [
    [
      wrapped(about.join(' · '), 4),
      wrapped(verdict.join(' '), 4, `  ${markOf(grade, style)} `),
      ...counts.map((text) => wrapped(text, 4)),
    ],
    ...(money.length === 0 ? [] : [moneyLines(money)]),
    ...sections.map((section) => [
      wrapped(`${section.title} (${section.extent})`, 2).split('\n').map(style.strong).join('\n'),
      ...(section.advice === '' ? [] : [wrapped(section.advice, 2)]),
      ...tableLines(section),
    ]),
    ...folded.map(({ title, advice, names }) => [
      wrapped(title, 2).split('\n').map(style.strong).join('\n'),
      wrapped(advice, 2),
      wrapped(names, 4),
    ]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function moneyLines(money: ReconcileReport['money']): string[] {
  const heads = ['', ...SUMS.map(({ head }) => head)].map((text) => ({ text, form: 'number' as const }));
  return tableLines({
    heads,
    rows: money.map(({ currency, sums }) => [currency, ...sums.map(({ amount }) => amount)]),
  });
}

/** A text in the last column wraps under itself, and an id that is too long for its column has a line of its own. */
function tableLines({ heads, rows }: Pick<Section, 'heads' | 'rows'>): string[] {
  const widths = heads.map(({ text }, at) => Math.max(text.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const last = heads.length - 1;
  const [first = 0] = widths;
  const sum = (of: readonly number[]): number => of.reduce((total, width) => total + width + 2, 2);
  const rest = sum(widths.slice(1, last)) + Math.min(widths[last] ?? 0, 30);
  const name = Math.min(first, Math.max(12, COLUMNS - rest - 2));
  const all = [name, ...widths.slice(1)];
  const indent = sum(all.slice(0, last));
  const line = (cells: readonly string[]): string => {
    const [id = '', ...others] = cells;
    if (id.length > name) return `  ${oneLine(id, COLUMNS - 4)}\n${line(['', ...others])}`;
    const start = cells.slice(0, last).map((cell, at) => {
      const width = all[at] ?? 0;
      return heads[at]?.form === 'number' ? cell.padStart(width) : cell.padEnd(width);
    });
    const end = cells[last] ?? '';
    const shown = heads[last]?.form === 'number' ? end.padStart(all[last] ?? 0) : end;
    const before = `  ${start.map((text) => `${text}  `).join('')}`;
    return (heads[last]?.form === 'number' ? before + shown : wrapped(shown, indent, before)).trimEnd();
  };
  return [line(heads.map(({ text }) => text)), ...rows.map(line)];
}
