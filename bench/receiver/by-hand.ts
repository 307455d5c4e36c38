import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { SqliteDatabase } from '../../src/webhooks/index.ts';
import type { Delivery } from './run.ts';

// The loop that a merchant writes: verify, insert unless it is there, write, commit. It checks no time and no amount, has
// no lease, and its business function cannot run outside of the transaction without running twice, or never, after a crash.

/** Makes a receiver. `fulfilled` is called for each event that was fulfilled. */
export type HandMade = (secret: string, fulfilled: () => void) => (delivery: Delivery) => Promise<void>;

interface Payload {
  readonly invoice_uuid: string;
  readonly external_id: string;
  readonly credited_usdt: string;
}

function verify({ body, headers }: Delivery, secret: string): Payload {
  const digest = createHmac('sha256', secret).update(`${headers['X-Webhook-Timestamp']}.`).update(body).digest();
  const signature = Buffer.from(headers['X-Webhook-Signature'] ?? '', 'hex');
  if (!timingSafeEqual(digest, signature)) throw new Error('forged');
  return JSON.parse(Buffer.from(body).toString('utf8'));
}

export function byHandInMemory(): HandMade {
  const done = new Set<string>();
  return (secret, fulfilled) => async (delivery) => {
    const { invoice_uuid } = verify(delivery, secret);
    if (done.has(invoice_uuid)) return;
    done.add(invoice_uuid);
    fulfilled();
  };
}

type Statement = { run(...values: string[]): { readonly changes: number | bigint } };

export function byHandInSqlite(db: SqliteDatabase): HandMade {
  db.exec('CREATE TABLE done (id TEXT PRIMARY KEY)');
  const run = (sql: string, ...values: string[]) => (db.prepare(sql) as Statement).run(...values); // both drivers bind text
  return (secret, fulfilled) => async (delivery) => {
    const { invoice_uuid, external_id, credited_usdt } = verify(delivery, secret);
    db.exec('BEGIN IMMEDIATE');
    if (Number(run('INSERT INTO done VALUES (?) ON CONFLICT DO NOTHING', invoice_uuid).changes) > 0) {
      run('INSERT INTO credits VALUES (?, ?)', external_id, credited_usdt);
      fulfilled();
    }
    db.exec('COMMIT');
  };
}

export async function byHandInPostgres(pool: Pool): Promise<HandMade> {
  await pool.query('CREATE TABLE done (id text PRIMARY KEY)');
  return (secret, fulfilled) => async (delivery) => {
    const { invoice_uuid, external_id, credited_usdt } = verify(delivery, secret);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const { rowCount } = await client.query('INSERT INTO done VALUES ($1) ON CONFLICT DO NOTHING', [invoice_uuid]);
      if (rowCount === 1) {
        await client.query('INSERT INTO credits VALUES ($1, $2)', [external_id, credited_usdt]);
        fulfilled();
      }
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  };
}

export function byHandInRedis(client: Redis): HandMade {
  return (secret, fulfilled) => async (delivery) => {
    const { invoice_uuid } = verify(delivery, secret);
    if ((await client.set(`hand:${invoice_uuid}`, '1', 'EX', 2_592_000, 'NX')) !== 'OK') return;
    fulfilled();
  };
}
