import { argumentFail } from '../checks.ts';
import type { Named, PageEndpoint, RowsEndpoint } from '../contract/endpoint.ts';
import { lenientPage, rowsOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Page, PageQuery } from '../contract/types.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import { hasKind, isMerchantError } from '../errors/guards.ts';
import { notify } from '../notify.ts';
import { type ListOptions, type RowsOptions, readCallOptions, readPrefetch } from '../options.ts';
import { seeErrors } from '../transport/failure.ts';
import { callFacts, type ErrorEvent, errorEvent } from '../transport/hooks.ts';
import { type ClientCore, runCall, type Success, sendCall } from '../transport/send.ts';
import { type ListCall, ListCallPromise } from './call.ts';

// Page numbers shift while a list is walked. The rule:
//
// - Each row is yielded once, by its uuid. The walk follows has_next and checks that the answer is the page asked for.
// - When total_items becomes smaller, rows have moved forward, perhaps from an unread page into one that was read. Those
//   pages are read again, the last one first. Until then their places are gaps.
// - When rows were repeated and others are missing at the end, the list has no stable order: it is read again once. Rows
//   that are missing then are an error (SDK_PAGE), as is a list that never comes to rest.
// - A page that is refused may have ceased to exist: the page before it tells, because it has the new total.

/** A list to walk: its first page, and how to read the others. */
export interface PageSource<T> {
  /** For messages, such as `invoices.list`. */
  readonly operation: string;
  /** The first page. Its `per_page` is the size of all pages, because a service may answer another size than was asked for. */
  readonly first: Page<T>;
  /** The page that `first` was asked as. */
  readonly startPage: number;
  /** Requests in flight, the one for the page that the reader waits for included. */
  readonly prefetch: number;
  /** Rows that the reader takes at most. No page behind them is read ahead. */
  readonly limit?: number;
  readonly signal: AbortSignal | null;
  /** Returns the key by which an item is recognised on another page. */
  key(item: T): string;
  /** Keys of the rows that the service served on this page and that are not among its items. */
  leftOut?: (page: Page<T>) => readonly string[];
  read(page: number, signal: AbortSignal): Promise<Page<T>>;
  /** Called with the error that ends the walk. Requests that fail after the walk has ended are not reported. */
  onFailure?: (error: unknown) => void;
  /** Called when the walk ends, without repeats, with fewer rows than the service counts. */
  onShort?: () => void;
}

/** Pages in a row without a new row, after which the walk ends. */
const WITHOUT_NEWS_MAX = 3;
/** A list that refuses a page this many times while it counts it is broken. */
const REFUSALS_MAX = 3;
/** A walk makes at most `READS_FACTOR` × total_pages + `READS_SPARE` requests. */
const READS_FACTOR = 3;
const READS_SPARE = 10;

/** Walks the pages of a list. Each page has the items that no earlier page had. */
export async function* walkPages<T>(source: PageSource<T>): AsyncGenerator<Page<T>, void, undefined> {
  const { operation, first, startPage, prefetch, limit = Number.POSITIVE_INFINITY, signal } = source;
  const size = first.per_page;
  const seen = new Set<string>();
  let total = first.total_items;
  let totalPages = first.total_pages;
  let front = startPage - 1; // the last page that was reached
  let isEnded = false;
  let gaps: readonly Gap[] = [];
  let counts = { joined: 0, unexplained: 0, lost: 0 }; // of this reading: rows that joined, those not yet seen as repeats, rows that left
  let lostInAll = 0;
  let repeatedOn: number | null = null; // the first page with repeats that no growth explains
  let seenAgain: Set<string> | null = null; // in the second reading
  let withoutNews = 0;
  let probe: number | null = null; // the page behind one that says it is the last, though the counts say otherwise
  let refused = null as { readonly page: number; readonly error: unknown } | null; // set in `read`
  let refusals = 0;

  const ahead = new Map<number, Promise<Page<T>>>(); // requests in flight
  let made = 1; // requests, the one for the first page included
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort);
  const request = (page: number): Promise<Page<T>> => {
    const inFlight = ahead.get(page);
    if (inFlight !== undefined) return inFlight;
    made += 1;
    const answer = source.read(page, controller.signal);
    answer.catch(() => {}); // requested ahead: no code may wait for it when it fails
    ahead.set(page, answer);
    return answer;
  };

  const isNew = (key: string): boolean => {
    seenAgain?.add(key);
    return !seen.has(key) && seen.add(key).size > 0;
  };
  const expected = (): number => total - (startPage - 1) * size - counts.joined;
  /** Rows that were never served: exact unless rows have left, and then no less than the truth. */
  const missing = (): number =>
    expected() - Math.max(seenAgain === null ? 0 : seenAgain.size - counts.lost, seen.size - lostInAll);
  const lossError = (page: number, why: string): UnexpectedResponseError => {
    const count = missing();
    const problem = `${count} of ${total} rows ${count === 1 ? 'is' : 'are'} missing: ${why}. The list has no stable order`;
    return pageError(operation, page, problem);
  };

  /** Takes the service's count: rows that left or joined move the unseen ones. */
  const countAs = (counted: number): number => {
    const lost = total - counted;
    total = counted;
    counts.joined += Math.max(0, -lost);
    counts.unexplained += Math.max(0, -lost);
    counts.lost += Math.max(0, lost);
    lostInAll += Math.max(0, lost);
    gaps = movedGaps(gaps, lost, front * size, isEnded ? total : Math.min(total, front * size), isEnded);
    return lost;
  };

  /** Returns the page to read next. Pages in flight come first, because they show an older state than a new request. */
  const nextPage = (): number | null => {
    if (refused !== null) return refused.page - 1;
    if (!isEnded && ahead.has(front + 1)) return front + 1;
    // What of a gap reaches the front page waits: a page behind it, read out of turn, would move the front past unread ones.
    const before = isEnded ? Number.POSITIVE_INFINITY : (front - 1) * size;
    const gap = gaps.filter(({ from }) => from < before).at(-1);
    if (gap !== undefined) return Math.ceil(Math.min(gap.to, before) / size);
    if (!isEnded) return front + 1;
    if (missing() > 0 && repeatedOn !== null) {
      if (seenAgain !== null) throw lossError(repeatedOn, 'pages repeat rows of others, also when they are read again');
      seenAgain = new Set();
      counts = { joined: 0, unexplained: 0, lost: 0 };
      ahead.clear();
      isEnded = false;
      withoutNews = 0;
      front = startPage - 1;
      return startPage;
    }
    if (expected() > seen.size) source.onShort?.();
    return null;
  };

  /** Reads a page. A refusal of a page that may no longer exist gives null: another page must be read first. */
  const read = async (number: number): Promise<Page<T> | null> => {
    const most = READS_FACTOR * totalPages + READS_SPARE;
    if (made >= most && !ahead.has(number)) {
      const problem = `the walk has made ${made} requests for a list of ${totalPages} pages, and the list still changes`;
      throw pageError(operation, number, problem);
    }
    const goesOn = number > front && !isEnded && gaps.length === 0;
    const wanted = startPage - 1 + Math.ceil(limit / size);
    const last = goesOn ? Math.min(number + prefetch - 1, totalPages, wanted) : 0;
    try {
      const answer = request(number);
      for (let next = number + 1; next <= last && made < most; next += 1) request(next);
      ahead.delete(number);
      return await answer;
    } catch (error) {
      if (!hasKind(error, 'not_found') && !hasKind(error, 'validation') && !hasKind(error, 'request')) throw error;
      if (number === probe) isEnded = true;
      else if (number <= 1) throw refused?.error ?? error;
      else refused = { page: number, error: refused?.error ?? error };
      return null;
    }
  };

  try {
    for (let page: Page<T> | null = first, asked = startPage; ; ) {
      if (page !== null) {
        const others = source.leftOut?.(page) ?? [];
        const rows = page.items.length + others.length;
        const problem = asked === probe ? null : pageProblem(page, asked, rows, size);
        if (problem !== null) throw pageError(operation, asked, problem);
        const number = page.page; // the last page where the one that was asked for does not exist
        const isPastEnd = number !== asked || refused !== null;
        if (isPastEnd && made === 1) return;
        const isForward = number > front;
        const fresh = page.items.filter((item) => isNew(source.key(item)));
        const news = fresh.length + others.filter(isNew).length;
        const lost = countAs(page.total_items);
        gaps = withoutPage(gaps, number, size);
        front = Math.max(front, number);
        totalPages = Math.max(totalPages, page.total_pages);
        const isCounted = front * size < total; // the service counts rows behind the front page
        if (refused !== null) {
          // By its count the list has the page that it refused: it has become longer again, or the error has another cause.
          if (total <= (refused.page - 1) * size) isEnded = true;
          else if (++refusals >= REFUSALS_MAX) throw refused.error;
          refused = null;
        } else if (isPastEnd || (asked === probe && news === 0)) isEnded = true;
        else if (isForward) {
          const repeats = rows - news;
          const isExplained = lost > 0 || (repeats > 0 && repeats <= counts.unexplained);
          if (seenAgain === null && repeats > counts.unexplained) repeatedOn ??= number;
          counts.unexplained = Math.max(0, counts.unexplained - repeats);
          refusals = 0;
          withoutNews = news > 0 || isExplained || seenAgain !== null ? 0 : withoutNews + 1;
          if (withoutNews >= WITHOUT_NEWS_MAX && missing() > 0) {
            throw lossError(front - WITHOUT_NEWS_MAX + 1, `${WITHOUT_NEWS_MAX} pages in a row have no new items`);
          }
          isEnded = news === 0 && !isExplained && !isCounted;
        }
        probe = null;
        if (!isEnded && number === front && !page.has_next) {
          if (isCounted && expected() > seen.size) probe = front + 1;
          else isEnded = true;
        }
        if (seenAgain !== null && missing() <= 0) isEnded = true;
        if (fresh.length > 0 || (isForward && seenAgain === null && !isPastEnd)) yield { ...page, items: fresh };
      }
      const next = nextPage();
      if (next === null) return;
      page = await read(next);
      asked = next;
    }
  } catch (error) {
    source.onFailure?.(error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

/** Places behind the front of the walk where rows not seen yet may stand, from 0, up to but not including `to`. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the gaps after rows have left (`lost` above 0) or joined. The rows behind the front, which begins at `end`, are
 * not seen yet, so rows that leave before them open a gap there. No row stands behind `last`.
 */
function movedGaps(gaps: readonly Gap[], lost: number, end: number, last: number, isEnded: boolean): Gap[] {
  const moved = gaps.map(({ from, to }) => ({ from: from - Math.max(0, lost), to: to + Math.max(0, -lost) }));
  if (lost > 0 && !isEnded) moved.push({ from: end - lost, to: end });
  const merged: Gap[] = [];
  for (const gap of moved.sort((a, b) => a.from - b.from)) {
    const [from, to] = [Math.max(0, gap.from), Math.min(gap.to, last)];
    const before = merged.at(-1);
    if (from >= to) continue;
    if (before === undefined || from > before.to) merged.push({ from, to });
    else merged[merged.length - 1] = { from: before.from, to: Math.max(before.to, to) };
  }
  return merged;
}

function withoutPage(gaps: readonly Gap[], page: number, size: number): Gap[] {
  return gaps
    .flatMap(({ from, to }) => [
      { from, to: Math.min(to, (page - 1) * size) },
      { from: Math.max(from, page * size), to },
    ])
    .filter(({ from, to }) => from < to);
}

/**
 * Returns the problem of a page, or null. The page must be the one that was asked for, or the last one if the list has
 * become shorter. A service that ignores the query names answers the same page each time. A service that changes the
 * size between two pages skips rows.
 */
function pageProblem(page: Page<unknown>, asked: number, rows: number, size: number): string | null {
  const isLastInstead = asked > page.total_pages && page.page === Math.max(1, page.total_pages);
  if (page.page !== asked && !isLastInstead) {
    return `page ${asked} was asked for and page ${page.page} answered. The service may use other names for the query`;
  }
  if (size < 1 && (rows > 0 || page.total_items > 0)) return `pages of ${size} were answered`;
  // Some services call the rows of the last page its size. As many as on a whole page would be another size.
  const isCount = !page.has_next && page.per_page === rows && rows < size;
  return page.per_page === size || isCount
    ? null
    : `the walk began with pages of ${size}, and pages of ${page.per_page} are answered now: rows between them would be lost`;
}

/** Returns the error that ends a walk. `page` is where the walk can resume. */
function pageError(operation: string, page: number, problem: string): UnexpectedResponseError {
  const message = `${operation}: ${problem}. ${seeErrors('SDK_PAGE')}`;
  return new UnexpectedResponseError({ code: 'SDK_PAGE', operation, page, status: 200, outcome: 'rejected', message });
}

/** A member by which a list can be filtered. */
export interface ListFilter<T> {
  /** Path of the member in an item, for `onDrift`. */
  readonly member: string;
  /** The word that is asked for, compared without case. Null and undefined ask for none. */
  readonly asked: unknown;
  readonly wordOf: (item: T) => string;
}

/** The properties of one list. */
interface ListTraits<T, Query> {
  /** The wire's names of query parameters. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** Returns the filters of a query, so that the answer can be compared with them. */
  readonly filtersOf: (query: Query) => readonly ListFilter<T>[];
}

/** Lists resources that have a uuid. Query and options are read once, so later changes by the caller have no effect. */
export function listCall<T extends { readonly uuid: string }, Query extends PageQuery>(
  client: ClientCore,
  endpoint: Named<PageEndpoint<T>>,
  query: Query,
  options: ListOptions,
  { queryNames = {}, filtersOf }: ListTraits<T, Query>,
): ListCall<T> {
  const { operation } = endpoint;
  /** Keys of the rows of a page that are not among its items, because of the filter or of a wrong member. */
  const leftOut = new WeakMap<Page<T>, readonly string[]>();
  /** The events of requests that have failed. The walk decides later whether it ends by a failure. */
  const failures = new WeakMap<Error, ErrorEvent>();

  const readAsked = () => {
    const fail = argumentFail(operation);
    const settings = readCallOptions(client.settings, options, 'list', fail);
    const { onInvalidItem } = options;
    const prefetch = readPrefetch(options.prefetch, fail);
    // Any other value than an object is refused when the request is prepared.
    const copy = isObject(query) ? { ...query } : query;
    const filters = (isObject(query) ? filtersOf(copy) : []).filter(({ asked }) => typeof asked === 'string');
    return { query: copy, startPage: copy?.page ?? 1, settings, prefetch, onInvalidItem, filters };
  };
  let asked: ReturnType<typeof readAsked> | null = null; // read by the first request, synchronously

  const request = (
    later: { readonly page: number; readonly signal: AbortSignal } | null,
    onFailure?: (event: ErrorEvent, error: unknown) => void,
  ): Promise<Success<Page<T>>> => {
    const others: string[] = [];
    const read = () => {
      asked ??= readAsked();
      const { onInvalidItem, startPage } = asked;
      const settings = later === null ? asked.settings : { ...asked.settings, signal: later.signal };
      const page = later?.page ?? startPage;
      const data = lenientPage(endpoint.item, (index, issues, raw, number) => {
        const uuid = isObject(raw) ? raw['uuid'] : undefined;
        others.push(typeof uuid === 'string' ? uuid : `row ${index} of page ${number}`);
        notify(() => onInvalidItem?.({ page: number, index, path: issues[0]?.path ?? '', raw }));
      });
      const wanted = later === null ? asked.query : { ...asked.query, page };
      return { query: wanted, page, settings, queryNames, ...(onInvalidItem !== undefined && { data }) };
    };
    const isAskedFor = (item: T): boolean => {
      const wrong = (asked?.filters ?? []).filter(
        ({ asked: word, wordOf }) => wordOf(item).toLowerCase() !== String(word).toLowerCase(),
      );
      for (const { member } of wrong) client.drift.reportOnce(endpoint, `items.*.${member}`, 'filter_ignored');
      if (wrong.length > 0) others.push(item.uuid);
      return wrong.length === 0;
    };
    return runCall(client, endpoint, read, {
      onFailure,
      async send(scope) {
        const success = await sendCall(scope);
        const items = success.value.items.filter(isAskedFor);
        const value = items.length < success.value.items.length ? { ...success.value, items } : success.value;
        leftOut.set(value, others);
        return { ...success, value };
      },
    });
  };

  const firstPage = request(null).then((success) => {
    const size = asked?.query?.per_page ?? success.value.per_page;
    if (size !== success.value.per_page) client.drift.reportOnce(endpoint, 'per_page', 'size_ignored');
    return success;
  });
  return new ListCallPromise(firstPage, operation, (first, limit) =>
    walkPages({
      operation,
      first,
      startPage: asked?.startPage ?? 1,
      prefetch: asked?.prefetch ?? 1,
      limit,
      signal: asked?.settings.signal ?? null,
      key: ({ uuid }) => uuid,
      leftOut: (page) => leftOut.get(page) ?? [],
      async read(page, signal) {
        const keep = (event: ErrorEvent, error: unknown): void => {
          if (error instanceof Error) failures.set(error, event);
        };
        return (await request({ page, signal }, keep)).value;
      },
      onFailure(error) {
        const { hooks } = client;
        if (hooks === null || !isMerchantError(error)) return;
        const facts = callFacts(client, endpoint, { callId: crypto.randomUUID(), externalId: null });
        const event = failures.get(error) ?? errorEvent(facts, error, 0, false);
        notify(() => hooks.onError?.(event));
      },
      onShort: () => client.drift.reportOnce(endpoint, 'total_items', 'count_mismatch'),
    }),
  );
}

/**
 * Reads all rows of a list. Rows that cannot be read are left out and reported.
 *
 * @param readFilter Reads the arguments of the caller, and returns true for the rows that they ask for.
 */
export function readRows<T>(
  client: ClientCore,
  endpoint: Named<RowsEndpoint<T>>,
  options: RowsOptions = {},
  readFilter: () => (row: T) => boolean = () => () => true,
): Promise<Success<T[]>> {
  let isAskedFor: (row: T) => boolean;
  const read = () => {
    isAskedFor = readFilter();
    const settings = readCallOptions(client.settings, options, 'rows', argumentFail(endpoint.operation));
    const { onInvalidItem } = options;
    const data = rowsOf(endpoint.item, {
      isOmitted: endpoint.isOmitted,
      mayAllBeInvalid: onInvalidItem !== undefined,
      onInvalid(index, { path }, raw) {
        client.drift.leftOut(endpoint, path, onInvalidItem !== undefined);
        notify(() => onInvalidItem?.({ page: 1, index, path, raw }));
      },
    });
    return { data, settings };
  };
  return runCall(client, endpoint, read, {
    async send(scope) {
      const success = await sendCall(scope);
      return { ...success, value: success.value.filter(isAskedFor) };
    },
  });
}
