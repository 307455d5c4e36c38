import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hasCode } from '../../src/errors/guards.ts';
import { serve } from '../support/fault-server.ts';
import { answer, ok, refuse } from '../support/fault-steps.ts';
import { pendingInvoice } from '../support/fixtures/invoices.ts';
import { clientOf, errorOf, order } from '../support/test-client.ts';

// What a conflict says is compared with what was asked, like any other response.

const KEY = 'sk_live_51Hx9';

describe('a conflict that names another order', () => {
  const others = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-7', status: 'success' });

  test('does not say that this order was refused, nor how it stands', async () => {
    const server = await serve(others, answer(403, {}));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'unknown', externalId: 'order-1042' });
    expect(error).toMatchObject({ existingStatus: null, details: null });
    expect(error.message).not.toContain('No second invoice');
  });

  test('nor gives the invoice of another', async () => {
    const invoice = { ...pendingInvoice, external_id: 'order-7' };
    const server = await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', { invoice }), answer(403, {}));
    const error = await errorOf(clientOf(server.url).invoices.create(order));
    expect(error).toMatchObject({ outcome: 'unknown', externalId: 'order-1042', existingStatus: null });
    expect(error).not.toHaveProperty('existing');
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(pendingInvoice.payment_url);
  });

  test('the blanks and the case of the own order do not make it another', async () => {
    const own = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: ' ORDER-1042', status: 'pending' });
    const error = await errorOf(clientOf((await serve(own)).url).invoices.create(order));
    expect(error).toMatchObject({ outcome: 'rejected', externalId: 'order-1042', existingStatus: 'pending' });
  });

  test("the service's own order id does not take the place of the order that was sent", async () => {
    const details = { order_id: pendingInvoice.uuid, status: 'pending' };
    const error = await errorOf(
      clientOf((await serve(refuse(409, 'INVOICE_ALREADY_EXISTS', details))).url).invoices.create(order),
    );
    expect(error).toMatchObject({ outcome: 'rejected', externalId: 'order-1042' });
  });
});

describe('the existing invoice of an error', () => {
  const taken = refuse(409, 'INVOICE_ALREADY_EXISTS', { external_id: 'order-1042', status: 'pending' });

  test('has no key that the service echoes', async () => {
    const other = { ...pendingInvoice, amount: '99.00', purpose: `key ${KEY}`, note: { [KEY]: [KEY] } };
    const server = await serve(taken, ok(other));
    const error = await errorOf(clientOf(server.url, { apiKey: KEY }).invoices.createOrGet(order));
    if (!hasCode(error, 'SDK_INVOICE_MISMATCH')) throw error;
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(KEY);
    expect(error.existing.purpose).toBe('key [redacted]');
    expect(error.existing.amount.toFixed()).toBe('99');
    expect(error.existing.created_at).toBeInstanceOf(Date);
  });

  test('that is older leaves no doubt in the message', async () => {
    const old = { ...pendingInvoice, created_at: '2001-01-01T00:00:00Z' };
    const server = await serve(answer(500, {}), taken, ok(old));
    const error = await errorOf(clientOf(server.url, { retry: { baseDelay: 1 } }).invoices.create(order));
    expect(error).toMatchObject({ code: 'INVOICE_ALREADY_EXISTS', outcome: 'rejected' });
    expect(error.message).toContain('older than this call');
    expect(error.message).not.toContain('may have been processed');
  });
});
