import type { WebhookHandler } from './handler-options.ts';
import { joined } from './joined-chunks.ts';
import { tooLarge } from './raw-body.ts';
import { RequestAborted } from './request-aborted.ts';
import { bodyGone } from './setup-advice.ts';

/**
 * The handler as a function from Request to Response: Next route handlers, Hono (`c.req.raw`), Bun, Deno, workers.
 * The request must be untouched: one whose body was read is answered 500, and reported as `setup`.
 */
export function toFetchHandler(handler: WebhookHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const reply = await handler.handle({
      method: request.method,
      headers: request.headers,
      body: (limit) => readRequest(request, limit),
    });
    return new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
  };
}

async function readRequest(request: Request, limit: number): Promise<Uint8Array> {
  if (request.bodyUsed) throw bodyGone('consumed', 'fetch');
  const stream = request.body;
  if (stream === null) return new Uint8Array();
  if (stream === undefined) return new Uint8Array(await request.arrayBuffer()); // a polyfill without streams
  if (stream.locked) throw bodyGone('consumed', 'fetch');
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new RequestAborted();
    });
    if (done) return joined(chunks, size);
    size += value.byteLength;
    if (size > limit) {
      reader.cancel().catch(() => {});
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
}
