// A creation whose response is lost: was the invoice created? Repeat with the
// same external_id, also after a restart.
import { isMerchantError, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
const options = {
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
};
const order = {
  external_id: 'order-1',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
};

// The client repeats a creation, and reads back the invoice that its lost
// attempt has created.
sandbox.faults.next('reset_after');
const { data, response } = await new MerchantClient(options).invoices
  .create(order)
  .withResponse();
console.log(data.status, response.attempts, response.recovered);
// → pending 3 true

// If every attempt fails, the error says that the outcome is unknown. Keep the
// order, and repeat it later.
const second = { ...order, external_id: 'order-2' };
sandbox.faults.next('reset_after', { times: 2 });
const impatient = new MerchantClient({
  ...options,
  retry: { attempts: 2, baseDelay: 1 },
});
const lost = await impatient.invoices.create(second).result();
if (!lost.ok && isMerchantError(lost.error))
  console.log(lost.error.code, lost.error.outcome); // → SDK_CONNECTION unknown

// perhaps in a new process
const settled = await new MerchantClient(options).invoices.createOrRenew(
  second,
);
console.log(settled.created, settled.invoice.status); // → false pending

const invoices = await new MerchantClient(options).invoices
  .list()
  .collect({ limit: 100 });
console.log(invoices.map(({ external_id }) => external_id).sort());
// → [ 'order-1', 'order-2' ]
