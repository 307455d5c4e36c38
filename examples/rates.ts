// Market rates of USDT, for information. They do not say what can be charged:
// see what-can-be-charged.ts.
import { Decimal, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox();
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

// filtered by the client
const rates = await merchant.rates.list({ fiat: 'EUR', side: 'sell' });
for (const { platform, asset, price, fiat } of rates)
  console.log(`${platform}: 1 ${asset} = ${price.toFixed()} ${fiat}`);
// → binance: 1 USDT = 0.9187 EUR
// → bybit: 1 USDT = 0.918 EUR

// Each source has a row. A pair without a fresh price is left out, so the list
// may be empty.
const prices = rates.map(({ price }) => price);
if (prices.length > 0) {
  const usdt = new Decimal('25.00').dividedBy(Decimal.max(...prices));
  console.log(`25.00 EUR is about ${usdt.toFixed(2)} USDT`);
}
// → 25.00 EUR is about 27.21 USDT

console.log((await merchant.rates.list({ fiat: 'XXX' })).length); // → 0
