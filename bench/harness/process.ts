import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cost, Order } from './contender.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The address of a file in `contenders/`, for a process that imports it. */
export const subjectFile = (subject: string): string => new URL(`../contenders/${subject}.ts`, import.meta.url).href;

async function answerOf<T>(child: ChildProcess, what: string): Promise<T> {
  const ended = new AbortController();
  try {
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the process of ${what} ended`);
    });
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit]);
    return message as T; // both ends of the channel are in this folder
  } finally {
    ended.abort();
  }
}

/** A contender in its own process. */
export class Runner {
  readonly #child: ChildProcess;
  readonly #name: string;

  private constructor(child: ChildProcess, name: string) {
    this.#child = child;
    this.#name = name;
  }

  static async start(subject: string, name: string, address: string): Promise<Runner> {
    const child = fork(fileOf('worker.ts'), [subjectFile(subject), name, address], { serialization: 'advanced' });
    await answerOf(child, name);
    return new Runner(child, name);
  }

  async run(order: Order): Promise<Cost> {
    const answer = answerOf<Cost>(this.#child, this.#name);
    this.#child.send(order);
    return answer;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

/** The server in its own process. */
export async function startServer(latency: number): Promise<{ readonly address: string; stop(): void }> {
  const child = fork(fileOf('server.ts'), [String(latency)]);
  const address = await answerOf<string>(child, 'the server');
  return { address, stop: () => child.disconnect() };
}

/** A contender that does its task once in a fresh process. */
export async function runOnce(subject: string, name: string, address: string): Promise<Cost> {
  const child = fork(fileOf('once.ts'), [subjectFile(subject), name, address]);
  const closed = once(child, 'close');
  const cost = await answerOf<Cost>(child, name);
  await closed;
  return cost;
}
