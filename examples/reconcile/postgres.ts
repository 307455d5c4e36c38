import { Pool } from 'pg';
import { firstOrder, nightly, type ShopRow } from './job.ts';

const pool = new Pool();
const SELECT = `SELECT id AS external_id, amount, currency, status,
    created_at, changed_at, (SELECT sum(credited_usdt) FROM payments
      WHERE order_id = orders.id) AS credited_usdt
  FROM orders WHERE status <> 'new' AND created_at >= $1`;
const { rows } = await pool.query<ShopRow>(SELECT, [firstOrder]);
await pool.end();
await nightly(rows);
