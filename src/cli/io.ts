/** What the command line touches of its process; tests hand in their own. */
export interface Io {
  /** Standard output, as is. */
  readonly out: (text: string) => void;
  /** Standard error, as is. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Null where there is no terminal to read keys from. */
  readonly keyboard: Keyboard | null;
  /** Shows an address in the browser, if there is one. */
  readonly open: (url: string) => void;
  /** Everything that comes in on standard input. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Aborted by Ctrl-C and by a polite request to end. */
  readonly signal: AbortSignal;
}

/** Single keys, without waiting for Enter. */
export interface Keyboard {
  /** Calls `press` for each key until the answer is called. */
  listen(press: (key: string) => void): () => void;
}

/** Exit codes. @see [docs/cli.md](../../docs/cli.md) */
export const EXIT = { fine: 0, finding: 1, misuse: 2, unreachable: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An end with a message. The message says what is wrong, `mend` is the command that helps. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly mend: string;

  constructor(exitCode: ExitCode, message: string, mend: string) {
    super(message);
    this.exitCode = exitCode;
    this.mend = mend;
  }
}

/** The usage is wrong. */
export function misuse(message: string, mend: string): CliError {
  return new CliError(EXIT.misuse, message, mend);
}
