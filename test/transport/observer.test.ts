import { describe, expect, test, vi } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import type { MerchantError } from '../../src/errors/merchant-error.ts';
import type { Hooks, Logger } from '../../src/transport/observe/events.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';

type Told = readonly [hook: string, event: object];

function recorder(): { readonly told: Told[]; readonly hooks: Hooks } {
  const told: Told[] = [];
  const note = (hook: string) => (event: object) => void told.push([hook, event]);
  const hooks = {
    onRequest: note('request'),
    onResponse: note('response'),
    onRetry: note('retry'),
    onError: note('error'),
    onEnd: note('end'),
  };
  return { told, hooks };
}

const create = {
  operation: 'invoices.create',
  method: 'POST',
  url: '/api/v1/external/invoices',
  callId: expect.stringMatching(/^[\da-f-]{36}$/),
  externalId: 'order-1042',
};

describe('hooks', () => {
  test('are told of each step, in order', async () => {
    const { told, hooks } = recorder();
    const runtime = new FakeRuntime(0.5);
    const server = await serve(refuse(503, 'MAINTENANCE'), ok(createdInvoice, { 'x-request-id': 'r2' }));
    await clientOf(server.url, { runtime, hooks }).invoices.create(order);
    expect(told).toEqual([
      ['request', { ...create, attempt: 1 }],
      ['response', { ...create, attempt: 1, status: 503, requestId: null, durationMs: 0 }],
      ['retry', { ...create, attempt: 1, code: 'MAINTENANCE', status: 503, outcome: 'unknown', delayMs: 250 }],
      ['request', { ...create, attempt: 2 }],
      ['response', { ...create, attempt: 2, status: 200, requestId: 'r2', durationMs: 0 }],
      [
        'end',
        {
          ...create,
          attempt: 2,
          ok: true,
          status: 200,
          requestId: 'r2',
          code: null,
          outcome: null,
          expected: false,
          recovered: false,
          durationMs: 250,
        },
      ],
    ]);
    expect(callIds(told).size).toBe(1);
  });

  test('onError is told once, of the call, with the path template', async () => {
    const { told, hooks } = recorder();
    const runtime = new FakeRuntime(0.5);
    const server = await serve(refuse(503, null));
    await errorOf(clientOf(server.url, { runtime, hooks }).invoices.get('order-1042'));
    expect(told.filter(([hook]) => hook === 'error')).toEqual([
      [
        'error',
        {
          operation: 'invoices.get',
          method: 'GET',
          url: '/api/v1/external/invoices/{ident}',
          callId: expect.any(String),
          externalId: 'order-1042',
          attempt: 3,
          code: 'SDK_HTTP_503',
          status: 503,
          outcome: 'rejected',
          durationMs: 750,
          expected: false,
        },
      ],
    ]);
  });

  test('onError is told of a local check, and not of parts of a call that succeeds', async () => {
    const { told, hooks } = recorder();
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS'), refuse(404, null), ok(page([pendingInvoice])));
    const client = clientOf(server.url, { hooks });
    await client.invoices.createOrGet(order);
    expect(told.map(([hook]) => hook)).not.toContain('error');
    await errorOf(client.invoices.create({ ...order, amount: '0' }));
    const refused = { ...create, attempt: 0, code: 'VALIDATION_ERROR', outcome: 'not_sent', expected: true };
    expect(told.slice(-2)).toMatchObject([
      ['error', refused],
      ['end', { ...refused, ok: false, status: null, requestId: null }],
    ]);
    expect(told.filter(([hook]) => hook === 'error')).toHaveLength(1);
    expect(told.filter(([hook]) => hook === 'end')).toHaveLength(2);
  });

  test('a read-back has the call and the order of its creation, and calls differ', async () => {
    const { told, hooks } = recorder();
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS'), refuse(404, null), ok(page([pendingInvoice])));
    const client = clientOf(server.url, { hooks });
    await client.invoices.createOrGet(order);
    const facts = told.map(([hook, event]) => [
      hook,
      Reflect.get(event, 'operation'),
      Reflect.get(event, 'externalId'),
    ]);
    expect(facts.filter(([hook]) => hook === 'request')).toEqual([
      ['request', 'invoices.create', 'order-1042'],
      ['request', 'invoices.get', 'order-1042'],
      ['request', 'invoices.list', 'order-1042'],
    ]);
    expect(told.at(-1)).toMatchObject(['end', { ...create, ok: true, attempt: 3, recovered: false }]);
    expect(callIds(told).size).toBe(1);
    await client.rates.list().result();
    expect(callIds(told).size).toBe(2);
  });

  test('an order that holds the key is told without it', async () => {
    const { told, hooks } = recorder();
    const server = await serve(refuse(503, null));
    await errorOf(clientOf(server.url, { hooks }).invoices.create({ ...order, external_id: `order-${API_KEY}` }));
    expect(told.length).toBeGreaterThan(3);
    for (const [, event] of told) expect(event).toMatchObject({ externalId: 'order-[redacted]' });
  });

  test('each page of a list is a call; one that is read ahead in vain ends, and is no error', async () => {
    const { told, hooks } = recorder();
    const rows = (n: number) =>
      ok({ ...page([{ ...pendingInvoice, uuid: `u-${n}` }]), ...walked, page: n, total_pages: 3, total_items: 3 });
    const server = await serve(rows(1), rows(2), refuse(500, null));
    const client = clientOf(server.url, { hooks, retry: false });
    for await (const { uuid } of client.invoices.list({ per_page: 1 }, { prefetch: 2 })) {
      if (uuid === 'u-1') continue;
      await vi.waitFor(() => expect(told.filter(([hook]) => hook === 'end')).toHaveLength(3));
      break;
    }
    expect(callIds(told).size).toBe(3);
    expect(told.at(-1)).toMatchObject(['end', { ok: false, status: 500 }]);
    expect(told.map(([hook]) => hook)).not.toContain('error');
  });

  test('a page that ends a walk is one error, of the call that read it', async () => {
    const { told, hooks } = recorder();
    const server = await serve(ok({ ...page([pendingInvoice]), ...walked }), refuse(500, null));
    const client = clientOf(server.url, { hooks, retry: false });
    await errorOf(client.invoices.list({ per_page: 1 }).collect({ limit: 9 }));
    const failed = told.filter(([hook, event]) => hook === 'error' || Reflect.get(event, 'ok') === false);
    expect(failed.map(([hook]) => hook).sort()).toEqual(['end', 'error']);
    expect(callIds(failed).size).toBe(1);
  });

  test.each<[string, (client: MerchantClient) => Promise<unknown>]>([
    ['options of rates', ({ rates }) => rates.list({}, { timeout: -1 })],
    ['a filter of rates', ({ rates }) => rates.list({ fiat: '' })],
    ['options of payment methods', ({ paymentMethods }) => paymentMethods.list({ deadline: 0 })],
    ['a charge', ({ paymentMethods }) => paymentMethods.forCharge({ currency: 'EUR', amount: 'x' })],
    ['options of a list', ({ invoices }) => invoices.list({}, { prefetch: 0 })],
  ])('onError is told once of unusable %s', async (_name, call) => {
    const { told, hooks } = recorder();
    const error = await errorOf(call(clientOf('https://pay.example', { hooks })));
    const event = { attempt: 0, code: (error as MerchantError).code, outcome: 'not_sent', expected: true };
    expect(told).toMatchObject([
      ['error', event],
      ['end', event],
    ]);
  });

  test.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('mine');
      },
    ],
    ['reject', () => Promise.reject(new Error('mine'))],
    ['give a thenable that fails', () => thenable((_, reject) => reject(new Error('mine')))],
    [
      'give a thenable that throws',
      () =>
        thenable(() => {
          throw new Error('mine');
        }),
    ],
  ])('that %s change nothing', async (_name, hook) => {
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    // A hook gives nothing by its type; JavaScript does not keep it from giving something.
    const bad = hook as () => undefined;
    const hooks: Hooks = { onRequest: bad, onResponse: bad, onRetry: bad, onError: bad, onEnd: bad };
    const logger: Logger = { debug: bad, info: bad, warn: bad, error: bad };
    const server = await serve(refuse(503, null), ok([]), refuse(404, null));
    const client = clientOf(server.url, { hooks, logger, runtime: new FakeRuntime() });
    await expect(client.rates.list()).resolves.toEqual([]);
    expect(await errorOf(client.rates.list())).toMatchObject({ status: 404 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  test('may be methods of an object', async () => {
    class Metrics implements Hooks {
      count = 0;
      onRequest(): void {
        this.count += 1;
      }
    }
    const metrics = new Metrics();
    await clientOf((await serve(ok([]))).url, { hooks: metrics }).rates.list();
    expect(metrics.count).toBe(1);
  });
});

describe('logger', () => {
  test('gets a line per step at its level', async () => {
    const lines: string[] = [];
    const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
    const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    const server = await serve(refuse(503, null), refuse(404, 'NO_SUCH_INVOICE'));
    await errorOf(clientOf(server.url, { logger, runtime: new FakeRuntime(0.5) }).invoices.get('a'));
    expect(lines).toEqual([
      'debug invoices.get: attempt 1',
      'debug invoices.get: HTTP 503 in 0 ms',
      'warn invoices.get: SDK_HTTP_503, next attempt in 250 ms',
      'debug invoices.get: attempt 2',
      'debug invoices.get: HTTP 404 in 0 ms',
      'warn invoices.get: NO_SUCH_INVOICE, outcome rejected',
    ]);
  });

  test.each<[string, 'warn' | 'error', Step, (client: MerchantClient) => PromiseLike<unknown>]>([
    ['an ident that is not found', 'warn', refuse(404, null), ({ invoices }) => invoices.get('a')],
    ['a withdrawal that is not found', 'warn', refuse(410, null), ({ withdrawals }) => withdrawals.get('u-1')],
    ['a list that is not found', 'error', refuse(404, null), ({ rates }) => rates.list()],
    ['an invoice that exists', 'warn', refuse(409, 'INVOICE_ALREADY_EXISTS'), (c) => c.invoices.create(order)],
    ['parameters that the client refuses', 'warn', ok([]), ({ invoices }) => invoices.get('')],
    ['options that the client refuses', 'warn', ok([]), ({ rates }) => rates.list({}, { timeout: -1 })],
    ['parameters that the service refuses', 'error', refuse(422, null), (c) => c.invoices.create(order)],
    ['an abort by the caller', 'warn', ok([]), (c) => c.rates.list({}, { signal: AbortSignal.abort() })],
    ['a wrong key', 'error', refuse(401, null), ({ rates }) => rates.list()],
    ['a server error', 'error', refuse(500, null), ({ rates }) => rates.list()],
  ])('of %s is told at %s', async (_name, level, step, call) => {
    const told: string[] = [];
    const logger = { warn: () => void told.push('warn'), error: () => void told.push('error') };
    await errorOf(call(clientOf((await serve(step)).url, { logger, retry: false })));
    expect(told).toEqual([level]);
  });

  test('a wait that goes on after an outage warns of it', async () => {
    const told: string[] = [];
    const logger = { warn: () => void told.push('warn'), error: () => void told.push('error') };
    const server = await serve(refuse(503, null), ok({ ...pendingInvoice, status: 'success' }));
    const runtime = new FakeRuntime(0.5);
    await clientOf(server.url, { logger, runtime, retry: false }).invoices.waitUntilFinal('order-1042');
    expect(told).toEqual(['warn']);
  });

  test('console fits, and so does a logger of one level', async () => {
    const server = await serve(refuse(404, null));
    const quiet: Logger = console;
    expect(quiet).toBeDefined();
    const lines: unknown[] = [];
    await errorOf(clientOf(server.url, { logger: { error: (...args) => void lines.push(args) } }).rates.list());
    expect(lines).toHaveLength(1);
  });
});

function callIds(told: readonly Told[]): Set<unknown> {
  return new Set(told.map(([, event]) => Reflect.get(event, 'callId')));
}

function page(items: readonly unknown[]): object {
  return { items, page: 1, per_page: 100, total_items: items.length, total_pages: 1, has_next: false, has_prev: false };
}

/** The members of a page that another one follows. */
const walked = { total_items: 2, total_pages: 2, has_next: true, per_page: 1 };

function thenable(then: (resolve: unknown, reject: (error: Error) => void) => void): object {
  return Object.fromEntries([['then', then]]);
}
