// After an outage: handles the payments whose webhooks did not arrive, and none
// twice.
import { DatabaseSync } from 'node:sqlite';
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  sqliteStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

const secret = 'whsec_0123456789abcdef';
// live: a file, which all processes of the shop share
const store = sqliteStore(new DatabaseSync(':memory:'));
await store.migrate();
const handler = createWebhookHandler({
  secret,
  store,
  onPaid: ({ order, source }) => console.log(order, source),
  onAdjusted: ({ order, source }) =>
    console.log(order, source, 'another amount'),
  onCanceled: () => {},
});

const receive = toFetchHandler(handler);
let isDown = false;
const sandbox = createSandbox({
  quiet: true, // the webhooks of this example fail on purpose
  webhookSecret: secret,
  fetch: async (url, init) =>
    isDown
      ? new Response(null, { status: 502 })
      : receive(new Request(url, init)),
});
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});
const order = {
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  callback_url: 'http://localhost/webhook',
};
for (const external_id of ['order-1', 'order-2'])
  await merchant.invoices.create({ ...order, external_id });

await sandbox.pay('order-1'); // → order-1 webhook
isDown = true;
await sandbox.pay('order-2');
await sandbox.advance('1d'); // the service has made its seven attempts

// live: the orders of your database that are pending
const orders = ['order-1', 'order-2'];
const first = await handler.catchUp(merchant, { orders }); // → order-2 catch_up
console.log(first.played, first.alreadyDone); // → 1 1
const second = await handler.catchUp(merchant, { orders });
console.log(second.played, second.failed); // → 0 0
