import { ConfigurationError } from '../../errors.ts';
import type { Claim, ClaimRequest, ClaimResult, WebhookStore } from '../store.ts';
import { clockFrom } from '../verify-settings.ts';
import { commitOnce, type SqliteCommit } from './sqlite-commit.ts';
import { checkDatabase, firstValue, isMissingTable, type SqliteDatabase, valuesOf } from './sqlite-database.ts';
import { eventually } from './sqlite-transaction.ts';
import { checkedRetention, quotedTable } from './store-options.ts';

/** How a {@link sqliteStore} is set up. */
export interface SqliteStoreOptions {
  /** Default `merchant_webhook_events`. */
  readonly table?: string | undefined;
  /** How long completed events are remembered, in milliseconds; at least a day; default null, for ever. */
  readonly retention?: number | null | undefined;
  /** How long to wait for a lock that another process holds, in milliseconds; default 5,000. */
  readonly busyTimeout?: number | undefined;
  /** Milliseconds since 1970; default the machine's clock, which is that of everybody who has the file open. */
  readonly now?: (() => number) | undefined;
}

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
  run(claim: Claim, work: (extra: { readonly commit: SqliteCommit<Db> }) => Promise<void>): Promise<boolean>;
}

/**
 * Remembers events in the SQLite database of your application: for one machine, with any number of processes. Takes
 * `DatabaseSync` of node:sqlite or `Database` of better-sqlite3. Make the table once, with `migrate()`.
 *
 * Writes made inside `context.commit((db) => { … })` are made exactly once, together with the completion. That holds for
 * them and for nothing else: a mail that your function sends may be sent again after a crash.
 *
 * @throws ConfigurationError for another kind of object, or an unusable option.
 */
export function sqliteStore<Db extends SqliteDatabase>(db: Db, options: SqliteStoreOptions = {}): SqliteStore<Db> {
  checkDatabase(db);
  const { busyTimeout = 5_000 } = options;
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > 60_000) {
    throw new ConfigurationError('busyTimeout must be 0 to 60,000 milliseconds.');
  }
  const now = clockFrom(options.now);
  const retention = options.retention == null ? null : checkedRetention(options.retention);
  const sql = statements(quotedTable(options.table ?? 'merchant_webhook_events'), retention);
  const move = async <T>(work: () => T): Promise<T> => {
    try {
      return await eventually(db, busyTimeout, work);
    } catch (error) {
      if (!isMissingTable(error, sql.table)) throw error;
      throw new ConfigurationError(`The table ${sql.table} does not exist: run store.migrate() once, or store.schema.`);
    }
  };
  const touches = (statement: string, ...values: (string | number)[]): boolean =>
    Number(db.prepare(statement).run(...values).changes) > 0;
  const complete = ({ key, owner }: Claim): boolean => touches(sql.complete, now(), key, owner);

  const claim = ({ key, owner, digest, lease }: ClaimRequest): ClaimResult => {
    const at = now();
    const held = valuesOf(db.prepare(sql.read).get(key));
    if (held === null) {
      db.prepare(sql.insert).run(key, owner, digest, at + lease);
      return { state: 'claimed' };
    }
    const [earlier, leaseEnd] = [String(held[0]), held[1]];
    if (leaseEnd === null) return { state: 'done', digest: earlier };
    if (Number(leaseEnd) > at) return { state: 'running', digest: earlier };
    db.prepare(sql.takeOver).run(owner, digest, at + lease, key);
    return { state: 'taken_over', digest: earlier };
  };

  return {
    retention,
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    migrate: () => move(() => void db.exec(sql.schema)),
    async cleanUp() {
      const { cleanUp } = sql;
      if (cleanUp === null) throw new ConfigurationError('Records are kept for ever: give the store a retention.');
      return await move(() => {
        db.exec(cleanUp);
        return Number(firstValue(db.prepare('SELECT changes()').get()));
      });
    },
    claim: (request) => move(() => claim(request)),
    renew: ({ key, owner }, lease) => move(() => touches(sql.renew, now() + lease, key, owner)),
    complete: (claimed) => move(() => complete(claimed)),
    release: ({ key, owner }) => move(() => void touches(sql.release, key, owner)),
    async run(claimed, work) {
      const once = commitOnce(db, busyTimeout, () => complete(claimed));
      try {
        await work({ commit: once.commit });
      } catch (error) {
        if (once.state() === 'lost') return false;
        throw error;
      } finally {
        once.close();
      }
      if (once.state() !== 'unused') return once.state() === 'committed';
      return await move(() => complete(claimed));
    },
  };
}

function statements(table: string, retention: number | null) {
  const ours = 'WHERE event_key = ? AND owner = ? AND lease_end IS NOT NULL';
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
    complete: `UPDATE ${table} SET lease_end = NULL, done_at = ? ${ours}`,
    release: `DELETE FROM ${table} ${ours}`,
    // A claim whose lease ended that long ago is as good as none.
    cleanUp: retention === null ? null : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < ${before}`,
  };
}
