import type { Endpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { Page } from '../contract/types.ts';
import { checkOptions, type Fail } from '../errors/checks.ts';
import { ConfigurationError } from '../errors/classes.ts';
import { type CallError, isMerchantError } from '../errors/guards.ts';
import { type CallOptions, readCallOptions } from '../options.ts';
import { finish, open } from '../transport/call.ts';
import { send } from '../transport/send.ts';
import type { ClientCore, Success } from '../transport/types.ts';

// One call as its caller sees it: a promise with several views.

/** The response that contained a call's data. */
export interface ResponseInfo {
  /** HTTP status of the response. */
  readonly status: number;
  /** All headers of the response. */
  readonly headers: Headers;
  /** The request id header of the response. Null if absent. */
  readonly requestId: string | null;
  /** Requests made, the successful one and those of reading back included. */
  readonly attempts: number;
  /** Milliseconds from the call to its data, waits included. */
  readonly durationMs: number;
  /** True when one of this call's attempts that got no response had created the invoice, and it was read back. */
  readonly recovered: boolean;
  /** The body's text as received: with the trailing zeros of amounts, and with members that the types do not have. */
  readonly raw: string;
}

/** Data and the response it came with. */
export interface WithResponse<T> {
  /** What the call resolves with by itself. */
  readonly data: T;
  /** The last response of the call. */
  readonly response: ResponseInfo;
}

/** The result of a call as a value. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CallError };

const COLLECT_NAMES: ReadonlySet<string> = new Set(['limit']);

/**
 * A call that has begun: a promise of its data, with two more views of the same response.
 *
 * If nothing awaits the call, a failure becomes an unhandled rejection, as with any promise.
 *
 * @example
 * const invoice = await merchant.invoices.get('order-1042');
 * const result = await merchant.invoices.get('order-1042').result();
 */
export interface Call<T> extends Promise<T> {
  /**
   * Resolves to the data and the response: status, headers, request id, attempts, raw text.
   * @example
   * const { data, response } = await merchant.rates.list().withResponse();
   */
  withResponse(): Promise<WithResponse<T>>;

  /**
   * Resolves to the data or the error, and never rejects with an error of this package.
   * @example
   * const result = await merchant.invoices.create(params).result();
   * if (!result.ok) console.error(result.error.code, result.error.outcome);
   */
  result(): Promise<CallResult<T>>;
}

/**
 * A promise of one page of a list, and an async iterable of all items from that page on, each of them once.
 *
 * Every iteration starts at this call's page and reuses its response. The uuids seen are held in memory, about 100
 * bytes for each item.
 *
 * @throws UnexpectedResponseError (`SDK_PAGE`) from an iteration that cannot be complete.
 * @example
 * for await (const invoice of merchant.invoices.list({ status: 'success' })) console.log(invoice.external_id);
 */
export interface ListCall<T> extends Call<Page<T>>, AsyncIterable<T> {
  /**
   * Iterates over the items of this page and all later ones.
   *
   * @throws UnexpectedResponseError (`SDK_PAGE`) if the iteration cannot be complete. The items before it have been
   * yielded.
   * @example
   * for await (const invoice of merchant.invoices.list()) {
   *   if (invoice.is_adjusted) console.log(invoice.external_id);
   * }
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;

  /**
   * Iterates over this page and all later ones, each with the items that no earlier page had.
   * @throws UnexpectedResponseError (`SDK_PAGE`) if the iteration cannot be complete. The items before it have been
   * yielded.
   * @example
   * for await (const page of merchant.invoices.list().pages()) console.log(page.page, page.items.length);
   */
  pages(): AsyncGenerator<Page<T>, void, undefined>;

  /**
   * Resolves to the first `limit` items from this page on. The limit is required, because a whole list may exceed the
   * memory.
   * @throws ConfigurationError (`SDK_INVALID_ARGUMENT`) without a usable limit.
   * @example
   * const latest = await merchant.invoices.list().collect({ limit: 100 });
   */
  collect(options: { readonly limit: number }): Promise<T[]>;
}

/**
 * The caller's line, for the stack of an error. An error that is made after a response has no frame of the caller,
 * because the stack of a promise ends where the promise was first awaited.
 */
export class SourceLine {
  readonly stack?: string;

  /** @param below A function or class. The stack begins with its caller. */
  constructor(below: object) {
    // The engine writes the text only when it is read, so this costs a microsecond. Some engines lack the function.
    (Error as { captureStackTrace?: (target: object, below: unknown) => void }).captureStackTrace?.(this, below);
  }

  /** Puts the caller's frames into the stack of a failure, and returns the failure. */
  locate(failure: unknown): unknown {
    const frames = this.stack?.slice(this.stack.indexOf('\n    at ')) ?? '';
    if (!(failure instanceof Error) || !frames.startsWith('\n')) return failure;
    const value = `${failure.name}: ${failure.message}${frames}`;
    Object.defineProperty(failure, 'stack', { value, configurable: true, writable: true });
    return failure;
  }
}

/** Makes a call that needs path parameters only. */
export async function call<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  params: unknown,
  options: CallOptions | undefined,
): Promise<Success<Data>> {
  const call = open(client, endpoint, { params, settings: readCallOptions(client.settings, options) });
  return finish(call, send(call));
}

/** @internal */
export class CallPromise<T> extends Promise<T> implements Call<T> {
  readonly #success: Promise<Success<T>>;
  /** The line of the call, for failures of its later requests. */
  protected readonly site: SourceLine;

  /** Derived promises are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(success: Promise<Success<T>>) {
    const site = new SourceLine(new.target);
    const located = success.catch((failure: unknown) => {
      throw site.locate(failure);
    });
    super((resolve, reject) => {
      located.then(({ value }) => resolve(value), reject);
    });
    this.#success = located;
    this.site = site;
    Object.defineProperty(this, 'site', { enumerable: false });
  }

  withResponse(): Promise<WithResponse<T>> {
    this.markHandled();
    return this.#success.then(({ value, response, attempts, durationMs, recovered }) => {
      const { status, headers, requestId, raw } = response;
      return { data: value, response: { status, headers, requestId, attempts, durationMs, recovered, raw } };
    });
  }

  result(): Promise<CallResult<T>> {
    this.markHandled();
    return this.#success.then(
      ({ value }) => ({ ok: true, value }) as const,
      (error: unknown) => {
        // A WebhookVerificationError is no error of a call: only the receiver makes one.
        if (isMerchantError(error) && error.kind !== 'webhook') return { ok: false, error } as const;
        throw error;
      },
    );
  }

  /** Marks this promise as handled, because the failure is reported by another view of the call. */
  protected markHandled(): void {
    Promise.prototype.then.call(this, undefined, () => {});
  }
}

/** Walks the pages from the first one on. `limit`: the most rows that the caller takes. */
type Walk<T> = (limit: number) => AsyncGenerator<Page<T>, void, undefined>;

/** @internal */
export class ListCallPromise<T> extends CallPromise<Page<T>> implements ListCall<T> {
  readonly #operation: string;
  readonly #walk: Walk<T>;

  constructor(success: Promise<Success<Page<T>>>, operation: string, walk: Walk<T>) {
    super(success);
    this.#operation = operation;
    this.#walk = walk;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    this.markHandled();
    return this.#items(Number.POSITIVE_INFINITY);
  }

  pages(): AsyncGenerator<Page<T>, void, undefined> {
    this.markHandled();
    return this.#pages(Number.POSITIVE_INFINITY);
  }

  async collect(options: { readonly limit: number }): Promise<T[]> {
    this.markHandled();
    const operation = this.#operation;
    // Not `argumentFail`, whose message says that no request was made: the first page was requested before.
    const fail: Fail = (problem) => {
      throw new ConfigurationError(`${operation}: ${problem}.`, { code: 'SDK_INVALID_ARGUMENT', operation });
    };
    const limit: unknown = options?.limit;
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) {
      return fail('collect needs a limit, such as collect({ limit: 1000 })');
    }
    checkOptions('collect', options, COLLECT_NAMES, fail);
    const items: T[] = [];
    if (limit === 0) return items;
    for await (const item of this.#items(limit)) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  async *#items(limit: number): AsyncGenerator<T, void, undefined> {
    for await (const page of this.#pages(limit)) yield* page.items;
  }

  async *#pages(limit: number): AsyncGenerator<Page<T>, void, undefined> {
    await this;
    try {
      yield* this.#walk(limit);
    } catch (failure) {
      throw this.site.locate(failure);
    }
  }
}
