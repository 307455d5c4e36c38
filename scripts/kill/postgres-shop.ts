import { Pool, type PoolClient } from 'pg';
import { type InvoicePaidEvent, postgresStore } from '../../src/webhooks/index.ts';
import type { Credit, Shop } from './shop.ts';

export function postgresShop(folder: string): Shop<{ readonly tx: PoolClient }> {
  const pool = new Pool({ host: folder, user: 'postgres', database: 'postgres', max: 8 });
  pool.on('error', (error) => console.error(error.message)); // without a listener the loss of an idle connection ends us
  const store = postgresStore(pool);
  const write = async (to: Pool | PoolClient, { invoice_uuid, credited_usdt }: InvoicePaidEvent) => {
    await to.query('INSERT INTO credits (invoice, usdt) VALUES ($1, $2)', [invoice_uuid, credited_usdt.toFixed()]);
  };
  return {
    store,
    async setUp() {
      await pool.query('DROP TABLE IF EXISTS credits, merchant_webhook_events');
      await pool.query('CREATE TABLE credits (invoice text, usdt text)');
      await store.migrate();
    },
    async credit(event, context, written) {
      await write(context.tx, event);
      written();
    },
    creditAlone: (event) => write(pool, event),
    credits: async () => (await pool.query<Credit>('SELECT invoice, usdt FROM credits')).rows,
    close: () => pool.end(),
  };
}
