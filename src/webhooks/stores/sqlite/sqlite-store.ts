import { ConfigurationError } from '../../../errors/classes.ts';
import { clockFrom } from '../../verify/verify-settings.ts';
import type { Claim, ClaimRequest, ClaimResult, RunResult, WebhookStore } from '../store.ts';
import { checkedNamespace, checkedRetention, checkStoreOptions, quotedTable } from '../store-options.ts';
import { commitOnce, type SqliteCommit } from './sqlite-commit.ts';
import {
  checkDatabase,
  firstValue,
  isMissingTable,
  prepared,
  type SqliteDatabase,
  valuesOf,
} from './sqlite-database.ts';
import { type LockWaiting, realWaiting, whenUnlocked } from './sqlite-lock.ts';
import { transaction } from './sqlite-transaction.ts';

/** How a {@link sqliteStore} is set up. */
export interface SqliteStoreOptions {
  /** Default `merchant_webhook_events`. */
  readonly table?: string | undefined;
  /**
   * Whose events these are, as a part of every key: 1 to 64 letters, digits or `_ . -`. Give it from the first day where
   * two businesses, or two installations of the service, share one table. Default: none.
   */
  readonly namespace?: string | undefined;
  /** How long completed events are remembered, in milliseconds; at least a day; default null, for ever. */
  readonly retention?: number | null | undefined;
  /**
   * How long a move of the store, or `context.commit`, waits for a lock that another connection holds: 0 to 60,000
   * milliseconds, default 5,000. The process is not blocked meanwhile, whatever `timeout` the connection has. A delivery
   * is answered at the time limit of the handler in any case.
   */
  readonly busyTimeout?: number | undefined;
  /** Milliseconds since 1970; default the machine's clock, which is that of everybody who has the file open. */
  readonly now?: (() => number) | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof SqliteStoreOptions>([
  'table',
  'namespace',
  'retention',
  'busyTimeout',
  'now',
]);

/** A {@link WebhookStore} in an SQLite file. */
export interface SqliteStore<Db = SqliteDatabase> extends WebhookStore<{ readonly commit: SqliteCommit<Db> }> {
  /** The statement that makes the table; harmless to repeat. For your own migrations. */
  readonly schema: string;
  /** The statement that removes what is older than `retention`; null where that is null. */
  readonly cleanUpStatement: string | null;
  /** Runs `schema`. */
  migrate(): Promise<void>;
  /** Runs `cleanUpStatement`, and says how many records it removed. @throws ConfigurationError without a `retention`. */
  cleanUp(): Promise<number>;
  run(claim: Claim, work: (extra: { readonly commit: SqliteCommit<Db> }) => Promise<void>): Promise<RunResult>;
}

/**
 * Remembers events in the SQLite database of your application: for one machine, with any number of processes. Takes
 * `DatabaseSync` of node:sqlite, or `Database` of better-sqlite3 or bun:sqlite. Make the table once, with `migrate()`.
 *
 * Writes made inside `context.commit((db) => { … })` are made exactly once, together with the completion. That holds for
 * them and for nothing else: a mail that your function sends may be sent again after a crash.
 *
 * While another process holds the lock, the store waits without blocking this one.
 *
 * @throws ConfigurationError for another kind of object, or an unusable option.
 */
export function sqliteStore<Db extends SqliteDatabase>(db: Db, options: SqliteStoreOptions = {}): SqliteStore<Db> {
  return sqliteStoreWaiting(db, options, realWaiting);
}

/** As {@link sqliteStore}, with the clock and the timers that it waits by. */
export function sqliteStoreWaiting<Db extends SqliteDatabase>(
  db: Db,
  options: SqliteStoreOptions,
  waiting: LockWaiting,
): SqliteStore<Db> {
  checkDatabase(db);
  checkStoreOptions('sqliteStore', options, NAMES);
  const { busyTimeout = 5_000 } = options;
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > 60_000) {
    throw new ConfigurationError('busyTimeout must be 0 to 60,000 milliseconds.');
  }
  const now = clockFrom(options.now);
  const retention = options.retention == null ? null : checkedRetention(options.retention);
  const sql = statements(quotedTable(options.table ?? 'merchant_webhook_events'), retention);
  const move = async <T>(work: () => T): Promise<T> => {
    try {
      return await whenUnlocked(waiting, busyTimeout, () => transaction(db, 'IMMEDIATE', work));
    } catch (error) {
      if (!isMissingTable(error, sql.table)) throw error;
      throw new ConfigurationError(
        `The table ${sql.table} does not exist: run store.migrate() once, or store.schema.`,
        { cause: error },
      );
    }
  };
  const touches = (statement: string, ...values: (string | number)[]): boolean =>
    Number(prepared(db, statement).run(...values).changes) > 0;
  const claim = ({ key, owner, digest, lease }: ClaimRequest): ClaimResult => {
    const at = now();
    const held = valuesOf(prepared(db, sql.read).get(key));
    if (held === null) {
      prepared(db, sql.insert).run(key, owner, digest, at + lease);
      return { state: 'claimed' };
    }
    const [earlier, leaseEnd] = [String(held[0]), held[1]];
    if (leaseEnd === null) return { state: 'done', digest: earlier };
    if (Number(leaseEnd) > at) return { state: 'running', digest: earlier };
    prepared(db, sql.takeOver).run(owner, digest, at + lease, key);
    return { state: 'taken_over', digest: earlier };
  };

  const complete = ({ key, owner }: Claim): Promise<boolean> => move(() => touches(sql.complete, now(), key, owner));

  return {
    retention,
    namespace: checkedNamespace(options.namespace),
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    migrate: () => move(() => void db.exec(sql.schema)),
    async cleanUp() {
      const { cleanUp } = sql;
      if (cleanUp === null) throw new ConfigurationError('Records are kept for ever: give the store a retention.');
      return await move(() => {
        db.exec(cleanUp);
        return Number(firstValue(prepared(db, 'SELECT changes()').get()));
      });
    },
    claim: (request) => move(() => claim(request)),
    renew: ({ key, owner }, lease) => move(() => touches(sql.renew, now() + lease, key, owner)),
    complete,
    release: ({ key, owner }) => move(() => void touches(sql.release, key, owner)),
    async run(claimed, work) {
      const once = commitOnce(db, { busyTimeout, waiting }, () =>
        touches(sql.completeOnce, now(), claimed.key, claimed.owner),
      );
      const thrown = await failureOf(() => work({ commit: once.commit }));
      const { state, unheard } = await once.end();
      const failure = thrown ?? unheard;
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
    insert: `INSERT INTO ${table} (event_key, owner, digest, lease_end) VALUES (?, ?, ?, ?)`,
    takeOver: `UPDATE ${table} SET owner = ?, digest = ?, lease_end = ? WHERE event_key = ?`,
    renew: `UPDATE ${table} SET lease_end = ? ${ours}`,
    // In the transaction of the writes: a second one under the same claim must touch no row.
    completeOnce: `UPDATE ${table} SET lease_end = NULL, done_at = ? ${ours}`,
    // Touches the row also when this claim has completed it before.
    complete: `UPDATE ${table} SET lease_end = NULL, done_at = coalesce(done_at, ?) ${held}`,
    release: `DELETE FROM ${table} ${ours}`,
    // A claim whose lease ended that long ago is as good as none.
    cleanUp: retention === null ? null : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < ${before}`,
  };
}
