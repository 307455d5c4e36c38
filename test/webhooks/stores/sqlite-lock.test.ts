import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type SqliteDatabase, sqliteStore, type WebhookHandlerOptions } from '../../../src/webhooks/index.ts';
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
});

describe('SQLite’s own waiting', () => {
  const timeoutOf = (db: Database) => Object.values(db.prepare('PRAGMA busy_timeout').get() as object)[0];

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
});
