import { BodyChunks, bodyGone } from '../body.ts';
import type { WebhookHandler } from '../handler.ts';

/**
 * Returns the handler as a function from Request to Response, for Next route handlers, Hono (`c.req.raw`), Bun, Deno and
 * workers. Nothing may have read the request before: otherwise it is answered 500 and reported as `setup`.
 * The returned function never rejects.
 *
 * @example
 * export const POST = toFetchHandler(createWebhookHandler({ secret, store, onPaid, onCanceled }));
 */
export function toFetchHandler(handler: WebhookHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const reply = await handler.handle({
      method: request.method,
      headers: request.headers,
      body: (limit, signal) => readRequest(request, limit, signal),
    });
    return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
  };
}

async function readRequest(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array | null> {
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
