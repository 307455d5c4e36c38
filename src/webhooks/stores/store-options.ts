import { ConfigurationError } from '../../errors/classes.ts';

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
