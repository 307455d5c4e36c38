import type { WebhookHandler } from '../handle/handler-options.ts';
import { bodyGone } from '../handle/setup-advice.ts';
import { GrowingBody } from './growing-body.ts';
import { ReadingStopped, RequestAborted } from './request-aborted.ts';

/**
 * The handler as a function from Request to Response: Next route handlers, Hono (`c.req.raw`), Bun, Deno, workers.
 * The request must be untouched: one whose body was read is answered 500, and reported as `setup`.
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

async function readRequest(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  if (request.bodyUsed) throw bodyGone('consumed', 'fetch');
  const stream = request.body;
  if (stream === null) return new Uint8Array();
  if (stream === undefined) return new Uint8Array(await request.arrayBuffer()); // a polyfill without streams
  if (stream.locked) throw bodyGone('consumed', 'fetch');
  const reader = stream.getReader();
  const body = new GrowingBody(limit, null);
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new RequestAborted();
      });
      if (signal.aborted) throw new ReadingStopped('time_limit'); // a cancelled stream reads as one that has ended
      if (done) return body.take();
      body.add(value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    body.drop();
  }
}
