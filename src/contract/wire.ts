import type { UnlistedWord } from './types.ts';
import type { Decimal } from './values/decimal.ts';

/**
 * The JSON form of a public type: amounts and times are text, and an open list of words holds only the words that the
 * interface lists.
 */
export type Wire<T> = T extends UnlistedWord
  ? never
  : T extends Decimal | Date
    ? string
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;
