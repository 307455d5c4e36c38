import { beforeEach, describe, expect, it } from 'vitest';
import { MerchantClient } from '../../src/client.ts';
import type { InvoiceStatus } from '../../src/contract/types.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { Decimal, fakeCreatedInvoice, fakeInvoice, seedFakes } from '../../src/testing/index.ts';

const NOW = '2026-01-31T09:30:00.000Z';
beforeEach(() => seedFakes(0, { now: NOW }));

const texts = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('fakeInvoice', () => {
  it('is pending: created now, for half an hour, without a method', () => {
    expect(texts(fakeInvoice())).toEqual({
      uuid: 'fa4e0000-0000-4000-8000-000000000001',
      external_id: 'order-1',
      customer_id: 'customer-1',
      purpose: null,
      amount: '25',
      amount_to_send: null,
      currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
      status: 'pending',
      callback_url: 'https://shop.example/webhook',
      success_url: 'https://shop.example/thanks',
      fail_url: 'https://shop.example/cart',
      payment_url: 'https://pay.example/pay/fa4e0000-0000-4000-8000-000000000001',
      created_at: NOW,
      expires_at: '2026-01-31T10:00:00.000Z',
      finished_at: null,
      payment_method: null,
      rate: null,
      settled_amount_usdt: null,
      is_adjusted: false,
      adjustment: null,
    });
  });

  it('has all that a paid one has, and ended now', () => {
    const paid = fakeInvoice({ status: 'success' });
    expect(texts(paid)).toMatchObject({
      created_at: '2026-01-31T09:19:00.000Z',
      finished_at: NOW,
      payment_method: { name: 'Card' },
      rate: '0.9214',
      amount_to_send: '25.5',
      settled_amount_usdt: '26.861298',
      is_adjusted: false,
      adjustment: null,
    });
    expect(paid.amount).toBeInstanceOf(Decimal);
    expect(paid.finished_at).toBeInstanceOf(Date);
  });

  it.each<[InvoiceStatus, string | null, string | null]>([
    ['pending', null, null],
    ['fail', NOW, 'Card'],
    ['expired', NOW, null],
    ['canceled', NOW, null],
  ])('has nothing credited while it is %s', (status, finished_at, method) => {
    const invoice = fakeInvoice({ status });
    expect(texts([invoice.finished_at, invoice.payment_method?.name ?? null])).toEqual([finished_at, method]);
    expect([invoice.settled_amount_usdt, invoice.adjustment, invoice.is_adjusted]).toEqual([null, null, false]);
  });

  it('expires when its time is over', () => {
    const { created_at, expires_at, finished_at } = fakeInvoice({
      status: 'expired',
      created_at: '2026-03-01T00:00:00Z',
    });
    expect(finished_at).toEqual(expires_at);
    expect(Number(expires_at) - Number(created_at)).toBe(30 * 60_000);
  });

  it.each([
    [{ settled_amount_usdt: '5.00' }, 'success'],
    [{ is_adjusted: true }, 'success'],
    [{ adjustment: {} }, 'success'],
    [{ finished_at: NOW }, 'success'],
    [{ finished_at: null }, 'pending'],
    [{ status: undefined }, 'pending'],
  ])('%o follows its status from what only such an invoice has: %s', (overrides, status) => {
    const invoice = fakeInvoice(overrides);
    expect(invoice.status).toBe(status);
    expect(invoice.finished_at === null).toBe(status === 'pending');
  });

  it('has a correction whose amounts fit each other', () => {
    const invoice = fakeInvoice({ amount: '100.00', adjustment: { actual_amount_fiat: '50.00' } });
    expect(invoice.is_adjusted).toBe(true);
    expect(texts(invoice.adjustment)).toEqual({
      expected_amount_fiat: '100',
      actual_amount_fiat: '50',
      expected_amount_usdt: '107.445192',
      actual_amount_usdt: '53.722596',
    });
    expect(invoice.settled_amount_usdt?.eq('53.722596')).toBe(true);
    const settled = fakeInvoice({ is_adjusted: true, settled_amount_usdt: '9.5' });
    expect(settled.adjustment?.actual_amount_usdt.eq('9.5')).toBe(true);
    expect(settled.adjustment?.actual_amount_fiat.eq('17')).toBe(true);
    expect(fakeInvoice({ adjustment: { expected_amount_fiat: '80' } }).amount.eq(80)).toBe(true);
  });

  it('keeps a null, which is what a service leaves out', () => {
    const invoice = fakeInvoice({
      status: 'success',
      finished_at: null,
      settled_amount_usdt: null,
      payment_method: null,
    });
    expect([invoice.finished_at, invoice.settled_amount_usdt, invoice.payment_method]).toEqual([null, null, null]);
  });

  it('takes text and Decimals of any copy, Dates and ISO text, a code or members of a currency', () => {
    const at = new Date('2026-05-01T00:00:00Z');
    const invoice = fakeInvoice({ amount: Decimal.clone({ defaults: true })('7.10'), created_at: at, currency: 'TRY' });
    expect(invoice.amount).toBeInstanceOf(Decimal);
    at.setTime(0);
    expect(texts(invoice)).toMatchObject({
      amount: '7.1',
      created_at: '2026-05-01T00:00:00.000Z',
      currency: { code: 'TRY', symbol: '₺' },
    });
    expect(fakeInvoice({ currency: { symbol: 'E' } }).currency).toEqual({
      id: 1,
      code: 'EUR',
      name: 'Euro',
      symbol: 'E',
    });
    expect(fakeInvoice({ currency: 'XYZ', status: 'success' }).currency.code).toBe('XYZ');
  });

  it.each<[object, RegExp]>([
    [{ external: 'a' }, /no "external"; it has uuid,/],
    [{ currency: { name_: 'a' } }, /no "name_"/],
    [{ payment_method: { logo: 'a' } }, /no "logo"/],
    [{ adjustment: { actual: '1' } }, /no "actual"/],
    [{ amount: 25 }, /amount must be text such as "25.00", or a Decimal/],
    [{ amount: 'many' }, /amount must be a decimal string/],
    [{ amount: '-1' }, /amount must not be negative/],
    [{ created_at: 'yesterday' }, /created_at must be an ISO 8601/],
    [{ created_at: new Date(Number.NaN) }, /created_at is an invalid Date/],
    [{ status: 'pending', finished_at: NOW }, /"pending" has no finished_at/],
    [{ status: 'expired', settled_amount_usdt: '1' }, /"expired" has no settled_amount_usdt/],
    [{ status: 'canceled', is_adjusted: true }, /"canceled" has no is_adjusted/],
    [{ status: 'fail', adjustment: {} }, /"fail" has no adjustment/],
    [{ is_adjusted: false, adjustment: {} }, /is_adjusted is false/],
    [{ amount: '1', adjustment: { expected_amount_fiat: '2' } }, /expected_amount_fiat differs/],
    [{ settled_amount_usdt: '1', adjustment: { actual_amount_usdt: '2' } }, /actual_amount_usdt differs/],
  ])('refuses %o', (overrides, message) => {
    expect(() => fakeInvoice(overrides)).toThrow(message);
  });

  it('has a status of tomorrow with whatever is given', () => {
    const invoice = fakeInvoice({
      status: 'under_review' as InvoiceStatus,
      finished_at: NOW,
      settled_amount_usdt: '1',
    });
    expect(texts(invoice)).toMatchObject({ status: 'under_review', finished_at: NOW, settled_amount_usdt: '1' });
  });

  it('leaves the given overrides unchanged, also for a merchant who reuses them', () => {
    const overrides = Object.freeze({ amount: '1.00', adjustment: Object.freeze({ actual_amount_fiat: '0.50' }) });
    expect(fakeInvoice(overrides).uuid).not.toBe(fakeInvoice(overrides).uuid);
  });
});

describe('the ids of fakes', () => {
  it('differ in each call, and repeat after a seed', () => {
    const first = [fakeInvoice().uuid, fakeInvoice().external_id, fakeCreatedInvoice().uuid];
    expect(new Set(first).size).toBe(3);
    seedFakes(0, { now: NOW });
    expect([fakeInvoice().uuid, fakeInvoice().external_id, fakeCreatedInvoice().uuid]).toEqual(first);
    seedFakes(7);
    expect(fakeInvoice()).toMatchObject({ uuid: 'fa4e0007-0000-4000-8000-000000000001', external_id: 'order-7-1' });
  });

  it('stand at the clock of the process, unless a time is given', () => {
    seedFakes();
    const before = Date.now();
    expect(fakeInvoice().created_at.getTime()).toBeGreaterThanOrEqual(before);
  });

  it.each<[unknown, object, RegExp]>([
    [-1, {}, /whole number from 0 to 65535/],
    [65_536, {}, /whole number/],
    [0.5, {}, /whole number/],
    [0, { at: NOW }, /options has no "at"/],
    [0, { now: 'soon' }, /now must be an ISO/],
  ])('refuse seedFakes(%s, %o)', (seed, options, message) => {
    expect(() => seedFakes(seed as number, options)).toThrow(message);
  });
});

describe('a fake equals what the client decodes', () => {
  const sandbox = createSandbox({ now: new Date(NOW) });
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  const urls = {
    callback_url: 'https://shop.example/webhook',
    success_url: 'https://shop.example/thanks',
    fail_url: 'https://shop.example/cart',
  };

  it.each<[string, (id: string) => Promise<unknown>, object]>([
    ['pending', async () => {}, {}],
    ['paid', (id) => sandbox.pay(id), { status: 'success' }],
    ['underpaid', (id) => sandbox.underpay(id, '17.00'), { is_adjusted: true }],
    ['canceled', (id) => sandbox.cancel(id), { status: 'canceled' }],
    ['expired', (id) => sandbox.expire(id), { status: 'expired' }],
  ])('when it is %s', async (name, move, overrides) => {
    const order = { external_id: `order-${name}`, customer_id: 'c-7', amount: '25.00', currency: 'EUR', ...urls };
    const created = await merchant.invoices.create(order);
    const { uuid, external_id, customer_id, payment_url, created_at, expires_at } = created;
    const given = { uuid, external_id, customer_id, payment_url, created_at, expires_at };
    expect(fakeCreatedInvoice(given)).toStrictEqual(created);
    await move(external_id);
    const decoded = await merchant.invoices.get(external_id);
    const { finished_at, payment_method } = decoded;
    const method = payment_method === null ? {} : { payment_method: { logo_url: payment_method.logo_url } };
    expect(fakeInvoice({ ...given, finished_at, ...method, ...overrides })).toStrictEqual(decoded);
  });
});
