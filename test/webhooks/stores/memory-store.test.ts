import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../src/webhooks/index.ts';
import { NOW } from '../vectors.ts';

function store(maxEntries = 3) {
  const clock = { now: NOW };
  const memory = memoryStore({ maxEntries, now: () => clock.now });
  const claim = (key: string, owner = 'a', digest = 'd1') => memory.claim({ key, owner, digest, lease: 50_000 });
  const done = async (key: string) => {
    await claim(key);
    await memory.complete({ key, owner: 'a' });
  };
  return { memory, clock, claim, done };
}

describe('memoryStore', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it('says once that it is full, because a late repeat of a dropped event runs again', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { done } = store();
    for (const key of ['one', 'two', 'three']) await done(key);
    expect(warn).not.toHaveBeenCalled();
    for (const key of ['four', 'five']) await done(key);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/holds 3 records.*\n.*A late repeat of its event runs again/)],
    ]);
  });

  it('says once that another one of the process has done an event, as where each request makes its own', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const [first, second, third] = [store(), store(), store()];
    await first.done('in a test'); // which makes many stores
    await second.done('in a test');
    vi.stubEnv('NODE_ENV', 'development');
    vi.stubEnv('NODE_TEST_CONTEXT', undefined);
    await first.done('a');
    await first.claim('a', 'b');
    await second.done('b');
    expect(warn).not.toHaveBeenCalled();
    await second.done('a');
    await third.done('a');
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/another memoryStore of this process has done runs again.*\n.*outside of the route/)],
    ]);
  });

  it('is bounded: the oldest completion goes first', async () => {
    const { claim, memory, done } = store();
    for (const key of ['one', 'two', 'three', 'four']) await done(key);
    expect(memory.size).toBe(3);
    expect(await claim('two', 'b')).toMatchObject({ state: 'done' });
    expect(await claim('one', 'b')).toMatchObject({ state: 'claimed' });
  });

  it('never drops a running claim, and says so when there is nothing else', async () => {
    const { claim, clock, done, memory } = store();
    await claim('running');
    for (const key of ['a', 'b', 'c', 'd']) await done(key);
    expect(await claim('running', 'b')).toMatchObject({ state: 'running' });
    await claim('e');
    await claim('f');
    await expect(claim('g')).rejects.toThrow('full of running claims');
    expect(memory.size).toBe(3);
    clock.now += 50_000; // claims of dead attempts may go
    expect(await claim('g')).toEqual({ state: 'claimed' });
  });
});
