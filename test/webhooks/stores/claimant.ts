import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { postgresStore, redisStore, sqliteStore, type WebhookStore } from '../../../src/webhooks/index.ts';

// A process of its own that claims the keys it is sent as fast as it can, and completes what it got.

const [kind = '', at = ''] = process.argv.slice(2);

function open(): WebhookStore {
  if (kind === 'sqlite') return sqliteStore(new DatabaseSync(at));
  if (kind === 'redis') return redisStore(new Redis({ path: at }));
  return postgresStore(new Pool({ host: at, user: 'postgres', database: 'postgres', max: 4 }));
}

const store = open();
process.on('message', async (keys: string[]) => {
  const states = await Promise.all(
    keys.map(async (key) => {
      const claim = { key, owner: crypto.randomUUID() };
      const { state } = await store.claim({ ...claim, digest: 'd'.repeat(64), lease: 60_000 });
      // Everybody tries to complete: only the holder may succeed.
      return { state, completed: await store.complete(claim) };
    }),
  );
  process.send?.(states);
});
process.on('disconnect', () => process.exit(0));
await store.claim({ key: `warm-up:${process.pid}`, owner: 'warm-up', digest: 'd'.repeat(64), lease: 0 });
process.send?.('ready');
