// The whole path in one process, without a port: `node --test
// examples/testing/with-node-test.test.ts`
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  memoryStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

/**
 * Your code: it takes the client and the secret, so a test can give it those of
 * a sandbox.
 */
function shop(secret: string) {
  const shipped: string[] = [];
  const onPaid = ({ order }: { order: string }) => void shipped.push(order);
  return {
    shipped,
    handler: createWebhookHandler({
      secret,
      store: memoryStore(),
      onPaid,
      onAdjusted: () => {},
      onCanceled: () => {},
    }),
  };
}

test('a paid order is shipped once, and an expired one never', async () => {
  const secret = 'whsec_0123456789abcdef';
  const { shipped, handler } = shop(secret);
  const receive = toFetchHandler(handler);
  const sandbox = createSandbox({
    webhookSecret: secret,
    fetch: (url, init) => receive(new Request(url, init)),
  });
  const merchant = new MerchantClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    fetch: sandbox.fetch,
  });
  const order = {
    customer_id: 'c-7',
    amount: '25.00',
    currency: 'EUR',
    callback_url: 'http://localhost/webhook',
  };
  await merchant.invoices.create({ ...order, external_id: 'order-1' });
  await merchant.invoices.create({ ...order, external_id: 'order-2' });

  await sandbox.pay('order-1');
  await merchant.webhooks.resend('order-1');
  await sandbox.advance('31m'); // order-2 expires

  assert.deepEqual(shipped, ['order-1']);
  assert.equal((await merchant.invoices.get('order-2')).status, 'expired');
});
