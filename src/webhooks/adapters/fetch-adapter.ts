import { ConfigurationError } from '../../errors/classes.ts';
import { BodyChunks, bodyGone } from '../body.ts';
import { memberOf, takeNodeResponse } from '../framework.ts';
import { refuseJson } from '../handle/reply.ts';
import { type HandlerSource, handleOf } from './lazy-handler.ts';

/**
 * What a framework passes to a function of a route: a Request, or an object that has one as `request` (SvelteKit,
 * Astro, React Router, Elysia, Cloudflare Pages), `req` (h3) or `req.raw` (Hono).
 */
export type FetchInput =
  | Request
  | { readonly request: Request }
  | { readonly req: Request | { readonly raw: Request } };

/**
 * A route from Request to Response. The form with the Request comes last, because Next compares the last one with the
 * type of a route.
 */
export interface FetchHandler {
  (input: FetchInput): Promise<Response>;
  (request: Request): Promise<Response>;
}

/**
 * The handler as a function from Request to Response, for Next route handlers, SvelteKit, Astro, React Router, Hono,
 * Elysia, h3, Bun, Deno and workers. Nothing may have read the request before: otherwise it is answered 500 and
 * reported as `setup`, and so is anything without a Request. The returned function never rejects.
 *
 * @param handler The handler, or a function that makes it at the first request. Give a function where a build evaluates
 *   the module without secrets, as Next does.
 * @example
 * export const POST = toFetchHandler(() => createWebhookHandler({ secret, store, onPaid, onAdjusted, onCanceled }));
 */
export function toFetchHandler(handler: HandlerSource): FetchHandler {
  const handle = handleOf(handler, 'toFetchHandler');
  return async (input: FetchInput, ...others: unknown[]): Promise<Response> => {
    const request = requestOf(input);
    const reply = await handle({
      method: request?.method ?? 'POST',
      headers: request?.headers ?? {},
      body: async (limit, signal) => {
        if (request === null) throw notARequest(input);
        return await readRequest(request, limit, signal);
      },
    });
    const response = request === null ? takeNodeResponse(input, others[0]) : undefined;
    if (response !== undefined) {
      // The caller is a route of Express or the like, which waits for the response on its own object.
      response.statusCode = reply.status;
      response.end(reply.body);
    }
    const answer = new Response(reply.body, { status: reply.status, headers: { ...reply.headers } });
    // A route that returns it as data would send {} with 200, also for work that is not done.
    return answer.ok ? answer : Object.defineProperty(answer, 'toJSON', { value: refuseJson });
  };
}

function notARequest(input: unknown): ConfigurationError {
  return new ConfigurationError(
    typeof memberOf(input, 'then') === 'function'
      ? 'toFetchHandler got a promise: await it, such as await signedRequest(…).'
      : "toFetchHandler got no Request of fetch. Express, Fastify, Koa, Nest and node:http: change the line to app.post('/webhook', toNodeHandler(handler)). Functions of a Request: pass it on as it came.",
  );
}

/**
 * Finds the Request in what a framework passed. Members are compared, because polyfills have other classes. The input
 * itself comes first: the request of Next's edge runtime has a getter `request` that throws.
 */
function requestOf(input: unknown): Request | null {
  if (isRequest(input)) return input;
  for (const path of [['request'], ['req'], ['req', 'raw']]) {
    try {
      const found = path.reduce<unknown>(memberOf, input);
      if (isRequest(found)) return found;
    } catch {
      // A getter of a framework: the next member is read.
    }
  }
  return null;
}

function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false;
  const { method, headers, arrayBuffer } = value as Partial<Request>; // each is checked
  return typeof method === 'string' && typeof headers?.get === 'function' && typeof arrayBuffer === 'function';
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
