import { configurationFail, count, type OptionTable, readOptions } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { isProduction } from '../../errors/environment.ts';
import { warnOnce } from '../../errors/notify.ts';
import { parseClock, type TimeSource } from '../time-source.ts';
import type { Claim, ClaimRequest, ClaimResult, LeaseStore } from './store.ts';
import {
  checkColumns,
  namespaceOption,
  retentionOption,
  type SqlStore,
  type SqlStoreOptions,
  tableOption,
} from './store-options.ts';

/**
 * Options of {@link sqliteStore}.
 *
 * @example
 * sqliteStore(db, { table: 'webhook_events', busyTimeout: 10_000 });
 */
export interface SqliteStoreOptions extends SqlStoreOptions {
  /**
   * How long an operation of the store, or `context.commit`, waits for a lock that another connection holds: 0 to
   * 60,000 milliseconds. The process is not blocked meanwhile, whatever `timeout` the connection has. A delivery is
   * answered at the time limit of the handler in any case. @defaultValue 5,000
   */
  readonly busyTimeout?: number | undefined;
  /** Milliseconds since 1970. @defaultValue the machine's clock, which all processes with this file share */
  readonly now?: (() => number | Date) | undefined;
}

const OPTIONS = {
  table: tableOption,
  namespace: namespaceOption,
  retention: retentionOption(null),
  busyTimeout: count({ default: 5_000, min: 0, max: 60_000 }),
  now: (value: unknown) => parseClock(value as TimeSource | undefined), // which checks it
} satisfies OptionTable<SqliteStoreOptions>;

/**
 * A prepared statement of node:sqlite, better-sqlite3 or bun:sqlite. The types of its values are open, because no
 * common type works for all drivers in all versions of TypeScript. The store binds text and numbers.
 */
export interface SqliteStatement {
  run(...values: never[]): { readonly changes: number | bigint };
  get(...values: never[]): unknown;
}

/** The part that is common to `DatabaseSync` of node:sqlite, and `Database` of better-sqlite3 and bun:sqlite. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/**
 * Makes your writes and the completion of the event in one transaction: all of it, or nothing. It takes a synchronous
 * function, calls it between BEGIN and COMMIT, and resolves with its result. It commits at most once for an event.
 *
 * If the lock is free, all of that happens before the call returns. While another process holds the lock, the call
 * waits for up to `busyTimeout` without blocking this process. The function is called when the lock is held.
 *
 * If the function throws, its writes are rolled back and the error is rethrown. If another attempt has taken the event
 * over, the function is not called, and the call rejects with an Error. Do not catch it.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an async function, a second call, a call after the handler
 * ended, an open transaction.
 * @example
 * createWebhookHandler({
 *   secret,
 *   store: sqliteStore(db),
 *   onPaid: (event, { commit }) =>
 *     commit((db) => void db.prepare('UPDATE orders SET paid = 1 WHERE id = ?').run(event.order)),
 *   onAdjusted: (event, { commit }) =>
 *     commit((db) => void db.prepare('UPDATE orders SET review = 1 WHERE id = ?').run(event.order)),
 *   onCanceled: () => {},
 * });
 */
export type SqliteCommit<Db> = <T>(work: (db: Db) => T extends PromiseLike<unknown> ? never : T) => Promise<T>;

/** A {@link LeaseStore} in an SQLite file. It adds `commit` to the context of your functions. */
export interface SqliteStore<Db = SqliteDatabase> extends LeaseStore<{ readonly commit: SqliteCommit<Db> }>, SqlStore {
  run: NonNullable<LeaseStore<{ readonly commit: SqliteCommit<Db> }>['run']>;
}

/**
 * Creates a store in the SQLite database of your application, for one machine with any number of processes. Create its
 * table once, with `migrate()`.
 *
 * Writes inside `context.commit((db) => { … })` are made exactly once, together with the completion. This holds for
 * nothing else: a mail that your function sends may be sent again after a crash.
 *
 * While another process holds the lock, the store waits without blocking this one. A transaction that an ORM keeps open
 * across an `await` on the same connection excludes the store, which refuses meanwhile: give the store a connection of
 * its own, and make `dedupeKey` a unique key in the transaction of the ORM.
 *
 * @param db `DatabaseSync` of node:sqlite, or `Database` of better-sqlite3 or bun:sqlite.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for another kind of object, or an unusable option.
 * @example
 * const store = sqliteStore(new DatabaseSync('shop.db'));
 * await store.migrate();
 */
export function sqliteStore<Db extends SqliteDatabase>(db: Db, options: SqliteStoreOptions = {}): SqliteStore<Db> {
  return sqliteStoreWaiting(db, options, realWaiting);
}

/** What a wait for a lock uses: a monotonic clock, a timer and random numbers. Tests pass their own. */
export interface LockWaiting {
  /** Milliseconds since an arbitrary moment. */
  elapsed(): number;
  sleep(ms: number): Promise<void>;
  /** A number from 0 to 1. */
  random(): number;
}

const realWaiting: LockWaiting = {
  elapsed: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
};

/** Creates the store of {@link sqliteStore} with the given clock and timer for its waits. */
export function sqliteStoreWaiting<Db extends SqliteDatabase>(
  db: Db,
  options: SqliteStoreOptions,
  waiting: LockWaiting,
): SqliteStore<Db> {
  checkDatabase(db);
  const fail = configurationFail('sqliteStore');
  const { table, namespace, retention, busyTimeout, now } = readOptions('options', options, OPTIONS, fail);
  warnOfMemory(db, table);
  const sql = statements(table, retention);
  const inLock = async <T>(work: () => T, withoutLock?: () => T | null): Promise<T> => {
    try {
      return await whenUnlocked(waiting, busyTimeout, () => transaction(db, 'IMMEDIATE', work, { withoutLock }));
    } catch (error) {
      if (!isMissingTable(error, sql.table)) throw error;
      throw new ConfigurationError(
        `The table ${sql.table} does not exist: run store.migrate() once, or store.schema.`,
        { cause: error },
      );
    }
  };
  const changes = (statement: string, ...values: (string | number)[]): boolean =>
    Number(prepared(db, statement).run(...values).changes) > 0;
  /** The record of a key, or null for an unknown key. */
  const read = (key: string, at: number): { isDone: boolean; runsUntil: number | null; digest: string } | null => {
    const held = valuesOf(prepared(db, sql.read).get(key));
    if (held === null) return null;
    const [digest, leaseEnd, doneAt] = held;
    const runsUntil = leaseEnd !== null && Number(leaseEnd) > at ? Number(leaseEnd) : null;
    return { isDone: doneAt !== null, runsUntil, digest: String(digest) };
  };
  /**
   * The result for a record that cannot be claimed. Null if it may be free: the claim under the lock then
   * decides.
   */
  const heldResult = (held: ReturnType<typeof read>, { again = false }: ClaimRequest): ClaimResult | null => {
    if (held === null) return null;
    const { isDone, runsUntil, digest } = held;
    if (isDone && !again) return { state: 'done', digest };
    return runsUntil === null ? null : { state: 'running', digest, leaseEnd: runsUntil };
  };
  const claim = (request: ClaimRequest): ClaimResult => {
    const { key, owner, digest, lease } = request;
    const at = now();
    if (changes(sql.insert, key, owner, digest, at + lease)) return { state: 'claimed' };
    const held = read(key, at);
    if (held === null) throw new Error('The record could neither be written nor read.');
    const result = heldResult(held, request);
    if (result !== null) return result;
    if (held.isDone) {
      prepared(db, sql.replay).run(owner, at + lease, key);
      return { state: 'claimed' };
    }
    prepared(db, sql.takeOver).run(owner, digest, at + lease, key);
    return { state: 'taken_over', digest: held.digest };
  };

  const complete = ({ key, owner }: Claim): Promise<boolean> => inLock(() => changes(sql.complete, now(), key, owner));

  return {
    retention,
    namespace,
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    migrate: () =>
      inLock(() => {
        db.exec(sql.schema);
        checkColumns(sql.table, columnsOf(db, sql.table), sql.columns);
      }),
    async cleanUp() {
      if (retention === null) throw new ConfigurationError('Records are kept forever: give the store a retention.');
      return await inLock(() => Number(prepared(db, sql.remove).run(now() - retention).changes));
    },
    claim: (request) =>
      inLock(
        () => claim(request),
        () => heldResult(read(request.key, now()), request),
      ),
    extend: ({ key, owner }, lease) => inLock(() => changes(sql.extend, now() + lease, key, owner)),
    complete,
    release: ({ key, owner }) =>
      inLock(() => void (changes(sql.endReplay, key, owner) || changes(sql.release, key, owner))),
    async run(claimed, work, onLate) {
      const once = commitOnce(
        db,
        (write) => whenUnlocked(waiting, busyTimeout, write),
        () => changes(sql.completeOnce, now(), claimed.key, claimed.owner),
        onLate,
      );
      const thrown = await work({ commit: once.commit }).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      const { state, failure } = await once.end();
      const failed = thrown ?? failure;
      if (state === 'lost') return false;
      if (state === 'committed') return failed === null ? true : { failedAfterCommit: failed.error };
      if (failed !== null) throw failed.error;
      return await complete(claimed);
    },
  };
}

interface Commit {
  state: 'unused' | 'waiting' | 'committed' | 'lost';
  /**
   * The error of the last call of `commit`. The event has then failed, even if the merchant's function caught the
   * error.
   */
  failure: { readonly error: unknown } | null;
}

/** How one call of `commit` ended, and the state that follows. Only `committed` has written something. */
type Written<T> =
  | { readonly state: 'committed'; readonly value: T }
  | { readonly state: 'unused' | 'lost'; readonly error: unknown };

const TAKEN_OVER = 'Another attempt took the event over. Nothing was written.';

/**
 * The `commit` of one event. `end` waits for the calls of `commit`, so that a forgotten `await` neither ends
 * the event too early nor loses an error, and refuses further calls.
 *
 * @param complete Marks the event done if the claim still holds, and returns whether it does.
 * @param onLate Called with the error of a call after the end, which nothing may await.
 */
function commitOnce<Db extends SqliteDatabase>(
  db: Db,
  whenFree: <T>(write: () => T) => Promise<T>,
  complete: () => boolean,
  onLate: (error: unknown) => void = () => {},
): { readonly commit: SqliteCommit<Db>; end(): Promise<Commit> } {
  const progress: Commit = { state: 'unused', failure: null };
  const calls: Promise<unknown>[] = [];
  let isOver = false;
  let isRead = false;
  const attempt = async <T>(write: (db: Db) => T): Promise<T> => {
    if (isOver) throw new ConfigurationError('context.commit was called after the handler had ended: await your work.');
    if (progress.state === 'committed' || progress.state === 'waiting') {
      throw new ConfigurationError('context.commit was called twice: put all writes of the event into one call.');
    }
    if (typeof write !== 'function') throw new ConfigurationError('context.commit takes a function: (db) => { … }.');
    // Refused before the call: an async function would go on after its promise was refused.
    if (Object.prototype.toString.call(write) === '[object AsyncFunction]') throw new ConfigurationError(SYNCHRONOUS);
    progress.state = 'waiting';
    // The completion comes first: under this lock no other attempt can take the claim, and without the claim the
    // function must not begin.
    const play = (): Written<T> => {
      if (!complete()) return { state: 'lost', error: new Error(TAKEN_OVER) };
      try {
        return { state: 'committed', value: refusePromise(write(db)) };
      } catch (error) {
        return { state: 'unused', error }; // as a value, because it may look like the error of a lock
      }
    };
    const written = await whenFree(() =>
      transaction(db, 'EXCLUSIVE', play, { isKept: ({ state }) => state === 'committed' }),
    ).catch((error: unknown): Written<T> => ({ state: 'unused', error }));
    progress.state = written.state;
    if (written.state !== 'committed') throw written.error;
    progress.failure = null;
    return written.value;
  };
  return {
    commit(write) {
      const call = attempt(write as (db: Db) => never); // the type refuses only a function that returns a promise
      calls.push(
        call.catch((error: unknown) => {
          if (isRead) onLate(error);
          else progress.failure = { error };
        }),
      );
      return call;
    },
    async end() {
      isOver = true;
      await Promise.all(calls);
      isRead = true;
      return progress;
    },
  };
}

const SYNCHRONOUS =
  'context.commit takes a synchronous function. After its first await, an async function would continue outside of the transaction, or inside of another one. Nothing was written.';

function refusePromise<T>(result: T): T {
  if (typeof result !== 'object' || result === null || !('then' in result)) return result;
  void Promise.resolve(result).catch(() => undefined); // no code waits for this promise, and it may reject
  throw new ConfigurationError(SYNCHRONOUS);
}

function statements(table: string, retention: number | null) {
  const held = 'WHERE event_key = ? AND owner = ?';
  const ours = `${held} AND lease_end IS NOT NULL`;
  const before = `(julianday('now') - 2440587.5) * 86400000 - ${retention}`;
  return {
    table,
    schema: `CREATE TABLE IF NOT EXISTS ${table} (
  event_key TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  digest TEXT NOT NULL,
  lease_end INTEGER, -- of a claim, in milliseconds since 1970
  done_at INTEGER -- milliseconds since 1970
)`,
    columns: ['event_key', 'owner', 'digest', 'lease_end', 'done_at'],
    read: `SELECT digest, lease_end, done_at FROM ${table} WHERE event_key = ?`,
    insert: `INSERT INTO ${table} (event_key, owner, digest, lease_end) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    takeOver: `UPDATE ${table} SET owner = ?, digest = ?, lease_end = ? WHERE event_key = ?`,
    replay: `UPDATE ${table} SET owner = ?, lease_end = ? WHERE event_key = ?`,
    extend: `UPDATE ${table} SET lease_end = ? ${ours}`,
    // In the transaction of the writes: a second completion by the same claim must change no row.
    completeOnce: `UPDATE ${table} SET lease_end = NULL, done_at = coalesce(done_at, ?) ${ours}`,
    // Changes the row also if this claim has completed it before.
    complete: `UPDATE ${table} SET lease_end = NULL, done_at = coalesce(done_at, ?) ${held}`,
    endReplay: `UPDATE ${table} SET lease_end = NULL ${ours} AND done_at IS NOT NULL`,
    release: `DELETE FROM ${table} ${ours}`,
    // Also claims whose lease ended that long ago: their processes have died.
    remove: `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < ?`,
    // For a job of the database, by the clock of the machine.
    cleanUp: retention === null ? null : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < ${before}`,
  };
}

/**
 * The lock that a transaction takes at its start.
 *
 * - `IMMEDIATE`: the lock for writing, for the operations of the store. Without WAL readers can still block its COMMIT.
 *   The transaction is then rolled back and repeated as a whole.
 * - `EXCLUSIVE`: without WAL the lock that COMMIT needs, so that the work runs once and its COMMIT never waits. With
 *   WAL it is the same as IMMEDIATE.
 */
type SqliteLock = 'IMMEDIATE' | 'EXCLUSIVE';

/**
 * Runs `work` between BEGIN and COMMIT. Rolls back and rethrows if it throws. It is synchronous, so that no other
 * statement on this connection can run in between, and it does not wait for a lock.
 *
 * @param withoutLock Called before BEGIN. If it returns a result, there is no transaction: a repeat of a completed
 * event needs no lock for writing.
 * @param isKept False for a result whose writes are rolled back.
 * @throws The driver's error if another connection holds the lock. Nothing was written.
 * @throws ConfigurationError if a transaction is already open, or `work` ended this one.
 */
function transaction<T>(
  db: SqliteDatabase,
  lock: SqliteLock,
  work: () => T,
  { withoutLock, isKept = () => true }: { withoutLock?: (() => T | null) | undefined; isKept?: (result: T) => boolean },
): T {
  if (inTransaction(db) === true) throw openAlready();
  // Each try at a lock must return at once instead of blocking the process for the `timeout` of the connection, which
  // better-sqlite3 sets to 5 seconds. It is restored afterwards.
  const timeout = Number(busyTimeoutOf(db));
  if (timeout !== 0) db.exec('PRAGMA busy_timeout = 0');
  try {
    const known = withoutLock?.() ?? null;
    if (known !== null) return known;
    db.exec(`BEGIN ${lock}`);
    try {
      const result = work();
      if (!isKept(result)) rollBack(db);
      else if (inTransaction(db) === false) {
        throw new ConfigurationError('Your function ended the transaction of the store.');
      } else db.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  } finally {
    if (timeout !== 0) db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}

function openAlready(): ConfigurationError {
  return new ConfigurationError(
    'A transaction is open on this SQLite connection, and the writes of the store would become a part of it. Call context.commit outside of transactions. Give the store a separate connection if yours has transactions that stay open across an await.',
  );
}

function rollBack(db: SqliteDatabase): void {
  if (inTransaction(db) === false) return;
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, for example because the disk is full.
  }
}

/**
 * Milliseconds between two tries at a lock that another connection holds. The wait doubles from the first to the
 * longest.
 */
const FIRST_WAIT = 5;
const LONGEST_WAIT = 100;

/**
 * Repeats an attempt until no other connection holds the lock, or `busyTimeout` ends. Between two tries the event loop
 * is free. Waits are partly random, so that processes do not try at the same moments.
 */
async function whenUnlocked<T>(waiting: LockWaiting, busyTimeout: number, attempt: () => T): Promise<T> {
  const deadline = waiting.elapsed() + busyTimeout;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error)) throw error;
      const left = deadline - waiting.elapsed();
      if (!(left > 0)) {
        throw new Error(
          `The SQLite database is locked: another connection held its lock for ${busyTimeout} ms (busyTimeout). Nothing was written.`,
          { cause: error },
        );
      }
      await waiting.sleep(Math.min(left, wait * (0.5 + waiting.random() / 2)));
    }
  }
}

const EXPECTED =
  'sqliteStore needs an open, synchronous SQLite database: new DatabaseSync(file) of node:sqlite, or new Database(file) of better-sqlite3 or bun:sqlite';

/** @throws ConfigurationError for anything but an open, synchronous database. */
function checkDatabase(db: unknown): void {
  const members = db as Partial<SqliteDatabase> | null | undefined; // checked below
  if (typeof members?.prepare !== 'function' || typeof members.exec !== 'function') {
    throw new ConfigurationError(`${EXPECTED}.`);
  }
  let value: unknown;
  try {
    value = busyTimeoutOf(members as SqliteDatabase); // the two functions were checked above
  } catch (cause) {
    if (isLocked(cause)) return; // only a synchronous driver throws this
    throw new ConfigurationError(`${EXPECTED}. This one could not run a statement: is it open?`, { cause });
  }
  if (typeof value !== 'number')
    throw new ConfigurationError(`${EXPECTED}. This one does not return a result at once: is its driver async?`);
}

/** Warns once in production of a database without a file. */
function warnOfMemory(db: SqliteDatabase, table: string): void {
  if (!isProduction()) return;
  const [, schema = 'main'] = table.replaceAll('"', '').split('.').reverse();
  const [file] = valuesOf(prepared(db, `SELECT file FROM pragma_database_list WHERE name = '${schema}'`).get()) ?? [];
  if (file !== '') return;
  warnOnce(
    'sqliteStore in memory',
    'sqliteStore over a database without a file (:memory:) in production: a restart forgets which events are done.\n' +
      '  An order can be fulfilled twice. Open a file.',
  );
}

/** The values of a row, which may be an object or an array, or null if there is no row. */
function valuesOf(row: unknown): readonly unknown[] | null {
  return typeof row === 'object' && row !== null ? Object.values(row) : null;
}

interface BoundStatement {
  run(...values: (string | number)[]): { readonly changes: number | bigint };
  get(...values: (string | number)[]): unknown;
}

/** Prepares a statement of the store. */
function prepared(db: SqliteDatabase, sql: string): BoundStatement {
  return db.prepare(sql) as BoundStatement; // every SQLite driver binds text and numbers
}

/** The names of a table's columns. */
function columnsOf(db: SqliteDatabase, table: string): readonly string[] {
  const [name, schema] = table.replaceAll('"', '').split('.').reverse();
  const place = schema === undefined ? `'${name}'` : `'${name}', '${schema}'`;
  const names = `SELECT group_concat(name) FROM pragma_table_info(${place})`;
  const [list] = valuesOf(prepared(db, names).get()) ?? [];
  return typeof list === 'string' ? list.split(',') : [];
}

/** How long SQLite waits for locks, in milliseconds. The query needs no lock of the file, but one of a shared cache. */
function busyTimeoutOf(db: SqliteDatabase): unknown {
  const [value] = valuesOf(prepared(db, 'PRAGMA busy_timeout').get()) ?? [];
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Whether a transaction is open on this connection, or null if the driver is too old to tell. */
function inTransaction(db: SqliteDatabase): boolean | null {
  const { isTransaction, inTransaction } = db as { isTransaction?: unknown; inTransaction?: unknown }; // each driver has one
  if (typeof isTransaction === 'boolean') return isTransaction;
  return typeof inTransaction === 'boolean' ? inTransaction : null;
}

/** SQLITE_BUSY: another connection has the lock. SQLITE_LOCKED: the same, between connections with one shared cache. */
const LOCKED_CODES: readonly unknown[] = [5, 6];
const LOCKED_NAME = /^SQLITE_(?:BUSY|LOCKED)/;

/** Whether another connection holds the lock. node:sqlite has the number, better-sqlite3 and Bun have the name. */
function isLocked(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }; // checked below
  // The low byte is the family: SQLITE_BUSY_SNAPSHOT is 517.
  if (typeof errcode === 'number') return LOCKED_CODES.includes(errcode & 0xff);
  return typeof code === 'string' && LOCKED_NAME.test(code);
}

/** Whether the table of the store does not exist yet. */
function isMissingTable(error: unknown, table: string): boolean {
  const name = table.replaceAll('"', '');
  return error instanceof Error && error.message.includes(`no such table: ${name}`);
}
