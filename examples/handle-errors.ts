// Reacts to each kind of failure. Every failure is a MerchantError with kind,
// code and outcome.
import {
  hasCode,
  hasKind,
  isMerchantError,
  MerchantClient,
} from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});
const order = {
  external_id: 'order-1',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
};

async function charge(params: typeof order): Promise<string> {
  try {
    return (await merchant.invoices.create(params, { retry: false })).status;
  } catch (error) {
    if (hasCode(error, 'INVOICE_ALREADY_EXISTS'))
      return `exists, and is ${error.existingStatus}`;
    if (hasKind(error, 'validation')) {
      const fields = Object.keys(error.fields);
      return `correct ${fields} (found by the ${error.origin})`;
    }
    if (hasKind(error, 'rate_limit'))
      return `try again in ${error.retryAfter} ms`;
    if (hasKind(error, 'authentication'))
      return `check the key: ${error.status}`;
    if (!isMerchantError(error)) throw error;
    if (error.outcome === 'unknown')
      return `${error.code}: repeat with the same external_id`;
    return `${error.code}: nothing happened`;
  }
}

console.log(await charge(order)); // → pending
console.log(await charge(order)); // → exists, and is pending
console.log(await charge({ ...order, amount: '0' }));
// → correct amount (found by the client)
console.log(
  await charge({ ...order, external_id: 'order-2', currency: 'XXX' }),
); // → correct currency (found by the service)
sandbox.faults.next('reset_after');
console.log(await charge({ ...order, external_id: 'order-3' }));
// → SDK_CONNECTION: repeat with the same external_id

// never rejects
const result = await merchant.invoices.get('no-such-order').result();
if (!result.ok) console.log(result.error.kind, result.error.outcome);
// → not_found rejected

// The last one here, because a rate limit counts for all calls of a client.
sandbox.faults.next({ type: 'rate_limit', retryAfter: 30 });
console.log(await charge({ ...order, external_id: 'order-4' }));
// → try again in 30000 ms
