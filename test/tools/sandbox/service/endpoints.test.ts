import { expect, it } from 'vitest';
import { listening, ORDER, receiver } from '../loopback.ts';

// The requests and responses are typed by hand from docs/service-interface.md.

const part = (members: object) => expect.objectContaining(members);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };
const AWKWARD = 'a/b c?ü#%2F';

/** Five orders, a minute apart. The first was paid by half. */
async function filled() {
  const context = await listening();
  const rows = { 'o-0': 'EUR', 'o-1': 'USD', 'o-2': 'EUR', 'o-3': 'TRY', [AWKWARD]: 'EUR' };
  for (const [external_id, currency] of Object.entries(rows)) {
    await context.api('POST', '/invoices', { ...ORDER, external_id, currency, amount: '100.00' });
    await context.sandbox.advance('1m');
  }
  const { invoice } = await context.sandbox.pay('o-0', { method: 'Card', amount: '50.00' });
  return { ...context, uuid: invoice.uuid };
}

const CREATED = {
  ...{ uuid: expect.stringMatching(UUID), external_id: 'order-1042', customer_id: 'c-7', amount: '25.00' },
  ...{ purpose: 'Two tickets', callback_url: 'https://shop.example/hook', success_url: 'https://shop.example' },
  ...{ amount_to_send: null, currency: EUR, status: 'pending', fail_url: null },
  payment_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f-]{36}$/),
  ...{ created_at: '2026-03-01T12:00:00.000Z', expires_at: '2026-03-01T12:30:00.000Z' },
};

// Card: 2 % on the customer, 1 % on the merchant; 49.50 EUR at 0.9214 EUR per USDT = 53.722596…
const PAID = {
  ...{ ...CREATED, external_id: 'o-0', amount: '100.00', purpose: null, callback_url: null, success_url: null },
  ...{ status: 'success', finished_at: '2026-03-01T12:05:00.000Z', amount_to_send: '102.00', rate: '0.9214' },
  payment_method: { name: 'Card', logo_url: expect.any(String) },
  ...{ settled_amount_usdt: '53.722596', is_adjusted: true },
  adjustment: {
    ...{ expected_amount_fiat: '100.00', actual_amount_fiat: '50.00' },
    ...{ expected_amount_usdt: '107.445192', actual_amount_usdt: '53.722596' },
  },
};
const OPEN = part({ external_id: AWKWARD, is_adjusted: false, finished_at: null, payment_method: null });
const invoices = (...ids: string[]) => ids.map((external_id) => part({ external_id }));

const REJECTED = {
  ...{ uuid: '5eed0000-0000-4000-8000-000000000005', actor: 'owner@merchant.example', balance_type: 'main' },
  ...{ token: 'USDT', network: 'TRC20', address: 'TSandboxSandboxSandboxSandbox00001', amount: '250.000000' },
  ...{ network_commission: '1.000000', amount_to_send: '249.000000', status: 'rejected', tx_hash: null },
  ...{ reject_reason: 'Address is not on the allow list', logo_url: expect.any(String) },
  ...{ created_at: '2026-02-17T12:00:00.000Z', processed_at: '2026-02-18T12:00:00.000Z' },
};

const CARD = {
  ...{ id: 1, name: 'Card', currency: EUR, min_amount: '5.00', max_amount: '2000.00', logo_url: expect.any(String) },
  ...{ total_commission_percent: '3.00', client_commission_percent: '2.00', merchant_commission_percent: '1.00' },
};
const RATE = { platform: 'bybit', asset: 'USDT', fiat: 'TRY', side: 'buy', price: '41.40' };
const LIMITS = { min_amount: '10.00', max_amount: '50000.00' };

it.each<[path: string, data: unknown]>([
  [
    '/invoices?page=2&per_page=2',
    {
      ...{ items: invoices('o-2', 'o-1'), page: 2, per_page: 2 },
      ...{ total_items: 5, total_pages: 3, has_next: true, has_prev: true },
    },
  ],
  ['/invoices?currency=EUR&status=pending&colour=red', part({ items: [OPEN, ...invoices('o-2')] })],
  ['/invoices?currency=XXX', part({ items: [], total_items: 0, total_pages: 0, has_next: false, has_prev: false })],
  ['/invoices?status=success', part({ items: [PAID] })],
  ['/invoices/{uuid}', PAID],
  ['/invoices/o-0', PAID],
  [`/invoices/${encodeURIComponent(AWKWARD)}`, OPEN],
  ['/invoices/o-1/webhooks', []],
  [
    '/withdrawals?per_page=2',
    {
      ...{ items: [part({ status: 'pending' }), part({ status: 'pending' })], page: 1, per_page: 2 },
      ...{ total_items: 5, total_pages: 3, has_next: true, has_prev: false },
    },
  ],
  ['/withdrawals?status=rejected', part({ items: [REJECTED] })],
  [`/withdrawals/${REJECTED.uuid}`, REJECTED],
  ['/payment-methods', expect.arrayContaining([CARD])],
  ['/rates', expect.arrayContaining([{ ...RATE, ...LIMITS }])],
])('GET %s has the response of the interface', async (path, data) => {
  const { api, uuid } = await filled();
  const { status, json } = await api('GET', path.replace('{uuid}', uuid));
  expect([status, json]).toEqual([200, { success: true, data }]);
});

it('GET /rates omits the pairs without fresh data', async () => {
  const { api } = await listening();
  const rates: Record<string, string | null>[] = (await api('GET', '/rates')).json.data;
  const pairs = rates.map(({ platform, fiat, side }) => `${platform} ${fiat} ${side}`);
  expect([rates.filter(({ price }) => price === null), pairs.includes('bybit TRY sell')]).toEqual([[], false]);
  expect(new Set(pairs).size).toBe(pairs.length);
});

it('POST /invoices answers the creation fields and no others', async () => {
  const { api } = await listening();
  const { purpose, callback_url, success_url } = CREATED;
  const { status, json } = await api('POST', '/invoices', { ...ORDER, purpose, callback_url, success_url });
  expect([status, json]).toEqual([201, { success: true, data: CREATED }]);
});

it.each(['25', '25.0', '0.01', '007.50', '123456789012345678901234567890.99'])(
  'POST /invoices echoes the amount %s',
  async (amount) => {
    const { api } = await listening({ dialect: { unpayableAmount: 'accepted' } });
    expect((await api('POST', '/invoices', { ...ORDER, amount })).json.data.amount).toBe(amount);
  },
);

it('POST /invoices falls back to each address of the business', async () => {
  const [callback_url, success_url, fail_url] = ['c', 's', 'f'].map((path) => `https://d.example/${path}`);
  const { api } = await listening({ defaults: { callback_url, success_url, fail_url } });
  const own = { success_url: 'https://own.example/s', fail_url: null };
  const { json } = await api('POST', '/invoices', { ...ORDER, ...own });
  expect(json.data).toMatchObject({ callback_url, success_url: 'https://own.example/s', fail_url });
  const { json: other } = await api('POST', '/invoices', { ...ORDER, external_id: 'other' });
  expect(other.data).toMatchObject({ callback_url, success_url, fail_url });
});

it('POST /invoices refuses an external_id that exists, with id and status, and makes no second invoice', async () => {
  const { api, sandbox } = await listening();
  await api('POST', '/invoices', ORDER);
  await sandbox.fail('order-1042');
  const { status, json } = await api('POST', '/invoices', { ...ORDER, amount: '99.00' });
  const details = { external_id: 'order-1042', status: 'fail' };
  const error = { code: 'INVOICE_ALREADY_EXISTS', message: expect.any(String), details };
  expect([status, json]).toEqual([409, { success: false, error }]);
  expect(sandbox.invoices()).toHaveLength(1);
  expect(sandbox.requests().at(-1)?.why).toBe('external_id order-1042 is taken by an invoice that is fail');
});

it('GET /invoices/{ident}/webhooks has each attempt with the six members of the log', async () => {
  const { api, sandbox } = await listening();
  const { url, received } = await receiver([500]);
  await api('POST', '/invoices', { ...ORDER, callback_url: url });
  await sandbox.pay('order-1042');
  await sandbox.advance('1m');
  const { json } = await api('GET', '/invoices/order-1042/webhooks');
  const attempt = { duration_ms: expect.any(Number), triggered_by: 'schedule' };
  const delivery = {
    ...{ id: received[0]?.headers['x-webhook-id'], event_type: 'invoice.paid', status: 'delivered' },
    ...{ attempts: 2, max_attempts: 7, last_http_status: 200, next_retry_at: null },
    delivered_at: '2026-03-01T12:01:00.000Z',
    attempt_log: [
      { ...attempt, status_code: 500, success: false, error: 'returned 500', created_at: '2026-03-01T12:00:00.000Z' },
      { ...attempt, status_code: 200, success: true, error: null, created_at: '2026-03-01T12:01:00.000Z' },
    ],
  };
  expect(json).toEqual({ success: true, data: [delivery] });
});

it.each([
  ['GET', '/invoices/nobody'],
  ['GET', '/withdrawals/nobody'],
  ['GET', '/invoices/nobody/webhooks'],
  ['POST', '/invoices/o-1/resend-webhook'],
  ['POST', '/invoices/nobody/resend-webhook'],
  ['GET', '/nothing'],
  ['GET', '/invoices/'],
  ['GET', '/invoices/%E0%A4%A'],
] as const)('%s %s is not found', async (method, path) => {
  const { api } = await filled();
  const { status, json } = await api(method, path);
  expect([status, json]).toEqual([404, { success: false, error: { code: 'NOT_FOUND', message: expect.any(String) } }]);
});

it('PUT /invoices is another method than those of the path', async () => {
  const { api } = await listening();
  const { status, headers, json } = await api('PUT', '/invoices');
  expect([status, headers.get('allow'), json.error.code]).toEqual([405, 'POST, GET', 'METHOD_NOT_ALLOWED']);
});

it.each([
  'POST /invoices',
  'GET /invoices',
  'GET /invoices/x',
  'POST /invoices/x/resend-webhook',
  'GET /invoices/x/webhooks',
  'GET /withdrawals',
  'GET /withdrawals/x',
  'GET /payment-methods',
  'GET /rates',
])('%s needs the key', async (line) => {
  const [method = '', path = ''] = line.split(' ');
  const { api, sandbox } = await listening();
  for (const key of ['', 'sk_other', 'sk_sandbox2']) {
    const { status, json } = await api(method, path, undefined, { 'X-Api-Key': key });
    const error = { code: 'UNAUTHORIZED', message: expect.any(String) };
    expect([status, json]).toEqual([401, { success: false, error }]);
  }
  expect(JSON.stringify(sandbox.requests())).not.toContain('sk_');
});
