import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countOne } from '../runs.ts';
import type { WorkerSetup } from './queues/worker.ts';
import type { ReceiverSetup } from './receiver.ts';

/** A message of such a process. With `killIn` it asks to be killed from outside, after these milliseconds. */
export interface Message {
  readonly port?: number;
  readonly report?: string;
  readonly killIn?: number;
}

/** Starting from sources takes three times as long as from this. */
const COMPILE_CACHE = join(tmpdir(), 'merchant-invoicing-kill-run-cache');

/** Some processes of one program, receivers or workers, each started again whenever it was killed. */
export class Processes {
  readonly #program: string;
  readonly #setup: string;
  readonly #slots: { child: ChildProcess; port: Promise<number> }[] = [];
  #closing = false;
  /** How many died, by the place. */
  readonly deaths: Record<string, number> = {};
  /** Unexpected ends: each is a defect. */
  readonly crashes: string[] = [];
  /** How many reports they made, by reason. */
  readonly reports: Record<string, number> = {};

  constructor(program: './receiver.ts', setup: ReceiverSetup, count: number);
  constructor(program: './queues/worker.ts', setup: WorkerSetup, count: number);
  constructor(program: string, setup: object, count: number) {
    this.#program = fileURLToPath(new URL(program, import.meta.url));
    this.#setup = JSON.stringify(setup);
    for (let slot = 0; slot < count; slot += 1) this.#start(slot);
  }

  /** The port of a receiver that is up, as far as is known. */
  async port(slot: number): Promise<number> {
    const port = await this.#slots[slot % this.#slots.length]?.port;
    if (port === undefined) throw new Error('There are no processes.');
    return port;
  }

  /** Kills a process from outside. */
  kill(slot: number): void {
    this.#slots[slot % this.#slots.length]?.child.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(
      this.#slots.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }

  #start(slot: number): void {
    const child = spawn(process.execPath, [this.#program, this.#setup], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    });
    const port = new Promise<number>((resolve, reject) => {
      child.on('message', ({ port, report, killIn }: Message) => {
        if (port !== undefined) resolve(port);
        if (report !== undefined) countOne(this.reports, report);
        if (killIn !== undefined) setTimeout(() => child.kill('SIGKILL'), killIn);
      });
      child.once('exit', () => reject(new Error('The process died before it was up.')));
    });
    port.catch(() => undefined); // port() reports the failure
    let said = '';
    child.stdout?.on('data', (text) => {
      said += String(text);
    });
    // `close` comes after the last of its output. `exit` can come before.
    child.once('close', () => {
      if (!this.#closing) countOne(this.deaths, said.trim() || 'from_outside');
    });
    child.once('exit', (code, signal) => {
      if (this.#closing) return;
      if (signal !== 'SIGKILL') this.crashes.push(`${this.#program} ended with ${signal ?? code}`);
      if (this.crashes.length < 10) this.#start(slot);
    });
    this.#slots[slot] = { child, port };
  }
}
