import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../contract/values/hosts.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../sandbox/dialects.ts';
import { COMMON_FLAGS, type CommandTable } from './commands.ts';
import { messageOf, misuse } from './io.ts';

/**
 * Reads the words and flags of a command.
 *
 * @param typed The command as the user typed it.
 * @throws CliError for an unknown flag, a flag without its value, and a word too many.
 */
export function readArguments<const Flags extends ParseArgsOptionsConfig>(
  command: CommandTable & { readonly flags: Flags },
  args: readonly string[],
  typed: string,
) {
  const options: typeof COMMON_FLAGS & Flags = { ...COMMON_FLAGS, ...command.flags };
  const fix = `npx merchant-invoicing ${typed} --help`;
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    const extra = parsed.positionals[command.words];
    if (extra === undefined) return parsed;
    throw new Error(`${typed} does not take ${JSON.stringify(extra)}`);
  } catch (error) {
    const [message = ''] = messageOf(error).split(/\. To specify|\n/);
    const [, flag = ''] = /^Unknown option '--([^']*)'/.exec(message) ?? [];
    throw misuse(`${message.replace(/\.$/, '')}${meant(flag, Object.keys(options))}`, fix);
  }
}

/** An absolute http or https address. */
export function parseAddress(text: string | undefined, what: string, fix: string): string {
  if (text === undefined) throw misuse(`${what} is missing`, fix);
  const given = text.includes('@') ? '' : `, not ${JSON.stringify(text)}`; // user:password@host is shown to nobody
  if (isHttpAddress(text)) return text;
  throw misuse(`${what} must begin with http:// or https://${given}`, fix);
}

const SANDBOX_HELP = 'npx merchant-invoicing sandbox --help';

/** `name=value` flags as the dialect option of the sandbox, which refuses unknown values. */
export function parseDialect(flags: readonly string[]): Partial<Dialect> {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const chosen = flags.map((flag) => {
    const [name = '', ...rest] = flag.split('=');
    const text = rest.join('=');
    const entry = Object.hasOwn(table, name) ? table[name] : undefined;
    const hint = meant(name, Object.keys(table)) || '. All names: docs/sandbox.md';
    if (entry === undefined) throw misuse(`--dialect has no ${JSON.stringify(name)}${hint}`, SANDBOX_HELP);
    const { values } = entry;
    return [name, values.find((value) => String(value) === text) ?? text];
  });
  return Object.fromEntries(chosen) as Partial<Dialect>; // checked by the sandbox
}

/** The number of letters to insert, remove, replace or swap that turn one word into another. */
function distance(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const costs = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1)];
      next.push(Math.min(...costs, isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

/** `. Did you mean pay?` if a known word is close to the typed one, otherwise no text. */
export function meant(typed: string, known: readonly string[]): string {
  if (typed.length > 40) return '';
  const most = typed.length <= 3 ? 1 : 2;
  const [best] = known
    .map((word) => ({ word, cost: distance(typed.toLowerCase(), word) }))
    .filter(({ cost }) => cost <= most)
    .sort((a, b) => a.cost - b.cost);
  return best === undefined ? '' : `. Did you mean ${best.word}?`;
}
