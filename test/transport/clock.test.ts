import { expect, it } from 'vitest';
import { MerchantClient } from '../../src/client.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import { FakeRuntime, TIMEOUT } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, stall } from '../support/fault-steps.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// Durations are measured on a monotonic clock: what sets the wall clock changes no wait and no limit.

const HOUR = 3_600_000;
const limited = refuse(429, null, null, { 'retry-after': '9' });

const rates = (client: MerchantClient) => client.rates.list().result();
const sibling = async (client: MerchantClient) => {
  await errorOf(client.rates.list({}, { retry: false }));
  await client.rates.list();
};

type Call = (client: MerchantClient) => Promise<unknown>;
it.each<[string, (runtime: FakeRuntime) => Step[], Call, number[], MerchantClientOptions?]>([
  ['back-off', () => [refuse(503, null), refuse(503, null), ok([])], rates, [250, 500]],
  ['a wait that was asked for', () => [limited, ok([])], rates, [9_900]],
  ['the wait of a sibling of a limited call', () => [limited, ok([])], sibling, [9_900]],
  ['the end of the deadline', ({ expire }) => [stall(expire)], rates, [250, 4_750], { deadline: 1.5 * TIMEOUT }],
])('a wall clock that is set changes nothing in %s', async (_name, steps, call, waits, options = {}) => {
  for (const jump of [0, HOUR, -HOUR]) {
    const runtime = new FakeRuntime(0.5);
    const jumping = (step: Step): Step => ({
      play(exchange) {
        runtime.time += jump;
        step.play(exchange);
      },
    });
    const server = await serve(...steps(runtime).map(jumping));
    await call(clientOf(server.url, { runtime, ...options }));
    expect(runtime.waits).toEqual(waits);
  }
});

it('the default clock of durations is the platform’s monotonic one', async () => {
  const { now } = Date;
  const server = await serve(refuse(503, null), ok([]));
  const client = new MerchantClient({ baseUrl: server.url, apiKey: 'k', retry: { baseDelay: 0, maxDelay: 0 } });
  let read = 0;
  Date.now = () => now() + HOUR * read++;
  try {
    const { response } = await client.rates.list().withResponse();
    expect(response.attempts).toBe(2);
    expect(response.durationMs).toBeLessThan(HOUR);
  } finally {
    Date.now = now;
  }
});
