import { bodyGone, type Framework } from '../handle/setup-advice.ts';
import { type RawBody, tooLarge } from '../verify/raw-body.ts';
import { encoder } from '../verify/utf8.ts';
import { GrowingBody } from './growing-body.ts';
import type { NodeRequest } from './node-types.ts';
import { ReadingStopped, RequestAborted } from './request-aborted.ts';

/** What a framework left of the body, most trustworthy first. */
export interface LeftOver {
  readonly rawBody: unknown;
  readonly body: unknown;
}

/** The raw body: bytes that the framework kept, else read from the stream, else a setup error that names the cure. */
export async function nodeBody(
  request: NodeRequest,
  left: LeftOver,
  framework: Framework,
  limit: number,
  signal: AbortSignal,
): Promise<RawBody> {
  for (const kept of [left.rawBody, left.body]) {
    if (ArrayBuffer.isView(kept)) return kept;
  }
  // Before the parsed body: Express sets `{}` on requests whose body no parser has touched.
  if (isUnread(request, left)) return await readStream(request, limit, signal);
  for (const kept of [left.rawBody, left.body]) {
    if (typeof kept === 'string') return kept; // a text parser; the signature says whether it is the exact text
  }
  throw bodyGone(left.body === undefined || left.body === null ? 'consumed' : 'parsed', framework);
}

function isUnread(request: NodeRequest, left: LeftOver): boolean {
  // Bridges and mocks that are no real stream do not know; what they have is in `body`.
  if (request.readableDidRead === undefined) return left.body === undefined && left.rawBody === undefined;
  return !request.readableDidRead;
}

function readStream(request: NodeRequest, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const declared = declaredLength(request);
  if (declared !== null && declared > limit) {
    request.resume(); // what is sent is thrown away, so that the sender gets to read the answer
    return Promise.reject(tooLarge(limit));
  }
  if (isCutShort(request) || (request.destroyed === true && request.complete !== true)) {
    return Promise.reject(new RequestAborted());
  }
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(limit, declared);
    const onData = (chunk: Uint8Array | string): void => {
      try {
        body.add(typeof chunk === 'string' ? encoder.encode(chunk) : chunk); // text after req.setEncoding
      } catch (error) {
        fail(error);
        request.resume();
      }
    };
    const onEnd = (): void => {
      settle();
      if (isCutShort(request))
        fail(new RequestAborted()); // HTTP/2 ends the stream of a request that was reset
      else resolve(body.take());
    };
    const onBroken = (): void => fail(new RequestAborted());
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
    request.on('error', onBroken); // stays: an error event without a listener would end the process
    signal.addEventListener('abort', onTimeLimit);
    request.on('data', onData);
  });
}

function declaredLength({ headers }: NodeRequest): number | null {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** As long as this a reset is waited for, where the body of an HTTP/2 request ended and is not what was signed. */
const RESET_WAIT = 100;

/**
 * Whether the sender has reset its stream. HTTP/2 can end the body and reset the stream in two frames, so that a part of
 * a body looks like a whole one until the second has come.
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
