import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../../src/webhooks/index.ts';
import { sqliteStoreWaiting } from '../../../src/webhooks/stores/sqlite-store.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { openBetterSqlite3 } from './better-sqlite3.ts';
import type { HeldLock } from './lock-holder.ts';

// Another process holds the lock, and lets it go only when the event loop of this one goes on to tell it. The connections
// here would wait for a lock for weeks, so a single try that blocks is a lock that is never let go.

const WEEKS = 0x7fffffff;
const PROGRAM = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));
const files = temporaryFolder('locks');
const BetterSqlite3 = await openBetterSqlite3();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => files.remove());

type Database = SqliteDatabase & { close(): void };
const DRIVERS: Record<string, ((file: string) => Database) | null> = {
  'node:sqlite': (file) => new DatabaseSync(file, { timeout: WEEKS }),
  'better-sqlite3': BetterSqlite3 === null ? null : (file) => BetterSqlite3(file, { timeout: WEEKS }),
};

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

let count = 0;
/** A store whose waits last one turn of the event loop, which a blocked process would not have. */
async function open(driver: string, journal: string) {
  count += 1;
  const file = join(files.folder, `${count}.db`);
  const db = DRIVERS[driver]?.(file);
  if (db === undefined) return null;
  ends.push(() => db.close());
  db.prepare(`PRAGMA journal_mode = ${journal}`).get();
  db.exec('CREATE TABLE credits (usdt TEXT)');
  await sqliteStore(db).migrate();
  let waits = 0;
  const sleep = (): Promise<void> => {
    waits += 1;
    return new Promise((resolve) => setImmediate(resolve));
  };
  const value = (sql: string) => Object.values(db.prepare(sql).get() as object)[0]; // a row
  return {
    file,
    make: () => sqliteStoreWaiting(db, {}, { elapsed: () => 0, random: () => 1, sleep }),
    waits: () => waits,
    credit: () => void db.exec("INSERT INTO credits VALUES ('26.91')"),
    credits: () => value('SELECT count(*) FROM credits'),
    timeout: () => value('PRAGMA busy_timeout'),
  };
}
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const MISSING = 'the native part of better-sqlite3 does not load here';
const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };

describe.each(Object.keys(DRIVERS))('a process with %s', (driver) => {
  it.for([
    ['DELETE', 'exclusive'],
    ['DELETE', 'writer'],
    ['WAL', 'exclusive'],
    ['WAL', 'writer'],
  ] as const)('goes on while another holds the lock (journal mode %s, %s)', async ([journal, lock], { skip }) => {
    const shop = await open(driver, journal);
    if (shop === null) return skip(MISSING);
    await shop.make().claim(request);
    const holder = await hold(shop.file, lock);
    const store = shop.make(); // does not wait either
    const settled: string[] = [];
    const moves = {
      claim: store.claim({ ...request, key: 'new' }),
      extend: store.extend(A, 60_000),
      release: store.release({ key: 'other', owner: 'a' }),
      migrate: store.migrate(),
      commit: store.run(A, async ({ commit }) => void (await commit(shop.credit))),
    };
    for (const [name, move] of Object.entries(moves)) void move.then(() => settled.push(name));
    await turns();
    expect(settled).toEqual([]);
    expect(shop.waits()).toBeGreaterThan(5 * 10);
    await holder.release();
    expect(await moves.claim).toEqual({ state: 'claimed' });
    await Promise.all(Object.values(moves));
    expect(await store.claim({ ...request, owner: 'b' })).toEqual({ state: 'done', digest: 'd' });
    expect(shop.credits()).toBe(1);
    expect(shop.timeout()).toBe(WEEKS); // SQLite's own waiting is as it was
  });

  it('without WAL waits to commit while another reads, and calls the function once', async ({ skip }) => {
    const shop = await open(driver, 'DELETE');
    if (shop === null) return skip(MISSING);
    const store = shop.make();
    await store.claim(request);
    const holder = await hold(shop.file, 'reader');
    let calls = 0;
    const credit = (): void => {
      calls += 1;
      shop.credit();
    };
    const run = store.run(A, async ({ commit }) => void (await commit(credit)));
    const other = store.claim({ ...request, key: 'other' }); // its COMMIT is what finds the reader in the way
    await turns();
    expect([calls, shop.waits() > 10]).toEqual([0, true]);
    await holder.release();
    expect(await run).toBe(true);
    expect(await other).toEqual({ state: 'claimed' });
    expect([calls, shop.credits()]).toEqual([1, 1]);
  });
});
