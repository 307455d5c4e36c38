import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { discard, join, readBody } from '../../src/transport/answer.ts';
import { Attempt } from '../../src/transport/attempt.ts';
import { keyProblem } from '../../src/transport/secrecy/api-key.ts';
import { beginningAtEnd } from '../../src/transport/secrecy/secret-spellings.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import fc from '../support/fast-check.ts';

// The small parts of an attempt, each alone: what a whole call shows only by accident.

test.each([
  ['sk_live_1', null],
  ['!~', null],
  ['', 'is empty'],
  [null, 'must be a string, not null'],
  [undefined, 'must be a string, not undefined'],
  [7, 'must be a string, not number'],
  [{}, 'must be a string, not object'],
  ['k'.repeat(1_024), null],
  ['k'.repeat(1_025), 'is longer than 1024 characters'],
  [' k', 'has white space or a line break at its start or end (read from a file?): trim it'],
  ['k\n', 'has white space or a line break at its start or end (read from a file?): trim it'],
  ['k k', 'has characters that a header cannot carry'],
  ['ключ', 'has characters that a header cannot carry'],
  ['k\u007f', 'has characters that a header cannot carry'],
])('the key %j: %j', (key, problem) => {
  expect(keyProblem(key)).toBe(problem);
});

describe('a body', () => {
  const chunks = (...sizes: number[]) => {
    const state = { canceled: false };
    const source = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = source.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
      cancel() {
        state.canceled = true;
      },
    });
    return { state, response: new Response(stream) };
  };
  const { signal } = new AbortController();

  test('without any is empty', async () => {
    expect(await readBody(new Response(null), 5, signal, [])).toEqual({ bytes: new Uint8Array(0), cut: false });
  });

  test.each([
    [[3], [1, 1, 1], false],
    [[2, 3], [1, 1, 2, 2, 2], false],
    [[2, 4], [1, 1, 2, 2, 2], true],
    [[6], [1, 1, 1, 1, 1], true],
    [[5, 1], [1, 1, 1, 1, 1], true],
  ])('of chunks of %j, up to five bytes', async (sizes, bytes, cut) => {
    const { state, response } = chunks(...sizes);
    const seen: Uint8Array[] = [];
    expect(await readBody(response, 5, signal, seen)).toEqual({ bytes: Uint8Array.from(bytes), cut });
    expect(join(seen)).toEqual(Uint8Array.from(bytes));
    expect(state.canceled).toBe(cut);
  });

  test('is let go when its attempt has ended before the body is read', async () => {
    const { state, response } = chunks(3);
    await readBody(response, 5, AbortSignal.abort(), []);
    expect(state.canceled).toBe(true);
  });

  test('is let go when its attempt ends, also by a fetch that looks at no signal', async () => {
    const controller = new AbortController();
    const state = { canceled: false };
    const stalled = new ReadableStream({
      cancel() {
        state.canceled = true;
      },
    });
    const reading = readBody(new Response(stalled), 5, controller.signal, []);
    controller.abort();
    expect(await reading).toEqual({ bytes: new Uint8Array(0), cut: false });
    expect(state.canceled).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test('that cannot be let go is left alone', async () => {
    const locked = new ReadableStream();
    locked.getReader();
    discard(locked);
    discard(null);
    discard({ cancel: () => Promise.reject(new Error('no')) });
    discard({
      cancel() {
        throw new Error('at once');
      },
    });
  });

  test('of one chunk is that chunk', () => {
    const chunk = Uint8Array.of(1, 2);
    expect(join([chunk])).toBe(chunk);
    expect(join([])).toEqual(new Uint8Array(0));
  });
});

describe('an attempt', () => {
  test.each([
    [100, 200, 'timeout'],
    [200, 100, 'deadline'],
    [100, 100, 'deadline'],
  ] as const)('with %i ms of its own and %i ms left ends by its %s', async (timeout, left, why) => {
    const runtime = new FakeRuntime();
    const attempt = new Attempt(runtime, timeout, left, null);
    const raced = attempt.race(new Promise(() => {}));
    runtime.expire();
    await expect(raced).rejects.toThrow(`attempt ended: ${why}`);
    expect(attempt.interruption).toBe(why);
    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.signal.reason).toHaveProperty('message', `attempt ended: ${why}`);
    attempt.end();
  });

  test('is aborted from the beginning by a signal that is', async () => {
    const attempt = new Attempt(new FakeRuntime(), 100, 100, AbortSignal.abort());
    expect(attempt.interruption).toBe('aborted');
    expect(attempt.signal.aborted).toBe(true);
    await expect(attempt.race(new Promise(() => {}))).rejects.toThrow('attempt ended: aborted');
  });

  test('keeps the first reason to end', async () => {
    const runtime = new FakeRuntime();
    const caller = new AbortController();
    const attempt = new Attempt(runtime, 100, 200, caller.signal);
    const raced = attempt.race(new Promise(() => {}));
    runtime.expire();
    await expect(raced).rejects.toThrow('timeout');
    caller.abort();
    expect(attempt.interruption).toBe('timeout');
    expect(attempt.signal.reason).toHaveProperty('message', 'attempt ended: timeout');
  });

  test('that ends by itself leaves neither timer nor listener', async () => {
    const runtime = new FakeRuntime();
    const caller = new AbortController();
    const attempt = new Attempt(runtime, 100, 200, caller.signal);
    expect(await attempt.race(Promise.resolve('done'))).toBe('done');
    attempt.end();
    expect(runtime.pending).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
    expect(attempt.interruption).toBeNull();
  });
});

test.each([
  ['the answer breaks at sk_te', 'sk_test_1', 5],
  ['very short: sk_', 'sk_test_1', 3],
  ['longer: sk_t', 'sk_test_1', 4],
  ['whole is no beginning: sk_test_1', 'sk_test_1', 0],
  ['again and again: sk_sk_sk_te', 'sk_sk_test', 8],
  ['nothing of it', 'sk_test_1', 0],
])('the beginning of a secret at the end of %j', (whole, secret, length) => {
  expect(beginningAtEnd(whole, secret)).toBe(length);
});

test('the beginning of a secret that repeats itself is as long as it is', () => {
  const repeating = fc.stringMatching(/^[ab]{1,12}$/);
  fc.assert(
    fc.property(repeating, repeating, (text, secret) => {
      const lengths = Array.from({ length: secret.length }, (_, length) => length);
      const longest = lengths.reverse().find((length) => text.endsWith(secret.slice(0, length)));
      expect(beginningAtEnd(text, secret)).toBe(longest);
    }),
    { numRuns: 1_000 },
  );
});
