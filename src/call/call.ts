import { argumentFail, checkOptions } from '../checks.ts';
import type { Page } from '../contract/types.ts';
import { type CallError, isMerchantError } from '../errors/classes.ts';
import { unreadable } from '../transport/request.ts';
import type { Success } from '../transport/runner.ts';
import { type CallSite, callSite, locate } from './call-site.ts';
import { type PageSource, walkPages } from './pages.ts';

/** The answer behind a call's data. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  /** The request id header of the answer, if it had one. */
  readonly requestId: string | null;
  /** Requests made, the successful one and those of reading back included. */
  readonly attempts: number;
  /** Milliseconds from the call to its data, waits included. */
  readonly durationMs: number;
  /** True when one of this call's attempts that got no answer had created the invoice, and it was read back. */
  readonly recovered: boolean;
  /** The body's text as received: amounts with their trailing zeros, members that the types do not know. */
  readonly raw: string;
}

/** Data and the answer it came with. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

/** A call's end as a value. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CallError };

const COLLECT_NAMES: ReadonlySet<string> = new Set(['limit']);

const ignore = (): void => {};

/**
 * A call that has begun: a promise of its data, with two more views of the same answer.
 * If nothing awaits the call, a failure becomes an unhandled rejection, as with any promise.
 */
export interface Call<T> extends Promise<T> {
  /** Resolves to the data and the answer: status, headers, request id, attempts, raw text. */
  withResponse(): Promise<WithResponse<T>>;

  /** Resolves to the data or the error, and never rejects with an error of this package. */
  result(): Promise<CallResult<T>>;
}

/**
 * The first page of a list that is also async-iterable over all its items, each of them once. Every iteration starts
 * at this call's page and reuses its answer. The uuids seen are held in memory: about 100 bytes for each item.
 */
export interface ListCall<T> extends Call<Page<T>>, AsyncIterable<T> {
  /** Items of this page and all later ones. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;

  /** This page and all later ones, each with the items that no earlier one had. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;

  /** The first `limit` items from this page on. The limit is mandatory: a list may be longer than the memory. */
  collect(options: { readonly limit: number }): Promise<T[]>;
}

/** @internal */
export class CallPromise<T> extends Promise<T> implements Call<T> {
  readonly #success: Promise<Success<T>>;
  readonly #site: CallSite;

  /** Derived promises are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(success: Promise<Success<T>>) {
    const site = callSite(new.target);
    const located = success.catch((failure: unknown) => {
      throw locate(failure, site);
    });
    super((resolve, reject) => {
      located.then(({ value }) => resolve(value), reject);
    });
    this.#success = located;
    this.#site = site;
  }

  withResponse(): Promise<WithResponse<T>> {
    this.consumed();
    return this.#success.then(({ value, answer, attempts, durationMs, recovered }) => ({
      data: value,
      response: {
        status: answer.status,
        headers: answer.headers,
        requestId: answer.requestId,
        attempts,
        durationMs,
        recovered,
        raw: answer.raw,
      },
    }));
  }

  result(): Promise<CallResult<T>> {
    this.consumed();
    return this.#success.then(
      ({ value }) => ({ ok: true, value }) as const,
      (error: unknown) => {
        // Verification errors are the webhook entry's: no call of the service makes one.
        if (isMerchantError(error) && error.kind !== 'webhook') return { ok: false, error } as const;
        throw error;
      },
    );
  }

  /** A failure of a later request of the same call, with the caller's line. */
  protected located(failure: unknown): unknown {
    return locate(failure, this.#site);
  }

  /** The other view reports the failure, so the promise itself must not be unhandled too. */
  protected consumed(): void {
    Promise.prototype.then.call(this, undefined, ignore);
  }
}

/** @internal What {@link ListCallPromise} needs beyond its first page. */
export type ListSource<T> = Omit<PageSource<T>, 'first'>;

/** @internal */
export class ListCallPromise<T> extends CallPromise<Page<T>> implements ListCall<T> {
  readonly #source: ListSource<T>;

  constructor(success: Promise<Success<Page<T>>>, source: ListSource<T>) {
    super(success);
    this.#source = source;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    this.consumed();
    return this.#items();
  }

  pages(): AsyncGenerator<Page<T>, void, undefined> {
    this.consumed();
    return this.#pages();
  }

  async collect(options: { readonly limit: number }): Promise<T[]> {
    this.consumed();
    const { operation } = this.#source;
    let limit: unknown;
    try {
      limit = options?.limit;
    } catch (error) {
      throw unreadable(error, operation);
    }
    const fail = argumentFail(operation);
    if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) {
      return fail('collect needs a limit, such as collect({ limit: 1000 })');
    }
    checkOptions('collect', options, COLLECT_NAMES, fail);
    const items: T[] = [];
    if (limit === 0) return items;
    for await (const item of this.#items()) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  async *#items(): AsyncGenerator<T, void, undefined> {
    for await (const page of this.#pages()) yield* page.items;
  }

  async *#pages(): AsyncGenerator<Page<T>, void, undefined> {
    const first = await this;
    try {
      yield* walkPages({ ...this.#source, first });
    } catch (failure) {
      throw this.located(failure);
    }
  }
}
