import type { KyInstance } from 'ky';
import type { HttpMethod } from '../contract/endpoint.ts';
import { VERSION } from '../version.ts';
import { type Answer, discard, receiveAnswer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptTrace } from './observe/events.ts';
import type { FetchLike } from './options.ts';
import type { Redactor } from './secrecy/redact.ts';

const DEFAULT_HEADERS = { accept: 'application/json', 'user-agent': `merchant-invoicing/${VERSION}` };

/** A request without its key, the same for every attempt. */
export interface WireRequest {
  readonly method: HttpMethod;
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

/** A file of the package is missing or damaged. Nothing was sent. */
export class LoadFailure extends Error {}

/** ky, once it is loaded. One instance carries the requests of all clients. */
let carrier: KyInstance | null = null;
let loading: Promise<KyInstance> | null = null;

/** Loads ky at the first attempt, because ky makes Node load its fetch: more than half of the time of an import. */
function loadCarrier(): Promise<KyInstance> {
  loading ??= import('./ky.ts').then(
    ({ ky }) => {
      carrier = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
      return carrier;
    },
    (cause: unknown) => {
      loading = null; // the next call tries again
      throw new LoadFailure(undefined, { cause });
    },
  );
  return loading;
}

/**
 * Carries one request over ky. Method, headers, body and signal join it outside of ky, because ky keeps its request in
 * its errors, and copies each option several times. Retries, timers, size limits and errors are the package's, because
 * ky retries the wrong failures and stops its timer at the headers. See docs/architecture-decisions.md.
 */
export class Transport {
  readonly #fetch: FetchLike;
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #redactor: Redactor;

  constructor({ fetch, baseUrl, headers, redactor }: TransportOptions) {
    this.#fetch = fetch;
    this.#headers = { ...DEFAULT_HEADERS, ...headers };
    this.#baseUrl = baseUrl;
    this.#redactor = redactor;
  }

  /** Returns a transport to the same service that adds headers. */
  with(headers: Readonly<Record<string, string>>, redactor: Redactor): Transport {
    return new Transport({
      fetch: this.#fetch,
      baseUrl: this.#baseUrl,
      headers: { ...this.#headers, ...headers },
      redactor,
    });
  }

  /** Where the requests go, for tracers. */
  get server(): Pick<AttemptTrace, 'serverAddress' | 'serverPort'> {
    const { hostname, port, protocol } = new URL(this.#baseUrl);
    const byDefault = protocol === 'https:' ? 443 : 80;
    return { serverAddress: hostname, serverPort: port === '' ? byDefault : Number(port) };
  }

  /** Sends the request once. Rejects with the platform's error, or when the attempt is cut short. */
  async exchange({ method, path, headers, body }: WireRequest, key: string, attempt: Attempt): Promise<Answer> {
    const ky = carrier ?? (await attempt.race(loadCarrier()));
    const work = ky(this.#baseUrl + path, {
      fetch: (request) => {
        const { url } = request as Request; // ky always passes the Request that it has built
        const all = new Headers({ ...this.#headers, ...headers });
        if (body !== null) all.set('content-type', 'application/json');
        all.set('X-Api-Key', key);
        // The attempt may have ended since ky began. Its outcome says that nothing was sent, and a fetch may ignore its signal.
        if (attempt.interruption !== null) throw new Error('the attempt has ended');
        attempt.sent = true;
        return this.#fetch(url, { method, headers: all, body, redirect: 'manual', signal: attempt.signal });
      },
    });
    let response: Response;
    try {
      response = await attempt.race(work);
    } catch (thrown) {
      // An attempt that is cut short does not wait for its answer. One that still comes is discarded.
      work.then(
        (late) => discard(late.body),
        () => {},
      );
      throw thrown;
    }
    // Some fetches give this in place of a rejection: the request was sent, and there is no answer.
    if (response.type === 'error') throw new TypeError('fetch gave a network error as its response');
    return receiveAnswer(response, attempt, this.#redactor);
  }
}
