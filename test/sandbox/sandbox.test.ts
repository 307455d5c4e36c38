import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/classes.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { inProcess, ORDER, receiver } from './loopback.ts';

describe('in process', () => {
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
});

describe('moves', () => {
  async function withOrder(options: SandboxOptions = {}) {
    const context = inProcess(options);
    await context.api('POST', '/invoices', ORDER);
    return context;
  }

  const ENDINGS = [
    ['pay', 'success'],
    ['fail', 'fail'],
    ['expire', 'expired'],
    ['cancel', 'canceled'],
  ] as const;

  it.each(ENDINGS)('%s sets state and time, which no later move changes', async (end, status) => {
    const { sandbox } = await withOrder();
    await sandbox.advance(1_000);
    const { invoice: ended, delivery } = await sandbox[end]('order-1042');
    expect(delivery).toBeNull(); // the order has no callback_url
    expect(ended).toMatchObject({ status, finished_at: '2026-03-01T12:00:01.000Z' });
    expect(ended.settled_amount_usdt === null).toBe(status !== 'success');
    const { sandbox: other } = await withOrder();
    expect((await other.finish('order-1042', status)).invoice).toMatchObject({ status });
    const moves = [
      () => sandbox.pay('order-1042'),
      () => sandbox.fail('order-1042'),
      () => sandbox.cancel('order-1042'),
      () => sandbox.expire('order-1042'),
      async () => sandbox.choose('order-1042', 1),
    ];
    for (const move of moves) await expect(move()).rejects.toThrow(`it is ${status}, which is final`);
    await sandbox.advance('1d');
    expect(sandbox.invoice('order-1042')).toEqual(ended);
  });

  it.each([
    ['an invoice that is none', (s) => s.pay('nobody'), '"order-1042"'],
    ['an underpayment that is none', (s) => s.underpay('order-1042', '25'), '25 is not less than the ordered 25.00'],
    ['an overpayment that is none', (s) => s.overpay('order-1042', '24.99'), '24.99 is not more'],
    ['a number as amount', (s) => s.underpay('order-1042', 17 as never), 'such as "17.00"'],
    ['three decimals', (s) => s.adjust('order-1042', '1.234'), 'at most 2 decimals'],
    ['a method out of range', (s) => s.pay('order-1042', { method: 'Wallet' }), 'amount is too small: from 50.00 EUR'],
    ['a method that is none', (s) => s.pay('order-1042', { method: 'Pix' }), '1 Card (5.00 to 2000.00)'],
    ['a state that is none', (s) => s.finish('order-1042', 'paid' as never), 'finish takes success, fail'],
    ['a resend of nothing', (s) => s.resend('order-1042'), 'it is still pending'],
    ['a webhook of a pending one', (s) => s.webhookRequest('order-1042'), 'only a final invoice'],
    ['a duration that is none', (s) => s.advance('soon'), 'such as "90s"'],
    ['a step back', (s) => s.advance(-1), 'milliseconds from 0'],
  ] as [string, (s: ReturnType<typeof testSandbox>) => Promise<unknown>, string][])(
    'refuse %s, and say what to do',
    async (_, act, text) => {
      const { sandbox } = await withOrder();
      const error = await act(sandbox).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(text);
      expect(sandbox.invoice('order-1042').status).toBe('pending');
    },
  );
});

it('tells every event in its order, and never the key or the secret', async () => {
  const seen: unknown[] = [];
  const hook = await receiver([400]);
  const { api, sandbox } = inProcess({ onEvent: (event) => seen.push(event) });
  await api('POST', '/invoices', { ...ORDER, callback_url: hook.url });
  await api('POST', '/invoices', ORDER);
  await sandbox.underpay('order-1042', '17.00');
  expect(seen).toMatchObject([
    { kind: 'invoice', external_id: 'order-1042', from: null, to: 'pending', why: '25.00 EUR' },
    { kind: 'request', method: 'POST', path: '/api/v1/external/invoices', status: 201 },
    { kind: 'request', status: 409, code: 'INVOICE_ALREADY_EXISTS', why: expect.stringContaining('is taken') },
    { kind: 'invoice', from: 'pending', to: 'success', paid: '17.00', why: expect.stringContaining('18.265682 USDT') },
    { kind: 'attempt', url: hook.url, attempt: 1, status_code: 400, cause: { id: 'refused' } },
  ]);
  expect(JSON.stringify(sandbox.events())).not.toMatch(/sk_sandbox|whsec_of_the_tests/);
});

it('is not disturbed by a listener that throws', async () => {
  const { api } = inProcess({
    onEvent: () => {
      throw new Error('mine');
    },
  });
  expect((await api('GET', '/rates')).status).toBe(200);
});

it.each(['underpay', 'overpay'] as const)('%s without an amount pays nothing', async (action) => {
  const sandbox = testSandbox({ seedData: { invoices: [SEEDED] } });
  const missing = undefined as unknown as string; // plain JavaScript may pass it
  await expect(sandbox[action]('order-1', missing)).rejects.toThrow('The amount must be text');
  expect(sandbox.invoice('order-1').status).toBe('pending');
});

it.each(['/pay-api', '/pay', '/api'])('answers below the path %s of its address, and without it', async (path) => {
  const sandbox = testSandbox({ url: `https://shop.test${path}` });
  const { payment_url } = sandbox.create({ amount: '25.00', currency: 'EUR' });
  const headers = { 'X-Api-Key': sandbox.apiKey };
  for (const address of [
    `${sandbox.url}/api/v1/external/rates`,
    'https://shop.test/api/v1/external/rates',
    payment_url,
    payment_url.replace(path, ''),
  ])
    expect((await sandbox.fetch(address, { headers })).status).toBe(200);
});

it('shows a request to a wrong path, and one that is too large, among the requests', async () => {
  const sandbox = testSandbox();
  await sandbox.fetch('http://sandbox.test/v1/external/rates', { headers: { 'X-Api-Key': 'any' } });
  await sandbox.fetch('http://sandbox.test/api/v1/external/invoices', { method: 'POST', body: 'x'.repeat(1_100_000) });
  await sandbox.fetch('http://sandbox.test/invoices'); // a page is none
  await sandbox.fetch('http://sandbox.test/_/advance', { method: 'POST', body: 'duration=1m' });
  expect(sandbox.requests()).toMatchObject([
    {
      path: '/v1/external/rates',
      operation: null,
      status: 404,
      why: expect.stringContaining('begin with /api/v1/external'),
    },
    { path: '/api/v1/external/invoices', status: 413, code: 'PAYLOAD_TOO_LARGE' },
  ]);
});

it('gives the webhook of an invoice without a callback_url the same delivery id each time', async () => {
  const sandbox = testSandbox({ seedData: { invoices: [SEEDED] } });
  await sandbox.pay('order-1');
  const ids = [await sandbox.webhookRequest('order-1'), await sandbox.webhookRequest('order-1')].map(({ headers }) =>
    headers.get('x-webhook-id'),
  );
  expect(ids[0]).toBe(ids[1]);
});

it.each([
  ['port', { port: -1 }],
  ['port', { port: 70_000 }],
  ['host', { host: '' }],
  ['allowedHosts', { allowedHosts: 'sandbox' }],
])('does not listen with a bad %s', async (name, options) => {
  await expect(testSandbox().listen(options as object)).rejects.toThrow(name);
  await expect(testSandbox().listen(options as object)).rejects.toThrow(ConfigurationError);
});

it('refuses a mistyped name in the options of each of its methods', async () => {
  const sandbox = testSandbox({ seedData: { invoices: [SEEDED] } });
  const wrong = { methd: 1 } as object; // plain JavaScript may pass it
  expect(() => sandbox.faults.next('hang', wrong)).toThrow('faults.next has no "methd"');
  await expect(sandbox.listen(wrong)).rejects.toThrow('listen has no "methd"');
  await expect(sandbox.pay('order-1', wrong)).rejects.toThrow('pay has no "methd"');
  await expect(sandbox.underpay('order-1', '1.00', wrong)).rejects.toThrow('underpay has no "methd"');
  await expect(sandbox.overpay('order-1', '99.00', wrong)).rejects.toThrow('overpay has no "methd"');
  expect(sandbox.invoice('order-1').status).toBe('pending');
});

const SEEDED = { external_id: 'order-1', customer_id: 'c', amount: '25.00', currency: 'EUR' };

it.each([
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
  ['seedData', { seedData: { invoices: [{ external_id: 'x', customer_id: 'c', amount: '1.00', currency: 'XXX' }] } }],
  ['seedData.callback_url', { seedData: { invoices: [{ ...SEEDED, callback_url: '/webhook' }] } }],
  ['seedData.fail_url', { seedData: { invoices: [{ ...SEEDED, fail_url: 'javascript:alert(1)' }] } }],
  ['createSandbox has no "lifeTime"', { lifeTime: '5m' }],
  ['createSandbox must be an object', null],
  ['defaults has no "callbackUrl"', { defaults: { callbackUrl: 'https://shop.example' } }],
  ['seedData has no "orders"', { seedData: { orders: [] } }],
  ['An invoice of seedData has no "id"', { seedData: { invoices: [{ id: 'x' }] } }],
  ['A row of faults has no "type"', { faults: [{ type: 'hang' }] }],
  ['The fault server_error has no "afterwork"', { faults: [{ fault: { type: 'server_error', afterwork: true } }] }],
])('refuses a bad %s and names it', (name, options) => {
  expect(() => createSandbox(options as SandboxOptions)).toThrow(ConfigurationError); // plain JavaScript may pass it
  expect(() => createSandbox(options as SandboxOptions)).toThrow(name);
});

it('treats null as absent in every option but state', async () => {
  const absent = nulls(['seed', 'now', 'clock', 'methods', 'withdrawals', 'dialect', 'faults']);
  const invoices = [{ ...SEEDED, ...nulls(['age', 'status', 'paid']) }];
  const sandbox = testSandbox({ ...absent, seedData: { invoices } });
  expect(sandbox.invoice('order-1').status).toBe('pending');
  expect(testSandbox({ seedData: nulls(['invoices']) }).invoices()).toEqual([]);
  // A state without a seed continues the ids of its sandbox.
  const state = sandbox.state();
  expect(testSandbox({ state, ...nulls(['seed']) }).seed).toBe(sandbox.seed);
  expect(() => testSandbox(nulls(['state']))).toThrow(ConfigurationError);
  // Without a given seed a reset does not repeat the ids, because receivers remember them.
  const { uuid } = sandbox.invoice('order-1');
  sandbox.reset();
  expect(sandbox.invoice('order-1').uuid).not.toBe(uuid);
});

/** Members that are null, as plain JavaScript may pass them. */
function nulls(names: readonly string[]): Record<string, never> {
  return Object.fromEntries(names.map((name) => [name, null])) as unknown as Record<string, never>;
}

it('says in its log that a response is not as the interface says', async () => {
  const { sandbox, api } = inProcess({ rates: [{ ...RATE, price: 'about 1' }] });
  await api('GET', '/rates');
  const notes = sandbox.events().flatMap((event) => (event.kind === 'note' ? [event.text] : []));
  expect(notes).toEqual([expect.stringMatching(/rates\.list is not as the interface says: .*price/)]);
});

const RATE = {
  platform: 'p',
  asset: 'USDT',
  fiat: 'EUR',
  side: 'buy' as const,
  min_amount: '1.00',
  max_amount: '2.00',
};

describe('an action by one request', () => {
  const JSON_TYPES = { 'Content-Type': 'application/json', Accept: 'application/json' };

  it.each([
    ['null', '{"amount":"25.00","currency":"EUR","external_id":null,"callback_url":null}', JSON_TYPES],
    ['empty', 'amount=25.00&currency=EUR&external_id=&callback_url=', { Accept: 'application/json' }],
  ])('a member that is %s counts as absent', async (_, body, headers) => {
    const sandbox = testSandbox();
    const response = await sandbox.fetch('http://sandbox.test/_/create', { method: 'POST', body, headers });
    expect(await response.json()).toMatchObject({
      ok: true,
      result: { external_id: 'order-1001', callback_url: null },
      text: expect.stringMatching(/^order-1001 {2}25\.00 EUR {2}http/),
    });
  });

  it('creates an order with all that the service takes', async () => {
    const more = { purpose: 'Two chairs', success_url: 'https://shop.test/ok', fail_url: 'https://shop.test/no' };
    const init = {
      method: 'POST',
      headers: JSON_TYPES,
      body: JSON.stringify({ amount: '25.00', currency: 'EUR', ...more }),
    };
    const response = await testSandbox().fetch('http://sandbox.test/_/create', init);
    expect(await response.json()).toMatchObject({ result: more });
  });

  it('one request ends an order and says what became of its webhook', async () => {
    const sandbox = testSandbox({ fetch: async () => new Response(null, { status: 503 }) });
    sandbox.create({ amount: '25.00', currency: 'EUR', callback_url: 'http://127.0.0.1:3000/webhook' });
    const body = '{"ident":"order-1001"}';
    const response = await sandbox.fetch('http://sandbox.test/_/pay', { method: 'POST', body, headers: JSON_TYPES });
    const { result, text } = await response.json();
    expect(result).toMatchObject({
      invoice: { external_id: 'order-1001', status: 'success' },
      delivery: { status: 503 },
    });
    expect(text).toMatch(/^order-1001 {2}success, .* USDT credited {2}webhook retrying: The receiver failed/);
  });

  it.each([
    ['pay', '{"ident":"order-1"}', 'it is expired'],
    ['pay', '{"ident":"order-1","amount":"17.00"}', 'pay has no "amount"'],
    ['create', '{"amount":"25.00","currency":"EUR","purpos":"x"}', 'create has no "purpos"'],
    ['dance', '{}', 'dance'],
    ['constructor', '{}', 'constructor'],
  ])('refuses %s %s with the reason', async (action, body, reason) => {
    const sandbox = testSandbox({ seedData: { invoices: [{ ...SEEDED, status: 'expired' }] } });
    const init = { method: 'POST', body, headers: JSON_TYPES };
    const response = await sandbox.fetch(`http://sandbox.test/_/${action}`, init);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { ok: false, error: { message: expect.stringContaining(reason) } },
    ]);
  });
});
