import { expect, it } from 'vitest';
import { MerchantClient } from '../../../src/index.ts';
import type { InvoiceEvent, VerifyWebhookOptions } from '../../../src/webhooks/index.ts';
import { type Step, serve } from '../../support/fault-server.ts';
import { ok, refuse } from '../../support/fault-steps.ts';
import { endpoint, send } from '../endpoint.ts';

// One payment comes by webhook or by catchUp, and both must end alike: the same function with the same event, or none. Each
// row is a form in which a service may state the payment. Wire texts are typed from the interface.

const UUID = '3f2a9c1e-7b54-4d8e-9a10-6c2f5e8b7d41';
const EUR = { id: 1, code: 'EUR', name: 'Euro', symbol: '€' };

type Wire = Readonly<Record<string, unknown>>;

const webhookOf = (more: Wire): Wire => ({
  event: 'invoice.paid',
  invoice_uuid: UUID,
  external_id: 'order-1042',
  status: 'success',
  amount: '25.00',
  credited_usdt: '26.91',
  ...more,
});
const invoiceOf = (more: Wire): Wire => ({
  uuid: UUID,
  external_id: 'order-1042',
  customer_id: 'customer-7',
  purpose: null,
  amount: '25.00',
  amount_to_send: '25.50',
  currency: EUR,
  status: 'success',
  callback_url: null,
  success_url: null,
  fail_url: null,
  payment_url: 'https://pay.example/i/1',
  created_at: '2025-12-31T23:00:00Z',
  expires_at: '2025-12-31T23:45:00Z',
  finished_at: '2025-12-31T23:30:00Z',
  payment_method: { name: 'Card' },
  rate: '0.929',
  settled_amount_usdt: '26.91',
  ...more,
});

const correction = {
  expected_amount_fiat: '25.00',
  actual_amount_fiat: '1.00',
  expected_amount_usdt: '26.91',
  actual_amount_usdt: '1.07',
};
const one = { amount: '1.00', credited_usdt: '1.07' };

const FORMS: readonly {
  readonly name: string;
  readonly webhook: Wire;
  readonly invoice: Wire;
  readonly pins?: Pick<VerifyWebhookOptions, 'adjustedAbsent'>;
  readonly ends: 'onPaid' | 'onAdjusted' | 'onCanceled' | null;
}[] = [
  {
    name: 'as ordered',
    webhook: { adjusted: false },
    invoice: { is_adjusted: false, adjustment: null },
    ends: 'onPaid',
  },
  {
    name: '1.00 of 25.00',
    webhook: { ...one, adjusted: true, original_amount: '25.00' },
    invoice: { is_adjusted: true, settled_amount_usdt: '1.07', adjustment: correction },
    ends: 'onAdjusted',
  },
  {
    name: '1.00 of 25.00, told by the adjustment alone',
    webhook: { ...one, adjustment: correction, original_amount: '25.00' },
    invoice: { settled_amount_usdt: '1.07', adjustment: correction },
    ends: 'onAdjusted',
  },
  { name: 'nobody says whether it was adjusted', webhook: {}, invoice: {}, ends: null },
  { name: 'null for whether it was adjusted', webhook: { adjusted: null }, invoice: { is_adjusted: null }, ends: null },
  {
    name: 'nobody says it, and the shop has pinned that this means as ordered',
    webhook: {},
    invoice: {},
    pins: { adjustedAbsent: 'as_ordered' },
    ends: 'onPaid',
  },
  {
    name: 'the shop has pinned it, and an adjustment says otherwise',
    webhook: { ...one, adjustment: correction, original_amount: '25.00' },
    invoice: { settled_amount_usdt: '1.07', adjustment: correction },
    pins: { adjustedAbsent: 'as_ordered' },
    ends: 'onAdjusted',
  },
  {
    name: 'as ordered, with another amount in its adjustment',
    webhook: { adjusted: false, original_amount: '60.00' },
    invoice: { is_adjusted: false, adjustment: { ...correction, actual_amount_usdt: '26.91' } },
    ends: null,
  },
  {
    name: 'as ordered, and nothing credited',
    webhook: { adjusted: false, credited_usdt: '0' },
    invoice: { is_adjusted: false, settled_amount_usdt: '0' },
    ends: null,
  },
  {
    name: 'adjusted, and nothing credited',
    webhook: { adjusted: true, amount: '1.00', original_amount: '25.00', credited_usdt: '0' },
    invoice: { is_adjusted: true, settled_amount_usdt: '0', adjustment: { ...correction, actual_amount_usdt: '0' } },
    ends: 'onAdjusted',
  },
  {
    name: 'no credit said',
    webhook: { adjusted: false, credited_usdt: null },
    invoice: { is_adjusted: false, settled_amount_usdt: null },
    ends: null,
  },
  {
    name: 'expired',
    webhook: { event: 'invoice.canceled', status: 'expired', credited_usdt: undefined },
    invoice: { status: 'expired', settled_amount_usdt: null, is_adjusted: false },
    ends: 'onCanceled',
  },
  {
    name: 'expired, and adjusted',
    webhook: { event: 'invoice.canceled', status: 'expired', credited_usdt: undefined, adjusted: true },
    invoice: { status: 'expired', settled_amount_usdt: null, is_adjusted: true },
    ends: null,
  },
  {
    name: 'expired, and credited',
    webhook: { event: 'invoice.canceled', status: 'expired', credited_usdt: '26.91' },
    invoice: { status: 'expired', settled_amount_usdt: '26.91', is_adjusted: false },
    ends: null,
  },
  {
    name: 'expired, of the second invoice of the order',
    webhook: { event: 'invoice.canceled', external_id: 'order-1042--1', status: 'expired', credited_usdt: undefined },
    invoice: { external_id: 'order-1042--1', status: 'expired', settled_amount_usdt: null, is_adjusted: false },
    ends: 'onCanceled',
  },
];

/** A service that has these invoices, and gives them by each ident and in one page. */
function service(rows: readonly Wire[]): Step {
  const page = {
    items: rows,
    page: 1,
    per_page: 100,
    total_items: rows.length,
    total_pages: 1,
    has_next: false,
    has_prev: false,
  };
  return {
    play(exchange) {
      const ident = decodeURIComponent(exchange.request.url.split('/invoices/')[1] ?? '');
      const row = rows.find((each) => each['external_id'] === ident || each['uuid'] === ident);
      const step = ident === '' ? ok(page) : row === undefined ? refuse(404, 'INVOICE_NOT_FOUND') : ok(row);
      step.play(exchange);
    },
  };
}

function shop(pins: object) {
  const ran: [string, InvoiceEvent][] = [];
  const keep = (name: string) => (event: InvoiceEvent) => void ran.push([name, event]);
  return {
    ran,
    ...endpoint({ onPaid: keep('onPaid'), onAdjusted: keep('onAdjusted'), onCanceled: keep('onCanceled'), ...pins }),
  };
}

/** What a merchant acts on, without what tells the two roads apart. */
const seen = ([name, { source, id, signed_at, secretIndex, raw, ...event }]: [string, InvoiceEvent]) => [name, event];

it.each(FORMS)(
  'a payment ends alike by webhook and by catchUp: $name',
  async ({ webhook, invoice, pins = {}, ends }) => {
    const told = shop(pins);
    const reply = await send(told, webhookOf(webhook));
    expect(told.ran.map(([name]) => name)).toEqual(ends === null ? [] : [ends]);
    expect(reply.status).toBe(ends === null ? 500 : 200);

    const row = invoiceOf(invoice);
    const isRenewal = row['external_id'] !== 'order-1042';
    const first = invoiceOf({
      status: 'expired',
      settled_amount_usdt: null,
      is_adjusted: false,
      uuid: UUID.replace('3f', '4f'),
    });
    const rows = isRenewal ? [first, row] : [row];
    const server = await serve(service(rows));
    const merchant = new MerchantClient({ baseUrl: server.url, apiKey: 'sk_test', retry: false });
    const read = shop(pins);
    const result = await read.handler.catchUp(merchant, { orders: ['order-1042'] });
    expect(result).toMatchObject({ checked: 1, played: ends === null ? 0 : 1, failed: ends === null ? 1 : 0 });
    expect(read.ran.map(seen)).toEqual(told.ran.map(seen));
    for (const [, event] of [...read.ran, ...told.ran]) {
      expect(event).toMatchObject({ order: 'order-1042', renewal: isRenewal ? 1 : 0 });
    }
    // Both have one key and one digest: the other road finds the event done.
    if (ends !== null) {
      expect(await send(read, webhookOf(webhook))).toMatchObject({ status: 200, body: 'duplicate' });
      expect(await told.handler.catchUp(merchant, { orders: ['order-1042'] })).toMatchObject({
        played: 0,
        alreadyDone: 1,
      });
    }
    // The report of what was refused names the order and the key, on both roads.
    const [refused] = ends === null ? told.reports : [];
    if (ends === null)
      expect(refused).toMatchObject({
        reason: 'malformed_payload',
        order: 'order-1042',
        key: `${UUID}:${webhook['status'] === 'expired' ? 'canceled' : 'paid'}`,
      });
  },
);
