import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EndEvent, Hooks, MerchantClient } from '../../src/index.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse, resetAfterReading, stall } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { movingList, uuids } from '../support/moving-list.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';
import { CALLS } from './calls.ts';

// What hooks hear of a call, and what MERCHANT_DEBUG prints of it.

const unavailable = refuse(503, null);
const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });
const CREATE = { operation: 'invoices.create', method: 'POST', url: '/api/v1/external/invoices' };
const GET = { operation: 'invoices.get', method: 'GET', url: '/api/v1/external/invoices/{ident}' };

/** Plays one call, and returns each event with its name. */
async function heard(script: readonly Step[], call: (client: MerchantClient) => PromiseLike<unknown>) {
  const events: [keyof Hooks, Record<string, unknown>][] = [];
  const note = (name: keyof Hooks) => (event: object) => void events.push([name, { ...event }]);
  const hooks: Hooks = {
    onRequest: note('onRequest'),
    onResponse: note('onResponse'),
    onRetry: note('onRetry'),
    onEnd: note('onEnd'),
  };
  const server = await serve(...script);
  await Promise.resolve(call(clientOf(server.url, { hooks, runtime: new FakeRuntime() }))).catch(() => {});
  return events;
}

it('each step of a call is an event, in order, with one id', async () => {
  const events = await heard([unavailable, ok(createdInvoice)], CALLS.create);
  expect(events.map(([name, { attempt }]) => [name, attempt])).toEqual([
    ['onRequest', 1],
    ['onResponse', 1],
    ['onRetry', 1],
    ['onRequest', 2],
    ['onResponse', 2],
    ['onEnd', 2],
  ]);
  for (const [, event] of events) expect(event).toMatchObject({ ...CREATE, externalId: 'order-1042' });
  expect(new Set(events.map(([, { callId }]) => callId)).size).toBe(1);
  expect(events[2]?.[1]).toMatchObject({ code: 'SDK_HTTP_503', status: 503, outcome: 'unknown', delayMs: 250 });
  expect(events.at(-1)?.[1]).toMatchObject({ ok: true, status: 200, code: null, outcome: null, error: null });
});

it('what a creation reads back has its operation, and the call ends once', async () => {
  const events = await heard([resetAfterReading, conflict, ok(pendingInvoice)], CALLS.create);
  const operations = events.filter(([name]) => name === 'onRequest').map(([, { operation }]) => operation);
  expect(operations).toEqual(['invoices.create', 'invoices.create', 'invoices.get']);
  expect(new Set(events.map(([, { callId }]) => callId)).size).toBe(1);
  expect(events.filter(([name]) => name === 'onEnd')).toMatchObject([
    ['onEnd', { ok: true, recovered: true, attempt: 3 }],
  ]);
});

describe('the end of a call that fails', () => {
  it.each<
    [
      string,
      readonly Step[],
      (client: MerchantClient) => PromiseLike<unknown>,
      { readonly [Name in keyof EndEvent]?: unknown },
    ]
  >([
    [
      'a server error',
      [unavailable],
      CALLS.get,
      { ...GET, code: 'SDK_HTTP_503', status: 503, attempt: 3, expected: false },
    ],
    [
      'an ident that is not found',
      [refuse(404, 'NO_SUCH')],
      CALLS.get,
      { code: 'NO_SUCH', status: 404, expected: true },
    ],
    ['a 404 of a proxy', [refuse(404, null)], CALLS.get, { code: 'SDK_HTTP_404', expected: false }],
    ['a conflict', [conflict], CALLS.create, { code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected', expected: true }],
    [
      'a lost response',
      [resetAfterReading],
      CALLS.resend,
      { code: 'SDK_CONNECTION', status: null, outcome: 'unknown', expected: false },
    ],
    [
      'wrong parameters',
      [],
      (client) => client.invoices.create({ ...order, amount: '0' }),
      { ...CREATE, code: 'VALIDATION_ERROR', attempt: 0, expected: true, externalId: 'order-1042' },
    ],
    [
      'wrong options',
      [],
      (client) => client.invoices.get('order-1042', { timeout: -1 }),
      { ...GET, code: 'SDK_INVALID_ARGUMENT', attempt: 0, expected: true, externalId: 'order-1042' },
    ],
    [
      'a filter that is none',
      [],
      (client) => client.rates.list({ fiat: '' }),
      { operation: 'rates.list', code: 'VALIDATION_ERROR', attempt: 0, expected: true },
    ],
    [
      'a request that is none',
      [],
      (client) => client.request({ method: 'GET', path: 'x' }),
      { operation: 'request', code: 'SDK_INVALID_ARGUMENT', expected: true },
    ],
    [
      'an abort',
      [unavailable],
      (client) => client.invoices.get('a', { signal: AbortSignal.abort() }),
      { code: 'SDK_ABORTED', attempt: 0, expected: true },
    ],
  ])('is told once, with its error: %s', async (_name, script, call, expected) => {
    const ends = (await heard(script, call)).filter(([name]) => name === 'onEnd').map(([, event]) => event);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ ok: false, ...expected });
    expect(ends[0]?.['error']).toMatchObject({ code: expected.code });
  });
});

describe('the pages of a list', () => {
  async function endsOf(
    change: (page: object, asked: number) => object,
    use: (client: MerchantClient) => Promise<unknown>,
  ) {
    const list = await movingList(uuids(100));
    list.edit = (page, asked) => change(page, asked) as typeof page; // as moving-list takes them
    const ends: EndEvent[] = [];
    const hooks = { onEnd: (event: EndEvent) => void ends.push(event) };
    await use(clientOf(list.server.url, { hooks, retry: false })).catch(() => {});
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    return ends;
  }
  const refused = (from: number) => (page: object, asked: number) => (asked >= from ? refuse(503, 'NOT_NOW') : page);

  it('are calls, and one that is needed ends as it failed', async () => {
    const ends = await endsOf(refused(3), (client) =>
      client.invoices.list({}, { prefetch: 1 }).collect({ limit: 100 }),
    );
    expect(ends.map(({ ok, code, expected }) => [ok, code, expected])).toEqual([
      [true, null, false],
      [true, null, false],
      [false, 'NOT_NOW', false],
    ]);
    expect(new Set(ends.map(({ callId }) => callId)).size).toBe(3);
  });

  it('a page that turned out not to be needed ends as expected', async () => {
    const ends = await endsOf(refused(3), async (client) => {
      let seen = 0;
      for await (const _ of client.invoices.list({}, { prefetch: 4 })) {
        seen += 1;
        if (seen === 25) break;
      }
    });
    const failed = ends.filter(({ ok }) => !ok);
    expect(failed.length).toBeGreaterThan(0);
    for (const { expected } of failed) expect(expected).toBe(true);
  });

  it('a walk that cannot be complete is one more onEnd, with SDK_PAGE', async () => {
    const ends = await endsOf(
      (page) => Object.assign(page, { page: 1 }), // whatever is asked
      (client) => client.invoices.list({}, { prefetch: 1 }).collect({ limit: 100 }),
    );
    expect(ends.at(-1)).toMatchObject({ ok: false, operation: 'invoices.list', code: 'SDK_PAGE', expected: false });
    expect(ends.filter(({ code }) => code === 'SDK_PAGE')).toHaveLength(1);
  });
});

describe('MERCHANT_DEBUG=1', () => {
  async function printed(value: string, script: readonly Step[], runtime = new FakeRuntime()) {
    vi.stubEnv('MERCHANT_DEBUG', value);
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      write.mockRestore();
    });
    const server = await serve(...script);
    const client = clientOf(server.url, { runtime });
    await errorOf(CALLS.create(client)).catch(() => {});
    return write.mock.calls.map(([text]) => String(text));
  }

  it('prints a line for each attempt, without key, id and body', async () => {
    const slow: Step = { play: ({ response }) => void response.writeHead(503, { 'x-request-id': 'req-7' }).end('{}') };
    const runtime = new FakeRuntime();
    const lines = await printed('1', [slow, stall(runtime.expire), ok(createdInvoice)], runtime);
    expect(lines).toEqual([
      'merchant-invoicing: POST /api/v1/external/invoices 503 0 ms req-7\n',
      'merchant-invoicing: POST /api/v1/external/invoices SDK_ATTEMPT_TIMEOUT 10000 ms\n',
      'merchant-invoicing: POST /api/v1/external/invoices 200 0 ms\n',
    ]);
    expect(lines.join('')).not.toMatch(new RegExp(`order-1042|25.00|${API_KEY.slice(0, 8)}`));
  });

  it('is read when the client is made, and nothing else switches it on', async () => {
    expect(await printed('0', [ok(createdInvoice)])).toEqual([]);
  });
});
