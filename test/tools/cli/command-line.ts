import type { ExitCode, Io } from '../../../src/tools/cli/io.ts';
import { main } from '../../../src/tools/cli/main.ts';

export interface Said {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly isTerminal?: boolean;
}

/** Runs a command line to its end, inside this process. */
export async function cli(args: readonly string[], setting: Setting = {}): Promise<Said> {
  const run = start(args, setting);
  return { code: await run.ended, out: run.out(), err: run.err() };
}

/** A command line that runs on. */
export interface Running {
  readonly ended: Promise<ExitCode>;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when standard output or error holds the text. */
  until(text: string): Promise<void>;
  /** Ctrl-C from outside. */
  interrupt(): void;
}

export function start(args: readonly string[], { env = {}, input = '', isTerminal = false }: Setting = {}): Running {
  let [out, err] = ['', ''];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const wake of waiting) wake();
  };
  const signal = new AbortController();
  const io: Io = {
    out(text) {
      out += text;
      look();
    },
    err(text) {
      err += text;
      look();
    },
    env,
    isTerminal,
    isInputTerminal: isTerminal,
    input: async function* () {
      yield Buffer.from(input);
    },
    signal: signal.signal,
  };
  const ended = main(args, io);
  return {
    ended,
    out: () => out,
    err: () => err,
    until: (text) =>
      new Promise((resolve, reject) => {
        const wake = (): void => {
          if (!out.includes(text) && !err.includes(text)) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        void ended.then(() => reject(new Error(`ended without saying ${text}:\n${out}${err}`)));
        wake();
      }),
    interrupt: () => signal.abort(),
  };
}

/** The first line of standard output, as the JSON it is. */
export function firstLine(out: string): { baseUrl: string; apiKey: string; webhookSecret: string; dashboard: string } {
  return JSON.parse(out.slice(0, out.indexOf('\n')));
}

/** A pattern of the whole text, in which `…` stands for any text. */
export function patternOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
}
