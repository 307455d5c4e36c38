import { DatabaseSync } from 'node:sqlite';
import { createWebhookHandler, sqliteStore } from 'merchant-invoicing/webhooks';

export const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db');
// WAL and a busy timeout: the job of `catchUp` is another process.
db.exec(
  `PRAGMA journal_mode = WAL;
   PRAGMA busy_timeout = 5000;
   CREATE TABLE IF NOT EXISTS credits (
     invoice_uuid TEXT PRIMARY KEY, order_id TEXT NOT NULL,
     usdt TEXT NOT NULL)`,
);
const CREDIT = 'INSERT INTO credits VALUES (?, ?, ?)';
const store = sqliteStore(db);
await store.migrate(); // creates the table of the store

export const handler = createWebhookHandler({
  // no `secret`: the handler reads MERCHANT_WEBHOOK_SECRET
  store,
  onPaid: async ({ order, invoice_uuid, credited_usdt }, { commit }) => {
    await commit((tx) =>
      tx.prepare(CREDIT).run(invoice_uuid, order, credited_usdt.toFixed()),
    );
    console.log(order, credited_usdt.toFixed(2), 'exact');
  },
  // Another amount was paid. This shop sells credit, and credits what it got.
  onAdjusted: async ({ order, invoice_uuid, credited_usdt }, { commit }) => {
    await commit((tx) =>
      tx.prepare(CREDIT).run(invoice_uuid, order, credited_usdt.toFixed()),
    );
    console.log(order, credited_usdt.toFixed(2), 'adjusted');
  },
  onCanceled: ({ order, status }) => console.log(order, status),
  onReport: ({ reason, order, message, error }) =>
    console.log(`[${reason}]`, order, message, error ?? ''),
});
