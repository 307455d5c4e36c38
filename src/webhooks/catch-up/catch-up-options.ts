import { type Callback, checkCallbacks, checkOptions, checkSignal } from '../../checks.ts';
import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { Invoice, Page } from '../../contract/types.ts';
import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { InvalidItem } from '../../resources/list-options.ts';
import type { WebhookStore } from '../stores/store.ts';

/** The members of an invoice that its event is built from. */
export type CatchUpInvoice = Pick<
  Invoice,
  'uuid' | 'external_id' | 'status' | 'amount' | 'finished_at' | 'settled_amount_usdt' | 'is_adjusted' | 'adjustment'
>;

/** The options with which `catchUp` lists invoices. */
export interface CatchUpListOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPage: (page: Pick<Page<unknown>, 'page' | 'total_pages'>) => void;
  readonly onInvalidItem: (item: InvalidItem) => void;
}

/** The part of a `MerchantClient` that `catchUp` needs: the list of invoices. */
export interface CatchUpClient {
  readonly invoices: {
    list(
      query: { readonly status: FinalInvoiceStatus; readonly per_page: number },
      options: CatchUpListOptions,
    ): AsyncIterable<CatchUpInvoice>;
  };
}

/** The result of `catchUp`, in numbers of invoices. */
export interface CatchUpResult {
  /** Handled now. */
  readonly played: number;
  /** Done before. */
  readonly alreadyDone: number;
  /** Being handled by another attempt, perhaps by a delivery. The next run sees how that ended. */
  readonly busy: number;
  /**
   * Not done: your function threw or took too long, the store failed, or the invoice lacks a needed value. `onReport`
   * says which and why.
   */
  readonly failed: number;
  /** Left out because they cannot be decoded. `onReport` says why. */
  readonly invalid: number;
}

/** The progress of `catchUp`: after each page, and after each invoice. */
export interface CatchUpProgress extends CatchUpResult {
  /** The status of the current list: success, then fail, expired, canceled. */
  readonly status: FinalInvoiceStatus;
  /** The last page of this list that was read, from 1, or 0 before the first. */
  readonly page: number;
  readonly totalPages: number;
}

/**
 * Options of `handler.catchUp`.
 *
 * @example
 * await handler.catchUp(merchant, { since: Date.now() - 86_400_000, signal: AbortSignal.timeout(600_000) });
 */
export interface CatchUpOptions {
  /**
   * Plays the invoices that finished at this time or later: a Date, milliseconds since 1970, or ISO 8601 text (UTC if it
   * has no offset). Choose a time before the outage. An invoice without `finished_at` is played.
   */
  readonly since: Date | number | string;
  /** Ends the walk. A running function may end first, within the time limit. The promise then rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress, for a progress bar. Its errors are ignored. */
  readonly onProgress?: Callback<[progress: CatchUpProgress]> | undefined;
}

export const CATCH_UP = 'handler.catchUp';

/** @throws ConfigurationError which names the argument */
export function checkClient(merchant: unknown): void {
  const list = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices?.list; // checked below
  if (typeof list !== 'function') refuse('needs a MerchantClient, whose list of invoices it walks');
}

const NAMES: ReadonlySet<string> = new Set<keyof CatchUpOptions>(['since', 'signal', 'onProgress']);

/** @throws ConfigurationError which names the option */
export function checkCatchUpOptions(options: CatchUpOptions): void {
  if (typeof options !== 'object' || options === null) refuse('needs { since }: a time before the outage began');
  checkOptions('options', options, NAMES, refuse);
  checkSignal('signal', options.signal, refuse);
  checkCallbacks({ onProgress: options.onProgress }, refuse);
}

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns `since` in milliseconds. If the store's records do not reach back that far, `since` is refused: completed events
 * would run again.
 *
 * @throws ConfigurationError
 */
export function parseSince(since: unknown, now: number, retention: number | null): number {
  const ms = timeOf(since);
  if (Number.isNaN(ms)) {
    const given = since === undefined ? 'missing' : 'not a time';
    refuse(`since is ${given}. Give a Date, milliseconds since 1970 or ISO 8601 text: a time before the outage began`);
  }
  if (typeof retention === 'number' && !(now - ms <= retention)) {
    refuse(
      `since is ${days(now - ms)} ago, but this store remembers completed events for ${days(retention)}: older ones would run again. Give a later since, or use a store that remembers longer`,
    );
  }
  return ms;
}

function timeOf(since: unknown): number {
  if (since instanceof Date) return since.getTime();
  if (typeof since === 'number') return new Date(since).getTime();
  if (typeof since !== 'string') return Number.NaN;
  const date = dateFrom(DATE_ALONE.test(since) ? `${since}T00:00:00Z` : since);
  return date instanceof Problem ? Number.NaN : date.getTime();
}

/**
 * Refuses a store that had to drop completed records: it would answer "new" for completed events.
 *
 * @throws ConfigurationError
 */
export function refuseForgetfulStore(store: Pick<WebhookStore, 'forgot'>): void {
  const forgot = store.forgot?.() ?? null;
  if (forgot !== null) refuse(`${forgot} What was played so far is done. Use a store that keeps its records`);
}

function days(ms: number): string {
  return `${Math.round((ms / 86_400_000) * 100) / 100} days`;
}

function refuse(problem: string): never {
  throw new ConfigurationError(`${CATCH_UP}: ${problem}.`, { operation: CATCH_UP });
}
