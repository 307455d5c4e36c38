import { type ListCall, ListCallPromise } from '../call/call.ts';
import type { CallOptions } from '../call/options.ts';
import { notify } from '../callbacks.ts';
import type { PageEndpoint } from '../contract/endpoint.ts';
import { lenientPage } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Page, PageQuery } from '../contract/types.ts';
import { unreadable } from '../transport/request.ts';
import type { Runner, Success } from '../transport/runner.ts';
import type { CallTraits } from '../transport/scope.ts';
import { callOptionsOf, type ListOptions, listOptionsOf } from './list-options.ts';

/** A member by which a list can be filtered. */
export interface ListFilter<T> {
  /** Where the member stands in an item, for `onDrift`. */
  readonly member: string;
  /** False for an item that the filter should have left out. */
  matches(item: T): boolean;
}

/** Compares a word of each item with the one asked for, without case; none where nothing was asked for. */
export function wordFilter<T>(member: string, asked: unknown, wordOf: (item: T) => string): ListFilter<T>[] {
  if (typeof asked !== 'string') return []; // what is no text is refused when the request is prepared
  const wanted = asked.toLowerCase();
  return [{ member, matches: (item) => wordOf(item).toLowerCase() === wanted }];
}

/** What sets one list apart from another. */
export interface ListTraits<T, Query> {
  /** The wire's names of query parameters. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** What the query filters by, so that the answer can be compared with it. */
  readonly filtersOf: (query: Query) => readonly ListFilter<T>[];
}

/** A list of things that have a uuid. Query and options are read here, once: later changes by the caller change nothing. */
export function listCall<T extends { readonly uuid: string }, Query extends PageQuery>(
  runner: Runner,
  endpoint: PageEndpoint<T>,
  query: Query,
  options: ListOptions<T>,
  traits: ListTraits<T, Query>,
): ListCall<T> {
  const { operation } = endpoint;
  const key = (item: T): string => item.uuid;
  try {
    const reader = new ListReader(runner, endpoint, query, options, traits);
    return new ListCallPromise(reader.first(), {
      operation,
      key,
      startPage: reader.startPage,
      prefetch: reader.options.prefetch ?? 1,
      signal: reader.options.signal ?? null,
      leftOut: (page) => reader.leftOut.get(page) ?? [],
      read: (page, signal) => reader.read(page, signal),
      onPage: (page) => notify(() => reader.options.onPage?.(page)),
      onFailure: (error) => reader.report(error),
      onShort: () => runner.noteDrift(endpoint, 'total_items', 'count_mismatch'),
    });
  } catch (thrown) {
    // A bad argument rejects the call: methods never throw.
    const error = unreadable(thrown, operation);
    runner.reportFailure(endpoint, error, runner.runtime.monotonic());
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

/** Reads the pages of one list, by a query and options that nobody can change any more. */
class ListReader<T extends { readonly uuid: string }, Query extends PageQuery> {
  readonly options: ListOptions<T>;
  /** Keys of the rows that were served with a page, and that the filter or a wrong member kept from its items. */
  readonly leftOut = new WeakMap<Page<T>, readonly string[]>();
  readonly #runner: Runner;
  readonly #endpoint: PageEndpoint<T>;
  readonly #query: Query;
  readonly #queryNames: Readonly<Record<string, string>>;
  readonly #filters: readonly ListFilter<T>[];
  readonly #callOptions: CallOptions;
  /** When the requests began whose failure the walk has yet to judge. */
  readonly #beganAt = new WeakMap<object, number>();

  constructor(
    runner: Runner,
    endpoint: PageEndpoint<T>,
    query: Query,
    options: ListOptions<T>,
    { queryNames = {}, filtersOf }: ListTraits<T, Query>,
  ) {
    this.#runner = runner;
    this.#endpoint = endpoint;
    this.options = listOptionsOf(options, endpoint.operation);
    this.#callOptions = callOptionsOf(this.options);
    // What is not an object goes to the check as it came, which says so.
    this.#query = isObject(query) ? { ...query } : query;
    this.#queryNames = queryNames;
    this.#filters = isObject(query) ? filtersOf(this.#query) : [];
  }

  get startPage(): number {
    return this.#query?.page ?? 1;
  }

  async first(): Promise<Success<Page<T>>> {
    const success = await this.#runner.reporting(this.#endpoint, () =>
      this.#request(this.#query, this.startPage, this.#callOptions),
    );
    const asked = this.#query?.per_page ?? success.value.per_page;
    if (asked !== success.value.per_page) this.#runner.noteDrift(this.#endpoint, 'per_page', 'size_ignored');
    return success;
  }

  /** A later page, of the same query. Its failure is reported when the walk ends by it. */
  async read(page: number, signal: AbortSignal): Promise<Page<T>> {
    const beganAt = this.#runner.runtime.monotonic();
    try {
      const success = await this.#request({ ...this.#query, page }, page, { ...this.#callOptions, signal });
      return success.value;
    } catch (error) {
      if (error instanceof Error) this.#beganAt.set(error, beganAt);
      throw error;
    }
  }

  /** Tells the hooks of the failure that has ended a walk. */
  report(error: unknown): void {
    const beganAt = (error instanceof Error && this.#beganAt.get(error)) || this.#runner.runtime.monotonic();
    this.#runner.reportFailure(this.#endpoint, error, beganAt);
  }

  async #request(query: Query, page: number, options: CallOptions): Promise<Success<Page<T>>> {
    const others: string[] = [];
    const traits: CallTraits<Page<T>> = { page, queryNames: this.#queryNames, ...this.#itemByItem(others) };
    const success = await this.#runner.send(this.#runner.open(this.#endpoint, { query }, options, traits));
    const items = success.value.items.filter((item) => this.#isAskedFor(item, others));
    const value = items.length < success.value.items.length ? { ...success.value, items } : success.value;
    this.leftOut.set(value, others);
    return { ...success, value };
  }

  #isAskedFor(item: T, others: string[]): boolean {
    const wrong = this.#filters.filter((filter) => !filter.matches(item));
    for (const { member } of wrong) this.#runner.noteDrift(this.#endpoint, `items.*.${member}`, 'filter_ignored');
    if (wrong.length > 0) others.push(item.uuid);
    return wrong.length === 0;
  }

  /** With `onInvalidItem` the items are decoded one by one, and what cannot be is left out. */
  #itemByItem(others: string[]): Pick<CallTraits<Page<T>>, 'data'> {
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
