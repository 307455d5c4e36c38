import { describe, expect, it, vi } from 'vitest';
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
  it('says once in production that it forgets', () => {
    const lines: string[] = [];
    vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
    memoryStore();
    vi.stubEnv('NODE_ENV', 'Production');
    memoryStore();
    memoryStore();
    vi.unstubAllEnvs();
    expect(lines).toEqual([expect.stringMatching(/memoryStore in production.*\n.*postgresStore/)]);
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

  it.each([0, -1, 1.5, Number.NaN, '5'])('refuses maxEntries %s', (maxEntries) => {
    expect(() => memoryStore({ maxEntries: maxEntries as never })).toThrow(ConfigurationError);
  });
});
