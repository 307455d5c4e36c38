import { createServer } from 'node:http';
import type { InvoiceEvent, WebhookContext } from 'merchant-invoicing/webhooks';
import {
  createWebhookHandler,
  parseInvoiceEvent,
  postgresStore,
  toNodeHandler,
} from 'merchant-invoicing/webhooks';
import { Pool, type PoolClient } from 'pg';
import { type Db, type Job, PgBoss } from 'pg-boss';

const QUEUE = 'invoice-events';
const DEAD = 'invoice-events-dead';
const YEAR = 365 * 86_400;
const log = ({ message }: { readonly message: string }) =>
  console.error(message);
// without a listener, a lost connection ends the process
const openPool = () => new Pool().on('error', log);
const openBoss = (options: object) =>
  new PgBoss(options).on('error', log).on('warning', log).start();

/** Before each deployment. */
async function setUp(): Promise<void> {
  const boss = await openBoss({ supervise: false, schedule: false });
  await boss.createQueue(DEAD, { retentionSeconds: YEAR });
  const retries = {
    retryLimit: 12,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 3_600,
    heartbeatSeconds: 10,
  };
  await boss.createQueue(QUEUE, {
    deadLetter: DEAD,
    retentionSeconds: YEAR,
    ...retries,
  });
  const pool = openPool();
  await postgresStore(pool).migrate();
  await pool.query(
    `CREATE TABLE IF NOT EXISTS credits (
      event_key text PRIMARY KEY, order_id text, usdt numeric)`,
  );
  await Promise.all([pool.end(), boss.stop()]);
}

async function receive(): Promise<void> {
  const boss = await openBoss({
    max: 1,
    supervise: false,
    schedule: false,
    migrate: false,
  });
  const enqueue = async (
    event: InvoiceEvent,
    { tx, dedupeKey }: WebhookContext & { tx: PoolClient },
  ) => {
    const db = {
      executeSql: (text: string, values?: unknown[]) => tx.query(text, values),
    };
    await boss.send(
      QUEUE,
      { key: dedupeKey, event: JSON.stringify(event) },
      { db },
    );
  };
  const handler = createWebhookHandler({
    secret: process.env['MERCHANT_WEBHOOK_SECRET'] ?? '',
    store: postgresStore(openPool()),
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
  const boss = await openBoss({ max: 10, migrate: false });
  const options = {
    transactional: true,
    localConcurrency: 4,
    pollingIntervalSeconds: 0.5,
  } as const;
  await boss.work(
    QUEUE,
    options,
    async (jobs: Job<{ key: string; event: string }>[], tx) => {
      for (const { data } of jobs)
        await fulfil(data.key, parseInvoiceEvent(JSON.parse(data.event)), tx);
    },
  );
  process.once('SIGTERM', () => boss.stop()); // lets the running jobs end
  console.log('up');
}

/** Writes only with `tx`, which commits together with the end of the job. */
async function fulfil(key: string, event: InvoiceEvent, tx: Db): Promise<void> {
  if (event.type !== 'invoice.paid') return;
  const insert =
    'INSERT INTO credits (event_key, order_id, usdt) VALUES ($1, $2, $3)';
  await tx.executeSql(insert, [
    key,
    event.order,
    event.credited_usdt.toFixed(),
  ]);
}

/** After the cause is removed: the dead letters return to their queue. */
async function redrive(): Promise<void> {
  const boss = await openBoss({
    supervise: false,
    schedule: false,
    migrate: false,
  });
  console.log(await boss.redrive(DEAD), 'returned');
  await boss.stop();
}

const commands: Record<string, () => Promise<void>> = {
  'set-up': setUp,
  receive,
  work,
  redrive,
};
await commands[process.argv[2] ?? 'receive']?.();
