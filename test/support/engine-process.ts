import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A database server of our own, or why there is none. */
export type Engine<Connection> =
  | { readonly missing: string }
  | { readonly missing: null; readonly connection: Connection; stop(): Promise<void> };

/** Who a server runs as; undefined: as we do. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The first of these files that exists, or the program of this name on the PATH. */
export function findProgram(name: string, folders: readonly string[] = []): string | null {
  const path = (process.env['PATH'] ?? '').split(':');
  const usual = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
  for (const folder of [...folders, ...path, ...usual]) {
    if (folder !== '' && existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}

/** The ids of a system user. */
export function userNamed(name: string): User {
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A short path: a unix socket's name has at most 107 characters. */
export function temporaryFolder(name: string): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a server and waits until it says that it is ready. */
export async function startServer(
  program: string,
  args: readonly string[],
  ready: string,
  user?: User,
): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...user });
  process.once('exit', () => child.kill('SIGKILL')); // never outlives us, whatever happens
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const listen = (text: Buffer): void => {
      said = (said + text.toString()).slice(-4_000);
      if (said.includes(ready)) resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
  });
  return child;
}

/** Ends one child, and waits for its end. */
export async function stopServer(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
