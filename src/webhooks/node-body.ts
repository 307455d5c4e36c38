import { joined } from './joined-chunks.ts';
import type { NodeRequest } from './node-types.ts';
import { type RawBody, tooLarge } from './raw-body.ts';
import { RequestAborted } from './request-aborted.ts';
import { bodyGone, type Framework } from './setup-advice.ts';
import { encoder } from './utf8.ts';

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
): Promise<RawBody> {
  for (const kept of [left.rawBody, left.body]) {
    if (ArrayBuffer.isView(kept)) return kept;
  }
  // Before the parsed body: Express sets `{}` on requests whose body no parser has touched.
  if (isUnread(request, left)) return await readStream(request, limit);
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

function readStream(request: NodeRequest, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers['content-length']);
  if (declared > limit) {
    request.resume(); // what is sent is thrown away, so that the sender gets to read the answer
    return Promise.reject(tooLarge(limit));
  }
  if (request.destroyed === true && request.complete !== true) return Promise.reject(new RequestAborted());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array | string): void => {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk; // after req.setEncoding
      size += bytes.byteLength;
      if (size <= limit) {
        chunks.push(bytes);
        return;
      }
      settle();
      request.resume();
      reject(tooLarge(limit));
    };
    const onEnd = (): void => {
      settle();
      resolve(joined(chunks, size));
    };
    const onBroken = (): void => {
      settle();
      reject(new RequestAborted());
    };
    const settle = (): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onBroken);
      request.off('aborted', onBroken);
    };
    request.on('end', onEnd);
    request.on('close', onBroken);
    request.on('aborted', onBroken);
    request.on('error', onBroken); // stays: an error event without a listener would end the process
    request.on('data', onData);
  });
}
