// `node scripts/tables.ts` writes the tables of docs that come from the code. `test/tables.test.ts` compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMANDS, type CommandTable } from '../src/cli/commands.ts';
import { DIALECTS, type DialectEntry, MAGIC_OUTCOMES } from '../src/sandbox/index.ts';
import { BROKEN_ENVIRONMENTS } from '../test/cli/broken/environments.ts';
import { BROKEN_RECEIVERS } from '../test/cli/broken/receivers.ts';
import { EVERYWHERE, ROOMS } from '../test/layers/rules.ts';
import { PERFORMANCE_TABLES } from './tables/performance.ts';
import type { PrintedTable } from './tables/printed-table.ts';
import { PROBE_TABLES } from './tables/probe.ts';

const code = (texts: readonly (string | number)[]): string =>
  texts.map((text) => (text === '' ? '(empty)' : `\`${text}\``)).join(', ');

/** The rooms that nearly every room may import are printed as one word. */
function withCommon(rooms: readonly string[]): string {
  const hasCommon = EVERYWHERE.every((room) => rooms.includes(room));
  const others = code(hasCommon ? rooms.filter((room) => !EVERYWHERE.includes(room)) : rooms);
  return [...(hasCommon ? ['common rooms'] : []), ...(others === '' ? [] : [others])].join(', ');
}

const commands = Object.entries<CommandTable>(COMMANDS).filter(([, { flags }]) => Object.keys(flags).length > 0);

const dialects = Object.entries<DialectEntry>(DIALECTS);

const TABLES: readonly PrintedTable[] = [
  ...PERFORMANCE_TABLES,
  ...PROBE_TABLES,
  {
    page: 'architecture',
    name: 'rooms',
    heads: ['Room', 'Purpose', 'May import', 'May also import types from'],
    rows: ROOMS.map(({ holds, purpose, may, mayType = [] }) => [
      code([holds]),
      purpose,
      withCommon(may),
      withCommon(mayType),
    ]),
  },
  {
    page: 'decisions',
    name: 'dialects',
    heads: ['Dialect', 'Section', 'Open point', 'We assume', 'We tolerate as well', 'How to pin it'],
    rows: dialects.map(([name, { section, unsaid, values, default: assumed, pin }]) => [
      code([name]),
      section,
      unsaid,
      code([assumed]),
      code(values.filter((value) => value !== assumed)),
      pin ?? 'nothing to do: all are read',
    ]),
  },
  {
    page: 'sandbox',
    name: 'magic',
    heads: ['external_id begins with', 'The order is'],
    rows: MAGIC_OUTCOMES.map(({ prefix, ends }) => [code([prefix]), ends]),
  },
  {
    page: 'sandbox',
    name: 'dialects',
    heads: ['Name', 'Open point', 'Values', 'What they mean', 'Section of the interface'],
    rows: dialects.map(([name, { section, unsaid, values, meaning }]) => [
      code([name]),
      unsaid,
      code(values),
      meaning ?? '',
      section,
    ]),
  },
  {
    page: 'cli',
    name: 'broken receivers',
    heads: ['Mistake of the receiver', 'Cause', 'Remedy'],
    rows: BROKEN_RECEIVERS.map(({ mistake, cause, remedy }) => [mistake, cause, remedy]),
  },
  {
    page: 'cli',
    name: 'broken environments',
    heads: ['Mistake of the environment', 'Finding', 'Remedy'],
    rows: BROKEN_ENVIRONMENTS.map(({ mistake, finding, remedy }) => [mistake, finding, code([remedy])]),
  },
  ...commands.map(([name, { terms = {}, flags }]) => ({
    page: 'cli',
    name: `flags of ${name}`,
    heads: ['Flag', 'Meaning'],
    rows: [
      ...Object.entries(terms),
      ...Object.entries(flags).map(([flag, { value = '', about }]) => [`--${flag} ${value}`.trim(), about] as const),
    ].map(([left, meaning]) => [code([left.replaceAll('|', '\\|')]), meaning]),
  })),
];

/** The pages that hold printed tables. */
export const PAGES: readonly string[] = [...new Set(TABLES.map(({ page }) => page))];

/** The text of a page with its tables written anew between their marks. Throws where a mark is missing. */
export function withTables(page: string, text: string): string {
  return TABLES.filter((table) => table.page === page).reduce((rest, { name, heads, rows }) => {
    const begin = `<!-- ${name}: begin, written by scripts/tables.ts -->`;
    const end = `<!-- ${name}: end -->`;
    const [start, stop] = [rest.indexOf(begin), rest.indexOf(end)];
    if (start < 0 || stop < start) throw new Error(`docs/${page}.md has no marks ${begin} … ${end}`);
    const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    return `${rest.slice(0, start + begin.length)}\n\n${lines.join('\n')}\n\n${rest.slice(stop)}`;
  }, text);
}

/** The file of a page. */
export const fileOf = (page: string): URL => new URL(`../docs/${page}.md`, import.meta.url);

if (import.meta.main) {
  for (const page of PAGES) writeFileSync(fileOf(page), withTables(page, readFileSync(fileOf(page), 'utf8')));
}
