// The folder `sqlite` is one store: its statements, its transactions and the wait for a locked file.
import { checkOptions, configurationFail, readCount } from '../../../checks.ts';
import { ConfigurationError } from '../../../errors/classes.ts';
import { parseClock } from '../../clock.ts';
import type { SqlStore, SqlStoreOptions } from '../sql-store.ts';
import type { Claim, ClaimRequest, ClaimResult } from '../store.ts';
import { checkedNamespace, checkedRetention, quotedTable } from '../store-options.ts';
import { commitOnce, type SqliteCommit } from './sqlite-commit.ts';
import {
  checkDatabase,
  firstValue,
  isMissingTable,
  prepared,
  type SqliteDatabase,
  valuesOf,
} from './sqlite-database.ts';
import { type LockWaiting, realWaiting, transaction, whenUnlocked } from './sqlite-transaction.ts';

/**
 * Options of {@link sqliteStore}.
 *
 * @example
 * sqliteStore(db, { table: 'webhook_events', busyTimeout: 10_000 });
 */
export interface SqliteStoreOptions extends SqlStoreOptions {
  /**
   * How long an operation of the store, or `context.commit`, waits for a lock that another connection holds: 0 to 60,000
   * milliseconds. The process is not blocked meanwhile, whatever `timeout` the connection has. A delivery is answered at
   * the time limit of the handler in any case. @defaultValue 5,000
   */
  readonly busyTimeout?: number | undefined;
  /** Returns milliseconds since 1970. @defaultValue the machine's clock, which all processes with this file share */
  readonly now?: (() => number) | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof SqliteStoreOptions>([
  'table',
  'namespace',
  'retention',
  'busyTimeout',
  'now',
]);

/** A {@link WebhookStore} in an SQLite file. It adds `commit` to the context of your functions. */
export interface SqliteStore<Db = SqliteDatabase> extends SqlStore<{ readonly commit: SqliteCommit<Db> }> {}

/**
 * Creates a store in the SQLite database of your application, for one machine with any number of processes. Create its
 * table once, with `migrate()`.
 *
 * Writes inside `context.commit((db) => { … })` are made exactly once, together with the completion. This holds for
 * nothing else: a mail that your function sends may be sent again after a crash.
 *
 * While another process holds the lock, the store waits without blocking this one.
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

/** Creates the same store with an injected clock and timers for its waits. */
export function sqliteStoreWaiting<Db extends SqliteDatabase>(
  db: Db,
  options: SqliteStoreOptions,
  waiting: LockWaiting,
): SqliteStore<Db> {
  checkDatabase(db);
  const fail = configurationFail('sqliteStore');
  checkOptions('options', options, NAMES, fail);
  const limits = { byDefault: 5_000, min: 0, max: 60_000 };
  const busyTimeout = readCount('busyTimeout', options.busyTimeout, limits, fail);
  const now = parseClock(options.now);
  const retention = options.retention == null ? null : checkedRetention(options.retention);
  const sql = statements(quotedTable(options.table ?? 'merchant_webhook_events'), retention);
  const inLock = async <T>(work: () => T, withoutLock?: () => T | null): Promise<T> => {
    try {
      return await whenUnlocked(waiting, busyTimeout, () => transaction(db, 'IMMEDIATE', work, withoutLock));
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
  const read = (key: string, at: number): { readonly state: 'done' | 'running' | 'free'; digest: string } | null => {
    const held = valuesOf(prepared(db, sql.read).get(key));
    if (held === null) return null;
    const [digest, leaseEnd] = [String(held[0]), held[1]];
    return { state: leaseEnd === null ? 'done' : Number(leaseEnd) > at ? 'running' : 'free', digest };
  };
  /** The answer for a record that cannot be claimed. Null if it may be free: the lock then decides. */
  const refusal = ({ key }: ClaimRequest): ClaimResult | null => {
    const held = read(key, now());
    return held === null || held.state === 'free' ? null : { state: held.state, digest: held.digest };
  };
  const claim = ({ key, owner, digest, lease }: ClaimRequest): ClaimResult => {
    const at = now();
    if (changes(sql.insert, key, owner, digest, at + lease)) return { state: 'claimed' };
    const held = read(key, at);
    if (held === null) throw new Error('The record could neither be written nor read.');
    if (held.state !== 'free') return { state: held.state, digest: held.digest };
    prepared(db, sql.takeOver).run(owner, digest, at + lease, key);
    return { state: 'taken_over', digest: held.digest };
  };

  const complete = ({ key, owner }: Claim): Promise<boolean> => inLock(() => changes(sql.complete, now(), key, owner));

  return {
    retention,
    namespace: checkedNamespace(options.namespace),
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    migrate: () => inLock(() => void db.exec(sql.schema)),
    async cleanUp() {
      const { cleanUp } = sql;
      if (cleanUp === null) throw new ConfigurationError('Records are kept forever: give the store a retention.');
      return await inLock(() => {
        db.exec(cleanUp);
        return Number(firstValue(prepared(db, 'SELECT changes()').get()));
      });
    },
    claim: (request) =>
      inLock(
        () => claim(request),
        () => refusal(request),
      ),
    renew: ({ key, owner }, lease) => inLock(() => changes(sql.renew, now() + lease, key, owner)),
    complete,
    release: ({ key, owner }) => inLock(() => void changes(sql.release, key, owner)),
    async run(claimed, work) {
      const once = commitOnce(db, { busyTimeout, waiting }, () =>
        changes(sql.completeOnce, now(), claimed.key, claimed.owner),
      );
      const thrown = await failureOf(() => work({ commit: once.commit }));
      const { state, unhandled } = await once.end();
      const failure = thrown ?? unhandled;
      if (state === 'lost') return false;
      if (state === 'committed') return failure === null ? true : { failedAfterCommit: failure.error };
      if (failure !== null) throw failure.error;
      return await complete(claimed);
    },
  };
}

async function failureOf(work: () => Promise<void>): Promise<{ readonly error: unknown } | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return { error };
  }
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
  lease_end INTEGER, -- milliseconds since 1970; NULL once done
  done_at INTEGER -- milliseconds since 1970
)`,
    read: `SELECT digest, lease_end FROM ${table} WHERE event_key = ?`,
    insert: `INSERT INTO ${table} (event_key, owner, digest, lease_end) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    takeOver: `UPDATE ${table} SET owner = ?, digest = ?, lease_end = ? WHERE event_key = ?`,
    renew: `UPDATE ${table} SET lease_end = ? ${ours}`,
    // In the transaction of the writes: a second completion by the same claim must change no row.
    completeOnce: `UPDATE ${table} SET lease_end = NULL, done_at = ? ${ours}`,
    // Changes the row also if this claim has completed it before.
    complete: `UPDATE ${table} SET lease_end = NULL, done_at = coalesce(done_at, ?) ${held}`,
    release: `DELETE FROM ${table} ${ours}`,
    // A claim whose lease ended that long ago is dead.
    cleanUp: retention === null ? null : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < ${before}`,
  };
}
