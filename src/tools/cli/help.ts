import { COMMANDS, COMMON_FLAGS, type CommandTable, type Flag } from './commands.ts';

const TABLES: Readonly<Record<string, CommandTable>> = COMMANDS;

/** The help of a command on one screen, or the overview if there is no such command. `hasAll` adds the rare flags. */
export function helpFor(words: readonly string[], hasAll = false): string {
  const [first = '', second = ''] = words;
  const name = first === 'sandbox' && second !== '' ? 'sandbox action' : `${first} ${second}`.trim();
  const found = [name, first, `${first} check`].find((each) => Object.hasOwn(TABLES, each));
  const table = TABLES[found ?? ''];
  return table === undefined ? overview() : helpOf(table, hasAll);
}

function overview(): string {
  const rows = Object.values(TABLES).flatMap((table) => Object.entries(table.overview));
  return `Example
  npx merchant-invoicing sandbox      a payment service on this machine

Commands
${linesOf(rows)}
Everywhere  --json  for scripts   --help  for more    NO_COLOR is respected
Exit code   0 fine   1 finding   2 misuse   3 cannot reach
`;
}

function helpOf({ example, terms = {}, flags, notes }: CommandTable, hasAll: boolean): string {
  const { help: _, ...common } = COMMON_FLAGS;
  const all = Object.entries<Flag>({ ...flags, ...common, ...flags });
  const shown = all.filter(([, { isRare }]) => hasAll || !isRare);
  const rows = [
    ...Object.entries(terms),
    ...shown.map(([name, { value, about }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about] as const),
  ];
  if (shown.length < all.length) rows.push(['--help all', `shows ${all.length - shown.length} more flags`]);
  const end = notes === undefined ? '' : `\n${notes}\n`;
  return `Example\n  ${example}\n\n${linesOf(rows)}${end}`;
}

function linesOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${`  ${left.padEnd(width)}  ${right}`.trimEnd()}\n`).join('');
}
