import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isMerchantError } from '../../errors/classes.ts';
import type { Sandbox, SandboxState } from '../../sandbox/index.ts';
import { parseState } from '../../sandbox/state/saved-state.ts';
import { misuse } from '../io.ts';

const SHORTEST_WAIT = 50;
/** Writing takes at most this share of the time, however large the file grows. */
const SHARE = 10;

/** What the file holds; undefined when there is none yet. */
export function readState(path: string): SandboxState | undefined {
  if (!existsSync(path)) {
    try {
      accessSync(dirname(path), constants.W_OK);
    } catch (error) {
      throw misuse(
        `--state ${path} cannot be written: ${messageOf(error)}`,
        'merchant-invoicing sandbox --state sandbox.json',
      );
    }
    return undefined;
  }
  const mend = `mv ${path} ${path}.old && merchant-invoicing sandbox --state ${path}`;
  try {
    return parseState(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const problem = isMerchantError(error) || !(error instanceof SyntaxError) ? messageOf(error) : 'it is not JSON';
    throw misuse(`--state ${path} cannot be read: ${problem}`, mend);
  }
}

/** Keeps a file as the sandbox is. */
export interface StateKeeper {
  /** Something has changed: written soon, several changes at once. */
  touch(): void;
  /** Writes now. */
  flush(): void;
}

/** `say` is told when the file cannot be written, and when somebody else writes it, too. */
export function keepState(path: string, sandbox: Sandbox, say: (line: string) => void): StateKeeper {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = SHORTEST_WAIT;
  let written: number | null = null;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const began = performance.now();
    try {
      if (written !== null && statSync(path, { throwIfNoEntry: false })?.mtimeMs !== written) {
        say(`${path} was changed by something else, another sandbox perhaps; it is overwritten`);
      }
      writeAtomically(path, JSON.stringify(sandbox.state()));
      written = statSync(path).mtimeMs;
    } catch (error) {
      say(`${path} cannot be written: ${messageOf(error)}`);
    }
    wait = Math.max(SHORTEST_WAIT, (performance.now() - began) * SHARE);
  };
  return {
    touch() {
      timer ??= setTimeout(flush, wait);
    },
    flush,
  };
}

/** A reader sees the old file or the new one, never half of it, even when the power fails. */
function writeAtomically(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(draft, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
