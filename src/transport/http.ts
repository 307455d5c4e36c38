import type { KyInstance, Options } from 'ky';
import { beginningWithoutSecrets, type Hide } from '../errors/hide.ts';
import { VERSION } from '../errors/version.ts';
import { ky } from './ky.ts';
import type { Runtime } from './limits.ts';
import type { FetchLike, ServiceResponse, WireRequest } from './types.ts';

// One attempt over HTTP: request, headers, body. ky builds and sends it. Retries, timers, size limits and errors are
// not left to ky, because it retries the wrong failures and stops its timer at the headers.

const MIB = 1024 * 1024;
const BODY_MAX = 10 * MIB;
const ERROR_BODY_MAX = MIB;

/** The member of our own that ky's options carry past its Request to `fetch`. */
interface Passed {
  readonly exchange: { readonly attempt: Attempt; readonly text: string | null };
}

/** The ky instance of a client. Key, body and signal of a request are those of its attempt: {@link exchange}. */
export function createKy(given: FetchLike, baseUrl: string, headers: Readonly<Record<string, string>>): KyInstance {
  return ky.create({
    prefix: baseUrl,
    headers: { accept: 'application/json', 'user-agent': `merchant-invoicing/${VERSION}`, ...headers },
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    retry: 0,
    fetch: async (input, init) => {
      const { url, method, headers: all } = input as Request; // ky always passes the Request that it has built
      const { attempt, text } = (init as Passed).exchange; // ky passes on the options that it does not know
      // The attempt may already have ended as not_sent, so the request must not go out.
      if (attempt.interruption !== null) throw new Error('the attempt has ended');
      all.set('X-Api-Key', attempt.key);
      attempt.sent = true;
      // The fetch of the npm package undici refuses the platform's Request, so a fetch gets its parts.
      const parts = { method, headers: all, body: text, redirect: 'manual', signal: attempt.signal } as const;
      let response: unknown;
      try {
        response = await given(url, parts);
      } catch (thrown) {
        attempt.threw = true;
        throw thrown;
      }
      if (typeof response === 'object' && response !== null) return response as Response; // checked by `exchange`
      throw new TypeError('fetch returned no Response'); // a mock without a result: the error of ky would not name fetch
    },
  });
}

/**
 * Sends the request once and reads the response, as long as the attempt lasts. The status of an error response counts
 * even if its body breaks or never ends.
 *
 * @throws The platform's error, or the reason why the attempt was cut short.
 */
export async function exchange(http: KyInstance, request: WireRequest, attempt: Attempt): Promise<ServiceResponse> {
  const { method, path, search, text } = request;
  // After the caller's headers, because a body is always JSON.
  const headers = text === null ? request.headers : { ...request.headers, 'content-type': 'application/json' };
  const options: Options & Passed = { method, searchParams: search, headers, exchange: { attempt, text } };
  const work = http(path, options);
  let response: Response;
  try {
    response = await attempt.race(work);
  } catch (thrown) {
    // An attempt that is cut short does not wait for its response. A response that comes later is discarded.
    work.then(
      (late) => discard(late.body),
      () => {},
    );
    throw thrown;
  }
  // Some implementations of fetch return this instead of rejecting: the request was sent, and there is no response.
  if (response.type === 'error') throw new TypeError('fetch returned a network error as its response');
  if (typeof response.headers?.get !== 'function') throw new TypeError('fetch returned no Response');

  const success = response.status >= 200 && response.status < 300;
  if (response.body !== null && typeof response.body?.getReader !== 'function') {
    throw new TypeError('fetch returned a response whose body is no web stream: it must return a Response');
  }
  const head = {
    status: response.status,
    headers: response.headers,
    redirected: response.redirected === true,
    requestId: requestIdOf(response.headers, attempt.hide),
    hide: attempt.hide,
  };
  const seen: Uint8Array[] = [];
  let cut = false;
  try {
    cut = await attempt.race(readBody(response, success ? BODY_MAX : ERROR_BODY_MAX, attempt.signal, seen));
  } catch (thrown) {
    // The caller aborted, or only a part of a success came in time. An error response counts without its body.
    if (attempt.interruption === 'aborted' || (success && attempt.interruption !== null)) throw thrown;
    return { ...head, raw: new TextDecoder().decode(joined(seen)), cut, broken: true };
  }
  const bytes = seen.length === 1 ? seen[0] : joined(seen);
  try {
    return { ...head, raw: new TextDecoder('utf-8', { fatal: success }).decode(bytes), cut, broken: false };
  } catch {
    return { ...head, raw: new TextDecoder().decode(bytes), cut, broken: !cut };
  }
}

const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'x-trace-id', 'cf-ray'] as const;
const REQUEST_ID_MAX = 200;

/** The request id of a response, or null. The interface does not name the header. */
function requestIdOf(headers: Headers, hide: Hide): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name) ?? ''; // undefined if a fake uses a Map for its headers
    if (/^[\x20-\x7e]+$/.test(value)) return beginningWithoutSecrets(hide, value, REQUEST_ID_MAX);
  }
  return null;
}

/**
 * Reads a body up to a limit of decoded bytes, so that a small compressed response cannot fill the memory. Resolves to
 * true when the body was longer.
 *
 * @param seen Receives each chunk, also of a body that breaks.
 * @throws The platform's error when the body breaks.
 */
async function readBody(response: Response, cap: number, signal: AbortSignal, seen: Uint8Array[]): Promise<boolean> {
  if (response.body === null) return false;
  const reader = response.body.getReader();
  // Otherwise a fetch that ignores its signal would go on downloading.
  signal.addEventListener('abort', () => discard(reader), { once: true });
  if (signal.aborted) discard(reader); // aborted between the headers and this line
  let room = cap;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    seen.push(value.subarray(0, room));
    room -= value.byteLength;
    if (room >= 0) continue;
    discard(reader);
    return true;
  }
}

/** Cancels a body that no code will read. Failures are ignored. */
function discard(stream: { cancel(): Promise<void> } | null): void {
  try {
    stream?.cancel().catch(() => {});
  } catch {
    // A locked stream throws at once. Its reader cancels it.
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/**
 * The time, the signal and the key of one attempt. The signal is aborted at the timeout of the attempt, at the deadline
 * of the call, or when the caller aborts. After {@link Attempt.end} no timer and no listener remains.
 */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #interrupted: Promise<never>;
  /** Removes the timer and the listener. */
  readonly end: () => void;
  /** Why the attempt was cut short. Null if it was not. */
  interruption: 'timeout' | 'deadline' | 'aborted' | null = null;
  /** True as soon as the request is passed to fetch. */
  sent = false;
  /** True if fetch has rejected. */
  threw = false;
  /** The API key of this attempt. Empty until it is read. */
  key = '';
  /** Hides this key and the other secrets of the client. */
  hide: Hide;

  constructor(runtime: Runtime, hide: Hide, timeout: number, timeLeft: number, callerSignal: AbortSignal | null) {
    this.hide = hide;
    let reject: (reason: unknown) => void = () => {};
    this.#interrupted = new Promise((_, rejectPromise) => {
      reject = rejectPromise;
    });
    this.#interrupted.catch(() => {}); // no code may be waiting for it when it rejects
    const interrupt = (why: NonNullable<Attempt['interruption']>): void => {
      if (this.interruption !== null) return;
      this.interruption = why;
      const reason = new Error(`attempt ended: ${why}`);
      reject(reason);
      this.#controller.abort(reason);
    };
    const onAbort = (): void => interrupt('aborted');
    callerSignal?.addEventListener('abort', onAbort);
    const cancel = runtime.timer(Math.min(timeout, timeLeft), () =>
      interrupt(timeLeft <= timeout ? 'deadline' : 'timeout'),
    );
    this.end = () => {
      cancel();
      callerSignal?.removeEventListener('abort', onAbort);
    };
    if (callerSignal?.aborted) onAbort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * The result of the work. Rejects at once when the attempt is cut short, because work may ignore its signal.
   */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#interrupted]);
  }
}
