import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../../contract/values/scalars.ts';
import { messageOf } from '../../errors/notify.ts';
import { DIALECTS, type Dialect } from '../sandbox/dialects.ts';
import { COMMON_FLAGS, type CommandTable } from './commands.ts';
import { misuse } from './io.ts';

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
    throw misuse(messageOf(error), fix);
  }
}

/**
 * Returns ` Did you mean NAME?` for the nearest name that differs in at most two letters, otherwise an empty text.
 */
export function didYouMean(word: string, names: readonly string[]): string {
  const off = names.map((name) => ({ name, letters: lettersOff(word.slice(0, 40), name) }));
  const [best] = off.filter(({ letters }) => letters <= 2).sort((a, b) => a.letters - b.letters);
  return best === undefined ? '' : ` Did you mean ${best.name}?`;
}

/** How many letters have to be added, removed or changed. */
function lettersOff(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [place, letter] of [...from].entries()) {
    const next = [place + 1];
    for (const [at, other] of [...to].entries()) {
      const kept = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
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
