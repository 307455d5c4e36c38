import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import { plainIdent } from '../../contract/values/scalars.ts';
import {
  type Callback,
  callback,
  count,
  type Fail,
  kindOf,
  type OptionTable,
  readOptions,
  signal,
  unchecked,
} from '../../errors/checks.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import { warnOnce } from '../../errors/notify.ts';
import type { CatchUpInvoice } from '../event/event-types.ts';

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
    /** Iterates over the invoices, those of a status or all, or over the pages. */
    list(
      query: { readonly status?: 'pending' | FinalInvoiceStatus; readonly per_page: number },
      options: BatchReadOptions & {
        /** Pages in flight. */
        readonly prefetch?: number | undefined;
        readonly onInvalidItem: (item: {
          readonly page: number;
          readonly index: number;
          readonly path: string;
          readonly raw: unknown;
        }) => void;
      },
    ): AsyncIterable<CatchUpInvoice> & {
      /** Without it, a hundred invoices count as a page. */
      pages?(): AsyncIterable<{ readonly items: readonly CatchUpInvoice[] }>;
    };
  };
}

/**
 * Options of `handler.catchUp`: `orders` for a scheduled run, or `replay` to repair by hand.
 *
 * @example
 * const waiting = db.prepare(`SELECT external_id FROM orders WHERE status = 'pending' ORDER BY created_at`).all();
 * await handler.catchUp(merchant, { orders: waiting.map((row) => String(row.external_id)) });
 */
export interface CatchUpOptions {
  /**
   * The ids of the orders that wait for money in your database. Once a night, add the orders of the last days that were
   * canceled or have a renewal, because an invoice that ended may still be paid. A uuid, and an external_id that ends in
   * `--n`, stand for the order of their invoice. The ids are read into memory first, and each order counts once.
   */
  readonly orders?: Iterable<string> | AsyncIterable<string> | undefined;
  /**
   * Instead of `orders`: at most 100 ids of orders. Their events are played once more, although they are done. Use it
   * after a repaired bug or a restored backup. Your function must find what it did before. If it fails, the event stays
   * done.
   */
  readonly replay?: readonly string[] | undefined;
  /**
   * Ends the run. No function begins afterwards, and the promise rejects with an AbortedError when the running ones
   * have ended.
   */
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

/** The result of `catchUp`. `played` and `alreadyDone` are numbers of events, the others numbers of orders. */
export interface CatchUpResult {
  /** Orders that were looked at, each once, however often it was named. */
  readonly checked: number;
  /** Events that were handled now. An order that was paid twice has two. */
  readonly played: number;
  /** Events that were done before, by a webhook or an earlier run. */
  readonly alreadyDone: number;
  /** Orders with an invoice that is open, and without a payment. */
  readonly open: number;
  /** Orders for which the service has no invoice. `onReport` names each: `unknown_order`. */
  readonly unknown: number;
  /**
   * Orders of which an event is being handled by another attempt, perhaps by a delivery. `onReport` names each. The next
   * run sees how that ended.
   */
  readonly busy: number;
  /**
   * Orders that are not done: your function threw or took too long, the store failed, an invoice could not be read, lacks a
   * needed value or has a status that no interface names, or the id is empty. `onReport` names each, with the error. The
   * next run tries it again.
   */
  readonly failed: number;
}

/** The progress of `catchUp`. */
export interface CatchUpProgress extends CatchUpResult {
  /** The number of orders that were given. */
  readonly total: number;
}

export const OPERATION = 'handler.catchUp';
/** A replay is a repair by hand. More orders are a mistake. */
const REPLAY_MAX = 100;

const fail: Fail = (problem) => {
  throw new ConfigurationError(`${OPERATION}: ${problem}.`, { operation: OPERATION });
};

const OPTIONS = {
  orders: unchecked<CatchUpOptions['orders']>(),
  replay: unchecked<CatchUpOptions['replay']>(),
  signal: signal(),
  concurrency: count({ default: 4, min: 1, max: 32 }),
  onProgress: callback<Callback<[progress: CatchUpProgress]>>(),
} satisfies OptionTable<CatchUpOptions>;

/** The options after their check. */
export interface CatchUpSettings extends Pick<CatchUpOptions, 'onProgress'> {
  readonly idents: Iterable<string> | AsyncIterable<string>;
  /** Whether done events are played once more. */
  readonly again: boolean;
  readonly signal: AbortSignal | undefined;
  readonly concurrency: number;
}

/** @throws ConfigurationError which names the argument */
export function readCatchUpOptions(merchant: CatchUpClient, options: CatchUpOptions = {}): CatchUpSettings {
  const { get, list } = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices ?? {}; // checked here
  if (typeof get !== 'function' || typeof list !== 'function') fail('needs a MerchantClient, which reads the invoices');
  const { orders, replay, ...read } = readOptions('options', options, OPTIONS, fail);
  if (orders === undefined && replay === undefined)
    fail('needs { orders }: the ids of the orders that wait in your database');
  if (orders !== undefined && replay !== undefined) fail('has orders and replay: give one of them');
  const idents = orders ?? replay;
  const name = orders === undefined ? 'replay' : 'orders';
  if (typeof idents !== 'object' || idents === null || !(Symbol.iterator in idents || Symbol.asyncIterator in idents))
    return fail(`${name} must be an array or another iterable of ids, not ${kindOf(idents)}`);
  if (replay !== undefined && !(Array.isArray(replay) && replay.length <= REPLAY_MAX))
    fail(`replay must be an array of at most ${REPLAY_MAX} ids: it repeats done events, to repair by hand`);
  if (replay !== undefined)
    warnOnce(
      'replay',
      'catchUp plays the events of replay again in each run, although they are done. In a scheduled run, use orders.',
    );
  return { ...read, idents, again: replay !== undefined };
}

/**
 * Reads the ids, each once. A row without an id must not keep the others from being read.
 *
 * @returns The ids, and how many were NULL or empty.
 * @throws ConfigurationError for anything but ids.
 */
export async function readIdents(
  given: AsyncIterable<unknown>,
  again: boolean,
): Promise<{ readonly idents: readonly string[]; readonly missing: number }> {
  const idents = new Map<string, string>();
  const name = again ? 'replay' : 'orders';
  let missing = 0;
  for await (const ident of given) {
    if (ident === '' || ident === null) missing += 1;
    else if (typeof ident === 'string') idents.set(plainIdent(ident), ident);
    else
      fail(
        `${name} must hold external_ids or uuids, not ${kindOf(ident)}: ${name}: rows.map((row) => row.external_id)`,
      );
  }
  return { idents: [...idents.values()], missing };
}
