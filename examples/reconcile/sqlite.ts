import { DatabaseSync } from 'node:sqlite';
import { nightly, type ShopRow, since, toOrder } from './job.ts';

const db = new DatabaseSync(process.env['SHOP_DB'] ?? 'shop.db', { readOnly: true });
const SELECT = 'SELECT id, amount, currency, credited_usdt, status FROM orders';
const ofPeriod = db.prepare(`${SELECT} WHERE created_at >= ?`);
const byId = db.prepare(`${SELECT} WHERE id IN (SELECT value FROM json_each(?))`);

function* orders() {
  for (const row of ofPeriod.iterate(since.toISOString())) yield toOrder(row as unknown as ShopRow);
}

await nightly({
  orders: orders(),
  lookup: (ids) => byId.all(JSON.stringify(ids)).map((row) => toOrder(row as unknown as ShopRow)),
});
db.close();
