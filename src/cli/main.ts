// The command line. Each command loads its file when it runs. May import the sandbox, the webhooks and the contract,
// and the client where a command needs it.
import { isMerchantError } from '../errors/guards.ts';
import { printable } from '../printable.ts';
import { VERSION } from '../version.ts';
import { helpFor } from './help.ts';
import { CliError, EXIT, type ExitCode, type Io, messageOf, misuse } from './io.ts';
import { meant } from './meant.ts';
import { withFlag } from './option-flags.ts';
import { jsonLine, styleOf } from './report.ts';

type Command = (args: readonly string[], io: Io) => Promise<ExitCode>;

const RUN: Readonly<Record<string, () => Promise<Command>>> = {
  sandbox: async () => (await import('./sandbox/command.ts')).sandboxCommand,
  'webhooks check': async () => (await import('./webhooks/check.ts')).webhooksCheck,
  'webhooks send': async () => (await import('./webhooks/send.ts')).webhooksSend,
  'webhooks verify': async () => (await import('./webhooks/verify.ts')).webhooksVerify,
  reconcile: async () => (await import('./reconcile/command.ts')).reconcileCommand,
  doctor: async () => (await import('./doctor/command.ts')).doctorCommand,
};

/** Runs one command line. Never throws: the result is the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const hide = withoutPasswords([...argv, ...Object.values(io.env)]);
  const shown: Io = { ...io, out: (text) => io.out(hide(text)), err: (text) => io.err(hide(text)) };
  try {
    return await run(argv, shown);
  } catch (error) {
    return reportError(error, argv, shown);
  }
}

/** Removes the credentials of the addresses that the user typed or set, as typed and as `URL` writes them. */
function withoutPasswords(words: readonly (string | undefined)[]): (text: string) => string {
  const found = words.flatMap((word = '') => {
    const [, typed] = /:\/\/([^/?#\\]*@)/.exec(word) ?? [];
    if (typed === undefined) return [];
    const address = word.slice(word.search(/[a-z][a-z0-9+.-]*:\/\//i));
    const { username = '', password = '' } = URL.canParse(address) ? new URL(address) : {};
    return [typed, `${username}:${password}@`, `${username}@`];
  });
  return (text) => found.reduce((rest, secret) => rest.replaceAll(`//${secret}`, '//'), text);
}

async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first, second = '', ...rest] = argv;
  if (first === '--version' || first === '-v') {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    io.out(helpFor(first === 'help' ? argv.slice(1) : []));
    return EXIT.fine;
  }
  const names = Object.keys(RUN).filter((name) => name === first || name.startsWith(`${first} `));
  if (names.length === 0)
    throw misuse(
      `there is no command ${JSON.stringify(first)}${meant(first, commandNames())}`,
      'npx merchant-invoicing --help',
    );
  const help = argv.findIndex((word) => word === '--help' || word === '-h');
  if (help !== -1) {
    const hasAll = argv[help + 1] === 'all';
    const words = hasAll ? argv.slice(0, help) : argv;
    io.out(
      helpFor(
        words.filter((word) => !word.startsWith('-')),
        hasAll,
      ),
    );
    return EXIT.fine;
  }
  const name = names.find((each) => each === first || each === `${first} ${second}`);
  const load = name === undefined ? undefined : RUN[name];
  if (load === undefined)
    throw misuse(
      `${first} ${second === '' ? 'needs an action' : `has no action ${JSON.stringify(second)}`}: ${names.join(', ')}${meant(second, actionsOf(first))}`,
      `npx merchant-invoicing ${first} --help`,
    );
  const command = await load();
  return command(name === first ? argv.slice(1) : rest, io);
}

function commandNames(): string[] {
  return [...new Set(Object.keys(RUN).map((name) => name.split(' ')[0] ?? ''))];
}

function actionsOf(first: string): string[] {
  return Object.keys(RUN).flatMap((name) => (name.startsWith(`${first} `) ? name.slice(first.length + 1) : []));
}

function reportError(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const fallback = isMerchantError(error)
    ? `npx merchant-invoicing ${commandNames().includes(argv[0] ?? '') ? `${argv[0]} ` : ''}--help`
    : 'npx merchant-invoicing doctor';
  const { exitCode, message, fix } =
    error instanceof CliError ? error : new CliError(EXIT.misuse, messageOf(error), fallback);
  const text = printable(isMerchantError(error) ? withFlag(message) : message);
  if (argv.includes('--json')) io.out(jsonLine({ ok: false, error: { message: text, fix } }));
  else io.err(`${styleOf(io).bad('error')}: ${text}\n  try: ${printable(fix)}\n`);
  return exitCode;
}
