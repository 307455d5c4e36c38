import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../../contract/values/scalars.ts';
import { messageOf } from '../../errors/notify.ts';
import { DIALECTS, type Dialect } from '../sandbox/dialects.ts';
import { shellWord } from '../shell.ts';
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
  const options: typeof COMMON_FLAGS & Flags = { ...command.flags, ...COMMON_FLAGS };
  const fix = `npx merchant-invoicing ${typed} --help`;
  try {
    const given = { args: [...args], options, allowPositionals: true };
    const { tokens } = parseArgs({ ...given, strict: false, tokens: true });
    const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(options, token.name));
    if (unknown?.kind === 'option') {
      const names = Object.keys(options).map((name) => `--${name}`);
      throw new Error(`Unknown option '${unknown.rawName}'. ${typed} has ${names.join(', ')}.`);
    }
    const parsed = parseArgs(given);
    const extra = parsed.positionals[command.words];
    if (extra === undefined) return parsed;
    const meant = command.extra === undefined ? '' : `. If you mean it so, write ${command.extra} ${shellWord(extra)}`;
    throw new Error(`${typed} does not take ${JSON.stringify(extra)}${meant}`);
  } catch (error) {
    throw misuse(messageOf(error), fix);
  }
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

/** Reads `--adjusted-absent`, the option of the receiver and of `reconcile`. */
export function parseAbsent(text: string | undefined, example: string): 'as_ordered' | undefined {
  if (text === undefined || text === 'as_ordered') return text;
  throw misuse(`--adjusted-absent takes as_ordered, not ${JSON.stringify(text)}`, `${example} --help all`);
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
