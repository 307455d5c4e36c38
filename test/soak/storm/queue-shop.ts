import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { MerchantClient } from '../../../src/index.ts';
import {
  createWebhookHandler,
  type InvoiceEvent,
  parseInvoiceEvent,
  postgresStore,
  redisStore,
  type WebhookContext,
  type WebhookHandler,
} from '../../../src/webhooks/index.ts';
import { book, type Sql } from './booking.ts';
import { serve } from './serve.ts';

// A shop over a queue engine as a process: ENGINE is pg-boss or bullmq, and ROLES has receive, work or both. The
// webhook writes a job, and a worker books it.

const QUEUE = 'storm-events';
/** A dead worker's job runs again after seconds, not after a minute. */
const SUPERVISED = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 };
const { PGHOST = '', REDIS = '', ENGINE = '', ROLES = '' } = process.env;
const pool = new Pool({ host: PGHOST, user: 'postgres', database: 'postgres', max: 8 });
pool.on('error', () => {}); // without a listener the loss of an idle connection ends us
const merchant = new MerchantClient({ timeout: 5_000, deadline: 12_000 });

/** Books a job in a transaction of its own. It may run again, and twice at once: the key of the payment makes it one. */
async function work(event: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await book(client, parseInvoiceEvent(JSON.parse(event)));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function overPgBoss(): Promise<WebhookHandler> {
  const boss = await new PgBoss({ host: PGHOST, user: 'postgres', database: 'postgres', ...SUPERVISED })
    .on('error', () => {})
    .start();
  await boss.createQueue(QUEUE, { retryLimit: 20, retryDelay: 1, heartbeatSeconds: 10 });
  const enqueue = async (event: InvoiceEvent, { tx }: WebhookContext & { readonly tx: Sql }): Promise<void> => {
    const db = { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) };
    await boss.send(QUEUE, { event: JSON.stringify(event) }, { db });
  };
  if (ROLES.includes('work'))
    await boss.work<{ event: string }>(QUEUE, { pollingIntervalSeconds: 0.5, localConcurrency: 4 }, async (jobs) => {
      for (const { data } of jobs) await work(data.event);
    });
  return createWebhookHandler({
    store: postgresStore(pool),
    onPaid: enqueue,
    onAdjusted: enqueue,
    onCanceled: enqueue,
    onReport() {},
  });
}

async function overBullMQ(): Promise<WebhookHandler> {
  const redis = new Redis(REDIS, { commandTimeout: 2_000 }).on('error', () => {});
  const queue = new Queue(QUEUE, { connection: redis });
  queue.on('error', () => {});
  const enqueue = async (event: InvoiceEvent, { dedupeKey }: WebhookContext): Promise<void> => {
    await queue.add(event.type, { event: JSON.stringify(event) }, { jobId: dedupeKey.replaceAll(':', '~') });
  };
  if (ROLES.includes('work')) {
    const connection = new Redis(REDIS, { maxRetriesPerRequest: null }).on('error', () => {});
    const leases = { lockDuration: 3_000, stalledInterval: 1_000, maxStalledCount: 20 };
    new Worker<{ event: string }>(QUEUE, ({ data }) => work(data.event), { connection, concurrency: 4, ...leases }).on(
      'error',
      () => {},
    );
  }
  return createWebhookHandler({
    store: redisStore(redis),
    onPaid: enqueue,
    onAdjusted: enqueue,
    onCanceled: enqueue,
    onReport() {},
  });
}

const handler = ENGINE === 'pg-boss' ? await overPgBoss() : await overBullMQ();
if (ROLES.includes('receive')) await serve(pool, merchant, handler);
else console.log('up');
