import { checkOptions, configurationFail } from '../../checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';

const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/;
const PREFIX = /^[A-Za-z0-9_:.{}-]{1,100}$/;
const NAMESPACE = /^[A-Za-z0-9_.-]{1,64}$/;
const DAY = 86_400_000;
const LONGEST = 3_650 * DAY;

/** @throws ConfigurationError for options that are no object, or have a name that the store does not know. */
export function checkStoreOptions(store: string, options: unknown, names: ReadonlySet<string>): void {
  checkOptions('options', options, names, configurationFail(store));
}

/** What stands before each key of the handler, followed by a slash. Undefined: nothing. */
export function checkedNamespace(namespace: unknown): string | undefined {
  if (namespace === undefined || (typeof namespace === 'string' && NAMESPACE.test(namespace))) return namespace;
  throw new ConfigurationError('namespace must be 1 to 64 letters, digits or _ . - characters, or left out.');
}

/** The table's name in quotes, safe to stand in a statement: lower case, so that quoted and unquoted mean the same. */
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

/** What stands before each key of the store. */
export function checkedPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return prefix;
  throw new ConfigurationError('prefix must be 1 to 100 letters, digits or _ : . - { } characters.');
}

/** Milliseconds that a record must be kept: below a day the service's own repeats, over 20.6 hours, would be new. */
export function checkedRetention(retention: unknown): number {
  if (typeof retention === 'number' && Number.isInteger(retention) && retention >= DAY && retention <= LONGEST) {
    return retention;
  }
  throw new ConfigurationError(
    `retention must be whole milliseconds from ${DAY} (a day: the service repeats for 20.6 hours) to ${LONGEST}.`,
  );
}
