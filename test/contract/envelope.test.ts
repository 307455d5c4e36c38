import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { lenientPage, payloadOf } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { deliveriesEnvelope, deliveryPageEnvelope } from '../support/fixtures/deliveries.ts';
import {
  createdInvoice,
  createdInvoiceEnvelope,
  invoicePage,
  invoicePageEnvelope,
  pendingInvoice,
  successInvoice,
} from '../support/fixtures/invoices.ts';
import { paymentMethodsEnvelope } from '../support/fixtures/payment-methods.ts';
import { ratesEnvelope } from '../support/fixtures/rates.ts';
import { withdrawalPageEnvelope } from '../support/fixtures/withdrawals.ts';
import { decoded, refused, without } from './mutation.ts';

it('takes the payload out of the envelope', () => {
  expect(payloadOf(createdInvoiceEnvelope)).toEqual(createdInvoice);
});

it('takes a body without an envelope as the payload', () => {
  expect(payloadOf(createdInvoice)).toEqual(createdInvoice);
  expect(payloadOf([1])).toEqual([1]);
  expect(payloadOf(null)).toBeNull();
});

it.each([
  [{ success: true, data: null }, null],
  [{ data: [] }, []],
  [{ success: true, data: false }, false],
])('takes %j apart though its data is empty', (body, payload) => {
  expect(payloadOf(body)).toEqual(payload);
});

it('does not look for data on the prototype', () => {
  const body: unknown = Object.create({ data: 'inherited' });
  expect(payloadOf(body)).toBe(body);
});

it.each([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ['{}', false],
  [undefined, false],
])('knows an object: %j', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});

it.each([
  ['invoices.create', createdInvoiceEnvelope],
  ['invoices.list', invoicePageEnvelope],
  ['withdrawals.list', withdrawalPageEnvelope],
  ['paymentMethods.list', paymentMethodsEnvelope],
  ['rates.list', ratesEnvelope],
  ['webhooks.deliveries', deliveriesEnvelope],
  ['webhooks.deliveries', deliveryPageEnvelope],
] as const)('is around every payload: %s', (operation, envelope) => {
  expect(decoded<unknown>(endpoints[operation].data, payloadOf(envelope))).toBeTypeOf('object');
});

describe('a page that is read item by item', () => {
  const item = endpoints['invoices.list'].item;

  it('leaves out what cannot be decoded, and tells of it', () => {
    const broken = without(successInvoice, 'uuid');
    const told: unknown[] = [];
    const read = lenientPage(item, (index, issues, raw, page) => told.push({ index, issues, raw, page }));
    const page = decoded(read, { ...invoicePage, items: [pendingInvoice, broken, successInvoice] });
    expect(page.items.map(({ external_id }) => external_id)).toEqual(['order-1042', 'order-1044']);
    expect(page.total_items).toBe(5);
    expect(told).toEqual([{ index: 1, issues: [{ path: 'uuid', message: 'is required' }], raw: broken, page: 2 }]);
  });

  it('is still refused without a member of the page', () => {
    const read = lenientPage(item, () => {
      throw new Error('no item is wrong');
    });
    expect(refused(read, without(invoicePage, 'has_next'))).toEqual([{ path: 'has_next', message: 'is required' }]);
  });
});
