// An invoice that ended stays ended: the order gets another one, with another
// external_id.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox({ quiet: true });
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});
const order = {
  external_id: '1042',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
};

/** The invoice with which the order can be paid, or was paid. */
async function payable() {
  const found = await merchant.invoices.createOrRenew(order);
  // here: `renewal` into the row of the order, before the link is sent
  return found;
}

console.log((await payable()).renewal); // → 0
await sandbox.advance('31m');
const { invoice, order: id, renewal } = await payable();
console.log(invoice.external_id, id, renewal); // → 1042--1 1042 1
console.log((await payable()).created); // → false
await sandbox.pay('1042--1');
console.log((await payable()).invoice.status); // → success
// every invoice of the order, for a page of your shop or for support
const invoices = await merchant.invoices.ofOrder('1042');
console.log(invoices.map(({ status }) => status)); // → [ 'expired', 'success' ]
