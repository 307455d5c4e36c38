// Receives the webhook of a payment, and recognises repeats and forgeries.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  memoryStore,
  toNodeHandler,
} from 'merchant-invoicing/webhooks';

const sandbox = createSandbox();
const handler = createWebhookHandler({
  secret: sandbox.webhookSecret, // live: MERCHANT_WEBHOOK_SECRET
  store: memoryStore(), // live: sqliteStore, postgresStore or redisStore
  onPaid: ({ order, credited_usdt }) =>
    console.log('paid', order, credited_usdt.toFixed(2)),
  onAdjusted: ({ order, amount, original_amount }) =>
    console.log(
      'paid in part',
      order,
      amount.toFixed(2),
      'of',
      original_amount?.toFixed(2),
    ),
  onCanceled: ({ order, status }) => console.log('ended', order, status),
  onReport: ({ reason, error }) =>
    console.log('report', reason, ...(error === undefined ? [] : [error])),
});
const server = createServer(toNodeHandler(handler)).listen(
  Number(process.env['PORT'] ?? 0),
  '127.0.0.1',
);
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' ? address?.port : '';
const callback_url = `http://127.0.0.1:${port}/webhook`;

const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});
const order = {
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  callback_url,
};
await merchant.invoices.create({ ...order, external_id: 'order-1' });
await merchant.invoices.create({ ...order, external_id: 'order-2' });
await merchant.invoices.create({ ...order, external_id: 'order-3' });

await sandbox.pay('order-1'); // → paid order-1 26.86
await sandbox.expire('order-2'); // → ended order-2 expired
await sandbox.pay('order-3', { amount: '1.00' });
// → paid in part order-3 1.00 of 25.00
await sandbox.resend('order-1'); // → report duplicate
const forged = await fetch(callback_url, {
  method: 'POST',
  body: '{"external_id":"order-2","status":"success"}',
});
// → report missing_header
console.log(forged.status); // → 401
server.close();
