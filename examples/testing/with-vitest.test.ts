// One function with fakes, and money in assertions: `npx vitest run with-vitest`
import { hasKind, type MerchantClient } from 'merchant-invoicing';
import {
  FAKE_WEBHOOK_SECRET,
  fakeCall,
  fakeError,
  fakeInvoice,
  fakePaidEvent,
  signedRequest,
} from 'merchant-invoicing/testing';
import 'merchant-invoicing/testing/vitest';
import { createWebhookHandler, type InvoicePaidEvent, memoryStore, toFetchHandler } from 'merchant-invoicing/webhooks';
import { expect, test, vi } from 'vitest';

/** Your code: it takes the part of the client that it uses. */
async function receivedOf(invoices: Pick<MerchantClient['invoices'], 'get'>, order: string) {
  const result = await invoices.get(order).result();
  if (result.ok) return result.value.settled_amount_usdt;
  if (hasKind(result.error, 'not_found')) return null;
  throw result.error;
}

test('what an order has brought', async () => {
  const get = vi.fn<MerchantClient['invoices']['get']>();
  get.mockReturnValueOnce(fakeCall(fakeInvoice({ status: 'success', amount: '25.00' })));
  get.mockReturnValueOnce(fakeCall(fakeError('SDK_HTTP_404')));
  expect(await receivedOf({ get }, 'order-1')).toEqualMoney('26.861298');
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
  expect(onPaid.mock.lastCall?.[0]).toMatchObject({ external_id: 'order-1', credited_usdt: '26.86' });
});
