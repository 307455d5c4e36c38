import type { RunResult } from '../stores/store.ts';
import { type Bench, type Check, LONG, same } from './bench.ts';

/** Runs work through the store where it has `run`. Where it has none, the promise is not made, and holds. */
async function run(bench: Bench, owner: string, work: (extra: object) => Promise<void>): Promise<RunResult | null> {
  return bench.store.run === undefined ? null : await bench.store.run({ key: bench.key, owner }, work);
}

/** What a store with `run` promises. */
export const RUNS: readonly Check[] = [
  [
    'run: does the work once, and completes',
    async (bench) => {
      await bench.expect('a', 'claimed');
      let times = 0;
      const held = await run(bench, 'a', async () => {
        times += 1;
      });
      if (held === null) return;
      same([held, times], [true, 1]);
      await bench.expect('b', 'done', 'a');
    },
  ],
  [
    'run: throws on what the work throws, and leaves the claim as it is',
    async (bench) => {
      await bench.expect('a', 'claimed');
      const failure = new Error('the work failed');
      const thrown = await run(bench, 'a', () => Promise.reject(failure)).catch((error: unknown) => error);
      if (thrown === null) return;
      same(thrown === failure, true);
      await bench.expect('b', 'running', 'a');
      same(await bench.ours('a'), [true, true]);
    },
  ],
  [
    'run: answers false when the claim is not ours any more',
    async (bench) => {
      await bench.expect('a', 'claimed', undefined, 0);
      await bench.takeOver('b');
      const held = await run(bench, 'a', () => Promise.resolve());
      if (held === null) return;
      same(held, false);
      await bench.expect('c', 'running', 'b');
    },
  ],
  [
    'run: answers { failedAfterCommit } when the work throws after it has called context.commit',
    async (bench) => {
      await bench.expect('a', 'claimed');
      const failure = new Error('the work failed after its commit');
      let commits = false;
      const ended = await run(bench, 'a', async (extra) => {
        commits = 'commit' in extra && typeof extra.commit === 'function';
        if ('commit' in extra && typeof extra.commit === 'function') await extra.commit(() => undefined);
        throw failure;
      }).catch((error: unknown) => error);
      if (!commits) return; // a store whose transaction ends after the work, or that has none
      same(typeof ended === 'object' && ended !== null && 'failedAfterCommit' in ended, true);
      await bench.expect('b', 'done', 'a');
    },
  ],
];

/** What it promises unless it has one connection only. */
export const FREE_RUNS: readonly Check[] = [
  [
    'run: lets claims and renewals pass while the work is under way',
    async (bench) => {
      await bench.expect('a', 'claimed');
      const held = await run(bench, 'a', async () => {
        await inTime(bench.expect('b', 'running', 'a'));
        same(await inTime(bench.store.renew({ key: bench.key, owner: 'a' }, LONG)), true);
      });
      if (held !== null) same(held, true);
    },
  ],
];

async function inTime<T>(move: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('A claim or a renewal waits for the transaction of the work.')), 5_000);
  });
  try {
    return await Promise.race([move, late]);
  } finally {
    clearTimeout(timer);
  }
}
