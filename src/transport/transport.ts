import ky, { type KyInstance } from 'ky';
import { VERSION } from '../version.ts';
import { type Answer, discard, receiveAnswer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import type { FetchLike } from './options.ts';
import type { Redactor } from './secrecy/redact.ts';

const DEFAULT_HEADERS = { accept: 'application/json', 'user-agent': `merchant-invoicing/${VERSION}` };

/** A request without its key, the same for every attempt. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query below the base address. */
  readonly path: string;
  /** Headers beyond those of the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string | null;
}

/** Where a client sends its requests, and how. */
export interface TransportOptions {
  readonly fetch: FetchLike;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
}

/**
 * Carries one request over ky, which builds its address. Headers, body and signal join it outside of ky, because ky
 * keeps its request in its errors. Retries, timers, size limits and errors are the package's, because ky retries the
 * wrong failures and stops its timer at the headers. See docs/decisions.md.
 */
export class Transport {
  readonly #fetch: FetchLike;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #redactor: Redactor;
  readonly #ky: KyInstance;

  constructor({ fetch, baseUrl, headers, redactor }: TransportOptions) {
    this.#fetch = fetch;
    this.#headers = { ...DEFAULT_HEADERS, ...headers };
    this.#redactor = redactor;
    this.#ky = ky.create({ prefix: baseUrl, retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' });
  }

  /** Sends the request once. Rejects with the platform's error, or when the attempt is cut short. */
  async exchange({ method, path, headers, body }: WireRequest, key: string, attempt: Attempt): Promise<Answer> {
    const work = this.#ky(path, {
      method,
      fetch: (request) => {
        const { url } = request as Request; // ky always passes the Request that it has built
        const all = new Headers({ ...this.#headers, ...headers });
        if (body !== null) all.set('content-type', 'application/json');
        all.set('X-Api-Key', key);
        attempt.sent = true;
        return this.#fetch(url, { method, headers: all, body, redirect: 'manual', signal: attempt.signal });
      },
    });
    // An attempt that is cut short does not wait for its answer. One that still comes is discarded.
    work.then(
      (late) => attempt.interruption !== null && discard(late.body),
      () => {},
    );
    const response = await attempt.race(work);
    // Some fetches give this in place of a rejection: the request was sent, and there is no answer.
    if (response.type === 'error') throw new TypeError('fetch gave a network error as its response');
    return receiveAnswer(response, attempt, this.#redactor);
  }
}
