import { type ListCall, ListCallPromise } from '../call/call.ts';
import { notify } from '../callbacks.ts';
import type { PageEndpoint, RowsEndpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { lenientPage, rowsOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Page, PageQuery } from '../contract/types.ts';
import { isMerchantError } from '../errors/guards.ts';
import { readArguments } from '../transport/failure.ts';
import type { ErrorEvent } from '../transport/hooks.ts';
import type { RowsOptions } from '../transport/options.ts';
import { type CallScope, type CallSpec, type ClientCore, openCall } from '../transport/scope.ts';
import { type FailureReport, failureEvent, observed, type Success, sendCall } from '../transport/send.ts';
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
  options: ListOptions,
  traits: ListTraits<T, Query>,
): ListCall<T> {
  const { operation } = endpoint;
  const key = (item: T): string => item.uuid;
  try {
    const reader = readArguments(operation, () => new ListReader(client, endpoint, query, options, traits));
    const { prefetch, settings } = reader.options;
    return new ListCallPromise(reader.first(), {
      operation,
      key,
      startPage: reader.startPage,
      prefetch,
      signal: settings.signal,
      leftOut: (page) => reader.leftOut.get(page) ?? [],
      read: (page, signal) => reader.read(page, signal),
      onFailure: (error) => reader.report(error),
      onShort: () => client.drift?.reportOnce(endpoint, 'total_items', 'count_mismatch'),
    });
  } catch (error) {
    // A wrong argument rejects the call, because methods never throw.
    const refuse = (): never => {
      throw error;
    };
    const refused = observed<never, never>(client, endpoint, refuse, refuse);
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
  readonly options: ListSettings;
  /** Keys of the rows of a page that are not among its items, because of the filter or of a wrong member. */
  readonly leftOut = new WeakMap<Page<T>, readonly string[]>();
  readonly #client: ClientCore;
  readonly #endpoint: Named<PageEndpoint<T>>;
  readonly #query: Query;
  readonly #queryNames: Readonly<Record<string, string>>;
  readonly #filters: readonly ListFilter<T>[];
  /** The events of requests that have failed. The walk decides later whether it ends by a failure. */
  readonly #failures = new WeakMap<object, ErrorEvent>();

  constructor(
    client: ClientCore,
    endpoint: Named<PageEndpoint<T>>,
    query: Query,
    options: ListOptions,
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
    const success = await this.#request(this.#query, this.startPage);
    const asked = this.#query?.per_page ?? success.value.per_page;
    if (asked !== success.value.per_page) this.#client.drift?.reportOnce(this.#endpoint, 'per_page', 'size_ignored');
    return success;
  }

  /** A later page, of the same query. Its failure is reported when the walk ends by it. */
  async read(page: number, signal: AbortSignal): Promise<Page<T>> {
    const onFailure = (event: ErrorEvent, error: unknown): void => {
      if (error instanceof Error) this.#failures.set(error, event);
    };
    return (await this.#request({ ...this.#query, page }, page, signal, { onFailure })).value;
  }

  /** Reports the failure that has ended a walk to the hooks. */
  report(error: unknown): void {
    const { hooks } = this.#client;
    if (hooks === null || !isMerchantError(error)) return;
    const event = this.#failures.get(error) ?? failureEvent(this.#client, this.#endpoint, error);
    notify(() => hooks.onError?.(event));
  }

  #request(
    query: Query,
    page: number,
    signal: AbortSignal | null = this.options.settings.signal,
    report: FailureReport = {},
  ): Promise<Success<Page<T>>> {
    const others: string[] = [];
    const settings = { ...this.options.settings, signal };
    const open = (): CallScope<Page<T>> => {
      const spec = { query, page, settings, queryNames: this.#queryNames, ...this.#itemByItem(others) };
      return openCall(this.#client, this.#endpoint, spec);
    };
    const read = async (scope: CallScope<Page<T>>): Promise<Success<Page<T>>> => {
      const success = await sendCall(scope);
      const items = success.value.items.filter((item) => this.#isAskedFor(item, others));
      const value = items.length < success.value.items.length ? { ...success.value, items } : success.value;
      this.leftOut.set(value, others);
      return { ...success, value };
    };
    return observed(this.#client, this.#endpoint, open, read, report);
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
  let isAskedFor: (row: T) => boolean;
  const open = (): CallScope<T[]> => {
    isAskedFor = readFilter();
    const { operation } = endpoint;
    const { settings, onInvalidItem } = readArguments(operation, () => readRowsOptions(client, options, operation));
    const data = rowsOf(endpoint.item, {
      isOmitted: endpoint.isOmitted,
      mayAllBeInvalid: onInvalidItem !== undefined,
      onInvalid(index, { path }, raw) {
        client.drift?.reportOnce(endpoint, path === '' ? '*' : `*.${path}`, 'invalid_item');
        if (onInvalidItem !== undefined) notify(() => onInvalidItem({ page: 1, index, path, raw }));
      },
    });
    return openCall(client, endpoint, { data, settings });
  };
  return observed(client, endpoint, open, async (scope) => {
    const success = await sendCall(scope);
    return { ...success, value: success.value.filter(isAskedFor) };
  });
}
