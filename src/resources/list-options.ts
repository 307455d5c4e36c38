import type { CallOptions, InvalidRow, RowsOptions } from '../call/options.ts';
import { argumentFail, type Callback, checkCallbacks, checkOptions, readCount } from '../checks.ts';
import type { Operation } from '../contract/endpoint.ts';
import { isObject } from '../contract/json.ts';
import type { Page } from '../contract/types.ts';
import { CALL_NAMES } from '../transport/limits.ts';

/** An item of a list that is not what the interface describes. */
export interface InvalidItem extends InvalidRow {
  /** The page on which it came. */
  readonly page: number;
}

/** Options of a list. */
export interface ListOptions<T> extends CallOptions {
  /**
   * Requests in flight while the list is walked, 1 to 32; 1 asks for the next page when this one is used up.
   * @default 1
   */
  readonly prefetch?: number | undefined;
  /** Called with each page read, as it was decoded; again when a page is read again. Errors thrown here are ignored. */
  readonly onPage?: Callback<[page: Page<T>]> | undefined;
  /**
   * Called with each item that cannot be decoded, which is then left out; again when its page is read again. Errors
   * thrown here are ignored. Without this option such a page rejects.
   */
  readonly onInvalidItem?: Callback<[item: InvalidItem]> | undefined;
}

const PREFETCH = { byDefault: 1, min: 1, max: 32 };
const ROWS_NAMES: ReadonlySet<string> = new Set([...CALL_NAMES, 'onInvalidItem' satisfies keyof RowsOptions]);
const LIST_NAMES: ReadonlySet<string> = new Set([
  ...CALL_NAMES,
  ...(['prefetch', 'onPage', 'onInvalidItem'] satisfies (keyof ListOptions<never>)[]),
]);

/** The options of a list, checked, and apart from the caller's objects. */
export function listOptionsOf<T>(options: ListOptions<T>, operation: Operation): ListOptions<T> {
  const fail = argumentFail(operation);
  checkOptions('options', options, LIST_NAMES, fail);
  const { onPage, onInvalidItem } = options;
  const prefetch = readCount('options.prefetch', options.prefetch, PREFETCH, fail);
  checkCallbacks({ 'options.onPage': onPage, 'options.onInvalidItem': onInvalidItem }, fail);
  return { ...callOptionsOf(options), prefetch, onPage, onInvalidItem };
}

/** The options of a call that answers all its rows at once, likewise. */
export function rowsOptionsOf(options: RowsOptions, operation: Operation): RowsOptions {
  const fail = argumentFail(operation);
  checkOptions('options', options, ROWS_NAMES, fail);
  const { onInvalidItem } = options;
  checkCallbacks({ 'options.onInvalidItem': onInvalidItem }, fail);
  return { ...callOptionsOf(options), onInvalidItem };
}

/** Options of a call alone, as own copies. */
export function callOptionsOf({ signal, timeout, deadline, retry, headers, query }: CallOptions): CallOptions {
  return {
    signal,
    timeout,
    deadline,
    retry: isObject(retry) ? { ...retry } : retry,
    headers: headers instanceof Headers ? Object.fromEntries(headers) : isObject(headers) ? { ...headers } : headers,
    query: isObject(query) ? { ...query } : query,
  };
}
