import type { UnlistedWord } from './types.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * The JSON form of a public type. Amounts and times are text. An open list of words keeps only the words of the
 * interface.
 */
export type Wire<T> = T extends UnlistedWord
  ? never
  : T extends Decimal | Date
    ? string
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;
