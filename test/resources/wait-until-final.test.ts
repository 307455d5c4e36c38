import { describe, expect, it } from 'vitest';
import { FakeRuntime, START } from '../support/fake-runtime.ts';
import { type Step, serve } from '../support/fault-server.ts';
import { answer, ok, refuse, resetAfterReading } from '../support/fault-steps.ts';
import { expiredInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

const pending = ok(pendingInvoice);
const paid = { ...successInvoice, external_id: 'order-1042' };
const expired = { ...expiredInvoice, external_id: 'order-1042' };

async function waiting(...script: Step[]) {
  const runtime = new FakeRuntime(0); // no jitter: the longest waits
  const server = await serve(...script);
  return { runtime, server, invoices: clientOf(server.url, { runtime, retry: false }).invoices };
}

describe('waitUntilFinal', () => {
  it('reads with growing pauses until the invoice is final', async () => {
    const { runtime, server, invoices } = await waiting(pending, pending, pending, pending, ok(paid));
    expect((await invoices.waitUntilFinal('order-1042')).status).toBe('success');
    expect(runtime.waits).toEqual([2_000, 3_000, 4_500, 6_750]);
    expect(server.requests).toHaveLength(5);
  });

  it('the pauses grow up to ten times the interval, and jitter takes up to a fifth off', async () => {
    const { runtime, invoices } = await waiting(...Array<Step>(8).fill(pending), ok(expired));
    await invoices.waitUntilFinal('order-1042', { interval: 100 });
    expect(runtime.waits.map(Math.round)).toEqual([100, 150, 225, 338, 506, 759, 1_000, 1_000]);
    const jittered = new FakeRuntime(0.5);
    const server = await serve(pending, ok(expired));
    await clientOf(server.url, { runtime: jittered }).invoices.waitUntilFinal('order-1042', { interval: 100 });
    expect(jittered.waits).toEqual([90]);
  });

  it('needs no client in front of its name', async () => {
    const { waitUntilFinal } = (await waiting(ok(paid))).invoices;
    expect((await waitUntilFinal('order-1042')).status).toBe('success');
  });

  it.each(['success', 'fail', 'expired', 'canceled'])('%s is final', async (status) => {
    const { server, invoices } = await waiting(ok({ ...pendingInvoice, status }));
    await invoices.waitUntilFinal('order-1042');
    expect(server.requests).toHaveLength(1);
  });

  it('an unknown state is final once finished_at is set', async () => {
    const held = { ...pendingInvoice, status: 'on_hold' };
    const done = { ...held, status: 'refunded', finished_at: '2026-01-31T10:00:00Z' };
    const { server, invoices } = await waiting(ok(held), ok(done));
    expect((await invoices.waitUntilFinal('order-1042')).status).toBe('refunded');
    expect(server.requests).toHaveLength(2);
  });

  it('goes through outages', async () => {
    const outage = [refuse(503, null), refuse(429, null), resetAfterReading, answer(200, '<html>'), answer(502, '')];
    const { server, invoices } = await waiting(...outage, ok(paid));
    expect((await invoices.waitUntilFinal('order-1042')).status).toBe('success');
    expect(server.requests).toHaveLength(6);
  });

  it.each([
    [404, 'request'],
    [401, 'authentication'],
  ])('ends at a %i, which does not pass', async (status, kind) => {
    const { server, invoices } = await waiting(pending, answer(status, ''));
    expect(await errorOf(invoices.waitUntilFinal('order-1042'))).toMatchObject({ kind });
    expect(server.requests).toHaveLength(2);
  });

  it('looks once more shortly before the time is over, and then says so', async () => {
    const runtime = new FakeRuntime(0);
    runtime.attemptLimit = 500;
    const server = await serve(pending);
    const { invoices } = clientOf(server.url, { runtime, timeout: 500 });
    const error = await errorOf(invoices.waitUntilFinal('order-1042', { timeout: 30_000 }));
    expect(error).toMatchObject({ kind: 'timeout', code: 'SDK_DEADLINE', operation: 'invoices.waitUntilFinal' });
    expect(error.message).toContain('still pending');
    expect(runtime.time - START).toBe(29_000);
    const during = await waiting(refuse(503, null));
    expect((await errorOf(during.invoices.waitUntilFinal('order-1042', { timeout: 5_000 }))).message).toContain(
      'last read failed',
    );
  });

  it('an abort ends the pause with the reason of the caller', async () => {
    const controller = new AbortController();
    const { runtime, server, invoices } = await waiting(pending);
    runtime.onWait = () => setImmediate(() => controller.abort('gone'));
    const error = await errorOf(invoices.waitUntilFinal('order-1042', { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'aborted', reason: 'gone', stoppedBy: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['interval', 0],
    ['interval', Number.NaN],
    ['interval', '5'],
    ['timeout', -1],
    ['timeout', Number.POSITIVE_INFINITY],
    ['intervall', 5], // a mistyped name
  ])('%s of %s is refused', async (name, value) => {
    const { server, invoices } = await waiting(pending);
    const error = await errorOf(invoices.waitUntilFinal('order-1042', { [name]: value }));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT' });
    expect(server.requests).toHaveLength(0);
  });
});
