import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  configurationFail,
  kindOf,
  readCount,
  readWord,
} from '../checks.ts';
import type { DecimalInput } from '../contract/parameters.ts';
import { INVOICE_STATUS_NAMES } from '../contract/statuses.ts';
import type { KnownInvoiceStatus } from '../contract/types.ts';
import { Decimal } from '../contract/values/decimal.ts';
import { instantFrom } from '../contract/values/instants.ts';
import { decimalFrom, Problem } from '../contract/values/scalars.ts';
import { parseClock, type TimeSource } from '../webhooks/clock.ts';
import type { ReconcileClient } from './client.ts';
import type { ReconcileOrder } from './read/order-row.ts';

/** Orders, in any order and from any source. */
export type Orders = Iterable<ReconcileOrder> | AsyncIterable<ReconcileOrder>;

/** A time: a Date, milliseconds since 1970, or ISO 8601 text (UTC if it has no offset). */
export type Instant = Date | number | string;

/** The progress of a run: after each page, and after each hundred orders. */
export interface ReconcileProgress {
  /** The phases of a run, in this order. */
  readonly phase: 'orders' | 'invoices' | 'comparison';
  /** Orders, pages or rows so far. */
  readonly done: number;
  /** The number of all of them. Null for orders, whose number is unknown. */
  readonly total: number | null;
  /** Findings so far. */
  readonly findings: number;
}

/**
 * Options of {@link reconcile}. It needs `orders`, `lookup` or both.
 *
 * @example
 * const run = reconcile({ merchant, orders, lookup, since: Date.now() - 7 * 86_400_000 });
 */
export interface ReconcileOptions {
  /** A MerchantClient. */
  readonly merchant: ReconcileClient;
  /** All orders of the period. Without them, orders that have no invoice are not found. */
  readonly orders?: Orders | undefined;
  /**
   * Reads the orders with these ids, at most 200. An order that does not exist is left out. With `orders` it reads an order
   * again before a finding is reported. Without them it reads the order of each invoice.
   */
  readonly lookup?: ((ids: readonly string[]) => Orders | Promise<Orders>) | undefined;
  /** Compares invoices that were created at this time or later. Default: all. */
  readonly since?: Instant | undefined;
  /** Compares invoices that were created before this time. Default: all. */
  readonly until?: Instant | undefined;
  /** Lists invoices of these statuses only. Default: all, in one list. */
  readonly statuses?: readonly KnownInvoiceStatus[] | undefined;
  /**
   * Whether reading ends at `since`. `newest`: the list is newest first, so it does. `detect`: it does if all pages read
   * so far and the last page of the list are newest first. `any`: the list is read to its end.
   * @defaultValue 'detect'
   */
  readonly order?: 'detect' | 'newest' | 'any' | undefined;
  /**
   * A difference is left to the webhook until the invoice has ended this many milliseconds before the run. The service
   * delivers for 20.6 hours.
   * @defaultValue 75_600_000 (21 hours)
   */
  readonly grace?: number | undefined;
  /** A difference of credits up to this many USDT counts as none. @defaultValue '0' */
  readonly creditedTolerance?: DecimalInput | undefined;
  /** Requests in flight, 1 to 32. @defaultValue 3 */
  readonly prefetch?: number | undefined;
  /** Requests for deliveries of webhooks in a run. Beyond it no webhook_not_delivered is found. @defaultValue 200 */
  readonly maxDeliveryRequests?: number | undefined;
  /** Rows (orders and invoices) held in memory. More of them go to files. @defaultValue 100_000 */
  readonly maxInMemory?: number | undefined;
  /** The folder for these files. They are removed at the end. Default: the system's folder for temporary files. */
  readonly folder?: string | undefined;
  /** Ends the run. It then rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress. Its errors are ignored. */
  readonly onProgress?: Callback<[progress: ReconcileProgress]> | undefined;
  /** The time of the run. Default: the clock of this machine. */
  readonly now?: TimeSource | undefined;
}

const NAMES: ReadonlySet<string> = new Set<keyof ReconcileOptions>([
  ...(['merchant', 'orders', 'lookup', 'since', 'until', 'statuses', 'order', 'grace', 'creditedTolerance'] as const),
  ...(['prefetch', 'maxDeliveryRequests', 'maxInMemory', 'folder', 'signal', 'onProgress', 'now'] as const),
]);

const GRACE = 21 * 3_600_000;
const PREFETCH = { byDefault: 3, min: 1, max: 32 };
const DELIVERIES = { byDefault: 200, min: 0 };
const IN_MEMORY = { byDefault: 100_000, min: 1 };
const ORDERS = ['detect', 'newest', 'any'] as const;

const fail = configurationFail('reconcile');

/** The options, checked and completed. */
export type Settings = ReturnType<typeof readSettings>;

/** @throws ConfigurationError which names the option. */
export function readSettings(options: ReconcileOptions) {
  checkOptions('options', options, NAMES, fail);
  const { merchant, orders, lookup, signal, onProgress, folder } = options;
  checkClient(merchant);
  checkSignal('signal', signal, fail);
  checkCallbacks({ lookup, onProgress }, fail);
  if (orders === undefined && lookup === undefined) fail('needs orders, lookup or both');
  if (orders !== undefined && !isIterable(orders)) {
    fail(`orders must be an iterable or async iterable of orders, not ${kindOf(orders)}`);
  }
  if (folder !== undefined && (typeof folder !== 'string' || folder === '')) {
    fail(`folder must be the path of a folder, not ${kindOf(folder)}`);
  }
  const now = parseClock(options.now)();
  return {
    merchant,
    orders,
    lookup,
    since: readInstant('since', options.since) ?? Number.NEGATIVE_INFINITY,
    until: readInstant('until', options.until) ?? Number.POSITIVE_INFINITY,
    statuses: readStatuses(options.statuses),
    order: readWord('order', ORDERS, options.order, fail) ?? 'detect',
    now,
    /** Invoices that ended after this time are left to their webhook. */
    horizon: now - readGrace(options.grace),
    tolerance: readTolerance(options.creditedTolerance),
    prefetch: readCount('prefetch', options.prefetch, PREFETCH, fail),
    maxDeliveryRequests: readCount('maxDeliveryRequests', options.maxDeliveryRequests, DELIVERIES, fail),
    maxInMemory: readCount('maxInMemory', options.maxInMemory, IN_MEMORY, fail),
    folder,
    signal,
    onProgress,
  };
}

function checkClient(merchant: unknown): void {
  const { invoices, webhooks } = (merchant ?? {}) as Partial<ReconcileClient>; // checked below
  const methods = [invoices?.list, invoices?.get, webhooks?.deliveries, webhooks?.resend];
  if (methods.some((method) => typeof method !== 'function')) fail('merchant must be a MerchantClient');
}

/** True for what `for await` can read. Text is iterable as well, and never meant. */
export function isIterable(value: unknown): value is Orders {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function readInstant(name: string, value: unknown): number | null {
  if (value === undefined) return null;
  return (
    instantFrom(value) ?? fail(`${name} must be a Date, milliseconds since 1970 or ISO 8601 text, not ${kindOf(value)}`)
  );
}

function readStatuses(statuses: unknown): readonly (KnownInvoiceStatus | undefined)[] {
  if (statuses === undefined) return [undefined];
  const given = Array.isArray(statuses) ? statuses : [];
  // Pending first: an invoice that ends meanwhile is then in one of the lists, or in both.
  const known = INVOICE_STATUS_NAMES.filter((status) => given.includes(status));
  if (known.length > 0 && known.length === new Set(given).size) return known;
  return fail(`statuses must be a list of ${INVOICE_STATUS_NAMES.join(', ')}`);
}

function readGrace(grace: unknown): number {
  if (grace === undefined) return GRACE;
  if (typeof grace === 'number' && Number.isFinite(grace) && grace >= 0) return grace;
  return fail(`grace must be a number of milliseconds from 0, not ${kindOf(grace)}`);
}

function readTolerance(given: unknown): Decimal {
  const decimal = decimalFrom(Decimal.isDecimal(given) ? given.toFixed() : (given ?? '0'));
  const isText = typeof given !== 'number';
  if (isText && !(decimal instanceof Problem) && !decimal.isNegative()) return decimal;
  return fail('creditedTolerance must be decimal text from 0, such as "0.01"');
}
