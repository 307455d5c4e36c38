import { once } from 'node:events';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type InvoicePaidEvent, redisStore } from '../../../src/webhooks/index.ts';
import type { Credit, Shop, ShopAddress } from '../shop.ts';
import { type JobData, paidEventOf } from './queue.ts';

const QUEUE = 'invoice-events';
const LOCK = 500;

/** The pattern of docs/queues.md: enqueued at least once, credited once by a unique key in PostgreSQL. */
export async function bullmqShop({ at, database = '' }: ShopAddress): Promise<Shop> {
  const redis = new Redis(at, { enableOfflineQueue: false, commandTimeout: 2_000 }).on('error', print);
  await once(redis, 'ready');
  const queue = new Queue<JobData>(QUEUE, {
    connection: redis,
    defaultJobOptions: { attempts: 50, removeOnComplete: { age: 86_400 } },
  });
  queue.on('error', print);
  const pool = new Pool({ host: database, user: 'postgres', database: 'postgres', max: 8 }).on('error', print);
  const add = async (event: InvoicePaidEvent, jobId?: string): Promise<void> => {
    await queue.add(event.type, { event: JSON.stringify(event) }, jobId === undefined ? {} : { jobId });
  };
  const insert = async (text: string, { invoice_uuid, credited_usdt }: InvoicePaidEvent): Promise<void> => {
    await pool.query(text, [invoice_uuid, credited_usdt.toFixed()]);
  };
  return {
    store: redisStore(redis),
    async setUp() {
      await redis.flushdb();
      await pool.query('DROP TABLE IF EXISTS credits, more_credits');
      await pool.query('CREATE TABLE credits (invoice text PRIMARY KEY, usdt text)');
      await pool.query('CREATE TABLE more_credits (invoice text, usdt text)');
    },
    async credit(event, { dedupeKey }, written) {
      await add(event, dedupeKey.replaceAll(':', '~'));
      written();
    },
    creditAlone: (event) => add(event),
    credits: async () => (await pool.query<Credit>('SELECT * FROM credits UNION ALL SELECT * FROM more_credits')).rows,
    async close() {
      await queue.close();
      redis.disconnect();
      await pool.end();
    },
    queue: {
      lock: LOCK,
      async work(each) {
        const worker = new Worker<JobData>(
          QUEUE,
          async ({ data, attemptsStarted }) => {
            const event = paidEventOf(data);
            await each({
              event,
              attempt: attemptsStarted,
              credit: () => insert('INSERT INTO credits VALUES ($1, $2) ON CONFLICT DO NOTHING', event),
              creditAlone: () => insert('INSERT INTO more_credits VALUES ($1, $2)', event),
            });
          },
          {
            connection: new Redis(at, { maxRetriesPerRequest: null }).on('error', print),
            concurrency: 4,
            lockDuration: LOCK,
            stalledInterval: LOCK,
            maxStalledCount: 50,
          },
        );
        worker.on('error', () => {}); // a lock lost by a blocked process, many times in each run
        await worker.waitUntilReady();
      },
      async jobs() {
        const { completed: _completed, failed = 0, ...rest } = await queue.getJobCounts();
        return { left: Object.values(rest).reduce((sum, count) => sum + count, 0), dead: failed };
      },
    },
  };
}

/** Without a listener an error ends the process. */
function print(error: Error): void {
  console.error(error.message);
}
