import { createServer } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { InvoiceEvent, WebhookContext } from 'merchant-invoicing/webhooks';
import {
  createWebhookHandler,
  parseInvoiceEvent,
  redisStore,
  toNodeHandler,
} from 'merchant-invoicing/webhooks';
import { Pool } from 'pg';

const QUEUE = 'invoice-events';
const REDIS = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const log = ({ message }: { readonly message: string }) =>
  console.error(message);
// without a listener, a lost connection ends the process
const openPool = () => new Pool().on('error', log);
const attempts = {
  attempts: 12,
  backoff: { type: 'exponential', delay: 5_000 },
};
const openQueue = (connection: Redis) =>
  new Queue(QUEUE, {
    connection,
    defaultJobOptions: { ...attempts, removeOnComplete: { age: 30 * 86_400 } },
  });

/** Before each deployment. */
async function setUp(): Promise<void> {
  const pool = openPool();
  await pool.query(
    `CREATE TABLE IF NOT EXISTS credits (
      event_key text PRIMARY KEY, order_id text, usdt numeric)`,
  );
  await pool.end();
}

async function receive(): Promise<void> {
  // Commands fail while Redis is down. Otherwise they would wait, and no
  // delivery would get a response in time.
  const redis = new Redis(REDIS, {
    enableOfflineQueue: false,
    commandTimeout: 2_000,
  }).on('error', log);
  const queue = openQueue(redis);
  queue.on('error', log);
  const enqueue = async (
    event: InvoiceEvent,
    { dedupeKey }: WebhookContext,
  ) => {
    // BullMQ refuses colons. No key contains a tilde.
    const jobId = dedupeKey.replaceAll(':', '~');
    await queue.add(
      event.type,
      { key: dedupeKey, event: JSON.stringify(event) },
      { jobId },
    );
  };
  const handler = createWebhookHandler({
    secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
    store: redisStore(redis),
    onPaid: enqueue,
    onAdjusted: enqueue,
    onCanceled: enqueue,
  });
  createServer(toNodeHandler(handler)).listen(
    Number(process.env['PORT'] ?? 3000),
    () => console.log('up'),
  );
}

async function work(): Promise<void> {
  const pool = openPool();
  const connection = new Redis(REDIS, { maxRetriesPerRequest: null }).on(
    'error',
    log,
  ); // no commandTimeout here
  const worker = new Worker<{ key: string; event: string }>(
    QUEUE,
    ({ data }) =>
      fulfil(data.key, parseInvoiceEvent(JSON.parse(data.event)), pool),
    { connection, concurrency: 4, maxStalledCount: 10 },
  );
  worker.on('error', log).on('failed', (_job, error) => log(error));
  // lets the running jobs end
  process.once('SIGTERM', () => worker.close().then(() => process.exit()));
  console.log('up');
}

/**
 * Can run more than once for an event, and twice at the same time. The unique
 * key makes one credit of them.
 */
async function fulfil(
  key: string,
  event: InvoiceEvent,
  pool: Pool,
): Promise<void> {
  if (event.type !== 'invoice.paid') return;
  const insert = `INSERT INTO credits (event_key, order_id, usdt)
    VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  await pool.query(insert, [key, event.order, event.credited_usdt.toFixed()]);
}

/** After the cause is removed: the failed jobs return to the queue. */
async function redrive(): Promise<void> {
  const redis = new Redis(REDIS, { maxRetriesPerRequest: null });
  const failed = await openQueue(redis).getFailed();
  for (const job of failed)
    await job.retry('failed', { resetAttemptsMade: true });
  console.log(failed.length, 'returned');
  redis.disconnect();
}

const commands: Record<string, () => Promise<void>> = {
  'set-up': setUp,
  receive,
  work,
  redrive,
};
await commands[process.argv[2] ?? 'receive']?.();
