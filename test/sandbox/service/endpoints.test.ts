import { describe, expect, it } from 'vitest';
import { listening, ORDER, receiver } from '../loopback.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

describe('POST /invoices', () => {
  it('answers the creation fields and no others, amounts to the digit', async () => {
    const { api, url } = await listening();
    const own = {
      purpose: 'Two tickets',
      callback_url: 'https://shop.example/hook',
      success_url: 'https://shop.example',
    };
    const { status, json } = await api('POST', '/invoices', { ...ORDER, ...own });
    const data = {
      ...{ uuid: expect.stringMatching(UUID), external_id: 'order-1042', customer_id: 'c-7', amount: '25.00', ...own },
      ...{ amount_to_send: null, currency: EUR, status: 'pending', fail_url: null },
      payment_url: `${url}/pay/${json.data.uuid}`,
      created_at: '2026-03-01T12:00:00.000Z',
      expires_at: '2026-03-01T12:30:00.000Z',
    };
    expect([status, json]).toEqual([201, { success: true, data }]);
  });

  it.each(['25', '25.0', '0.01', '007.50', '123456789012345678901234567890.99'])(
    'echoes the amount %s',
    async (amount) => {
      const { api } = await listening({ dialect: { unpayableAmount: 'accepted' } });
      expect((await api('POST', '/invoices', { ...ORDER, amount })).json.data.amount).toBe(amount);
    },
  );

  it('falls back to the business settings', async () => {
    const defaults = {
      callback_url: 'https://d.example/c',
      success_url: 'https://d.example/s',
      fail_url: 'https://d.example',
    };
    const { api } = await listening({ defaults });
    const own = { fail_url: 'https://own.example/f' };
    const { json } = await api('POST', '/invoices', { ...ORDER, ...own, success_url: null });
    expect(json.data).toMatchObject({ ...defaults, ...own });
  });

  it('refuses an external_id that exists, with id and status, and makes no second invoice', async () => {
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
});

describe('GET /invoices', () => {
  async function withFive() {
    const context = await listening();
    for (const [n, currency] of ['EUR', 'USD', 'EUR', 'TRY', 'EUR'].entries()) {
      await context.api('POST', '/invoices', { ...ORDER, external_id: `o-${n}`, currency, amount: '150.00' });
      await context.sandbox.advance('1m');
    }
    await context.sandbox.pay('o-0');
    return context;
  }
  const ids = (json: { data: { items: { external_id: string }[] } }) => json.data.items.map((item) => item.external_id);

  it('gives pages, newest first, with all seven members', async () => {
    const { api } = await withFive();
    const { json } = await api('GET', '/invoices?page=2&per_page=2');
    const totals = { total_items: 5, total_pages: 3, has_next: true, has_prev: true };
    expect({ ...json.data, items: ids(json) }).toEqual({ items: ['o-2', 'o-1'], page: 2, per_page: 2, ...totals });
  });

  it('filters by status and currency, ignores names it does not know, and lists the full form', async () => {
    const { api } = await withFive();
    expect(ids((await api('GET', '/invoices?currency=EUR&status=pending&colour=red')).json)).toEqual(['o-4', 'o-2']);
    expect(ids((await api('GET', '/invoices?currency=XXX')).json)).toEqual([]);
    const paid = await api('GET', '/invoices?status=success');
    expect(ids(paid.json)).toEqual(['o-0']);
    expect(Object.keys(paid.json.data.items[0]).sort().join(' ')).toBe(
      'adjustment amount amount_to_send callback_url created_at currency customer_id expires_at external_id fail_url finished_at is_adjusted payment_method payment_url purpose rate settled_amount_usdt status success_url uuid',
    );
  });
});

describe('GET /invoices/{ident}', () => {
  it('reads by uuid and by external_id, also one that needs encoding', async () => {
    const { api } = await listening();
    const external_id = 'a/b c?ü#%2F';
    const created = await api('POST', '/invoices', { ...ORDER, external_id });
    for (const ident of [created.json.data.uuid, external_id]) {
      const { status, json } = await api('GET', `/invoices/${encodeURIComponent(ident)}`);
      expect(status).toBe(200);
      expect(json.data).toMatchObject({ external_id, is_adjusted: false, finished_at: null, payment_method: null });
    }
  });

  // Card: 2 % on the customer, 1 % on the merchant; 99.00 EUR at 0.9214 EUR per USDT = 107.445192…
  it.each([
    ['the ordered amount', {}, '107.445192', null],
    [
      'another amount',
      { amount: '50.00' },
      '53.722596',
      {
        expected_amount_fiat: '100.00',
        actual_amount_fiat: '50.00',
        expected_amount_usdt: '107.445192',
        actual_amount_usdt: '53.722596',
      },
    ],
  ])('shows what %s came to: commission, rate, credit', async (_, paid, settled_amount_usdt, adjustment) => {
    const { api, sandbox } = await listening();
    await api('POST', '/invoices', { ...ORDER, amount: '100.00' });
    await sandbox.advance('5m');
    await sandbox.pay('order-1042', { method: 'Card', ...paid });
    expect((await api('GET', '/invoices/order-1042')).json.data).toMatchObject({
      ...{ status: 'success', amount: '100.00', amount_to_send: '102.00', rate: '0.9214', settled_amount_usdt },
      payment_method: { name: 'Card', logo_url: expect.any(String) },
      finished_at: '2026-03-01T12:05:00.000Z',
      is_adjusted: adjustment !== null,
      adjustment,
    });
  });
});

it('lists withdrawals by page, newest first, by status, and reads one', async () => {
  const { api } = await listening();
  const { json } = await api('GET', '/withdrawals?per_page=2');
  expect(json.data).toMatchObject({ page: 1, per_page: 2, total_items: 5, total_pages: 3, has_next: true });
  expect(json.data.items.map((item: { status: string }) => item.status)).toEqual(['pending', 'pending']);
  const rejected = await api('GET', '/withdrawals?status=rejected');
  const [row] = rejected.json.data.items;
  expect(row).toMatchObject({ status: 'rejected', reject_reason: expect.any(String), tx_hash: null });
  expect(Object.keys(row)).toHaveLength(15);
  expect((await api('GET', `/withdrawals/${row.uuid}`)).json).toEqual({ success: true, data: row });
});

it('lists withdrawals by the dialect, and `withdrawals()` returns the newest first whatever it is', async () => {
  const { sandbox, api } = await listening({ dialect: { listOrder: 'oldest' } });
  const newest = sandbox.withdrawals().map(({ created_at }) => created_at);
  expect(newest).toEqual([...newest].sort().reverse());
  const { json } = await api('GET', '/withdrawals');
  expect(json.data.items.map((item: { created_at: string }) => item.created_at)).toEqual(newest.reverse());
});

it('lists payment methods, and rates without the pairs that have no fresh data', async () => {
  const { api } = await listening();
  const methods = (await api('GET', '/payment-methods')).json.data;
  expect(methods[0]).toEqual({
    ...{ id: 1, name: 'Card', currency: EUR, min_amount: '5.00', max_amount: '2000.00', logo_url: expect.any(String) },
    total_commission_percent: '3.00',
    client_commission_percent: '2.00',
    merchant_commission_percent: '1.00',
  });
  const rates: Record<string, string>[] = (await api('GET', '/rates')).json.data;
  expect(rates.every(({ price }) => typeof price === 'string')).toBe(true);
  const pairs = rates.map(({ platform, fiat, side }) => `${platform} ${fiat} ${side}`);
  expect(pairs).toContain('bybit TRY buy');
  expect(pairs).not.toContain('bybit TRY sell');
  expect(new Set(pairs).size).toBe(pairs.length);
});

it('records the attempts of a delivery with the six members of the log', async () => {
  const { api, sandbox } = await listening();
  const { url, received } = await receiver([500]);
  await api('POST', '/invoices', { ...ORDER, callback_url: url });
  await sandbox.pay('order-1042');
  await sandbox.advance('1m');
  const { json } = await api('GET', '/invoices/order-1042/webhooks');
  const attempt = { duration_ms: expect.any(Number), triggered_by: 'schedule' };
  const delivery = {
    id: received[0]?.headers['x-webhook-id'],
    event_type: 'invoice.paid',
    ...{ status: 'delivered', attempts: 2, max_attempts: 7, last_http_status: 200, next_retry_at: null },
    delivered_at: '2026-03-01T12:01:00.000Z',
    attempt_log: [
      { ...attempt, status_code: 500, success: false, error: 'returned 500', created_at: '2026-03-01T12:00:00.000Z' },
      { ...attempt, status_code: 200, success: true, error: null, created_at: '2026-03-01T12:01:00.000Z' },
    ],
  };
  expect(json).toEqual({ success: true, data: [delivery] });
});

it('answers 404 where there is nothing, 405 to other methods, and an empty history before the end', async () => {
  const { api } = await listening();
  await api('POST', '/invoices', ORDER);
  for (const [method, path] of [
    ['GET', '/invoices/nobody'],
    ['GET', '/withdrawals/nobody'],
    ['GET', '/invoices/nobody/webhooks'],
    ['POST', '/invoices/order-1042/resend-webhook'],
    ['POST', '/invoices/nobody/resend-webhook'],
    ['GET', '/nothing'],
    ['GET', '/invoices/'],
    ['GET', '/invoices/%E0%A4%A'],
  ] as const) {
    const { status, json } = await api(method, path);
    expect([path, status, json.error.code]).toEqual([path, 404, 'NOT_FOUND']);
  }
  const put = await api('PUT', '/invoices');
  expect([put.status, put.headers.get('allow'), put.json.error.code]).toEqual([405, 'POST, GET', 'METHOD_NOT_ALLOWED']);
  expect((await api('GET', '/invoices/order-1042/webhooks')).json).toEqual({ success: true, data: [] });
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
