import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What one order to a process cost: milliseconds for each call, and bytes of heap in use after it. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
  readonly heap: number;
}

/** A figure: the median, and the quartiles beside it. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** One contender of a row: its cost relative to the baseline, and its own cost in milliseconds. */
export interface Figure {
  readonly name: string;
  readonly ratio: Spread;
  readonly each: number;
}

/** A comparison of contenders in their own processes. */
export interface Comparison {
  /** The name of the contenders in contenders.mjs. */
  readonly subject: string;
  /** The contender that is 1.00. A second process of it is the control. */
  readonly baseline: string;
  readonly others: readonly string[];
  /** CPU of the main thread, or wall time. */
  readonly measure: 'cpu' | 'wall';
  /** Fresh processes of each contender. */
  readonly turns: number;
  /** Calls of one sample. Null: the process is new for each sample, and its task runs once. */
  readonly calls: number | null;
  readonly inFlight?: number;
  /** Calls before the first sample, for the optimiser. */
  readonly warmUp?: number;
  /** Samples of each process. */
  readonly samples?: number;
  /** Milliseconds before each response of the service. */
  readonly latency?: number;
}

/** The second process of the baseline. */
export const CONTROL = 'control: the baseline again';

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => {
    const place = (sorted.length - 1) * part;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    return below + ((sorted[Math.ceil(place)] ?? Number.NaN) - below) * (place % 1);
  };
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

/**
 * Compares contenders in turns. A turn starts a fresh process of each, because a process keeps the luck of its optimiser,
 * and takes their samples one after the other, so that a machine that becomes slower does so for all. The ratio of a turn
 * is that of the medians of its samples.
 */
export async function compare(comparison: Comparison): Promise<Figure[]> {
  const { baseline, others, turns, measure } = comparison;
  const names = [baseline, CONTROL, ...others];
  const costs = new Map<string, number[]>(names.map((name) => [name, []]));
  const service = await start('service.mjs', String(comparison.latency ?? 0));
  for (let turn = 0; turn < turns; turn += 1) {
    const shift = turn % names.length;
    const order = [...names.slice(shift), ...names.slice(0, shift)];
    const samples = await takeTurn(comparison, order, service.address);
    for (const [name, taken] of samples) costs.get(name)?.push(spreadOf(taken.map((cost) => cost[measure])).median);
  }
  service.child.disconnect();
  const base = costs.get(baseline) ?? [];
  return names.slice(1).map((name) => {
    const own = costs.get(name) ?? [];
    return {
      name,
      ratio: spreadOf(own.map((cost, turn) => cost / (base[turn] ?? Number.NaN))),
      each: spreadOf(own).median,
    };
  });
}

async function takeTurn(
  { subject, baseline, calls, inFlight = 1, warmUp = 0, samples = 1 }: Comparison,
  order: readonly string[],
  address: string,
): Promise<Map<string, Cost[]>> {
  const taken = new Map<string, Cost[]>(order.map((name) => [name, []]));
  const contender = (name: string) => (name === CONTROL ? baseline : name);
  if (calls === null) {
    for (const name of order) taken.get(name)?.push(await runOnce(subject, contender(name), address));
    return taken;
  }
  const children = new Map<string, ChildProcess>();
  for (const name of order) {
    const { child } = await start('child.mjs', subject, contender(name), address);
    children.set(name, child);
    if (warmUp > 0) await run(child, { calls: warmUp, inFlight });
  }
  for (let sample = 0; sample < samples; sample += 1) {
    for (const name of sample % 2 === 0 ? order : [...order].reverse()) {
      const child = children.get(name);
      if (child !== undefined) taken.get(name)?.push(await run(child, { calls, inFlight }));
    }
  }
  for (const child of children.values()) child.disconnect();
  return taken;
}

/** Starts a process, and returns it with its first message: that it is ready, or the address of the service. */
async function start(file: string, ...words: string[]): Promise<{ child: ChildProcess; address: string }> {
  const child = fork(`${FOLDER}${file}`, words, { execArgv: ['--expose-gc'] });
  return { child, address: await responseOf<string>(child) };
}

async function run(child: ChildProcess, order: { calls: number; inFlight: number; heap?: boolean }): Promise<Cost> {
  child.send(order);
  return await responseOf<Cost>(child);
}

async function responseOf<T>(child: ChildProcess): Promise<T> {
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('a process of the benchmarks ended')));
  exited.catch(() => {}); // each process ends at some time
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return message as T; // both ends of the channel are in this folder
}

/** A task in a new process. The cost begins where the program does: Node's own start is the same for all. */
async function runOnce(subject: string, name: string, address: string): Promise<Cost> {
  const { stdout } = await promisify(execFile)(process.execPath, [`${FOLDER}once.mjs`, subject, name, address]);
  return JSON.parse(stdout) as Cost; // once.mjs prints it
}

/** kB that stay in use after 20,000 calls, beyond what was in use after the first 4,000. */
export async function heapKept(subject: string, name: string): Promise<number> {
  const service = await start('service.mjs', '0');
  const { child } = await start('child.mjs', subject, name, service.address);
  const before = await run(child, { calls: 4_000, inFlight: 8, heap: true });
  const after = await run(child, { calls: 20_000, inFlight: 8, heap: true });
  for (const each of [child, service.child]) each.disconnect();
  return (after.heap - before.heap) / 1_000;
}

/** What a load in a process of its own needed: seconds, and the most memory that one of its processes had, in MB. */
export async function underLoad(name: string, count: number): Promise<{ seconds: number; peak: number; note: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, [`${FOLDER}loads.mjs`, name, String(count)]);
  return JSON.parse(stdout); // loads.mjs prints it
}

/** kB of a minified bundle of one statement, gzipped. */
export async function bundled(statement: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: statement, resolveDir: FOLDER },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
    platform: 'node',
  });
  return gzipSync(outputFiles[0]?.contents ?? '').byteLength / 1_000;
}

/** Installs the peers once. They are no part of the root install. */
export function installPeers(): void {
  if (existsSync(`${FOLDER}node_modules/stripe`)) return;
  const { status } = spawnSync('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('npm ci --prefix test/bench failed');
}
