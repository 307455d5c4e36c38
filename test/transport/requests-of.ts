import { expect } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

/** One call of each kind that the retry table knows. */
export const CALLS = {
  get: (client: MerchantClient) => client.invoices.get('order-1042'),
  list: (client: MerchantClient) => client.invoices.list(),
  create: (client: MerchantClient) => client.invoices.create(order),
  resend: (client: MerchantClient) => client.webhooks.resend('order-1042'),
};

/** How many requests a server sees of each call that is answered like this every time. Three attempts are allowed. */
export async function requestsOf(step: (runtime: FakeRuntime) => Step): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  for (const [name, call] of Object.entries(CALLS)) {
    const runtime = new FakeRuntime();
    const server = await serve(step(runtime));
    const error = await errorOf(call(clientOf(server.url, { runtime })));
    seen[name] = server.requests.length;
    expect(error.attempts).toHaveLength(server.requests.length);
    expect(error.stoppedBy).toBe(server.requests.length === 3 ? 'attempts' : 'not_retryable');
    expect(new Set(server.requests.map(({ body }) => body)).size, 'the bytes of every attempt').toBe(1);
    expect(runtime.pending, 'attempt timers left behind').toBe(0);
  }
  return seen;
}
