import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./lock-taker.ts', import.meta.url));

/** Another process that takes the lock of an SQLite file again and again, each time for a random time. */
export class Locker {
  readonly #child: ChildProcess;
  /** How often it had the lock. */
  held = 0;

  constructor(file: string, seed: string) {
    this.#child = spawn(process.execPath, [PROGRAM, file, seed], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', () => {
      this.held += 1;
    });
  }

  /** Lets the file go. Harmless to repeat. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
