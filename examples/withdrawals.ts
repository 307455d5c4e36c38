// Reads withdrawals. Every member but uuid and status may be null.
import { Decimal, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';

const sandbox = createSandbox({ seed: 7 });
const merchant = new MerchantClient({
  baseUrl: sandbox.url,
  apiKey: sandbox.apiKey,
  fetch: sandbox.fetch,
});

const sums = new Map<string, Decimal>();
for await (const { token, amount } of merchant.withdrawals.list({
  status: 'approved',
})) {
  if (token !== null && amount !== null)
    sums.set(token, (sums.get(token) ?? new Decimal(0)).plus(amount));
}
for (const [token, sum] of sums) console.log(`${sum.toFixed()} ${token}`);
// → 1450.5 USDT

const [rejected] = await merchant.withdrawals
  .list({ status: 'rejected' })
  .collect({ limit: 1 });
if (rejected !== undefined) {
  const { status, reject_reason, tx_hash } = await merchant.withdrawals.get(
    rejected.uuid,
  );
  console.log(status, reject_reason, tx_hash);
  // → rejected Address is not on the allow list null
}
