// http/ turns a Request into a Response: the service below /api/, the pages elsewhere. The server puts the same
// function on a port.
import { failure, MAX_BODY, type UnsentResponse } from '../service/respond.ts';
import { type IncomingRequest, type Served, serve } from '../service/service.ts';
import { copyOfStart, type RequestEntry } from '../state/log.ts';
import type { World } from '../world.ts';

/** Answers one request. Rejects as the fetch of the platform does where the connection breaks. */
export type Front = (request: Request) => Promise<Response>;

const KEPT_BODY = 4_000;

/** The header on every response of a sandbox. */
const MARK = { 'X-Sandbox': 'no real money' };

/** The path of the stream of events, for the dashboard. */
const EVENT_STREAM = '/_/events';

/** Makes the function that answers all requests, from a port or from `fetch`. */
export function createFront(world: World, pages: (incoming: IncomingRequest) => Promise<UnsentResponse>): Front {
  return async (request) => {
    const { method, headers, signal } = request;
    const url = addressOf(request, world);
    signal.throwIfAborted();
    if (world.life.signal.aborted) throw connectionError('ECONNREFUSED', 'the sandbox is closed');
    if (method === 'GET' && url.pathname === EVENT_STREAM) return eventStream(world);
    const bytes = await request.arrayBuffer();
    const incoming: IncomingRequest = { method, url, headers, body: new TextDecoder().decode(bytes) };
    world.clock.runDue();
    world.requestCount += 1;
    const id = `req_${world.requestCount}`;
    const isService = url.pathname.startsWith('/api/');
    const unserved = (response: UnsentResponse): Served => ({ operation: null, response, fault: null });
    const answer = async (): Promise<Served> => {
      if (bytes.byteLength > MAX_BODY) {
        return unserved(failure(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY} bytes.`));
      }
      return isService ? serve(world, incoming) : unserved(await pages(incoming));
    };
    const begun = world.settings.wallClock();
    // A page in use does not keep settle({ quiet }) waiting. A hang does not either: its work is done.
    const served = isService ? await counted(world, answer) : await answer();
    // A request with a key to a wrong path is logged too, so that its sender can find the mistake.
    if (isService || headers.has('x-api-key')) {
      world.log.add(entryOf(id, incoming, served, world.settings.wallClock() - begun));
    }
    return sent(world, id, served, signal);
  };
}

/** The address of a request below the base address of the sandbox. */
function addressOf(request: Request, world: World): URL {
  const url = new URL(request.url);
  const prefix = new URL(world.url).pathname.replace(/\/$/, '');
  // A proxy may have removed the path already, and the path may itself be /api or /pay.
  const isBelow = /^\/(?:api\/v1\/external|pay)\//.test(url.pathname.slice(prefix.length));
  if (url.pathname.startsWith(prefix) && isBelow) url.pathname = url.pathname.slice(prefix.length);
  return url;
}

/** Does work that `settle({ quiet })` waits for. */
async function counted<Result>(world: World, work: () => Promise<Result>): Promise<Result> {
  world.answering += 1;
  world.activity += 1;
  try {
    return await work();
  } finally {
    world.answering -= 1;
    world.activity += 1;
  }
}

function entryOf(id: string, incoming: IncomingRequest, served: Served, duration_ms: number): Omit<RequestEntry, 'at'> {
  const { method, url, headers, body } = incoming;
  const { operation, response, fault } = served;
  return {
    kind: 'request',
    id,
    method,
    path: url.pathname,
    query: url.search,
    operation,
    status: response?.status ?? null,
    duration_ms,
    code: response?.code ?? null,
    why: response?.why ?? null,
    fault: fault?.type ?? null,
    headers: keptHeaders(headers),
    request_body: copyOfStart(body, KEPT_BODY),
    response_body: copyOfStart(response?.body ?? '', KEPT_BODY),
  };
}

/** Sends what the service or a page answers, or breaks the connection as its fault says. */
async function sent(world: World, id: string, { response, fault }: Served, signal: AbortSignal): Promise<Response> {
  if (response === null && fault?.type === 'hang') await untilAborted([signal, world.life.signal]);
  signal.throwIfAborted(); // the work is done, but the caller no longer waits
  if (response === null) throw connectionError('UND_ERR_SOCKET', 'other side closed');
  // The time of the sandbox clock, as in created_at. A client compares the two.
  const date = new Date(world.clock.now()).toUTCString();
  const marked = { ...response, headers: { ...response.headers, Date: date, 'X-Request-Id': id } };
  const bodyFault = fault?.type === 'truncated' || fault?.type === 'slow' ? fault : null;
  return bodyFault === null ? responseOf(marked) : responseOf(marked, spoiltBody(world, marked, bodyFault, signal));
}

/** A response as a Response, with its own body or another stream in its place. */
export function responseOf({ status, headers, body }: UnsentResponse, stream?: ReadableStream<Uint8Array>): Response {
  const bytes = new TextEncoder().encode(body);
  const length: Readonly<Record<string, string>> = status === 204 ? {} : { 'Content-Length': String(bytes.byteLength) };
  return new Response(status === 204 ? null : (stream ?? bytes), {
    status,
    headers: { ...headers, ...length, ...MARK },
  });
}

/** The body in pieces, with a pause before each, or the first half of it before the connection breaks. */
function spoiltBody(
  world: World,
  { body }: UnsentResponse,
  fault: NonNullable<Served['fault']> & { readonly type: 'truncated' | 'slow' },
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  const isCutOff = fault.type === 'truncated';
  const size = Math.max(1, Math.ceil(bytes.length / (isCutOff ? 2 : 4)));
  let sent = 0;
  return new ReadableStream({
    start(controller) {
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    async pull(controller) {
      if (!isCutOff) await world.settings.sleep(fault.delay ?? 100, signal);
      if (signal.aborted) return;
      if (isCutOff && sent > 0) controller.error(connectionError('UND_ERR_SOCKET', 'other side closed', 'terminated'));
      else if (sent >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(sent, sent + size));
      sent += size;
    },
  });
}

function keptHeaders(headers: Headers): Record<string, string> {
  const kept = [...headers].filter(([name]) => name !== 'x-api-key').slice(0, 30);
  return Object.fromEntries(kept.map(([name, value]) => [name, copyOfStart(value, 200)]));
}

/** Bytes that may wait for one reader of the events. */
const MOST_WAITING = 1024 * 1024;
/** Readers of the events at once. Each open page is one. */
const MOST_READERS = 32;

/**
 * Sends each event of the sandbox from now on, as server-sent events whose data is the event in JSON. Ends when the
 * reader goes. A reader that does not keep up is cut off, so that it cannot fill the memory.
 */
function eventStream({ log, settings }: World): Response {
  // The option onEvent is a listener too, but not a reader.
  if (log.listeners() - (settings.onEvent === undefined ? 0 : 1) >= MOST_READERS) {
    const text = `This sandbox has ${MOST_READERS} readers of its events already.`;
    return responseOf({ status: 503, headers: { 'Content-Type': 'text/plain' }, body: text });
  }
  const encoder = new TextEncoder();
  let stop = (): void => undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(': the events of this sandbox\n\n'));
        stop = log.subscribe((event) => {
          const text = encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(text);
          stop();
          controller.error(new Error('The reader is too slow'));
        });
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  );
  return new Response(stream, {
    headers: { ...MARK, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}

function untilAborted(signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    }
  });
}

/** The error that Node's fetch rejects with when a connection fails. */
function connectionError(code: string, message: string, outer = 'fetch failed'): TypeError {
  return new TypeError(outer, { cause: Object.assign(new Error(message), { code }) });
}
