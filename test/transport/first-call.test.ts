import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { errorOf, order } from '../support/test-client.ts';

// ky is loaded by the first attempt. Each test has fresh modules, and decides when and how the load ends.

let loads: number;
let requests: number;
let load: () => Promise<unknown>;
let open: () => void;

beforeEach(() => {
  vi.resetModules();
  loads = 0;
  requests = 0;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  load = () => gate;
  vi.doMock('ky', async () => {
    loads += 1;
    await load();
    return vi.importActual('ky');
  });
});
afterEach(() => vi.doUnmock('ky'));

async function freshClient(options: object = {}) {
  const { MerchantClient } = await import('../../src/client.ts');
  return new MerchantClient({
    baseUrl: 'https://pay.example',
    apiKey: 'key_7Hq2Zx9Lm',
    retry: false,
    fetch: async () => {
      requests += 1;
      return Response.json({ success: true, data: [] });
    },
    ...options,
  });
}

/** Waits until the load has begun, for a bounded number of turns. */
async function begun(): Promise<void> {
  for (let turn = 0; turn < 10_000 && loads === 0; turn += 1) await new Promise(setImmediate);
  expect(loads).toBe(1);
}

describe('the first call of a process', () => {
  it('loads ky, which import and constructor do not', async () => {
    const client = await freshClient();
    expect(loads).toBe(0);
    open();
    expect(await client.rates.list()).toEqual([]);
    expect([loads, requests]).toEqual([1, 1]);
  });

  it('shares the load with a call beside it, and with a call of another client', async () => {
    const [one, other] = [await freshClient(), await freshClient()];
    const calls = [one.rates.list(), one.rates.list(), other.rates.list()];
    await begun();
    expect(requests).toBe(0);
    open();
    expect(await Promise.all(calls)).toEqual([[], [], []]);
    expect([loads, requests]).toEqual([1, 3]);
  });

  it('checks its arguments without a load', async () => {
    const client = await freshClient();
    expect(await errorOf(client.invoices.create({ ...order, amount: '0' }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(loads).toBe(0);
  });

  it('ends when the caller aborts during the load', async () => {
    const client = await freshClient();
    const controller = new AbortController();
    const call = errorOf(client.invoices.create(order, { signal: controller.signal }));
    await begun();
    controller.abort('no longer needed');
    expect(await call).toMatchObject({ code: 'SDK_ABORTED', outcome: 'not_sent', reason: 'no longer needed' });
    expect(requests).toBe(0);
  });

  it.each([
    ['timeout', 'SDK_ATTEMPT_TIMEOUT'],
    ['deadline', 'SDK_DEADLINE'],
  ])('ends at its %s during the load', async (option, code) => {
    const runtime = new FakeRuntime();
    const client = await freshClient({ runtime, [option]: runtime.attemptLimit });
    const call = errorOf(client.invoices.create(order));
    await begun();
    runtime.expire();
    expect(await call).toMatchObject({ code, outcome: 'not_sent' });
    expect([requests, runtime.pending]).toEqual([0, 0]);
  });

  it('fails with an error that says so when the load fails, and a later call succeeds', async () => {
    load = () => Promise.reject(new Error('the file is missing'));
    const client = await freshClient({ retry: { attempts: 3 } });
    const error = await errorOf(client.invoices.create(order));
    expect(error).toMatchObject({
      kind: 'configuration',
      code: 'SDK_CONFIGURATION',
      outcome: 'not_sent',
      stoppedBy: 'not_retryable',
      externalId: order.external_id,
      attempts: [{ code: 'SDK_CONFIGURATION', status: null, outcome: 'not_sent' }],
      cause: expect.any(Error),
    });
    expect(error.message).toBe(
      'invoices.create: a file of this package could not be loaded. Install or deploy the package again.',
    );
    expect(requests).toBe(0);
    load = () => Promise.resolve();
    expect(await client.rates.list()).toEqual([]);
  });
});
