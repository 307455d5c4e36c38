// `node scripts/decisions.ts` writes the table of dialects in docs/decisions.md anew; a test compares it.
import { readFileSync, writeFileSync } from 'node:fs';
import { DIALECTS, type DialectEntry } from '../src/sandbox/index.ts';
import { between } from './printed.ts';

const PAGE = new URL('../docs/decisions.md', import.meta.url);

const HEADS = ['Dialect', 'Section', 'Unsaid', 'We assume', 'We tolerate as well', 'How to pin it'];

/** The table of every dialect, as the sandbox declares it. */
export function dialectTable(): string {
  const rows = Object.entries<DialectEntry>(DIALECTS).map(([name, { section, unsaid, values, default: ours, pin }]) => [
    `\`${name}\``,
    section,
    unsaid,
    shown(ours),
    values
      .filter((value) => value !== ours)
      .map(shown)
      .join(', '),
    pin ?? 'nothing to do: all are read',
  ]);
  return [HEADS, HEADS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function shown(value: string | number): string {
  return value === '' ? 'nothing' : `\`${value}\``;
}

/** A page with the table of dialects between its marks. Throws where they are missing. */
export const withTable = (page: string): string => between(page, 'dialects', 'scripts/decisions.ts', dialectTable());

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
