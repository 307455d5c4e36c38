import { printable } from '../../printable.ts';
import { ACTIONS, isActionName } from '../../sandbox/actions.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { parseAddress, readArguments } from '../arguments.ts';
import { COMMANDS } from '../commands.ts';
import { EXIT, type ExitCode, type Io, misuse } from '../io.ts';
import { meant } from '../meant.ts';
import { jsonLine } from '../report.ts';
import { command, followEvents } from './control.ts';
import { confirmed } from './keyboard.ts';
import { addressOfState } from './state-file.ts';

/** The field of an action that each flag fills in. */
const FLAG_FIELDS = { id: 'external_id', customer: 'customer_id', callback: 'callback_url', method: 'method' } as const;

export function isAction(word: string): boolean {
  return word === 'events' || isActionName(word);
}

/** Throws for a word that is neither an action nor a flag. */
export function refuseUnknownAction(word: string): void {
  if (word === '' || word.startsWith('-')) return;
  const names = [...Object.keys(ACTIONS), 'events'];
  throw misuse(
    `sandbox has no action ${JSON.stringify(word)}${meant(word, names) || `, only ${names.join(', ')}`}`,
    'npx merchant-invoicing sandbox pay --help',
  );
}

/** `sandbox pay order-1042` and the like: acts on the sandbox at `--url`, or on the one that keeps the file of `--state`. */
export async function actOnSandbox(name: string, args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = readArguments(COMMANDS['sandbox action'], args, `sandbox ${name}`);
  const { words, options = [] } = isActionName(name) ? ACTIONS[name] : { words: [] };
  const fix = ['npx merchant-invoicing sandbox', name, ...words.map(({ example }) => example)].join(' ').trim();
  const address = values.state === undefined ? values.url : addressOfState(values.state);
  const url = parseAddress(address, '--url', fix).replace(/\/+$/, '');
  const needed = words.filter(({ isOptional }) => !isOptional).map(({ needs }) => needs);
  if (positionals.length < needed.length) throw misuse(`${name} needs ${needed.join(' and ')}`, fix);
  const extra = positionals[words.length];
  if (extra !== undefined) throw misuse(`${name} does not take ${JSON.stringify(extra)}`, fix);
  const fields: Record<string, string | undefined> = {};
  for (const [index, { field }] of words.entries()) fields[field] = positionals[index];
  for (const [flag, field] of Object.entries(FLAG_FIELDS) as [keyof typeof FLAG_FIELDS, string][]) {
    const value = values[flag];
    if (value === undefined) continue;
    // An empty one comes from a variable that is not set. A form means "none given" by it.
    if (value === '') throw misuse(`--${flag} is empty`, fix);
    if (!options.includes(field)) throw misuse(`${name} does not take --${flag}`, fix);
    fields[field] = value;
  }
  if (name === 'events') return followEvents(url, values.json, io);
  if (name === 'reset' && !values.yes) {
    if (io.keyboard === null) {
      throw misuse('reset asks on a terminal, and here is none', `${fix} --url ${shellWord(url)} --yes`);
    }
    if (!(await confirmed(`Remove everything in the sandbox at ${url}?`, io.keyboard, io.out))) {
      io.out(values.json ? jsonLine({ reset: false }) : 'nothing was changed\n');
      return EXIT.fine;
    }
  }
  const { result, text } = await command(url, name, fields);
  io.out(values.json ? jsonLine(result) : `${text.split('\n').map(printable).join('\n')}\n`);
  return EXIT.fine;
}
