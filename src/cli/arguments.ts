import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../contract/values/hosts.ts';
import { DIALECTS, type Dialect, type DialectEntry } from '../sandbox/dialects.ts';
import { COMMON_FLAGS, type CommandTable } from './commands.ts';
import { messageOf, misuse } from './io.ts';
import { meant } from './meant.ts';

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

/** A port from 0 to 65535. */
export function parsePort(text: string, fix: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw misuse(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, fix);
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
