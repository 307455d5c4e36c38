// Takes one payment, from the order to the money.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

// live: `new MerchantClient()` reads MERCHANT_BASE_URL and MERCHANT_API_KEY
const sandbox = createSandbox({ quiet: true });
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

const order = {
  // the id of your order: a repeated call finds the same invoice
  external_id: 'order-1042',
  customer_id: 'customer-7',
  amount: '25.00', // text or a Decimal, never a number
  currency: 'EUR',
};
const first = await merchant.invoices.createOrRenew(order);
console.log(first.created, first.invoice.status); // → true pending
console.log(first.invoice.payment_url); // → https://sandbox.invalid/pay/…

const second = await merchant.invoices.createOrRenew(order); // a double click
console.log(second.created, second.invoice.uuid === first.invoice.uuid);
// → false true

await sandbox.pay('order-1042'); // the customer pays on the payment page
const paid = await merchant.invoices.get('order-1042');
console.log(
  paid.status,
  paid.amount.toFixed(2),
  paid.settled_amount_usdt?.toFixed(2),
); // → success 25.00 26.86
