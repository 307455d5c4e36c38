import type { ColdRow, WarmRow } from '../rows/row.ts';
import type { Cost } from './contender.ts';
import { Runner, runOnce, startServer } from './process.ts';
import { type Entry, Ratios } from './ratios.ts';

/** Fresh processes of each contender in a verdict, because a process keeps the luck of its optimiser. */
const PROCESSES = 3;
/** Orders before the first sample, for the optimiser, which is late on a busy machine. A walk makes many calls in one order. */
const WARM_UPS = { cpu: 25, wall: 1 } as const;

/** Returns one sample of a contender. */
type Sampler = (name: string) => Promise<Cost>;

type Pairs = Pick<WarmRow | ColdRow, 'measure' | 'baseline' | 'ours' | 'others' | 'pairs'>;

/**
 * Samples each contender in pairs with the baseline. The order within a pair alternates, so that a machine that becomes
 * slower does so for both.
 */
async function inPairs(
  { measure, baseline, ours, others, pairs }: Pairs,
  sample: Sampler,
  into: Ratios,
): Promise<void> {
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const name of [ours, ...others]) {
      if (pair % 2 === 0) {
        const base = await sample(baseline);
        into.add(name, (await sample(name))[measure], base[measure]);
      } else {
        const own = await sample(name);
        into.add(name, own[measure], (await sample(baseline))[measure]);
      }
    }
  }
}

/** Measures a row whose contenders stay warm in a process each. */
export async function measureWarm(row: WarmRow, isFull: boolean): Promise<Entry[]> {
  const collected = new Ratios(row.baseline);
  const { calls, inFlight } = row;
  const server = await startServer(row.latency);
  for (let turn = 0; turn < (isFull ? PROCESSES : 1); turn += 1) {
    const runners = new Map<string, Runner>();
    const sample: Sampler = async (name) => {
      const runner = runners.get(name) ?? (await Runner.start(row.subject, name, server.address));
      runners.set(name, runner);
      return await runner.run({ calls, inFlight });
    };
    for (const name of [row.baseline, row.ours, ...row.others]) {
      for (let warmUp = 0; warmUp < WARM_UPS[row.measure]; warmUp += 1) await sample(name);
    }
    await inPairs(row, sample, collected);
    for (const runner of runners.values()) runner.stop();
  }
  server.stop();
  return collected.entries();
}

/** Measures a row whose contenders do one thing in a fresh process each time. */
export async function measureCold(row: ColdRow, isFull: boolean): Promise<Entry[]> {
  const collected = new Ratios(row.baseline);
  const server = await startServer(0);
  const sample: Sampler = (name) => runOnce(row.subject, name, server.address);
  for (const name of [row.baseline, row.ours, ...row.others]) await sample(name); // fills the cache of the disk
  await inPairs({ ...row, pairs: isFull ? row.pairs * PROCESSES : row.pairs }, sample, collected);
  server.stop();
  return collected.entries();
}
