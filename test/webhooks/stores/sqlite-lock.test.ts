import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type SqliteDatabase,
  sqliteStore,
  type WebhookHandlerOptions,
} from '../../../src/webhooks/index.ts';
import type { LockWaiting } from '../../../src/webhooks/stores/sqlite-store.ts';
import { sqliteStoreWaiting } from '../../../src/webhooks/stores/sqlite-store.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { deferred, endpoint, send } from '../endpoint.ts';
import { settle } from '../manual-clock.ts';
import { openBetterSqlite3 } from './better-sqlite3.ts';
import type { HeldLock } from './lock-holder.ts';

// Another process holds the lock, and lets it go only when the event loop of this one goes on to tell it. The connections
// here would wait for a lock for weeks, so a single try that blocks is a lock that is never let go.

const WEEKS = 0x7fffffff;
/** For locks of this process itself, which nobody would let go while it is blocked. */
const SECOND = 1_000;
const PROGRAM = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));
const files = temporaryFolder('locks');
const BetterSqlite3 = await openBetterSqlite3();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Database = SqliteDatabase & { close(): void };
const DRIVERS: Record<string, ((file: string, timeout: number) => Database) | null> = {
  'node:sqlite': (file, timeout) => new DatabaseSync(file, { timeout }),
  'better-sqlite3': BetterSqlite3 === null ? null : (file, timeout) => BetterSqlite3(file, { timeout }),
};

let count = 0;
function open(driver: string, journal = 'DELETE', timeout = WEEKS) {
  count += 1;
  const file = join(files.folder, `${count}.db`);
  const make = DRIVERS[driver] ?? null;
  const db = make?.(file, timeout) ?? null;
  if (db === null) return null;
  ends.push(() => db.close());
  db.prepare(`PRAGMA journal_mode = ${journal}`).get();
  db.exec('CREATE TABLE credits (usdt TEXT)');
  const credits = () => Number(Object.values(db.prepare('SELECT count(*) FROM credits').get() as object)[0]);
  return { file, db, credits, credit: () => void db.exec("INSERT INTO credits VALUES ('26.91')") };
}

/** Another process that has the lock now. */
async function hold(file: string, lock: HeldLock) {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, file, lock], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  ends.push(() => child.kill('SIGKILL'));
  const said = async (): Promise<unknown> => (await once(child, 'message'))[0];
  expect(await said()).toBe('held');
  return {
    async release() {
      expect(child.exitCode, 'the process was blocked until the lock was let go').toBeNull();
      child.send('release');
      expect(await said()).toBe('released');
    },
  };
}

/** Turns of the event loop: what a blocked process would not have. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for one turn of the event loop at a time, by a clock of its own. */
function turning(changes: Partial<LockWaiting> = {}) {
  const waits: number[] = [];
  const waiting: LockWaiting = {
    elapsed: () => 0,
    random: () => 1,
    sleep: (ms) => {
      waits.push(ms);
      return new Promise((resolve) => setImmediate(resolve));
    },
    ...changes,
  };
  return { waits, waiting };
}

const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };

describe.each(Object.keys(DRIVERS))('%s, while another process holds the lock', (driver) => {
  describe.each(['DELETE', 'WAL'])('of a database in journal mode %s,', (journal) => {
    it.for(['exclusive', 'writer'] as const)('goes on with its other work (%s)', async (lock, { skip }) => {
      const shop = open(driver, journal);
      if (shop === null) return skip('the native part of better-sqlite3 does not load here');
      await sqliteStore(shop.db).migrate();
      await sqliteStore(shop.db).claim(request);
      const holder = await hold(shop.file, lock);
      const { waits, waiting } = turning();
      const store = sqliteStoreWaiting(shop.db, {}, waiting); // to make one does not wait either
      const settled: string[] = [];
      const moves = {
        claim: store.claim({ ...request, key: 'new' }),
        renew: store.renew(A, 60_000),
        release: store.release({ key: 'other', owner: 'a' }),
        migrate: store.migrate(),
        commit: store.run(A, async ({ commit }) => void (await commit(shop.credit))),
      };
      for (const [name, move] of Object.entries(moves)) void move.then(() => settled.push(name));
      await turns();
      expect(settled).toEqual([]);
      expect(waits.length).toBeGreaterThan(5 * 10);
      await holder.release();
      expect(await moves.claim).toEqual({ state: 'claimed' });
      await Promise.all(Object.values(moves));
      expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'done', digest: 'd' });
      expect(shop.credits()).toBe(1);
    });
  });

  it('with the real timers and clock too', async ({ skip }) => {
    const shop = open(driver);
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const store = sqliteStore(shop.db, { busyTimeout: 60_000 });
    await store.migrate();
    const holder = await hold(shop.file, 'exclusive');
    const claim = store.claim(request);
    await turns();
    await holder.release();
    expect(await claim).toEqual({ state: 'claimed' });
  });

  it('a store over a connection that has read nothing yet is made at once', async ({ skip }) => {
    const shop = open(driver);
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const holder = await hold(shop.file, 'exclusive');
    const late = DRIVERS[driver]?.(shop.file, WEEKS);
    if (late === undefined) throw new Error('the driver opened a database before');
    ends.push(() => late.close());
    const migrated = sqliteStore(late, { busyTimeout: 60_000 }).migrate();
    await turns();
    await holder.release();
    await migrated;
  });

  it('without WAL, a reader keeps a commit waiting, and the function is called once', async ({ skip }) => {
    const shop = open(driver);
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const { waits, waiting } = turning();
    const store = sqliteStoreWaiting(shop.db, {}, waiting);
    await store.migrate();
    await store.claim(request);
    const holder = await hold(shop.file, 'reader');
    let calls = 0;
    const run = store.run(A, async ({ commit }) => {
      await commit(() => {
        calls += 1;
        shop.credit();
      });
    });
    const other = store.claim({ ...request, key: 'other' }); // its COMMIT is what finds the reader in the way
    await turns();
    expect([calls, waits.length > 10]).toEqual([0, true]);
    await holder.release();
    expect(await run).toBe(true);
    expect(await other).toEqual({ state: 'claimed' });
    expect([calls, shop.credits()]).toEqual([1, 1]);
  });

  it('with WAL, a reader keeps nobody waiting', async ({ skip }) => {
    const shop = open(driver, 'WAL');
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const { waits, waiting } = turning();
    const store = sqliteStoreWaiting(shop.db, {}, waiting);
    await store.migrate();
    await hold(shop.file, 'reader');
    await store.claim(request);
    expect(await store.run(A, async ({ commit }) => void (await commit(shop.credit)))).toBe(true);
    expect([shop.credits(), waits]).toEqual([1, []]);
  });

  it('a delivery is answered at the limit of the handler, whether it waits to claim or to commit', async ({ skip }) => {
    const shop = open(driver);
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const store = sqliteStoreWaiting(shop.db, {}, turning().waiting);
    await store.migrate();
    const begun = deferred();
    const gate = deferred();
    const at = endpoint({
      store,
      onPaid: async (_event: unknown, { commit }: { commit(work: () => void): Promise<unknown> }) => {
        begun.resolve();
        await gate.promise;
        await commit(shop.credit);
      },
    } as unknown as Partial<WebhookHandlerOptions>); // its own options know a store without additions only
    const waitsToCommit = send(at);
    await begun.promise;
    const holder = await hold(shop.file, 'exclusive');
    gate.resolve();
    const waitsToClaim = send(at, { ...A, ...paid, invoice_uuid: 'other' });
    await settle();
    await at.clock.advance(12_000);
    expect(await waitsToCommit).toMatchObject({ status: 503, body: 'time_limit' });
    expect(await waitsToClaim).toMatchObject({ status: 503, body: 'time_limit' });
    await holder.release();
    for (let turn = 0; turn < 1_000 && at.reports.length < 3; turn += 1) await turns();
    expect(at.reasons()).toEqual(['time_limit', 'time_limit', 'completed_late']);
    expect(shop.credits()).toBe(1);
    expect(await send(at)).toMatchObject({ status: 200, body: 'duplicate' });
  });
});

const paid = {
  external_id: 'order-2',
  status: 'success',
  amount: '25.00',
  credited_usdt: '26.91',
  adjusted: false,
};

describe('waiting for a lock', () => {
  /** A clock that only sleeping moves. */
  function clocked(random = 1) {
    let now = 5_000_000;
    const waits: number[] = [];
    const waiting: LockWaiting = {
      elapsed: () => now,
      random: () => random,
      sleep: async (ms) => {
        waits.push(ms);
        now += ms;
      },
    };
    return { waits, waiting };
  }
  const locked = async (options: object, waiting: LockWaiting) => {
    const shop = open('node:sqlite', 'DELETE', SECOND);
    if (shop === null) throw new Error('Node has node:sqlite');
    await sqliteStore(shop.db).migrate();
    const other = new DatabaseSync(shop.file);
    other.exec('BEGIN EXCLUSIVE');
    ends.push(() => other.close());
    return { ...shop, other, store: sqliteStoreWaiting(shop.db, options, waiting) };
  };

  it('ends at busyTimeout, by a clock that does not jump, and names the cause', async () => {
    const { waits, waiting } = clocked();
    let hour = 0;
    const { store } = await locked({ busyTimeout: 1_000, now: () => (hour += 3_600_000) }, waiting);
    const error: unknown = await store.claim(request).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message:
        'The SQLite database is locked: another connection held its lock for 1000 ms (busyTimeout). Nothing was written.',
      cause: { errcode: 5, message: 'database is locked' },
    });
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(1_000);
    expect(waits.slice(0, 7)).toEqual([5, 10, 20, 40, 80, 100, 100]);
    expect(Math.max(...waits)).toBe(100);
  });

  it('is 5 seconds by default', async () => {
    const { waits, waiting } = clocked();
    const { store } = await locked({}, waiting);
    await expect(store.renew(A, 1)).rejects.toThrow('for 5000 ms');
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(5_000);
  });

  it('differs by chance between processes, by up to a half', async () => {
    const { waits, waiting } = clocked(0);
    const { store } = await locked({ busyTimeout: 100 }, waiting);
    await expect(store.release(A)).rejects.toThrow('locked');
    expect(waits).toEqual([2.5, 5, 10, 20, 40, 22.5]);
  });

  it('is none with a busyTimeout of 0', async () => {
    const { waits, waiting } = clocked();
    const { store } = await locked({ busyTimeout: 0 }, waiting);
    await expect(store.complete(A)).rejects.toMatchObject({ cause: { errcode: 5 } });
    expect(waits).toEqual([]);
  });

  it('ends also where the clock is broken', async () => {
    const { waiting } = clocked();
    const { store } = await locked({}, { ...waiting, elapsed: () => Number.NaN });
    await expect(store.complete(A)).rejects.toThrow('locked');
  });

  it('gives commit the same error, and calls its function when the lock is there', async () => {
    const { waiting } = clocked();
    const { store, other, credit, credits } = await locked({ busyTimeout: 1_000 }, waiting);
    other.exec('COMMIT');
    await store.claim(request);
    other.exec('BEGIN IMMEDIATE');
    const ended = await store.run(A, async ({ commit }) => {
      await expect(commit(() => credit())).rejects.toMatchObject({ cause: { errcode: 5 } });
      other.exec('COMMIT');
      await commit(() => credit()); // a commit that did not come to be may be tried again
    });
    expect([ended, credits()]).toEqual([true, 1]);
  });

  it('is over what the function threw, even where that looks like a lock', async () => {
    const { waits, waiting } = clocked();
    const { store, other, file } = await locked({}, waiting);
    other.exec('COMMIT');
    await store.claim(request);
    const second = new DatabaseSync(file); // a connection of the merchant's, locked by the transaction of ours
    let calls = 0;
    const run = store.run(A, async ({ commit }) => {
      await commit(() => {
        calls += 1;
        second.exec("INSERT INTO credits VALUES ('1')");
      });
    });
    await expect(run).rejects.toMatchObject({ errcode: 5 });
    second.close();
    expect([calls, waits]).toEqual([1, []]);
  });

  it('covers a snapshot that is too old, which SQLite itself does not wait for', async () => {
    const shop = open('node:sqlite', 'WAL');
    if (shop === null) throw new Error('Node has node:sqlite');
    const { waits, waiting } = turning();
    const store = sqliteStoreWaiting(shop.db, {}, waiting);
    await store.migrate();
    shop.credit();
    shop.credit();
    const rows = (shop.db as DatabaseSync).prepare('SELECT * FROM credits').iterate();
    rows.next(); // reads on, as a report that is streamed does
    const other = new DatabaseSync(shop.file);
    other.exec("INSERT INTO credits VALUES ('1')");
    other.close();
    const claim = store.claim(request);
    await turns();
    expect(waits.length).toBeGreaterThan(5);
    for (const _row of rows);
    expect(await claim).toEqual({ state: 'claimed' });
  });

  it('covers a cache that is shared within the process', async () => {
    const [db, other] = [1, 2].map(() => new DatabaseSync('file:shared?mode=memory&cache=shared'));
    if (db === undefined || other === undefined) throw new Error('two were made');
    ends.push(
      () => db.close(),
      () => other.close(),
    );
    const { waits, waiting } = turning();
    await sqliteStore(db).migrate();
    other.exec('BEGIN IMMEDIATE; CREATE TABLE t (x)');
    const store = sqliteStoreWaiting(db, {}, waiting);
    const claim = store.claim(request);
    await turns();
    expect(waits.length).toBeGreaterThan(5);
    other.exec('COMMIT');
    expect(await claim).toEqual({ state: 'claimed' });
  });
});

describe('SQLite’s own waiting', () => {
  const timeoutOf = (db: Database) => Object.values(db.prepare('PRAGMA busy_timeout').get() as object)[0];

  /** The database, with its own waiting at each BEGIN and COMMIT. */
  function watched(db: DatabaseSync) {
    const seen: string[] = [];
    const watching: SqliteDatabase & { readonly isTransaction: boolean } = {
      exec(sql) {
        if (/^(BEGIN|COMMIT|ROLLBACK)/.test(sql)) seen.push(`${sql.split(' ')[0]} ${timeoutOf(db)}`);
        db.exec(sql);
      },
      prepare: (sql) => db.prepare(sql),
      get isTransaction() {
        return db.isTransaction;
      },
    };
    return { seen, watching };
  }

  it.for(Object.keys(DRIVERS))('is as it was after each move, with %s', async (driver, { skip }) => {
    const shop = open(driver, 'DELETE', SECOND);
    if (shop === null) return skip('the native part of better-sqlite3 does not load here');
    const store = sqliteStoreWaiting(shop.db, { busyTimeout: 0 }, turning().waiting);
    const expectSame = () => expect(timeoutOf(shop.db)).toBe(SECOND);
    await store.migrate();
    expectSame();
    await store.claim(request);
    expectSame();
    const failing = store.run(A, async ({ commit }) => {
      await commit(() => {
        throw new Error('mine');
      });
    });
    await expect(failing).rejects.toThrow('mine');
    expectSame();
    await store.run(A, async ({ commit }) => void (await commit(shop.credit)));
    expectSame();
    const other = DRIVERS[driver]?.(shop.file, 0); // of the same library: two in one process do not see each other's locks
    other?.exec('BEGIN EXCLUSIVE');
    await expect(store.claim(request)).rejects.toThrow('locked');
    expectSame();
    other?.close();
  });

  it('is off at each try', async () => {
    const db = new DatabaseSync(':memory:', { timeout: 777 });
    ends.push(() => db.close());
    const { seen, watching } = watched(db);
    const store = sqliteStore(watching);
    await store.migrate();
    await store.claim(request);
    await store.run(A, async ({ commit }) => void (await commit(() => 1)));
    expect(seen).toEqual(['BEGIN 0', 'COMMIT 0', 'BEGIN 0', 'COMMIT 0', 'BEGIN 0', 'COMMIT 0']);
  });
});

describe('errors of sqliteStore', () => {
  it('have the error of the driver as their cause', async () => {
    const db = new DatabaseSync(':memory:');
    const store = sqliteStore(db);
    const missing: unknown = await store.claim(request).catch((reason: unknown) => reason);
    expect(missing).toBeInstanceOf(ConfigurationError);
    expect(missing).toMatchObject({
      cause: { code: 'ERR_SQLITE_ERROR', message: expect.stringContaining('no such table') },
    });
    db.close();
    expect(() => sqliteStore(db)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('is it open?'), cause: expect.any(Error) }),
    );
  });

  it.each([{ tabel: 'x' }, { timeout: 5 }, null])('name options that do not exist: %j', (options) => {
    const db = new DatabaseSync(':memory:');
    const given = options === null ? ['null'] : Object.keys(options);
    const known = options === null ? [] : ['table', 'namespace', 'retention', 'busyTimeout', 'now'];
    const error = thrownBy(() => sqliteStore(db, options as never));
    expect(error).toBeInstanceOf(ConfigurationError);
    for (const name of ['sqliteStore', ...given, ...known]) expect(error).toHaveProperty('message', has(name));
    db.close();
  });
});

const has = (text: string): unknown => expect.stringContaining(text);

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
