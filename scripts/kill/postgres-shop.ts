import { Pool, type PoolClient } from 'pg';
import { type InvoicePaidEvent, postgresStore } from '../../src/webhooks/index.ts';
import type { Credit, Shop } from './shop.ts';

/** The database of a shop, without the way in which it credits. */
export function postgresBooks(folder: string) {
  const pool = new Pool({ host: folder, user: 'postgres', database: 'postgres', max: 8 });
  pool.on('error', (error) => console.error(error.message)); // without a listener the loss of an idle connection ends us
  const store = postgresStore(pool);
  const write = async (to: Writer, { invoice_uuid, credited_usdt }: InvoicePaidEvent): Promise<void> => {
    await to.query('INSERT INTO credits (invoice, usdt) VALUES ($1, $2)', [invoice_uuid, credited_usdt.toFixed()]);
  };
  return {
    pool,
    store,
    write,
    async setUp() {
      await pool.query('DROP TABLE IF EXISTS credits, merchant_webhook_events');
      await pool.query('CREATE TABLE credits (invoice text, usdt text)');
      await store.migrate();
    },
    creditAlone: (event: InvoicePaidEvent) => write(pool, event),
    credits: async () => (await pool.query<Credit>('SELECT invoice, usdt FROM credits')).rows,
    close: () => pool.end(),
  };
}

interface Writer {
  query(text: string, values: unknown[]): Promise<unknown>;
}

export function postgresShop(folder: string): Shop<{ readonly tx: PoolClient }> {
  const books = postgresBooks(folder);
  return {
    ...books,
    async credit(event, { tx }, written) {
      await books.write(tx, event);
      written();
    },
  };
}
