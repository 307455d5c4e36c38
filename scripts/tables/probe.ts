import { RULES } from '../../src/probe/rules/rules.ts';
import { POINTS } from '../../src/probe/verdict.ts';
import { NEEDS, OTHER_MASKS } from '../../src/probe/words.ts';
import type { PrintedTable } from './printed-table.ts';

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

/** The rules of the probe, and the masks. */
export const PROBE_TABLES: readonly PrintedTable[] = [
  {
    page: 'going-live',
    name: 'rules',
    heads: ['Point', 'Seen in', 'Can be masked by', 'Not seen while'],
    rows: POINTS.map((point) => {
      const { from, masks = [], need } = RULES[point];
      return [code([point]), from, code(masks), NEEDS[need].because];
    }),
  },
  {
    page: 'going-live',
    name: 'masks',
    heads: ['Mask', 'Meaning'],
    rows: Object.entries(OTHER_MASKS).map(([mask, meaning]) => [code([mask]), meaning]),
  },
];
