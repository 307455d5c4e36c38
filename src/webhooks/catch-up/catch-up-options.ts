import { type Callback, checkCallbacks, checkOptions, checkSignal, type Fail } from '../../checks.ts';
import type { FinalInvoiceStatus } from '../../contract/statuses.ts';
import type { Invoice, Page } from '../../contract/types.ts';
import { dateFrom, Problem } from '../../contract/values/scalars.ts';
import { ConfigurationError } from '../../errors/classes.ts';
import type { InvalidItem } from '../../resources/list-options.ts';
import type { WebhookStore } from '../stores/store.ts';

/** The members of an invoice that its event is made from. */
export type CatchUpInvoice = Pick<
  Invoice,
  'uuid' | 'external_id' | 'status' | 'amount' | 'finished_at' | 'settled_amount_usdt' | 'is_adjusted' | 'adjustment'
>;

/** How the list is asked for. */
export interface CatchUpListOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPage: (page: Pick<Page<unknown>, 'page' | 'total_pages'>) => void;
  readonly onInvalidItem: (item: InvalidItem) => void;
}

/** What `catchUp` needs of a `MerchantClient`: the list of invoices. */
export interface CatchUpClient {
  readonly invoices: {
    list(
      query: { readonly status: FinalInvoiceStatus; readonly per_page: number },
      options: CatchUpListOptions,
    ): AsyncIterable<CatchUpInvoice>;
  };
}

/** What `catchUp` did, in numbers of invoices. */
export interface CatchUpResult {
  /** Handled now. */
  readonly played: number;
  /** Done before: nothing to do. */
  readonly alreadyDone: number;
  /** Being handled by somebody else right now, perhaps by a delivery. The next run sees how that ended. */
  readonly busy: number;
  /** Not done: your function threw or took too long, the store failed, or the invoice lacks a needed value. `onReport` says which and why. */
  readonly failed: number;
  /** Left out because they cannot be decoded. `onReport` says why. */
  readonly invalid: number;
}

/** How far `catchUp` is: after each page, and after each invoice. */
export interface CatchUpProgress extends CatchUpResult {
  /** The state being walked: success, then fail, expired, canceled. */
  readonly status: FinalInvoiceStatus;
  /** The page of this state that was read last, from 1; 0 before the first. */
  readonly page: number;
  readonly totalPages: number;
}

/** What `catchUp` is told. */
export interface CatchUpOptions {
  /**
   * Play what finished at this time or later: a Date, milliseconds since 1970, or ISO 8601 text (UTC where it names no
   * offset). Begin before the outage did. An invoice without `finished_at` counts as inside.
   */
  readonly since: Date | number | string;
  /** Ends the walk. What is running may end first, within the time limit; then the promise rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** For a progress bar. What it throws is ignored. */
  readonly onProgress?: Callback<[progress: CatchUpProgress]> | undefined;
}

export const CATCH_UP = 'handler.catchUp';

/** @throws ConfigurationError which names what is wrong */
export function checkClient(merchant: unknown): void {
  const list = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices?.list; // looked at, not trusted
  if (typeof list === 'function') return;
  throw refused('needs a MerchantClient, whose list of invoices it walks');
}

const NAMES: ReadonlySet<string> = new Set<keyof CatchUpOptions>(['since', 'signal', 'onProgress']);

/** @throws ConfigurationError which names what is wrong */
export function checkCatchUpOptions(options: CatchUpOptions): void {
  const fail: Fail = (problem) => {
    throw refused(problem);
  };
  if (typeof options !== 'object' || options === null) fail('needs { since }: a time before the outage began');
  checkOptions('options', options, NAMES, fail);
  checkSignal('signal', options.signal, fail);
  checkCallbacks({ onProgress: options.onProgress }, fail);
}

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * `since` in milliseconds. One that the store does not reach back to is refused: what was done before would be done again.
 *
 * @throws ConfigurationError
 */
export function sinceFrom(since: unknown, now: number, retention: number | null): number {
  const date =
    typeof since === 'string' ? dateFrom(DATE_ALONE.test(since) ? `${since}T00:00:00Z` : since) : new Date(Number.NaN);
  const ms =
    typeof since === 'number'
      ? new Date(since).getTime()
      : since instanceof Date
        ? since.getTime()
        : date instanceof Problem
          ? Number.NaN
          : date.getTime();
  if (Number.isNaN(ms)) {
    const given = since === undefined ? 'missing' : 'not a time';
    throw refused(
      `since is ${given}. Give a Date, milliseconds since 1970 or ISO 8601 text: a time before the outage began`,
    );
  }
  if (typeof retention === 'number' && !(now - ms <= retention)) {
    throw refused(
      `since is ${days(now - ms)} ago, but this store remembers what is done for ${days(retention)}: what was done before that would be done again. Take a later since, or a store that remembers longer`,
    );
  }
  return ms;
}

/**
 * Refuses a store that had to drop completed records: it would answer "new" for what was done.
 *
 * @throws ConfigurationError
 */
export function refuseForgetful(store: Pick<WebhookStore, 'forgot'>): void {
  const forgot = store.forgot?.() ?? null;
  if (forgot === null) return;
  throw refused(`${forgot} What was played so far is done. Use a store that keeps its records`);
}

function days(ms: number): string {
  return `${Math.round((ms / 86_400_000) * 100) / 100} days`;
}

function refused(why: string): ConfigurationError {
  return new ConfigurationError(`${CATCH_UP}: ${why}.`, { operation: CATCH_UP });
}
