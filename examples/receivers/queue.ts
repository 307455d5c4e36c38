import { DatabaseSync } from 'node:sqlite';
import { createWebhookHandler, type InvoiceEvent, parseInvoiceEvent, sqliteStore } from 'merchant-invoicing/webhooks';

const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db');
db.exec('CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, event TEXT NOT NULL)');
const store = sqliteStore(db);
await store.migrate();
const insertJob = (tx: DatabaseSync, event: InvoiceEvent) =>
  tx.prepare('INSERT INTO jobs (event) VALUES (?)').run(JSON.stringify(event));

export const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store,
  onPaid: (event, { commit }) => commit((tx) => insertJob(tx, event)),
  onAdjusted: (event, { commit }) => commit((tx) => insertJob(tx, event)),
  onCanceled: (event, { commit }) => commit((tx) => insertJob(tx, event)),
});

/** The worker. A crash before the DELETE repeats the work, so `fulfil` must be idempotent. */
export async function work(fulfil: (event: InvoiceEvent) => Promise<void>): Promise<void> {
  for (const { id, event } of db.prepare('SELECT id, event FROM jobs ORDER BY id').all()) {
    await fulfil(parseInvoiceEvent(JSON.parse(String(event))));
    db.prepare('DELETE FROM jobs WHERE id = ?').run(Number(id));
  }
}
