// `--state FILE`: one running sandbox keeps the file. `FILE.lock` names its process and its address.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Sandbox, SandboxState } from '../../sandbox/index.ts';
import { parseState } from '../../sandbox/state/saved-state.ts';
import { shellWord } from '../../shell.ts';
import { isRunning, messageOf, misuse, unfulfilled } from '../io.ts';

/** A state file that this process keeps. */
export interface StateFile {
  /** The saved state, or undefined if the file does not exist yet. */
  readonly state: SandboxState | undefined;
  /** Begins to write the state of a sandbox. Actions with `--state` find it from now on. */
  keep(sandbox: Sandbox, url: string, say: (line: string) => void): void;
  /** Writes soon. Several changes are written at once. */
  touch(): void;
  /** Writes now. */
  flush(): void;
  release(): void;
}

/** The sandbox that keeps a state file. `url` is empty until it listens. */
interface Holder {
  readonly pid: number;
  readonly url: string;
}

/** The locks of this process. Its id alone proves nothing: in a container it can be that of the killed one before. */
const OWN = new Set<string>();

/** Milliseconds between a change and its write. */
const MIN_WAIT = 50;
/** Waits ten times as long as a write takes, so that a large file does not slow the sandbox down. */
const WAIT_FACTOR = 10;

/**
 * Reserves a state file for this process and reads it: two sandboxes on one file would overwrite each other's invoices.
 * The lock of a process that has ended is taken over.
 *
 * @throws CliError if another sandbox keeps the file, or if it cannot be read or written.
 */
export function openState(path: string): StateFile {
  const example = 'npx merchant-invoicing sandbox --state sandbox.json';
  if (path === '') throw misuse('--state needs the name of a file', example);
  const lock = `${path}.lock`;
  const writeLock = (url: string): void =>
    writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 });
  const holder = runningHolder(lock);
  if (holder !== null) {
    const who = `the sandbox${holder.url === '' ? '' : ` at ${holder.url}`} (pid ${holder.pid})`;
    throw misuse(
      `--state ${path} is kept by ${who}. If that process is not a sandbox, remove ${lock}`,
      `npx merchant-invoicing sandbox status --state ${shellWord(path)}`,
    );
  }
  const state = readState(path);
  try {
    writeLock('');
  } catch (error) {
    throw misuse(`--state ${path} cannot be written: ${messageOf(error)}`, example);
  }
  OWN.add(lock);

  let write = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = MIN_WAIT;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const began = performance.now();
    write();
    wait = Math.max(MIN_WAIT, (performance.now() - began) * WAIT_FACTOR);
  };
  return {
    state,
    keep(sandbox, url, say) {
      writeLock(url);
      write = () => {
        try {
          replaceFile(path, JSON.stringify(sandbox.state()));
        } catch (error) {
          say(`${path} cannot be written: ${messageOf(error)}`);
        }
      };
      flush();
    },
    touch() {
      timer ??= setTimeout(flush, wait);
    },
    flush,
    release() {
      OWN.delete(lock);
      rmSync(lock, { force: true });
    },
  };
}

/** Replaces the file in one step: a reader sees the old content or the new. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function readState(path: string): SandboxState | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return parseState(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'it is not JSON' : messageOf(error);
    const fix = `mv ${shellWord(path)} ${shellWord(`${path}.old`)} && npx merchant-invoicing sandbox --state ${shellWord(path)}`;
    throw misuse(`--state ${path} cannot be read: ${problem}`, fix);
  }
}

/** The address of the sandbox that keeps a state file. @throws CliError if no running one does. */
export function addressOfState(path: string): string {
  const { url = '' } = runningHolder(`${path}.lock`) ?? {};
  if (url !== '') return url;
  throw unfulfilled(`no running sandbox keeps ${path}`, `npx merchant-invoicing sandbox --state ${shellWord(path)}`);
}

function runningHolder(lock: string): Holder | null {
  try {
    const { pid, url } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<Holder>; // checked in the next line
    if (typeof pid !== 'number' || typeof url !== 'string') return null;
    return holds(pid, lock) ? { pid, url } : null;
  } catch {
    return null; // no lock, half written, or of another program
  }
}

function holds(pid: number, lock: string): boolean {
  return pid === process.pid ? OWN.has(lock) : isRunning(pid);
}
