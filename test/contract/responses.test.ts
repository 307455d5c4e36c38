import { describe, expect, it } from 'vitest';
import { listDeliveries, resendWebhook } from '../../src/contract/deliveries.ts';
import { createInvoice, getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import type { Check } from '../../src/contract/values/check.ts';
import { Decimal } from '../../src/contract/values/decimal.ts';
import { getWithdrawal, listWithdrawals } from '../../src/contract/withdrawals.ts';
import { deliveries } from '../support/fixtures/deliveries.ts';
import * as wire from '../support/fixtures/invoices.ts';
import { cardMethod, paymentMethods } from '../support/fixtures/payment-methods.ts';
import { buyRate, rates, sellRate } from '../support/fixtures/rates.ts';
import {
  approvedWithdrawal,
  pendingWithdrawal,
  rejectedWithdrawal,
  withdrawalPage,
} from '../support/fixtures/withdrawals.ts';
import { changed, decoded, refused, without } from './mutation.ts';

/** A list without pages as its rows, which is what a caller gets. */
const rowsIn =
  <T>(check: Check<{ readonly rows: T[] }>): Check<T[]> =>
  (payload) => {
    const read = check(payload);
    return read.ok ? { ok: true, value: read.value.rows } : read;
  };
const methods = rowsIn(listPaymentMethods.data);
const ratesList = rowsIn(listRates.data);

const euro = { id: 2, code: 'EUR', name: 'Euro', symbol: '€' };
const created = {
  uuid: '0b9f6e1c-7f43-4e0d-9f5a-1d2c3b4a5e6f',
  external_id: 'order-1042',
  customer_id: 'customer-7',
  purpose: 'Two tickets',
  amount: new Decimal('25'),
  amount_to_send: new Decimal('25.5'),
  currency: euro,
  status: 'pending',
  callback_url: 'https://shop.example/webhooks/invoices',
  success_url: 'https://shop.example/paid',
  fail_url: 'https://shop.example/failed',
  payment_url: 'https://pay.example/i/0b9f6e1c',
  created_at: new Date(Date.UTC(2026, 0, 31, 9, 30)),
  expires_at: new Date(Date.UTC(2026, 0, 31, 10, 0)),
};
const unpaid = {
  finished_at: null,
  payment_method: null,
  rate: null,
  settled_amount_usdt: null,
  is_adjusted: false,
  adjustment: null,
};
const card = {
  id: 11,
  name: 'Card',
  currency: euro,
  min_amount: new Decimal('5'),
  max_amount: new Decimal('2000'),
  total_commission_percent: new Decimal('3.5'),
  client_commission_percent: new Decimal('2'),
  merchant_commission_percent: new Decimal('1.5'),
  logo_url: 'https://cdn.example/card.svg',
};
const buy = {
  platform: 'Example Exchange',
  asset: 'USDT',
  fiat: 'EUR',
  side: 'buy',
  price: new Decimal('0.9215'),
  min_amount: new Decimal('10'),
  max_amount: new Decimal('50000'),
};

it.each<[string, Check<unknown>, unknown, unknown]>([
  ['a created invoice', createInvoice.data, wire.createdInvoice, created],
  ['a pending invoice', getInvoice.data, wire.pendingInvoice, { ...created, amount_to_send: null, ...unpaid }],
  [
    'an invoice that is read in the creation form',
    getInvoice.data,
    wire.createdInvoice,
    { ...created, ...unpaid, is_adjusted: null },
  ],
  [
    'a pending withdrawal',
    getWithdrawal.data,
    pendingWithdrawal,
    {
      uuid: '615fc472-d5a9-4463-9fb0-738290a0b4c5',
      actor: 'owner@shop.example',
      balance_type: 'main',
      token: 'USDT',
      network: 'TRC20',
      address: 'TXYZexampleaddress000000000000000',
      amount: new Decimal('500'),
      network_commission: new Decimal('1.5'),
      amount_to_send: new Decimal('498.5'),
      status: 'pending',
      created_at: new Date('2026-02-01T08:00:00.000Z'),
      logo_url: 'https://cdn.example/trc20.svg',
      tx_hash: null,
      reject_reason: null,
      processed_at: null,
    },
  ],
  ['a list of payment methods', methods, [cardMethod], [card]],
  ['a list of rates', ratesList, [buyRate], [buy]],
  ['an empty list of payment methods', methods, [], []],
  ['an empty list of rates', ratesList, [], []],
  ['an empty page', listInvoices.data, wire.emptyPage, wire.emptyPage],
])('%s is decoded member by member', (_name, check, payload, value) => {
  expect(decoded(check, payload)).toEqual(value);
});

it.each<[string, Check<unknown>, unknown, object]>([
  [
    'a created invoice without what is optional, and with microseconds',
    createInvoice.data,
    wire.createdInvoiceSparse,
    { purpose: null, amount_to_send: null, created_at: new Date(Date.UTC(2026, 0, 31, 9, 30, 0, 123)) },
  ],
  [
    'a paid invoice',
    getInvoice.data,
    wire.successInvoice,
    {
      status: 'success',
      amount: new Decimal('100'),
      amount_to_send: new Decimal('102'),
      finished_at: new Date('2026-01-31T09:41:12.000Z'),
      payment_method: { name: 'Card', logo_url: 'https://cdn.example/card.svg' },
      rate: new Decimal('0.92'),
      settled_amount_usdt: new Decimal('108.695652'),
      is_adjusted: false,
      adjustment: null,
    },
  ],
  [
    'an adjusted invoice',
    getInvoice.data,
    wire.adjustedInvoice,
    {
      payment_method: { name: 'Bank transfer', logo_url: null },
      settled_amount_usdt: new Decimal('73.913043'),
      is_adjusted: true,
      adjustment: {
        expected_amount_fiat: new Decimal('100'),
        actual_amount_fiat: new Decimal('68'),
        expected_amount_usdt: new Decimal('108.695652'),
        actual_amount_usdt: new Decimal('73.913043'),
      },
    },
  ],
  [
    'a failed invoice',
    getInvoice.data,
    wire.failedInvoice,
    { status: 'fail', finished_at: new Date('2026-01-31T09:50:00.000Z') },
  ],
  ['an expired invoice', getInvoice.data, wire.expiredInvoice, { status: 'expired', settled_amount_usdt: null }],
  ['a canceled invoice', getInvoice.data, wire.canceledInvoice, { status: 'canceled', settled_amount_usdt: null }],
  [
    'a page of invoices, in its order',
    listInvoices.data,
    wire.invoicePage,
    {
      items: [
        { external_id: 'order-1042' },
        { external_id: 'order-1044', settled_amount_usdt: new Decimal('108.695652') },
      ],
      ...{ page: 2, per_page: 2, total_items: 5, total_pages: 3, has_next: true, has_prev: true },
    },
  ],
  [
    'an approved withdrawal',
    getWithdrawal.data,
    approvedWithdrawal,
    { status: 'approved', amount: new Decimal('250.000001'), processed_at: new Date('2026-02-01T08:20:00.000Z') },
  ],
  [
    'a rejected withdrawal, whose amounts and times are empty',
    getWithdrawal.data,
    rejectedWithdrawal,
    {
      network_commission: null,
      amount_to_send: null,
      tx_hash: null,
      processed_at: null,
      reject_reason: 'Wrong address',
    },
  ],
  [
    'a page of withdrawals, in its order',
    listWithdrawals.data,
    withdrawalPage,
    { items: [{ status: 'pending' }, { status: 'approved' }, { status: 'rejected' }], total_items: 3 },
  ],
  [
    'a list of payment methods, in its order',
    methods,
    paymentMethods,
    [{ id: 11 }, { id: 12, currency: { code: 'KZT' }, client_commission_percent: new Decimal(0) }],
  ],
  [
    'a list of rates, in its order',
    ratesList,
    rates,
    [{ side: 'buy' }, { side: 'sell', price: new Decimal('0.9187') }],
  ],
])('%s is decoded', (_name, check, payload, members) => {
  expect(decoded(check, payload)).toMatchObject(members);
});

it.each<[string, Check<unknown>, unknown, object]>([
  [
    'an invoice',
    getInvoice.data,
    { ...wire.successInvoice, points: 5, currency: { ...euro, flag: 'eu' } },
    { points: 5, currency: { flag: 'eu' } },
  ],
  ['a withdrawal', getWithdrawal.data, { ...pendingWithdrawal, memo: 'x' }, { memo: 'x' }],
  ['a payment method', methods, [{ ...cardMethod, is_new: true }], [{ is_new: true }]],
  ['a rate', ratesList, [{ ...buyRate, depth: 3 }], [{ depth: 3 }]],
  ['a delivery', listDeliveries.data, [{ ...deliveries[0], note: 'x' }], [{ note: 'x' }]],
])('%s keeps the members that the interface does not name', (_name, check, payload, members) => {
  expect(decoded(check, payload)).toMatchObject(members);
});

it.each<[operation: string, Check<unknown>, message: string, ...payloads: unknown[]]>([
  ['invoices.create', createInvoice.data, 'must be an object', null, [], 'text', 5, undefined],
  ['invoices.get', getInvoice.data, 'must be an object', null, [], 'text', 5, undefined],
  ['invoices.list', listInvoices.data, 'must be an object', null, [], 'text', 5, undefined],
  ['withdrawals.get', getWithdrawal.data, 'must be an object', null, [], 'text', 5, undefined],
  ['paymentMethods.list', methods, 'must be an array', null, {}, 'text', 5, { items: paymentMethods }],
  ['paymentMethods.list', methods, 'is required', undefined],
  ['rates.list', ratesList, 'must be an array', null, {}, 'text', 5, { items: rates }],
])('%s: a payload of another type is refused as a whole', (_operation, check, message, ...payloads) => {
  for (const payload of payloads) expect(refused(check, payload)).toEqual([{ path: '', message }]);
});

describe('a resource that is read alone', () => {
  const { successInvoice, pendingInvoice } = wire;
  it.each([
    ['its own name', { invoice: successInvoice }],
    ['nothing, and it has a member of that name', { ...successInvoice, invoice: pendingInvoice }],
    ['another name', { order: successInvoice }],
    ['an envelope in the envelope', { data: successInvoice }],
    ['its own name, with members beside it', { invoice: successInvoice, meta: { page: 1 }, deliveries: [] }],
  ])('may stand under %s', (_name, payload) => {
    expect(decoded(getInvoice.data, payload).uuid).toBe(successInvoice.uuid);
  });

  it.each([
    ['two of them', { invoice: successInvoice, other: pendingInvoice }],
    ['in a list', { items: [successInvoice] }],
    ['too deep', { a: { b: { c: successInvoice } } }],
  ])('is not guessed: %s', (_name, payload) => {
    expect(refused(getInvoice.data, payload)).not.toEqual([]);
  });

  it('may be a withdrawal', () => {
    expect(decoded(getWithdrawal.data, { payout: pendingWithdrawal })).toMatchObject({ status: 'pending' });
    expect(refused(getWithdrawal.data, { items: [pendingWithdrawal] })).not.toEqual([]);
  });

  it.each([
    ['true without the flag, where there is an adjustment', without(wire.adjustedInvoice, 'is_adjusted'), true],
    ['false where the flag says so', changed(wire.adjustedInvoice, 'is_adjusted', false), false],
    ['null where nothing says it', without(changed(successInvoice, 'adjustment', []), 'is_adjusted'), null],
  ])('has an is_adjusted that is %s', (_name, payload, isAdjusted) => {
    expect(decoded(getInvoice.data, payload).is_adjusted).toBe(isAdjusted);
  });
});

describe('a list of rates', () => {
  it('leaves out a row without a price, absent or null', () => {
    const list = [without(buyRate, 'price'), changed(buyRate, 'price', null), sellRate];
    expect(decoded(ratesList, list)).toMatchObject([{ side: 'sell' }]);
  });

  it.each([
    [20, undefined],
    [21, true],
    [1_001, true],
  ])('says whether there are more issues than it names: %i odd rows', (count, isMore) => {
    const result = ratesList(Array.from({ length: count }, () => ({ price: '1' })));
    expect(result).toHaveProperty('issues.length', 20);
    expect('isMore' in result ? result.isMore : undefined).toBe(isMore);
  });

  it.each([[[null]], [[5]]])('is refused where its only row is no object: %j', (payload) => {
    expect(refused(ratesList, payload)).toMatchObject([{ path: '0' }]);
    expect(ratesList(payload)).not.toHaveProperty('isMore');
  });
});

it.each([[undefined], [null], [''], [{}], [{ success: true, data: null }], [[1]]])(
  'the response to a resend may be %j',
  (body) => expect(resendWebhook.data(body)).toEqual({ ok: true, value: undefined }),
);
