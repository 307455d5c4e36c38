import { expect, it } from 'vitest';
import { runProbe } from '../../src/probe/run.ts';
import { stepsOf } from '../../src/probe/steps.ts';
import { doorTo, emptyAccount } from './account.ts';

it.each([
  ['seconds', 30, [30_000]],
  ['http_date', 30, [30_000]],
  ['absent', 30, [2_000]],
  ['seconds', 0, [2_000]],
] as const)(
  'a rate limit that says when as %s (%i s) is waited for %j ms',
  async (retryAfterForm, retryAfter, expected) => {
    const account = emptyAccount({ retryAfterForm });
    account.sandbox.faults.next({ type: 'rate_limit', retryAfter }, { operation: 'rates.list' });
    const waits: number[] = [];
    const { stop } = await runProbe(stepsOf({}), doorTo(account, waits), { pace: 0 });
    expect([stop, waits]).toEqual([null, expected]);
    await account.sandbox.close();
  },
);

it('a failure that lasts is asked four times, and the probe goes on', async () => {
  const account = emptyAccount({});
  account.sandbox.faults.next({ type: 'server_error' }, { operation: 'rates.list', times: 9 });
  const waits: number[] = [];
  const { stop, log } = await runProbe(stepsOf({}), doorTo(account, waits), { pace: 0 });
  expect([stop, waits]).toEqual([null, [2_000, 4_000, 8_000]]);
  expect(log.some(({ point }) => point === 'authStatus')).toBe(true);
  expect(account.asked.filter((line) => line.endsWith('/rates'))).toHaveLength(4);
  await account.sandbox.close();
});
