import { afterEach, describe, expect, test, vi } from 'vitest';
import { listDeliveries } from '../src/contract/deliveries.ts';
import { isMerchantError } from '../src/errors/guards.ts';
import { clientOf } from './support/test-client.ts';

// Objects and settings of the host that throw or give what nobody expects: still only errors of this package.

const client = clientOf('https://pay.example', {
  retry: false,
  fetch: async () => new Response('{}', { status: 404 }),
});
const boom = (): never => {
  throw new Error('boom');
};

async function failure(run: () => PromiseLike<unknown>): Promise<unknown> {
  return run().then(
    () => null,
    (error: unknown) => error,
  );
}

describe('an error of this package, whatever the host does', () => {
  test('stacks are lists of frames', async () => {
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_error, frames) => frames;
    try {
      expect(isMerchantError(await failure(() => client.invoices.get('order-1042')))).toBe(true);
    } finally {
      Error.prepareStackTrace = before;
    }
  });

  test.each<[string, () => PromiseLike<unknown>]>([
    [
      'a signal from which no listener can be taken',
      () => client.invoices.get('x', { signal: { aborted: false, addEventListener() {} } as never }),
    ],
    [
      'options of a wait that throw',
      () => client.invoices.waitUntilFinal('x', Object.defineProperty({}, 'interval', { get: boom, enumerable: true })),
    ],
    ['options of a wait that are a number', () => client.invoices.waitUntilFinal('x', 5 as never)],
    [
      'a limit that throws',
      () => client.invoices.list().collect(Object.defineProperty({} as { limit: number }, 'limit', { get: boom })),
    ],
  ])('%s', async (_name, run) => {
    expect(await failure(run)).toMatchObject({ code: 'SDK_INVALID_ARGUMENT', outcome: 'not_sent' });
  });
});

describe('a response that a fake makes by hand', () => {
  const hooks = { onResponse: () => {} };
  const answering = (response: object) =>
    clientOf('https://pay.example', { retry: false, hooks, fetch: async () => response as Response });
  const body = () => Response.json({ success: true, data: [] }).body;

  test.each([undefined, null, {}])('with %j in place of headers is an error of this package', async (headers) => {
    const client = answering({ ok: true, status: 200, headers, body: body() });
    expect(await failure(() => client.rates.list().withResponse())).toMatchObject({ code: 'SDK_CONNECTION' });
  });

  test('may have its headers in a Map', async () => {
    const { data, response } = await answering({ ok: true, status: 200, headers: new Map(), body: body() })
      .rates.list()
      .withResponse();
    expect([data, response.requestId]).toEqual([[], null]);
  });
});

describe('a host that replaces Promise', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('may give the key by a function', async () => {
    vi.stubGlobal('Promise', class Other<T> extends Promise<T> {});
    const client = clientOf('https://pay.example', {
      apiKey: async () => 'key_7Hq2Zx9Lm',
      fetch: async () => Response.json({ success: true, data: [] }),
    });
    expect(await client.rates.list()).toEqual([]);
  });
});

test('the attempts of an answer are counted together before they are read', () => {
  let read = 0;
  const attempt = Object.defineProperty({}, 'success', {
    enumerable: true,
    get() {
      read += 1;
      return true;
    },
  });
  const record = (attempts: number) => ({
    id: 'd-1',
    status: 'failed',
    attempt_log: Array.from({ length: attempts }, () => attempt),
  });
  expect(listDeliveries.data([record(5_000), record(5_000)]).ok).toBe(true);
  read = 0;
  expect(listDeliveries.data([record(1_000_000)])).toMatchObject({
    ok: false,
    issues: [{ path: '0.attempt_log', message: expect.stringContaining('10000 attempts') }],
  });
  expect(read).toBe(0);
});
