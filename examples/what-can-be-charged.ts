// Which currencies and amounts can be charged, and what the customer pays.
import { Decimal, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

for (const {
  name,
  currency,
  min_amount,
  max_amount,
} of await merchant.paymentMethods.list()) {
  if (currency.code !== 'EUR') continue; // the list has all currencies
  const range = `${min_amount.toFixed(2)} to ${max_amount.toFixed(2)}`;
  console.log(`${name}: ${range} ${currency.code}`);
}
// → Card: 5.00 to 2000.00 EUR
// → Bank transfer: 10.00 to 10000.00 EUR
// → Wallet: 50.00 to 5000.00 EUR

const amount = new Decimal('25.00');
for (const method of await merchant.paymentMethods.forCharge({
  currency: 'EUR',
  amount,
})) {
  // an estimate: the invoice has the exact sum
  const fee = amount.times(method.client_commission_percent).dividedBy(100);
  console.log(`${method.name}: about ${amount.plus(fee).toFixed(2)} EUR`);
}
// → Card: about 25.50 EUR
// → Bank transfer: about 25.00 EUR

const tooSmall = await merchant.paymentMethods.forCharge({
  currency: 'EUR',
  amount: '0.01',
});
console.log(tooSmall.length); // → 0
