import { isMerchantError } from '../errors/classes.ts';
import { printable } from '../printable.ts';
import { VERSION } from '../version.ts';
import { helpFor } from './help.ts';
import { CliError, EXIT, type ExitCode, type Io, misuse } from './io.ts';
import { styleOf } from './style.ts';

export type Command = (args: readonly string[], io: Io) => Promise<ExitCode>;

/** Each command loads its own file, and nothing else starts before it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  sandbox: async () => (await import('./sandbox/command.ts')).sandboxCommand,
  webhooks: async () => (await import('./webhooks/command.ts')).webhooksCommand,
  openapi: async () => (await import('./openapi-command.ts')).openapiCommand,
  doctor: async () => (await import('./doctor/command.ts')).doctorCommand,
};

/** Runs one command line. Never throws: the answer is the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await run(argv, io);
  } catch (error) {
    return report(error, argv, io);
  }
}

async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (first === '--version' || first === '-v') {
    io.out(`${VERSION}\n`);
    return EXIT.fine;
  }
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    io.out(helpFor(first === 'help' ? rest : []));
    return EXIT.fine;
  }
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (load === undefined) throw misuse(`there is no command ${JSON.stringify(first)}`, 'merchant-invoicing --help');
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(helpFor([first, ...rest.filter((word) => !word.startsWith('-'))]));
    return EXIT.fine;
  }
  const command = await load();
  return command(rest, io);
}

function report(error: unknown, argv: readonly string[], io: Io): ExitCode {
  const known =
    error instanceof CliError
      ? error
      : new CliError(
          EXIT.misuse,
          error instanceof Error ? error.message : String(error),
          isMerchantError(error) ? `merchant-invoicing ${argv[0] ?? ''} --help` : 'merchant-invoicing doctor',
        );
  const message = printable(known.message);
  if (argv.includes('--json')) io.out(`${JSON.stringify({ ok: false, error: { message, mend: known.mend } })}\n`);
  else io.err(`${styleOf(io).bad('error')}: ${message}\n  try: ${printable(known.mend)}\n`);
  return known.exitCode;
}
