import { type Decimal, hasCode, type Invoice, type ListCall, MerchantClient } from 'merchant-invoicing';
import { createSandbox } from 'merchant-invoicing/sandbox';
import { createWebhookHandler, memoryStore, toNodeHandler } from 'merchant-invoicing/webhooks';

const sandbox = createSandbox();
const merchant = new MerchantClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, fetch: sandbox.fetch });
const list: ListCall<Invoice> = merchant.invoices.list({ status: 'success' });
export const listener = toNodeHandler(
  createWebhookHandler({
    secret: sandbox.webhookSecret,
    store: memoryStore(),
    onPaid: (event) => {
      const credited: Decimal = event.credited_usdt;
      if (event.adjusted) event.original_amount?.toFixed(2);
      return credited;
    },
    onCanceled: () => {},
  }),
);
export async function run(): Promise<string | null> {
  try {
    for await (const invoice of list) invoice.amount.toFixed(2);
    return null;
  } catch (error) {
    return hasCode(error, 'INVOICE_ALREADY_EXISTS') ? error.existingStatus : null;
  }
}
// @ts-expect-error a mistyped parameter does not compile
void merchant.invoices.create({ external_id: 'o', customer_id: 'c', amount: '1.00', currency: 'EUR', callbackUrl: '' });
// @ts-expect-error an amount is never a number
void merchant.invoices.create({ external_id: 'o', customer_id: 'c', amount: 1, currency: 'EUR' });
