import { isObject } from '../../contract/json.ts';
import {
  configurationFail,
  count,
  type Fail,
  kindOf,
  type OptionTable,
  readOptions,
  word,
} from '../../errors/checks.ts';
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
// - A lost connection: the run is rejected at once, and the connection leaves the pool. If the connection was dead
//   before the claim, as after a freeze of the machine, there is one more try on another one. It was dead if its socket
//   was closed, or if the server ended it: its last words, an error of class 57P, are the answer to the next statement.
// - A replay: the claim statement takes the record again, under the same lock. A rollback leaves the old record.
// - A holder that hangs or is cut off: the server ends it after `idleTimeout` without a statement. A function that
//   still runs ten minutes after its claim loses its connection.
// - A pool of one: functions run one after the other. A running function needs no second connection.
// - A transaction that something else ended, such as a transaction of a framework inside of it: found by its id. If the
//   record is there, the event is done, and this is reported.
// - PGlite has one connection: everything waits for the transaction that is open.
// - `repeatable read` and `serializable`: a record that was committed after the snapshot makes the claim statement
//   fail, so a new transaction begins. A conflict at COMMIT is a failure of the store: 503.
// - A pooler in transaction mode works: the lock and the setting end with the transaction, and no statement has a name.

const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
type Isolation = (typeof ISOLATIONS)[number];
/** How many transactions are tried if the claim statement fails with a conflict. */
const ATTEMPTS = 5;

/**
 * Options of {@link postgresStore}.
 *
 * @example
 * postgresStore(pool, { table: 'shop.webhook_events', retention: 90 * 86_400_000 });
 */
export interface PostgresStoreOptions extends SqlStoreOptions {
  /**
   * The isolation level of `context.tx`. @defaultValue `'read committed'` for a pool. {@link PostgresTransactions}
   * begins with its own level.
   */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable' | undefined;
  /**
   * How long your function may go without a statement on `context.tx`, in milliseconds, from 1,000 to 600,000. The
   * server then ends the transaction, so that the event of a process that hangs can be handled again. PGlite has no
   * such limit.
   * @defaultValue 60,000
   */
  readonly idleTimeout?: number | undefined;
}

const readIsolation = word(ISOLATIONS, 'read committed');
/** Reads the isolation level. A transaction of a framework has its own one, so there is no default here. */
function isolationOption(isolation: unknown, name: string, fail: Fail): Isolation | null {
  return isolation === undefined ? null : readIsolation(isolation, name, fail);
}

const OPTIONS = {
  table: tableOption,
  namespace: namespaceOption,
  retention: retentionOption(null),
  isolation: isolationOption,
  idleTimeout: count({ default: 60_000, min: 1_000, max: 600_000 }),
} satisfies OptionTable<PostgresStoreOptions>;

/** A {@link TransactionStore} in PostgreSQL. It adds the transaction to the context of your functions. */
export interface PostgresStore<Tx> extends TransactionStore<{ readonly tx: Tx }>, SqlStore {}

/**
 * Creates a store in the PostgreSQL database of your application, for many machines. Create its table once, with
 * `migrate()`.
 *
 * Writes with `context.tx` are made exactly once, because they are in one transaction with the record of the event.
 * This holds for nothing else: a mail that your function sends may be sent again after a crash. Each running function
 * uses one connection of the pool. Inside the function use `context.tx`, not the pool.
 *
 * @param database A `Pool` of `pg`, PGlite, or the {@link PostgresTransactions} of a framework.
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for another kind of object, or an unusable option.
 * @example
 * const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await store.migrate();
 * const handler = createWebhookHandler({
 *   secret,
 *   store,
 *   onPaid: (event, { tx }) => tx.query('UPDATE orders SET paid = true WHERE id = $1', [event.order]),
 *   onAdjusted: (event, { tx }) => tx.query('UPDATE orders SET review = true WHERE id = $1', [event.order]),
 *   onCanceled: () => {},
 * });
 */
export function postgresStore<Pool extends PostgresPool>(
  database: Pool,
  options?: PostgresStoreOptions,
): PostgresStore<PostgresTx<Pool>>;
export function postgresStore<Tx extends object>(
  database: PostgresTransactions<Tx>,
  options?: PostgresStoreOptions,
): PostgresStore<Tx extends TransactionQuery ? Tx : Tx & TransactionQuery>;
export function postgresStore(
  database: PostgresPool | PostgresTransactions,
  options: PostgresStoreOptions = {},
): PostgresStore<unknown> {
  const fail = configurationFail('postgresStore');
  const { table, namespace, retention, ...settings } = readOptions('options', options, OPTIONS, fail);
  const connection = connectionOf(database, settings);
  const sql = statements(table, retention);
  const isDone = async (key: string, at: string): Promise<boolean> =>
    (await connection.query(sql.isDone, [key, at])).length > 0;

  return {
    retention,
    namespace,
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    waiting: connection.waiting,
    migrate: () => migrate(connection, sql),
    async cleanUp() {
      if (sql.cleanUp === null) throw new ConfigurationError('Records are kept forever: give the store a retention.');
      const [row] = await connection.query(`WITH gone AS (${sql.cleanUp} RETURNING 1) ${COUNT_GONE}`, []);
      return (row as { gone: number }).gone; // the column of the statement
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
            await raceWithAbort(signal, () => work({ tx }));
            reached.isCommitting = true;
            return { state: 'committed' };
          });
        } catch (thrown) {
          const isLost = thrown instanceof LostConnection;
          const error = isLost ? thrown.cause : thrown;
          if (reached.at === null) {
            const isDead = isLost || ENDED_BY_SERVER.test(String(codeOf(error)));
            if (isDead) dead += 1;
            if (isDead && dead === 1 && !signal.aborted) continue;
            if (left > 0 && REPEATABLE.includes(codeOf(error))) continue;
            throw tableProblem(error, sql.table);
          }
          // The record shows whether PostgreSQL committed: after a COMMIT whose response was lost, or because something
          // else ended the transaction. A connection that was lost before that cannot have committed.
          const mayBeDone = reached.isCommitting || !isLost;
          if (mayBeDone && (await isDone(key, reached.at).catch(() => false))) {
            const isResponseLost = reached.isCommitting && !(error instanceof ConfigurationError);
            return isResponseLost ? { state: 'committed' } : { state: 'failed_after_commit', error };
          }
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
  query: Query,
  statement: string,
  key: string,
  digest: string,
): Promise<
  | { readonly state: 'claimed'; readonly at: string }
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly digest: string }
> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const [row] = await query(statement, [key, digest]);
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

const COUNT_GONE = 'SELECT count(*)::int AS gone FROM gone';
/** Serialization failure and deadlock. */
const REPEATABLE: readonly unknown[] = ['40001', '40P01'];
/** Shutdown, crash, a dropped database, and the timeout of an idle session. */
const ENDED_BY_SERVER = /^57P/;
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
      const rows = await connection.query(sql.columnsOf, []);
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
    columnsOf: `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped`,
  };
}

/**
 * Values: key, digest. The lock is of the transaction and of this table. The record is read only if it was not written,
 * so that serializable transactions of different events have nothing in common.
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

/** Runs a statement inside a transaction. */
export interface TransactionQuery {
  /** The values are those of `$1`, `$2` and so on, each a text. Resolves to the rows, or to an object that has them. */
  query(text: string, values: unknown[]): Promise<readonly unknown[] | { readonly rows: readonly unknown[] }>;
}

/**
 * The transactions of a framework, for {@link postgresStore}: the framework begins and ends them, and the store joins
 * in. The writes of your functions with `context.tx`, which is the framework's own transaction, are then made exactly
 * once.
 *
 * The guarantee ends where something else ends the transaction. The store finds that by the id of the transaction, and
 * the handler reports `failed_after_commit`. A transaction that the framework nests as a savepoint is fine. PGlite has
 * this form.
 *
 * The framework must listen for an `error` of its connections, as TypeORM and Prisma do. For Kysely and Drizzle, give
 * the store their pool instead.
 *
 * @example
 * const transactions: PostgresTransactions<EntityManager> = { // TypeORM
 *   query: (sql, values) => dataSource.query(sql, values),
 *   transaction: (run) => dataSource.transaction(run),
 * };
 * const store = postgresStore(transactions);
 */
export interface PostgresTransactions<Tx extends object = object> extends TransactionQuery {
  /**
   * Begins a transaction, calls `run` with it, and commits. Rolls back if `run` rejects, and rejects with its error.
   * `query` of what `run` gets must run in this transaction.
   */
  transaction<T>(run: (tx: Tx & TransactionQuery) => Promise<T>): Promise<T | undefined>;
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

/** The type of `context.tx` for this pool: its connections. */
export type PostgresTx<Pool> = Pool extends {
  connect: { (): Promise<infer Client>; (callback: never): unknown };
}
  ? Client
  : Pool extends { connect(): Promise<infer Client> }
    ? Client
    : PostgresQueryable;

/** How a transaction runs. */
interface TransactionSettings {
  /** Null: that of a framework, or the default of a pool. */
  readonly isolation: Isolation | null;
  /** Milliseconds. */
  readonly idleTimeout: number;
}

/** Runs one statement, and returns its rows. */
type Query = (text: string, values: unknown[]) => Promise<readonly unknown[]>;

/** The work inside a transaction. It gets `context.tx`, and a function for the statements of the store. */
type InTransaction = (tx: unknown, query: Query) => Promise<OnceResult>;

/** A connection to PostgreSQL, over a pool or the transactions of a framework. */
interface PostgresConnection {
  /** Runs one statement, which commits at once. */
  readonly query: Query;
  /** Commits, or rolls back if `work` rejects, and rethrows its error. `work` is called at most once. */
  transaction(signal: AbortSignal, work: InTransaction): Promise<OnceResult>;
  /** How many callers wait for a connection. */
  waiting(): number;
}

const queryOf =
  (on: TransactionQuery): Query =>
  async (text, values) =>
    rowsOf(await on.query(text, values));

/** @throws ConfigurationError for anything but rows, which some frameworks return beside other things */
function rowsOf(result: unknown): readonly unknown[] {
  const rows = isObject(result) ? result['rows'] : result;
  if (Array.isArray(rows) && rows.every(isObject)) return rows;
  const what = Array.isArray(rows) ? '[rows, metadata]' : kindOf(result);
  throw new ConfigurationError(
    `PostgresTransactions: query() returned ${what}: return the rows, which are objects (Sequelize: type: QueryTypes.SELECT).`,
  );
}

/** @throws ConfigurationError for anything but a pool or transactions */
function connectionOf(database: unknown, settings: TransactionSettings): PostgresConnection {
  const members = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // each member is checked below
  const isClient = 'connectionParameters' in members || 'release' in members;
  if (typeof members['query'] === 'function' && !isClient) {
    if (typeof members['transaction'] === 'function') {
      return frameworkConnection(database as PostgresTransactions, settings); // it has the members of one
    }
    if (typeof members['connect'] === 'function') return poolConnection(database as PostgresPool, settings); // the form of a pool
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite, or PostgresTransactions of a framework${isClient ? ', not a single Client: each running function needs a connection of its own' : ''}.`,
  );
}

/** The framework begins and ends each transaction. */
function frameworkConnection(
  database: PostgresTransactions,
  { isolation, idleTimeout }: TransactionSettings,
): PostgresConnection {
  return {
    query: queryOf(database),
    waiting: () => 0,
    async transaction(_signal, work) {
      let played: Promise<OnceResult> | null = null;
      const run = async (tx: object): Promise<OnceResult> => {
        if (!('query' in tx) || typeof tx.query !== 'function') {
          throw new ConfigurationError(
            'PostgresTransactions: transaction(run) must call run with an object that has query().',
          );
        }
        const query = queryOf(tx as TransactionQuery); // the lines above have checked it
        if (isolation !== null) await query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`, []);
        await query("SELECT set_config('idle_in_transaction_session_timeout', $1::text, true)", [String(idleTimeout)]);
        return await inOneTransaction(query, () => work(tx, query));
      };
      // Some frameworks repeat a transaction that failed. Here the store decides that, because the function may have
      // run.
      await database
        .transaction((tx) => (played ??= run(tx)))
        .catch(async (error: unknown) => {
          await played; // its own error counts: the framework may have wrapped it
          throw error;
        });
      if (played === null) throw new ConfigurationError('PostgresTransactions: transaction(run) did not call run.');
      return await played;
    },
  };
}

const CURRENT = 'SELECT pg_current_xact_id_if_assigned()::text AS id';

/**
 * Does the work of a transaction whose end the store cannot refuse, and checks by its id that it has lasted as long.
 *
 * @throws ConfigurationError if there is no transaction, also because something else has ended it
 */
async function inOneTransaction(query: Query, work: () => Promise<OnceResult>): Promise<OnceResult> {
  const idOf = async (statement: string): Promise<string | null> => {
    const [row] = await query(statement, []);
    return (row as { id: string | null }).id; // the column of the statement
  };
  const id = await idOf('SELECT pg_current_xact_id()::text AS id');
  if ((await idOf(CURRENT)) !== id) {
    throw new ConfigurationError(
      'Each statement of the store ran in a transaction of its own. transaction(run) must pass an object to run whose query() works inside of the transaction.',
    );
  }
  const result = await work();
  if (result.state !== 'committed' || (await idOf(CURRENT)) === id) return result;
  throw new ConfigurationError('Your function, or a transaction inside of it, ended the transaction of the store.');
}

/** A pg Pool: a statement runs on any connection, a transaction on a reserved one. */
function poolConnection(pool: PostgresPool, { isolation, idleTimeout }: TransactionSettings): PostgresConnection {
  const begin = `BEGIN ISOLATION LEVEL ${isolation ?? 'read committed'}; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeout}`;
  return {
    query: queryOf(pool),
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
          const query = queryOf(client);
          const play = () => work(guard.tx, query);
          const result = await (hasStatus(client) ? play() : inOneTransaction(query, play));
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

/** Whether the client says in which state its transaction is. Only newer versions of pg do. */
function hasStatus(client: PostgresClient): client is PostgresClient & { getTransactionStatus(): unknown } {
  return 'getTransactionStatus' in client && typeof client.getTransactionStatus === 'function';
}

/** @throws Error if the function ended the transaction, or caught the error of a failed statement */
async function commit(client: PostgresClient): Promise<void> {
  if (hasStatus(client) && client.getTransactionStatus() === 'I') {
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
 * A proxy of the connection, so that query builders work on it. It refuses the three calls that would break the
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
