import { configurationFail, count, type OptionTable, readOptions, word } from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { OnceResult, TransactionStore } from './store.ts';
import {
  checkColumns,
  namespaceOption,
  retentionOption,
  type SqlStore,
  type SqlStoreOptions,
  tableOption,
} from './store-options.ts';

// PostgreSQL holds the claim: BEGIN, the claim statement, the merchant's writes, COMMIT.
//
// - A repeat while the event runs: its claim statement does not get the advisory lock of the key. It is answered 409 at
//   once.
// - A repeat of an event that is done: the same statement finds the record and its digest. Nothing is run.
// - The time limit of a delivery: answered 503, and the transaction goes on. The repeat finds it running or done.
// - A lost response to COMMIT: the record is looked for on another connection. If it is there, the event is done.
// - A deadlock, or any other error of the merchant's statements: rolled back, and the function has failed. The codes of
//   such errors are not read. Only after an error of the claim statement, before the function begins, is there a new
//   transaction.
// - A dead process: the server rolls back, and the event is free.
// - A lost connection: the run is rejected at once, and the connection leaves the pool. If the connection was dead before
//   the claim, as after a freeze of the machine, there is one more try on another one.
// - A replay: the claim statement renews the record, under the same lock. A rollback leaves the old record.
// - A holder that hangs or is cut off: the server ends it after `idleTimeout` without a statement. A function that still
//   runs ten minutes after its claim loses its connection.
// - A pool of one: functions run one after the other. A running function needs no second connection.
// - PGlite has one connection: everything waits for the transaction that is open.
// - `repeatable read` and `serializable`: a record that was committed after the snapshot makes the claim statement
//   fail, so a new transaction begins. A conflict at COMMIT is a failure of the store: 503.
// - A pooler in transaction mode works: the lock and the setting end with the transaction, and no statement has a name.

const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
/** How many transactions are tried if the claim statement fails with a conflict. */
const ATTEMPTS = 5;

/**
 * Options of {@link postgresStore}.
 *
 * @example
 * postgresStore(pool, { table: 'shop.webhook_events', retention: 90 * 86_400_000 });
 */
export interface PostgresStoreOptions extends SqlStoreOptions {
  /** The isolation level of `context.tx`. @defaultValue `'read committed'` */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable' | undefined;
  /**
   * How long your function may go without a statement on `context.tx`, in milliseconds, from 1,000 to 600,000. The server
   * then ends the transaction, so that the event of a process that hangs can be handled again. PGlite has no such limit.
   * @defaultValue 60,000
   */
  readonly idleTimeout?: number | undefined;
}

const OPTIONS = {
  table: tableOption,
  namespace: namespaceOption,
  retention: retentionOption(null),
  isolation: word(ISOLATIONS, 'read committed'),
  idleTimeout: count({ default: 60_000, min: 1_000, max: 600_000 }),
} satisfies OptionTable<PostgresStoreOptions>;

/** A {@link TransactionStore} in PostgreSQL. It adds the transaction to the context of your functions. */
export interface PostgresStore<Tx> extends TransactionStore<{ readonly tx: Tx }>, SqlStore {}

/**
 * Creates a store in the PostgreSQL database of your application, for many machines. Create its table once, with
 * `migrate()`.
 *
 * Writes with `context.tx` are made exactly once, because they are in one transaction with the record of the event. This
 * holds for nothing else: a mail that your function sends may be sent again after a crash. Each running function uses one
 * connection of the pool. Inside the function use `context.tx`, not the pool.
 *
 * @param database A `Pool` of `pg`, or PGlite.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for another kind of object, or an unusable option.
 * @example
 * const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await store.migrate();
 * const handler = createWebhookHandler({
 *   secret,
 *   store,
 *   onPaid: (event, { tx }) => tx.query('UPDATE orders SET paid = true WHERE id = $1', [event.external_id]),
 *   onAdjusted: (event, { tx }) => tx.query('UPDATE orders SET review = true WHERE id = $1', [event.external_id]),
 *   onCanceled: () => {},
 * });
 */
export function postgresStore<Database extends PostgresPool | PGliteDatabase>(
  database: Database,
  options: PostgresStoreOptions = {},
): PostgresStore<PostgresTx<Database>> {
  const fail = configurationFail('postgresStore');
  const { table, namespace, retention, ...settings } = readOptions('options', options, OPTIONS, fail);
  const connection = connectionOf(database, settings);
  const sql = statements(table, retention);
  const isDone = async (key: string, at: string): Promise<boolean> =>
    (await connection.query(sql.isDone, [key, at])).rows.length > 0;

  return {
    retention,
    namespace,
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    waiting: connection.waiting,
    migrate: () => migrate(connection, sql),
    async cleanUp() {
      if (sql.cleanUp === null) throw new ConfigurationError('Records are kept forever: give the store a retention.');
      return (await connection.query(`${sql.cleanUp} RETURNING event_key`, [])).rows.length;
    },
    async runOnce({ key, digest, signal, again = false }, work) {
      const statement = again ? sql.claimAgain : sql.claim;
      let dead = 0;
      for (let left = ATTEMPTS - 1; ; left -= 1) {
        /** The time in the record of this transaction, once it is claimed, and whether COMMIT was sent. */
        const reached: { at: string | null; isCommitting: boolean } = { at: null, isCommitting: false };
        try {
          return await connection.transaction(signal, async (tx, query): Promise<OnceResult> => {
            const claimed = await claim(query, statement, key, digest);
            if (claimed.state !== 'claimed') return claimed;
            reached.at = claimed.at;
            await raceWithAbort(signal, () => work({ tx: tx as PostgresTx<Database> })); // PostgresTx is the type for this database
            reached.isCommitting = true;
            return { state: 'committed' };
          });
        } catch (thrown) {
          const isLost = thrown instanceof LostConnection;
          const error = isLost ? thrown.cause : thrown;
          if (reached.at === null) {
            if (isLost) dead += 1;
            if (isLost && dead === 1 && !signal.aborted) continue;
            if (left > 0 && REPEATABLE.includes(codeOf(error))) continue;
            throw tableProblem(error, sql.table);
          }
          // COMMIT was sent and its response was lost: the record shows whether PostgreSQL committed.
          const wasSent = reached.isCommitting && !(error instanceof ConfigurationError);
          if (wasSent && (await isDone(key, reached.at).catch(() => false))) return { state: 'committed' };
          throw isLost && thrown.waiting > 0 ? poolProblem(thrown) : error;
        }
      }
    },
  };
}

/**
 * Claims the key in the open transaction, with one statement: it alone decides whether another transaction holds the
 * key.
 */
async function claim(
  query: PostgresQueryable['query'],
  statement: string,
  key: string,
  digest: string,
): Promise<{ readonly state: 'claimed'; readonly at: string } | Exclude<OnceResult, { readonly state: 'committed' }>> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const [row] = (await query(statement, [key, digest])).rows;
    const { locked, at, found } = row as { locked: boolean; at: string | null; found: string | null }; // the columns of the statement
    if (!locked) return { state: 'running' };
    if (at !== null) return { state: 'claimed', at };
    if (found !== null) return { state: 'done', digest: found };
    // The record was committed after the snapshot of this statement. The next one sees it.
  }
  throw new Error('The record could neither be written nor read.');
}

/** Rejects with the reason of the signal if it is aborted before the work ends. The work may go on. */
async function raceWithAbort(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Serialization failure and deadlock. */
const REPEATABLE: readonly unknown[] = ['40001', '40P01'];
/** Errors of two concurrent changes of the same table. */
const CONCURRENT: readonly unknown[] = [...REPEATABLE, '23505', '42P07', '42701', '42710'];

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}

/** Names the remedy if the claim failed because of the table. */
function tableProblem(error: unknown, table: string): unknown {
  if (codeOf(error) === '42P01') {
    return new ConfigurationError(`The table ${table} does not exist: run store.migrate() once, or store.schema.`, {
      cause: error,
    });
  }
  if (codeOf(error) !== '42703') return error;
  return new ConfigurationError(
    `The table ${table} lacks a column of this store: store.migrate() says which. Give the store another name with the option table.`,
    { cause: error },
  );
}

/** Names the usual reason for which a transaction goes without a statement until the server ends it. */
function poolProblem({ waiting, cause }: LostConnection): ConfigurationError {
  return new ConfigurationError(
    `The connection of the transaction was lost while ${waiting} callers waited for a connection of the pool: your function may wait for one itself. Use context.tx for every statement of the function.`,
    { cause },
  );
}

/** Creates the table, and checks its columns. Repeats it where another process creates it at the same time. */
async function migrate(connection: PostgresConnection, sql: Statements): Promise<void> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      await connection.query(sql.schema, []);
      const { rows } = await connection.query(sql.columnsOf, []);
      return checkColumns(
        sql.table,
        rows.map((row) => (row as { name: string }).name), // the column of the statement
        sql.columns,
      );
    } catch (error) {
      if (left === 0 || !CONCURRENT.includes(codeOf(error))) throw error;
    }
  }
}

type Statements = ReturnType<typeof statements>;

/** The statements for one table. `retention` is in milliseconds, or null for no limit. */
function statements(table: string, retention: number | null) {
  return {
    table,
    schema: `CREATE TABLE IF NOT EXISTS ${table} (
  event_key text PRIMARY KEY,
  digest text NOT NULL,
  done_at timestamptz NOT NULL -- the record commits with your writes
)`,
    columns: ['event_key', 'digest', 'done_at'],
    claim: claimStatement(table, 'DO NOTHING'),
    claimAgain: claimStatement(table, 'DO UPDATE SET done_at = excluded.done_at'),
    // Values: key, the time that the claim wrote. Another time is that of another run.
    isDone: `SELECT event_key FROM ${table} WHERE event_key = $1 AND done_at = $2::timestamptz`,
    cleanUp:
      retention === null
        ? null
        : `DELETE FROM ${table} WHERE done_at < clock_timestamp() - interval '${retention} milliseconds'`,
    columnsOf: `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped`,
  };
}

/**
 * Values: key, digest. The lock is of the transaction and of this table. The record is read only if it was not written, so
 * that serializable transactions of different events have nothing in common.
 */
function claimStatement(table: string, onConflict: string): string {
  return `WITH held AS (
SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, '${table}'::regclass::oid::bigint)) AS locked
), written AS (
INSERT INTO ${table} (event_key, digest, done_at)
SELECT $1::text, $2::text, clock_timestamp() FROM held WHERE locked
ON CONFLICT (event_key) ${onConflict} RETURNING done_at::text AS at
)
SELECT locked, (SELECT at FROM written) AS at,
CASE WHEN locked AND NOT EXISTS (SELECT FROM written)
THEN (SELECT digest FROM ${table} WHERE event_key = $1::text) END AS found FROM held`;
}

// The drivers as far as they are used, typed by hand: the declarations must not need the types of `pg` or PGlite.

/** The part of a query's result that the store reads. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  /** What the server did, such as `COMMIT`, or `ROLLBACK` for the COMMIT of a transaction that had failed. */
  readonly command?: string;
}

/** Anything that runs a statement. */
export interface PostgresQueryable {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** A connection of a pool. */
export interface PostgresClient extends PostgresQueryable {
  release(destroy?: boolean): void;
}

/** `Pool` of the package `pg`, or a compatible pool. */
export interface PostgresPool extends PostgresQueryable {
  connect(): Promise<PostgresClient>;
  /** How many callers wait for a connection. */
  readonly waitingCount?: number;
}

/** PostgreSQL in the process: `PGlite` of @electric-sql/pglite. */
export interface PGliteDatabase extends PostgresQueryable {
  transaction<T>(work: (tx: PostgresQueryable & { rollback(): Promise<void> }) => Promise<T>): Promise<T | undefined>;
}

/** The type of `context.tx` for this database: the connection type of the pool, or PGlite's transaction. */
export type PostgresTx<Database> = Database extends {
  connect: { (): Promise<infer Client>; (callback: never): unknown };
}
  ? Client
  : Database extends { connect(): Promise<infer Client> }
    ? Client
    : Database extends { transaction<T>(work: (tx: infer Tx) => Promise<T>): unknown }
      ? Tx
      : PostgresQueryable;

/** How a transaction runs. */
interface TransactionSettings {
  readonly isolation: string;
  /** Milliseconds. */
  readonly idleTimeout: number;
}

/** The work inside a transaction. It gets `context.tx`, and a function for the statements of the store. */
type InTransaction = (tx: unknown, query: PostgresQueryable['query']) => Promise<OnceResult>;

/** A connection to PostgreSQL, over a pool or PGlite. */
interface PostgresConnection {
  /** Runs one statement, which commits at once. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
  /** Commits if `work` resolves with `committed`, otherwise rolls back. An error of `work` rolls back and is rethrown. */
  transaction(signal: AbortSignal, work: InTransaction): Promise<OnceResult>;
  /** How many callers wait for a connection. */
  waiting(): number;
}

/** @throws ConfigurationError for anything but a pool or PGlite. */
function connectionOf(database: unknown, settings: TransactionSettings): PostgresConnection {
  const members = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // each member is checked below
  const isClient = 'connectionParameters' in members || 'release' in members;
  if (typeof members['query'] === 'function' && !isClient) {
    if (typeof members['connect'] === 'function') return poolConnection(database as PostgresPool, settings); // the form of a pool
    if (typeof members['transaction'] === 'function') return pgliteConnection(database as PGliteDatabase, settings); // of PGlite
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite${isClient ? ', not a single Client: each running function needs a connection of its own' : ''}.`,
  );
}

/** PGlite has one connection: while its transaction is open, everything else waits for its end. */
function pgliteConnection(database: PGliteDatabase, { isolation }: TransactionSettings): PostgresConnection {
  return {
    query: (text, values) => database.query(text, values),
    waiting: () => 0,
    async transaction(_signal, work) {
      const ended: { result: OnceResult | null } = { result: null }; // PGlite's own result is undefined after a rollback
      await database.transaction(async (tx) => {
        await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
        const result = await work(tx, (text, values) => tx.query(text, values));
        if (result.state === 'committed')
          await tx.query('SELECT 1'); // fails where a statement of the function had failed
        else await tx.rollback();
        ended.result = result;
      });
      if (ended.result === null) throw new Error('PGlite did not run the transaction.');
      return ended.result;
    },
  };
}

/** A pg Pool: a statement runs on any connection, a transaction on a reserved one. */
function poolConnection(pool: PostgresPool, { isolation, idleTimeout }: TransactionSettings): PostgresConnection {
  const begin = `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeout}`;
  return {
    query: (text, values) => pool.query(text, values),
    waiting: () => pool.waitingCount ?? 0,
    async transaction(signal, work) {
      const client = await pool.connect();
      const guard = guardTransaction(client);
      const waiting = (): number => pool.waitingCount ?? 0;
      const loss = watchConnection(client, waiting);
      let isOver = false; // while the transaction may be open, the connection must not return to the pool
      const run = async (): Promise<OnceResult> => {
        await client.query(begin); // both statements in one message
        try {
          const result = await work(guard.tx, (text, values) => client.query(text, values));
          await (result.state === 'committed' ? commit(client) : client.query('ROLLBACK'));
          isOver = true;
          return result;
        } catch (error) {
          // After an abort a statement of the function may hang, and a ROLLBACK would wait for it: the connection is
          // closed instead.
          if (!signal.aborted && !loss.isLost()) {
            isOver = await client.query('ROLLBACK').then(
              () => true,
              () => false,
            );
          }
          throw loss.isLost() ? new LostConnection(error, waiting()) : error;
        }
      };
      const running = run();
      running.catch(() => undefined); // where the loss of the connection comes first, nobody waits for it
      try {
        return await Promise.race([running, loss.promise]);
      } finally {
        guard.end();
        loss.end();
        client.release(!isOver);
      }
    },
  };
}

/** @throws Error if the function ended the transaction, or caught the error of a failed statement */
async function commit(client: PostgresClient): Promise<void> {
  const { getTransactionStatus } = client as { getTransactionStatus?: unknown }; // only newer versions of pg have it
  if (typeof getTransactionStatus === 'function' && getTransactionStatus.call(client) === 'I') {
    throw new ConfigurationError('Your function ended the transaction of the store.');
  }
  // PostgreSQL reports ROLLBACK, and no error, for the COMMIT of a failed transaction. A driver without `command` also
  // fails here, and the store then looks for the record.
  if ((await client.query('COMMIT')).command === 'COMMIT') return;
  throw new Error('A statement of your function failed, and PostgreSQL rolls such a transaction back.');
}

/** The reserved connection was lost, with the error that says so. */
class LostConnection extends Error {
  /** How many callers waited for a connection of the pool. */
  readonly waiting: number;

  constructor(cause: unknown, waiting: number) {
    super('The connection to PostgreSQL was lost.', { cause });
    this.waiting = waiting;
  }
}

/**
 * Watches a reserved connection: `promise` rejects when it is lost. An `error` event without a listener would end the
 * process, and without this one a function that waits for something else would keep a dead connection.
 */
function watchConnection(
  client: object,
  waiting: () => number,
): { promise: Promise<never>; isLost(): boolean; end(): void } {
  let isLost = false;
  let reject = (_error: LostConnection): void => {};
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  promise.catch(() => undefined); // it may be lost after the end of the run
  const onError = (error: unknown): void => {
    isLost = true;
    reject(new LostConnection(error, waiting()));
  };
  const { on, off } = client as { on?: unknown; off?: unknown }; // an emitter, in pg
  const isEmitter = typeof on === 'function' && typeof off === 'function';
  if (isEmitter) on.call(client, 'error', onError);
  return { promise, isLost: () => isLost, end: () => void (isEmitter && off.call(client, 'error', onError)) };
}

const ENDS =
  /^[\s;]*(?:begin|start\s+transaction|commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|prepare\s+transaction)\b/i;

/**
 * Returns a proxy of the connection, so that query builders work on it. It refuses the three calls that would break the
 * exactly-once guarantee: ending the transaction, releasing the connection, and using it after the end.
 */
function guardTransaction(client: PostgresClient) {
  let ended = false;
  const tx = new Proxy(client, {
    get(target, name) {
      if (ended && name === 'query') {
        return () =>
          Promise.reject(new ConfigurationError('context.tx was used after its end: await all your queries.'));
      }
      if (name === 'release') {
        return () => {
          throw new ConfigurationError('context.tx belongs to the store, which releases the connection.');
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return (...values: unknown[]) => {
        refuseEnd(values[0]);
        return value.apply(target, values);
      };
    },
  });
  return {
    tx,
    end: () => {
      ended = true;
    },
  };
}

function refuseEnd(query: unknown): void {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
  if (typeof text !== 'string' || !ENDS.test(text)) return;
  throw new ConfigurationError(
    'context.tx is a transaction of the store, which commits it together with the record of the event. Use SAVEPOINT for steps inside.',
  );
}
