import { type ListCall, ListCallPromise } from '../call/call.ts';
import { notify } from '../callbacks.ts';
import type { PageEndpoint, RowsEndpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { lenientPage } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { PageQuery } from '../contract/parameter-types.ts';
import { rowsOf } from '../contract/rows.ts';
import type { Page } from '../contract/types.ts';
import { readArguments } from '../transport/arguments.ts';
import { reportFailure, reporting, type Success, sendCall } from '../transport/call-loop.ts';
import type { RowsOptions } from '../transport/options.ts';
import { type CallSpec, type ClientCore, openCall } from '../transport/scope.ts';
import { type ListOptions, type ListSettings, readListOptions, readRowsOptions } from './list-options.ts';

/** A member by which a list can be filtered. */
export interface ListFilter<T> {
  /** Path of the member in an item, for `onDrift`. */
  readonly member: string;
  /** False for an item that the filter should have left out. */
  matches(item: T): boolean;
}

/** Returns the filter by a word of each item, compared without case. Empty if no word is asked for. */
export function wordFilter<T>(member: string, asked: unknown, wordOf: (item: T) => string): ListFilter<T>[] {
  if (typeof asked !== 'string') return []; // any other value is refused when the request is prepared
  const wanted = asked.toLowerCase();
  return [{ member, matches: (item) => wordOf(item).toLowerCase() === wanted }];
}

/** The properties of one list. */
export interface ListTraits<T, Query> {
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
  options: ListOptions<T>,
  traits: ListTraits<T, Query>,
): ListCall<T> {
  const { operation } = endpoint;
  const key = (item: T): string => item.uuid;
  try {
    const reader = readArguments(operation, () => new ListReader(client, endpoint, query, options, traits));
    const { prefetch, settings, onPage } = reader.options;
    return new ListCallPromise(reader.first(), {
      operation,
      key,
      startPage: reader.startPage,
      prefetch,
      signal: settings.signal,
      leftOut: (page) => reader.leftOut.get(page) ?? [],
      read: (page, signal) => reader.read(page, signal),
      onPage: (page) => notify(() => onPage?.(page)),
      onFailure: (error) => reader.report(error),
      onShort: () => client.drift?.reportOnce(endpoint, 'total_items', 'count_mismatch'),
    });
  } catch (error) {
    // A wrong argument rejects the call, because methods never throw.
    reportFailure(client, endpoint, error, client.runtime.monotonic());
    const refused = Promise.reject<never>(error);
    return new ListCallPromise<T>(refused, {
      operation,
      key,
      startPage: 1,
      prefetch: 1,
      signal: null,
      read: () => refused,
    });
  }
}

/** Reads the pages of one list with copies of its query and options. */
class ListReader<T extends { readonly uuid: string }, Query extends PageQuery> {
  readonly options: ListSettings<T>;
  /** Keys of the rows of a page that are not among its items, because of the filter or of a wrong member. */
  readonly leftOut = new WeakMap<Page<T>, readonly string[]>();
  readonly #client: ClientCore;
  readonly #endpoint: Named<PageEndpoint<T>>;
  readonly #query: Query;
  readonly #queryNames: Readonly<Record<string, string>>;
  readonly #filters: readonly ListFilter<T>[];
  /** When requests began that have failed. The walk decides later whether it ends by a failure. */
  readonly #beganAt = new WeakMap<object, number>();

  constructor(
    client: ClientCore,
    endpoint: Named<PageEndpoint<T>>,
    query: Query,
    options: ListOptions<T>,
    { queryNames = {}, filtersOf }: ListTraits<T, Query>,
  ) {
    this.#client = client;
    this.#endpoint = endpoint;
    this.options = readListOptions(client, options, endpoint.operation);
    // Any other value than an object is refused when the request is prepared.
    this.#query = isObject(query) ? { ...query } : query;
    this.#queryNames = queryNames;
    this.#filters = isObject(query) ? filtersOf(this.#query) : [];
  }

  get startPage(): number {
    return this.#query?.page ?? 1;
  }

  async first(): Promise<Success<Page<T>>> {
    const success = await reporting(this.#client, this.#endpoint, () => this.#request(this.#query, this.startPage));
    const asked = this.#query?.per_page ?? success.value.per_page;
    if (asked !== success.value.per_page) this.#client.drift?.reportOnce(this.#endpoint, 'per_page', 'size_ignored');
    return success;
  }

  /** A later page, of the same query. Its failure is reported when the walk ends by it. */
  async read(page: number, signal: AbortSignal): Promise<Page<T>> {
    const beganAt = this.#client.runtime.monotonic();
    try {
      return (await this.#request({ ...this.#query, page }, page, signal)).value;
    } catch (error) {
      if (error instanceof Error) this.#beganAt.set(error, beganAt);
      throw error;
    }
  }

  /** Reports the failure that has ended a walk to the hooks. */
  report(error: unknown): void {
    const beganAt = (error instanceof Error && this.#beganAt.get(error)) || this.#client.runtime.monotonic();
    reportFailure(this.#client, this.#endpoint, error, beganAt);
  }

  async #request(
    query: Query,
    page: number,
    signal: AbortSignal | null = this.options.settings.signal,
  ): Promise<Success<Page<T>>> {
    const others: string[] = [];
    const settings = { ...this.options.settings, signal };
    const spec = { query, page, settings, queryNames: this.#queryNames, ...this.#itemByItem(others) };
    const success = await sendCall(openCall(this.#client, this.#endpoint, spec));
    const items = success.value.items.filter((item) => this.#isAskedFor(item, others));
    const value = items.length < success.value.items.length ? { ...success.value, items } : success.value;
    this.leftOut.set(value, others);
    return { ...success, value };
  }

  #isAskedFor(item: T, others: string[]): boolean {
    const wrong = this.#filters.filter((filter) => !filter.matches(item));
    for (const { member } of wrong)
      this.#client.drift?.reportOnce(this.#endpoint, `items.*.${member}`, 'filter_ignored');
    if (wrong.length > 0) others.push(item.uuid);
    return wrong.length === 0;
  }

  /** With `onInvalidItem` the items are decoded one by one, and what cannot be is left out. */
  #itemByItem(others: string[]): Pick<CallSpec<Page<T>>, 'data'> {
    const report = this.options.onInvalidItem;
    if (report === undefined) return {};
    return {
      data: lenientPage(this.#endpoint.item, (index, issues, raw, page) => {
        const uuid = isObject(raw) ? raw['uuid'] : undefined;
        others.push(typeof uuid === 'string' ? uuid : `row ${index} of page ${page}`);
        notify(() => report({ page, index, path: issues[0]?.path ?? '', raw }));
      }),
    };
  }
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
  return reporting(client, endpoint, async () => {
    const isAskedFor = readFilter();
    const { operation } = endpoint;
    const { settings, onInvalidItem } = readArguments(operation, () => readRowsOptions(client, options, operation));
    const data = rowsOf(endpoint.item, {
      isOmitted: endpoint.isOmitted,
      mayAllBeInvalid: onInvalidItem !== undefined,
      onInvalid(index, { path }, raw) {
        client.drift?.reportOnce(endpoint, path === '' ? '*' : `*.${path}`, 'invalid_item');
        if (onInvalidItem !== undefined) notify(() => onInvalidItem({ index, path, raw }));
      },
    });
    const success = await sendCall(openCall(client, endpoint, { data, settings }));
    return { ...success, value: success.value.filter(isAskedFor) };
  });
}
