import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { shellWord } from '../../sandbox/page/deliveries/copies.ts';
import { finding, misuse } from '../io.ts';

/** The sandbox that keeps a state file. */
export interface StateHolder {
  readonly pid: number;
  /** Empty until it listens. */
  readonly url: string;
}

/** The right to keep a state file. */
export interface StateLock {
  /** Writes the address, so that actions with `--state` find this sandbox. */
  tell(url: string): void;
  release(): void;
}

/** The locks of this process. A container gives the id of a killed process to the next one. */
const HELD = new Set<string>();

/**
 * Reserves a state file for this process: two sandboxes on one file would overwrite each other's invoices. The lock of a
 * process that has ended is taken over.
 *
 * @throws CliError if another sandbox keeps the file.
 */
export function lockState(path: string): StateLock {
  const lock = lockOf(path);
  for (let tries = 0; ; tries += 1) {
    try {
      const file = openSync(lock, 'wx', 0o600);
      writeSync(file, JSON.stringify({ pid: process.pid, url: '' }));
      closeSync(file);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw misuse(
          `--state ${path} cannot be written: ${(error as Error).message}`,
          'npx merchant-invoicing sandbox --state sandbox.json',
        );
      }
      const holder = readHolder(lock);
      if (tries > 0 || isHeld(lock, holder)) throw taken(path, holder);
      rmSync(lock, { force: true }); // its process has ended without removing it
    }
  }
  HELD.add(lock);
  return {
    tell: (url) => writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 }),
    release() {
      HELD.delete(lock);
      rmSync(lock, { force: true });
    },
  };
}

/** The running sandbox that keeps a state file. @throws CliError if no process keeps it. */
export function holderOfState(path: string): StateHolder {
  const lock = lockOf(path);
  const holder = readHolder(lock);
  if (holder !== null && holder.url !== '' && isHeld(lock, holder)) return holder;
  throw finding(`no running sandbox keeps ${path}`, `npx merchant-invoicing sandbox --state ${shellWord(path)}`);
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function taken(path: string, holder: StateHolder | null): Error {
  const who =
    holder === null
      ? 'another sandbox'
      : `the sandbox ${holder.url === '' ? '' : `at ${holder.url} `}(pid ${holder.pid})`;
  return misuse(
    `--state ${path} is kept by ${who}. If that process is not a sandbox, remove ${lockOf(path)}`,
    `npx merchant-invoicing sandbox status --state ${shellWord(path)}`,
  );
}

function readHolder(lock: string): StateHolder | null {
  try {
    const { pid, url } = JSON.parse(readFileSync(lock, 'utf8')) as Partial<StateHolder>; // checked below
    return typeof pid === 'number' && Number.isSafeInteger(pid) && typeof url === 'string' ? { pid, url } : null;
  } catch {
    return null; // absent, or half written
  }
}

function isHeld(lock: string, holder: StateHolder | null): boolean {
  if (holder === null) return false;
  const { pid } = holder;
  if (pid === process.pid) return HELD.has(lock);
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
