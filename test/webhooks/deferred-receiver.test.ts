import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { isMerchantError } from '../../src/errors/guards.ts';
import { memoryStore } from '../../src/webhooks/stores/memory-store.ts';
import { signWebhook } from '../../src/webhooks/verify/signature.ts';

// The client's receiver before it is loaded. Each test has fresh modules, because the receiver is loaded once.

const SECRET = 'whsec-of-the-dashboard-0123456789';
const BODY = JSON.stringify({
  invoice_uuid: '6f1c2f6e-6c55-4f0e-9d2b-2f1f6f0e7a11',
  external_id: 'order-1042',
  status: 'success',
  amount: '25.00',
  currency: 'EUR',
  credited_usdt: '26.10',
});

async function freshClient() {
  vi.resetModules();
  const { MerchantClient } = await import('../../src/client.ts');
  const options = { baseUrl: 'https://pay.example.com', apiKey: 'key-of-the-business', webhookSecret: SECRET };
  return new MerchantClient(options);
}

async function delivery() {
  const headers: Record<string, string> = { ...(await signWebhook(BODY, SECRET)) };
  return { headers, body: new TextEncoder().encode(BODY) };
}

const functions = { store: memoryStore(), onPaid: () => undefined, onCanceled: () => undefined };

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('../../src/webhooks/deferred-parts.ts');
});

describe('before the receiver is loaded', () => {
  it('verify reads bytes, headers and options at the call', async () => {
    const { webhooks } = await freshClient();
    const { headers, body } = await delivery();
    const options = { tolerance: 60_000 };
    const verified = webhooks.verify(body, headers, options);
    body.fill(0);
    headers['X-Webhook-Signature'] = 'another';
    options.tolerance = -1;
    expect(await verified).toMatchObject({ type: 'invoice.paid', external_id: 'order-1042' });
  });

  it('verify reads lists of values, a Date and a buffer of another realm at the call', async () => {
    const { webhooks } = await freshClient();
    const { headers, body } = await delivery();
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const buffer = runInNewContext(`new ArrayBuffer(${body.length})`) as ArrayBuffer;
    new Uint8Array(buffer).set(body);
    const now = new Date();
    const verified = webhooks.verify(buffer, lists, { now });
    for (const list of Object.values(lists)) list.push('another');
    new Uint8Array(buffer).fill(0);
    now.setTime(0);
    expect(await verified).toMatchObject({ external_id: 'order-1042' });
  });

  it.each<[string, (headers: Record<string, string>) => Headers | [string, string][] | string[]]>([
    ['Headers', (headers) => new Headers(headers)],
    ['pairs', (headers) => Object.entries(headers)],
    ['rawHeaders', (headers) => Object.entries(headers).flat()],
  ])('verify accepts %s', async (_, form) => {
    const { webhooks } = await freshClient();
    const { headers, body } = await delivery();
    expect(await webhooks.verify(body, form(headers))).toMatchObject({ external_id: 'order-1042' });
  });

  it('receives in a host that replaces Promise', async () => {
    vi.stubGlobal('Promise', class Other<T> extends Promise<T> {});
    const { webhooks } = await freshClient();
    const { headers, body } = await delivery();
    expect(await webhooks.verify(body, headers)).toMatchObject({ external_id: 'order-1042' });
    const later = await freshClient();
    const request = { method: 'POST', headers, body };
    expect(await later.webhooks.handler(functions).handle(request)).toMatchObject({ status: 200 });
  });

  it('a handler reads a delivery at the call', async () => {
    const { webhooks } = await freshClient();
    const handler = webhooks.handler(functions);
    const request = { method: 'POST', ...(await delivery()) };
    const loadedLater = handler.handle(request);
    request.body.fill(0);
    request.method = 'GET';
    expect(await loadedLater).toMatchObject({ status: 200 });
  });

  it('catchUp reads its options at the call, and also once the receiver is loaded', async () => {
    const { webhooks } = await freshClient();
    const merchant = { invoices: { get: () => expect.fail(), async *list() {} } };
    const handler = webhooks.handler({ ...functions, store: { ...memoryStore(), retention: 86_400_000 } });
    for (const loaded of [false, true]) {
      const since = new Date();
      const options: { since: Date; onProgress?: unknown } = { since };
      const caughtUp = handler.catchUp(merchant, options as never);
      since.setTime(0); // further back than the store remembers
      options.onProgress = 'none';
      await expect(caughtUp, loaded ? 'loaded' : 'not loaded').resolves.toMatchObject({ failed: 0 });
    }
  });

  it('a handler checks its options at once, and names a weak secret', async () => {
    const { webhooks } = await freshClient();
    expect(() => webhooks.handler({ ...functions, timeout: 0 })).toThrow(/timeout/);
    expect(() => webhooks.handler({ ...functions, store: {} as never })).toThrow(/store/);
    const { MerchantClient } = await import('../../src/client.ts');
    const weak = new MerchantClient({ baseUrl: 'https://pay.example.com', apiKey: 'key', webhookSecret: 'short' });
    const reports: string[] = [];
    weak.webhooks.handler({ ...functions, onReport: ({ reason }) => void reports.push(reason) });
    expect(reports).toEqual(['weak_secret']);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'setup'],
    ['a number', 5, 'method_not_allowed'],
    ['an object that throws', new Proxy({}, { get: () => expect.fail(), ownKeys: () => expect.fail() }), 'setup'],
  ])('a handler answers a request that is %s', async (_, request, body) => {
    const { webhooks } = await freshClient();
    expect(await webhooks.handler(functions).handle(request as never)).toMatchObject({ body });
  });

  it('an endless list of headers is refused', async () => {
    const { webhooks } = await freshClient();
    const endless = (function* (): Generator<[string, string]> {
      for (;;) yield ['a', 'b'];
    })();
    await expect(webhooks.verify(BODY, endless)).rejects.toMatchObject({ reason: 'missing_header' });
  });
});

describe('a receiver that cannot be loaded', () => {
  const broken = () => {
    vi.doMock('../../src/webhooks/deferred-parts.ts', () => {
      throw new Error('no such file');
    });
  };

  it('makes verify reject with a typed error, and the next call tries again', async () => {
    const { webhooks } = await freshClient();
    const { headers, body } = await delivery();
    broken();
    const error = await webhooks.verify(body, headers).catch((reason: unknown) => reason);
    expect(isMerchantError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'SDK_CONFIGURATION', operation: 'webhooks.verify', cause: expect.any(Error) });
    vi.doUnmock('../../src/webhooks/deferred-parts.ts');
    expect(await webhooks.verify(body, headers)).toMatchObject({ external_id: 'order-1042' });
  });

  it('makes a handler answer 500 and report, so that the service keeps the event', async () => {
    const { webhooks } = await freshClient();
    broken();
    const reports: { reason: string; status: number | null }[] = [];
    const handler = webhooks.handler({ ...functions, onReport: (report) => void reports.push(report) });
    const reply = await handler.handle({ method: 'POST', ...(await delivery()) });
    expect(reply).toMatchObject({ status: 500, body: 'setup' });
    expect(reports).toMatchObject([{ reason: 'setup', status: 500, error: expect.any(Error) }]);
    await expect(handler.catchUp({} as never, {} as never)).rejects.toMatchObject({ code: 'SDK_CONFIGURATION' });
  });
});

describe('a mismatch whose explanation cannot be loaded', () => {
  it('is refused all the same', async () => {
    vi.resetModules();
    vi.doMock('../../src/webhooks/verify/mismatch.ts', () => {
      throw new Error('no such file');
    });
    const { verifyWebhook } = await import('../../src/webhooks/verify/verify.ts');
    const { headers, body } = await delivery();
    const error = await verifyWebhook(body, headers, 'another-secret-of-the-dashboard').catch((reason) => reason);
    vi.doUnmock('../../src/webhooks/verify/mismatch.ts');
    expect(error).toMatchObject({ reason: 'signature_mismatch' });
    expect(error).not.toBeInstanceOf(ConfigurationError);
  });
});
