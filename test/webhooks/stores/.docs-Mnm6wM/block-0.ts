import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { createWebhookHandler, sqliteStore, toNodeHandler } from '../../../../src/webhooks/index.ts';

const db = new DatabaseSync('shop.db');
db.exec('PRAGMA journal_mode = WAL');
db.exec('CREATE TABLE IF NOT EXISTS credits (order_id TEXT, usdt TEXT)');
const store = sqliteStore(db);
await store.migrate();

const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store,
  onPaid: (event, { commit }) =>
    commit((db) => {
      const insert = db.prepare('INSERT INTO credits (order_id, usdt) VALUES (?, ?)');
      insert.run(event.external_id, event.credited_usdt.toFixed());
    }),
  onCanceled: () => {},
});
createServer(toNodeHandler(handler)).listen(3000);
