import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  ConfigurationError,
  type SqliteCommit,
  type SqliteStoreOptions,
  sqliteStore,
  type WebhookHandlerOptions,
  type WebhookStore,
} from '../../../src/webhooks/index.ts';
import { type LockWaiting, sqliteStoreWaiting } from '../../../src/webhooks/stores/sqlite-store.ts';
import { temporaryFolder } from '../../support/engine-process.ts';
import { endpoint, send } from '../endpoint.ts';
import { ManualClock, settle } from '../manual-clock.ts';

// What is special to SQLite. What every store does is checked in conformance.test.ts, and locks that other processes hold in
// sqlite-lock.test.ts.

const files = temporaryFolder('sqlite');
afterAll(() => files.remove());
const opened: DatabaseSync[] = [];
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
});

let count = 0;
function open(options: { readonly file?: string; readonly timeout?: number } = {}) {
  count += 1;
  const { file = join(files.folder, `${count}.db`), timeout = 0 } = options;
  const db = new DatabaseSync(file, { timeout });
  opened.push(db);
  return { db, file };
}

async function shopWith(options: SqliteStoreOptions = {}, waiting?: LockWaiting) {
  const { db, file } = open({ timeout: 1_000 });
  const store = waiting === undefined ? sqliteStore(db, options) : sqliteStoreWaiting(db, options, waiting);
  await store.migrate();
  db.exec('CREATE TABLE credits (usdt TEXT)');
  const credits = (): number => db.prepare('SELECT * FROM credits').all().length;
  const credit = (): void => db.exec("INSERT INTO credits VALUES ('26.91')");
  return { db, file, store, credits, credit };
}
type Shop = Awaited<ReturnType<typeof shopWith>>;

/** A receiver whose function is given `commit`. */
function receiver(
  store: WebhookStore<{ readonly commit: SqliteCommit<DatabaseSync> }>,
  onPaid: (
    event: unknown,
    context: { readonly dedupeKey: string; readonly commit: SqliteCommit<DatabaseSync> },
  ) => unknown,
) {
  return endpoint({ store, onPaid } as unknown as Partial<WebhookHandlerOptions>); // its own options know a store without additions only
}

const A = { key: 'k:paid', owner: 'a' };
const request = { ...A, digest: 'd', lease: 60_000 };
const B = { ...request, owner: 'b' };
const failure = new Error('no such account');
const fail = (): never => {
  throw failure;
};

const throws = (write: () => void) => (): never => {
  write();
  throw failure;
};
const rejects = (write: () => void) => {
  write();
  return Promise.reject(new Error('nobody hears this'));
};
/** What a function does with `commit`. */
type Work = (commit: SqliteCommit<DatabaseSync>, shop: Shop) => unknown;
// What the types refuse: an async function, one that gives a promise, and what is no function.
const wrong = (value: unknown) => value as () => void;
const commitsAsyncWork: Work = (commit, { credit }) =>
  commit(
    wrong(async () => {
      await null;
      credit(); // outside of the transaction
    }),
  );
const seesItsTransaction: Work = async (commit, { db }) =>
  expect(await commit((given) => [given === db, db.isTransaction])).toEqual([true, true]);
const insideOfAnOpenOne: Work = (commit, { db, credit }) => {
  db.exec('BEGIN');
  return commit(credit).finally(() => db.exec('ROLLBACK'));
};

// The response, how often the credit was written, and the error that is reported.
it.each<[string, Work, string, number, (Error | RegExp)?]>([
  ['a write in commit', (commit, { credit }) => commit(credit), 'done', 1],
  ['a forgotten commit', (commit, { credit }) => void commit(credit), 'done', 1],
  ['no commit at all', () => {}, 'done', 0],
  ['a commit that is given the database, and gives its result', seesItsTransaction, 'done', 0],
  ['a commit that throws', (commit, { credit }) => commit(throws(credit)), 'handler_failed', 0, failure],
  ['a forgotten commit that throws', (commit) => void commit(fail), 'store_failed', 0, failure],
  ['a commit whose error is caught', (commit) => commit(fail).catch(() => undefined), 'store_failed', 0, failure],
  ['an error after its commit', (commit, { credit }) => commit(credit).then(fail), 'failed_after_commit', 1, failure],
  [
    'a failure that it returns after its commit',
    (commit, { credit }) => commit(credit).then(() => failure),
    'failed_after_commit',
    1,
    failure,
  ],
  ['a commit of async work, which does not begin', commitsAsyncWork, 'handler_failed', 0, /synchronous/],
  [
    'a commit that gives a promise',
    (commit, { credit }) => commit(wrong(() => rejects(credit))),
    'handler_failed',
    0,
    /synchronous/,
  ],
  ['a commit of text', (commit) => commit(wrong('INSERT')), 'handler_failed', 0, /takes a function/],
  [
    'a second commit',
    (commit, { credit }) => commit(credit).then(() => commit(credit)),
    'failed_after_commit',
    1,
    /twice/,
  ],
  [
    'two commits at once',
    (commit, { credit }) => Promise.all([commit(credit), commit(credit)]),
    'failed_after_commit',
    1,
    /twice/,
  ],
  ['a commit in a transaction', insideOfAnOpenOne, 'handler_failed', 0, /A transaction is open/],
  ['a commit that says COMMIT', (commit, { db }) => commit(() => db.exec('COMMIT')), 'handler_failed', 0, /ended the/],
])('a function with %s', async (title, work, body, credits, error) => {
  const shop = await shopWith();
  const unhandled: unknown[] = [];
  const listen = (thrown: unknown): void => void unhandled.push(thrown);
  process.on('unhandledRejection', listen);
  onTestFinished(() => void process.off('unhandledRejection', listen));
  const at = receiver(shop.store, (_event, { commit }) => work(commit, shop));
  expect(await send(at)).toMatchObject({ body });
  expect(shop.credits()).toBe(credits);
  if (error instanceof RegExp)
    expect(at.reports[0]?.error).toMatchObject({ code: 'SDK_CONFIGURATION', message: expect.stringMatching(error) });
  else if (title.includes('returns')) expect(at.reports[0]?.error).toMatchObject({ cause: error });
  else expect(at.reports[0]?.error).toBe(error);
  const isDone = body === 'done' || credits > 0 || title.includes('COMMIT'); // which keeps the completion
  expect((await send(at)).body === 'duplicate').toBe(isDone);
  expect(shop.credits()).toBe(credits);
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

it('a commit after the handler has ended is refused, and reported where nothing awaits it', async () => {
  const { store, credits, credit } = await shopWith();
  const at = receiver(store, (_event, { commit }) => {
    setTimeout(() => void commit(credit), 20);
  });
  expect(await send(at)).toMatchObject({ status: 200, body: 'done' });
  await expect.poll(() => at.reports).toHaveLength(1);
  expect(at.reports[0]).toMatchObject({
    ...{ reason: 'failed_after_commit', status: null, order: 'order-1042' },
    message: expect.stringMatching(/wrote after it had ended.*await commit/),
    error: { message: expect.stringContaining('after the handler had ended') },
  });
  expect(credits()).toBe(0);
});

it('a commit of a late loser does not call its function, and the delivery is answered 409', async () => {
  const { store, credits, credit } = await shopWith();
  const hasty = { ...store, claim: (claim: typeof request) => store.claim({ ...claim, lease: 0 }) };
  const at = receiver(hasty, async (_event, { dedupeKey, commit }) => {
    await store.claim({ ...B, key: dedupeKey });
    await commit(credit);
  });
  expect(await send(at)).toMatchObject({ status: 409, body: 'lease_lost' });
  expect(credits()).toBe(0);
});

it('a claim is refused while a transaction of somebody is open on the connection', async () => {
  const { store, db } = await shopWith();
  db.exec('BEGIN');
  await expect(store.claim(request)).rejects.toThrow(ConfigurationError);
  db.exec('ROLLBACK');
  expect(await store.claim(request)).toEqual({ state: 'claimed' });
});

it('a claim without the table names the remedy', async () => {
  const store = sqliteStore(open().db);
  await expect(store.claim(request)).rejects.toMatchObject({
    code: 'SDK_CONFIGURATION',
    message: expect.stringContaining('run store.migrate() once'),
  });
});

describe('while another connection holds the lock for writing', () => {
  /** A clock that only sleeping moves. */
  function clocked(random = 1) {
    let now = 5_000_000;
    const waits: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      waits.push(ms);
      now += ms;
    };
    return { waits, waiting: { elapsed: () => now, random: () => random, sleep } };
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const timeoutOf = ({ db }: Shop) => db.prepare('PRAGMA busy_timeout').get();

  it('a repeat is answered without a lock, and a new claim and a commit fail at busyTimeout with the cause', async () => {
    const { waits, waiting } = clocked();
    const shop = await shopWith({ busyTimeout: 1_000 }, waiting);
    const { store, credit, credits } = shop;
    await store.claim(request);
    const other = open({ file: shop.file }).db;
    other.exec('BEGIN IMMEDIATE');
    const locked = {
      message:
        'The SQLite database is locked: another connection held its lock for 1000 ms (busyTimeout). Nothing was written.',
      cause: { errcode: 5 },
    };
    expect(await store.claim(B)).toEqual({ state: 'running', digest: 'd', leaseEnd: expect.any(Number) });
    expect(waits).toEqual([]);
    await expect(store.claim({ ...request, key: 'new' })).rejects.toMatchObject(locked);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(1_000);
    expect([waits.slice(0, 7), Math.max(...waits)]).toEqual([[5, 10, 20, 40, 80, 100, 100], 100]);
    const ended = store.run(A, async ({ commit }) => {
      await expect(commit(credit)).rejects.toMatchObject(locked);
      other.exec('COMMIT');
      await commit(credit); // a commit that did not come to be may be tried again
    });
    expect([await ended, credits()]).toEqual([true, 1]);
    other.exec('BEGIN IMMEDIATE');
    expect(await store.claim(B)).toEqual({ state: 'done', digest: 'd' });
    expect(timeoutOf(shop)).toEqual({ timeout: 1_000 }); // SQLite's own waiting is as it was
  });

  it('the waits are partly random, and a clock that jumps does not end them', async () => {
    const { waits, waiting } = clocked(0);
    let hour = 0;
    const shop = await shopWith({ busyTimeout: 40, now: () => (hour += 3_600_000) }, waiting);
    open({ file: shop.file }).db.exec('BEGIN IMMEDIATE');
    await expect(shop.store.claim(request)).rejects.toThrow('locked');
    expect(waits).toEqual([2.5, 5, 10, 20, 2.5]);
    expect(timeoutOf(shop)).toEqual({ timeout: 1_000 });
  });

  it('a forgotten commit is waited for, and its error is not taken for a success', async () => {
    const { store, file } = await shopWith({}, { elapsed: () => 0, random: () => 1, sleep: turn });
    await store.claim(request);
    const other = open({ file }).db;
    other.exec('BEGIN IMMEDIATE');
    const run = store.run(A, async ({ commit }) => void commit(fail));
    for (let turns = 0; turns < 5; turns += 1) await turn();
    other.exec('COMMIT');
    await expect(run).rejects.toBe(failure);
    expect(await store.claim(B)).toMatchObject({ state: 'running' });
  });

  it('a snapshot that is too old is waited for, which SQLite itself does not do', async () => {
    const { db, store, credit, file } = await shopWith({}, { elapsed: () => 0, random: () => 1, sleep: turn });
    db.prepare('PRAGMA journal_mode = WAL').get();
    for (let row = 0; row < 2; row += 1) credit();
    const rows = db.prepare('SELECT * FROM credits').iterate();
    rows.next(); // reads on, as a report that is streamed does
    open({ file }).db.exec("INSERT INTO credits VALUES ('1')");
    let isSettled = false;
    const claim = store.claim(request).finally(() => {
      isSettled = true;
    });
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(isSettled).toBe(false);
    for (const _row of rows);
    expect(await claim).toEqual({ state: 'claimed' });
  });
});

it('the schema can be made again, by statement or method', async () => {
  const { store, db } = await shopWith();
  await store.migrate();
  db.exec(store.schema);
  expect(store.schema).toContain('CREATE TABLE IF NOT EXISTS "merchant_webhook_events"');
});

it.each(['merchant_webhook_events', 'main.webhook_events'])(
  'migrate refuses a table %s with other columns',
  async (table) => {
    const { db } = open();
    const store = sqliteStore(db, { table });
    await store.migrate();
    db.exec(`ALTER TABLE ${table} DROP COLUMN digest`);
    await expect(store.migrate()).rejects.toThrow('has no column digest');
  },
);

it('a delivery after a kill says since when the event is held, and when it is free', async () => {
  const clock = new ManualClock();
  clock.time = Date.UTC(2026, 0, 31, 12);
  const { store } = await shopWith({ now: clock.now });
  const killed = endpoint({ store, onPaid: () => new Promise(() => {}) } as Partial<WebhookHandlerOptions>, clock);
  void send(killed);
  await settle();
  clock.time += 10_000; // its timers are dead: no extension follows
  const restarted = endpoint({ store } as Partial<WebhookHandlerOptions>, clock);
  expect(await send(restarted)).toMatchObject({ status: 409 });
  expect(restarted.reports).toMatchObject([
    {
      reason: 'duplicate_running',
      message:
        'Another attempt is handling the same event. Its last sign of life was at 2026-01-31T12:00:00.000Z. If its process has died, the event is free at 2026-01-31T12:00:50.000Z.',
    },
  ]);
  clock.time += 40_000;
  expect(await send(restarted)).toMatchObject({ status: 200, body: 'done' });
});

it('cleanUp and cleanUpStatement remove what is older than the retention by their clocks, and nothing else', async () => {
  const day = 86_400_000;
  let time = Date.UTC(2001, 0, 1);
  const { store, db } = await shopWith({ retention: 30 * day, table: 'main.events', now: () => time });
  const keys = () => db.prepare('SELECT event_key FROM events ORDER BY event_key').all().flatMap(Object.values);
  const claim = (key: string, lease = 0) => store.claim({ ...request, key, lease });
  await claim('dead');
  await claim('done');
  await store.complete({ ...A, key: 'done' });
  time += 1;
  await claim('running', 50_000);
  await claim('young');
  await store.complete({ ...A, key: 'young' });
  time += 30 * day - 1;
  expect(await store.cleanUp()).toBe(0);
  time += 1;
  expect(await claim('running')).toMatchObject({ state: 'taken_over' });
  expect(store.retention).toBe(30 * day);
  expect(await store.cleanUp()).toBe(2);
  expect(keys()).toEqual(['running', 'young']);
  db.prepare('UPDATE events SET done_at = ? WHERE event_key = ?').run(Date.now() - 29 * day, 'young');
  db.exec(store.cleanUpStatement ?? '');
  expect(keys()).toEqual(['young']);
});

it('the store keeps records for ever by default, and says so', async () => {
  const { store } = await shopWith();
  expect(store).toMatchObject({ retention: null, cleanUpStatement: null });
  await expect(store.cleanUp()).rejects.toThrow(ConfigurationError);
});
