import type { CallOptions, InvalidRow, RowsOptions } from '../call-options.ts';
import { type Callback, checkNames, kindOf } from '../checks.ts';
import type { Operation } from '../contract/endpoint.ts';
import { isObject } from '../contract/envelope.ts';
import type { Page } from '../contract/types.ts';
import { ConfigurationError } from '../errors.ts';
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

const PREFETCH_MAX = 32;
const ROWS_NAMES: ReadonlySet<string> = new Set([...CALL_NAMES, 'onInvalidItem' satisfies keyof RowsOptions]);
const LIST_NAMES: ReadonlySet<string> = new Set([
  ...CALL_NAMES,
  ...(['prefetch', 'onPage', 'onInvalidItem'] satisfies (keyof ListOptions<never>)[]),
]);

/** The options of a list, checked, and apart from the caller's objects. */
export function listOptionsOf<T>(options: ListOptions<T>, operation: Operation): ListOptions<T> {
  checkOptions(options, LIST_NAMES, operation);
  const { prefetch = 1, onPage, onInvalidItem } = options;
  if (!Number.isSafeInteger(prefetch) || prefetch < 1 || prefetch > PREFETCH_MAX) {
    fail(operation, `options.prefetch must be a whole number from 1 to ${PREFETCH_MAX}, not ${kindOf(prefetch)}`);
  }
  checkCallbacks({ onPage, onInvalidItem }, operation);
  return { ...callOptionsOf(options), prefetch, onPage, onInvalidItem };
}

/** The options of a call that answers all its rows at once, likewise. */
export function rowsOptionsOf(options: RowsOptions, operation: Operation): RowsOptions {
  checkOptions(options, ROWS_NAMES, operation);
  const { onInvalidItem } = options;
  checkCallbacks({ onInvalidItem }, operation);
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

function checkOptions(options: object, names: ReadonlySet<string>, operation: Operation): void {
  if (typeof options !== 'object' || options === null) {
    fail(operation, `options must be an object, not ${kindOf(options)}`);
  }
  checkNames('options', options, names, (problem) => fail(operation, problem));
}

function checkCallbacks(callbacks: Readonly<Record<string, unknown>>, operation: Operation): void {
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== undefined && typeof callback !== 'function') {
      fail(operation, `options.${name} must be a function, not ${kindOf(callback)}`);
    }
  }
}

function fail(operation: Operation, problem: string): never {
  throw new ConfigurationError(`${operation}: ${problem}. No request was made.`, {
    code: 'SDK_INVALID_ARGUMENT',
    operation,
  });
}
