import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { MerchantClient } from '../src/client.ts';
import { serve } from './support/fault-server.ts';
import { ok, refuse } from './support/fault-steps.ts';
import { pendingInvoice } from './support/fixtures/invoices.ts';
import { API_KEY, clientOf, errorOf } from './support/test-client.ts';

const unavailable = refuse(503, null);
const keyOf = (n: number) => `key-of-shop-${n}`;

describe('a client for another business', () => {
  it('is a MerchantClient with its own key, and shares the rest', async () => {
    const told: string[] = [];
    const server = await serve(ok([]));
    const merchant = clientOf(server.url, {
      headers: { 'x-platform': 'p', 'x-shop': 'none' },
      hooks: { onEnd: ({ operation }) => void told.push(operation) },
    });
    const shop = merchant.withOptions({ apiKey: keyOf(1), headers: { 'X-Shop': '1' } });
    expect(shop).toBeInstanceOf(MerchantClient);
    expect(shop).not.toBe(merchant);
    await shop.rates.list();
    await merchant.rates.list();
    expect(
      server.requests.map(({ headers }) => [headers['x-api-key'], headers['x-platform'], headers['x-shop']]),
    ).toEqual([
      [keyOf(1), 'p', '1'],
      [API_KEY, 'p', 'none'],
    ]);
    expect(told).toEqual(['rates.list', 'rates.list']);
  });

  it('has the key of the sandbox only where the first client could have it', () => {
    const merchant = new MerchantClient({ baseUrl: 'https://pay.example', apiKey: API_KEY });
    expect(() => merchant.withOptions({ apiKey: 'sk_sandbox' })).toThrow("the sandbox's public key");
  });

  it('takes its key from a function, read for each attempt', async () => {
    const keys = ['key-1', 'key-2'];
    const server = await serve(unavailable, ok([]));
    const shop = clientOf(server.url).withOptions({ apiKey: async () => keys.shift() ?? 'none' });
    await shop.rates.list();
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2']);
  });

  it('keeps the key where only limits change', async () => {
    const server = await serve(unavailable);
    const patient = clientOf(server.url, { retry: { attempts: 5, baseDelay: 0 } }).withOptions({
      retry: { maxDelay: 0 },
    });
    await errorOf(patient.rates.list());
    await errorOf(patient.withOptions({ retry: false }).rates.list());
    expect(server.requests).toHaveLength(5 + 1);
    expect(new Set(server.requests.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([API_KEY]));
    const hasty = patient.withOptions({ timeout: 100, deadline: 200 });
    expect(await errorOf(hasty.withOptions({ deadline: 100 }).invoices.get('..'))).toMatchObject({
      kind: 'validation',
    });
  });

  it('reads its options once', async () => {
    const server = await serve(ok([]));
    const options = { apiKey: keyOf(1), headers: { 'x-shop': '1' } };
    const shop = clientOf(server.url).withOptions(options);
    options.apiKey = keyOf(2);
    options.headers['x-shop'] = '2';
    await shop.rates.list();
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': keyOf(1), 'x-shop': '1' });
  });

  it('shows no key, its own or that of any client before it', async () => {
    const echo = refuse(400, `ECHO_${keyOf(2)}_${keyOf(1)}_${API_KEY}`);
    const server = await serve(echo);
    const shop = clientOf(server.url)
      .withOptions({ apiKey: keyOf(1) })
      .withOptions({ apiKey: keyOf(2) });
    const error = await errorOf(shop.rates.list());
    const views = [inspect(shop, { showHidden: true, depth: 10 }), JSON.stringify(shop), inspect(error, { depth: 10 })];
    for (const text of [keyOf(2), keyOf(1), API_KEY]) {
      for (const view of views) expect(view).not.toContain(text);
    }
    expect(error.code).toBe('ECHO_[redacted]_[redacted]_[redacted]');
  });

  it('hides the keys of functions, however many businesses there are', async () => {
    const server = await serve(refuse(400, 'FIRST'));
    const merchant = clientOf(server.url);
    const first = merchant.withOptions({ apiKey: () => keyOf(0) });
    await errorOf(first.rates.list());
    for (let n = 1; n <= 40; n += 1) await errorOf(merchant.withOptions({ apiKey: () => keyOf(n) }).rates.list());
    server.script = [refuse(400, `ECHO_${keyOf(0)}`)];
    expect((await errorOf(first.rates.list())).code).toBe('ECHO_[redacted]');
  });

  it('prints a line that was printed before no more', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await serve(ok({ ...pendingInvoice, customer_id: 7 }));
    const merchant = clientOf(server.url);
    for (let n = 0; n < 3; n += 1) await merchant.withOptions({ apiKey: keyOf(n) }).invoices.get('order-1042');
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("the customer_id of an invoice cannot be read, so its value is ''")],
    ]);
    warn.mockRestore();
  });
});

it('a method that is called without its client says so', () => {
  const { withOptions } = clientOf('https://pay.example');
  expect(() => withOptions({ timeout: 500 })).toThrow('as methods of the client');
});
