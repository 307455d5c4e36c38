// `node scripts/architecture.ts` writes the table of rooms in docs/architecture.md again; a test compares it.
import { readFileSync, writeFileSync } from 'node:fs';
import { ROOMS } from '../test/layers/rules.ts';
import { between } from './printed.ts';

const PAGE = new URL('../docs/architecture.md', import.meta.url);

const HEADS = ['Room', 'What it is for', 'May import', 'May import types from, besides'];

function roomTable(): string {
  const rows = ROOMS.map(({ holds, purpose, may, mayType = [] }) => [code([holds]), purpose, code(may), code(mayType)]);
  return [HEADS, HEADS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const code = (places: readonly string[]): string => places.map((place) => `\`${place}\``).join(', ');

/** A page with the table of rooms between its marks. Throws where they are missing. */
export const withRooms = (page: string): string => between(page, 'rooms', 'scripts/architecture.ts', roomTable());

if (import.meta.main) writeFileSync(PAGE, withRooms(readFileSync(PAGE, 'utf8')));
