import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { isHttpAddress } from '../contract/values/hosts.ts';
import { type Dialect, dialectValue } from '../sandbox/dialects.ts';
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
    throw misuse(message.replace(/\.$/, ''), fix);
  }
}

/** An absolute http or https address. */
export function parseAddress(text: string | undefined, what: string, fix: string): string {
  if (text === undefined) throw misuse(`${what} is missing`, fix);
  const given = text.includes('@') ? '' : `, not ${JSON.stringify(text)}`; // user:password@host is shown to nobody
  if (isHttpAddress(text)) return text;
  throw misuse(`${what} must begin with http:// or https://${given}`, fix);
}

/** `name=value` flags as the dialect option of the sandbox, which refuses unknown names and values. */
export function parseDialect(flags: readonly string[]): Partial<Dialect> {
  const chosen = flags.map((flag) => {
    const [, name = '', text = ''] = /^([^=]*)=?(.*)$/s.exec(flag) ?? [];
    return [name, dialectValue(name, text)];
  });
  return Object.fromEntries(chosen) as Partial<Dialect>; // checked by the sandbox
}
