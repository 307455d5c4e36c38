import { ConfigurationError } from '../../errors/classes.ts';
import { BodyChunks, bodyGone } from '../body.ts';
import { type HandlerSource, handleOf } from './lazy-handler.ts';

/**
 * Returns the handler as a function from Request to Response, for Next route handlers, Hono (`c.req.raw`), Bun, Deno and
 * workers. Nothing may have read the request before: otherwise it is answered 500 and reported as `setup`.
 * The returned function never rejects.
 *
 * @param handler The handler, or a function that makes it at the first request. Give a function where a build evaluates the
 *   module without secrets, as Next does.
 * @example
 * export const POST = toFetchHandler(() => createWebhookHandler({ secret, store, onPaid, onAdjusted, onCanceled }));
 */
export function toFetchHandler(handler: HandlerSource): (request: Request) => Promise<Response> {
  const handle = handleOf(handler, 'toFetchHandler');
  return async (request, ...others: unknown[]) => {
    const reply = await handle({
      method: request.method,
      headers: request.headers,
      body: (limit, signal) => readRequest(request, limit, signal),
    });
    const [response] = others;
    if (isNodeResponse(response)) {
      // The caller is a route of Express, which waits for the response on its own object.
      response.statusCode = reply.status;
      response.end(reply.body);
    }
    return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
  };
}

function isNodeResponse(value: unknown): value is { statusCode: number; end(body: string): unknown } {
  return typeof value === 'object' && value !== null && 'statusCode' in value && 'end' in value;
}

async function readRequest(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array | null> {
  if (typeof request.arrayBuffer !== 'function') {
    throw new ConfigurationError(
      "The request is not a Request of fetch. Express, Fastify, Koa, Nest and node:http: change the line to app.post('/webhook', toNodeHandler(handler)).",
    );
  }
  const stream = request.body;
  if (request.bodyUsed || stream?.locked === true) throw bodyGone('consumed', 'fetch');
  if (stream === null) return new Uint8Array();
  if (stream === undefined) return new Uint8Array(await request.arrayBuffer()); // a polyfill without streams
  const reader = stream.getReader();
  const body = new BodyChunks(limit);
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel); // the handler has answered by then
  for (;;) {
    const read = await reader.read().catch(() => null);
    if (read === null) return null;
    if (read.done) return body.take();
    try {
      body.add(read.value);
    } catch (error) {
      cancel();
      throw error;
    }
  }
}
