import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { serve } from '../support/fault-server.ts';
import { answer, ok, refuse } from '../support/fault-steps.ts';
import { scaled } from '../support/scaled.ts';
import { API_KEY, clientOf } from '../support/test-client.ts';

const CALLS = 50 * scaled(30);

it(`${CALLS} calls on one signal leave no listener`, async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  const { signal } = new AbortController();
  const runtime = new FakeRuntime();
  const server = await serve(answer(503, ''), refuse(404, null), ok([]));
  const client = clientOf(server.url, { runtime, apiKey: async () => API_KEY });
  for (let begun = 0; begun < CALLS; begun += 50) {
    await Promise.allSettled(Array.from({ length: 50 }, () => client.rates.list({}, { signal })));
  }
  expect(server.requests.length).toBeGreaterThanOrEqual(CALLS);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(runtime.pending).toBe(0);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
