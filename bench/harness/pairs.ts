import type { ColdRow, Row, WarmRow } from '../rows/row.ts';
import type { Cost } from './contender.ts';
import { Runner, runOnce, startServer } from './process.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** What one contender cost, beside the baseline of its row. */
export interface Entry {
  readonly name: string;
  readonly ratio: Spread;
  /** The median of its own cost: milliseconds, or bytes. */
  readonly each: number;
}

/** Fresh processes of each contender in a verdict, because a process keeps the luck of its optimiser. */
const PROCESSES = 3;

type Sample = () => Promise<number>;

/**
 * Samples the contenders in pairs with the baseline. The order within a pair alternates, so that a machine that slows down
 * does so for both.
 */
async function inPairs(
  names: readonly string[],
  pairs: number,
  sampleOf: (name: string) => Sample,
  collected: Ratios,
): Promise<void> {
  const [baseline = '', ...others] = names;
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const name of others) {
      const order = pair % 2 === 0 ? [baseline, name] : [name, baseline];
      const costs = new Map<string, number>();
      for (const one of order) costs.set(one, await sampleOf(one)());
      collected.add(name, costs.get(name) ?? Number.NaN, costs.get(baseline) ?? Number.NaN);
    }
  }
}

/** The samples of a row. */
class Ratios {
  readonly #ratios = new Map<string, number[]>();
  readonly #own = new Map<string, number[]>();
  readonly #baseline: string;

  constructor(baseline: string) {
    this.#baseline = baseline;
  }

  add(name: string, own: number, base: number): void {
    this.#push(this.#ratios, name, own / base);
    this.#push(this.#own, name, own);
    this.#push(this.#own, this.#baseline, base);
  }

  #push(lists: Map<string, number[]>, name: string, value: number): void {
    lists.set(name, [...(lists.get(name) ?? []), value]);
  }

  entries(): Entry[] {
    return [...this.#own].map(([name, own]) => ({
      name,
      ratio: spreadOf(this.#ratios.get(name) ?? [1]),
      each: spreadOf(own).median,
    }));
  }
}

const namesOf = ({ baseline, ours, others }: Row): string[] => [baseline, ours, ...others];
const pick = (row: Row, cost: Cost): number => (row.measure === 'wall' ? cost.wall : cost.cpu);

/** Measures a row whose contenders stay warm in a process each. */
export async function measureWarm(row: WarmRow, isFull: boolean): Promise<Entry[]> {
  const collected = new Ratios(row.baseline);
  const order = { calls: row.calls, inFlight: row.inFlight };
  const server = await startServer(row.latency);
  for (let turn = 0; turn < (isFull ? PROCESSES : 1); turn += 1) {
    const runners = new Map<string, Runner>();
    for (const name of namesOf(row)) {
      const runner = await Runner.start(row.subject, name, server.address);
      runners.set(name, runner);
      for (let warmUp = 0; warmUp < 3; warmUp += 1) await runner.run(order);
    }
    const sampleOf =
      (name: string): Sample =>
      async () => {
        const runner = runners.get(name);
        if (runner === undefined) throw new Error(`${name} was not started`);
        return pick(row, await runner.run(order));
      };
    await inPairs(namesOf(row), row.pairs, sampleOf, collected);
    for (const runner of runners.values()) runner.stop();
  }
  server.stop();
  return collected.entries();
}

/** Measures a row whose contenders do one thing in a fresh process each time. */
export async function measureCold(row: ColdRow, isFull: boolean): Promise<Entry[]> {
  const collected = new Ratios(row.baseline);
  const server = await startServer(0);
  const sampleOf =
    (name: string): Sample =>
    async () =>
      pick(row, await runOnce(row.subject, name, server.address));
  for (const name of namesOf(row)) await sampleOf(name)(); // fills the file cache
  await inPairs(namesOf(row), isFull ? row.pairs * PROCESSES : row.pairs, sampleOf, collected);
  server.stop();
  return collected.entries();
}
