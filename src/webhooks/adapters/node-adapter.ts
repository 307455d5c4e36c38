import { BodyChunks, bodyGone, type Framework, type RawBody, tooLarge } from '../body.ts';
import { utf8 } from '../crypto.ts';
import type { WebhookReply } from '../handle/reasons.ts';
import type { HeadersInput } from '../verify/headers.ts';
import { type HandlerSource, handleOf } from './lazy-handler.ts';

/** The handler for Node's HTTP server and the frameworks based on it. */
export interface NodeHandler {
  /** `http.createServer(h)`, `app.post('/webhook', h)` of Express, `h(request, response)` in a Nest controller. */
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): Promise<void>;
  /** `fastify.post('/webhook', h)`. */
  (request: FastifyRequestLike, reply: FastifyReplyLike): Promise<void>;
  /** `router.post('/webhook', h)` of Koa. */
  (context: KoaContextLike, next: () => Promise<unknown>): Promise<void>;
}

/**
 * The handler as a function of Node's request and response. It reads the body, up to the size limit, or takes the
 * bytes that a framework kept (`express.raw()`, Nest's `rawBody`). A parsed body is answered 400
 * (`body_already_parsed`), and one that something else has read 500 (`setup`). The report names the line to change.
 * The returned function never rejects with an error of this package.
 *
 * @param handler The handler, or a function that makes it at the first request.
 * @example
 * app.post('/webhook', toNodeHandler(createWebhookHandler({ secret, store, onPaid, onAdjusted, onCanceled }))); // Express
 */
export function toNodeHandler(handler: HandlerSource): NodeHandler {
  const handle = handleOf(handler, 'toNodeHandler');
  return async (
    first: NodeRequest | FastifyRequestLike | KoaContextLike,
    second: unknown,
    next?: unknown,
  ): Promise<void> => {
    try {
      const { request, response, kept, framework } = parseArguments(first, second);
      const reply = await handle({
        method: request.method ?? '',
        headers: headersOf(request),
        body: (limit, signal) => nodeBody(request, kept, framework, limit, signal),
      });
      sendReply(request, response, reply);
    } catch (error) {
      // An object of the framework threw. The handler itself never rejects.
      if (typeof next !== 'function') throw error;
      next(error);
    }
  };
}

// The parts of Node's request that the adapter uses, typed by hand. The declarations of this package must not need
// Node's types, and the request of a framework must fit.

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
        readonly closed?: boolean | undefined;
        close?(code: number): unknown;
      }
    | undefined;
  on(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array | string) => void): unknown;
  resume(): unknown;
  pause?(): unknown;
  destroy?(): unknown;
}

/** The part of `http.ServerResponse`, or of the response of a framework, that the adapter uses. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed?: boolean | undefined;
  setHeader(name: string, value: string): unknown;
  end(body: string, done?: () => void): unknown;
}

/** Fastify's request: `raw` is Node's request, `body` the result of a parser. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
  readonly body?: unknown;
}

/** Fastify's reply: `hijack` tells Fastify that the response is written to `raw`. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** Koa's context. `respond = false` tells Koa that the response is written to `res`. */
export interface KoaContextLike {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
  respond?: boolean | undefined;
  /** Where body parsers leave `body` and `rawBody`. The declarations of Koa have neither. */
  readonly request?: object | undefined;
}

/** The arguments of the adapter, in one form for all frameworks. */
interface NodeArguments {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly kept: KeptBody;
  readonly framework: Framework;
}

/** Distinguishes the frameworks by their arguments: (req, res), Fastify's (request, reply) or Koa's (ctx, next). */
function parseArguments(first: NodeRequest | FastifyRequestLike | KoaContextLike, second: unknown): NodeArguments {
  if ('req' in first && 'res' in first && typeof second !== 'object') {
    first.respond = false;
    const parsed = first.request ?? {};
    const body = 'body' in parsed ? parsed.body : undefined;
    const rawBody = 'rawBody' in parsed ? parsed.rawBody : undefined;
    return { request: first.req, response: first.res, kept: { body, rawBody }, framework: 'koa' };
  }
  if ('raw' in first) {
    const reply = second as FastifyReplyLike; // Fastify always passes the two together
    reply.hijack();
    // `rawBody` is where the plugin fastify-raw-body leaves the bytes.
    const rawBody = 'rawBody' in first ? first.rawBody : undefined;
    return { request: first.raw, response: reply.raw, kept: { body: first.body, rawBody }, framework: 'fastify' };
  }
  const request = first as NodeRequest; // the rest of the union
  const framework = 'app' in first && 'originalUrl' in first ? 'express' : null;
  return {
    request,
    response: second as NodeResponse, // as the call signature says
    kept: { body: request.body, rawBody: request.rawBody },
    framework,
  };
}

/** Returns `rawHeaders`, which shows repeated headers. Some serverless bridges leave it empty: then `headers`. */
function headersOf(request: NodeRequest): HeadersInput {
  const { rawHeaders } = request;
  return rawHeaders !== undefined && rawHeaders.length > 0 ? rawHeaders : request.headers;
}

const NO_ERROR = 0;

function sendReply(request: NodeRequest, response: NodeResponse, reply: WebhookReply): void {
  // Aborted, or another response was sent. Older Nodes do not mark the response of a stream that was lost.
  const isLost = response.destroyed === true || request.stream?.closed === true;
  if (response.headersSent || response.writableEnded || isLost) return;
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (request.complete !== false || reply.body !== 'time_limit') {
    response.end(reply.body);
    if (request.complete === false) discardRest(request);
    return;
  }
  // The body did not arrive in time. The response ends the connection, or in HTTP/2 the stream: otherwise Node would
  // wait for the rest.
  if (request.httpVersionMajor === 1) response.setHeader('Connection', 'close');
  response.end(reply.body, () => {
    if (request.stream?.close === undefined) request.destroy?.();
    else request.stream.close(NO_ERROR);
  });
}

/** 1 MiB. A service that sends a body over the limit has sent all of it by then, and reads the response. */
const MAX_DISCARDED = 1_048_576;

/**
 * Reads the rest of the body and drops it, so that the sender reads the response. Closes the connection if the rest is
 * too large.
 */
function discardRest(request: NodeRequest): void {
  let left = MAX_DISCARDED;
  request.on('data', (chunk) => {
    left -= chunk.length;
    if (left >= 0) return;
    if (request.stream?.close === undefined) request.destroy?.();
    else request.stream.close(NO_ERROR);
  });
  request.resume();
}

/** The body as a framework left it, the most reliable form first. */
interface KeptBody {
  readonly rawBody: unknown;
  readonly body: unknown;
}

/** The raw body: the bytes that the framework kept, or those of the stream. Throws a setup error if neither exists. */
async function nodeBody(
  request: NodeRequest,
  kept: KeptBody,
  framework: Framework,
  limit: number,
  signal: AbortSignal,
): Promise<RawBody | null> {
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
  // Bridges and mocks that are no real streams lack the member, and have the data in `body`.
  if (request.readableDidRead === undefined) return kept.body === undefined && kept.rawBody === undefined;
  return !request.readableDidRead;
}

function readStream(request: NodeRequest, limit: number, signal: AbortSignal): Promise<Uint8Array | null> {
  const declared = request.headers['content-length'];
  if (typeof declared === 'string' && Number(declared) > limit) {
    return Promise.reject(tooLarge(limit));
  }
  if (isCutShort(request) || (request.destroyed === true && request.complete !== true)) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const body = new BodyChunks(limit);
    const end = (settle: () => void): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onBroken);
      request.off('aborted', onBroken);
      signal.removeEventListener('abort', onTimeLimit);
      settle();
    };
    const onData = (chunk: Uint8Array | string): void => {
      try {
        body.add(typeof chunk === 'string' ? utf8(chunk) : chunk); // text after req.setEncoding
      } catch (error) {
        end(() => reject(error));
        request.pause?.();
      }
    };
    // HTTP/2 ends the stream of a request that was reset.
    const onEnd = (): void => end(() => resolve(isCutShort(request) ? null : body.take()));
    const onBroken = (): void => end(() => resolve(null));
    const onTimeLimit = (): void => {
      end(() => resolve(null)); // the handler has sent its response
      request.pause?.();
    };
    request.on('end', onEnd);
    request.on('close', onBroken);
    request.on('aborted', onBroken);
    request.on('error', onBroken); // not removed: an error event without a listener ends the process
    signal.addEventListener('abort', onTimeLimit);
    request.on('data', onData);
  });
}

/** True for a request that the sender ended before its body was complete. */
function isCutShort({ aborted, stream }: NodeRequest): boolean {
  return aborted === true || stream?.aborted === true || (stream?.rstCode ?? 0) !== 0;
}
