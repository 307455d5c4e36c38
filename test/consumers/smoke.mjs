import { strict as assert } from 'node:assert';
import { Decimal, isMerchantError, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { isMerchantError as isAlsoMerchantError, signWebhook, verifyWebhook } from 'merchant-invoicing/webhooks';

const sandbox = createSandbox();
const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
const invoice = await merchant.invoices.create({
  external_id: 'o-1',
  customer_id: 'c',
  amount: '25.00',
  currency: 'EUR',
});
assert.equal(invoice.status, 'pending');
assert.ok(invoice.amount.eq(new Decimal('25')));
const refused = await merchant.invoices.get('no-such').result();
assert.ok(!refused.ok && isMerchantError(refused.error) && isAlsoMerchantError(refused.error));

const body =
  '{"invoice_uuid":"u-1","external_id":"o-1","status":"success","amount":"25.00","credited_usdt":"26.5","adjusted":false}';
const event = await verifyWebhook(body, await signWebhook(body, 'whsec_test'), 'whsec_test');
assert.equal(event.type, 'invoice.paid');
console.log('ok');
