import type { RunResult } from '../stores/store.ts';
import { assertSame, type ConformanceChecks, LONG_LEASE, type StoreUnderTest } from './store-under-test.ts';

/** Runs work through `run`. Returns null for a store without `run`, which passes these checks. */
async function run(
  tested: StoreUnderTest,
  owner: string,
  work: (extra: object) => Promise<void>,
): Promise<RunResult | null> {
  return tested.store.run === undefined ? null : await tested.store.run({ key: tested.key, owner }, work);
}

/** The checks for a store with `run`. */
export const RUN_CHECKS: ConformanceChecks = {
  async 'run: does the work once, and completes the event'(tested) {
    await tested.expectClaim('a', 'claimed');
    let times = 0;
    const held = await run(tested, 'a', async () => {
      times += 1;
    });
    if (held === null) return;
    assertSame([held, times], [true, 1]);
    await tested.expectClaim('b', 'done', 'a');
  },
  async 'run: rethrows the error of the work, and keeps the claim'(tested) {
    await tested.expectClaim('a', 'claimed');
    const failure = new Error('the work failed');
    const thrown = await run(tested, 'a', () => Promise.reject(failure)).catch((error: unknown) => error);
    if (thrown === null) return;
    assertSame(thrown === failure, true);
    await tested.expectClaim('b', 'running', 'a');
    assertSame(await tested.renewAndComplete('a'), [true, true]);
  },
  async 'run: returns false if the claim no longer holds'(tested) {
    await tested.expectClaim('a', 'claimed', undefined, 0);
    await tested.takeOver('b');
    const held = await run(tested, 'a', () => Promise.resolve());
    if (held === null) return;
    assertSame(held, false);
    await tested.expectClaim('c', 'running', 'b');
  },
  async 'run: returns { failedAfterCommit } if the work throws after context.commit'(tested) {
    await tested.expectClaim('a', 'claimed');
    const failure = new Error('the work failed after its commit');
    let commits = false;
    const ended = await run(tested, 'a', async (extra) => {
      commits = 'commit' in extra && typeof extra.commit === 'function';
      if ('commit' in extra && typeof extra.commit === 'function') await extra.commit(() => undefined);
      throw failure;
    }).catch((error: unknown) => error);
    if (!commits) return; // its transaction ends after the work, or it has no transaction
    assertSame(typeof ended === 'object' && ended !== null && 'failedAfterCommit' in ended, true);
    await tested.expectClaim('b', 'done', 'a');
  },
};

/** The check for a store with `run` and more than one connection. */
export const CONCURRENT_RUN_CHECKS: ConformanceChecks = {
  async 'run: does not block claims and renewals during the work'(tested) {
    await tested.expectClaim('a', 'claimed');
    const held = await run(tested, 'a', async () => {
      await inTime(tested.expectClaim('b', 'running', 'a'));
      assertSame(await inTime(tested.store.renew({ key: tested.key, owner: 'a' }, LONG_LEASE)), true);
    });
    if (held !== null) assertSame(held, true);
  },
};

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
