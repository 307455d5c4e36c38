import type { Fail } from '../../errors/checks.ts';
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
   * The owner of the events, as a part of every key: 1 to 64 letters, digits or `_ . -`. Set it from the first day if
   * two businesses, or two installations of the service, share one table. @defaultValue none
   */
  readonly namespace?: string | undefined;
  /**
   * How long completed events are remembered, in milliseconds, a day to ten years, or null for no limit.
   * @defaultValue null
   */
  readonly retention?: number | null | undefined;
}

/** The table of a store in an SQL database. */
export interface SqlStore extends StoreRecords {
  /** The statement that creates the table, for your migrations. It is harmless to repeat. */
  readonly schema: string;
  /**
   * The statement that deletes records older than `retention`, for a job of your database, or null if `retention` is
   * null. It measures the age by the clock of the database: of the server with PostgreSQL, of the machine with SQLite.
   */
  readonly cleanUpStatement: string | null;
  /**
   * Creates the table if there is none, and checks its columns. Many processes may do so at the same time.
   *
   * @throws ConfigurationError if there is a table of this name with other columns.
   */
  migrate(): Promise<void>;
  /**
   * Deletes the records older than `retention` and returns their number. PostgreSQL measures the age by its own clock,
   * SQLite by the `now` of the store.
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

/** Reads the namespace, which precedes each key of the handler. */
export function namespaceOption(namespace: unknown, name: string, fail: Fail): string | undefined {
  if (namespace === undefined || (typeof namespace === 'string' && NAMESPACE.test(namespace))) return namespace;
  return fail(`${name} must be 1 to 64 letters, digits or _ . - characters, or omitted`);
}

/**
 * Reads the name of the table in quotes, safe for a statement. It is lower case, so quoted and unquoted names are the
 * same.
 */
export function tableOption(table: unknown, name: string, fail: Fail): string {
  const given = table === undefined ? 'merchant_webhook_events' : table;
  if (typeof given !== 'string' || !IDENTIFIER.test(given)) {
    return fail(`${name} must be a name of lower-case letters, digits and _ that begins with no digit, or schema.name`);
  }
  return given
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/** Reads the prefix of each key in Redis. */
export function prefixOption(prefix: unknown, name: string, fail: Fail): string {
  if (prefix === undefined) return 'merchant-webhook:';
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix;
  return fail(`${name} must be 1 to 100 letters, digits or _ : . - { } characters`);
}

/**
 * Reads the retention. Below a day a repeat of the service, which repeats for 20.6 hours, would count as a new event.
 */
export const retentionOption =
  <Default extends number | null>(byDefault: Default) =>
  (retention: unknown, name: string, fail: Fail): number | Default => {
    if (retention === undefined || (retention === null && byDefault === null)) return byDefault;
    if (typeof retention === 'number' && Number.isInteger(retention) && retention >= DAY && retention <= LONGEST)
      return retention;
    return fail(
      `${name} must be whole milliseconds from ${DAY} (a day: the service repeats for 20.6 hours) to ${LONGEST}`,
    );
  };

/** @throws ConfigurationError if the table lacks a column, because it is another one or was made by hand */
export function checkColumns(table: string, found: readonly string[], needed: readonly string[]): void {
  const missing = needed.filter((column) => !found.includes(column));
  if (missing.length === 0) return;
  throw new ConfigurationError(
    `The table ${table} has no column ${missing.join(', ')}, so it is not a table of this store. Give the store another name with the option table.`,
  );
}
