import { ConfigurationError } from '../../errors/classes.ts';
import { warnOnce } from '../../errors/notify.ts';
import { BodyChunks, bodyGone, type Framework, type RawBody, tooLarge } from '../body.ts';
import { utf8 } from '../crypto.ts';
import { memberOf, type NodeResponse, takeNodeResponse } from '../framework.ts';
import type { WebhookReply } from '../handle/reply.ts';
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
 * (`body_already_parsed`), and one that something else has read 500 (`setup`). The report names the line to change. If
 * something else has answered, the event is handled, and the console says once that the reply was not sent.
 *
 * The returned function rejects only if it is not given a request and a response of Node, such as the Request of fetch.
 *
 * @param handler The handler, or a function that makes it at the first request.
 * @example
 * app.post('/webhook', toNodeHandler(createWebhookHandler({ secret, store, onPaid, onAdjusted, onCanceled }))); // Express
 */
export function toNodeHandler(handler: HandlerSource): NodeHandler {
  const handle = handleOf(handler, 'toNodeHandler');
  return async (first: unknown, second: unknown, next?: unknown): Promise<void> => {
    try {
      const { request, response, kept, framework } = parseArguments(first, second);
      const reply = await handle({
        method: request.method ?? '',
        headers: headersOf(request),
        body: (limit, signal) => nodeBody(request, kept, framework, limit, signal),
      });
      if (response.headersSent || response.writableEnded) warnOfOtherAnswer(response, reply);
      else sendReply(request, response, reply);
    } catch (error) {
      // The arguments are not of Node, or an object of the framework threw. The handler itself never rejects.
      if (typeof next !== 'function') throw error;
      next(error);
    }
  };
}

function warnOfOtherAnswer({ statusCode }: NodeResponse, { status, body }: WebhookReply): void {
  warnOnce(
    'answered elsewhere',
    `webhook: something else answered a delivery with ${statusCode}, and the reply of the handler, ${status} ${body}, was not sent. After a 2xx, the service does not send the delivery again. Only the handler may answer, and the route must wait for it: app.post('/webhook', toNodeHandler(handler)), in Koa await webhook(ctx, next). This is printed once.`,
  );
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

/**
 * Finds Node's request and response in what a framework passed: (req, res), Fastify's (request, reply) or Koa's
 * (ctx, next).
 *
 * @throws ConfigurationError if they are not there
 */
function parseArguments(first: unknown, second: unknown): NodeArguments {
  const request = [memberOf(first, 'raw'), memberOf(first, 'req'), first].find(isRequest);
  const response = takeNodeResponse(first, second);
  if (request === undefined || response === undefined) {
    throw new ConfigurationError(
      'toNodeHandler got no request and response of Node. Hono, Next, SvelteKit, Bun, Deno and workers pass a Request of fetch: use toFetchHandler(handler). Otherwise pass both on: webhook(request, response).',
    );
  }
  const isOfExpress = 'app' in request && 'originalUrl' in request;
  if (request === first) return { request, response, kept: request, framework: isOfExpress ? 'express' : null };
  if (request === memberOf(first, 'raw')) return { request, response, kept: first as KeptBody, framework: 'fastify' };
  // Parsers of Koa leave the body in ctx.request: ctx.body is that of the response.
  return { request, response, kept: (first as KoaContextLike).request ?? {}, framework: 'koa' };
}

function isRequest(value: unknown): value is NodeRequest {
  const headers = memberOf(value, 'headers');
  // Those of fetch have functions.
  return typeof headers === 'object' && headers !== null && typeof memberOf(headers, 'get') !== 'function';
}

/** Returns `rawHeaders`, which shows repeated headers. Some serverless bridges leave it empty: then `headers`. */
function headersOf(request: NodeRequest): HeadersInput {
  const { rawHeaders } = request;
  return rawHeaders !== undefined && rawHeaders.length > 0 ? rawHeaders : request.headers;
}

const NO_ERROR = 0;

function sendReply(request: NodeRequest, response: NodeResponse, reply: WebhookReply): void {
  // Aborted. Older Nodes do not mark the response of a stream that was lost.
  if (response.destroyed === true || request.stream?.closed === true) return;
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

/** Where a framework left the body, the most reliable form first. */
interface KeptBody {
  readonly rawBody?: unknown;
  /** Bytes, in some set-ups of Express. Node's request in Fastify. */
  readonly raw?: unknown;
  readonly body?: unknown;
}

/** The raw body: the bytes that the framework kept, or those of the stream. Throws a setup error if neither exists. */
async function nodeBody(
  request: NodeRequest,
  kept: KeptBody,
  framework: Framework,
  limit: number,
  signal: AbortSignal,
): Promise<RawBody | null> {
  for (const value of [kept.rawBody, kept.raw, kept.body]) {
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
