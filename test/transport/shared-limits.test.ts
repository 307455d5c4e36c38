import { describe, expect, it, vi } from 'vitest';
import type { ClientRetryOptions } from '../../src/options.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

const unavailable = refuse(503, null);
const limited = (seconds: number): Step => refuse(429, null, undefined, { 'retry-after': String(seconds) });

describe('the retry budget that all calls of a client share', () => {
  /** Makes calls of a service that responds with this status, and returns why each stopped, and the number of requests. */
  async function stopsOf(calls: number, status: number, retry: ClientRetryOptions) {
    const fetch = vi.fn(async () => new Response('', { status }));
    const client = clientOf('https://pay.example', { fetch, runtime: new FakeRuntime(), retry });
    const stops: string[] = [];
    while (stops.length < calls) stops.push((await errorOf(client.rates.list())).stoppedBy);
    return { stops, requests: fetch.mock.calls.length };
  }

  it.each<[string, number, number, ClientRetryOptions, attempts: number, retries: number]>([
    // 500 tokens pay for 35 retries: seventeen calls with three attempts, one with two, the others with one.
    ['an outage dries the retries up, and the real error comes at once', 200, 503, {}, 17, 35],
    ['false lets a client retry for as long as the outage lasts', 30, 503, { budget: false }, 30, 60],
    ['takes 14 for a failure', 1, 503, { budget: 49, attempts: 30 }, 0, 3],
    ['takes 5 for a rate limit', 1, 429, { budget: 49, attempts: 30 }, 0, 9],
    ['an empty one allows no retry', 1, 503, { budget: 0 }, 0, 0],
  ])('%s', async (_name, calls, status, retry, attempts, retries) => {
    const { stops, requests } = await stopsOf(calls, status, retry);
    expect(stops).toEqual([...Array(attempts).fill('attempts'), ...Array(calls - attempts).fill('budget')]);
    expect(requests).toBe(calls + retries);
  });

  it('gets its last cost back from a success, and one from a success without a retry, up to its size', async () => {
    const retried = [unavailable, ok([])];
    const server = await serve(...retried, ...retried, unavailable, unavailable, ...Array(14).fill(ok([])), ...retried);
    const client = clientOf(server.url, { runtime: new FakeRuntime(), retry: { budget: 14 } });
    await client.rates.list();
    await client.rates.list();
    expect((await errorOf(client.rates.list())).stoppedBy).toBe('budget'); // it has paid for one retry, in vain
    for (let call = 0; call < 14; call += 1) await client.rates.list();
    expect((await client.rates.list().withResponse()).response.attempts).toBe(2);
    server.script = [...Array(14).fill(ok([])), unavailable];
    for (let call = 0; call < 14; call += 1) await client.rates.list();
    expect((await errorOf(client.rates.list())).attempts).toHaveLength(2);
  });
});

describe('a rate limit seen by one call', () => {
  it('delays a sibling that begins later, by what is left and up to a fifth more', async () => {
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

  it('delays a sibling that was waiting for another reason', async () => {
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

  it.each([
    [10, { waits: [11_000], error: null }],
    [30, { waits: [], error: { kind: 'server', status: 503, stoppedBy: 'retry_after', attempts: { length: 1 } } }],
  ])(
    'of %i s is part of the wait of a sibling in flight, or fails it with its own failure',
    async (seconds, expected) => {
      const runtime = new FakeRuntime(0.5);
      const delays: number[] = [];
      const slow: Step = {
        async play(exchange) {
          await errorOf(client.paymentMethods.list({ retry: false })); // limited, while the other call is under way
          unavailable.play(exchange);
        },
      };
      const server = await serve(slow, limited(seconds), ok([]));
      const client = clientOf(server.url, { runtime, hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) } });
      const result = await client.rates.list().result();
      expect({ waits: runtime.waits, error: result.ok ? null : result.error }).toMatchObject(expected);
      expect(delays).toEqual(expected.waits);
    },
  );

  it('is the longest that was asked for, whichever answer comes last', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(8), limited(2), ok([]));
    const client = clientOf(server.url, { runtime });
    await Promise.all([1, 2].map(() => errorOf(client.rates.list({}, { retry: false }))));
    await client.rates.list();
    expect(runtime.waits).toEqual([8_800]);
  });

  it('spreads the siblings out', async () => {
    const runtime = new FakeRuntime(0, 0.25, 0.75, 0.5);
    const server = await serve(limited(8), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await Promise.all([client.rates.list(), client.rates.list(), client.rates.list()]);
    expect(runtime.waits).toEqual([8_000, 8_400, 9_200]);
  });

  it.each<[number, object, object, string]>([
    [20, {}, { deadline: 12_000 }, 'retry_after'],
    [60, {}, {}, 'retry_after'],
    [25, { retry: { maxRetryAfter: 60_000, attempts: 1 } }, {}, 'retry_after'],
    [5, { retry: { maxRetryAfter: 1_000 } }, { retry: { maxRetryAfter: 4_000 } }, 'retry_after'],
    [8, { retry: false }, { deadline: 8_300 }, 'deadline'], // it would have no time to be answered
  ])(
    'of %i s fails a sibling that cannot wait for it, and nothing is sent',
    async (seconds, first, sibling, stoppedBy) => {
      const server = await serve(limited(seconds), ok([]));
      const runtime = new FakeRuntime(0);
      const client = clientOf(server.url, { runtime });
      await errorOf(client.rates.list({}, first));
      expect(await errorOf(client.invoices.create(order, sibling))).toMatchObject({
        kind: 'rate_limit',
        stoppedBy,
        outcome: 'not_sent',
        attempts: [],
        retryAfter: seconds * 1_000,
        operation: 'invoices.create',
        externalId: 'order-1042',
      });
      expect(server.requests).toHaveLength(1);
      expect(runtime.waits).toEqual([]);
    },
  );

  it('delays a sibling that waits longer than the first call did', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(20), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list());
    await client.rates.list({}, { retry: { maxRetryAfter: 30_000 } });
    expect(runtime.waits).toEqual([22_000]);
  });

  it('counts for a minute at most: then the service is asked again', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(86_400), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list());
    await errorOf(client.rates.list());
    runtime.pass(60_000);
    await client.rates.list();
    expect(server.requests).toHaveLength(2);
  });

  it('a transient failure delays nobody else', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(refuse(503, null, undefined, { 'retry-after': '10' }), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await client.rates.list();
    expect(runtime.waits).toEqual([]);
  });
});
