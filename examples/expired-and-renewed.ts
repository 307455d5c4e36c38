// An invoice expires. The order gets a new invoice with another external_id, because an invoice that ended stays ended.
import { type CreatedInvoice, type Invoice, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });

/** Keep `attempt` with your order. The number makes a repeated call find the same invoice. */
async function invoiceOf(order: { id: string; attempt: number }): Promise<Invoice | CreatedInvoice> {
  const { invoice } = await merchant.invoices.createOrGet({
    external_id: order.attempt === 1 ? order.id : `${order.id}.${order.attempt}`,
    customer_id: 'customer-7',
    amount: '25.00',
    currency: 'EUR',
  });
  return invoice;
}

const order = { id: 'order-1', attempt: 1 };
const first = await invoiceOf(order);
console.log(first.external_id, first.status); // → order-1 pending

await sandbox.advance('31m');
const found = await invoiceOf(order); // the customer comes back
console.log(found.external_id, found.status); // → order-1 expired

// Only the end of the last invoice allows a new one. Otherwise a customer could pay two.
if (['expired', 'fail', 'canceled'].includes(found.status)) order.attempt += 1;
const renewed = await invoiceOf(order);
console.log(renewed.external_id, renewed.status); // → order-1.2 pending

await sandbox.pay(renewed.external_id);
console.log((await invoiceOf(order)).status); // → success
