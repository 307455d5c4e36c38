// The points that the service interface leaves open, and how the sandbox fills them in. Imports only errors and checks.
import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../option-checks.ts';
import { ANSWER_DIALECTS } from './answer-dialects.ts';
import type { DialectEntry } from './dialect-entry.ts';
import { LIST_DIALECTS } from './list-dialects.ts';
import { WEBHOOK_DIALECTS } from './webhook-dialects.ts';

export type { DialectEntry, FailureBody, NullForm } from './dialect-entry.ts';

/**
 * All dialects as data. The type `Dialect`, the tables of the docs and the page `/assumptions` are made from it.
 *
 * @experimental
 */
export const DIALECTS = { ...ANSWER_DIALECTS, ...WEBHOOK_DIALECTS, ...LIST_DIALECTS };

/**
 * How the sandbox fills in what the service interface leaves open, one member per point. `DIALECTS` says of each member
 * what its values mean.
 *
 * The defaults are the likeliest reading, not knowledge. Run your tests over the others before you go live.
 *
 * @example
 * const sandbox = createSandbox({ dialect: { createStatus: 200, signatureEncoding: 'base64' } });
 * @experimental
 */
export type Dialect = { readonly [Name in keyof typeof DIALECTS]: (typeof DIALECTS)[Name]['default'] };

/**
 * The given values over the defaults.
 *
 * @throws ConfigurationError for a name or value that is not in the table.
 */
export function dialectFrom(given: { readonly [Name in keyof Dialect]?: Dialect[Name] | undefined } = {}): Dialect {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const chosen = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.default]));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      throw new ConfigurationError(`dialect has no ${shown(name)}, only ${Object.keys(table).join(', ')}`);
    }
    if (!row.values.includes(value)) {
      const values = row.values.map(shown).join(', ');
      throw new ConfigurationError(`dialect.${name} must be one of ${values}, not ${shown(value)}`);
    }
    chosen[name] = value;
  }
  return chosen as unknown as Dialect; // every name of the table has a value of its list
}
