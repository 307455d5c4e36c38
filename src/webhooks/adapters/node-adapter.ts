import type { WebhookReply } from '../handle/verdict.ts';
import type { WebhookHandler } from '../handler.ts';
import type { HeadersInput } from '../verify/headers.ts';
import { type KeptBody, type NodeRequest, nodeBody, wasReset } from './node-body.ts';
import type { Framework } from './setup-advice.ts';

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
 * Returns the handler as a function of Node's request and response. It reads the body, up to the size limit, or takes the
 * bytes that a framework kept (`express.raw()`, Nest's `rawBody`). A parsed body is answered 400
 * (`body_already_parsed`), and one that something else has read 500 (`setup`). The report names the line to change.
 * The returned function never rejects with an error of this package.
 *
 * @example
 * app.post('/webhook', toNodeHandler(createWebhookHandler({ secret, store, onPaid, onCanceled }))); // Express
 */
export function toNodeHandler(handler: WebhookHandler): NodeHandler {
  return async (
    first: NodeRequest | FastifyRequestLike | KoaContextLike,
    second: unknown,
    next?: unknown,
  ): Promise<void> => {
    try {
      const { request, response, kept, framework } = parseArguments(first, second);
      const reply = await handler.handle({
        method: request.method ?? '',
        headers: headersOf(request),
        body: (limit, signal) => nodeBody(request, kept, framework, limit, signal),
        wasReset: () => wasReset(request),
      });
      sendReply(request, response, reply);
    } catch (error) {
      // Thrown by an object of the framework: the handler never rejects.
      if (typeof next !== 'function') throw error;
      next(error);
    }
  };
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

/** Fastify's reply: `hijack` tells Fastify that the answer is written to `raw`. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

/** Koa's context. `respond = false` tells Koa that the answer is written to `res`. */
export interface KoaContextLike {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
  respond?: boolean | undefined;
  /** Where body parsers leave `body` and `rawBody`. The declarations of Koa have neither. */
  readonly request?: object | undefined;
}

/** A call of the adapter by any framework. */
interface NodeCall {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly kept: KeptBody;
  readonly framework: Framework;
}

/** Distinguishes the frameworks by their arguments: (req, res), Fastify's (request, reply) or Koa's (ctx, next). */
function parseArguments(first: NodeRequest | FastifyRequestLike | KoaContextLike, second: unknown): NodeCall {
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

/** Real requests have repeated headers in `rawHeaders`. Some serverless bridges leave it empty. */
function headersOf(request: NodeRequest): HeadersInput {
  const { rawHeaders } = request;
  return rawHeaders !== undefined && rawHeaders.length > 0 ? rawHeaders : request.headers;
}

const NO_ERROR = 0;

function sendReply(request: NodeRequest, response: NodeResponse, reply: WebhookReply): void {
  if (response.headersSent || response.writableEnded || response.destroyed === true) return; // aborted, or answered
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (reply.body !== 'time_limit' || request.complete !== false) {
    response.end(reply.body);
    return;
  }
  // The body did not arrive in time. The answer ends the connection, or in HTTP/2 the stream: otherwise Node would wait
  // for the rest.
  if (request.httpVersionMajor === 1) response.setHeader('Connection', 'close');
  response.end(reply.body, () => {
    if (request.stream?.close === undefined) request.destroy?.();
    else request.stream.close(NO_ERROR);
  });
}
