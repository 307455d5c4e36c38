// A customer pays less or more than the order: the event is adjusted, and credited_usdt is what you got.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  memoryStore,
  toFetchHandler,
} from 'merchant-invoicing/webhooks';

function remedyOf({ external_id, amount, original_amount, credited_usdt }: InvoiceAdjustedEvent): string {
  const credit = `${external_id}: ${credited_usdt.toFixed(2)} USDT`;
  if (original_amount === null) return `${credit}, compare with your order`;
  const difference = amount.minus(original_amount); // in fiat: amount is what the customer paid
  if (difference.isNegative()) return `${credit}, ask for ${difference.abs().toFixed(2)} more`;
  return `${credit}, return ${difference.toFixed(2)} to the customer`;
}

const secret = 'whsec_0123456789abcdef';
const handler = createWebhookHandler({
  secret,
  store: memoryStore(),
  onPaid: ({ external_id, credited_usdt }) =>
    console.log(`${external_id}: ${credited_usdt.toFixed(2)} USDT, as ordered`),
  onAdjusted: (event) => console.log(remedyOf(event)),
  onCanceled: () => {},
});
const receive = toFetchHandler(handler);
const sandbox = createSandbox({ webhookSecret: secret, fetch: (url, init) => receive(new Request(url, init)) });
const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
const order = {
  customer_id: 'customer-7',
  amount: '100.00',
  currency: 'EUR',
  callback_url: 'http://localhost/webhook',
};
for (const external_id of ['order-1', 'order-2', 'order-3']) await merchant.invoices.create({ ...order, external_id });

await sandbox.pay('order-1'); // → order-1: 107.45 USDT, as ordered
await sandbox.underpay('order-2', '60.00'); // → order-2: 64.47 USDT, ask for 40.00 more
await sandbox.overpay('order-3', '110.00'); // → order-3: 118.19 USDT, return 10.00 to the customer

const { adjustment } = await merchant.invoices.get('order-2'); // also in USDT
console.log(adjustment?.expected_amount_usdt.toFixed(2), adjustment?.actual_amount_usdt.toFixed(2)); // → 107.45 64.47
