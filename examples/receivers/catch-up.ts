import { MerchantClient } from 'merchant-invoicing';
import { db, handler } from './handler.ts';

// The table of your shop. Each UPDATE of an order also sets changed_at.
db.exec(`CREATE TABLE IF NOT EXISTS orders (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL,
  amount TEXT NOT NULL, currency TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'new',
  renewal INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  changed_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)`);
const OPEN = `SELECT id FROM orders WHERE status = 'pending'`;
// one of these may have been paid late, or for a second time
const NIGHTLY = `${OPEN} OR changed_at > datetime('now', '-3 days')
  AND (status = 'canceled' OR renewal > 0)`;
const isNightly = process.argv.includes('--nightly');
const waiting = db.prepare(isNightly ? NIGHTLY : OPEN);

const result = await handler.catchUp(new MerchantClient(), {
  orders: waiting.all().map((row) => String(row['id'])),
});
console.log(result);
const { failed, unknown, busy } = result; // onReport has named each
// a cron job reports a code that is not 0
process.exitCode = failed + unknown + busy > 0 ? 1 : 0;
