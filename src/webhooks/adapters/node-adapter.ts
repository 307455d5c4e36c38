import type { WebhookHandler } from '../handle/handler-options.ts';
import type { WebhookReply } from '../handle/replies.ts';
import type { HeadersInput } from '../verify/delivery-headers.ts';
import { nodeBody, wasReset } from './node-body.ts';
import { nodeCall } from './node-call.ts';
import type { FastifyReplyLike, FastifyRequestLike, KoaContextLike, NodeRequest, NodeResponse } from './node-types.ts';

/** The handler for Node's HTTP server and the frameworks on it. */
export interface NodeHandler {
  /** `http.createServer(h)`, `app.post('/webhook', h)` of Express, `h(request, response)` in a Nest controller. */
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): Promise<void>;
  /** `fastify.post('/webhook', h)`. */
  (request: FastifyRequestLike, reply: FastifyReplyLike): Promise<void>;
  /** `router.post('/webhook', h)` of Koa. */
  (context: KoaContextLike, next: () => Promise<unknown>): Promise<void>;
}

/**
 * The handler as a function of Node's request and response. It reads the body itself, up to the size limit; bytes that
 * a framework kept (`express.raw()`, Nest's `rawBody`) are taken. A parsed body is answered 400
 * (`body_already_parsed`), one that was read before and is gone 500 (`setup`); the report names the line to change.
 */
export function toNodeHandler(handler: WebhookHandler): NodeHandler {
  return async (
    first: NodeRequest | FastifyRequestLike | KoaContextLike,
    second: unknown,
    next?: unknown,
  ): Promise<void> => {
    try {
      const { request, response, left, framework } = nodeCall(first, second);
      const reply = await handler.handle({
        method: request.method ?? '',
        headers: allHeaders(request),
        body: (limit, signal) => nodeBody(request, left, framework, limit, signal),
        wasReset: () => wasReset(request),
      });
      answer(request, response, reply);
    } catch (error) {
      // Only what the framework's own objects throw: the handler itself never rejects.
      if (typeof next !== 'function') throw error;
      next(error);
    }
  };
}

/** Real requests show repeated headers in `rawHeaders`; some serverless bridges leave it empty. */
function allHeaders(request: NodeRequest): HeadersInput {
  const { rawHeaders } = request;
  return rawHeaders !== undefined && rawHeaders.length > 0 ? rawHeaders : request.headers;
}

const NO_ERROR = 0;

function answer(request: NodeRequest, response: NodeResponse, reply: WebhookReply): void {
  if (response.headersSent || response.writableEnded || response.destroyed === true) return; // aborted, or answered
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (reply.body !== 'time_limit' || request.complete !== false) {
    response.end(reply.body);
    return;
  }
  // The body did not arrive in time. The connection, or in HTTP/2 the stream, goes with the answer: else the rest would
  // be waited for.
  if (request.httpVersionMajor === 1) response.setHeader('Connection', 'close');
  response.end(reply.body, () => {
    if (request.stream?.close === undefined) request.destroy?.();
    else request.stream.close(NO_ERROR);
  });
}
