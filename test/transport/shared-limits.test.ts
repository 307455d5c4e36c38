import { describe, expect, test } from 'vitest';
import { RetryBudget } from '../../src/transport/limits.ts';
import { FakeRuntime, TIMEOUT } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

const unavailable = refuse(503, null);
const limited = (seconds: number): Step => refuse(429, null, undefined, { 'retry-after': String(seconds) });

describe('the retry budget that all calls of a client share', () => {
  test('14 for a transient failure, 5 for a rate limit; a success gives back its last cost, or 1', () => {
    const budget = new RetryBudget(30);
    expect(budget.take('transient')).toBe(14);
    expect(budget.take('unanswered')).toBe(14);
    expect(budget.take('transient'), '2 are left').toBeNull();
    expect(budget.take('rate_limit'), '2 are left').toBeNull();
    budget.give(null);
    budget.give(null);
    budget.give(null);
    expect(budget.take('rate_limit'), '5 are left').toBe(5);
    budget.give(14);
    expect(budget.take('transient')).toBe(14);
    budget.give(14);
    budget.give(14);
    budget.give(14);
    expect([budget.take('transient'), budget.take('transient'), budget.take('transient')]).toEqual([14, 14, null]);
  });

  test('false switches it off', () => {
    const budget = new RetryBudget(false);
    for (let count = 0; count < 1_000; count += 1) expect(budget.take('transient')).toBe(14);
  });

  test('an outage dries the retries up, and the real error comes at once', async () => {
    const server = await serve(unavailable);
    const client = clientOf(server.url, { runtime: new FakeRuntime(), retry: { budget: 500 } });
    const stops: string[] = [];
    for (let call = 0; call < 200; call += 1) stops.push((await errorOf(client.rates.list())).stoppedBy);
    // 500 tokens pay for 35 retries: seventeen calls with three attempts, one with two, the others with one.
    expect(server.requests).toHaveLength(200 + 35);
    expect(stops.slice(0, 17)).toEqual(Array(17).fill('attempts'));
    expect(stops.slice(17)).toEqual(Array(183).fill('budget'));
    expect(await errorOf(client.rates.list())).toMatchObject({ kind: 'server', status: 503, stoppedBy: 'budget' });
  });

  test('false lets a client retry for as long as the outage lasts', async () => {
    const server = await serve(unavailable);
    const client = clientOf(server.url, { runtime: new FakeRuntime(), retry: { budget: false } });
    const stops = new Set<string>();
    for (let call = 0; call < 30; call += 1) stops.add((await errorOf(client.rates.list())).stoppedBy);
    // The default budget ends the retries with the eighteenth call.
    expect([...stops]).toEqual(['attempts']);
    expect(server.requests).toHaveLength(30 * 3);
  });

  test('a success after a retry pays it back', async () => {
    const server = await serve(unavailable, ok([]), unavailable, ok([]), unavailable, unavailable);
    const client = clientOf(server.url, { runtime: new FakeRuntime(), retry: { budget: 14 } });
    await client.rates.list();
    await client.rates.list();
    expect((await errorOf(client.rates.list())).stoppedBy).toBe('budget');
    expect(server.requests).toHaveLength(4 + 2);
  });

  test('an empty one allows no retry; each client has its own', async () => {
    const server = await serve(unavailable);
    await errorOf(clientOf(server.url, { runtime: new FakeRuntime(), retry: { budget: 0 } }).rates.list());
    expect(server.requests).toHaveLength(1);
    await errorOf(clientOf(server.url, { runtime: new FakeRuntime() }).rates.list());
    expect(server.requests).toHaveLength(4);
  });
});

describe('a rate limit seen by one call', () => {
  test('delays a sibling that begins later, by what is left and up to a fifth more', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(10), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    runtime.pass(5_000);
    await client.paymentMethods.list();
    expect(runtime.waits).toEqual([5_500]);
    await client.paymentMethods.list();
    expect(runtime.waits, 'the gate is open again').toHaveLength(1);
  });

  test('delays a sibling that was waiting for another reason', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(unavailable, limited(10), ok([]));
    const client = clientOf(server.url, { runtime });
    let sibling: Promise<unknown> = Promise.resolve();
    runtime.onWait = () => {}; // the first wait stands still while the sibling is limited
    const waiting = new Promise<() => void>((resolve) => {
      runtime.timer = (milliseconds, callback) => {
        if (milliseconds !== 250) return FakeRuntime.prototype.timer.call(runtime, milliseconds, callback);
        runtime.waits.push(milliseconds);
        resolve(callback);
        return () => {};
      };
    });
    const first = client.rates.list();
    const wake = await waiting;
    runtime.onWait = null;
    sibling = errorOf(client.paymentMethods.list({ retry: false }));
    await sibling;
    wake();
    await first;
    expect(runtime.waits).toEqual([250, 11_000]);
    expect(server.requests).toHaveLength(3);
  });

  test('is part of the wait that a sibling in flight is told of', async () => {
    const runtime = new FakeRuntime(0.5);
    const delays: number[] = [];
    const slow: Step = {
      async play(exchange) {
        await errorOf(client.paymentMethods.list({ retry: false })); // limited, while the other call is under way
        unavailable.play(exchange);
      },
    };
    const server = await serve(slow, limited(10), ok([]));
    const client = clientOf(server.url, { runtime, hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) } });
    await client.rates.list();
    expect(delays).toEqual([11_000]);
    expect(runtime.waits).toEqual([11_000]);
  });

  test('is the longest that was asked for, whichever answer comes last', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(8), limited(2), ok([]));
    const client = clientOf(server.url, { runtime });
    await Promise.all([1, 2].map(() => errorOf(client.rates.list({}, { retry: false }))));
    await client.rates.list();
    expect(runtime.waits).toEqual([8_800]);
  });

  test('leaves no timer behind where the caller aborts the wait', async () => {
    const runtime = new FakeRuntime(0.5);
    const stop = new AbortController();
    let running = 0;
    runtime.timer = (milliseconds, callback) => {
      if (milliseconds === TIMEOUT) return FakeRuntime.prototype.timer.call(runtime, milliseconds, callback);
      running += 1;
      queueMicrotask(() => stop.abort());
      return () => {
        running -= 1;
      };
    };
    const server = await serve(limited(8));
    const error = await errorOf(clientOf(server.url, { runtime }).rates.list({}, { signal: stop.signal }));
    expect([error.stoppedBy, running]).toEqual(['aborted', 0]);
  });

  test('spreads the siblings out', async () => {
    const runtime = new FakeRuntime(0, 0.25, 0.75, 0.5);
    const server = await serve(limited(8), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await Promise.all([client.rates.list(), client.rates.list(), client.rates.list()]);
    expect(new Set(runtime.waits).size).toBe(3);
    for (const wait of runtime.waits) expect(wait).toBeGreaterThanOrEqual(8_000);
    for (const wait of runtime.waits) expect(wait).toBeLessThanOrEqual(9_600);
  });

  test.each([
    [20, {}, { deadline: 12_000 }],
    [60, {}, {}],
    [5, { retry: { maxRetryAfter: 1_000 } }, { retry: { maxRetryAfter: 4_000 } }],
  ])('of %i s fails a sibling that cannot wait for it, and nothing is sent', async (seconds, first, sibling) => {
    const server = await serve(limited(seconds), ok([]));
    const client = clientOf(server.url, { runtime: new FakeRuntime(0.5) });
    await errorOf(client.rates.list({}, first));
    expect(await errorOf(client.paymentMethods.list(sibling))).toMatchObject({
      kind: 'rate_limit',
      stoppedBy: 'retry_after',
      outcome: 'not_sent',
      attempts: [],
      retryAfter: seconds * 1_000,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('delays a sibling that waits longer than the first call did', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(20), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list());
    await client.rates.list({}, { retry: { maxRetryAfter: 30_000 } });
    expect(runtime.waits).toEqual([22_000]);
  });

  test('counts for a minute at most: then the service is asked again', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(86_400), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list());
    await errorOf(client.rates.list());
    runtime.pass(60_000);
    await client.rates.list();
    expect(server.requests).toHaveLength(2);
  });

  test('a transient failure delays nobody else', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(refuse(503, null, undefined, { 'retry-after': '10' }), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await client.rates.list();
    expect(runtime.waits).toEqual([]);
  });
});
