import { readArguments } from '../../src/cli/arguments.ts';
import { COMMANDS, type CommandTable } from '../../src/cli/commands.ts';
import { messageOf } from '../../src/cli/io.ts';
import { isAction } from '../../src/cli/sandbox/actions.ts';

/** A command line of a page, from `npx` or `npm` on. */
export interface CommandLine {
  readonly line: number;
  readonly text: string;
}

const BLOCKS = /^( *)(`{3,}) ?(\w*)[^\n]*\n([\s\S]*?)^ *\2 *$/gm;

/** The command lines of this package, and of npm, in code of a page: in blocks of commands, and inline. */
export function commandLinesOf(text: string): CommandLine[] {
  const lineOf = (index: number): number => text.slice(0, index).split('\n').length;
  const found: CommandLine[] = [];
  const add = (code: string, line: number): void => {
    const [, command = ''] = /\b(np[xm] .*)$/.exec(code) ?? [];
    if (/^(?:npx (?:--yes |-y )?merchant-invoicing\b|npm run )/.test(command)) found.push({ line, text: command });
  };
  const prose = text.replace(BLOCKS, (block, _, _fence, language: string, code: string, index: number) => {
    if (['sh', 'console', 'text', 'yaml', ''].includes(language)) {
      code.split('\n').forEach((each, at) => {
        add(each, lineOf(index) + 1 + at);
      });
    }
    return block.replace(/[^\n]/g, ' ');
  });
  for (const { 1: code = '', index } of prose.matchAll(/`([^`\n]+)`/g)) add(code, lineOf(index));
  return found;
}

/** What is wrong with a command line: with its words and flags by the help, or with the name of a script. */
export function faultOf(text: string, scripts: readonly string[]): string | null {
  const [program = '', ...words] = wordsOf(text);
  if (program === 'npm') {
    const script = words.filter((word) => !/^(?:run|-s|--silent)$/.test(word))[0] ?? '';
    return scripts.includes(script) ? null : `there is no script ${script}`;
  }
  const args = words.slice(words.indexOf('merchant-invoicing') + 1);
  const [first = '', second = ''] = args;
  if (first === '' || first === '…' || first === '--help' || first === '--version' || first === 'help') return null;
  const tables: Readonly<Record<string, CommandTable>> = COMMANDS;
  const isOnSandbox = first === 'sandbox' && second !== '' && !second.startsWith('-');
  const named = [isOnSandbox ? 'sandbox action' : `${first} ${second}`, first].find((name) =>
    Object.hasOwn(tables, name),
  );
  const table = tables[named ?? ''];
  if (named === undefined || table === undefined) return `there is no command ${first} ${second}`.trimEnd();
  const unknown = isOnSandbox ? second.split('|').find((action) => !isAction(action)) : undefined;
  if (unknown !== undefined) return `sandbox has no action ${unknown}`;
  const needed = { 'webhooks check': 1, 'webhooks send': 2 }[named] ?? 0;
  try {
    const { positionals } = readArguments(table, args.slice(named === first ? 1 : 2), named);
    return positionals.length < needed ? `${named} needs ${needed} words` : null;
  } catch (error) {
    return messageOf(error);
  }
}

/** The words of one command, without what a shell does behind it. */
function wordsOf(text: string): string[] {
  const [command = ''] = text.split(/\s(?:[|<>&;#]|&&|\d>)(?:\s|$)/);
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
