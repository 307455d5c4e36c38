import { createWebhookHandler, sqliteStore, type WebhookHandler } from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import type { Orders } from './orders.ts';

/** The receiver. The credit, the shipment and the mark "done" are one transaction. */
export async function openReceiver(
  db: Database,
  orders: Orders,
  secret: string,
  log: (line: string) => void,
): Promise<WebhookHandler> {
  const store = sqliteStore(db);
  await store.migrate();
  return createWebhookHandler({
    secret,
    store,
    // A paid invoice is not always paid in full: `amount` is what the customer paid, `credited_usdt` what the shop got.
    onPaid: ({ external_id, amount, credited_usdt }, { commit }) =>
      commit(() => {
        const paid = credited_usdt.isZero() ? '0' : amount.toFixed();
        orders.credit({ external_id, paid, credited_usdt: credited_usdt.toFixed() });
      }),
    onCanceled: ({ external_id }, { commit }) => commit(() => orders.end(external_id)),
    onReport: ({ reason, external_id, message, error }) =>
      log(`webhook: ${reason}: ${external_id ?? ''} ${message}${error instanceof Error ? `\n${error.stack}` : ''}`),
  });
}
