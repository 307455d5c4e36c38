import { describe, expect, it, vi } from 'vitest';
import { serve } from '../support/fault-server.ts';
import { ok, refuse } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf } from '../support/test-client.ts';

async function failing() {
  return clientOf((await serve(refuse(404, 'NO_SUCH_INVOICE'))).url);
}

describe('a call is a promise', () => {
  it('with the data, whose derived promises are plain ones', async () => {
    const client = clientOf((await serve(ok(pendingInvoice))).url);
    const call = client.invoices.get('order-1042');
    expect(call).toBeInstanceOf(Promise);
    expect(Object.getPrototypeOf(call.then(() => {}))).toBe(Promise.prototype);
    expect(Object.getPrototypeOf(call.finally(() => {}))).toBe(Promise.prototype);
    expect(Object.getPrototypeOf(call.catch(() => {}))).toBe(Promise.prototype);
    expect((await call).external_id).toBe('order-1042');
    const [again] = await Promise.all([call, Promise.race([call])]);
    expect(again).toBe(await call);
  });

  it('that has begun: nobody need ask for it', async () => {
    const server = await serve(ok([]));
    void clientOf(server.url).rates.list();
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
  });

  it('that makes one request, however many views are taken', async () => {
    const server = await serve(ok(pendingInvoice));
    const call = clientOf(server.url).invoices.get('order-1042');
    await Promise.all([call, call.withResponse(), call.result(), call.withResponse()]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('withResponse', () => {
  it('gives the response behind the data', async () => {
    const server = await serve(refuse(503, null), ok(pendingInvoice, { 'x-request-id': 'r1', 'x-extra': 'e' }));
    const { data, response } = await clientOf(server.url).invoices.get('order-1042').withResponse();
    expect(data.amount.toFixed(2)).toBe('25.00');
    expect(response).toMatchObject({ status: 200, requestId: 'r1', attempts: 2, recovered: false });
    expect(response.headers.get('x-extra')).toBe('e');
    expect(response.durationMs).toBeGreaterThanOrEqual(0);
    expect(response.raw).toBe(JSON.stringify({ success: true, data: pendingInvoice }));
  });

  it('rejects with the error of the call', async () => {
    const call = (await failing()).invoices.get('a');
    const error = await errorOf(call.withResponse());
    expect(error).toBe(await errorOf(call));
  });
});

describe('result', () => {
  it('is the data or the error, and never rejects with one of ours', async () => {
    const client = clientOf((await serve(ok([]), refuse(404, 'NO_SUCH_INVOICE'))).url);
    expect(await client.rates.list().result()).toEqual({ ok: true, value: [] });
    const failed = await client.invoices.get('a').result();
    expect(failed).toMatchObject({ ok: false, error: { code: 'NO_SUCH_INVOICE', kind: 'not_found' } });
    expect(await client.invoices.get('..').result()).toMatchObject({ ok: false, error: { kind: 'validation' } });
  });
});

it.each<unknown>([undefined, null, 7, 'x', Symbol('s'), () => {}, [], Number.NaN])(
  'methods reject, and never throw, on arguments of %s',
  async (bad) => {
    const server = await serve(ok([]));
    const { invoices, withdrawals, paymentMethods, webhooks } = clientOf(server.url);
    const wrong = bad as never; // JavaScript callers have no types
    const calls = [
      () => invoices.create(wrong),
      () => invoices.createOrRenew(wrong),
      () => paymentMethods.forCharge(wrong),
    ];
    const reads = [
      () => invoices.get(wrong),
      () => invoices.ofOrder(wrong),
      () => withdrawals.get(wrong),
      () => webhooks.deliveries(wrong),
      () => webhooks.resend(wrong),
    ];
    // A text is an identifier.
    for (const call of bad === 'x' ? calls : [...calls, ...reads]) {
      expect(await errorOf(call()), String(call)).toMatchObject({ outcome: 'not_sent' });
    }
    expect(server.requests).toHaveLength(0);
  },
);
