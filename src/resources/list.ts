import type { Endpoint, InvalidRow, PageEndpoint, PageRows, RowsEndpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { lenientPage, rowsOf, strictPage } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import { hasCode } from '../errors/guards.ts';
import { notify, warnOnce } from '../errors/notify.ts';
import { printable } from '../errors/printable.ts';
import { type ListOptions, type RowsOptions, readListOptions, readRowsOptions } from '../options.ts';
import { atPage, finish, open, reportEnd } from '../transport/call.ts';
import { toError } from '../transport/failure.ts';
import { send } from '../transport/send.ts';
import type { ClientCore, OpenCall, Result, Success } from '../transport/types.ts';
import { type ListCall, ListCallPromise } from './call-promise.ts';
import { type ReadPage, walkPages } from './walk.ts';

/** A row of a list in pages. */
type Listed = { readonly uuid: string };

/** A list whose first page was opened. */
interface OpenList<T> {
  readonly first: OpenCall<PageRows<T>>;
  readonly filters: PageEndpoint<T>['filters'];
  readonly prefetch: number;
  readonly onInvalidItem: ListOptions['onInvalidItem'];
}

/** Lists resources that have a uuid. Query and options are read once, so later changes by the caller have no effect. */
export function listCall<T extends Listed>(
  client: ClientCore,
  endpoint: Named<PageEndpoint<T>>,
  query: unknown,
  options: ListOptions | undefined,
): ListCall<T> {
  const begun = begin(client, endpoint, query, options);
  const page = begun.then(({ success }) => ({ ...success, value: success.value.page }));
  return new ListCallPromise(page, endpoint.operation, async function* (limit) {
    const { list, success } = await begun;
    yield* walkList(list, success.value, limit);
  });
}

/** Reads the arguments of a list, at once, and its first page. */
async function begin<T extends Listed>(
  client: ClientCore,
  endpoint: Named<PageEndpoint<T>>,
  query: unknown,
  options: ListOptions | undefined,
): Promise<{ readonly list: OpenList<T>; readonly success: Success<ReadPage<T>> }> {
  const { settings, prefetch, onInvalidItem } = readListOptions(client.settings, options);
  const call = open(client, pageRows(endpoint, onInvalidItem !== undefined), { query, settings });
  const first = { ...call, page: Number(call.sent['page'] ?? 1) };
  const list = { first, filters: endpoint.filters, prefetch, onInvalidItem };
  const success = await finish(first, readPage(list, first));
  if (success.value.page.total_items === 0) tellHint(first);
  return { list, success };
}

/** Prints the likely mistake in the query of an empty list, which is no error. */
function tellHint({ client, endpoint, sent }: OpenCall<unknown>): void {
  const hint = printable(client.hide(endpoint.hint?.(sent, []) ?? ''));
  if (hint !== '')
    warnOnce(`empty ${hint}`, `${endpoint.operation} found nothing. ${hint} This is printed once.`, client.printed);
}

/** The endpoint of a list, which reads a page with the rows that it leaves out. */
export function pageRows<T>(endpoint: Named<PageEndpoint<T>>, isLenient: boolean): Named<Endpoint<PageRows<T>>> {
  return {
    ...endpoint,
    data: isLenient ? lenientPage(endpoint.item) : strictPage(endpoint.data),
    unreadable: ({ page }) => endpoint.unreadable?.(page) ?? null,
  };
}

/** Requests one page. Rows that cannot be read, and those that contradict the filter, are left out. */
async function readPage<T extends Listed>(
  { first, filters, onInvalidItem }: OpenList<T>,
  call: OpenCall<PageRows<T>>,
): Promise<Result<ReadPage<T>>> {
  const result = await send(call);
  if (!result.ok) return result;
  const { page, invalid } = result.value;
  tellInvalid(onInvalidItem, page.page, invalid);
  const asked = Object.entries(filters).map(([name, wordOf]) => [first.sent[name]?.toLowerCase(), wordOf] as const);
  const matchesFilter = (item: T): boolean =>
    asked.every(([word, wordOf]) => word === undefined || wordOf(item).toLowerCase() === word);
  const items = page.items.filter(matchesFilter);
  const skipped = page.items.filter((item) => !matchesFilter(item)).map(({ uuid }) => uuid);
  const value = { page: { ...page, items }, skipped: [...skipped, ...invalid.map((row) => keyOf(row, page.page))] };
  return { ...result, value };
}

function tellInvalid(tell: ListOptions['onInvalidItem'], page: number, rows: readonly InvalidRow[]): void {
  for (const { index, issue, raw } of rows) notify(() => tell?.({ page, index, path: issue.path, raw }));
}

/** A key for a row that cannot be read, by which it is recognised on another page. */
export function keyOf({ index, raw }: InvalidRow, page: number): string {
  const uuid = isObject(raw) ? raw['uuid'] : undefined;
  return typeof uuid === 'string' ? uuid : `row ${index} of page ${page}`;
}

/** Walks a list. Each page is reported as a call. A walk that cannot be complete is reported as one more. */
async function* walkList<T extends Listed>(
  list: OpenList<T>,
  first: ReadPage<T>,
  limit: number,
): AsyncGenerator<ReadPage<T>['page'], void, undefined> {
  const { first: firstCall, prefetch } = list;
  const startedAt = firstCall.client.runtime.monotonic();
  try {
    yield* walkPages<T>({
      operation: firstCall.endpoint.operation,
      first,
      startPage: firstCall.page ?? 1,
      prefetch,
      limit,
      signal: firstCall.signal,
      key: ({ uuid }) => uuid,
      read(number, signal) {
        const call = atPage(firstCall, number, signal);
        const page = readPage(list, call).then((result) => {
          if (!result.ok) throw toError(call, result);
          reportEnd(call, result);
          return result.value;
        });
        return { page, failed: (error, isNeeded) => reportEnd(call, error, isNeeded) };
      },
    });
  } catch (error) {
    if (hasCode(error, 'SDK_PAGE')) reportEnd({ ...atPage(firstCall, 1, null), startedAt }, error);
    throw error;
  }
}

const PATH_MAX = 300;

/**
 * Reads all rows of a list that comes at once. Rows that cannot be read are left out, and printed once per client if
 * there is no `onInvalidItem`.
 *
 * @param filter The caller's filter, by which the endpoint's `local` parameters are read.
 * @param select The rows that the filter selects.
 */
export async function readRows<T>(
  client: ClientCore,
  endpoint: Named<RowsEndpoint<T>>,
  options: RowsOptions | undefined,
  filter: unknown = {},
  select: (rows: T[], call: OpenCall<unknown>) => T[] = (rows) => rows,
): Promise<Success<T[]>> {
  const { settings, onInvalidItem } = readRowsOptions(client.settings, options);
  const { item, isOmitted, operation } = endpoint;
  const data = onInvalidItem === undefined ? endpoint.data : rowsOf(item, isOmitted, true);
  const call = open(client, { ...endpoint, data }, { local: filter, settings });
  const { value, ...success } = await finish(call, send(call));
  const { rows, invalid } = value;
  tellInvalid(onInvalidItem, 1, invalid);
  const [first] = invalid;
  if (first !== undefined && onInvalidItem === undefined) {
    const { path } = first.issue;
    const member = path === '' ? '' : `: its ${printable(path.slice(0, PATH_MAX))} cannot be read`;
    const text = `${operation} left out a row that cannot be read${member}. Give onInvalidItem to get each one. This is printed once.`;
    warnOnce('a row that cannot be read', text, client.printed);
  }
  return { ...success, value: select(rows, call) };
}
