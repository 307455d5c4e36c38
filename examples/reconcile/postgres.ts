import { Pool } from 'pg';
import { firstOrder, nightly, type ShopRow, toOrder } from './job.ts';

const pool = new Pool();
const SELECT = 'SELECT id, amount, currency, credited_usdt, status, created_at FROM orders';

/** Reads through a cursor: one snapshot of the table, a thousand rows at a time. */
async function* orders() {
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN READ ONLY');
    const period = `created_at >= '${firstOrder.toISOString()}'`;
    await connection.query(`DECLARE shop_orders NO SCROLL CURSOR FOR ${SELECT} WHERE ${period}`);
    for (let size = 1; size > 0; ) {
      const { rows } = await connection.query<ShopRow>('FETCH 1000 FROM shop_orders');
      yield* rows.map(toOrder);
      size = rows.length;
    }
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
}

try {
  await nightly(orders());
} finally {
  await pool.end();
}
