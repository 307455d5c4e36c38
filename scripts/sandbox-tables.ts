// Writes the tables of docs/sandbox.md that come from the code: `node scripts/sandbox-tables.ts`. A test compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DIALECTS, MAGIC_OUTCOMES } from '../src/sandbox/index.ts';

const FILE = new URL('../docs/sandbox.md', import.meta.url);

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const value = (text: string | number): string => (text === '' ? '(empty)' : `\`${text}\``);

const TABLES: Readonly<Record<string, string>> = {
  magic: table(
    ['external_id begins with', 'The order is'],
    MAGIC_OUTCOMES.map(({ prefix, ends }) => [`\`${prefix}\``, ends]),
  ),
  dialects: table(
    ['Name', 'Values', 'Section of the interface'],
    Object.entries(DIALECTS).map(([name, { values, section }]) => [
      `\`${name}\``,
      values.map(value).join(', '),
      section.replaceAll('|', '\\|'),
    ]),
  ),
};

/** The page with its tables made anew. */
export function withTables(page: string): string {
  return Object.entries(TABLES).reduce(
    (text, [name, made]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, start: string, end: string) => `${start}\n${made}\n\n${end}`,
      ),
    page,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(FILE, withTables(readFileSync(FILE, 'utf8')));
}
