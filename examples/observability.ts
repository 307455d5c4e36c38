// Counts calls, retries and failures with hooks, and writes failures to a log.
// No event has a key, a body or a header.
import { type Hooks, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const counts = new Map<string, number>();
const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const hooks: Hooks = {
  onRetry: ({ operation, code, attempt }) =>
    console.log('retry', operation, code, attempt),
  onEnd({ operation, ok, code, outcome, expected }) {
    count(`${operation} ${ok ? 'ok' : code}${expected ? ' expected' : ''}`);
    if (!ok && !expected)
      console.log(`${operation}: ${code}, outcome ${outcome}`);
  },
};

const sandbox = createSandbox();
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
  hooks,
  retry: { attempts: 2, baseDelay: 1 },
});

sandbox.faults.next('server_error');
await merchant.rates.list(); // → retry rates.list SERVICE_UNAVAILABLE 1
// a 404 is expected here, so nothing is printed
await merchant.invoices.get('no-such-order').result();
sandbox.faults.next('server_error', { times: 2 });
await merchant.invoices.list().result();
// → retry invoices.list SERVICE_UNAVAILABLE 1
// → invoices.list: SERVICE_UNAVAILABLE, outcome rejected
for (const [name, times] of counts) console.log(name, times);
// → rates.list ok 1
// → invoices.get NOT_FOUND expected 1
// → invoices.list SERVICE_UNAVAILABLE 1
