// An invoice that ended stays ended: the order gets another one, with another
// external_id.
import { MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const ENDED_UNPAID = new Set<string>(['expired', 'canceled', 'fail']);
// a table with a unique key on external_id
const order = { id: '1042', price: '25.00', attempts: [] as string[] };

const sandbox = createSandbox({ quiet: true });
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

/** The last invoice of the order, or a new one if it has ended unpaid. */
async function payable() {
  for (let attempt = Math.max(order.attempts.length, 1); ; attempt += 1) {
    const external_id = attempt === 1 ? order.id : `${order.id}-${attempt}`;
    // saved before the invoice is created
    if (!order.attempts.includes(external_id)) order.attempts.push(external_id);
    const charge = {
      external_id,
      customer_id: 'customer-7',
      amount: order.price,
      currency: 'EUR',
    };
    const { invoice } = await merchant.invoices.createOrGet(charge);
    // pending, paid, or a status that this code does not know
    if (!ENDED_UNPAID.has(invoice.status)) return invoice;
  }
}

console.log((await payable()).external_id); // → 1042
await sandbox.advance('31m');
console.log((await payable()).external_id); // → 1042-2
console.log((await payable()).external_id); // → 1042-2
await sandbox.pay('1042-2');
console.log((await payable()).status); // → success
