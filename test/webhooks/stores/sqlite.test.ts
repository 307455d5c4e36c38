import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, type SqliteStoreOptions, sqliteStore } from '../../../src/webhooks/index.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { endpoint, send } from '../endpoint.ts';

const files = temporaryFolder('sqlite');
const opened: DatabaseSync[] = [];
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

let count = 0;
function newFile(): string {
  count += 1;
  return join(files.folder, `${count}.db`);
}

function open(file = newFile(), timeout = 0) {
  const db = new DatabaseSync(file, { timeout });
  opened.push(db);
  return { db, file };
}

async function shop(options: SqliteStoreOptions = {}) {
  const { db, file } = open();
  const store = sqliteStore(db, options);
  await store.migrate();
  db.exec('CREATE TABLE credits (usdt TEXT)');
  const credits = () => db.prepare('SELECT usdt FROM credits').all();
  const credit = (usdt = '26.91') => void db.prepare('INSERT INTO credits VALUES (?)').run(usdt);
  return { db, file, store, credits, credit };
}

const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };

describe('context.commit', () => {
  it('holds the write and the completion, or neither', async () => {
    const { store, credits, credit } = await shop();
    const at = endpoint({
      store,
      onPaid: (_event: unknown, context: { commit(work: () => void): unknown }) => context.commit(() => credit()),
    } as never); // its own options know a store without additions only
    expect(await send(at)).toMatchObject({ status: 200 });
    expect(await send(at)).toMatchObject({ status: 200 });
    expect(credits()).toEqual([{ usdt: '26.91' }]);
    expect(at.reasons()).toEqual(['duplicate']);
  });

  it('is waited for where the function forgot to, also while another process holds the lock', async () => {
    const { store, file } = await shop();
    await store.claim(request);
    const other = open(file).db;
    other.exec('BEGIN IMMEDIATE');
    const write = (): never => {
      throw new Error('no such account');
    };
    const run = store.run(A, async ({ commit }) => void commit(write));
    await new Promise((resolve) => setImmediate(resolve)); // the first try has failed by now
    other.exec('COMMIT');
    await expect(run).rejects.toThrow('no such account');
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
  });

  it('gives the function its database and the caller the result', async () => {
    const { store, db } = await shop();
    await store.claim(request);
    await store.run(A, async ({ commit }) => {
      expect(await commit((given) => [given === db, db.isTransaction])).toEqual([true, true]);
    });
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'done', digest: 'd' });
  });

  it('rolls back what throws, and the event is not done', async () => {
    const { store, credits, credit } = await shop();
    const failure = new Error('no such account');
    await store.claim(request);
    const work = store.run(A, async ({ commit }) => {
      await commit(() => {
        credit();
        throw failure;
      });
    });
    await expect(work).rejects.toBe(failure);
    expect(credits()).toEqual([]);
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
  });

  it('does not call a late loser’s function, and the delivery is answered 409', async () => {
    const { store, credits, credit } = await shop();
    const at = endpoint({
      store: { ...store, claim: (claim: typeof request) => store.claim({ ...claim, lease: 0 }) },
      onPaid: async (_event: unknown, context: { dedupeKey: string; commit(work: () => void): unknown }) => {
        await store.claim({ ...request, key: context.dedupeKey, owner: 'winner' });
        await context.commit(() => credit());
      },
    } as never);
    expect(await send(at)).toMatchObject({ status: 409 });
    expect(at.reasons()).toEqual(['lease_lost']);
    expect(credits()).toEqual([]);
  });

  it('is not needed: then the completion follows the function', async () => {
    const { store } = await shop();
    await store.claim(request);
    expect(await store.run(A, async () => {})).toBe(true);
    expect(await store.claim(request)).toMatchObject({ state: 'done' });
  });

  describe('refuses', () => {
    const commitWith = async (work: (parts: Awaited<ReturnType<typeof shop>>) => unknown) => {
      const parts = await shop();
      await parts.store.claim(request);
      const run = parts.store.run(A, async ({ commit }) => {
        const wrong = work(parts) as () => never; // what the types refuse
        await expect(commit(wrong)).rejects.toThrow(ConfigurationError);
        await expect(commit(wrong)).rejects.toThrow(/synchronous|takes a function/);
      });
      await expect(run).rejects.toThrow(ConfigurationError); // also where the function caught it
      expect(parts.credits()).toEqual([]);
      return parts;
    };

    it('an async function, before it runs', async () => {
      let ran = false;
      await commitWith(() => async () => {
        ran = true;
      });
      expect(ran).toBe(false);
    });

    it('a function that gives a promise, and rolls back', async () => {
      const { store } = await commitWith(({ credit }) => () => {
        credit();
        return Promise.reject(new Error('nobody hears this'));
      });
      expect(await store.claim(request)).toMatchObject({ state: 'running' });
    });

    it('what is no function', () => commitWith(() => 'INSERT'));

    it('a second call', async () => {
      const { store, credit, credits } = await shop();
      await store.claim(request);
      await store.run(A, async ({ commit }) => {
        const first = commit(() => credit());
        await expect(commit(() => credit())).rejects.toThrow('twice'); // also while the first one is under way
        await first;
        await expect(commit(() => credit())).rejects.toThrow('twice');
      });
      expect(credits()).toHaveLength(1);
    });

    it('a call after the handler has ended', async () => {
      const { store } = await shop();
      await store.claim(request);
      let later: (() => Promise<unknown>) | undefined;
      await store.run(A, async ({ commit }) => {
        later = () => commit(() => 1);
      });
      await expect(later?.()).rejects.toThrow(ConfigurationError);
      await expect(later?.()).rejects.toThrow('after the handler had ended');
    });

    it('a call inside of an open transaction', async () => {
      const { store, db } = await shop();
      await store.claim(request);
      const run = store.run(A, async ({ commit }) => {
        db.exec('BEGIN');
        await commit(() => 1).finally(() => db.exec('ROLLBACK'));
      });
      await expect(run).rejects.toThrow('A transaction is open');
    });

    it('a function that ends the transaction', async () => {
      const { store, db } = await shop();
      await store.claim(request);
      const run = store.run(A, ({ commit }) => commit(() => void db.exec('COMMIT')));
      await expect(run).rejects.toThrow('ended the transaction');
    });
  });
});

describe('a claim', () => {
  it('is refused while somebody’s transaction is open on the connection', async () => {
    const { store, db } = await shop();
    db.exec('BEGIN');
    await expect(store.claim(request)).rejects.toThrow(ConfigurationError);
    db.exec('ROLLBACK');
    expect(await store.claim(request)).toEqual({ state: 'claimed' });
  });

  it('of a completed or running event is answered while another process holds the lock for writing', async () => {
    const { store, file } = await shop({ busyTimeout: 0 });
    await store.claim(request);
    const other = open(file).db;
    other.exec('BEGIN IMMEDIATE');
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'running', digest: 'd' });
    other.exec('ROLLBACK');
    await store.complete(A);
    other.exec('BEGIN IMMEDIATE');
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'done', digest: 'd' });
    await expect(store.claim({ ...request, key: 'new' })).rejects.toThrow('locked');
    other.exec('ROLLBACK');
  });

  it('names the way out where the table is missing', async () => {
    const store = sqliteStore(open().db);
    await expect(store.claim(request)).rejects.toThrow(ConfigurationError);
    await expect(store.claim(request)).rejects.toThrow('run store.migrate() once');
  });

  it('goes by the clock it is given', async () => {
    const clock = { now: 1_000 };
    const { store } = await shop({ now: () => clock.now });
    await store.claim({ ...request, lease: 50_000 });
    clock.now += 49_999;
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'running' });
    clock.now += 1;
    expect(await store.claim({ ...request, owner: 'b' })).toMatchObject({ state: 'taken_over' });
  });
});

describe('schema and clean-up', () => {
  it('can be made again, by statement or method', async () => {
    const { store, db } = await shop();
    await store.migrate();
    db.exec(store.schema);
    expect(store.schema).toContain('CREATE TABLE IF NOT EXISTS "merchant_webhook_events"');
  });

  it.each(['merchant_webhook_events', 'main.webhook_events'])(
    'adds the version to a table %s without one',
    async (table) => {
      const { db } = open();
      const store = sqliteStore(db, { table });
      expect(await store.migrate()).toEqual({ from: null, unfinished: 0 });
      db.exec(`ALTER TABLE ${table} DROP COLUMN version`);
      await store.claim(request);
      await store.complete(request);
      expect(await store.migrate()).toEqual({ from: 1, unfinished: 0 });
      expect(db.prepare(`SELECT version FROM ${table}`).all()).toEqual([{ version: 1 }]);
      expect(await store.claim(request)).toMatchObject({ state: 'done' });
    },
  );

  it('removes what is older than the retention, and nothing else', async () => {
    const { store, db } = await shop({ retention: 2_592_000_000, table: 'main.events' });
    const day = 86_400_000;
    for (const [key, age] of Object.entries({ old: 31 * day, young: 29 * day, running: 0, dead: 31 * day })) {
      await store.claim({ ...request, key });
      if (key === 'old' || key === 'young') await store.complete({ ...A, key });
      const column = key === 'old' || key === 'young' ? 'done_at' : 'lease_end';
      db.prepare(`UPDATE events SET ${column} = ? WHERE event_key = ?`).run(Date.now() + 60_000 - age, key);
    }
    expect(store.retention).toBe(2_592_000_000);
    expect(await store.cleanUp()).toBe(2);
    expect(db.prepare('SELECT event_key FROM events ORDER BY event_key').all()).toEqual([
      { event_key: 'running' },
      { event_key: 'young' },
    ]);
    db.exec(store.cleanUpStatement ?? '');
  });

  it('measures the age by the clock that it is given', async () => {
    let time = Date.UTC(2001, 0, 1);
    const { store } = await shop({ retention: 86_400_000, now: () => time });
    await store.claim(request);
    await store.complete(A);
    time += 1_000;
    expect(await store.cleanUp()).toBe(0);
    expect(await store.claim(request)).toMatchObject({ state: 'done' });
    time += 86_400_000;
    expect(await store.cleanUp()).toBe(1);
  });

  it('keeps for ever by default, and says so', async () => {
    const { store } = await shop();
    expect(store).toMatchObject({ retention: null, cleanUpStatement: null });
    await expect(store.cleanUp()).rejects.toThrow(ConfigurationError);
  });
});

describe('options', () => {
  it.each([
    { table: 'Events' },
    { table: 'a; DROP TABLE credits' },
    { table: '' },
    { table: '1st' },
    { table: 'a.b.c' },
    { table: 'a"b' },
    { table: 5 },
    { retention: 86_399_999 },
    { retention: Number.NaN },
    { retention: '30d' },
    { busyTimeout: -1 },
    { busyTimeout: 1.5 },
    { now: 'then' },
    { namespace: 'x'.repeat(65) },
    { namespace: null },
  ])('refuse %j', (options) => {
    const { db } = open();
    expect(() => sqliteStore(db, options as never)).toThrow(ConfigurationError);
  });

  it.each([
    ['nothing', undefined],
    ['a file name', 'shop.db'],
    ['a pool', { query() {}, connect() {} }],
    ['an asynchronous driver', { exec() {}, prepare: () => ({ get: () => Promise.resolve({ 1: 1 }) }) }],
    ['a driver of callbacks', { exec() {}, prepare: () => ({ get() {} }) }],
  ])('refuse %s instead of a database', (_name, db) => {
    expect(() => sqliteStore(db as never)).toThrow(ConfigurationError);
    expect(() => sqliteStore(db as never)).toThrow(/DatabaseSync.* of node:sqlite, or .*better-sqlite3/);
  });
});
