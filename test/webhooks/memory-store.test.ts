import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors.ts';
import { memoryStore } from '../../src/webhooks/index.ts';
import { NOW } from './vectors.ts';

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
  it('claims, completes, remembers', async () => {
    const { memory, claim } = store();
    expect(await claim('k')).toEqual({ state: 'claimed' });
    expect(await claim('k', 'b')).toEqual({ state: 'running', digest: 'd1' });
    expect(await memory.complete({ key: 'k', owner: 'a' })).toBe(true);
    expect(await claim('k', 'b', 'd2')).toEqual({ state: 'done', digest: 'd1' });
  });

  it('lets a claim be taken over when its lease ends, and not before', async () => {
    const { clock, claim, memory } = store();
    await claim('k');
    clock.now += 49_999;
    expect(await claim('k', 'b')).toMatchObject({ state: 'running' });
    clock.now += 1;
    expect(await claim('k', 'b', 'd2')).toEqual({ state: 'taken_over', digest: 'd1' });
    expect(await claim('k', 'c')).toEqual({ state: 'running', digest: 'd2' });
    expect(await memory.renew({ key: 'k', owner: 'a' }, 50_000)).toBe(false);
    expect(await memory.complete({ key: 'k', owner: 'a' })).toBe(false);
    await memory.release({ key: 'k', owner: 'a' });
    expect(await claim('k', 'c')).toMatchObject({ state: 'running' });
  });

  it('renews', async () => {
    const { clock, claim, memory } = store();
    await claim('k');
    clock.now += 40_000;
    expect(await memory.renew({ key: 'k', owner: 'a' }, 50_000)).toBe(true);
    clock.now += 49_999;
    expect(await claim('k', 'b')).toMatchObject({ state: 'running' });
  });

  it('releases a running claim, never a done one', async () => {
    const { claim, memory, done } = store();
    await claim('k');
    await memory.release({ key: 'k', owner: 'a' });
    expect(await claim('k')).toEqual({ state: 'claimed' });
    await done('other');
    await memory.release({ key: 'other', owner: 'a' });
    expect(await memory.complete({ key: 'other', owner: 'a' })).toBe(false);
    expect(await claim('other')).toMatchObject({ state: 'done' });
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

  it('forgets nothing by age', () => {
    expect(memoryStore().retention).toBeNull();
  });

  it.each([0, -1, 1.5, Number.NaN, '5'])('refuses maxEntries %s', (maxEntries) => {
    expect(() => memoryStore({ maxEntries: maxEntries as never })).toThrow(ConfigurationError);
  });
});
