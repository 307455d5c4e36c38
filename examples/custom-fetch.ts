// Another fetch, for a proxy, a private certificate authority, another HTTP
// client or a recording.
import { type FetchLike, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
// live: the fetch of undici with `dispatcher: new
// ProxyAgent('http://proxy:3128')`
const transport = sandbox.fetch;

const recorded: FetchLike = async (url, init) => {
  // pass init on as it is: it has the key, the signal and redirect: 'manual'
  const response = await transport(url, init);
  const { pathname } = new URL(String(url));
  console.log(init?.method, pathname, response.status);
  return response; // unchanged: the client reads the body
};

const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: recorded,
});
await merchant.paymentMethods.list();
// → GET /api/v1/external/payment-methods 200
await merchant.invoices.get('no-such-order').result();
// → GET /api/v1/external/invoices/no-such-order 404

// An error that this fetch throws becomes a typed error. Its outcome is unknown
// where the request may have been sent.
const offline: FetchLike = () => Promise.reject(new TypeError('fetch failed'));
const lost = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: offline,
  retry: false,
});
const order = {
  external_id: 'order-1',
  customer_id: 'customer-7',
  amount: '25.00',
  currency: 'EUR',
};
const result = await lost.invoices.create(order).result();
if (!result.ok) console.log(result.error.code, result.error.outcome);
// → SDK_CONNECTION unknown
