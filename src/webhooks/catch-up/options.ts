import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import { instantFrom } from '../../contract/values/scalars.ts';
import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  type Fail,
  kindOf,
  namesOf,
  readCount,
} from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';
import type { WebhookStore } from '../stores/store.ts';

// The arguments and the result of `handler.catchUp`.

/** Options of the client's reads that `catchUp` uses. */
interface BatchReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadline?: number | undefined;
  readonly retry?: { readonly maxRetryAfter: number } | undefined;
}

/** The part of a `MerchantClient` that `catchUp` needs. */
export interface CatchUpClient {
  readonly invoices: {
    /** Reads one invoice by its uuid or external_id. */
    get(ident: string, options: BatchReadOptions): PromiseLike<CatchUpInvoice>;
    /** Iterates over the invoices of a status. */
    list(
      query: { readonly status: 'pending' | FinalInvoiceStatus; readonly per_page: number },
      options: BatchReadOptions & {
        readonly onInvalidItem: (item: {
          readonly page: number;
          readonly index: number;
          readonly path: string;
          readonly raw: unknown;
        }) => void;
      },
    ): AsyncIterable<CatchUpInvoice>;
  };
}

/**
 * Options of `handler.catchUp`. Give `orders`, or `since` for a first run without them.
 *
 * @example
 * const waiting = db.prepare(`SELECT external_id FROM orders WHERE status = 'pending' ORDER BY created_at`).all();
 * await handler.catchUp(merchant, { orders: waiting.map((row) => String(row.external_id)) });
 */
export interface CatchUpOptions {
  /**
   * The external_ids or uuids of the orders that wait for money in your database, and of those that were canceled in the
   * last days, because an expired invoice may still be paid. They are read into memory first, and each counts once.
   */
  readonly orders?: Iterable<string> | AsyncIterable<string> | undefined;
  /**
   * Without `orders`, the lists of final invoices are read to their ends, and the invoices that finished at this time or
   * later are played: a Date, milliseconds since 1970, or ISO 8601 text (UTC if it has no offset). This costs one request
   * for each hundred invoices that the account ever had.
   */
  readonly since?: Date | number | string | undefined;
  /** Ends the run. No function begins afterwards, and the promise rejects with an AbortedError when the running ones have ended. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Orders that are read and played at the same time, 1 to 32. Two events of one order are never played at the same
   * time.
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /** Called after each order. Its errors change nothing. */
  readonly onProgress?: Callback<[progress: CatchUpProgress]> | undefined;
}

/** The result of `catchUp`: numbers of orders. `checked` is the sum of the others. */
export interface CatchUpResult {
  /** Orders that were looked at, each once. */
  readonly checked: number;
  /** Handled now. */
  readonly played: number;
  /** Done before, by a webhook or an earlier run. */
  readonly alreadyDone: number;
  /** The invoice is not final yet. */
  readonly open: number;
  /** The service has no invoice for this order, or does not accept this id. `onReport` names each: `unknown_order`. */
  readonly unknown: number;
  /** Being handled by another attempt, perhaps by a delivery. `onReport` names each. The next run sees how that ended. */
  readonly busy: number;
  /**
   * Not done: your function threw or took too long, the store failed, or the invoice could not be read or lacks a needed
   * value. `onReport` names each, with the error. The next run tries it again.
   */
  readonly failed: number;
}

/** The progress of `catchUp`. */
export interface CatchUpProgress extends CatchUpResult {
  /** The number of orders that were given, or null where the lists are read. */
  readonly total: number | null;
}

export const OPERATION = 'handler.catchUp';

const NAMES = namesOf<CatchUpOptions>({
  orders: true,
  since: true,
  signal: true,
  concurrency: true,
  onProgress: true,
});

export const fail: Fail = (problem) => {
  throw new ConfigurationError(`${OPERATION}: ${problem}.`, { operation: OPERATION });
};

/** The options after their check. `source` says what is read: the given orders, or the lists from a time on. */
export interface CatchUpSettings extends Pick<CatchUpOptions, 'onProgress'> {
  readonly source: { readonly orders: Iterable<string> | AsyncIterable<string> } | { readonly since: number };
  readonly signal: AbortSignal | undefined;
  readonly concurrency: number;
}

/** @throws ConfigurationError which names the argument */
export function readCatchUpOptions(
  merchant: CatchUpClient,
  options: CatchUpOptions = {},
  store: Pick<WebhookStore, 'forgot' | 'retention'>,
  now: () => number,
): CatchUpSettings {
  const { get, list } = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices ?? {}; // checked here
  if (typeof get !== 'function' || typeof list !== 'function') fail('needs a MerchantClient, which reads the invoices');
  checkOptions('options', options, NAMES, fail);
  const { orders, since, signal, onProgress } = options;
  checkSignal('signal', signal, fail);
  checkCallbacks({ onProgress }, fail);
  const concurrency = readCount('concurrency', options.concurrency, { byDefault: 4, min: 1, max: 32 }, fail);
  const forgot = store.forgot?.() ?? null;
  if (forgot !== null) fail(`${forgot} Use a store that keeps its records`);
  if (orders === undefined && since === undefined) {
    fail(
      'needs { orders }: the ids of the orders that wait in your database. Without them, give { since }: the oldest finished_at to play',
    );
  }
  if (orders !== undefined && since !== undefined) fail('has orders and since: with orders, leave since out');
  const isIterable =
    typeof orders === 'object' && orders !== null && (Symbol.iterator in orders || Symbol.asyncIterator in orders);
  if (orders !== undefined && !isIterable) {
    fail(`orders must be an array or another iterable of ids, not ${kindOf(orders)}`);
  }
  const source = orders === undefined ? { since: parseSince(since, store.retention, now()) } : { orders };
  return { source, signal, concurrency, onProgress };
}

/**
 * @throws ConfigurationError also if the store does not remember events since that time, because they would run again
 */
function parseSince(since: unknown, retention: number | null | undefined, now: number): number {
  const time = instantFrom(since);
  if (time === null) return fail('since is not a time. Give a Date, milliseconds since 1970 or ISO 8601 text');
  if (typeof retention === 'number' && now - time > retention) {
    const days = Math.round((retention / 86_400_000) * 100) / 100;
    fail(
      `since is too early: this store remembers completed events for ${days} days, and older ones would run again. Give a later since, or orders`,
    );
  }
  return time;
}
