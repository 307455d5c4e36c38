import { readFileSync } from 'node:fs';
import { loopbackProxyRemedy } from '../../errors/environment.ts';

/** The parts of the process that the command line uses. Tests pass a substitute. */
export interface Io {
  /** Writes to standard output, unchanged. */
  readonly out: (text: string) => void;
  /** Writes to standard error, unchanged. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Whether a person can type into standard input. */
  readonly isInputTerminal: boolean;
  /** Standard input, piece by piece. */
  readonly input: () => AsyncIterable<Uint8Array>;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

/** Exit codes. @see [docs/cli.md](../../../docs/cli.md) */
export const EXIT = { fine: 0, finding: 1, misuse: 2, unreachable: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command line with an exit code and a message. `fix` is the command that helps, or null where none does. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly fix: string | null;

  constructor(exitCode: ExitCode, message: string, fix: string | null) {
    super(message);
    this.exitCode = exitCode;
    this.fix = fix;
  }
}

/** A problem with an address of this machine, and what to set where a proxy of the environment may be in between. */
export function unreachable(problem: string): string {
  const remedy = loopbackProxyRemedy();
  return remedy === null ? problem : `${problem}. ${remedy}`;
}

/** The error for wrong usage. */
export function misuse(message: string, fix: string): CliError {
  return new CliError(EXIT.misuse, message, fix);
}

/** The bytes of a file that a flag names. */
export function fileBytes(path: string, fix: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw misuse(`cannot read ${path}`, fix);
  }
}

/** The error for a request that is right, but cannot be fulfilled, such as an order that does not exist. */
export function unfulfilled(message: string, fix: string | null): CliError {
  return new CliError(EXIT.finding, message, fix);
}
