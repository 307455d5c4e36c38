const { strict: assert } = require('node:assert');
const { MerchantClient, isMerchantError } = require('merchant-invoicing');
const { createSandbox } = require('merchant-invoicing/sandbox');
const { signWebhook, verifyWebhook } = require('merchant-invoicing/webhooks');

(async () => {
  const sandbox = createSandbox();
  const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
  assert.equal((await merchant.rates.list({ fiat: 'EUR' })).length > 0, true);
  const refused = await merchant.invoices.get('no-such').result();
  assert.ok(!refused.ok && isMerchantError(refused.error));
  // Errors of the other format are recognised by their brand.
  const other = await import('merchant-invoicing');
  assert.ok(other.isMerchantError(refused.error) && !(refused.error instanceof other.MerchantError));

  const body = '{"invoice_uuid":"u-1","external_id":"o-1","status":"expired","amount":"25.00"}';
  const event = await verifyWebhook(body, await signWebhook(body, 'whsec_test'), 'whsec_test');
  assert.equal(event.type, 'invoice.canceled');
  console.log('ok');
})();
