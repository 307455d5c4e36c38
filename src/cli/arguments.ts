import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { misuse } from './io.ts';

/** Flags that every command has. */
const EVERYWHERE = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** The words and flags of one command. `usage` is the command that shows its help. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  command: string,
) {
  const mend = `merchant-invoicing ${command} --help`;
  try {
    return parseArgs({ args: [...args], options: { ...EVERYWHERE, ...options }, allowPositionals: true, strict: true });
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split(/\. To specify|\n/);
    throw misuse(message.replace(/\.$/, ''), mend);
  }
}

/** A port from 0 to 65535. */
export function portFrom(text: string, mend: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw misuse(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, mend);
}

/** An absolute http or https address. */
export function addressFrom(text: string | undefined, what: string, mend: string): string {
  if (text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw misuse(
    text === undefined
      ? `${what} is missing`
      : `${what} must begin with http:// or https://, not ${JSON.stringify(text)}`,
    mend,
  );
}
