import { once } from 'node:events';
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { MerchantClient } from '../../../src/index.ts';
import {
  createWebhookHandler,
  type InvoiceAdjustedEvent,
  type InvoicePaidEvent,
  type PostgresTx,
  postgresStore,
  toNodeHandler,
} from '../../../src/webhooks/index.ts';

// A shop over PostgreSQL as a process: POST /checkout is its pay button, POST /webhook its receiver, POST /catch-up its job.

const { PGHOST = '', PORT = '0' } = process.env;
const pool = new Pool({ host: PGHOST, user: 'postgres', database: 'postgres', max: 8 });
pool.on('error', () => {}); // without a listener the loss of an idle connection ends us
const merchant = new MerchantClient({ timeout: 5_000, deadline: 12_000 });
const store = postgresStore(pool);

type Tx = PostgresTx<Pool>;
const book = async (tx: Tx, event: InvoicePaidEvent | InvoiceAdjustedEvent, state: 'paid' | 'fulfilled') => {
  const { order: id, credited_usdt } = event;
  const update = 'UPDATE orders SET state = $1, credited = $2 WHERE id = $3';
  const { rowCount } = await tx.query(update, [state, credited_usdt.toFixed(), id]);
  if (rowCount !== 1) throw new Error(`no order ${id}`);
  if (state === 'fulfilled') await tx.query('INSERT INTO fulfilments (order_id) VALUES ($1)', [id]);
};

const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store,
  onPaid: (event, { tx }) => book(tx, event, 'fulfilled'),
  onAdjusted: (event, { tx }) => book(tx, event, event.amount.gte(event.original_amount ?? 0) ? 'fulfilled' : 'paid'),
  onCanceled: async ({ order, renewal }, { tx }) => {
    await tx.query(
      `UPDATE orders SET renewal = $2, state = 'canceled' WHERE id = $1 AND renewal <= $2 AND state = 'open'`,
      [order, renewal],
    );
  },
  onReport() {},
});
const webhook = toNodeHandler(handler);

async function checkout(order: { id: string; customer_id: string; amount: string; currency: string }, origin: string) {
  const { id, amount, currency, customer_id } = order;
  const insert = 'INSERT INTO orders (id, amount, currency) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
  await pool.query(insert, [id, amount, currency]);
  const urls = { callback_url: `${origin}/webhook`, success_url: `${origin}/thanks` };
  const params = { external_id: id, customer_id, amount, currency, ...urls };
  const { invoice, renewal } = await merchant.invoices.createOrRenew(params);
  if (invoice.status !== 'pending') return `${origin}/thanks`;
  const { rowCount } = await pool.query(
    `UPDATE orders SET renewal = greatest(renewal, $2), state = 'open'
     WHERE id = $1 AND (state = 'open' OR state = 'canceled' AND renewal < $2)`,
    [id, renewal],
  );
  return rowCount === 1 ? invoice.payment_url : `${origin}/thanks`; // an order that is over is not charged again
}

const server = createServer(async (request, response) => {
  if (request.url === '/webhook') return webhook(request, response);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === '/checkout') {
      response.end(await checkout(JSON.parse(String(Buffer.concat(chunks))), `http://${request.headers.host}`));
    } else if (request.url === '/catch-up') {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM orders WHERE state IN ('open', 'canceled')`);
      response.end(JSON.stringify(await handler.catchUp(merchant, { orders: rows.map(({ id }) => id) })));
    } else response.end();
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
console.log('up');
