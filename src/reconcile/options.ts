import { instantFrom } from '../contract/values/scalars.ts';
import {
  callback,
  configurationFail,
  count,
  type Fail,
  kindOf,
  type OptionTable,
  quoted,
  type Read,
  signal,
} from '../errors/checks.ts';
import type { ReconcileClient, ReconcileOptions } from './types.ts';

// The options of a run, as they are checked.

export const fail = configurationFail('reconcile');
const GRACE = 15 * 60_000;
/** No invoice is older. A count of seconds in place of milliseconds is a time before it. */
const YEAR_2000 = Date.UTC(2000);

export const OPTIONS = {
  merchant(value: unknown): ReconcileClient {
    const { list, get } = (value as Partial<ReconcileClient> | null | undefined)?.invoices ?? {}; // checked here
    if (typeof list !== 'function' || typeof get !== 'function') fail('merchant must be a MerchantClient');
    return value as ReconcileClient; // its methods are there
  },
  orders(value: unknown): ReconcileOptions['orders'] {
    if (typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value))
      return value as ReconcileOptions['orders']; // each row is checked
    return fail(`orders must be an iterable or async iterable of orders, not ${kindOf(value)}`);
  },
  since(value: unknown): number {
    const time = value === undefined ? 0 : (instantFrom(value) ?? Number.NaN);
    if (time === 0 || time >= YEAR_2000) return time;
    return fail('since must be a Date, milliseconds (not seconds) since 1970 or ISO 8601 text, and in 2000 or later');
  },
  grace(value: unknown, name: string, refuse: Fail): number {
    if (value === undefined) return GRACE;
    if (typeof value === 'number' && value >= 0) return value;
    return refuse(`${name} must be a number of milliseconds from 0, not ${kindOf(value)}`);
  },
  adjustedAbsent(value: unknown, name: string, refuse: Fail): 'as_ordered' | undefined {
    if (value === undefined || value === 'as_ordered') return value;
    return refuse(`${name} must be 'as_ordered' or absent, not ${quoted(value)}`);
  },
  signal: signal(),
  concurrency: count({ default: 4, min: 1, max: 32 }),
  now: callback<() => number>(),
} satisfies OptionTable<ReconcileOptions>;

/** The options with their defaults. */
export type Settings = Read<typeof OPTIONS>;
