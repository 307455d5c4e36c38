import { Pool } from 'pg';
import { firstOrder, nightly, type ShopRow } from './job.ts';

const pool = new Pool();
const SELECT = `SELECT id AS external_id, amount, currency, credited_usdt,
    status, created_at
  FROM orders WHERE created_at >= $1`;
const { rows } = await pool.query<ShopRow>(SELECT, [firstOrder]);
await pool.end();
await nightly(rows);
