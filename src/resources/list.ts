import type { PageEndpoint, RowsEndpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { lenientPage, rowsOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Page, PageQuery } from '../contract/types.ts';
import { argumentFail } from '../errors/checks.ts';
import { isMerchantError } from '../errors/guards.ts';
import { notify } from '../errors/notify.ts';
import { type ListOptions, type RowsOptions, readCallOptions, readPrefetch } from '../options.ts';
import { open, readArguments, sendOrThrow, settle, settleOrThrow } from '../transport/call.ts';
import { invalidInput } from '../transport/failure.ts';
import { type ErrorEvent, errorEvent, eventFacts } from '../transport/hooks.ts';
import type { ClientCore, CompleteOptions, OpenCall, Success } from '../transport/types.ts';
import { type ListCall, ListCallPromise } from './call-promise.ts';
import { type ReadPage, walkPages } from './walk.ts';

/** A member by which a list can be filtered. */
export interface ListFilter<T> {
  /** Path of the member in an item, for `onDrift`. */
  readonly member: string;
  /** The requested word, compared without case. Null and undefined: no filter. */
  readonly asked: unknown;
  readonly wordOf: (item: T) => string;
}

/** The properties of one list. */
interface ListTraits<T, Query> {
  /** The service's names of query parameters. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** Returns the filters of a query, so that the rows can be compared with them. */
  readonly filtersOf: (query: Query) => readonly ListFilter<T>[];
}

/** A list whose query and options have been read. */
interface RequestedList<T> {
  readonly client: ClientCore;
  readonly endpoint: Named<PageEndpoint<T>>;
  readonly query: PageQuery;
  readonly queryNames: Readonly<Record<string, string>>;
  readonly startPage: number;
  readonly settings: CompleteOptions;
  readonly prefetch: number;
  readonly onInvalidItem: ListOptions['onInvalidItem'];
  readonly filters: readonly ListFilter<T>[];
}

/** Lists resources that have a uuid. Query and options are read once, so later changes by the caller have no effect. */
export function listCall<T extends { readonly uuid: string }, Query extends PageQuery>(
  client: ClientCore,
  endpoint: Named<PageEndpoint<T>>,
  query: Query,
  options: ListOptions,
  traits: ListTraits<T, Query>,
): ListCall<T> {
  const begun = begin(client, endpoint, query, options, traits);
  const page = begun.then(({ success }) => ({ ...success, value: success.value.page }));
  return new ListCallPromise(page, endpoint.operation, async function* (limit) {
    const { list, success } = await begun;
    yield* walkList(list, success.value, limit);
  });
}

/** Reads the arguments of a list, at once, and its first page. */
async function begin<T extends { readonly uuid: string }, Query extends PageQuery>(
  client: ClientCore,
  endpoint: Named<PageEndpoint<T>>,
  query: Query,
  options: ListOptions,
  { queryNames = {}, filtersOf }: ListTraits<T, Query>,
): Promise<{ readonly list: RequestedList<T>; readonly success: Success<ReadPage<T>> }> {
  const list = readArguments(client, endpoint, null, (): RequestedList<T> => {
    const fail = argumentFail(endpoint.operation);
    const settings = readCallOptions(client.settings, options, 'list', fail);
    const { onInvalidItem } = options;
    const prefetch = readPrefetch(options.prefetch, fail);
    const copy = isObject(query) ? { ...query } : query;
    const checked = endpoint.query?.(copy);
    if (checked?.ok === false) throw invalidInput(endpoint.operation, checked.issues, null, client.hide);
    const filters = filtersOf(copy).filter(({ asked }) => typeof asked === 'string');
    const startPage = copy.page ?? 1;
    return { client, endpoint, query: { ...copy }, queryNames, startPage, settings, prefetch, onInvalidItem, filters };
  });
  const request = requestPage(list, list.startPage, list.query, list.settings);
  const success = await settleOrThrow(request.opened, request.work);
  const size = list.query.per_page ?? success.value.page.per_page;
  if (size !== success.value.page.per_page) client.drift.reportOnce(endpoint, 'per_page', 'size_ignored');
  return { list, success };
}

/** Requests one page. Rows that cannot be read or contradict the filter are left out. */
function requestPage<T extends { readonly uuid: string }>(
  { client, endpoint, queryNames, filters, onInvalidItem }: RequestedList<T>,
  page: number,
  query: RequestedList<T>['query'],
  settings: CompleteOptions,
): { readonly opened: OpenCall<Page<T>>; readonly work: Promise<Success<ReadPage<T>>> } {
  const leftOut: string[] = [];
  const data = lenientPage(endpoint.item, (index, issues, raw, number) => {
    const uuid = isObject(raw) ? raw['uuid'] : undefined;
    leftOut.push(typeof uuid === 'string' ? uuid : `row ${index} of page ${number}`);
    notify(() => onInvalidItem?.({ page: number, index, path: issues[0]?.path ?? '', raw }));
  });
  const input = { query, page, settings, queryNames, ...(onInvalidItem !== undefined && { data }) };
  const opened = open(client, endpoint, input);
  const isAskedFor = (item: T): boolean => {
    const wrong = filters.filter(({ asked, wordOf }) => wordOf(item).toLowerCase() !== String(asked).toLowerCase());
    for (const { member } of wrong) client.drift.reportOnce(endpoint, `items.*.${member}`, 'filter_ignored');
    if (wrong.length > 0) leftOut.push(item.uuid);
    return wrong.length === 0;
  };
  const work = sendOrThrow(opened).then((success) => {
    const items = success.value.items.filter(isAskedFor);
    const read = items.length < success.value.items.length ? { ...success.value, items } : success.value;
    return { ...success, value: { page: read, leftOut } };
  });
  return { opened, work };
}

/**
 * Walks a list. `onError` is called for a page that was requested ahead and failed only if the walk needs that page.
 */
async function* walkList<T extends { readonly uuid: string }>(
  list: RequestedList<T>,
  first: ReadPage<T>,
  limit: number,
): AsyncGenerator<Page<T>, void, undefined> {
  const { client, endpoint, startPage, prefetch, settings, query } = list;
  const { operation } = endpoint;
  const events = new WeakMap<object, ErrorEvent>();
  try {
    yield* walkPages<T>({
      operation,
      first,
      startPage,
      prefetch,
      limit,
      signal: settings.signal,
      key: ({ uuid }) => uuid,
      async read(page, signal) {
        const request = requestPage(list, page, { ...query, page }, { ...settings, signal });
        const settled = await settle(request.opened, request.work, { holdsError: true });
        if (settled.ok) return settled.success.value;
        const { error, event } = settled;
        if (event !== null && error instanceof Error) events.set(error, event);
        throw error;
      },
    });
  } catch (error) {
    const { hooks } = client;
    if (hooks === null || !isMerchantError(error)) throw error;
    const facts = eventFacts(endpoint, crypto.randomUUID(), null, client.hide);
    const event = events.get(error) ?? errorEvent(facts, error, 0, false);
    notify(() => hooks.onError?.(event));
    throw error;
  }
}

/**
 * Reads all rows of a list. Rows that cannot be read are left out and reported.
 *
 * @param readFilter Checks the filter of the caller, and returns a function that is true for the requested rows.
 */
export async function readRows<T>(
  client: ClientCore,
  endpoint: Named<RowsEndpoint<T>>,
  options: RowsOptions = {},
  readFilter: () => (row: T) => boolean = () => () => true,
): Promise<Success<T[]>> {
  const { isAskedFor, settings, onInvalidItem } = readArguments(client, endpoint, null, () => ({
    isAskedFor: readFilter(),
    settings: readCallOptions(client.settings, options, 'rows', argumentFail(endpoint.operation)),
    onInvalidItem: options.onInvalidItem,
  }));
  const data = rowsOf(endpoint.item, {
    isOmitted: endpoint.isOmitted,
    mayAllBeInvalid: onInvalidItem !== undefined,
    onInvalid(index, { path }, raw) {
      client.drift.reportLeftOut(endpoint, path, onInvalidItem !== undefined);
      notify(() => onInvalidItem?.({ page: 1, index, path, raw }));
    },
  });
  const opened = open(client, endpoint, { data, settings });
  const work = sendOrThrow(opened).then((success) => ({ ...success, value: success.value.filter(isAskedFor) }));
  return settleOrThrow(opened, work);
}
