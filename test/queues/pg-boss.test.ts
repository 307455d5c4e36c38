import type { Pool, PoolClient } from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createWebhookHandler,
  type InvoiceEvent,
  parseInvoiceEvent,
  postgresStore,
  signWebhook,
} from '../../src/webhooks/index.ts';
import { openPool, startPostgres } from '../support/postgres.ts';
import { end, exampleShop, stop, until } from './example.ts';

const postgres = await startPostgres();
if (postgres.missing !== null) console.warn(`Tests are skipped: ${postgres.missing}`);
afterAll(async () => {
  if (postgres.missing === null) await postgres.stop();
});

const address = postgres.missing === null ? postgres.connection : null;
const DEAD = 'invoice-events-dead';
/** The jobs of both queues, by name and state. A dead letter also leaves its failed original. */
const jobs = async (database: Pool): Promise<string[]> => {
  const { rows } = await database.query<{ line: string }>(
    `SELECT name || ' ' || state AS line FROM pgboss.job ORDER BY name, state`,
  );
  return rows.map(({ line }) => line);
};

describe.runIf(address !== null)('examples/queues/pg-boss.ts', () => {
  const shop = () => exampleShop('pg-boss.ts', address ?? { host: '', user: '', database: '' });

  it('acknowledges while no worker runs, enqueues a repeat once, and credits once', async () => {
    const { sandbox, database, start, pay, credits } = await shop();
    await start('receive');
    await pay('order-1');
    await sandbox.resend('order-1');
    expect(sandbox.deliveries('order-1')).toMatchObject([{ status: 'delivered', last_http_status: 200 }]);
    expect(await jobs(database)).toEqual(['invoice-events created']);
    expect(await credits()).toEqual([]);
    const worker = await start('work');
    await until(async () => (await credits()).length > 0);
    await sandbox.resend('order-1');
    expect(await jobs(database)).toEqual(['invoice-events completed']);
    expect(await credits()).toEqual(['order-1 26.86']);
    expect(await stop(worker)).toBe(0);
  });

  it('leaves no job if the record of the event is not committed', async () => {
    const { sandbox, database, start, pay } = await shop();
    await database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON merchant_webhook_events DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`, // at COMMIT
    );
    await start('receive');
    await pay('order-1');
    expect(sandbox.deliveries('order-1')).toMatchObject([{ status: 'pending', last_http_status: 503 }]);
    expect(await jobs(database)).toEqual([]);
    await database.query('DROP TRIGGER refuse ON merchant_webhook_events');
    await sandbox.advance('1m');
    expect(await jobs(database)).toEqual(['invoice-events created']);
  });

  it('continues after PostgreSQL ended all its connections', async () => {
    const { sandbox, database, start, pay, credits } = await shop();
    await start('receive');
    await start('work');
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await pay('order-1');
    for (const wait of ['1m', '5m'] as const) await sandbox.advance(wait); // the first delivery may meet a lost connection
    await until(async () => (await credits()).length > 0);
    expect(await credits()).toEqual(['order-1 26.86']);
  });

  it('keeps a job that cannot be done as a dead letter for a year, and redrive returns it', async () => {
    const { database, start, pay, credits, run } = await shop();
    await database.query('ALTER TABLE credits RENAME TO elsewhere');
    await start('receive');
    await start('work');
    await pay('order-1');
    await until(async () => {
      await database.query(`UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'`); // the hours of waiting
      return (await jobs(database)).includes(`${DEAD} created`);
    });
    const { rows } = await database.query(
      `SELECT source_retry_count AS retries, source_output->>'message' AS error,
        keep_until > now() + interval '364 days' AS kept FROM pgboss.job WHERE name = $1`,
      [DEAD],
    );
    expect(rows).toEqual([{ retries: 12, error: 'relation "credits" does not exist', kept: true }]);
    await database.query('ALTER TABLE elsewhere RENAME TO credits');
    expect(await run('redrive')).toBe('1 returned\n');
    await until(async () => (await credits()).length > 0);
    expect(await credits()).toEqual(['order-1 26.86']);
    expect(await run('redrive')).toBe('0 returned\n');
  });

  it('rolls the writes of a killed worker back, and another worker makes them after the heartbeat', async () => {
    const { database, start, pay, credits, address: at } = await shop();
    await start('receive');
    const first = await start('work');
    const lock = await database.connect();
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE credits IN EXCLUSIVE MODE'); // the worker waits here, inside its transaction
    await pay('order-1');
    await until(async () => {
      const waits = await database.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return waits.rows.length > 0;
    });
    await end(first);
    await lock.query('ROLLBACK');
    lock.release();
    expect(await jobs(database)).toEqual(['invoice-events active']);
    await start('work');
    // The minute of the engine, shortened: a heartbeat of an hour ago, and a supervisor that looks each second.
    await database.query(`UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '1 hour'`);
    const seconds = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 };
    const supervisor = await new PgBoss({ ...at, ...seconds }).on('error', () => {}).start();
    onTestFinished(() => supervisor.stop());
    await until(async () => {
      await database.query(`UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'`);
      return (await jobs(database)).includes('invoice-events completed');
    });
    expect(await credits()).toEqual(['order-1 26.86']);
  });
});

describe.runIf(address !== null)('pg-boss inside context.tx', () => {
  const SECRET = 'whsec_of_the_tests_of_queues';

  async function receiver(onPaid: (send: () => Promise<unknown>) => Promise<void>, name: string) {
    const pool = openPool({ ...address, max: 4 });
    const boss = await new PgBoss({ ...address, schema: name }).on('error', () => {}).start();
    await boss.createQueue('events');
    const store = postgresStore(pool, { table: name });
    await store.migrate();
    onTestFinished(async () => {
      await boss.stop();
      await pool.end();
    });
    const enqueue = (event: InvoiceEvent, { tx }: { readonly tx: PoolClient }) =>
      onPaid(() => {
        const db = { executeSql: (text: string, values?: unknown[]) => tx.query(text, values) };
        return boss.send('events', { event: JSON.stringify(event) }, { db });
      });
    const handler = createWebhookHandler({
      secret: SECRET,
      store,
      onPaid: enqueue,
      onAdjusted: () => {},
      onCanceled: () => {},
    });
    const deliver = async (note?: string): Promise<string> => {
      const order = { invoice_uuid: 'u-1', external_id: 'order-1', status: 'success' };
      const body = JSON.stringify({ ...order, amount: '25.00', credited_usdt: '26.86', adjusted: false, note });
      const headers = { ...(await signWebhook(body, SECRET)) };
      const answer = await handler.handle({ method: 'POST', headers, body });
      return `${answer.status} ${answer.body}`;
    };
    return { boss, deliver, events: async () => await boss.findJobs<{ event: string }>('events') };
  }

  it('leaves no job if the function throws after it, and one after the repeat', async () => {
    let fails = true;
    const { deliver, events } = await receiver(async (send) => {
      await send();
      if (fails) throw new Error('after the job');
    }, 'throws');
    expect(await deliver()).toBe('500 handler_failed');
    expect(await events()).toEqual([]);
    fails = false;
    expect(await deliver()).toBe('200 done');
    expect(await events()).toHaveLength(1);
  });

  it('makes one job of two deliveries at the same moment', async () => {
    const { deliver, events } = await receiver(async (send) => void (await send()), 'twice');
    const answers = await Promise.all([deliver(), deliver()]);
    expect(answers).toContain('200 done');
    expect(await events()).toHaveLength(1);
  });

  it('carries text that jsonb refuses, because it is inside a string', async () => {
    const note = 'a zero \u0000, half a pair \ud800, a back slash \\';
    const { boss, deliver, events } = await receiver(async (send) => void (await send()), 'text');
    await expect(boss.send('events', { note })).rejects.toThrow(); // as it would be without the string
    expect(await deliver(note)).toBe('200 done');
    const [job] = await events();
    expect(parseInvoiceEvent(JSON.parse(job?.data.event ?? '')).raw).toMatchObject({ note });
  });
});
