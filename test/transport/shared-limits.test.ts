import { describe, expect, it } from 'vitest';
import { FakeRuntime } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { createdInvoice, pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

const unavailable = refuse(503, null);
const limited = (seconds: number): Step => refuse(429, null, undefined, { 'retry-after': String(seconds) });
const created = ok(createdInvoice);

describe('a rate limit that one call met', () => {
  it('delays a read that begins later, by what is left and up to a fifth more', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(10), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    runtime.pass(5_000);
    await client.paymentMethods.list();
    expect(runtime.waits).toEqual([5_500]);
    await client.paymentMethods.list();
    expect(runtime.waits, 'the limit is over').toHaveLength(1);
  });

  it('delays the repeat of a call that was in flight, after its own wait', async () => {
    const runtime = new FakeRuntime(0.5);
    const delays: number[] = [];
    const slow: Step = {
      async play(exchange) {
        await errorOf(client.paymentMethods.list({ retry: false })); // limited, while the other call is under way
        unavailable.play(exchange);
      },
    };
    const server = await serve(slow, limited(10), ok([]));
    const client = clientOf(server.url, { runtime, hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) } });
    await client.rates.list();
    expect(runtime.waits).toEqual([250, 10_725]);
    expect(delays).toEqual([250]);
  });

  it('is the longest that was asked for, whichever response comes last', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(8), limited(2), ok([]));
    const client = clientOf(server.url, { runtime });
    await Promise.all([1, 2].map(() => errorOf(client.rates.list({}, { retry: false }))));
    await client.rates.list();
    expect(runtime.waits).toEqual([8_800]);
  });

  it('without Retry-After lasts as long as the wait of the call that met it', async () => {
    const runtime = new FakeRuntime(0.5);
    const waits: number[] = [];
    const server = await serve(refuse(429, null), ok([]));
    const client = clientOf(server.url, { runtime });
    runtime.onWait = (milliseconds) => waits.push(milliseconds); // the first call waits on
    void client.rates.list().catch(() => {});
    await expect.poll(() => waits).toEqual([500]);
    void client.paymentMethods.list().catch(() => {});
    await expect.poll(() => waits).toEqual([500, 550]);
  });

  it('lets waiting calls go at different times', async () => {
    const runtime = new FakeRuntime(0, 0.25, 0.75, 0.5);
    const server = await serve(limited(8), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await Promise.all([client.rates.list(), client.rates.list(), client.rates.list()]);
    expect(runtime.waits).toEqual([8_000, 8_400, 9_200]);
  });

  it.each<[string, number, object]>([
    ['more than maxRetryAfter', 20, {}],
    ['an hour, which is not waited for whatever the deadline', 3_600, { deadline: 5_000 }],
    ['more than the deadline has', 8, { deadline: 8_300 }],
    ['more than maxRetryAfter of the call', 5, { retry: { maxRetryAfter: 4_000 } }],
  ])('of %s does not hold a read back: it gets the answer of the service', async (_name, seconds, options) => {
    const runtime = new FakeRuntime(0);
    if ('deadline' in options) runtime.attemptLimit = Number(options.deadline);
    const server = await serve(limited(seconds), limited(seconds), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { ...options, retry: false }));
    const error = await errorOf(client.paymentMethods.list({ retry: { attempts: 1 }, ...options }));
    expect(error).toMatchObject({
      kind: 'rate_limit',
      operation: 'paymentMethods.list',
      outcome: 'rejected',
      retryAfter: seconds * 1_000,
      attempts: [{ status: 429 }],
    });
    expect(server.requests).toHaveLength(2);
    expect(runtime.waits.filter((wait) => wait > 1_000 && wait < seconds * 1_000)).toEqual([]);
  });

  it.each([1, 9, 30])('of %i s never holds a creation back', async (seconds) => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(seconds), created);
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await client.invoices.create(order);
    expect(runtime.waits).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it('does not hold back what a creation reads, and its repeats wait', async () => {
    const runtime = new FakeRuntime(0.5);
    const conflict = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });
    const server = await serve(limited(9), unavailable, conflict, ok(pendingInvoice));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    const { response } = await client.invoices.create(order).withResponse();
    expect(response).toMatchObject({ recovered: true, attempts: 3 });
    expect(runtime.waits, 'the repeat waits, the read goes').toEqual([250, 9_625]);
  });

  it('is met by the client alone: a job on withOptions({}) holds no checkout back', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(limited(9), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.withOptions({}).rates.list({}, { retry: false }));
    await client.paymentMethods.list();
    expect(runtime.waits).toEqual([]);
  });

  it('a failure of another kind delays nobody else', async () => {
    const runtime = new FakeRuntime(0.5);
    const server = await serve(refuse(503, null, undefined, { 'retry-after': '10' }), ok([]));
    const client = clientOf(server.url, { runtime });
    await errorOf(client.rates.list({}, { retry: false }));
    await client.rates.list();
    expect(runtime.waits).toEqual([]);
  });
});

it('an outage does not stop retries: each call makes its three attempts', async () => {
  const server = await serve(unavailable);
  const client = clientOf(server.url, { runtime: new FakeRuntime() });
  for (let call = 0; call < 40; call += 1) await errorOf(client.rates.list());
  server.script = [unavailable, ok([])];
  expect((await client.rates.list().withResponse()).response.attempts).toBe(2);
});
