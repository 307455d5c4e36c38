import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import type { MerchantError } from '../../src/errors/merchant-error.ts';
import type { Hooks, Logger } from '../../src/transport/options.ts';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

type Told = readonly [hook: string, event: object];

function recorder(): { readonly told: Told[]; readonly hooks: Hooks } {
  const told: Told[] = [];
  const note = (hook: string) => (event: object) => void told.push([hook, event]);
  const hooks = {
    onRequest: note('request'),
    onResponse: note('response'),
    onRetry: note('retry'),
    onError: note('error'),
  };
  return { told, hooks };
}

const create = { operation: 'invoices.create', method: 'POST', url: '/api/v1/external/invoices' };

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
    ]);
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
          attempt: 3,
          code: 'SDK_HTTP_503',
          status: 503,
          outcome: 'rejected',
          durationMs: 750,
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
    expect(told.at(-1)).toMatchObject([
      'error',
      { ...create, attempt: 0, code: 'VALIDATION_ERROR', outcome: 'not_sent' },
    ]);
    expect(told.filter(([hook]) => hook === 'error')).toHaveLength(1);
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
    expect(told).toMatchObject([['error', { attempt: 0, code: (error as MerchantError).code, outcome: 'not_sent' }]]);
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
    const hooks: Hooks = { onRequest: bad, onResponse: bad, onRetry: bad, onError: bad };
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
      'error invoices.get: NO_SUCH_INVOICE, outcome rejected',
    ]);
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

function page(items: readonly unknown[]): object {
  return { items, page: 1, per_page: 100, total_items: items.length, total_pages: 1, has_next: false, has_prev: false };
}

function thenable(then: (resolve: unknown, reject: (error: Error) => void) => void): object {
  return Object.fromEntries([['then', then]]);
}
