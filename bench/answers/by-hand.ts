import { Decimal } from 'decimal.js';
import { page, type WireInvoice } from './wire.ts';

const DECIMAL = /^-?\d{1,30}(?:\.\d{1,18})?$/;

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a string');
  return value;
}

function decimal(value: unknown): Decimal {
  if (typeof value !== 'string' || !DECIMAL.test(value)) throw new Error('not a decimal');
  return new Decimal(value);
}

function date(value: unknown): Date {
  const at = new Date(text(value));
  if (Number.isNaN(at.getTime())) throw new Error('not a date');
  return at;
}

const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null || value === undefined ? null : read(value);

/** What a merchant would write, with the same checks: nothing missing, money exact, dates real. */
export function readPage(page: { readonly items: readonly WireInvoice[] }): { readonly items: readonly unknown[] } {
  return {
    ...page,
    items: page.items.map((item) => ({
      ...item,
      uuid: text(item['uuid']),
      external_id: text(item['external_id']),
      customer_id: text(item['customer_id']),
      purpose: orNull(item['purpose'], text),
      amount: decimal(item['amount']),
      amount_to_send: orNull(item['amount_to_send'], decimal),
      status: text(item['status']),
      callback_url: orNull(item['callback_url'], text),
      success_url: orNull(item['success_url'], text),
      fail_url: orNull(item['fail_url'], text),
      payment_url: text(item['payment_url']),
      created_at: date(item['created_at']),
      expires_at: date(item['expires_at']),
      finished_at: orNull(item['finished_at'], date),
      rate: orNull(item['rate'], decimal),
      settled_amount_usdt: orNull(item['settled_amount_usdt'], decimal),
    })),
  };
}

/** The text of a page of `count` invoices. */
export const pageText = (count: number): string => JSON.stringify(page(1, count, count));
