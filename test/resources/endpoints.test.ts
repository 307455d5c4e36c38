import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { type SeenRequest, serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { deliveries } from '../support/fixtures/deliveries.ts';
import { createdInvoice, invoicePage, pendingInvoice } from '../support/fixtures/invoices.ts';
import { cardMethod, paymentMethods } from '../support/fixtures/payment-methods.ts';
import { rates, sellRate } from '../support/fixtures/rates.ts';
import { approvedWithdrawal, withdrawalPage } from '../support/fixtures/withdrawals.ts';
import { API_KEY, clientOf, errorOf, order } from '../support/test-client.ts';

const ROOT = '/api/v1/external';

/** The request that a call makes of a service that answers this, at an address with a path prefix. */
async function sent(data: unknown, call: (client: MerchantClient) => PromiseLike<unknown>): Promise<SeenRequest> {
  const server = await serve(ok(data));
  await call(clientOf(`${server.url}/gateway/v2/`));
  expect(server.requests).toHaveLength(1);
  const [request] = server.requests;
  if (request === undefined) throw new Error('no request');
  expect(request.url).toMatch(/^\/gateway\/v2\/api\/v1\/external\//);
  return { ...request, url: request.url.slice('/gateway/v2'.length) };
}

describe('each method sends exactly', () => {
  const CREATED = '{"external_id":"order-1042","customer_id":"customer-7","amount":"25.00","currency":"EUR"}';
  const INVOICES = { status: 'success', currency: 'EUR', page: 2, per_page: 2 } as const;
  const WITHDRAWALS = { status: 'rejected', page: 1, per_page: 100 } as const;
  const CHARGE = { currency: 'EUR', amount: '25.00' };
  const withdrawal = { ...approvedWithdrawal, uuid: 'w-1' };
  it.each<[request: string, (client: MerchantClient) => PromiseLike<unknown>, data: unknown, body?: string]>([
    ['POST /invoices', (c) => c.invoices.create(order), createdInvoice, CREATED],
    ['POST /invoices', (c) => c.invoices.createOrRenew(order), createdInvoice, CREATED],
    ['GET /invoices/order-1042', (c) => c.invoices.get('order-1042'), pendingInvoice],
    ['GET /invoices', (c) => c.invoices.list(), invoicePage],
    ['GET /invoices', (c) => c.invoices.list({ status: null, page: undefined }), invoicePage],
    ['GET /invoices?status=success&currency=EUR&page=2&per_page=2', (c) => c.invoices.list(INVOICES), invoicePage],
    ['GET /withdrawals', (c) => c.withdrawals.list(), withdrawalPage],
    ['GET /withdrawals?status=rejected&page=1&per_page=100', (c) => c.withdrawals.list(WITHDRAWALS), withdrawalPage],
    ['GET /withdrawals/w-1', (c) => c.withdrawals.get('w-1'), withdrawal],
    ['GET /payment-methods', (c) => c.paymentMethods.list(), paymentMethods],
    ['GET /payment-methods', (c) => c.paymentMethods.forCharge(CHARGE), paymentMethods],
    ['GET /rates', (c) => c.rates.list({ fiat: 'EUR' }), rates],
    ['GET /invoices/order-1042/webhooks', (c) => c.webhooks.deliveries('order-1042'), deliveries],
    ['POST /invoices/order-1042/resend-webhook', (c) => c.webhooks.resend('order-1042'), {}],
  ])('%s', async (expected, call, data, body = '') => {
    const [method, path] = expected.split(' ');
    const request = await sent(data, call);
    expect(request).toMatchObject({ method, url: `${ROOT}${path}`, body });
    expect(request.headers['x-api-key']).toBe(API_KEY);
    expect(request.headers['accept']).toBe('application/json');
    expect(request.headers['user-agent']).toMatch(/^merchant-invoicing\/\d/);
    expect(request.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  it.each([
    ['a/b', 'a%2Fb'],
    ['ü', '%C3%BC'],
    ['%2e%2e', '%252e%252e'],
    ['...', '...'],
    ['a?b#c', 'a%3Fb%23c'],
    ['a b+c', 'a%20b%2Bc'],
    ['\\..\\', '%5C..%5C'],
    ['😀', '%F0%9F%98%80'],
  ])('the identifier %j as one path segment', async (ident, encoded) => {
    const invoice = { ...pendingInvoice, external_id: ident };
    expect((await sent(invoice, (c) => c.invoices.get(ident))).url).toBe(`${ROOT}/invoices/${encoded}`);
    expect((await sent({}, (c) => c.webhooks.resend(ident))).url).toBe(`${ROOT}/invoices/${encoded}/resend-webhook`);
    expect((await sent([], (c) => c.webhooks.deliveries(ident))).url).toBe(`${ROOT}/invoices/${encoded}/webhooks`);
    const withdrawal = { ...approvedWithdrawal, uuid: ident };
    expect((await sent(withdrawal, (c) => c.withdrawals.get(ident))).url).toBe(`${ROOT}/withdrawals/${encoded}`);
  });

  it('every parameter of a creation, and nothing that was left out', async () => {
    const created = { ...createdInvoice, amount: '1000000000000000000000.50' };
    const request = await sent(created, (client) =>
      client.invoices.create({
        ...order,
        amount: new Decimal('1000000000000000000000.5'),
        purpose: 'Zwei "Karten" für Ж 😀',
        callback_url: 'https://shop.example/hook',
        success_url: null,
        fail_url: undefined,
      }),
    );
    expect(JSON.parse(Buffer.from(request.body, 'latin1').toString())).toEqual({
      external_id: 'order-1042',
      customer_id: 'customer-7',
      amount: '1000000000000000000000.5',
      currency: 'EUR',
      purpose: 'Zwei "Karten" für Ж 😀',
      callback_url: 'https://shop.example/hook',
    });
  });

  it('headers and query of the options', async () => {
    const server = await serve(ok(invoicePage));
    const client = clientOf(server.url, { headers: { 'X-Proxy': 'p', 'x-both': 'client' } });
    await client.invoices.list(
      { page: 2 },
      { headers: { 'X-Both': 'call', 'User-Agent': 'shop/1' }, query: { 'sort by': 'a&b' } },
    );
    expect(server.requests[0]?.url).toBe(`${ROOT}/invoices?page=2&sort+by=a%26b`);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-proxy': 'p', 'x-both': 'call', 'user-agent': 'shop/1' });
  });

  it('through a fetch of the caller', async () => {
    const seen: unknown[] = [];
    const client = clientOf('https://pay.example/base', {
      fetch: async (url, { method, headers, body, redirect, signal }) => {
        seen.push([url, method, headers.get('x-api-key'), body, redirect, signal instanceof AbortSignal]);
        return Response.json({ success: true, data: createdInvoice });
      },
    });
    await client.invoices.create(order);
    expect(seen).toEqual([
      [
        'https://pay.example/base/api/v1/external/invoices',
        'POST',
        API_KEY,
        '{"external_id":"order-1042","customer_id":"customer-7","amount":"25.00","currency":"EUR"}',
        'manual',
        true,
      ],
    ]);
  });
});

it('forCharge gives the methods that can take the amount in its currency', async () => {
  const yen = { id: 9, code: 'JPY', name: 'Yen', symbol: '¥' };
  const methods = [
    { ...cardMethod, id: 1, min_amount: '10.00', max_amount: '100.00' },
    { ...cardMethod, id: 2, min_amount: '25.01', max_amount: '100.00' },
    { ...cardMethod, id: 3, min_amount: '9', max_amount: '25' },
    { ...cardMethod, id: 4, min_amount: '1', max_amount: '99', currency: yen },
  ];
  const { paymentMethods } = clientOf((await serve(ok(methods))).url);
  const taking = await paymentMethods.forCharge({ currency: 'eur', amount: '25.00' });
  expect(taking.map(({ id }) => id)).toEqual([1, 3]);
});

it('rates are those of the pair, the side and the platform that were asked for', async () => {
  const rows = [
    { ...sellRate, platform: 'A', side: 'buy', price: '0.9' },
    { ...sellRate, platform: 'A', price: '0.8' },
    { ...sellRate, platform: 'B', price: '0.7' },
    { ...sellRate, platform: 'A', fiat: 'GEL', price: '2.7' },
  ];
  const picked = await clientOf((await serve(ok(rows))).url).rates.list({
    fiat: 'eur',
    side: 'SELL' as 'sell',
    platform: 'a',
  });
  expect(picked.map(({ price }) => price.toFixed())).toEqual(['0.8']);
});

it.each([{ platform: 'binanse' }, { fiat: 'EUR', platform: 'binanse' }, { fiat: 'EURO' }])(
  'a platform of which there is no rate is printed once, and a currency is not: %j',
  async (filter) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const rows = [sellRate, { ...sellRate, platform: 'A', fiat: 'GEL' }];
    const { rates } = clientOf((await serve(ok(rows), ok(rows), ok([]))).url);
    expect(await rates.list(filter)).toEqual([]);
    expect(await rates.list(filter)).toEqual([]);
    await rates.list(filter); // without any rate
    const told = [[expect.stringMatching('platform "binanse". There are .*A')]];
    expect(warn.mock.calls).toEqual('platform' in filter ? told : []);
  },
);

describe('a parameter that the service would refuse is a typed error, and no request is made', () => {
  // What each parameter may be: test/contract/parameters.test.ts.
  const idents = ['', '.', '..', '\ud800', 'x'.repeat(129)];
  type Wrong = readonly [path: string, value: unknown, call: (client: MerchantClient) => PromiseLike<unknown>];
  const create = (change: object) => (c: MerchantClient) => c.invoices.create({ ...order, ...change });

  it.each<Wrong>([
    ...idents.flatMap((ident): Wrong[] => [
      ['ident', ident, (c) => c.invoices.get(ident)],
      ['ident', ident, (c) => c.webhooks.resend(ident)],
      ['ident', ident, (c) => c.webhooks.deliveries(ident)],
      ['withdrawal_uuid', ident, (c) => c.withdrawals.get(ident)],
    ]),
    ...['0', '1.234', 25, 2500n].map((amount): Wrong => ['amount', amount, create({ amount })]),
    ...['EUR ', ' EUR', 'EU R', 'EUR\n'].flatMap((currency): Wrong[] => [
      ['currency', currency, create({ currency })],
      ['currency', currency, (c) => c.invoices.list({ currency })],
      ['currency', currency, (c) => c.paymentMethods.forCharge({ currency, amount: '25.00' })],
      ['fiat', currency, (c) => c.rates.list({ fiat: currency })],
    ]),
    ...['ask', 'Buyer', ''].map((side): Wrong => ['side', side, (c) => c.rates.list({ side } as never)]), // wrong on purpose
    ['external_id', 'of 129 letters', create({ external_id: 'x'.repeat(129) })],
    ['callback_url', 'of http', create({ callback_url: 'http://shop.example' })],
    ['amount', 'of forCharge', (c) => c.paymentMethods.forCharge({ currency: 'EUR', amount: '0' })],
  ])('%s %s', async (path, _value, call) => {
    const server = await serve(ok([]));
    const error = await errorOf(call(clientOf(server.url)));
    expect(error).toMatchObject({ kind: 'validation', code: 'VALIDATION_ERROR', origin: 'client', issues: [{ path }] });
    expect(error).toMatchObject({ outcome: 'not_sent', status: null, attempts: [] });
    expect(error).toHaveProperty(['fields', path]);
    expect(error.message).toContain('No request was made');
    expect(server.requests).toHaveLength(0);
  });

  it('which names the first five of them', async () => {
    const { invoices } = clientOf('https://pay.example');
    const wrong = { external_id: '', customer_id: '', amount: '', currency: '', purpose: 5, callback_url: 'x' };
    const error = await errorOf(invoices.create(wrong as never)); // wrong on purpose
    expect(error.message).toBe(
      'invoices.create: external_id must not be empty; customer_id must not be empty; amount must be a decimal string ' +
        'greater than 0 with at most 2 decimals, such as "25.00", not ""; currency must not be empty; purpose must be a string, ' +
        'not 5. No request was made.',
    );
    expect(error).toMatchObject({ issues: { length: 6 } });
    const whole = await errorOf(invoices.create('order-1042' as never)); // wrong on purpose
    expect(whole.message).toBe('invoices.create: the parameters must be an object. No request was made.');
    const { signal } = new AbortController();
    const stranger = await errorOf(invoices.list(signal as never)); // wrong on purpose
    expect(stranger.message).toBe(
      'invoices.list: the parameters must be an object with names, not an AbortSignal: pass { signal }. No request was made.',
    );
  });
});
