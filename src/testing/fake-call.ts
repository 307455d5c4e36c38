import { type Call, CallPromise, type ListCall, ListCallPromise } from '../call/call.ts';
import { checkOptions, configurationFail, namesOf, readCount } from '../checks.ts';
import type { Page } from '../contract/types.ts';
import type { MerchantError } from '../errors/classes.ts';
import { isMerchantError } from '../errors/guards.ts';
import type { Success } from '../transport/send.ts';
import { fakePage } from './fake-rows.ts';

/** The members of the response that `withResponse()` of a fake resolves to. */
export interface FakeResponse {
  /** HTTP status. @defaultValue 200 @defaultValue 200 */
  readonly status?: number | undefined;
  /** @defaultValue no header */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request id header. @defaultValue null @defaultValue null */
  readonly requestId?: string | null | undefined;
  /** Requests made. @defaultValue 1 @defaultValue 1 */
  readonly attempts?: number | undefined;
  /** Milliseconds. @defaultValue 0 */
  readonly durationMs?: number | undefined;
  /** Whether a lost attempt had created the invoice. @defaultValue false @defaultValue false */
  readonly recovered?: boolean | undefined;
  /** The text of the body. @defaultValue an empty text */
  readonly raw?: string | undefined;
}

const RESPONSE = namesOf<FakeResponse>({
  status: true,
  headers: true,
  requestId: true,
  attempts: true,
  durationMs: true,
  recovered: true,
  raw: true,
});

const ignore = (): void => {};

/**
 * Returns a call as a method of the client returns it: a promise with `withResponse()` and `result()`. A value resolves
 * it, and an error of this package rejects it. For a plain object in place of a part of the client.
 *
 * A rejected fake that nothing awaits causes no unhandled rejection, so a mock may hold one.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unknown member of the response.
 * @example
 * const shop: { invoices: Pick<MerchantClient['invoices'], 'get'> } = {
 *   invoices: { get: (ident) => fakeCall(fakeInvoice({ external_id: ident, status: 'success' })) },
 * };
 */
export function fakeCall(error: MerchantError, response?: FakeResponse): Call<never>;
export function fakeCall<T>(value: T, response?: FakeResponse): Call<T>;
export function fakeCall<T>(value: T, response: FakeResponse = {}): Call<T> {
  checkOptions('response', response, RESPONSE, configurationFail('fakeCall'));
  return handled(
    new CallPromise(isMerchantError(value) ? Promise.reject(value) : Promise.resolve(success(value, response))),
  );
}

/** Options of {@link fakeListCall}. */
export interface FakeListOptions {
  /** The page that the promise resolves to. @defaultValue 1 */
  readonly page?: number | undefined;
  /** Items on a page. @defaultValue 20 */
  readonly per_page?: number | undefined;
}

const LIST = namesOf<FakeListOptions>({ page: true, per_page: true });
const COUNT = { min: 1, byDefault: 1 };
const SIZE = { min: 1, max: 100, byDefault: 20 };

/**
 * Returns the call of a list: a promise of one page, an iterable of all items, `pages()` and `collect()`. The items are cut
 * into pages from page 1 on, and the real walk reads them. An error of this package rejects the call.
 *
 * @throws ConfigurationError (`SDK_CONFIGURATION`) for an unusable option.
 * @example
 * const invoices = { list: () => fakeListCall([fakeInvoice(), fakeInvoice()], { per_page: 1 }) };
 */
export function fakeListCall(error: MerchantError): ListCall<never>;
export function fakeListCall<T>(items: readonly T[], options?: FakeListOptions): ListCall<T>;
export function fakeListCall<T>(items: readonly T[] | MerchantError, options: FakeListOptions = {}): ListCall<T> {
  const fail = configurationFail('fakeListCall');
  checkOptions('options', options, LIST, fail);
  const startPage = readCount('page', options.page, COUNT, fail);
  const per_page = readCount('per_page', options.per_page, SIZE, fail);
  const rows = isMerchantError(items) ? [] : [...(items as readonly T[])]; // the other form of the argument
  const numbers = new Map(rows.map((row, index) => [row, String(index)]));
  const read = (page: number): Page<T> =>
    fakePage(rows.slice((page - 1) * per_page, page * per_page), { page, per_page, total_items: rows.length });
  const first = isMerchantError(items) ? Promise.reject(items) : Promise.resolve(success(read(startPage), {}));
  const source = {
    operation: 'fakeListCall',
    startPage,
    prefetch: 1,
    signal: null,
    key: (row: T) => numbers.get(row) ?? '',
    read: async (page: number) => read(page),
  };
  return handled(new ListCallPromise(first, source));
}

function success<T>(value: T, response: FakeResponse): Success<T> {
  const { status = 200, requestId = null, attempts = 1, durationMs = 0, recovered = false, raw = '' } = response;
  const headers = new Headers(response.headers);
  const hide = (text: string): string => text;
  const answer = { status, headers, receivedAt: 0, requestId, raw, cut: false, broken: false, redirected: false, hide };
  return { value, answer, attempts, durationMs, recovered };
}

function handled<C extends Promise<unknown>>(call: C): C {
  call.catch(ignore);
  return call;
}
