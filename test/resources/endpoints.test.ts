import { describe, expect, test } from 'vitest';
import type { MerchantClient } from '../../src/client.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { type SeenRequest, serve } from '../support/fault-server.ts';
import { ok } from '../support/fault-steps.ts';
import { deliveries } from '../support/fixtures/deliveries.ts';
import { createdInvoice, invoicePage, pendingInvoice } from '../support/fixtures/invoices.ts';
import { paymentMethods } from '../support/fixtures/payment-methods.ts';
import { rates } from '../support/fixtures/rates.ts';
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
  test.each<[string, (client: MerchantClient) => PromiseLike<unknown>, unknown, string, string, string?]>([
    [
      'invoices.create',
      (c) => c.invoices.create(order),
      createdInvoice,
      'POST',
      '/invoices',
      '{"external_id":"order-1042","customer_id":"customer-7","amount":"25.00","currency":"EUR"}',
    ],
    [
      'invoices.createOrGet',
      (c) => c.invoices.createOrGet(order),
      createdInvoice,
      'POST',
      '/invoices',
      '{"external_id":"order-1042","customer_id":"customer-7","amount":"25.00","currency":"EUR"}',
    ],
    ['invoices.get', (c) => c.invoices.get('order-1042'), pendingInvoice, 'GET', '/invoices/order-1042'],
    ['invoices.list', (c) => c.invoices.list(), invoicePage, 'GET', '/invoices'],
    [
      'invoices.list with a query',
      (c) => c.invoices.list({ status: 'success', currency: 'EUR', page: 2, per_page: 2 }),
      invoicePage,
      'GET',
      '/invoices?status=success&currency=EUR&page=2&per_page=2',
    ],
    [
      'invoices.list with nulls',
      (c) => c.invoices.list({ status: null, page: undefined }),
      invoicePage,
      'GET',
      '/invoices',
    ],
    ['withdrawals.list', (c) => c.withdrawals.list(), withdrawalPage, 'GET', '/withdrawals'],
    [
      'withdrawals.list with a query',
      (c) => c.withdrawals.list({ status: 'rejected', page: 1, per_page: 100 }),
      withdrawalPage,
      'GET',
      '/withdrawals?status=rejected&page=1&per_page=100',
    ],
    [
      'withdrawals.get',
      (c) => c.withdrawals.get('w-1'),
      { ...approvedWithdrawal, uuid: 'w-1' },
      'GET',
      '/withdrawals/w-1',
    ],
    ['paymentMethods.list', (c) => c.paymentMethods.list(), paymentMethods, 'GET', '/payment-methods'],
    [
      'paymentMethods.forCharge',
      (c) => c.paymentMethods.forCharge({ currency: 'EUR', amount: '25.00' }),
      paymentMethods,
      'GET',
      '/payment-methods',
    ],
    ['rates.list', (c) => c.rates.list({ fiat: 'EUR' }), rates, 'GET', '/rates'],
    [
      'webhooks.deliveries',
      (c) => c.webhooks.deliveries('order-1042'),
      deliveries,
      'GET',
      '/invoices/order-1042/webhooks',
    ],
    ['webhooks.resend', (c) => c.webhooks.resend('order-1042'), {}, 'POST', '/invoices/order-1042/resend-webhook'],
  ])('%s', async (_name, call, data, method, path, body = '') => {
    const request = await sent(data, call);
    expect(request).toMatchObject({ method, url: ROOT + path, body });
    expect(request.headers['x-api-key']).toBe(API_KEY);
    expect(request.headers['accept']).toBe('application/json');
    expect(request.headers['user-agent']).toMatch(/^merchant-invoicing\/\d/);
    expect(request.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  test.each([
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

  test('every parameter of a creation, and nothing that was left out', async () => {
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

  test.each([
    ['invoices.create', (c: MerchantClient, amount: never) => c.invoices.create({ ...order, amount })],
    [
      'paymentMethods.forCharge',
      (c: MerchantClient, amount: never) => c.paymentMethods.forCharge({ currency: 'EUR', amount }),
    ],
  ])('%s refuses a bigint, with the right form and without a request', async (operation, call) => {
    const server = await serve(ok(createdInvoice));
    const error = await errorOf(call(clientOf(server.url), 2500n as never)); // wrong on purpose
    expect(error).toMatchObject({
      kind: 'validation',
      code: 'VALIDATION_ERROR',
      origin: 'client',
      outcome: 'not_sent',
    });
    expect(error.message).toBe(
      `${operation}: amount must not be a bigint, which could mean whole units or cents: write it as text, amount: "25.00". No request was made.`,
    );
    expect(server.requests).toEqual([]);
  });

  test('headers and query of the options', async () => {
    const server = await serve(ok(invoicePage));
    const client = clientOf(server.url, { headers: { 'X-Proxy': 'p', 'x-both': 'client' } });
    await client.invoices.list(
      { page: 2 },
      { headers: { 'X-Both': 'call', 'User-Agent': 'shop/1' }, query: { 'sort by': 'a&b' } },
    );
    expect(server.requests[0]?.url).toBe(`${ROOT}/invoices?page=2&sort+by=a%26b`);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-proxy': 'p', 'x-both': 'call', 'user-agent': 'shop/1' });
  });

  test('through a fetch of the caller', async () => {
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

describe('each method gives', () => {
  const answering = async (data: unknown) => clientOf((await serve(ok(data))).url);

  test('the created invoice', async () => {
    const invoice = await (await answering(createdInvoice)).invoices.create(order);
    expect(invoice).toMatchObject({ uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f', status: 'pending' });
    expect(invoice.amount_to_send?.toFixed(2)).toBe('25.50');
    expect(invoice.expires_at.toISOString()).toBe('2026-01-31T10:00:00.000Z');
  });

  test('a page, and the methods and rates that were asked for', async () => {
    const page = await (await answering(invoicePage)).invoices.list({ page: 2, per_page: 2 });
    expect(page).toMatchObject({
      page: 2,
      per_page: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: true,
    });
    expect(page.items.map(({ external_id }) => external_id)).toEqual(['order-1042', 'order-1044']);
    const methods = [
      { ...paymentMethods[0], id: 1, min_amount: '10.00', max_amount: '100.00' },
      { ...paymentMethods[0], id: 2, min_amount: '25.01', max_amount: '100.00' },
      { ...paymentMethods[0], id: 3, min_amount: '9', max_amount: '25' },
      {
        ...paymentMethods[0],
        id: 4,
        min_amount: '1',
        max_amount: '99',
        currency: { id: 9, code: 'JPY', name: 'Yen', symbol: '¥' },
      },
    ];
    const forCharge = await (await answering(methods)).paymentMethods.forCharge({ currency: 'eur', amount: '25.00' });
    expect(forCharge.map(({ id }) => id)).toEqual([1, 3]);
    const rows = [
      { platform: 'A', asset: 'USDT', fiat: 'EUR', side: 'buy', price: '0.9', min_amount: '1', max_amount: '2' },
      { platform: 'A', asset: 'USDT', fiat: 'EUR', side: 'sell', price: '0.8', min_amount: '1', max_amount: '2' },
      { platform: 'B', asset: 'USDT', fiat: 'EUR', side: 'sell', price: '0.7', min_amount: '1', max_amount: '2' },
      { platform: 'A', asset: 'USDT', fiat: 'GEL', side: 'sell', price: '2.7', min_amount: '1', max_amount: '2' },
    ];
    const picked = await (await answering(rows)).rates.list({ fiat: 'eur', side: 'sell', platform: 'a' });
    expect(picked.map(({ price }) => price.toFixed())).toEqual(['0.8']);
  });

  test('an UnexpectedResponseError with the path of what is missing', async () => {
    const { payment_url: _, ...without } = createdInvoice;
    const error = await errorOf((await answering(without)).invoices.create(order));
    expect(error).toMatchObject({
      kind: 'unexpected_response',
      code: 'SDK_CONTRACT',
      outcome: 'unknown',
      issues: [{ path: 'payment_url', message: 'is required' }],
    });
  });
});

describe('a wrong argument is a typed error, and no request is made', () => {
  const wrong: [string, (client: MerchantClient) => PromiseLike<unknown>, object][] = [
    ...['', '.', '..', '\ud800', 'x'.repeat(129)].flatMap((ident): typeof wrong => [
      [`get ${ident.slice(0, 3)}`, (c) => c.invoices.get(ident), { issues: [{ path: 'ident' }] }],
      [`resend ${ident.slice(0, 3)}`, (c) => c.webhooks.resend(ident), { issues: [{ path: 'ident' }] }],
      [`deliveries ${ident.slice(0, 3)}`, (c) => c.webhooks.deliveries(ident), { issues: [{ path: 'ident' }] }],
      [
        `withdrawals.get ${ident.slice(0, 3)}`,
        (c) => c.withdrawals.get(ident),
        { issues: [{ path: 'withdrawal_uuid' }] },
      ],
    ]),
    ...['0', '-1', '1.234', '1e3', 'NaN', '', ' 5', '1,50'].map((amount): (typeof wrong)[number] => [
      `amount ${amount}`,
      (c) => c.invoices.create({ ...order, amount }),
      { fields: { amount: [expect.stringContaining('"25.00"')] } },
    ]),
    // wrong on purpose: a number
    [
      'amount 25',
      (c) => c.invoices.create({ ...order, amount: 25 as unknown as string }),
      { fields: { amount: [expect.stringContaining('JavaScript number')] } },
    ],
    [
      'long external_id',
      (c) => c.invoices.create({ ...order, external_id: 'x'.repeat(129) }),
      { issues: [{ path: 'external_id' }] },
    ],
    [
      'http callback',
      (c) => c.invoices.create({ ...order, callback_url: 'http://shop.example' }),
      { issues: [{ path: 'callback_url' }] },
    ],
    ['page 0', (c) => c.invoices.list({ page: 0 }), { issues: [{ path: 'page' }] }],
    ['per_page 101', (c) => c.withdrawals.list({ per_page: 101 }), { issues: [{ path: 'per_page' }] }],
    ['unknown parameter', (c) => c.invoices.list({ perPage: 5 } as object), { issues: [{ path: 'perPage' }] }],
    [
      'forCharge',
      (c) => c.paymentMethods.forCharge({ currency: 'EUR', amount: '0' }),
      { operation: 'paymentMethods.forCharge' },
    ],
  ];

  test.each(wrong)('%s', async (_name, call, expected) => {
    const server = await serve(ok([]));
    const error = await errorOf(call(clientOf(server.url)));
    expect(error).toMatchObject({
      kind: 'validation',
      code: 'VALIDATION_ERROR',
      origin: 'client',
      outcome: 'not_sent',
      status: null,
      attempts: [],
      ...expected,
    });
    expect(error.message).toContain('No request was made');
    expect(server.requests).toHaveLength(0);
  });

  test.each<[string, object]>([
    ['timeout', { timeout: Number.NaN }],
    ['timeout', { timeout: '5' }],
    ['timeout', { timeout: 0 }],
    ['deadline', { deadline: -1 }],
    ['deadline', { deadline: Number.POSITIVE_INFINITY }],
    ['retry', { retry: true }],
    ['retry', { retry: 3 }],
    ['retry.attempts', { retry: { attempts: 0 } }],
    ['retry.baseDelay', { retry: { baseDelay: '1' } }],
    ['signal', { signal: {} }],
    ['signal', { signal: { aborted: false } }],
    ['signal', { signal: new AbortController() }],
    ['headers', { headers: 'x' }],
    ['headers', { headers: { 'X-Api-Key': 'mine' } }],
    ['headers', { headers: { HOST: 'evil.example' } }],
    ['headers', { headers: { 'content-length': '7' } }],
    ['headers', { headers: { 'x-line': 'a\nb' } }],
    ['query', { query: { a: 7 } }],
    ['query', { query: 'a=7' }],
    ['prefetch', { prefetch: 0 }],
    ['prefetch', { prefetch: 1.5 }],
    ['prefetch', { prefetch: 1_000 }],
    ['timeOut', { timeOut: 5 }],
    ['tries', { retry: { tries: 5 } }],
    ['budget', { retry: { budget: 5 } }],
  ])('the option %s', async (name, options) => {
    const server = await serve(ok([]));
    const error = await errorOf(clientOf(server.url).invoices.list({}, options));
    expect(error).toMatchObject({ kind: 'configuration', code: 'SDK_INVALID_ARGUMENT', outcome: 'not_sent' });
    expect(error.message).toContain(name);
    expect(server.requests).toHaveLength(0);
  });
});
