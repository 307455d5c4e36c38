import { Pool } from 'pg';
import { createWebhookHandler, postgresStore, toFetchHandler } from '../../../../src/webhooks/index.ts';

const pool = new Pool();
pool.on('error', (error) => console.error(error.message)); // an idle connection was lost: pg ends the process otherwise
const store = postgresStore(pool);
await store.migrate();

const handler = createWebhookHandler({
  secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
  store,
  onPaid: async (event, { tx }) => {
    const insert = 'INSERT INTO credits (order_id, usdt) VALUES ($1, $2)';
    await tx.query(insert, [event.external_id, event.credited_usdt.toFixed()]);
  },
  onCanceled: () => {},
});
export const POST = toFetchHandler(handler);
