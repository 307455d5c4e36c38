// Acts on a sandbox that runs in another process, by one request for each action.
import { isHttpAddress, isLoopback } from '../../../contract/values/scalars.ts';
import {
  ACTIONS,
  type ActionFields,
  type ActionName,
  type ActionResult,
  isActionName,
  isOrderAction,
} from '../../sandbox/actions.ts';
import { shellWord } from '../../shell.ts';
import { parseAddress, readArguments } from '../arguments.ts';
import { COMMANDS, type Flag } from '../commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse, unfulfilled, unreachable } from '../io.ts';
import { jsonLine, lineText, styleOf } from '../terminal.ts';

const START = 'npx merchant-invoicing sandbox';
const OTHER = `${START}   # or name the one that runs, with --url`;

/** True for the name of an action. Throws for another word that is no flag. */
export function isAction(word: string): word is ActionName {
  if (isActionName(word)) return true;
  if (word === '' || word.startsWith('-')) return false;
  const names = Object.keys(ACTIONS).join(', ');
  throw misuse(`sandbox has no action ${JSON.stringify(word)}. It has ${names}.`, `${START} pay --help`);
}

/** `sandbox pay order-1042` and the like: acts on the sandbox at `--url`. */
export async function actOnSandbox(name: ActionName, args: readonly string[], io: Io): Promise<ExitCode> {
  const { words, options = [] } = ACTIONS[name];
  const meant = options.includes('amount') ? { extra: '--amount' } : {};
  const table = { ...COMMANDS['sandbox action'], words: words.length, ...meant };
  const { values, positionals } = readArguments(table, args, `sandbox ${name}`);
  const fix = [START, name, ...words.map(({ example }) => example)].join(' ').trim();
  const url = parseAddress(values.url ?? usualSandbox(io.env), '--url', fix).replace(/\/+$/, '');
  const needed = words.filter(({ isOptional }) => !isOptional).map(({ needs }) => needs);
  if (positionals.length < needed.length) throw misuse(`${name} needs ${needed.join(' and ')}`, fix);
  const fields: Record<string, string | undefined> = {};
  for (const [index, { field }] of words.entries()) fields[field] = positionals[index];
  const given: Readonly<Record<string, unknown>> = values;
  for (const [flag, { field }] of Object.entries<Flag>(table.flags)) {
    const value = given[flag];
    if (field === undefined || value === undefined || value === false) continue;
    // An empty value comes from a variable that is not set. The sandbox would read it as absent, as in a form.
    if (value === '') throw misuse(`--${flag} is empty`, fix);
    if (!options.includes(field)) throw misuse(`${name} does not take --${flag}`, fix);
    fields[field] = String(value);
  }
  const done = await performAction(url, name, fields);
  const style = styleOf(io);
  io.out(values.json ? jsonLine(done.result) : done.lines.map((line) => `${lineText(line, style)}\n`).join(''));
  return EXIT.fine;
}

/** The sandbox where no flag names one: MERCHANT_BASE_URL if it is on this machine, else the usual port. */
export function usualSandbox({ MERCHANT_BASE_URL: url }: Io['env']): string {
  return isHttpAddress(url) && isLoopback(new URL(url).hostname) ? url : 'http://127.0.0.1:4010';
}

/**
 * Performs an action on a running sandbox.
 *
 * @throws CliError if no sandbox listens there, or if it refuses.
 */
export async function performAction(url: string, action: string, fields: ActionFields): Promise<ActionResult> {
  const Accept = 'application/json';
  const post = { method: 'POST', headers: { Accept, 'Content-Type': Accept }, body: JSON.stringify(fields) };
  // The status is read with GET, because it changes nothing.
  const init = action === 'status' ? { headers: { Accept } } : post;
  let response: Response;
  try {
    response = await fetch(`${url.replace(/\/+$/, '')}/_/${action}`, { ...init, redirect: 'manual' });
  } catch {
    throw new CliError(EXIT.unreachable, unreachable(`no sandbox listens at ${url}`), OTHER);
  }
  const isSandbox = response.headers.has('x-sandbox');
  const body = (isSandbox ? await response.json().catch(() => null) : null) as Partial<ActionResponse> | null; // checked below
  if (body?.ok === true && Array.isArray(body.lines)) return { result: body.result, lines: body.lines };
  if (body?.ok === false) {
    // Suggests `status`, which lists the orders, if the order is the only argument that can be wrong.
    const isOfOrder = isOrderAction(action) && Object.values(fields).filter(Boolean).length === 1;
    const status = `${START} status --url ${shellWord(url)}`;
    throw unfulfilled(body.error?.message ?? 'the sandbox refused', isOfOrder ? status : null);
  }
  const problem = `what answers at ${url} is not a sandbox of this version`;
  throw new CliError(EXIT.unreachable, unreachable(problem), OTHER);
}

interface ActionResponse extends ActionResult {
  readonly ok: boolean;
  readonly error: { readonly message?: string };
}
