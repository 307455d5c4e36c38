// A customer pays less, more or late: `credited_usdt` is what you received.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  memoryStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

const secret = 'whsec_0123456789abcdef';
const handler = createWebhookHandler({
  secret,
  // in production: book credited_usdt in the transaction of your database
  store: memoryStore(),
  onPaid: ({ order, credited_usdt }) =>
    console.log(order, credited_usdt.toFixed(), 'deliver'),
  onAdjusted: async ({ order, invoice_uuid, credited_usdt }) => {
    const { adjustment } = await merchant.invoices.get(invoice_uuid, {
      deadline: 8_000,
    }); // the handler has 12 s
    const missing = adjustment?.expected_amount_usdt.minus(credited_usdt);
    const decision =
      missing === undefined
        ? 'ask a person'
        : missing.gt(0)
          ? `hold, ${missing.toFixed()} missing`
          : 'deliver';
    // first decide, then book in every case
    console.log(order, credited_usdt.toFixed(), decision);
  },
  onCanceled: ({ order }) => console.log(order, 'release, if it is pending'),
});
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
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
  callback_url: 'http://localhost/webhook',
};
for (const external_id of ['under', 'over', 'late'])
  await merchant.invoices.create({ ...order, external_id });
await sandbox.pay('under', { amount: '17.00' });
// → under 18.265682 hold, 8.595616 missing
await sandbox.pay('over', { amount: '30.00' }); // → over 32.233557 deliver
await sandbox.expire('late'); // → late release, if it is pending
await sandbox.pay('late', { late: true }); // → late 26.861298 deliver
