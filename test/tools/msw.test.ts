import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../../src/index.ts';
import { sandboxHandlers } from '../../src/tools/msw.ts';
import { testSandbox } from '../support/test-sandbox.ts';

const BASE = 'https://pay.example.test/gateway';

describe('the msw handlers', () => {
  const sandbox = testSandbox({ url: `${BASE}/`, apiKey: 'sk_of_the_test' });
  const merchant = new MerchantClient({ baseUrl: BASE, apiKey: sandbox.apiKey, retry: false }); // made before listen()
  const server = setupServer(...sandboxHandlers(sandbox));
  beforeAll(() =>
    server.listen({
      onUnhandledFrame: 'error',
      ...{ onUnhandledRequest: 'error' }, // its name in msw 2, whose lowest version the matrix tests
    }),
  );
  afterAll(() => server.close());

  it('answer a client that knows nothing of them', async () => {
    const created = await merchant.invoices.create({
      external_id: 'order-1',
      customer_id: 'c-1',
      amount: '25.00',
      currency: 'EUR',
    });
    expect(created.status).toBe('pending');
    await sandbox.pay('order-1');
    const read = await merchant.invoices.get('order-1');
    expect([read.status, read.settled_amount_usdt?.toFixed()]).toEqual(['success', '26.861298']);
    expect((await merchant.invoices.list({ status: 'success', per_page: 1 })).items).toHaveLength(1);
    expect(sandbox.requests().map(({ path }) => path)).toContain('/api/v1/external/invoices/order-1');
  });

  it('serve the payment page', async () => {
    const { payment_url } = sandbox.invoice('order-1');
    expect(payment_url).toMatch(/^https:\/\/pay\.example\.test\/gateway\/pay\//);
    const page = await fetch(payment_url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it('serve the payment links of a sandbox without an address', async () => {
    const order = { external_id: 'order-2', customer_id: 'c-1', amount: '25.00', currency: 'EUR' };
    const own = testSandbox({ apiKey: 'sk_of_the_test' });
    server.use(...sandboxHandlers(own));
    const atOwn = new MerchantClient({ baseUrl: own.url, apiKey: own.apiKey });
    const { payment_url } = await atOwn.invoices.create(order);
    expect((await fetch(payment_url)).status).toBe(200);
    server.resetHandlers();
  });

  it('let faults look like what they are', async () => {
    sandbox.faults.next('reset_after');
    const failed = await merchant.rates.list().result();
    expect(failed).toMatchObject({ ok: false, error: { kind: 'connection' } });
    sandbox.faults.next('hang');
    const hung = await merchant.rates.list({}, { timeout: 20 }).result();
    expect(hung).toMatchObject({ ok: false, error: { kind: 'timeout' } });
    sandbox.faults.next('truncated');
    expect((await merchant.rates.list().result()).ok).toBe(false);
    // The last one: the next call of this client would wait for its end.
    sandbox.faults.next({ type: 'rate_limit', retryAfter: 7 });
    const limited = await merchant.rates.list().result();
    expect(limited).toMatchObject({ ok: false, error: { kind: 'rate_limit', retryAfter: 7_000 } });
  });

  it('leave other addresses alone', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const other = new MerchantClient({ baseUrl: 'https://pay.example.test', apiKey: 'k', retry: false });
    expect(await other.rates.list().result()).toMatchObject({ ok: false, error: { kind: 'connection' } });
    expect(said).toHaveBeenCalledOnce(); // msw's own complaint
    said.mockRestore();
  });

  it('want a sandbox', () => {
    for (const wrong of ['https://pay.example.test', null, {}]) {
      expect(() => sandboxHandlers(wrong as never)).toThrow(/takes a sandbox/);
    }
    expect(sandboxHandlers()).toHaveLength(2);
  });
});
