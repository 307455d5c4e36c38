import { DatabaseSync } from 'node:sqlite';
import { createWebhookHandler, sqliteStore } from 'merchant-invoicing/webhooks';

export const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db');
// WAL and a busy timeout: the job of `catchUp` is another process.
db.exec(
  `PRAGMA journal_mode = WAL;
   PRAGMA busy_timeout = 5000;
   CREATE TABLE IF NOT EXISTS credits (
     order_id TEXT NOT NULL, usdt TEXT NOT NULL)`,
);
const CREDIT = 'INSERT INTO credits VALUES (?, ?)';
const store = sqliteStore(db);
await store.migrate();

export const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store,
  onPaid: async ({ external_id, credited_usdt }, { commit }) => {
    await commit((tx) =>
      tx.prepare(CREDIT).run(external_id, credited_usdt.toFixed()),
    );
    console.log(external_id, credited_usdt.toFixed(2), 'exact');
  },
  // Another amount was paid. This shop credits what it got.
  onAdjusted: async ({ external_id, credited_usdt }, { commit }) => {
    await commit((tx) =>
      tx.prepare(CREDIT).run(external_id, credited_usdt.toFixed()),
    );
    console.log(external_id, credited_usdt.toFixed(2), 'adjusted');
  },
  onCanceled: ({ external_id, status }) => console.log(external_id, status),
  onReport: ({ reason, external_id, message, error }) =>
    console.log(`[${reason}]`, external_id, message, error ?? ''),
});
