import { ConfigurationError } from '../../../errors/classes.ts';
import type { Claim, ClaimRequest, ClaimResult, RunResult, WebhookStore } from '../store.ts';
import { checkedNamespace, checkedRetention, checkStoreOptions, quotedTable } from '../store-options.ts';
import {
  connectionOf,
  type PGliteDatabase,
  type PostgresPool,
  type PostgresResult,
  type PostgresTx,
} from './postgres-pool.ts';
import { postgresStatements } from './postgres-statements.ts';

const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
/** Tries at a move that PostgreSQL asks to repeat, or whose record was given back between two statements. */
const TRIES = 5;

/** How a {@link postgresStore} is set up. */
export interface PostgresStoreOptions {
  /** Default `merchant_webhook_events`; may be `schema.name`. */
  readonly table?: string | undefined;
  /**
   * Whose events these are, as a part of every key: 1 to 64 letters, digits or `_ . -`. Give it from the first day where
   * two businesses, or two installations of the service, share one table. Default: none.
   */
  readonly namespace?: string | undefined;
  /** How long completed events are remembered, in milliseconds; at least a day; default null, for ever. */
  readonly retention?: number | null | undefined;
  /**
   * Isolation level of `context.tx`; default `read committed`. In the other two a function that takes longer than 20
   * seconds cannot commit, as its own renewal has changed the record meanwhile.
   */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable' | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof PostgresStoreOptions>([
  'table',
  'namespace',
  'retention',
  'isolation',
]);

/** A {@link WebhookStore} in PostgreSQL. */
export interface PostgresStore<Tx> extends WebhookStore<{ readonly tx: Tx }> {
  /** The statement that makes the table; harmless to repeat. For your own migrations. */
  readonly schema: string;
  /** The statement that removes what is older than `retention`; null where that is null. */
  readonly cleanUpStatement: string | null;
  /** Runs `schema`. Many processes may do so at once. */
  migrate(): Promise<void>;
  /** Runs `cleanUpStatement`, and says how many records it removed. @throws ConfigurationError without a `retention`. */
  cleanUp(): Promise<number>;
  run(claim: Claim, work: (extra: { readonly tx: Tx }) => Promise<void>): Promise<RunResult>;
}

/**
 * Remembers events in the PostgreSQL database of your application: for many machines. Takes a `Pool` of `pg`, or PGlite.
 * Make the table once, with `migrate()`. Leases go by the clock of the database.
 *
 * Writes made with `context.tx` are made exactly once: they are in one transaction with the completion. That holds for
 * them and for nothing else: a mail that your function sends may be sent again after a crash. Each function that runs
 * holds one connection of the pool; use `context.tx` inside it, not the pool.
 *
 * @throws ConfigurationError for another kind of object, or an unusable option.
 */
export function postgresStore<Database extends PostgresPool | PGliteDatabase>(
  database: Database,
  options: PostgresStoreOptions = {},
): PostgresStore<PostgresTx<Database>> {
  checkStoreOptions('postgresStore', options, NAMES);
  const { isolation = 'read committed' } = options;
  if (!ISOLATIONS.includes(isolation)) throw new ConfigurationError(`isolation must be ${ISOLATIONS.join(', ')}.`);
  const connection = connectionOf(database, isolation);
  const retention = options.retention == null ? null : checkedRetention(options.retention);
  const sql = postgresStatements(quotedTable(options.table ?? 'merchant_webhook_events'), retention);

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
      const [won] = await query(sql.claim, key, owner, digest, lease);
      if (won !== undefined) {
        const earlier = (won as { digest: string | null }).digest; // the columns of our own statement
        return earlier === null ? { state: 'claimed' } : { state: 'taken_over', digest: earlier };
      }
      const [held] = await query(sql.read, key);
      if (held !== undefined) {
        const record = held as { digest: string; done: boolean }; // the columns of our own statement
        return { state: record.done ? 'done' : 'running', digest: record.digest };
      }
    }
    throw new Error('The record was given back again and again while it was being claimed.');
  };

  const touches = async (text: string, ...values: unknown[]): Promise<boolean> =>
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
      if (sql.cleanUp === null) throw new ConfigurationError('Records are kept for ever: give the store a retention.');
      return (await query(`${sql.cleanUp} RETURNING event_key`)).length;
    },
    claim,
    renew: ({ key, owner }, lease) => touches(sql.renew, key, owner, lease),
    complete: ({ key, owner }) => touches(sql.complete, key, owner),
    async release({ key, owner }) {
      await query(sql.release, key, owner);
    },
    async run({ key, owner }, work) {
      let completed = false;
      try {
        return await connection.transaction(async (tx, inTransaction) => {
          await work({ tx: tx as PostgresTx<Database> }); // PostgresTx says what this database lends
          completed = (await inTransaction(sql.completeOnce, [key, owner])).rows.length > 0;
          return completed;
        });
      } catch (error) {
        // COMMIT was sent and its answer was lost: the record says whether PostgreSQL has kept the transaction.
        if (completed && (await touches(sql.isDone, key, owner).catch(() => false))) return true;
        throw error;
      }
    },
  };
}

/** Serialisation failure and deadlock; then what "create if not exists" gives when two run at the same moment. */
const REPEATABLE: readonly unknown[] = ['40001', '40P01', '23505', '42P07', '42710'];

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}

function missingTable(table: string): ConfigurationError {
  return new ConfigurationError(`The table ${table} does not exist: run store.migrate() once, or store.schema.`);
}
