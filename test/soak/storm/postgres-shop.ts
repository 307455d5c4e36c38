import { Pool } from 'pg';
import { MerchantClient } from '../../../src/index.ts';
import { createWebhookHandler, postgresStore } from '../../../src/webhooks/index.ts';
import { book } from './booking.ts';
import { serve } from './serve.ts';

// A shop over PostgreSQL as a process: the webhook writes in the transaction of the store.

const { PGHOST = '' } = process.env;
const pool = new Pool({ host: PGHOST, user: 'postgres', database: 'postgres', max: 8 });
pool.on('error', () => {}); // without a listener the loss of an idle connection ends us
const merchant = new MerchantClient({ timeout: 5_000, deadline: 12_000 });

const handler = createWebhookHandler({
  store: postgresStore(pool),
  onPaid: (event, { tx }) => book(tx, event),
  onAdjusted: (event, { tx }) => book(tx, event),
  onCanceled: (event, { tx }) => book(tx, event),
  onReport() {},
});
await serve(pool, merchant, handler);
