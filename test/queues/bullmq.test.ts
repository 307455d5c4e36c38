import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createWebhookHandler, memoryStore, signWebhook } from '../../src/webhooks/index.ts';
import { startPostgres } from '../support/postgres.ts';
import { exampleShop, stop, until } from './example.ts';
import { ownRedis } from './own-redis.ts';

const postgres = await startPostgres();
const redis = ownRedis();
if (postgres.missing !== null) console.warn(`Tests are skipped: ${postgres.missing}`);
if (redis === null) console.warn('Tests are skipped: Redis is not installed');
await redis?.start();
afterAll(async () => {
  if (postgres.missing === null) await postgres.stop();
  await redis?.stop();
  redis?.remove();
});

const engines = postgres.missing === null && redis !== null ? { postgres: postgres.connection, redis } : null;

/** A connection of the test, which sees what the example did. */
async function queueOf(socket: string): Promise<{ queue: Queue; connection: Redis }> {
  const connection = new Redis(socket, { maxRetriesPerRequest: null }).on('error', () => {});
  const queue = new Queue('invoice-events', { connection });
  queue.on('error', () => {});
  onTestFinished(async () => {
    await queue.close();
    connection.disconnect();
  });
  await queue.waitUntilReady();
  return { queue, connection };
}

beforeEach(async () => {
  if (redis === null) return;
  const connection = new Redis(redis.socket);
  await connection.flushall();
  connection.disconnect();
});

describe.runIf(engines !== null)('examples/queues/bullmq.ts', () => {
  const shop = async () => {
    if (engines === null) throw new Error('skipped');
    const { socket } = engines.redis;
    return { ...(await exampleShop('bullmq.ts', engines.postgres, socket)), ...(await queueOf(socket)), ...engines };
  };

  it('acknowledges while no worker runs, enqueues a repeat once, and credits once', async () => {
    const { sandbox, queue, start, pay, credits } = await shop();
    await start('receive');
    await pay('order-1');
    await sandbox.resend('order-1');
    expect(sandbox.deliveries('order-1')).toMatchObject([{ status: 'delivered', last_http_status: 200 }]);
    expect(await queue.getWaiting()).toMatchObject([{ id: `${sandbox.invoice('order-1').uuid}~paid` }]);
    const worker = await start('work');
    await until(async () => (await queue.getCompletedCount()) === 1);
    await sandbox.resend('order-1');
    expect(await queue.getJobCounts('waiting', 'completed')).toEqual({ waiting: 0, completed: 1 });
    expect(await credits()).toEqual(['order-1 26.86']);
    expect(await stop(worker)).toBe(0);
  });

  it('keeps a job that cannot be done in the failed set, and redrive returns it with all its attempts', async () => {
    const { database, queue, start, pay, credits, run } = await shop();
    await database.query('ALTER TABLE credits RENAME TO elsewhere');
    await start('receive');
    await start('work');
    await pay('order-1');
    await until(async () => {
      for (const job of await queue.getDelayed()) await job.promote().catch(() => {}); // the hours of waiting
      return (await queue.getFailedCount()) === 1;
    });
    const [failed] = await queue.getFailed();
    expect(failed).toMatchObject({ attemptsMade: 12, failedReason: 'relation "credits" does not exist' });
    await database.query('ALTER TABLE elsewhere RENAME TO credits');
    expect(await run('redrive')).toBe('1 returned\n');
    await until(async () => (await queue.getCompletedCount()) === 1);
    const [done]: Job[] = await queue.getCompleted();
    expect(done?.attemptsMade).toBe(1);
    expect(await credits()).toEqual(['order-1 26.86']);
  });

  it.each([
    ['is down', ['receive', 'work', 'stop']],
    ['was down when the receiver started', ['stop', 'receive', 'work']],
  ])('answers 503 while Redis %s, and does the work once after the repeat', async (_when, steps) => {
    const { sandbox, queue, connection, start, pay, credits, redis: server } = await shop();
    let said = '';
    for (const step of steps) {
      if (step === 'stop') await server.stop();
      else (await start(step)).stderr?.on('data', (text) => (said += String(text)));
    }
    await pay('order-1');
    expect(sandbox.deliveries('order-1')).toMatchObject([{ status: 'pending', last_http_status: 503 }]);
    await until(() => said.includes('The store could not say whether the event is done.')); // not the time limit
    await server.start();
    const clients = async () =>
      String(await connection.client('LIST'))
        .trim()
        .split('\n').length;
    await until(async () => (await clients()) === 4); // this one, that of the receiver, and two of the worker
    for (const wait of ['1m', '5m', '30m'] as const) await sandbox.advance(wait);
    expect(sandbox.deliveries('order-1')).toMatchObject([{ status: 'delivered', last_http_status: 200 }]);
    await until(async () => (await queue.getCompletedCount()) === 1);
    await sandbox.resend('order-1');
    expect(await queue.getJobCounts('waiting', 'completed')).toEqual({ waiting: 0, completed: 1 });
    expect(await credits()).toEqual(['order-1 26.86']);
  });

  it('credits once although Redis lost the event and its job', async () => {
    const { sandbox, queue, connection, start, pay, credits } = await shop();
    await start('receive');
    await pay('order-1');
    await connection.flushall(); // before any worker had the job
    await sandbox.resend('order-1');
    await start('work');
    await until(async () => (await queue.getCompletedCount()) === 1);
    expect(await credits()).toEqual(['order-1 26.86']);
    await connection.flushall(); // after the work
    await sandbox.resend('order-1');
    await until(async () => (await queue.getCompletedCount()) === 1); // the second job
    expect(await credits()).toEqual(['order-1 26.86']);
  });
});

describe.runIf(engines !== null)('BullMQ', () => {
  const SECRET = 'whsec_of_the_tests_of_queues';

  async function receiver(commandTimeout: number) {
    const socket = redis?.socket ?? '';
    const connection = new Redis(socket, { enableOfflineQueue: false, commandTimeout }).on('error', () => {});
    const queue = new Queue('invoice-events', { connection });
    queue.on('error', () => {});
    await queue.waitUntilReady();
    onTestFinished(async () => {
      await queue.close();
      connection.disconnect();
    });
    const handler = createWebhookHandler({
      secret: SECRET,
      store: memoryStore(), // so that only `add` needs Redis
      onPaid: async (event, { dedupeKey }) => {
        await queue.add(event.type, { event: JSON.stringify(event) }, { jobId: dedupeKey.replaceAll(':', '~') });
      },
      onAdjusted: () => {},
      onCanceled: () => {},
    });
    const deliver = async (invoice_uuid = 'u-1'): Promise<string> => {
      const order = { invoice_uuid, external_id: 'order-1', status: 'success' };
      const body = JSON.stringify({ ...order, amount: '25.00', credited_usdt: '26.86', adjusted: false });
      const answer = await handler.handle({ method: 'POST', headers: { ...(await signWebhook(body, SECRET)) }, body });
      return `${answer.status} ${answer.body}`;
    };
    return { queue, connection, deliver };
  }

  it('fails the function while Redis is down, so that the repeat enqueues', async () => {
    const { queue, connection, deliver } = await receiver(2_000);
    await redis?.stop();
    await until(() => connection.status !== 'ready');
    expect(await deliver()).toBe('500 handler_failed');
    await redis?.start();
    await until(() => connection.status === 'ready');
    expect(await deliver()).toBe('200 done');
    expect(await queue.getWaitingCount()).toBe(1);
  });

  it('fails the function while Redis hangs. The command may still run, and the id makes one job of both', async () => {
    const { queue, deliver } = await receiver(200);
    redis?.suspend();
    expect(await deliver()).toBe('500 handler_failed');
    redis?.resume();
    await until(async () => (await queue.getWaitingCount().catch(() => 0)) === 1);
    expect(await deliver()).toBe('200 done');
    expect(await queue.getWaitingCount()).toBe(1);
  });

  it('takes the dedupe key without its colons as the id of a job, and not with them', async () => {
    const { queue, deliver } = await receiver(2_000);
    await expect(queue.add('paid', {}, { jobId: 'u-1:paid' })).rejects.toThrow('cannot contain :');
    await expect(queue.add('paid', {}, { jobId: '1' })).rejects.toThrow('cannot be integers');
    for (const uuid of ['1', 'U-2', 'a:b', 'a_b', 'ü']) expect(await deliver(uuid)).toBe('200 done');
    const ids = (await queue.getWaiting()).map(({ id }) => id);
    expect(ids.sort()).toEqual(['1~paid', 'a%003ab~paid', 'a_b~paid', 'U-2~paid', '%00fc~paid'].sort());
  });
});
