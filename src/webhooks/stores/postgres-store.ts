import { checkOptions, configurationFail, namesOf, readWord } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { ClaimRequest, ClaimResult } from './store.ts';
import {
  checkedNamespace,
  checkedRetention,
  quotedTable,
  type SqlStore,
  type SqlStoreOptions,
} from './store-options.ts';

const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
/** Tries of an operation that PostgreSQL asks to repeat, and of a claim whose record another attempt changed meanwhile. */
const TRIES = 5;

/**
 * Options of {@link postgresStore}.
 *
 * @example
 * postgresStore(pool, { table: 'shop.webhook_events', retention: 90 * 86_400_000 });
 */
export interface PostgresStoreOptions extends SqlStoreOptions {
  /**
   * The isolation level of `context.tx`. In the two stricter levels a function cannot commit after 20 seconds, because the
   * renewal of its lease has changed the record. @defaultValue `'read committed'`
   */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable' | undefined;
}

const NAMES = namesOf<PostgresStoreOptions>({ table: true, namespace: true, retention: true, isolation: true });

/** A {@link WebhookStore} in PostgreSQL. It adds the transaction to the context of your functions. */
export interface PostgresStore<Tx> extends SqlStore<{ readonly tx: Tx }> {}

/**
 * Creates a store in the PostgreSQL database of your application, for many machines. Create its table once, with
 * `migrate()`. Leases use the clock of the database.
 *
 * Writes with `context.tx` are made exactly once, because they are in one transaction with the completion. This holds
 * for nothing else: a mail that your function sends may be sent again after a crash. Each running function uses one
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
 *   onCanceled: () => {},
 * });
 */
export function postgresStore<Database extends PostgresPool | PGliteDatabase>(
  database: Database,
  options: PostgresStoreOptions = {},
): PostgresStore<PostgresTx<Database>> {
  const fail = configurationFail('postgresStore');
  checkOptions('options', options, NAMES, fail);
  const isolation = readWord('isolation', ISOLATIONS, options.isolation, fail) ?? 'read committed';
  const connection = connectionOf(database, isolation);
  const retention = options.retention == null ? null : checkedRetention(options.retention);
  const sql = statements(quotedTable(options.table ?? 'merchant_webhook_events'), retention);

  const query = async (text: string, ...values: unknown[]): Promise<PostgresResult['rows']> => {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return (await connection.query(text, values)).rows;
      } catch (error) {
        if (codeOf(error) === '42P01') throw missingTable(sql.table);
        if (left === 0 || !REPEATABLE.includes(codeOf(error))) throw error;
      }
    }
  };
  const claim = async ({ key, owner, digest, lease }: ClaimRequest): Promise<ClaimResult> => {
    for (let left = TRIES; left > 0; left -= 1) {
      const [row] = await query(sql.claim, key, owner, digest, lease);
      if (row !== undefined) {
        const result = row as { state: 'taken_over' | 'running' | 'done'; digest: string | null }; // the columns of the statement
        return result.digest === null ? { state: 'claimed' } : { state: result.state, digest: result.digest };
      }
    }
    throw new Error('Other attempts changed the record again and again while it was being claimed.');
  };

  const changes = async (text: string, ...values: unknown[]): Promise<boolean> =>
    (await query(text, ...values)).length > 0;

  return {
    retention,
    namespace: checkedNamespace(options.namespace),
    schema: sql.schema,
    cleanUpStatement: sql.cleanUp,
    async migrate() {
      await query(sql.schema);
    },
    async cleanUp() {
      if (sql.cleanUp === null) throw new ConfigurationError('Records are kept forever: give the store a retention.');
      return (await query(`${sql.cleanUp} RETURNING event_key`)).length;
    },
    claim,
    renew: ({ key, owner }, lease) => changes(sql.renew, key, owner, lease),
    complete: ({ key, owner }) => changes(sql.complete, key, owner),
    async release({ key, owner }) {
      await query(sql.release, key, owner);
    },
    async run({ key, owner }, work) {
      let completed = false;
      try {
        return await connection.transaction(async (tx, inTransaction) => {
          await work({ tx: tx as PostgresTx<Database> }); // PostgresTx is the type for this database
          completed = (await inTransaction(sql.completeOnce, [key, owner])).rows.length > 0;
          return completed;
        });
      } catch (error) {
        // COMMIT was sent and its answer was lost: the record shows whether PostgreSQL committed.
        if (completed && (await changes(sql.isDone, key, owner).catch(() => false))) return true;
        throw error;
      }
    },
  };
}

/** Serialization failure and deadlock, then the errors of two concurrent "create if not exists". */
const REPEATABLE: readonly unknown[] = ['40001', '40P01', '23505', '42P07', '42710'];

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}

function missingTable(table: string): ConfigurationError {
  return new ConfigurationError(`The table ${table} does not exist: run store.migrate() once, or store.schema.`);
}

// clock_timestamp(), not now(): a statement that waited for a row must see the time after the wait.
const leaseEnd = (parameter: string): string =>
  `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`;

/** The statements for one table. `retention` is in milliseconds, or null for no limit. */
function statements(table: string, retention: number | null) {
  const held = 'WHERE event_key = $1 AND owner = $2';
  const ours = `${held} AND done_at IS NULL`;
  return {
    table,
    schema: `CREATE TABLE IF NOT EXISTS ${table} (
  event_key text PRIMARY KEY,
  owner text NOT NULL,
  digest text NOT NULL,
  previous_digest text, -- of the claim that was taken over
  lease_end timestamptz NOT NULL,
  done_at timestamptz -- NULL while it runs
)`,
    // Values: key, owner, digest, lease. One round trip, and a repeat of a done or running event writes nothing. Returns no
    // row if the record was free at the start of the statement, and another attempt was faster.
    claim: `WITH held AS (
SELECT CASE WHEN done_at IS NULL THEN 'running' ELSE 'done' END AS state, digest
FROM ${table} WHERE event_key = $1 AND (done_at IS NOT NULL OR lease_end > clock_timestamp())
), won AS (
INSERT INTO ${table} AS free (event_key, owner, digest, lease_end)
SELECT $1, $2, $3, ${leaseEnd('$4')} WHERE NOT EXISTS (SELECT FROM held)
ON CONFLICT (event_key) DO UPDATE
SET owner = excluded.owner, previous_digest = free.digest, digest = excluded.digest, lease_end = ${leaseEnd('$4')}
WHERE free.done_at IS NULL AND free.lease_end <= clock_timestamp()
RETURNING previous_digest
)
SELECT state, digest FROM held UNION ALL SELECT 'taken_over', previous_digest FROM won`,
    // Values: key, owner, lease.
    renew: `UPDATE ${table} SET lease_end = ${leaseEnd('$3')} ${ours} RETURNING event_key`,
    // Values: key, owner. In the transaction of the writes: a second completion by the same claim must change no row.
    completeOnce: `UPDATE ${table} SET done_at = clock_timestamp() ${ours} RETURNING event_key`,
    // Values: key, owner. Changes the row also if this claim has completed it before.
    complete: `UPDATE ${table} SET done_at = coalesce(done_at, clock_timestamp()) ${held} RETURNING event_key`,
    // Values: key, owner.
    isDone: `SELECT event_key FROM ${table} ${held} AND done_at IS NOT NULL`,
    // Values: key, owner.
    release: `DELETE FROM ${table} ${ours}`,
    // A claim whose lease ended that long ago is dead.
    cleanUp:
      retention === null
        ? null
        : `DELETE FROM ${table} WHERE coalesce(done_at, lease_end) < clock_timestamp() - interval '${retention} milliseconds'`,
  };
}

// The drivers as far as they are used, typed by hand: the declarations must not need the types of `pg` or PGlite.

/** The part of a query's result that the store reads. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
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

/** A connection to PostgreSQL, over a pool or PGlite. */
interface PostgresConnection {
  /** Runs one statement, which commits at once. */
  query(text: string, values: unknown[]): Promise<PostgresResult>;
  /** Commits if `work` resolves with true, otherwise rolls back. An error of `work` rolls back and is rethrown. */
  transaction(work: (tx: unknown, query: PostgresQueryable['query']) => Promise<boolean>): Promise<boolean>;
}

/** @throws ConfigurationError for anything but a pool or PGlite. */
function connectionOf(database: unknown, isolation: string): PostgresConnection {
  const members = (typeof database === 'object' && database !== null ? database : {}) as Record<string, unknown>; // each member is checked below
  const isClient = 'connectionParameters' in members || 'release' in members;
  if (typeof members['query'] === 'function' && !isClient) {
    if (typeof members['connect'] === 'function') return poolConnection(database as PostgresPool, isolation); // the form of a pool
    if (typeof members['transaction'] === 'function') return pgliteConnection(database as PGliteDatabase, isolation); // of PGlite
  }
  throw new ConfigurationError(
    `postgresStore needs new Pool(…) of the package pg, or PGlite${isClient ? ', not a single Client: the store needs a second connection' : ''}.`,
  );
}

/** PGlite has one connection: while its transaction is open, everything else waits for its end. */
function pgliteConnection(database: PGliteDatabase, isolation: string): PostgresConnection {
  return {
    query: (text, values) => database.query(text, values),
    async transaction(work) {
      const kept = await database.transaction(async (tx) => {
        await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
        const keep = await work(tx, (text, values) => tx.query(text, values));
        if (!keep) await tx.rollback();
        return keep;
      });
      return kept === true;
    },
  };
}

/** A pg Pool: a statement runs on any connection, a transaction on a reserved one. */
function poolConnection(pool: PostgresPool, isolation: string): PostgresConnection {
  return {
    query: (text, values) => pool.query(text, values),
    async transaction(work) {
      const client = await pool.connect();
      const guard = guardTransaction(client);
      const endListening = ignoreConnectionErrors(client);
      let isBroken = true; // a connection whose transaction may still be open must not return to the pool
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        let keep = false;
        let failure: { readonly error: unknown } | null = null;
        try {
          keep = await work(guard.tx, (text, values) => {
            guard.check();
            return client.query(text, values);
          });
          if (keep) await client.query('COMMIT');
        } catch (error) {
          failure = { error };
        }
        try {
          if (failure !== null || !keep) await client.query('ROLLBACK');
        } catch (error) {
          throw failure === null ? error : failure.error;
        }
        isBroken = false;
        if (failure !== null) throw failure.error;
        return keep;
      } finally {
        guard.end();
        endListening();
        client.release(isBroken);
      }
    },
  };
}

// pg has no listener for the loss of a reserved connection, and an `error` event without a listener ends the process.
function ignoreConnectionErrors(client: object): () => void {
  const ignore = (): void => {};
  const { on, off } = client as { on?: unknown; off?: unknown }; // an emitter, in pg
  if (typeof on !== 'function' || typeof off !== 'function') return () => {};
  on.call(client, 'error', ignore);
  return () => void off.call(client, 'error', ignore);
}

const ENDS =
  /^[\s;]*(?:begin|start\s+transaction|commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|prepare\s+transaction)\b/i;

/**
 * Returns a proxy of the connection, so that query builders work on it. It refuses the three calls that would break the
 * exactly-once guarantee: ending the transaction, releasing the connection, and using it after the end.
 *
 * `check` throws if the function ended the transaction, or caught the error of a failed statement.
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
    check: () => checkStatus(client),
    end: () => {
      ended = true;
    },
  };
}

function refuseEnd(query: unknown): void {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
  if (typeof text !== 'string' || !ENDS.test(text)) return;
  throw new ConfigurationError(
    'context.tx is a transaction of the store, which commits it together with the completion. Use SAVEPOINT for steps inside.',
  );
}

function checkStatus(client: object): void {
  const { getTransactionStatus } = client as { getTransactionStatus?: unknown }; // only newer versions of pg have it
  const status: unknown = typeof getTransactionStatus === 'function' ? getTransactionStatus.call(client) : null;
  if (status === 'I') throw new ConfigurationError('Your function ended the transaction of the store.');
  if (status === 'E') {
    throw new Error('A statement of your function failed, and PostgreSQL rolls such a transaction back.');
  }
}
