import { MerchantClient } from 'merchant-invoicing';
import { db, handler } from './handler.ts';

// `orders` is a table of your shop. Add to the commits of onPaid, onAdjusted:
//   UPDATE orders SET status = 'paid' WHERE external_id = ?
// and throw if it changed no row. Add to that of onCanceled, where a late event
// turns no paid order back:
//   UPDATE orders SET status = 'canceled', canceled_at = CURRENT_TIMESTAMP
//     WHERE external_id = ? AND status = 'pending'
db.exec(`CREATE TABLE IF NOT EXISTS orders (external_id TEXT PRIMARY KEY,
  status TEXT NOT NULL DEFAULT 'pending',
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, canceled_at TEXT)`);
const waiting = db.prepare(`SELECT external_id FROM orders
  WHERE status = 'pending'
    OR (status = 'canceled' AND canceled_at > datetime('now', '-3 days'))
  ORDER BY created_at`);

const result = await handler.catchUp(new MerchantClient(), {
  orders: waiting.all().map((row) => String(row['external_id'])),
});
console.log(result);
const { failed, unknown, busy } = result; // onReport has named each
// a cron job reports a code that is not 0
process.exitCode = failed + unknown + busy > 0 ? 1 : 0;
