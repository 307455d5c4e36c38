import { describe, expect, it } from 'vitest';
import { listening, ORDER, receiver } from '../loopback.ts';

const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

describe('withdrawals', () => {
  it('lists all states by page, newest first, and reads one', async () => {
    const { api } = await listening();
    const { status, json } = await api('GET', '/withdrawals?per_page=2');
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      page: 1,
      per_page: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: false,
    });
    expect(json.data.items.map((item: { status: string }) => item.status)).toEqual(['pending', 'pending']);
    const rejected = await api('GET', '/withdrawals?status=rejected');
    const [row] = rejected.json.data.items;
    expect(row).toMatchObject({ status: 'rejected', reject_reason: expect.any(String), tx_hash: null });
    expect(Object.keys(row)).toHaveLength(15);
    expect((await api('GET', `/withdrawals/${row.uuid}`)).json).toEqual({ success: true, data: row });
  });
});

describe('payment methods and rates', () => {
  it('lists methods without pages', async () => {
    const { api } = await listening();
    const { json } = await api('GET', '/payment-methods');
    expect(json.data[0]).toEqual({
      id: 1,
      name: 'Card',
      currency: EUR,
      min_amount: '5.00',
      max_amount: '2000.00',
      total_commission_percent: '3.00',
      client_commission_percent: '2.00',
      merchant_commission_percent: '1.00',
      logo_url: expect.any(String),
    });
    expect(
      new Set(json.data.map((method: { currency: { code: string } }) => method.currency.code)).size,
    ).toBeGreaterThan(3);
  });

  it('leaves out the pairs without fresh data', async () => {
    const { api } = await listening();
    const { json } = await api('GET', '/rates');
    expect(json.data.every((rate: { price: unknown }) => typeof rate.price === 'string')).toBe(true);
    const pairs = json.data.map(({ platform, fiat, side }: Record<string, string>) => `${platform} ${fiat} ${side}`);
    expect(pairs).toContain('bybit TRY buy');
    expect(pairs).not.toContain('bybit TRY sell');
    expect(new Set(pairs).size).toBe(pairs.length);
  });
});

describe('webhook history and resend', () => {
  it('records the attempts with the six members of the log', async () => {
    const { api, sandbox } = await listening();
    const { url, received } = await receiver([500]);
    await api('POST', '/invoices', { ...ORDER, callback_url: url });
    await sandbox.pay('order-1042');
    await sandbox.advance('1m');
    const { status, json } = await api('GET', '/invoices/order-1042/webhooks');
    expect(status).toBe(200);
    expect(json.data).toEqual([
      {
        id: received[0]?.headers['x-webhook-id'],
        event_type: 'invoice.paid',
        status: 'delivered',
        attempts: 2,
        max_attempts: 7,
        last_http_status: 200,
        next_retry_at: null,
        delivered_at: '2026-03-01T12:01:00.000Z',
        attempt_log: [
          {
            status_code: 500,
            success: false,
            error: 'answered 500',
            duration_ms: expect.any(Number),
            triggered_by: 'schedule',
            created_at: '2026-03-01T12:00:00.000Z',
          },
          {
            status_code: 200,
            success: true,
            error: null,
            duration_ms: expect.any(Number),
            triggered_by: 'schedule',
            created_at: '2026-03-01T12:01:00.000Z',
          },
        ],
      },
    ]);
  });

  it('sends again on request, by either id', async () => {
    const { api, sandbox } = await listening();
    const { url, received } = await receiver();
    const { json } = await api('POST', '/invoices', { ...ORDER, callback_url: url });
    await sandbox.pay('order-1042');
    for (const ident of ['order-1042', json.data.uuid]) {
      expect((await api('POST', `/invoices/${ident}/resend-webhook`)).status).toBe(200);
      await sandbox.settle();
    }
    expect(received).toHaveLength(3);
  });

  it.each([
    'GET /invoices/order-1042/webhooks',
    'GET /invoices/nobody',
    'GET /withdrawals/nobody',
    'GET /invoices/nobody/webhooks',
    'POST /invoices/order-1042/resend-webhook',
    'POST /invoices/nobody/resend-webhook',
  ])('%s where there is nothing', async (line) => {
    const { api } = await listening();
    await api('POST', '/invoices', ORDER);
    const [method = '', path = ''] = line.split(' ');
    const { status, json } = await api(method, path);
    if (line === 'GET /invoices/order-1042/webhooks')
      expect([status, json]).toEqual([200, { success: true, data: [] }]);
    else expect([status, json.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the door', () => {
  const ALL = [
    ['POST', '/invoices'],
    ['GET', '/invoices'],
    ['GET', '/invoices/x'],
    ['POST', '/invoices/x/resend-webhook'],
    ['GET', '/invoices/x/webhooks'],
    ['GET', '/withdrawals'],
    ['GET', '/withdrawals/x'],
    ['GET', '/payment-methods'],
    ['GET', '/rates'],
  ] as const;

  it.each(ALL)('%s %s needs the key', async (method, path) => {
    const { api, sandbox } = await listening();
    for (const key of ['', 'sk_other', 'sk_sandbox2']) {
      const { status, json } = await api(method, path, undefined, { 'X-Api-Key': key });
      expect([status, json]).toEqual([
        401,
        { success: false, error: { code: 'UNAUTHORIZED', message: expect.any(String) } },
      ]);
    }
    expect(JSON.stringify(sandbox.requests())).not.toContain('sk_');
  });

  it('answers other methods 405 and other paths 404', async () => {
    const { api } = await listening();
    const put = await api('PUT', '/invoices');
    expect([put.status, put.headers.get('allow'), put.json.error.code]).toEqual([
      405,
      'POST, GET',
      'METHOD_NOT_ALLOWED',
    ]);
    for (const path of ['/nothing', '/invoices/', '/invoices/%E0%A4%A']) {
      expect([path, (await api('GET', path)).status]).toEqual([path, 404]);
    }
  });
});
