import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
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
    expect(await memory.renew({ key: 'other', owner: 'a' }, 50_000)).toBe(false);
    expect(await claim('other')).toMatchObject({ state: 'done' });
  });

  it('is bounded: the oldest completion goes first', async () => {
    const { claim, memory, done } = store();
    for (const key of ['one', 'two', 'three', 'four']) await done(key);
    expect(memory.size).toBe(3);
    expect(await claim('two', 'b')).toMatchObject({ state: 'done' });
    expect(await claim('one', 'b')).toMatchObject({ state: 'claimed' });
  });

  it('says that it forgot from its first eviction on, also in a copy of it', async () => {
    const { claim, memory, done } = store();
    const copy = { ...memory };
    for (const key of ['one', 'two', 'three']) await done(key);
    await claim('one', 'b');
    expect([memory.forgot?.(), copy.forgot?.()]).toEqual([null, null]);
    await claim('four');
    const words = expect.stringMatching(/holds 3 records .*maxEntries.* had to drop/);
    expect([memory.forgot?.(), copy.forgot?.()]).toEqual([words, words]);
    await memory.release({ key: 'four', owner: 'a' }); // what is lost stays lost
    expect(memory.forgot?.()).toEqual(words);
  });

  it('has not forgotten what was given back', async () => {
    const { claim, memory } = store(1);
    for (const key of ['one', 'two', 'three']) {
      await claim(key);
      await memory.release({ key, owner: 'a' });
    }
    expect(memory.forgot?.()).toBeNull();
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

  it.each([
    [{ maxEntrys: 5 }, 'memoryStore: options has no "maxEntrys"; it has maxEntries, namespace, now.'],
    [{ retention: 5 }, 'memoryStore: options has no "retention"; it has maxEntries, namespace, now.'],
    [null, 'memoryStore: options must be an object, not null.'],
    [500, 'memoryStore: options must be an object, not 500.'],
    [[], 'memoryStore: options must be an object, not an array.'],
  ])('refuses the options %j', (options, message) => {
    expect(() => memoryStore(options as never)).toThrow(new ConfigurationError(message));
  });

  it.each(['', 'a/b', 'a:b', 'shop a', 'ä', 'x'.repeat(65), 5, null])('refuses the namespace %j', (namespace) => {
    expect(() => memoryStore({ namespace: namespace as never })).toThrow(ConfigurationError);
  });

  it('takes a namespace', () => {
    expect(memoryStore({ namespace: 'Shop_b.eu-1' }).namespace).toBe('Shop_b.eu-1');
    expect(memoryStore().namespace).toBeUndefined();
  });

  it.each([0, -1, 1.5, Number.NaN, '5'])('refuses maxEntries %s', (maxEntries) => {
    expect(() => memoryStore({ maxEntries: maxEntries as never })).toThrow(ConfigurationError);
  });
});
