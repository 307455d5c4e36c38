import type { Pool, PoolClient } from 'pg';
import { type Job, PgBoss } from 'pg-boss';
import { postgresBooks } from '../postgres-shop.ts';
import type { Shop } from '../shop.ts';
import { type JobData, paidEventOf } from './queue.ts';

const QUEUE = 'invoice-events';
const DEAD = 'invoice-events-dead';
const EXPIRE_SECONDS = 1;

/** The pattern of docs/queues.md: enqueued with context.tx, credited in the transaction of the completion. */
export function pgBossShop(folder: string): Shop<{ readonly tx: PoolClient }> {
  const books = postgresBooks(folder);
  const open = (options: object) =>
    new PgBoss({ host: folder, user: 'postgres', database: 'postgres', ...options })
      .on('error', (error) => console.error(error.message)) // without a listener an error ends the process
      .start();
  let sender: Promise<PgBoss> | undefined;
  const enqueue = async (event: object, client: Pool | PoolClient): Promise<void> => {
    sender ??= open({ max: 1, supervise: false, schedule: false, migrate: false });
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
    await (await sender).send(QUEUE, { event: JSON.stringify(event) }, { db });
  };
  return {
    ...books,
    async setUp() {
      await books.setUp();
      const boss = await open({ supervise: false, schedule: false });
      await boss.createQueue(DEAD);
      await boss.createQueue(QUEUE, { deadLetter: DEAD, retryLimit: 50, expireInSeconds: EXPIRE_SECONDS });
      await boss.stop();
    },
    async credit(event, { tx }, written) {
      await enqueue(event, tx);
      written();
    },
    creditAlone: (event) => enqueue(event, books.pool),
    queue: {
      lock: EXPIRE_SECONDS * 1000,
      async work(each) {
        const boss = await open({ max: 8, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, migrate: false });
        const options = { transactional: true, localConcurrency: 4, pollingIntervalSeconds: 0.5 } as const;
        await boss.work(QUEUE, options, async (jobs: Job<JobData>[], tx) => {
          for (const { data, retryCount } of jobs) {
            const event = paidEventOf(data);
            const query = (text: string, values: unknown[]) => tx.executeSql(text, values);
            await each({
              event,
              attempt: retryCount + 1,
              credit: () => books.write({ query }, event),
              creditAlone: () => books.creditAlone(event),
            });
          }
        });
      },
      async jobs() {
        const { rows } = await books.pool.query<{ left: string; dead: string }>(
          `SELECT count(*) FILTER (WHERE name = $1 AND state < 'completed') AS left,
            count(*) FILTER (WHERE name = $2) AS dead FROM pgboss.job`,
          [QUEUE, DEAD],
        );
        return { left: Number(rows[0]?.left), dead: Number(rows[0]?.dead) };
      },
    },
  };
}
