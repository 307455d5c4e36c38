import { createHash, randomUUID } from 'node:crypto';
import { isObject } from '../../contract/json.ts';
import { shellWord } from '../../sandbox/page/copies.ts';
import { finding, messageOf, misuse } from '../io.ts';
import { LOCK_FILES, type LockFiles } from './lock-files.ts';

/** The sandbox that keeps a state file. */
export interface StateHolder {
  readonly pid: number;
  /** Empty until it listens. */
  readonly url: string;
}

/** The right to keep a state file. */
export interface StateLock {
  /** Writes the address, so that actions with `--state` find this sandbox. */
  tell(url: string): Promise<void>;
  release(): Promise<void>;
}

/** The content of a lock. The token is new for each lock, unlike the process id. */
interface Claim extends StateHolder {
  readonly token: string;
}

/** The tokens of this process. A container gives the id of a killed process to the next one. */
const OWN_TOKENS = new Set<string>();

/**
 * Reserves a state file for this process: two sandboxes on one file would overwrite each other's invoices. The lock of a
 * process that has ended is taken over.
 *
 * @throws CliError if another sandbox keeps the file.
 */
export async function lockState(path: string): Promise<StateLock> {
  const lock = lockOf(path);
  const claim = { pid: process.pid, url: '', token: randomUUID() };
  OWN_TOKENS.add(claim.token);
  const taken = await takeLock(lock, claim, LOCK_FILES, isHeld).catch((error: unknown) => {
    OWN_TOKENS.delete(claim.token);
    throw misuse(
      `--state ${path} cannot be written: ${messageOf(error)}`,
      'npx merchant-invoicing sandbox --state sandbox.json',
    );
  });
  if (taken !== true) {
    OWN_TOKENS.delete(claim.token);
    throw keptBy(path, taken);
  }
  return {
    tell: (url) => LOCK_FILES.replace(lock, JSON.stringify({ ...claim, url })),
    async release() {
      OWN_TOKENS.delete(claim.token);
      if ((await readLock(path))?.token === claim.token) await LOCK_FILES.remove(lock);
    },
  };
}

/** A lock that changes this often while it is read is in use. */
const MAX_TRIES = 20;

/**
 * Takes a lock, exclusively. Returns true, or its holder, or null for a holder that is not known.
 *
 * The lock of an ended process is never removed. A process that takes it over first creates a further file, named by the
 * token of that lock. Only one process can create it, and this one replaces the lock in one step. If it ends in between,
 * its file is taken over in the same way.
 */
export async function takeLock(
  lock: string,
  own: Claim,
  files: LockFiles,
  isAlive: (claim: Claim) => boolean,
): Promise<true | StateHolder | null> {
  const ownText = JSON.stringify(own);
  const rightToReplace = async (
    text: string,
    passed: readonly string[],
  ): Promise<StateHolder | readonly string[] | null> => {
    const { claim, token } = readClaim(text);
    if (claim !== null && isAlive(claim)) return claim;
    const right = `${lock}.${token}`;
    const all = [...passed, right];
    if (await files.create(right, ownText)) return all;
    const next = await files.read(right);
    if (next === ownText) return all;
    return next === null || all.length === MAX_TRIES ? null : rightToReplace(next, all);
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const text = await files.read(lock);
    if (text === null) {
      if (await files.create(lock, ownText)) return true;
      continue;
    }
    // A network file system may repeat a link whose answer was lost. The second one finds the first.
    if (text === ownText) return true;
    const rights = await rightToReplace(text, []);
    if (rights === null) continue; // another process has just replaced the lock
    if ('pid' in rights) return rights;
    // The lock may have been replaced before the right to it was created.
    const isCurrent = (await files.read(lock)) === text;
    if (isCurrent) await files.replace(lock, ownText);
    for (const right of rights) await files.remove(right);
    if (isCurrent) return true;
  }
  return null;
}

/** The running sandbox that keeps a state file. @throws CliError if no process keeps it. */
export async function holderOfState(path: string): Promise<StateHolder> {
  const holder = await readLock(path);
  if (holder !== null && holder.url !== '' && isHeld(holder)) return holder;
  throw finding(`no running sandbox keeps ${path}`, `npx merchant-invoicing sandbox --state ${shellWord(path)}`);
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

async function readLock(path: string): Promise<Claim | null> {
  return readClaim((await LOCK_FILES.read(lockOf(path))) ?? '').claim;
}

function keptBy(path: string, holder: StateHolder | null): Error {
  const who =
    holder === null
      ? 'another sandbox'
      : `the sandbox ${holder.url === '' ? '' : `at ${holder.url} `}(pid ${holder.pid})`;
  return misuse(
    `--state ${path} is kept by ${who}. If that process is not a sandbox, remove ${lockOf(path)}`,
    `npx merchant-invoicing sandbox status --state ${shellWord(path)}`,
  );
}

/** The claim in a lock, or null for other text. The token of text without one is its hash. */
function readClaim(text: string): { readonly claim: Claim | null; readonly token: string } {
  const hash = createHash('sha256').update(text).digest('hex');
  const json = parsed(text);
  if (!isObject(json)) return { claim: null, token: hash };
  const { pid, url, token: given } = json;
  const token = typeof given === 'string' && UUID.test(given) ? given : hash; // it becomes part of a file name
  const isClaim = typeof pid === 'number' && Number.isSafeInteger(pid) && typeof url === 'string';
  return { claim: isClaim ? { pid, url, token } : null, token };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isHeld({ pid, token }: Claim): boolean {
  if (pid === process.pid) return OWN_TOKENS.has(token);
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
