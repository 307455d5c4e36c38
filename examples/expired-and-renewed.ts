// An invoice that ended stays ended: the order gets another one, with another
// external_id.
import { MerchantClient, orderOf } from 'merchant-invoicing';
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
  // here: a row for this invoice, before the customer gets the link
  return found;
}

console.log((await payable()).external_id); // → 1042
await sandbox.advance('31m');
const { external_id, attempt } = await payable();
console.log(external_id, attempt); // → 1042-r2 2
console.log((await payable()).created); // → false
await sandbox.pay('1042-r2');
console.log((await payable()).invoice.status); // → success
// in each webhook function: the order of the event
console.log(orderOf('1042-r2').order); // → 1042
