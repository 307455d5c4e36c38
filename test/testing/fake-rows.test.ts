import { beforeEach, describe, expect, it } from 'vitest';
import { MerchantClient } from '../../src/client.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { fakeDelivery, fakePaymentMethod, fakeRate, fakeWithdrawal, seedFakes } from '../../src/testing/index.ts';

const NOW = '2026-01-31T09:30:00.000Z';
beforeEach(() => seedFakes(0, { now: NOW }));
const texts = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const sandbox = createSandbox({ fetch: async () => new Response('ok') });
const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
const sortedKeys = (value: object | undefined) => Object.keys(value ?? {}).sort();

describe('a fake row', () => {
  it('has the members of what the client decodes', async () => {
    const { items } = await merchant.withdrawals.list();
    expect(sortedKeys(fakeWithdrawal())).toEqual(sortedKeys(items[0]));
    expect(sortedKeys(fakePaymentMethod())).toEqual(sortedKeys((await merchant.paymentMethods.list())[0]));
    expect(sortedKeys(fakeRate())).toEqual(sortedKeys((await merchant.rates.list())[0]));
    await merchant.invoices.create({
      external_id: 'o',
      customer_id: 'c',
      amount: '25.00',
      currency: 'EUR',
      callback_url: 'http://127.0.0.1:1/webhook',
    });
    await sandbox.pay('o');
    const [delivery] = await merchant.webhooks.deliveries('o');
    expect(sortedKeys(fakeDelivery())).toEqual(sortedKeys(delivery));
  });

  it.each<[object, object]>([
    [
      {},
      { status: 'pending', amount: '250', amount_to_send: '249', tx_hash: null, processed_at: null, created_at: NOW },
    ],
    [{ status: 'approved' }, { reject_reason: null, processed_at: NOW, created_at: '2026-01-31T08:30:00.000Z' }],
    [{ status: 'rejected' }, { tx_hash: null, reject_reason: 'Address is not on the allow list', processed_at: NOW }],
    [{ tx_hash: 'abc' }, { status: 'approved', tx_hash: 'abc' }],
    [{ reject_reason: 'no' }, { status: 'rejected' }],
    [{ amount: '10', network_commission: '4' }, { amount_to_send: '6' }],
    [{ amount: null }, { amount: null, amount_to_send: null }],
  ])('of a withdrawal with %o', (overrides, expected) => {
    expect(texts(fakeWithdrawal(overrides))).toMatchObject(expected);
  });

  it('of a payment method has the sum of its commissions, and a currency by its code', () => {
    const method = fakePaymentMethod({ client_commission_percent: '1.5', currency: 'TRY' });
    expect(texts(method)).toMatchObject({ total_commission_percent: '2.5', currency: { code: 'TRY' }, name: 'Card' });
  });

  it('of a rate has the price of its currency and side', () => {
    expect(texts([fakeRate(), fakeRate({ side: 'sell' }), fakeRate({ fiat: 'TRY', price: '41' })])).toMatchObject([
      { price: '0.9214', fiat: 'EUR', asset: 'USDT' },
      { price: '0.9186358' },
      { price: '41', fiat: 'TRY' },
    ]);
  });

  it.each<[object, object]>([
    [{}, { status: 'delivered', attempts: 1, last_http_status: 200, delivered_at: NOW, next_retry_at: null }],
    [
      { status: 'failed', last_http_status: 503 },
      { attempts: 7, delivered_at: null, last_http_status: 503 },
    ],
    [{ status: 'pending' }, { attempts: 0, last_http_status: null, next_retry_at: null, attempt_log: [] }],
    [{ next_retry_at: NOW }, { status: 'pending', attempts: 1, last_http_status: 500, next_retry_at: NOW }],
    [{ attempts: 3 }, { status: 'delivered', last_http_status: 200 }],
  ])('of a delivery with %o', (overrides, expected) => {
    const delivery = fakeDelivery(overrides);
    expect(texts(delivery)).toMatchObject(expected);
    expect(delivery.attempt_log.length).toBe(delivery.attempts);
    expect(delivery.attempt_log.at(-1)?.success ?? null).toBe(
      delivery.attempts === 0 ? null : delivery.status === 'delivered',
    );
  });

  it.each([
    [fakeWithdrawal, { txHash: 'a' }],
    [fakePaymentMethod, { minAmount: '1' }],
    [fakeRate, { price: 1 }],
    [fakeDelivery, { state: 'failed' }],
  ])('refuses what does not fit (%#)', (fake, overrides) => {
    expect(() => fake(overrides as object)).toThrow(/has no "|must be text/);
  });
});
