import { listInvoices } from '../src/contract/invoices.ts';
import { Decimal } from '../src/contract/values/decimal.ts';
import { compare } from './measure.ts';

const wire = {
  uuid: '0e0f7c1e-6f5b-4a51-9a43-000000000001',
  external_id: 'order-1',
  customer_id: 'c-1',
  purpose: 'Order 1',
  amount: '25.00',
  amount_to_send: '25.50',
  currency: { id: 1, code: 'EUR', name: 'Euro', symbol: '€' },
  status: 'success',
  callback_url: null,
  success_url: null,
  fail_url: null,
  payment_url: 'https://pay.example/1',
  created_at: '2026-01-31T09:30:00Z',
  expires_at: '2026-01-31T10:00:00Z',
  finished_at: '2026-01-31T09:31:00.123456Z',
  payment_method: { name: 'Card', logo_url: null },
  rate: '0.92',
  settled_amount_usdt: '26.861298',
  is_adjusted: false,
  adjustment: null,
};
const text = JSON.stringify({
  items: Array.from({ length: 100 }, () => wire),
  page: 1,
  per_page: 100,
  total_items: 100,
  total_pages: 1,
  has_next: false,
  has_prev: false,
});

/** What a merchant would write by hand, with the same checks: nothing missing, money exact, dates real. */
function byHand(page: { items: (typeof wire)[] }): unknown {
  const string = (value: unknown): string => {
    if (typeof value !== 'string') throw new Error('not a string');
    return value;
  };
  const decimal = (value: unknown): Decimal => {
    if (typeof value !== 'string' || !/^-?\d{1,30}(?:\.\d{1,18})?$/.test(value)) throw new Error('not a decimal');
    return new Decimal(value);
  };
  const date = (value: unknown): Date => {
    const at = new Date(string(value));
    if (Number.isNaN(at.getTime())) throw new Error('not a date');
    return at;
  };
  const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null =>
    value === null || value === undefined ? null : read(value);
  return {
    ...page,
    items: page.items.map((item) => ({
      ...item,
      uuid: string(item.uuid),
      external_id: string(item.external_id),
      customer_id: string(item.customer_id),
      purpose: orNull(item.purpose, string),
      amount: decimal(item.amount),
      amount_to_send: orNull(item.amount_to_send, decimal),
      status: string(item.status),
      callback_url: orNull(item.callback_url, string),
      success_url: orNull(item.success_url, string),
      fail_url: orNull(item.fail_url, string),
      payment_url: string(item.payment_url),
      created_at: date(item.created_at),
      expires_at: date(item.expires_at),
      finished_at: orNull(item.finished_at, date),
      rate: orNull(item.rate, decimal),
      settled_amount_usdt: orNull(item.settled_amount_usdt, decimal),
    })),
  };
}

export async function decode(): Promise<void> {
  await compare('Decode a page of 100 invoices, JSON.parse included', 40, [
    { name: 'by hand', run: () => byHand(JSON.parse(text)) },
    { name: 'contract codecs', run: () => listInvoices.data(JSON.parse(text)) },
  ]);
}
