import { argumentFail, type Callback, checkCallbacks, readCount } from '../checks.ts';
import type { ClientOperation } from '../contract/endpoints.ts';
import {
  CALL_NAMES,
  type CallOptions,
  type CallSettings,
  type InvalidItem,
  type RowsOptions,
  readCallOptions,
} from '../transport/options.ts';
import type { ClientCore } from '../transport/scope.ts';

export type { InvalidItem } from '../transport/options.ts';

/**
 * Options of a list.
 *
 * @example
 * merchant.invoices.list({}, { prefetch: 4, onInvalidItem: ({ page, path }) => console.warn('unreadable', page, path) });
 */
export interface ListOptions extends CallOptions {
  /**
   * Requests in flight while the list is walked, 1 to 32. None is made before the first page is used up, so a loop that
   * ends within it costs one request. With 1, the next page is read when this one is used up.
   * @defaultValue 3: the page that the loop waits for, and two ahead
   */
  readonly prefetch?: number | undefined;
  /**
   * Called with each item that cannot be decoded, and again when its page is read again. The item is left out. Errors
   * thrown here are ignored. Without this option such a page rejects.
   */
  readonly onInvalidItem?: Callback<[item: InvalidItem]> | undefined;
}

const PREFETCH = { byDefault: 3, min: 1, max: 32 };
const ROWS_NAMES = new Set<keyof RowsOptions>([...CALL_NAMES, 'onInvalidItem']);
const LIST_NAMES = new Set<keyof ListOptions>([...CALL_NAMES, 'prefetch', 'onInvalidItem']);

/** The options of a list, checked and copied. @internal */
export interface ListSettings extends Pick<ListOptions, 'onInvalidItem'> {
  readonly prefetch: number;
  readonly settings: CallSettings;
}

/** Reads the options of a list. @internal */
export function readListOptions(client: ClientCore, options: ListOptions, operation: ClientOperation): ListSettings {
  const fail = argumentFail(operation);
  const settings = readCallOptions(client.settings, options, LIST_NAMES, fail);
  const { onInvalidItem } = options;
  const prefetch = readCount('options.prefetch', options.prefetch, PREFETCH, fail);
  checkCallbacks({ 'options.onInvalidItem': onInvalidItem }, fail);
  return { settings, prefetch, onInvalidItem };
}

/** Reads the options of a call that answers all its rows at once. @internal */
export function readRowsOptions(client: ClientCore, options: RowsOptions, operation: ClientOperation) {
  const fail = argumentFail(operation);
  const settings = readCallOptions(client.settings, options, ROWS_NAMES, fail);
  const { onInvalidItem } = options;
  checkCallbacks({ 'options.onInvalidItem': onInvalidItem }, fail);
  return { settings, onInvalidItem };
}
