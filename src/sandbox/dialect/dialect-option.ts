import { ConfigurationError } from '../../errors/classes.ts';
import { shown } from '../duration.ts';
import type { SandboxOptions } from '../options.ts';
import type { Dialect } from './dialect.ts';
import { DIALECTS, type DialectEntry } from './dialects.ts';

/** The given values over the defaults. Throws a ConfigurationError for a name or value that is not in the table. */
export function dialectFrom(given: SandboxOptions['dialect'] = {}): Dialect {
  const table: Readonly<Record<string, DialectEntry>> = DIALECTS;
  const chosen = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row.default]));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      throw new ConfigurationError(`dialect has no ${shown(name)}; it has ${Object.keys(table).join(', ')}`);
    }
    if (!row.values.includes(value)) {
      const values = row.values.map(shown).join(', ');
      throw new ConfigurationError(`dialect.${name} must be one of ${values}; got ${shown(value)}`);
    }
    chosen[name] = value;
  }
  return chosen as unknown as Dialect; // every name of the table was given a value of its own list
}
