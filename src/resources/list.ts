import { ListCall } from '../call.ts';
import type { CallOptions } from '../call-options.ts';
import { kindOf } from '../checks.ts';
import type { PageEndpoint } from '../contract/endpoint.ts';
import { lenientPage } from '../contract/envelope.ts';
import type { Page, PageQuery } from '../contract/types.ts';
import { ConfigurationError } from '../errors.ts';
import type { CallTraits } from '../transport/call-scope.ts';
import { quietly } from '../transport/observer.ts';
import type { Runner, Success } from '../transport/runner.ts';

/** An item that is not what the interface describes. */
export interface InvalidItem {
  readonly page: number;
  /** Place on the page, from 0. */
  readonly index: number;
  /** The first member that is wrong. */
  readonly path: string;
  /** The item as it came. */
  readonly raw: unknown;
}

/** Options of a list. */
export interface ListOptions<T> extends CallOptions {
  /** Requests in flight while the list is walked. Default 1: the next page is asked for when this one is used up. */
  readonly prefetch?: number | undefined;
  /** Told of each page read, as the service answered it. What it throws is its own. */
  readonly onPage?: ((page: Page<T>) => void) | undefined;
  /** Told of each item that cannot be decoded, which is then left out; without it such a page rejects. */
  readonly onInvalidItem?: ((item: InvalidItem) => void) | undefined;
}

/** What the interface leaves unsaid of a list. */
export interface ListTraits<T> {
  /** The wire's names of query parameters. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** False for an item that the filter should have left out. */
  readonly wasAskedFor?: (item: T) => boolean;
}

const PREFETCH_MAX = 32;

/** A list of things that have a uuid. */
export function listCall<T extends { readonly uuid: string }>(
  runner: Runner,
  endpoint: PageEndpoint<T>,
  query: PageQuery,
  options: ListOptions<T>,
  { queryNames = {}, wasAskedFor = () => true }: ListTraits<T> = {},
): ListCall<T> {
  const { operation } = endpoint;
  const read = async (page: number, perPage: number | null, signal?: AbortSignal): Promise<Success<Page<T>>> => {
    checkListOptions(options, operation);
    // What is not an object goes to the check as it came, which says so.
    const asked = isRecord(query)
      ? {
          ...query,
          ...((page !== 1 || query.page !== undefined) && { page }),
          ...(perPage !== null && { per_page: perPage }),
        }
      : query;
    const extras: CallTraits<Page<T>> = { page, queryNames, ...dataOf(endpoint, options) };
    const own = signal === undefined ? options : { ...options, signal };
    const success = await runner.run(endpoint, { query: asked }, own, extras);
    if (!success.value.items.every(wasAskedFor)) runner.noteDrift(endpoint, 'items.*.status', 'filter_ignored');
    return success;
  };
  const startPage = query?.page ?? 1;
  const perPage = query?.per_page ?? null;
  return new ListCall(read(startPage, perPage), {
    operation,
    startPage,
    perPage,
    prefetch: options?.prefetch ?? 1,
    signal: options?.signal ?? null,
    key: (item) => item.uuid,
    read: async (page, size, signal) => (await read(page, size, signal)).value,
    onPage: (page) => quietly(() => options?.onPage?.(page)),
  });
}

function checkListOptions(options: ListOptions<never>, operation: string): void {
  const { prefetch = 1, onPage, onInvalidItem } = options ?? {};
  const fail = (problem: string): never => {
    throw new ConfigurationError(`${operation}: options.${problem}. No request was made.`, {
      code: 'SDK_INVALID_ARGUMENT',
      operation,
    });
  };
  if (!Number.isSafeInteger(prefetch) || prefetch < 1 || prefetch > PREFETCH_MAX) {
    fail(`prefetch must be a whole number from 1 to ${PREFETCH_MAX}, not ${kindOf(prefetch)}`);
  }
  for (const [name, callback] of Object.entries({ onPage, onInvalidItem })) {
    if (callback !== undefined && typeof callback !== 'function') {
      fail(`${name} must be a function, not ${kindOf(callback)}`);
    }
  }
}

function isRecord(query: unknown): boolean {
  return typeof query === 'object' && query !== null;
}

function dataOf<T>(endpoint: PageEndpoint<T>, options: ListOptions<T>): Pick<CallTraits<Page<T>>, 'data'> {
  const report = options?.onInvalidItem;
  if (report === undefined) return {};
  return {
    data: lenientPage(endpoint.item, (index, issues, raw, page) => {
      quietly(() => report({ page, index, path: issues[0]?.path ?? '', raw }));
    }),
  };
}
