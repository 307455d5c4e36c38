import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMerchantError } from '../../errors/guards.ts';
import type { Sandbox, SandboxState } from '../../sandbox/index.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { parseState } from '../../sandbox/state/saved-state.ts';
import { messageOf, misuse } from '../io.ts';
import { writeAtomically } from '../write-atomically.ts';

/** Milliseconds between a change and its write. */
const MIN_WAIT = 50;
/** Waits ten times as long as a write takes, so that a large file does not slow the sandbox down. */
const WAIT_FACTOR = 10;

/** Reads the state of a sandbox from a file, or undefined if the file does not exist yet. */
export function readState(path: string): SandboxState | undefined {
  if (!existsSync(path)) {
    try {
      accessSync(dirname(path), constants.W_OK);
    } catch (error) {
      throw misuse(
        `--state ${path} cannot be written: ${messageOf(error)}`,
        'npx merchant-invoicing sandbox --state sandbox.json',
      );
    }
    return undefined;
  }
  const fix = `mv ${shellWord(path)} ${shellWord(`${path}.old`)} && npx merchant-invoicing sandbox --state ${shellWord(path)}`;
  try {
    return parseState(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const problem = isMerchantError(error) || !(error instanceof SyntaxError) ? messageOf(error) : 'it is not JSON';
    throw misuse(`--state ${path} cannot be read: ${problem}`, fix);
  }
}

/** Writes the state of a sandbox to a file. */
export interface StateKeeper {
  /** Writes soon. Several changes are written at once. */
  touch(): void;
  /** Writes now. */
  flush(): void;
}

/** Calls `say` if the file cannot be written, and if another program has changed it. */
export function keepState(path: string, sandbox: Sandbox, say: (line: string) => void): StateKeeper {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = MIN_WAIT;
  let written: number | null = null;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const began = performance.now();
    try {
      if (written !== null && statSync(path, { throwIfNoEntry: false })?.mtimeMs !== written) {
        say(`${path} was changed by another program, perhaps by another sandbox, and is overwritten`);
      }
      writeAtomically(path, JSON.stringify(sandbox.state()));
      written = statSync(path).mtimeMs;
    } catch (error) {
      say(`${path} cannot be written: ${messageOf(error)}`);
    }
    wait = Math.max(MIN_WAIT, (performance.now() - began) * WAIT_FACTOR);
  };
  return {
    touch() {
      timer ??= setTimeout(flush, wait);
    },
    flush,
  };
}
