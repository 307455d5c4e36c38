import { ReadingStopped } from '../handle/reading-stopped.ts';
import { utf8 } from '../verify/hmac.ts';
import { type RawBody, tooLarge } from '../verify/raw-body.ts';
import { GrowingBody } from './growing-body.ts';
import { bodyGone, type Framework } from './setup-advice.ts';

// The parts of Node's request that the adapter uses, typed by hand. The declarations of this package must not need Node's
// types, and the request of a framework must fit.

/** The part of `http.IncomingMessage` that the adapter uses. The requests of Express and Nest extend it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values alternately. Shows repeated headers, which `headers` drops or joins. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** The body as a parser of a framework left it. */
  readonly body?: unknown;
  /** The bytes, which Nest and other frameworks keep on request. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  readonly complete?: boolean | undefined;
  readonly aborted?: boolean | undefined;
  readonly httpVersionMajor?: number | undefined;
  /** HTTP/2: the stream, and the code with which it was reset. 0 or undefined if it was not reset. */
  readonly stream?:
    | {
        readonly aborted?: boolean | undefined;
        readonly rstCode?: number | undefined;
        close?(code: number): unknown;
      }
    | undefined;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause?(): unknown;
  destroy?(): unknown;
}

/** The body as a framework left it, the most reliable form first. */
export interface KeptBody {
  readonly rawBody: unknown;
  readonly body: unknown;
}

/** Returns the raw body: the bytes that the framework kept, or those of the stream. Throws a setup error if neither exists. */
export async function nodeBody(
  request: NodeRequest,
  kept: KeptBody,
  framework: Framework,
  limit: number,
  signal: AbortSignal,
): Promise<RawBody> {
  for (const value of [kept.rawBody, kept.body]) {
    if (ArrayBuffer.isView(value)) return value;
  }
  // Before the parsed body: Express sets `{}` on requests whose body no parser has read.
  if (isUnread(request, kept)) return await readStream(request, limit, signal);
  for (const value of [kept.rawBody, kept.body]) {
    if (typeof value === 'string') return value; // from a text parser: the signature shows whether it is the exact text
  }
  throw bodyGone(kept.body === undefined || kept.body === null ? 'consumed' : 'parsed', framework);
}

function isUnread(request: NodeRequest, kept: KeptBody): boolean {
  // Bridges and mocks that are not real streams do not know. They have their data in `body`.
  if (request.readableDidRead === undefined) return kept.body === undefined && kept.rawBody === undefined;
  return !request.readableDidRead;
}

function readStream(request: NodeRequest, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const declared = declaredLength(request);
  if (declared !== null && declared > limit) {
    request.resume(); // discards the body, so that the sender reads the answer
    return Promise.reject(tooLarge(limit));
  }
  if (isCutShort(request) || (request.destroyed === true && request.complete !== true)) {
    return Promise.reject(new ReadingStopped('aborted'));
  }
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(limit, declared);
    const onData = (chunk: Uint8Array | string): void => {
      try {
        body.add(typeof chunk === 'string' ? utf8(chunk) : chunk); // text after req.setEncoding
      } catch (error) {
        fail(error);
        request.resume();
      }
    };
    const onEnd = (): void => {
      settle();
      if (isCutShort(request))
        fail(new ReadingStopped('aborted')); // HTTP/2 ends the stream of a request that was reset
      else resolve(body.take());
    };
    const onBroken = (): void => fail(new ReadingStopped('aborted'));
    const onTimeLimit = (): void => {
      fail(new ReadingStopped('time_limit'));
      request.pause?.();
    };
    const fail = (error: unknown): void => {
      settle();
      body.drop();
      reject(error);
    };
    const settle = (): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onBroken);
      request.off('aborted', onBroken);
      signal.removeEventListener('abort', onTimeLimit);
    };
    request.on('end', onEnd);
    request.on('close', onBroken);
    request.on('aborted', onBroken);
    request.on('error', onBroken); // not removed: an error event without a listener ends the process
    signal.addEventListener('abort', onTimeLimit);
    request.on('data', onData);
  });
}

function declaredLength({ headers }: NodeRequest): number | null {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** How long to wait for a reset after the body of an HTTP/2 request that does not match its signature, in milliseconds. */
const RESET_WAIT = 100;

/**
 * Whether the sender has reset its stream. HTTP/2 can end the body and reset the stream in two frames. Until the second
 * frame arrives, an incomplete body looks complete.
 */
export function wasReset(request: NodeRequest): Promise<boolean> {
  if (request.stream?.rstCode === undefined || isCutShort(request)) return Promise.resolve(isCutShort(request));
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      request.off('aborted', settle);
      resolve(isCutShort(request));
    };
    const timer = setTimeout(settle, RESET_WAIT);
    request.on('aborted', settle);
  });
}

function isCutShort({ aborted, stream }: NodeRequest): boolean {
  return aborted === true || stream?.aborted === true || (stream?.rstCode ?? 0) !== 0;
}
