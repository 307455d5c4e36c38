import { MerchantClient } from 'merchant-invoicing';
import { db, handler } from './handler.ts';

// `invoices` is a table of your shop: a row for each invoice, made before the
// customer gets the link. Add to the commits of onPaid and onAdjusted:
//   UPDATE invoices SET state = 'paid' WHERE external_id = ?
//     AND state IN ('open', 'canceled', 'paid')
// and to that of onCanceled, where a late event turns no paid invoice back:
//   UPDATE invoices SET state = 'canceled', ended_at = CURRENT_TIMESTAMP
//     WHERE external_id = ? AND state = 'open'
// Throw in each of them where there is no row with this external_id.
db.exec(`CREATE TABLE IF NOT EXISTS invoices (external_id TEXT PRIMARY KEY,
  state TEXT NOT NULL DEFAULT 'open',
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended_at TEXT)`);
const waiting = db.prepare(`SELECT external_id FROM invoices
  WHERE state = 'open'
    OR (state = 'canceled' AND ended_at > datetime('now', '-3 days'))
  ORDER BY created_at`);

const result = await handler.catchUp(new MerchantClient(), {
  orders: waiting.all().map((row) => String(row['external_id'])),
});
console.log(result);
const { failed, unknown, busy } = result; // onReport has named each
// a cron job reports a code that is not 0
process.exitCode = failed + unknown + busy > 0 ? 1 : 0;
