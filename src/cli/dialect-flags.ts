import { DIALECTS, type Dialect } from '../sandbox/index.ts';
import { misuse } from './io.ts';

type Table = Readonly<Record<string, { readonly values: readonly (string | number)[] }>>;
const TABLE: Table = DIALECTS;

/** `name=value` flags as a dialect. */
export function dialectFromFlags(flags: readonly string[], mend: string): Partial<Dialect> {
  const chosen: Record<string, string | number> = {};
  for (const flag of flags) {
    const [name = '', ...rest] = flag.split('=');
    const entry = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
    if (entry === undefined) {
      throw misuse(`there is no dialect ${JSON.stringify(name)}; there are ${Object.keys(TABLE).join(', ')}`, mend);
    }
    const value = entry.values.find((each) => String(each) === rest.join('='));
    if (value === undefined) {
      const values = entry.values.map((each) => `${name}=${each}`).join(', ');
      throw misuse(`--dialect ${flag} is not one of ${values}`, mend);
    }
    chosen[name] = value;
  }
  return chosen as Partial<Dialect>; // each name got a value of its own list
}

/** One value of each dialect, by chance. */
export function shuffledDialect(next: () => number): Partial<Dialect> {
  const chosen = Object.entries(TABLE).map(([name, { values }]) => [name, values[Math.floor(next() * values.length)]]);
  return Object.fromEntries(chosen) as Partial<Dialect>; // each name got a value of its own list
}
