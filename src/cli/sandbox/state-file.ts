import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isObject } from '../../contract/json.ts';
import { isMerchantError } from '../../errors/guards.ts';
import type { Sandbox, SandboxState } from '../../sandbox/index.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { parseState } from '../../sandbox/state/saved-state.ts';
import { finding, messageOf, misuse } from '../io.ts';
import { writeAtomically } from '../write-atomically.ts';

// `--state FILE`: one running sandbox keeps the file. `FILE.lock` names its process and its address.

/** The sandbox that keeps a state file. `url` is empty until it listens. */
interface Holder {
  readonly pid: number;
  readonly url: string;
}

/** Reserves, reads and writes a state file. */
export interface StateFile {
  /** The saved state, or undefined if the file does not exist yet. */
  readonly state: SandboxState | undefined;
  /** Writes the address into the lock, so that actions with `--state` find this sandbox. */
  tell(url: string): void;
  release(): void;
}

/** The files that this process keeps. A container gives the id of a killed process to the next one. */
const OWN = new Set<string>();

/**
 * Reserves a state file for this process and reads it: two sandboxes on one file would overwrite each other's invoices.
 * The lock of a process that has ended is taken over.
 *
 * @throws CliError if another sandbox keeps the file, or if it cannot be read or written.
 */
export function openState(path: string): StateFile {
  const lock = `${path}.lock`;
  const write = (url: string, flag: 'w' | 'wx'): void =>
    writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { flag, mode: 0o600 });
  try {
    const holder = runningHolder(path);
    if (holder !== null) throw keptBy(path, holder);
    rmSync(lock, { force: true }); // of a process that has ended
    write('', 'wx');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'EEXIST') throw keptBy(path, runningHolder(path)); // created since the line before
    throw misuse(
      `--state ${path} cannot be written: ${error.message}`,
      'npx merchant-invoicing sandbox --state sandbox.json',
    );
  }
  OWN.add(lock);
  const release = (): void => {
    OWN.delete(lock);
    rmSync(lock, { force: true });
  };
  try {
    return { state: readState(path), tell: (url) => write(url, 'w'), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The address of the sandbox that keeps a state file. @throws CliError if no running one does. */
export function addressOfState(path: string): string {
  const holder = runningHolder(path);
  if (holder !== null && holder.url !== '') return holder.url;
  throw finding(`no running sandbox keeps ${path}`, `npx merchant-invoicing sandbox --state ${shellWord(path)}`);
}

function runningHolder(path: string): Holder | null {
  const lock = `${path}.lock`;
  if (!existsSync(lock)) return null;
  const { pid, url } = parsed(readFileSync(lock, 'utf8'));
  if (typeof pid !== 'number' || typeof url !== 'string') return null; // half written, or of another program
  return isRunning(pid, lock) ? { pid, url } : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isRunning(pid: number, lock: string): boolean {
  if (pid === process.pid) return OWN.has(lock);
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function keptBy(path: string, holder: Holder | null): Error {
  const at = holder === null || holder.url === '' ? '' : ` at ${holder.url}`;
  const who = holder === null ? 'another sandbox' : `the sandbox${at} (pid ${holder.pid})`;
  return misuse(
    `--state ${path} is kept by ${who}. If that process is not a sandbox, remove ${path}.lock`,
    `npx merchant-invoicing sandbox status --state ${shellWord(path)}`,
  );
}

function readState(path: string): SandboxState | undefined {
  if (!existsSync(path)) return undefined;
  const fix = `mv ${shellWord(path)} ${shellWord(`${path}.old`)} && npx merchant-invoicing sandbox --state ${shellWord(path)}`;
  try {
    return parseState(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const problem = isMerchantError(error) || !(error instanceof SyntaxError) ? messageOf(error) : 'it is not JSON';
    throw misuse(`--state ${path} cannot be read: ${problem}`, fix);
  }
}

/** Milliseconds between a change and its write. */
const MIN_WAIT = 50;
/** Waits ten times as long as a write takes, so that a large file does not slow the sandbox down. */
const WAIT_FACTOR = 10;

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
