import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../../contract/values/scalars.ts';
import { DIALECTS, type Dialect } from '../sandbox/dialects.ts';
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
    const unknown = args.find((word) => /^--[^=]/.test(word) && !Object.hasOwn(options, nameOf(word)));
    if (unknown === undefined || !isUnknownOption(error)) throw misuse(messageOf(error), fix);
    const meant = nearest(nameOf(unknown), Object.keys(options));
    const hint = meant === null ? '' : `. Did you mean --${meant}?`;
    throw misuse(`${typed} does not take --${nameOf(unknown)}${hint}`, fix);
  }
}

function nameOf(flag: string): string {
  return flag.replace(/^--/, '').replace(/=.*$/s, '');
}

function isUnknownOption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
}

/** The name that a typed word was meant to be: one letter off, or two of a longer name. Null if there is none. */
export function nearest(word: string, names: readonly string[]): string | null {
  const [best] = names
    .map((name) => ({ name, off: lettersOff(word.slice(0, 40), name) }))
    .filter(({ name, off }) => off <= (name.length > 4 ? 2 : 1))
    .sort((a, b) => a.off - b.off);
  return best?.name ?? null;
}

/** How many letters have to be added, removed, changed, or swapped with the next one. */
function lettersOff(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column += 1) {
      const [here, there] = [from[row - 1], to[column - 1]];
      const isSwapped = row > 1 && column > 1 && here === to[column - 2] && from[row - 2] === there;
      const least = Math.min(
        cell(row - 1, column - 1) + (here === there ? 0 : 1),
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        isSwapped ? cell(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      rows[row]?.push(least);
    }
  }
  return cell(from.length, to.length);
}

/** Reads an http or https address. One with a password is refused, and not shown, because it would end up in logs. */
export function parseAddress(text: string | undefined, what: string, fix: string): string {
  if (text === undefined) throw misuse(`${what} is missing`, fix);
  if (hasPassword(text)) throw misuse(`${what} must have no user name and password in it`, fix);
  const given = text.includes('@') ? '' : `, not ${JSON.stringify(text)}`;
  if (isHttpAddress(text)) return text;
  throw misuse(`${what} must begin with http:// or https://${given}`, fix);
}

/** True for an address with credentials, also as the value of a flag: `--url=http://user:password@host`. */
export function hasPassword(word: string): boolean {
  return /(?:^|=)\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*@/i.test(word);
}

const SANDBOX_HELP = 'npx merchant-invoicing sandbox --help';

/** `name=value` flags as the dialect option of the sandbox, which refuses unknown values. */
export function parseDialect(flags: readonly string[]): Partial<Dialect> {
  const chosen = flags.map((flag) => {
    const [name = '', ...rest] = flag.split('=');
    if (!Object.hasOwn(DIALECTS, name)) {
      throw misuse(`--dialect has no ${JSON.stringify(name)}. All names: docs/sandbox.md`, SANDBOX_HELP);
    }
    return [name, rest.join('=')];
  });
  return Object.fromEntries(chosen) as Partial<Dialect>; // checked by the sandbox
}
