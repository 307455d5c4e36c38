import { describe, expect, it } from 'vitest';
import { listening, ORDER } from '../loopback.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

describe('POST /invoices', () => {
  it('answers the creation fields and no others, amounts to the digit', async () => {
    const { api, url } = await listening();
    const { status, json } = await api('POST', '/invoices', {
      ...ORDER,
      purpose: 'Two tickets',
      callback_url: 'https://shop.example/hook',
      success_url: 'https://shop.example/thanks',
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      success: true,
      data: {
        uuid: expect.stringMatching(UUID),
        external_id: 'order-1042',
        customer_id: 'c-7',
        purpose: 'Two tickets',
        amount: '25.00',
        amount_to_send: null,
        currency: EUR,
        status: 'pending',
        callback_url: 'https://shop.example/hook',
        success_url: 'https://shop.example/thanks',
        fail_url: null,
        payment_url: `${url}/pay/${json.data.uuid}`,
        created_at: '2026-03-01T12:00:00.000Z',
        expires_at: '2026-03-01T12:30:00.000Z',
      },
    });
  });

  it.each(['25', '25.0', '0.01', '007.50', '123456789012345678901234567890.99'])(
    'echoes the amount %s',
    async (amount) => {
      const { api } = await listening({ dialect: { unpayableAmount: 'accepted' } });
      expect((await api('POST', '/invoices', { ...ORDER, amount })).json.data.amount).toBe(amount);
    },
  );

  it('falls back to the business settings', async () => {
    const { api } = await listening({
      defaults: {
        callback_url: 'https://d.example/c',
        success_url: 'https://d.example/s',
        fail_url: 'https://d.example/f',
      },
    });
    const { json } = await api('POST', '/invoices', { ...ORDER, fail_url: 'https://own.example/f', success_url: null });
    expect(json.data).toMatchObject({
      callback_url: 'https://d.example/c',
      success_url: 'https://d.example/s',
      fail_url: 'https://own.example/f',
    });
  });

  it('refuses an external_id that exists, with id and status, and makes no second invoice', async () => {
    const { api, sandbox } = await listening();
    await api('POST', '/invoices', ORDER);
    await sandbox.fail('order-1042');
    const { status, json } = await api('POST', '/invoices', { ...ORDER, amount: '99.00' });
    expect(status).toBe(409);
    expect(json).toEqual({
      success: false,
      error: {
        code: 'INVOICE_ALREADY_EXISTS',
        message: expect.any(String),
        details: { external_id: 'order-1042', status: 'fail' },
      },
    });
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
    const { status, json } = await api('GET', '/invoices?page=2&per_page=2');
    expect(status).toBe(200);
    expect(json.success).toBe(true);
    expect({ ...json.data, items: ids(json) }).toEqual({
      items: ['o-2', 'o-1'],
      page: 2,
      per_page: 2,
      total_items: 5,
      total_pages: 3,
      has_next: true,
      has_prev: true,
    });
  });

  it('filters by status and currency and ignores names it does not know', async () => {
    const { api } = await withFive();
    expect(ids((await api('GET', '/invoices?currency=EUR&status=pending&colour=red')).json)).toEqual(['o-4', 'o-2']);
    expect(ids((await api('GET', '/invoices?status=success')).json)).toEqual(['o-0']);
    expect(ids((await api('GET', '/invoices?currency=XXX')).json)).toEqual([]);
  });

  it('lists the full form', async () => {
    const { api } = await withFive();
    const { json } = await api('GET', '/invoices?status=success');
    expect(Object.keys(json.data.items[0]).sort()).toEqual(
      [
        'uuid',
        'external_id',
        'customer_id',
        'purpose',
        'amount',
        'amount_to_send',
        'currency',
        'status',
        'callback_url',
        'success_url',
        'fail_url',
        'payment_url',
        'created_at',
        'expires_at',
        'finished_at',
        'payment_method',
        'rate',
        'settled_amount_usdt',
        'is_adjusted',
        'adjustment',
      ].sort(),
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

  it('shows what a paid invoice came to: client and merchant commission, rate, credit', async () => {
    const { api, sandbox } = await listening();
    await api('POST', '/invoices', { ...ORDER, amount: '100.00' });
    await sandbox.advance('5m');
    await sandbox.pay('order-1042', { method: 'Card' });
    // Card: 2 % on the customer, 1 % on the merchant; 99.00 EUR at 0.9214 EUR per USDT = 107.445192…
    expect((await api('GET', '/invoices/order-1042')).json.data).toMatchObject({
      status: 'success',
      amount: '100.00',
      amount_to_send: '102.00',
      rate: '0.9214',
      settled_amount_usdt: '107.445192',
      payment_method: { name: 'Card', logo_url: expect.any(String) },
      finished_at: '2026-03-01T12:05:00.000Z',
      is_adjusted: false,
      adjustment: null,
    });
  });

  it('shows the adjustment of an invoice paid with another amount', async () => {
    const { api, sandbox } = await listening();
    await api('POST', '/invoices', { ...ORDER, amount: '100.00' });
    await sandbox.pay('order-1042', { amount: '50.00', method: 1 });
    expect((await api('GET', '/invoices/order-1042')).json.data).toMatchObject({
      amount: '100.00',
      settled_amount_usdt: '53.722596',
      is_adjusted: true,
      adjustment: {
        expected_amount_fiat: '100.00',
        actual_amount_fiat: '50.00',
        expected_amount_usdt: '107.445192',
        actual_amount_usdt: '53.722596',
      },
    });
  });
});
