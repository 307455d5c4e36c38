import { DatabaseSync } from 'node:sqlite';
import { firstOrder, nightly, type ShopRow } from './job.ts';

const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db', {
  readOnly: true,
});
db.exec('PRAGMA busy_timeout = 5000');
const select =
  db.prepare(`SELECT id AS external_id, amount, currency, credited_usdt, status,
      created_at
  FROM orders WHERE created_at >= ?`);
await nightly(select.all(firstOrder.toISOString()) as unknown as ShopRow[]);
