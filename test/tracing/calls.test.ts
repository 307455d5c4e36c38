import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { heard, traced } from '../../src/tracing.ts';
import { serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';
import { recordTraces } from '../support/trace-recorder.ts';
import { deferred } from '../webhooks/endpoint.ts';

const page = {
  items: [pendingInvoice],
  page: 1,
  per_page: 100,
  total_items: 1,
  total_pages: 1,
  has_next: false,
  has_prev: false,
};
const WHOLE = ['start', 'end', 'asyncStart', 'asyncEnd'];
const FAILED = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'];

describe('a call under a tracer', () => {
  test('is a trace around one trace for each attempt', async () => {
    const traces = recordTraces();
    const server = await serve(refuse(503, 'MAINTENANCE'), ok(createdInvoice, { 'x-request-id': 'r2' }));
    await clientOf(server.url).invoices.create(order);
    const { port } = new URL(server.url);
    const facts = {
      operation: 'invoices.create',
      method: 'POST',
      url: '/api/v1/external/invoices',
      callId: expect.stringMatching(/^[\da-f-]{36}$/),
      externalId: 'order-1042',
    };
    const place = { serverAddress: '127.0.0.1', serverPort: Number(port) };
    expect(traces.map(({ channel, steps, context }) => ({ channel, steps, ...context }))).toEqual([
      {
        channel: 'call',
        steps: WHOLE,
        ...facts,
        attempt: 2,
        ok: true,
        status: 200,
        requestId: 'r2',
        code: null,
        outcome: null,
        expected: false,
        recovered: false,
        durationMs: expect.any(Number),
      },
      {
        channel: 'attempt',
        steps: FAILED,
        ...facts,
        ...place,
        attempt: 1,
        status: 503,
        requestId: null,
        durationMs: expect.any(Number),
        code: 'MAINTENANCE',
        outcome: 'unknown',
        error: expect.objectContaining({ message: 'MAINTENANCE, outcome unknown', code: 'MAINTENANCE' }),
      },
      {
        channel: 'attempt',
        steps: WHOLE,
        ...facts,
        ...place,
        attempt: 2,
        status: 200,
        requestId: 'r2',
        durationMs: expect.any(Number),
      },
    ]);
    const [call, ...attempts] = traces;
    expect(call?.parent).toBeNull();
    for (const attempt of attempts) expect(attempt.parent).toBe(call);
    for (const trace of traces) expect(trace.current, 'a subscriber of the end sees the trace').toBe(trace);
    expect(new Set(traces.map(({ context }) => context['callId'])).size).toBe(1);
  });

  test('keeps its views', async () => {
    const traces = recordTraces();
    const server = await serve(ok(createdInvoice), refuse(404, null));
    const client = clientOf(server.url, { retry: false });
    const call = client.invoices.create(order);
    expect((await call.withResponse()).response.status).toBe(200);
    expect((await call).external_id).toBe('order-1042');
    expect(await client.invoices.get('order-9').result()).toMatchObject({ ok: false, error: { kind: 'not_found' } });
    expect(traces).toHaveLength(4);
  });

  test('shows no key, no body and nothing of the invoice', async () => {
    const traces = recordTraces();
    const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { invoice: pendingInvoice });
    const server = await serve(ok(createdInvoice), conflict, refuse(503, null), conflict, ok(pendingInvoice));
    const client = clientOf(server.url, { headers: { 'x-tenant': 'tenant-3' } });
    const customer = { ...order, customer_id: 'customer-of-mine', purpose: `for ${API_KEY}` };
    await client.invoices.create(customer);
    await errorOf(client.invoices.create(customer));
    await client.invoices.create(customer).result();
    const shown = inspect(
      traces.map(({ context }) => context),
      { depth: 9, showHidden: true },
    );
    expect(traces.length).toBe(8);
    for (const text of [API_KEY, 'customer-of-mine', 'customer-7', 'tenant-3', '25.00', 'payment_url', 'for ']) {
      expect(shown).not.toContain(text);
    }
  });

  test('fails with a copy of its error', async () => {
    const [call] = [recordTraces('call')];
    const server = await serve(refuse(404, 'NO_SUCH_INVOICE'));
    const error = await errorOf(clientOf(server.url).invoices.get('order-1042'));
    expect(call).toMatchObject([
      { steps: FAILED, context: { ok: false, code: 'NO_SUCH_INVOICE', status: 404, expected: true, attempt: 1 } },
    ]);
    expect(call[0]?.context['error']).toMatchObject({ name: 'NotFoundError', code: 'NO_SUCH_INVOICE' });
    expect(call[0]?.context['error']).not.toBe(error);
  });

  test('that is refused before any request has no attempt', async () => {
    const traces = recordTraces();
    const client = clientOf('https://pay.example');
    await errorOf(client.invoices.create({ ...order, amount: '0' }));
    await errorOf(client.invoices.list({}, { prefetch: 0 }));
    await errorOf(client.rates.list({ fiat: '' }));
    expect(traces.map(({ channel, context: { operation, attempt } }) => [channel, operation, attempt])).toEqual([
      ['call', 'invoices.create', 0],
      ['call', 'invoices.list', 0],
      ['call', 'rates.list', 0],
    ]);
    expect(traces[0]?.context).toMatchObject({ externalId: 'order-1042', code: 'VALIDATION_ERROR' });
  });

  test('of a creation holds its read-back, under the operation of the endpoint', async () => {
    const traces = recordTraces();
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS'), refuse(404, null), ok(page));
    await clientOf(server.url).invoices.createOrGet(order);
    const [call, ...attempts] = traces;
    expect(attempts.map(({ parent, context }) => [parent === call, context['operation']])).toEqual([
      [true, 'invoices.create'],
      [true, 'invoices.get'],
      [true, 'invoices.list'],
    ]);
    expect(call?.context).toMatchObject({ operation: 'invoices.create', ok: true, attempt: 3 });
  });

  test('is the parent of its own attempts, however many are in flight', async () => {
    const traces = recordTraces('call', 'attempt');
    const { promise, resolve } = deferred();
    const client = clientOf('https://pay.example', {
      fetch: async () => {
        await promise;
        return Response.json({ success: true, data: pendingInvoice });
      },
    });
    const calls = Array.from({ length: 300 }, (_, at) => client.invoices.get(`order-${at}`).result());
    resolve();
    await Promise.all(calls);
    const attempts = traces.filter(({ channel }) => channel === 'attempt');
    expect(attempts).toHaveLength(300);
    for (const { parent, context } of attempts) {
      expect([parent?.context['callId'], parent?.context['externalId']]).toEqual([
        context['callId'],
        context['externalId'],
      ]);
    }
    expect(new Set(traces.map(({ context }) => context['callId'])).size).toBe(300);
  });

  test('keeps its parent beside 10,000 others', async () => {
    const traces = recordTraces('call', 'attempt');
    const { promise, resolve } = deferred();
    const within = <T>(name: 'call' | 'attempt', context: object, work: () => Promise<T>): Promise<T> => {
      const channel = heard(name);
      return channel === null ? expect.fail('not heard') : traced(channel, context, work);
    };
    const works = Array.from({ length: 10_000 }, (_, id) =>
      within('call', { id }, async () => {
        await promise;
        await within('attempt', { id }, async () => {});
      }),
    );
    resolve();
    await Promise.all(works);
    const attempts = traces.filter(({ channel }) => channel === 'attempt');
    expect(attempts).toHaveLength(10_000);
    expect(attempts.every(({ parent, context }) => parent?.context['id'] === context['id'])).toBe(true);
    expect(traces.every(({ steps }) => steps.join() === WHOLE.join())).toBe(true);
  });
});

describe('a subscriber', () => {
  test('that comes in the middle of a call sees its later attempts, with the id of the hooks', async () => {
    const ids: string[] = [];
    let traces: ReturnType<typeof recordTraces> = [];
    const server = await serve(refuse(503, null), ok([]));
    const client = clientOf(server.url, {
      hooks: {
        onRetry: ({ callId }) => {
          ids.push(callId);
          traces = recordTraces();
        },
      },
    });
    expect(await client.rates.list()).toEqual([]);
    expect(traces.map(({ channel, context }) => [channel, context['attempt'], context['callId']])).toEqual([
      ['attempt', 2, ids[0]],
    ]);
  });

  test('that throws is an uncaught exception, and the call is not touched', async () => {
    const listeners = process.listeners('uncaughtException');
    const uncaught: unknown[] = [];
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => void uncaught.push(error));
    const channel = tracingChannel('merchant-invoicing:call');
    const bad = {
      start: () => {
        throw new Error('mine');
      },
    };
    channel.start.subscribe(bad.start);
    onTestFinished(() => {
      channel.start.unsubscribe(bad.start);
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    });
    const server = await serve(ok([]));
    expect(await clientOf(server.url).rates.list()).toEqual([]);
    expect(uncaught).toMatchObject([{ message: 'mine' }]);
    expect(server.requests).toHaveLength(1);
  });
});
