import { type ChildProcess, spawn } from 'node:child_process';

/** One terminal of a session: its programs run in the folder of the shop, and what they print is kept. */
export class Terminal {
  readonly #folder: string;
  readonly #running: ChildProcess[] = [];
  readonly #waiting = new Set<() => void>();
  #text = '';
  #shown = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Runs a command of a shell to its end. */
  async run(command: string): Promise<void> {
    const child = this.#spawn(command);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`code ${code} of ${command}:\n${this.#text}`);
  }

  /** Starts a command, and waits until it has printed something that matches. */
  async start(command: string, until: RegExp): Promise<void> {
    const child = this.#spawn(command);
    this.#running.push(child);
    child.once('exit', (code) => {
      this.#text += `\nended with code ${code}: ${command}\n`;
      this.#wake();
    });
    await this.until(until);
  }

  /** Waits until this terminal shows something new that matches. */
  until(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const text = this.#text.slice(this.#shown);
        const hasEnded = text.includes('\nended with code ');
        if (!pattern.test(text) && !hasEnded) return;
        this.#waiting.delete(look);
        if (pattern.test(text)) resolve();
        else reject(new Error(`it does not print ${pattern}:\n${this.#text}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** The lines since the last look. */
  look(): readonly string[] {
    const lines = this.#text.slice(this.#shown).trimEnd().split('\n');
    this.#shown = this.#text.length;
    return lines;
  }

  close(): void {
    for (const { pid } of this.#running) if (pid !== undefined) endGroup(pid);
  }

  #spawn(command: string): ChildProcess {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', npm_config_loglevel: 'error' };
    // A separate group, so that `npx` ends with the program that it has started.
    const child = spawn('sh', ['-c', command], { cwd: this.#folder, env, detached: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        this.#text += String(piece);
        this.#wake();
      });
    }
    return child;
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // it has ended
  }
}
