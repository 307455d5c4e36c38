import { ConfigurationError } from '../../errors/classes.ts';
import type { StoreRecords } from './store.ts';

/** The options that the stores in SQL databases share. */
export interface SqlStoreOptions {
  /**
   * The name of the table, in PostgreSQL also `schema.name`: lower-case letters, digits and `_`, at most 63 characters.
   * @defaultValue `merchant_webhook_events`
   */
  readonly table?: string | undefined;
  /**
   * The owner of the events, as a part of every key: 1 to 64 letters, digits or `_ . -`. Set it from the first day if two
   * businesses, or two installations of the service, share one table. @defaultValue none
   */
  readonly namespace?: string | undefined;
  /** How long completed events are remembered, in milliseconds, a day to ten years, or null for no limit. @defaultValue null */
  readonly retention?: number | null | undefined;
}

/** What {@link SqlStore.migrate} found and changed. */
export interface StoreMigration {
  /** The version of the table before, or null if there was no table. */
  readonly from: number | null;
  /** Records of attempts that never ended, which were removed. Their events run again when they are delivered. */
  readonly unfinished: number;
}

/** The table of a store in an SQL database. */
export interface SqlStore extends StoreRecords {
  /** The statement that creates the table, for your migrations. It is harmless to repeat. */
  readonly schema: string;
  /**
   * The statement that deletes records older than `retention`, for a job of your database, or null if `retention` is null.
   * It measures the age by the clock of the database: of the server with PostgreSQL, of the machine with SQLite.
   */
  readonly cleanUpStatement: string | null;
  /** Creates the table, or changes one of an earlier version. Many processes may do so at the same time. */
  migrate(): Promise<StoreMigration>;
  /**
   * Deletes the records older than `retention` and returns their number. PostgreSQL measures the age by its own clock, SQLite
   * by the `now` of the store.
   *
   * @throws ConfigurationError without a `retention`.
   */
  cleanUp(): Promise<number>;
}

const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/;
const PREFIX = /^[A-Za-z0-9_:.{}-]{1,100}$/;
const NAMESPACE = /^[A-Za-z0-9_.-]{1,64}$/;
const DAY = 86_400_000;
const LONGEST = 3_650 * DAY;

/** Checks the namespace, which precedes each key of the handler. */
export function checkedNamespace(namespace: unknown): string | undefined {
  if (namespace === undefined || (typeof namespace === 'string' && NAMESPACE.test(namespace))) return namespace;
  throw new ConfigurationError('namespace must be 1 to 64 letters, digits or _ . - characters, or omitted.');
}

/** Returns the name of the table in quotes, safe for a statement. It is lower case, so quoted and unquoted names are the same. */
export function quotedTable(table: unknown): string {
  if (typeof table !== 'string' || !IDENTIFIER.test(table)) {
    throw new ConfigurationError(
      'table must be a name of lower-case letters, digits and _ that begins with no digit, or schema.name.',
    );
  }
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/** Checks the prefix of each key in Redis. */
export function checkedPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix;
  throw new ConfigurationError('prefix must be 1 to 100 letters, digits or _ : . - { } characters.');
}

/** Checks the retention. Below a day a repeat of the service, which repeats for 20.6 hours, would count as a new event. */
export function checkedRetention(retention: unknown): number {
  if (typeof retention === 'number' && Number.isInteger(retention) && retention >= DAY && retention <= LONGEST) {
    return retention;
  }
  throw new ConfigurationError(
    `retention must be whole milliseconds from ${DAY} (a day: the service repeats for 20.6 hours) to ${LONGEST}.`,
  );
}
