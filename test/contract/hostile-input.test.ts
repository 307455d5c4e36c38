import { describe, expect, it } from 'vitest';
import { listDeliveries } from '../../src/contract/deliveries.ts';
import { createInvoice, getInvoice, listInvoices } from '../../src/contract/invoices.ts';
import { listPaymentMethods } from '../../src/contract/payment-methods.ts';
import { listRates } from '../../src/contract/rates.ts';
import { getWithdrawal, listWithdrawals } from '../../src/contract/withdrawals.ts';
import { deliveredRecord } from '../support/fixtures/deliveries.ts';
import { createdInvoice, pendingInvoice, successInvoice } from '../support/fixtures/invoices.ts';
import { pendingWithdrawal } from '../support/fixtures/withdrawals.ts';
import { changed, decoded, refused } from './mutation.ts';

const readers = [
  createInvoice.data,
  getInvoice.data,
  listInvoices.data,
  listPaymentMethods.data,
  listRates.data,
  listWithdrawals.data,
  getWithdrawal.data,
  listDeliveries.data,
];

const nested: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
const long = 'x'.repeat(10_000_000);

describe('a body that means harm', () => {
  it('may not reach a prototype through __proto__', () => {
    const text = JSON.stringify(successInvoice).replace('{', '{"__proto__":{"isAdmin":true},');
    const invoice = decoded(getInvoice.data, JSON.parse(text));
    expect(invoice).not.toHaveProperty('isAdmin');
    expect(Object.getPrototypeOf(invoice)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('isAdmin');
  });

  it('may not reach one through a nested member or a delivery record', () => {
    const currency: unknown = JSON.parse('{"__proto__":{"code":"XXX"},"id":2,"name":"Euro","symbol":"e"}');
    expect(refused(getInvoice.data, changed(pendingInvoice, 'currency', currency))).toEqual([
      { path: 'currency.code', message: 'is required' },
    ]);
    const record = JSON.stringify(deliveredRecord).replace('{', '{"__proto__":{"isAdmin":true},');
    expect(decoded(listDeliveries.data, JSON.parse(`[${record}]`))[0]).not.toHaveProperty('isAdmin');
  });

  it('may carry members named after those of Object', () => {
    const text = JSON.stringify(pendingInvoice).replace('{', '{"constructor":1,"toString":2,"hasOwnProperty":3,');
    expect(decoded(getInvoice.data, JSON.parse(text)).external_id).toBe('order-1042');
  });

  it('is not satisfied by members of Object', () => {
    const bare: unknown = JSON.parse('{"constructor":{"name":"x"}}');
    expect(refused(getInvoice.data, bare)).toHaveLength(9); // every required member
  });

  it('is refused when it is 100,000 brackets deep', () => {
    for (const read of readers) expect(refused(read, nested).length).toBeGreaterThan(0);
  });

  it.each(Object.keys(successInvoice))('is refused with 100,000 brackets as %s', (name) => {
    expect(refused(getInvoice.data, changed(successInvoice, name, nested))[0]?.path).toBe(name);
  });

  it('may be deep where nobody looks', () => {
    expect(decoded(getInvoice.data, { ...pendingInvoice, extra: nested }).external_id).toBe('order-1042');
    expect(decoded(getWithdrawal.data, { ...pendingWithdrawal, extra: nested }).status).toBe('pending');
  });

  it.each(['amount', 'created_at', 'rate', 'is_adjusted', 'currency'])('is refused with 10 MB as %s', (name) => {
    const issues = refused(getInvoice.data, changed(successInvoice, name, long));
    expect(issues.map((issue) => issue.path)).toEqual([name]);
    expect(JSON.stringify(issues).length).toBeLessThan(300);
  });

  it('may have 10 MB of text where text is', () => {
    expect(decoded(getInvoice.data, changed(pendingInvoice, 'purpose', long)).purpose).toHaveLength(10_000_000);
  });

  it.each(['external_id', 'customer_id', 'amount', 'currency', 'purpose', 'callback_url', 'success_url', 'fail_url'])(
    'is not sent with 10 MB as %s',
    (name) => {
      const order = { external_id: 'a', customer_id: 'b', amount: '1', currency: 'EUR', [name]: long };
      const result = createInvoice.body?.(order);
      expect(result).toMatchObject({ ok: false, issues: [{ path: name }] });
      expect(JSON.stringify(result).length).toBeLessThan(300);
    },
  );

  it('reports a page of ten thousand broken items without giving up', () => {
    const items = Array.from({ length: 10_000 }, () => ({ ...createdInvoice, uuid: null }));
    const page = { items, page: 1, per_page: 100, total_items: 1, total_pages: 1, has_next: false, has_prev: false };
    expect(refused(listInvoices.data, page)).toHaveLength(20);
  });
});
