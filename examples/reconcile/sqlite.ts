import { DatabaseSync } from 'node:sqlite';
import { Decimal } from 'merchant-invoicing';
import { firstOrder, nightly, type ShopRow } from './job.ts';

const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db', {
  readOnly: true,
});
db.exec('PRAGMA busy_timeout = 5000');
const select = db.prepare(`SELECT id AS external_id, amount, currency, status,
    created_at, changed_at
  FROM orders WHERE status <> 'new' AND created_at >= datetime(?)`);
const credits = db.prepare(
  'SELECT credited_usdt FROM payments WHERE order_id = ?',
);
/** What was booked of an order: SQLite would add texts as binary numbers. */
function creditOf(order: string): Decimal | null {
  const all = credits.all(order).map((row) => String(row['credited_usdt']));
  return all.length === 0 ? null : Decimal.sum(...all);
}

// the members are those of the statement
const rows = select.all(firstOrder.toISOString()) as unknown as ShopRow[];
await nightly(
  rows.map((row) => ({ ...row, credited_usdt: creditOf(row.external_id) })),
);
