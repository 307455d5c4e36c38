// The command line. Each command loads its file when it runs.
import { isMerchantError } from '../../errors/guards.ts';
import { messageOf } from '../../errors/notify.ts';
import { printable } from '../../errors/printable.ts';
import { VERSION } from '../../errors/version.ts';
import { hasPassword } from './arguments.ts';
import { type COMMANDS, helpFor } from './commands.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse } from './io.ts';
import { jsonLine, styleOf, wrapped } from './terminal.ts';

type Command = (args: readonly string[], io: Io) => Promise<ExitCode>;

const COMMAND_FILES = {
  sandbox: async () => (await import('./sandbox/command.ts')).sandboxCommand,
  'webhooks check': async () => (await import('./webhooks/check-command.ts')).webhooksCheck,
  'webhooks send': async () => (await import('./webhooks/send-command.ts')).webhooksSend,
  'webhooks verify': async () => (await import('./webhooks/verify-command.ts')).webhooksVerify,
  order: async () => (await import('./order.ts')).orderCommand,
  reconcile: async () => (await import('./reconcile/command.ts')).reconcileCommand,
  doctor: async () => (await import('./doctor/command.ts')).doctorCommand,
} satisfies Record<Exclude<keyof typeof COMMANDS, 'sandbox action'>, () => Promise<Command>>;
const RUN: Readonly<Record<string, () => Promise<Command>>> = COMMAND_FILES; // by any word
const START = 'npx merchant-invoicing';

/** Runs one command line. Never throws: the result is the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    if (argv.some(hasPassword)) throw misuse('an address must have no user name and password in it', `${START} --help`);
    return await run(argv, io);
  } catch (error) {
    return reportError(error, argv, io);
  }
}

async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first = 'help', second = ''] = argv;
  if (first === '--version' || first === '-v') {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  const help = argv.findIndex((word) => word === '--help' || word === '-h');
  if (first === 'help' || help === 0 || (help > 0 && actionsOf(first).length > 0)) {
    const hasAll = help !== -1 && argv[help + 1] === 'all';
    const words = (hasAll ? argv.slice(0, help) : argv).filter((word) => word !== 'help' && !word.startsWith('-'));
    io.out(helpFor(words, hasAll));
    return EXIT.fine;
  }
  for (const [words, name] of [
    [1, first],
    [2, `${first} ${second}`],
  ] as const) {
    const load = Object.hasOwn(RUN, name) ? RUN[name] : undefined;
    if (load !== undefined) return (await load())(argv.slice(words), io);
  }
  const actions = actionsOf(first);
  if (actions.length === 0) {
    const names = new Set(Object.keys(RUN).map((name) => name.split(' ')[0]));
    throw misuse(
      `there is no command ${JSON.stringify(first)}. There are ${[...names].join(', ')}.`,
      `${START} --help`,
    );
  }
  const problem = second === '' ? 'needs an action' : `has no action ${JSON.stringify(second)}`;
  throw misuse(`${first} ${problem}. It has ${actions.join(', ')}.`, `${START} ${first} --help`);
}

/**
 * The second words of a command, such as `check`: one empty word for a command of a single word, none for an unknown
 * one.
 */
function actionsOf(first: string): string[] {
  const names = Object.keys(RUN).map((name) => name.split(' '));
  return names.flatMap(([word, action = '']) => (word === first ? [action] : []));
}

function reportError(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const [first = ''] = argv;
  const help = `${START} ${actionsOf(first).length > 0 ? `${first} ` : ''}--help`;
  const fallback = isMerchantError(error) ? help : null; // a bug, of which no command knows
  const { exitCode, message, fix } =
    error instanceof CliError ? error : new CliError(EXIT.misuse, messageOf(error), fallback);
  const text = printable(message);
  if (argv.includes('--json')) io.out(jsonLine({ ok: false, error: { message: text, fix } }));
  else {
    io.err(`${wrapped(text, 7, `${styleOf(io).bad('error')}: `)}\n`);
    if (fix !== null) io.err(`  try: ${printable(fix)}\n`);
  }
  return exitCode;
}
