import type { MerchantClient } from '../../../src/index.ts';
import type { InvoiceEvent } from '../../../src/webhooks/index.ts';

// The tables and the statements of the shops over PostgreSQL.

/** A query, in a transaction or not. */
export interface Sql {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[]; readonly rowCount: number | null }>;
}

export const SCHEMA = `DROP TABLE IF EXISTS orders, payments, fulfilments, merchant_webhook_events;
CREATE TABLE orders (id text PRIMARY KEY, amount text, currency text, state text DEFAULT 'open',
  renewal integer NOT NULL DEFAULT 0);
CREATE TABLE payments (uuid text PRIMARY KEY, order_id text, usdt numeric);
CREATE TABLE fulfilments (order_id text, kind text);`;

/** What the storm compares. */
export const ORDERS = `SELECT id AS external_id, amount, currency, state,
  (SELECT sum(usdt)::text FROM payments WHERE order_id = id) AS credited_usdt FROM orders`;

/** Books an event once, whatever calls it again. Await it in one transaction. */
export async function book(tx: Sql, event: InvoiceEvent): Promise<void> {
  const { order: id, renewal } = event;
  if (event.type === 'invoice.canceled') {
    const end = `UPDATE orders SET renewal = $2, state = 'canceled' WHERE id = $1 AND renewal <= $2 AND state = 'open'`;
    await tx.query(end, [id, renewal]);
  }
  if (event.type !== 'invoice.paid') return;
  const { rows } = await tx.query('SELECT state FROM orders WHERE id = $1 FOR UPDATE', [id]);
  if (rows[0] === undefined) throw new Error(`no order ${id}`);
  const insert = 'INSERT INTO payments VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
  const { rowCount } = await tx.query(insert, [event.invoice_uuid, id, event.credited_usdt.toFixed()]);
  if (rowCount === 0) return;
  const isFirst = rows[0]['state'] !== 'fulfilled';
  const isWhole = !event.adjusted || event.amount.gte(event.original_amount ?? 0);
  const give = async (kind: 'goods' | 'review'): Promise<unknown> =>
    await tx.query('INSERT INTO fulfilments VALUES ($1, $2)', [id, kind]);
  if (isFirst) await tx.query('UPDATE orders SET state = $2 WHERE id = $1', [id, isWhole ? 'fulfilled' : 'paid']);
  if (isFirst && isWhole) await give('goods');
  if (!isFirst || event.adjusted) await give('review'); // a person decides about the rest of the money
}

/** The pay button: the link, or a page of the shop where nothing is to pay. */
export async function checkout(
  db: Sql,
  merchant: MerchantClient,
  order: { readonly id: string; readonly customer_id: string; readonly amount: string; readonly currency: string },
  origin: string,
): Promise<string> {
  const { id, amount, currency, customer_id } = order;
  const insert = 'INSERT INTO orders (id, amount, currency) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
  await db.query(insert, [id, amount, currency]);
  const urls = { callback_url: `${origin}/webhook`, success_url: `${origin}/thanks` };
  const params = { external_id: id, customer_id, amount, currency, ...urls };
  const { invoice, renewal } = await merchant.invoices.createOrRenew(params);
  if (invoice.status !== 'pending') return `${origin}/thanks`;
  const { rowCount } = await db.query(
    `UPDATE orders SET renewal = greatest(renewal, $2), state = 'open'
     WHERE id = $1 AND (state = 'open' OR state = 'canceled' AND renewal < $2)`,
    [id, renewal],
  );
  return rowCount === 1 ? invoice.payment_url : `${origin}/thanks`; // an order that is over is not charged again
}

/** The orders that the job asks for. */
export async function waiting(db: Sql): Promise<string[]> {
  const { rows } = await db.query(`SELECT id FROM orders WHERE state IN ('open', 'canceled') OR renewal > 0`);
  return rows.map(({ id }) => String(id));
}
