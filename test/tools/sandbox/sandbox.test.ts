import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/errors/classes.ts';
import { MerchantClient } from '../../../src/index.ts';
import { createSandbox, type SandboxOptions } from '../../../src/tools/sandbox/index.ts';
import { testSandbox } from '../../support/test-sandbox.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('sandbox.fetch', () => {
  it('answers any host, text, URL and Request, and honours a signal', async () => {
    const { sandbox } = inProcess();
    const address = 'https://whatever.example:8443/api/v1/external/rates';
    const headers = { 'X-Api-Key': sandbox.apiKey };
    for (const input of [address, new URL(address), new Request(address, { headers })]) {
      const response = input instanceof Request ? await sandbox.fetch(input) : await sandbox.fetch(input, { headers });
      expect(response.status).toBe(200);
    }
    await expect(sandbox.fetch(address, { headers, signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(sandbox.requests()).toHaveLength(3);
  });

  it.each(['/pay-api', '/pay', '/api'])('answers below the path %s of its address, and without it', async (path) => {
    const sandbox = testSandbox({ url: `https://shop.test${path}` });
    const { payment_url } = sandbox.create({ amount: '25.00', currency: 'EUR' });
    const rates = `${sandbox.url}/api/v1/external/rates`;
    for (const address of [rates, rates.replace(path, ''), payment_url, payment_url.replace(path, '')])
      expect((await sandbox.fetch(address, { headers: { 'X-Api-Key': sandbox.apiKey } })).status).toBe(200);
  });

  it('is named to a client that has another fetch', async () => {
    const sandbox = createSandbox();
    const unknown = { code: 'ENOTFOUND', syscall: 'getaddrinfo' };
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND sandbox.invalid'), unknown);
    const fetch = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause })));
    const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch, retry: false });
    await expect(merchant.rates.list()).rejects.toThrow('for a sandbox, give its fetch to the client');
    const given = new MerchantClient({
      baseUrl: sandbox.url,
      apiKey: sandbox.apiKey,
      fetch: sandbox.fetch,
      retry: false,
    });
    sandbox.faults.next('reset_after');
    const lost = await given.rates.list().result();
    expect(lost).toMatchObject({ ok: false, error: { code: 'SDK_CONNECTION' } });
    expect(String(lost.ok || lost.error.message)).not.toContain('.invalid');
  });
});

describe('the log', () => {
  it('has every event in its order, and never the key or the secret', async () => {
    const seen: unknown[] = [];
    const hook = await receiver([400]);
    const { api, sandbox } = inProcess({ onEvent: (event) => seen.push(event) });
    await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
    await api('POST', '/invoices', ORDER);
    await sandbox.pay('order-1042', { amount: '17.00' });
    expect(seen).toMatchObject([
      { kind: 'invoice', external_id: 'order-1042', from: null, to: 'pending', credited: null, why: null },
      { kind: 'request', method: 'POST', path: '/api/v1/external/invoices', status: 201 },
      { kind: 'request', status: 409, code: 'INVOICE_ALREADY_EXISTS', why: expect.stringContaining('is taken') },
      { kind: 'invoice', from: 'pending', to: 'success', paid: '17.00', credited: '18.265682', why: null },
      { kind: 'attempt', url: hook.url, attempt: 1, status_code: 400, cause: { id: 'refused' } },
    ]);
    expect(JSON.stringify(sandbox.events())).not.toMatch(/sk_sandbox|whsec_of_the_tests/);
  });

  it('is not disturbed by a listener that throws', async () => {
    const onEvent = vi.fn(() => {
      throw new Error('mine');
    });
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { api, sandbox } = inProcess({ onEvent });
    expect([(await api('GET', '/rates')).status, sandbox.events().length]).toEqual([200, 1]);
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it('has requests to a wrong path, and those that are too large, but no pages', async () => {
    const sandbox = testSandbox();
    const large = { method: 'POST', body: 'x'.repeat(1_100_000) };
    await sandbox.fetch('http://sandbox.test/v1/external/rates', { headers: { 'X-Api-Key': 'any' } });
    await sandbox.fetch('http://sandbox.test/api/v1/external/invoices', large);
    for (const page of ['invoices', '', 'payments/new', '_/create']) await sandbox.fetch(`http://sandbox.test/${page}`);
    await sandbox.fetch('http://sandbox.test/_/advance', { method: 'POST', body: 'duration=1m' });
    const why = expect.stringContaining('begin with /api/v1/external');
    expect(sandbox.requests()).toMatchObject([
      { path: '/v1/external/rates', operation: null, status: 404, why },
      { path: '/api/v1/external/invoices', status: 413, code: 'PAYLOAD_TOO_LARGE' },
    ]);
  });

  it('says that a response is not as the interface says', async () => {
    const limits = { min_amount: '1.00', max_amount: '2.00' };
    const rate = { platform: 'p', asset: 'USDT', fiat: 'EUR', side: 'buy', price: 'about 1', ...limits } as const;
    const { sandbox, api } = inProcess({ rates: [rate] });
    await api('GET', '/rates');
    const notes = sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
    expect(notes).toEqual([expect.stringMatching(/rates\.list is not as the interface says: .*price/)]);
  });
});

describe('the console', () => {
  const order = { amount: '25.00', currency: 'EUR' };
  const callback_url = 'http://127.0.0.1:3000/hook';
  const FAULT = { fault: 'wrong_signature', times: 2 } as const;
  const REFUSED = expect.stringMatching(
    /^merchant-invoicing: sandbox: invoice\.paid of order-1001 .* to http:.*: returned 404\. .* Compare the path/,
  );
  const refusing = (options: SandboxOptions = {}) =>
    createSandbox({ fetch: async () => new Response(null, { status: 404 }), ...options });

  it.each<[string, SandboxOptions, object, unknown[]]>([
    ['once for each cause that a webhook was refused, with the remedy', {}, { callback_url }, [REFUSED]],
    ['once that webhooks have no address', {}, {}, [expect.stringContaining('invoice.paid of order-1001 is not sent')]],
    ['nothing when it is asked to be quiet', { quiet: true }, { callback_url }, []],
    ['nothing about a fault that was asked for', { faults: [FAULT] }, { callback_url }, []],
  ])('says %s', async (_, options, more, lines) => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const sandbox = refusing(options);
    for (let at = 0; at < 2; at += 1) await sandbox.pay(sandbox.create({ ...order, ...more }).uuid);
    expect(print.mock.calls.flat()).toEqual(lines);
  });

  it('says that an order id is the uuid of an invoice, whose order gets a second one', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const sandbox = createSandbox();
    const { uuid } = sandbox.create({ ...order, external_id: 'order-7' });
    sandbox.create({ ...order, external_id: uuid });
    sandbox.create({ ...order, external_id: crypto.randomUUID() });
    const line = `external_id ${uuid} is the uuid of an invoice of order-7: this is a second one`;
    expect(print.mock.calls).toEqual([[expect.stringContaining(line)]]);
    expect(sandbox.events()).toContainEqual(expect.objectContaining({ kind: 'note', text: line }));
  });

  it('may throw, and the payment is done', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error('fail on console');
    });
    const sandbox = refusing();
    expect((await sandbox.pay(sandbox.create({ ...order, callback_url }).uuid)).invoice.status).toBe('success');
  });
});

describe('the options', () => {
  const SEEDED = { external_id: 'order-1', customer_id: 'c', amount: '25.00', currency: 'EUR' };
  const seeded = (change: object) => ({ seedData: { invoices: [{ ...SEEDED, ...change }] } });

  it.each<[string, object | null]>([
    ['apiKey', { apiKey: '' }],
    ['webhookSecret', { webhookSecret: ' padded' }],
    ['clock', { clock: 'fast' }],
    ['now', { now: 'yesterday' }],
    ['now', { now: '2026-02-30' }],
    ['lifetime', { lifetime: 'short' }],
    ['defaults.callback_url', { defaults: { callback_url: 'ftp://x' } }],
    ['deliverTo', { deliverTo: ['https://shop.example'] }],
    ['url', { url: 'nowhere' }],
    ['createSandbox has no "wallClock"', { wallClock: Date.now }],
    ['quiet must be true or false', { quiet: 'yes' }],
    ['deliverTo must be an array', { deliverTo: 'shop.test' }],
    ['rates must be an array', { rates: {} }],
    ['seed must be', { seed: {} }],
    ['fetch must be a function', { fetch: 5 }],
    ['onEvent must be a function', { onEvent: 5 }],
    ['seedData: no method serves "XXX"', seeded({ currency: 'XXX' })],
    ['seedData.status must be', seeded({ status: 'zz' })],
    ['seedData.external_id must be', seeded({ external_id: 'x'.repeat(129) })],
    ['methods: each method needs id', { methods: [{}] }],
    ['seedData.callback_url', seeded({ callback_url: '/webhook' })],
    ['seedData.fail_url', seeded({ fail_url: 'javascript:alert(1)' })],
    ['createSandbox has no "state"', { state: null }],
    ['createSandbox has no "lifeTime"', { lifeTime: '5m' }],
    ['createSandbox must be an object', null],
    ['defaults has no "callbackUrl"', { defaults: { callbackUrl: 'https://shop.example' } }],
    ['seedData has no "orders"', { seedData: { orders: [] } }],
    ['An invoice of seedData has no "id"', seeded({ id: 'x' })],
    ['A row of faults has no "type"', { faults: [{ type: 'hang' }] }],
    ['The fault server_error has no "afterwork"', { faults: [{ fault: { type: 'server_error', afterwork: true } }] }],
    ['rate must be above 0', { faults: [{ fault: 'html', rate: 0 }] }],
    ['dialect has no "colour"', { dialect: { colour: 'red' } }],
    ['dialect has no "toString"', { dialect: { toString: 1 } }],
  ])('are refused with words for a bad one: %s', (name, options) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(ConfigurationError); // plain JavaScript may pass it
    expect(() => createSandbox(options as SandboxOptions)).toThrow(name);
  });

  it('may be null, which counts as absent', () => {
    const absent = nulls(['seed', 'now', 'clock', 'methods', 'withdrawals', 'dialect', 'faults']);
    const sandbox = testSandbox({ ...absent, ...seeded(nulls(['age', 'status', 'paid'])) });
    expect(sandbox.invoice('order-1').status).toBe('pending');
    expect(testSandbox({ seedData: nulls(['invoices']) }).invoices()).toEqual([]);
  });

  it('apiKey and webhookSecret are of this sandbox alone unless they are given', () => {
    const [one, other] = [createSandbox(), createSandbox()];
    for (const name of ['apiKey', 'webhookSecret'] as const) {
      expect(one[name]).not.toBe(other[name]);
      expect(one[name]).toMatch(/^(?:sk|whsec)_sandbox_[0-9a-f]{24}$/);
    }
    expect(createSandbox({ apiKey: 'mine' }).apiKey).toBe('mine');
  });
});

/** Members that are null, as plain JavaScript may pass them. */
function nulls(names: readonly string[]): Record<string, never> {
  return Object.fromEntries(names.map((name) => [name, null])) as unknown as Record<string, never>;
}
