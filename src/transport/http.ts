import ky, { type KyInstance, type Options } from 'ky';
import { beginningWithoutSecrets, type Hide } from '../hide.ts';
import { VERSION } from '../version.ts';
import type { Runtime } from './limits.ts';
import type { FetchLike, ServiceResponse, WireRequest } from './types.ts';

// One attempt over HTTP: request, headers, body. ky builds and sends it. Retries, timers, size limits and errors are the
// package's, because ky retries the wrong failures and stops its timer at the headers.

const MIB = 1024 * 1024;
const BODY_MAX = 10 * MIB;
const ERROR_BODY_MAX = MIB;

/** Returns the ky instance of a client. The context of a request is its {@link Attempt}, whose key the hook sets. */
export function connect(given: FetchLike, baseUrl: string, headers: Readonly<Record<string, string>>): KyInstance {
  return ky.create({
    prefix: baseUrl,
    headers: { accept: 'application/json', 'user-agent': `merchant-invoicing/${VERSION}`, ...headers },
    redirect: 'manual',
    throwHttpErrors: false,
    timeout: false,
    retry: 0,
    fetch: async (input) => {
      // The fetch of the npm package undici refuses the platform's Request, so a fetch gets its parts.
      const request = input as Request; // ky always passes the Request that it has built
      const { url, method, headers: all, signal } = request;
      const body = request.body === null ? null : await request.text();
      const response = await given(url, { method, headers: all, body, redirect: 'manual', signal });
      if (typeof response === 'object' && response !== null) return response;
      throw new TypeError('fetch gave no Response'); // a mock without a result, whose text would be one of ky
    },
    hooks: {
      beforeRequest: [
        ({ request, options: { context } }) => {
          const attempt = context['attempt'] as Attempt; // set below
          // The attempt may have ended since ky began. Its outcome says that nothing was sent.
          if (attempt.interruption !== null) throw new Error('the attempt has ended');
          request.headers.set('X-Api-Key', attempt.key);
          attempt.sent = true;
        },
      ],
    },
  });
}

/**
 * Sends the request once and reads the response, as long as the attempt lasts. The status of an error response counts even
 * if its body breaks or never ends.
 *
 * @throws The platform's error, or the reason why the attempt was cut short.
 */
export async function exchange(http: KyInstance, request: WireRequest, attempt: Attempt): Promise<ServiceResponse> {
  const { method, path, search, json, headers } = request;
  const options: Options = { method, headers, searchParams: search, signal: attempt.signal, context: { attempt } };
  // The content type is ours: a body is always JSON.
  const body: Options = json === undefined ? {} : { json, headers: { ...headers, 'content-type': 'application/json' } };
  const work = http(path, { ...options, ...body });
  let response: Response;
  try {
    response = await attempt.race(work);
  } catch (thrown) {
    // An attempt that is cut short does not wait for its response. One that still comes is discarded.
    work.then(
      (late) => discard(late.body),
      () => {},
    );
    throw thrown;
  }
  // Some fetches give this in place of a rejection: the request was sent, and there is no response.
  if (response.type === 'error') throw new TypeError('fetch gave a network error as its response');
  if (typeof response.headers?.get !== 'function') throw new TypeError('fetch gave a response without headers');

  const success = response.status >= 200 && response.status < 300;
  if (success && response.body !== null && typeof response.body?.getReader !== 'function') {
    throw new TypeError('fetch gave a response whose body is no web stream: it must give a Response');
  }
  const head = {
    status: response.status,
    headers: response.headers,
    redirected: response.redirected === true,
    receivedAt: attempt.runtime.monotonic(),
    requestId: requestIdOf(response.headers, attempt.hide),
    hide: attempt.hide,
  };
  const seen: Uint8Array[] = [];
  let cut = false;
  try {
    cut = await attempt.race(readBody(response, success ? BODY_MAX : ERROR_BODY_MAX, attempt.signal, seen));
  } catch (thrown) {
    // Aborted by the caller, or a success of which only a part came in time.
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

/** Returns the request id of a response, or null. The interface does not name the header. */
function requestIdOf(headers: Headers, hide: Hide): string | null {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name) ?? ''; // a fake may have its headers in a Map, which gives undefined
    if (/^[\x20-\x7e]+$/.test(value)) return beginningWithoutSecrets(hide, value, REQUEST_ID_MAX);
  }
  return null;
}

/**
 * Reads a body up to a limit of decoded bytes, so that a small compressed response cannot fill the memory. Resolves to true
 * when the body was longer.
 *
 * @param seen Receives each chunk, also of a body that breaks.
 * @throws The platform's error when the body breaks.
 */
async function readBody(response: Response, cap: number, signal: AbortSignal, seen: Uint8Array[]): Promise<boolean> {
  if (response.body === null) return false;
  const reader = response.body.getReader();
  // A fetch that ignores its signal would otherwise send to a reader that no code waits for.
  signal.addEventListener('abort', () => discard(reader), { once: true });
  if (signal.aborted) discard(reader); // ended after the headers came
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
 * The time, the signal and the key of one attempt. The signal fires at the attempt's time limit, at the call's deadline
 * or when the caller aborts. {@link Attempt.end} leaves no timer and no listener behind.
 */
export class Attempt {
  readonly runtime: Runtime;
  readonly #controller = new AbortController();
  readonly #interrupted: Promise<never>;
  /** Removes the timer and the listener. */
  readonly end: () => void;
  /** Why the attempt was cut short. */
  interruption: 'timeout' | 'deadline' | 'aborted' | null = null;
  /** True as soon as the request is passed to fetch. */
  sent = false;
  key = '';
  hide: Hide;

  constructor(runtime: Runtime, hide: Hide, timeout: number, timeLeft: number, callerSignal: AbortSignal | null) {
    this.runtime = runtime;
    this.hide = hide;
    let reject: (reason: unknown) => void = () => {};
    this.#interrupted = new Promise((_, rejectPromise) => {
      reject = rejectPromise;
    });
    this.#interrupted.catch(() => {}); // no code waits for it when the attempt is not interrupted
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

  /** Returns the result of the work. Rejects at once when the attempt is interrupted, because work may ignore its signal. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#interrupted]);
  }
}
