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

/** True if at most `edits` letters inserted, removed, replaced or swapped turn one word into the other. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits === 0) return a === b;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const [x, y] = [a.slice(at), b.slice(at)];
  const isSwap = x[0] === y[1] && x[1] === y[0];
  const pairs = [
    [x.slice(1), y],
    [x, y.slice(1)],
    [x.slice(1), y.slice(1)],
    ...(isSwap ? [[x.slice(2), y.slice(2)]] : []),
  ];
  return pairs.some(([left = '', right = '']) => isNear(left, right, edits - 1));
}

/** `. Did you mean pay?` if a known word is close to the typed one, otherwise no text. */
export function meant(typed: string, known: readonly string[]): string {
  const edits = typed.length <= 3 ? [1] : [1, 2];
  const [best] = edits.flatMap((most) => known.filter((word) => isNear(typed.toLowerCase(), word, most)));
  return best === undefined ? '' : `. Did you mean ${best}?`;
}
