import { describe, expect, it } from 'vitest';
import { MerchantClient } from '../../src/client.ts';
import type { MerchantClientOptions } from '../../src/options.ts';
import { FakeRuntime, TIMEOUT } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, stall } from '../support/fault-steps.ts';
import { pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

// Durations are measured on a monotonic clock: what sets the wall clock changes no wait, limit or budget.

const HOUR = 3_600_000;
const JUMPS = [0, HOUR, -HOUR];

/** The step, while the wall clock is set. */
const during = (runtime: FakeRuntime, jump: number, step: Step): Step => ({
  play(exchange) {
    runtime.time += jump;
    step.play(exchange);
  },
});

async function journey(jump: number, steps: (runtime: FakeRuntime) => Step[], options: MerchantClientOptions = {}) {
  const runtime = new FakeRuntime(0.5);
  const server = await serve(...steps(runtime).map((step) => during(runtime, jump, step)));
  const result = await clientOf(server.url, { runtime, ...options })
    .rates.list()
    .withResponse()
    .then(
      ({ response: { attempts, durationMs } }) => ({ attempts, durationMs }),
      ({ code, stoppedBy, attempts }) => ({ code, stoppedBy, attempts }),
    );
  return { result, waits: runtime.waits, requests: server.requests.length };
}

describe.each<[string, (runtime: FakeRuntime) => Step[], MerchantClientOptions]>([
  ['back-off', () => [refuse(503, null), refuse(503, null), ok([])], {}],
  ['a wait that was asked for', () => [refuse(429, null, null, { 'retry-after': '3' }), ok([])], {}],
  [
    'the end of the deadline',
    ({ expire }) => [stall(expire), stall(expire), stall(expire)],
    { deadline: 1.5 * TIMEOUT },
  ],
])('a clock that is set changes nothing in %s', (_name, steps, options) => {
  it.each(JUMPS.slice(1))('by %i ms', async (jump) => {
    expect(await journey(jump, steps, options)).toEqual(await journey(0, steps, options));
  });
});

it.each(JUMPS)('a rate limit holds its siblings back as long as it said, after a jump of %i ms', async (jump) => {
  const runtime = new FakeRuntime(0);
  const server = await serve(refuse(429, null, null, { 'retry-after': '9' }), ok([]));
  const client = clientOf(server.url, { runtime });
  await errorOf(client.rates.list({}, { retry: false }));
  runtime.time += jump;
  await client.rates.list();
  expect(runtime.waits).toEqual([9_000]);
});

it.each(JUMPS)('waitUntilFinal reads as often, after a jump of %i ms', async (jump) => {
  const runtime = new FakeRuntime(0);
  const paid = { ...successInvoice, external_id: 'order-1042' };
  const server = await serve(during(runtime, jump, ok(pendingInvoice)), ok(pendingInvoice), ok(paid));
  await clientOf(server.url, { runtime }).invoices.waitUntilFinal('order-1042');
  expect(runtime.waits).toEqual([2_000, 3_000]);
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
