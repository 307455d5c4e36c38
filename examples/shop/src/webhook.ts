import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoicePaidEvent,
  sqliteStore,
  type WebhookHandler,
} from 'merchant-invoicing/webhooks';
import type { Database } from './database.ts';
import type { Orders } from './orders.ts';

/**
 * The receiver. The credit, the shipment and the mark "done" are one
 * transaction.
 */
export async function openReceiver(
  db: Database,
  orders: Orders,
  secret: string,
  log: (line: string) => void,
): Promise<WebhookHandler> {
  const store = sqliteStore(db);
  await store.migrate();
  // `amount` is what the customer paid, `credited_usdt` what the shop got.
  const credit = ({
    order,
    invoice_uuid,
    amount,
    credited_usdt,
  }: InvoicePaidEvent | InvoiceAdjustedEvent) =>
    orders.credit({
      order,
      invoice_uuid,
      paid: credited_usdt.isZero() ? '0' : amount.toFixed(),
      credited_usdt: credited_usdt.toFixed(),
    });
  return createWebhookHandler({
    secret,
    store,
    onPaid: (event, { commit }) => commit(() => credit(event)),
    // The same: the shop compares all payments of an order with its amount, and
    // ships when nothing is missing.
    onAdjusted: (event, { commit }) => commit(() => credit(event)),
    onCanceled: ({ order, renewal }, { commit }) =>
      commit(() => orders.cancel(order, renewal)),
    onReport: ({ reason, order, message, error }) =>
      log(
        `webhook: ${reason}: ${order ?? ''} ${message}` +
          (error instanceof Error ? `\n${error.stack}` : ''),
      ),
  });
}
