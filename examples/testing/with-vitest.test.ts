// One function with fakes: `npx vitest run with-vitest`
import { Decimal, hasKind, type Invoice } from 'merchant-invoicing';
import { FAKE_WEBHOOK_SECRET, fakeError, fakeInvoice, fakePaidEvent, signedRequest } from 'merchant-invoicing/testing';
import { createWebhookHandler, type InvoicePaidEvent, memoryStore, toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, test, vi } from 'vitest';

/** Your code: it takes the part of the client that it uses. */
async function receivedOf(invoices: { get(ident: string): PromiseLike<Invoice> }, order: string) {
  try {
    return (await invoices.get(order)).settled_amount_usdt;
  } catch (error) {
    if (hasKind(error, 'not_found')) return null;
    throw error;
  }
}

test('what an order has brought', async () => {
  const get = vi.fn<(ident: string) => Promise<Invoice>>();
  get.mockResolvedValueOnce(fakeInvoice({ status: 'success', amount: '25.00' }));
  get.mockRejectedValueOnce(fakeError('SDK_HTTP_404'));
  expect(await receivedOf({ get }, 'order-1')).toEqual(new Decimal('26.861298')); // Decimals are compared by value
  expect(await receivedOf({ get }, 'order-2')).toBeNull();
});

test('the endpoint passes a genuine delivery to the shop', async () => {
  const onPaid = vi.fn(async (_event: InvoicePaidEvent) => {});
  const secret = FAKE_WEBHOOK_SECRET;
  const receive = toFetchHandler(createWebhookHandler({ secret, store: memoryStore(), onPaid, onCanceled: () => {} }));
  const response = await receive(
    await signedRequest(fakePaidEvent({ external_id: 'order-1', credited_usdt: '26.86' })),
  );
  expect(response.status).toBe(200);
  expect(onPaid.mock.lastCall?.[0]).toMatchObject({ external_id: 'order-1', credited_usdt: new Decimal('26.86') });
});
