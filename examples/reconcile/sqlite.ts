import { DatabaseSync } from 'node:sqlite';
import { firstOrder, nightly, type ShopRow, toOrder } from './job.ts';

const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db', { readOnly: true });
const select = db.prepare(
  'SELECT id, amount, currency, credited_usdt, status, created_at FROM orders WHERE created_at >= ?',
);

function* orders() {
  for (const row of select.iterate(firstOrder.toISOString())) yield toOrder(row as unknown as ShopRow);
}

await nightly(orders());
db.close();
