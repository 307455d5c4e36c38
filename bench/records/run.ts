// How large the records of a store are on real engines: `npm run bench -- records`. Each store claims and completes RECORDS
// events. The sizes are those of the table with its index, and of the keys in Redis. A year is a multiplication.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { postgresStore, redisStore, sqliteStore, type WebhookStore } from '../../src/webhooks/index.ts';
import { temporaryFolder } from '../../test/support/engine-process.ts';
import { openPool, startPostgres } from '../../test/support/postgres.ts';
import { startRedis } from '../../test/support/redis.ts';

const RECORDS = Number(process.env['RECORDS'] ?? 20_000);
const YEAR = 365;
const PER_DAY = [1_000, 100_000, 1_000_000];
const RETENTION = 90;

async function fill(store: WebhookStore): Promise<void> {
  for (let index = 0; index < RECORDS; index += 1) {
    const claim = { key: `${crypto.randomUUID()}:paid`, owner: crypto.randomUUID() };
    await store.claim({ ...claim, digest: 'f'.repeat(64), lease: 50_000 });
    if (!(await store.complete(claim))) throw new Error('the claim was lost');
  }
}

function print(name: string, bytes: number): void {
  const each = bytes / RECORDS;
  const giga = (records: number): string => `${((each * records) / 1e9).toFixed(records * each < 1e9 ? 2 : 0)} GB`;
  const years = PER_DAY.map((perDay) => `${giga(perDay * YEAR)} / ${giga(perDay * RETENTION)}`);
  console.log(`| ${name} | ${each.toFixed(0)} | ${years.join(' | ')} |`);
}

const heads = PER_DAY.map((perDay) => `${perDay.toLocaleString('en')} a day: a year / ${RETENTION} days`);
console.log(`| Store | Bytes a record | ${heads.join(' | ')} |\n|---|---|${PER_DAY.map(() => '---|').join('')}`);

const { folder, remove } = temporaryFolder('bench-records');
const file = join(folder, 'shop.db');
const db = new DatabaseSync(file);
db.exec('PRAGMA journal_mode = WAL');
const sqlite = sqliteStore(db);
await sqlite.migrate();
await fill(sqlite);
db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
print('sqliteStore', statSync(file).size);
db.close();
remove();

const postgres = await startPostgres();
if (postgres.missing === null) {
  const pool = openPool({ ...postgres.connection, max: 2 });
  const store = postgresStore(pool);
  await store.migrate();
  await fill(store);
  const size = async (): Promise<number> => {
    const { rows } = await pool.query("SELECT pg_total_relation_size('merchant_webhook_events') AS bytes");
    return Number(rows[0]?.bytes);
  };
  print('postgresStore, as written', await size());
  await pool.query('VACUUM FULL merchant_webhook_events');
  print('postgresStore, after VACUUM FULL', await size());
  await pool.end();
  await postgres.stop();
}

const redis = await startRedis();
if (redis.missing === null) {
  const client = new Redis({ path: redis.connection });
  const used = async (): Promise<number> =>
    Number(/used_memory_dataset:(\d+)/.exec(await client.info('memory'))?.[1] ?? Number.NaN);
  const empty = await used();
  await fill(redisStore(client));
  print('redisStore', (await used()) - empty);
  await client.quit();
  await redis.stop();
}
