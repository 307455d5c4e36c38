import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redis';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresStore, redisStore, sqliteStore, type WebhookStore } from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { startEngines } from '../../support/engines.ts';
import { openPool } from '../../support/postgres.ts';

const PROCESSES = 6;
const KEYS = Array.from({ length: 40 }, (_, index) => `event-${index}:paid`);
const PROGRAM = fileURLToPath(new URL('./claimant.ts', import.meta.url));

const engines = await startEngines();
const files = temporaryFolder('processes');
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  await engines.stop();
  files.remove();
});

interface Outcome {
  readonly state: string;
  readonly completed: boolean;
}

function nextMessage(child: ChildProcess): Promise<Outcome[]> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Outcome[])); // what claimant.ts sends
    child.once('exit', (code) => reject(new Error(`a claimant ended with ${code}`)));
  });
}

/** Every process claims every key at once; the answers by key. */
async function claimAtOnce(kind: string, at: string): Promise<Outcome[][]> {
  const children: ChildProcess[] = [];
  try {
    for (let count = 0; count < PROCESSES; count += 1) {
      children.push(spawn(process.execPath, [PROGRAM, kind, at], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    }
    await Promise.all(children.map((child) => nextMessage(child)));
    const answers = children.map((child) => nextMessage(child));
    for (const child of children) child.send(KEYS);
    const outcomes = await Promise.all(answers);
    return KEYS.map((_, index) => outcomes.flatMap((states) => states[index] ?? []));
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function oneEach(store: WebhookStore, kind: string, at: string): Promise<void> {
  const claim = (key: string) => ({ key, owner: 'dead', digest: '0'.repeat(64), lease: 0 });
  // Half of the keys were claimed by a process that died.
  const dead = KEYS.filter((_, index) => index % 2 === 1);
  for (const key of dead) expect(await store.claim(claim(key))).toEqual({ state: 'claimed' });
  const outcomes = await claimAtOnce(kind, at);
  for (const [index, outcome] of outcomes.entries()) {
    const states = outcome.map(({ state }) => state);
    const winners = outcome.filter(({ state }) => state === 'claimed' || state === 'taken_over');
    expect(states).toHaveLength(PROCESSES);
    expect(winners).toEqual([{ state: index % 2 === 1 ? 'taken_over' : 'claimed', completed: true }]);
    expect(outcome.filter(({ completed }) => completed)).toHaveLength(1);
    expect(states.filter((state) => state === 'running' || state === 'done')).toHaveLength(PROCESSES - 1);
  }
}

describe('of many processes that claim the same keys at once, one gets each', () => {
  it('on SQLite', async () => {
    const file = join(files.folder, 'claims.db');
    const db = new DatabaseSync(file);
    ends.push(() => db.close());
    const store = sqliteStore(db);
    await store.migrate();
    await oneEach(store, 'sqlite', file);
  });

  it('on PostgreSQL', async ({ skip }) => {
    if (engines.postgres.missing !== null) return skip(engines.postgres.missing);
    const pool = openPool(engines.postgres.connection);
    ends.push(() => pool.end());
    const store = postgresStore(pool);
    await Promise.all(Array.from({ length: 5 }, () => store.migrate())); // as every process does at a deployment
    await oneEach(store, 'postgres', engines.postgres.connection.host);
  });

  it('on Redis', async ({ skip }) => {
    if (engines.redis.missing !== null) return skip(engines.redis.missing);
    const client = await createClient({ socket: { path: engines.redis.connection, tls: false } }).connect();
    ends.push(() => client.close());
    await oneEach(redisStore(client), 'redis', engines.redis.connection);
  });
});
