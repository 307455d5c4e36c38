import {
  type Callback,
  checkCallbacks,
  checkOptions,
  checkSignal,
  namesOf,
  readCount,
  readDuration,
  readWord,
} from '../../checks.ts';
import { instantFrom } from '../../contract/values/instants.ts';
import type { WebhookStore } from '../stores/store.ts';
import type { CatchUpClient } from './catch-up-client.ts';
import type { CatchUpCounts, CatchUpProgress } from './catch-up-count.ts';
import { type CatchUpCursor, readCursor, refuse } from './cursor.ts';

/** The result of `catchUp`: numbers of invoices, and where the next run begins. */
export interface CatchUpResult extends CatchUpCounts {
  /**
   * Pass it to the next run, which then reads only what is new. Plain JSON. It never passes over an invoice that was not
   * done, so it may be the cursor that was given. Absent if the service does not tell its time, or if too many failed.
   */
  readonly cursor?: CatchUpCursor | undefined;
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
   *
   * With a cursor, all that finished after the cursor's run began is played as well. A `since` before that of the earlier
   * runs makes the run read everything.
   */
  readonly since: Date | number | string;
  /** The cursor of the last run. Without one, or with null, the run reads everything. */
  readonly cursor?: CatchUpCursor | null | undefined;
  /** Ends the walk. A running function may end first, within the time limit. The promise then rejects with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress, for a progress bar. Its errors are ignored. */
  readonly onProgress?: Callback<[progress: CatchUpProgress]> | undefined;
  /**
   * Requests in flight while a list is walked, 1 to 32, as in `invoices.list`.
   * @defaultValue 3
   */
  readonly prefetch?: number | undefined;
  /**
   * Invoices that are played at once, 1 to 32. Two of one order never are. With 1, they are played in the order of the
   * lists.
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /**
   * - `detect`: a list is left early only while its rows come newest first, by `created_at` or by `finished_at`.
   * - `newest`: the lists come newest first by `created_at`, and the run does not check that. For services that sort by a
   *   serial number, whose times are off by up to a minute.
   *
   * @defaultValue 'detect'
   */
  readonly order?: 'detect' | 'newest' | undefined;
  /**
   * The longest time between `created_at` and `finished_at` of an invoice, in milliseconds, disputes included. With it, a
   * run that would read everything ends where older invoices cannot have finished since `since`.
   * @defaultValue none
   */
  readonly maxLifetime?: number | undefined;
}

/** @throws ConfigurationError which names the argument */
export function checkClient(merchant: unknown): void {
  const list = (merchant as Partial<CatchUpClient> | null | undefined)?.invoices?.list; // checked below
  if (typeof list !== 'function') refuse('needs a MerchantClient, whose list of invoices it walks');
}

const NAMES = namesOf<CatchUpOptions>({
  since: true,
  signal: true,
  onProgress: true,
  cursor: true,
  prefetch: true,
  concurrency: true,
  order: true,
  maxLifetime: true,
});
const PREFETCH = { byDefault: 3, min: 1, max: 32 };
const CONCURRENCY = { byDefault: 4, min: 1, max: 32 };

/** The options after their check, but for those that depend on the store. */
export interface CatchUpSettings extends Pick<CatchUpOptions, 'signal' | 'onProgress' | 'maxLifetime'> {
  readonly prefetch: number;
  readonly concurrency: number;
  /** True if the merchant vouches for the order of the lists. */
  readonly isPinned: boolean;
}

/** @throws ConfigurationError which names the option */
export function checkCatchUpOptions(options: CatchUpOptions): CatchUpSettings {
  if (typeof options !== 'object' || options === null) refuse('needs { since }: a time before the outage began');
  checkOptions('options', options, NAMES, refuse);
  checkSignal('signal', options.signal, refuse);
  const { signal, onProgress, maxLifetime } = options;
  checkCallbacks({ onProgress }, refuse);
  return {
    signal,
    onProgress,
    maxLifetime: maxLifetime === undefined ? undefined : readDuration('maxLifetime', maxLifetime, 0, refuse),
    prefetch: readCount('prefetch', options.prefetch, PREFETCH, refuse),
    concurrency: readCount('concurrency', options.concurrency, CONCURRENCY, refuse),
    isPinned: readWord('order', ['detect', 'newest'], options.order, refuse) === 'newest',
  };
}

/**
 * Returns `since` in milliseconds. If the store's records do not reach back that far, `since` is refused: completed events
 * would run again.
 *
 * @throws ConfigurationError
 */
export function parseSince(since: unknown, now: number, retention: number | null): number {
  const ms = instantFrom(since);
  if (ms === null) {
    const given = since === undefined ? 'missing' : 'not a time';
    return refuse(
      `since is ${given}. Give a Date, milliseconds since 1970 or ISO 8601 text: a time before the outage began`,
    );
  }
  refuseForgotten('since is', ms, now, retention, 'Give a later since, or use a store that remembers longer');
  return ms;
}

/**
 * Returns the cursor of the last run, or null. If the store's records do not reach back to that run, it is refused.
 *
 * @throws ConfigurationError
 */
export function parseCursor(cursor: unknown, now: number, store: WebhookStore): CatchUpCursor | null {
  const read = readCursor(cursor, store.namespace || null);
  const remedy = 'Leave the cursor out, and give the earliest since that the store remembers';
  if (read !== null) refuseForgotten("the cursor's run was", read.began, now, store.retention, remedy);
  return read;
}

function refuseForgotten(what: string, ms: number, now: number, retention: number | null, remedy: string): void {
  if (typeof retention !== 'number' || now - ms <= retention) return;
  refuse(
    `${what} ${days(now - ms)} ago, but this store remembers completed events for ${days(retention)}: older ones would run again. ${remedy}`,
  );
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
