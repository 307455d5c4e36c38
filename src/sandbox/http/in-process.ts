import { tooLarge } from '../service/respond.ts';
import type { Exchange, Outcome } from '../service/service.ts';
import type { World } from '../world.ts';
import { handle } from './front.ts';

const SLOW_DELAY = 100;
const SLOW_PIECES = 4;

/** The sandbox as a fetch: no port, no socket; the host of the address does not matter. */
export async function fetchInProcess(
  world: World,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  if (world.life.signal.aborted) throw lost('ECONNREFUSED', 'the sandbox is closed');
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > world.settings.maxBody) {
    const { status, headers, body } = tooLarge(world.settings.maxBody);
    return new Response(body, { status, headers: { ...headers } });
  }
  const exchange: Exchange = {
    method: request.method,
    url: new URL(request.url),
    headers: request.headers,
    body: new TextDecoder().decode(bytes),
  };
  const outcome = await handle(world, exchange);
  request.signal.throwIfAborted(); // the work is done, but nobody waits for it any more
  if (outcome.answer === null) {
    if (outcome.fault?.type === 'hang') await untilAborted([request.signal, world.life.signal]);
    request.signal.throwIfAborted();
    throw lost('UND_ERR_SOCKET', 'other side closed');
  }
  return responseOf(world, outcome, outcome.answer, request.signal);
}

function responseOf(
  world: World,
  { fault }: Outcome,
  answer: NonNullable<Outcome['answer']>,
  signal: AbortSignal,
): Response {
  const { status, headers, body } = answer;
  const init = { status, headers: { ...headers } };
  if (status === 204) return new Response(null, init);
  const bytes = new TextEncoder().encode(body);
  if (fault?.type === 'truncated') {
    const half = bytes.slice(0, Math.floor(bytes.length / 2));
    return new Response(
      pieces([half], signal, () => Promise.resolve(), lost('UND_ERR_SOCKET', 'other side closed', 'terminated')),
      init,
    );
  }
  if (fault?.type === 'slow') {
    const wait = (): Promise<void> => world.settings.sleep(fault.delay ?? SLOW_DELAY, signal);
    return new Response(pieces(cut(bytes, fault.pieces ?? SLOW_PIECES), signal, wait), init);
  }
  return new Response(bytes, init);
}

/** The body in `count` pieces of about the same size. */
export function cut(bytes: Uint8Array<ArrayBuffer>, count: number): Uint8Array<ArrayBuffer>[] {
  const size = Math.max(1, Math.ceil(bytes.length / Math.max(1, count)));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.slice(at, at + size));
  return parts;
}

function pieces(
  parts: Uint8Array[],
  signal: AbortSignal,
  wait: () => Promise<void>,
  end?: Error,
): ReadableStream<Uint8Array> {
  const queue = [...parts];
  return new ReadableStream({
    start(controller) {
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    async pull(controller) {
      await wait();
      if (signal.aborted) return;
      const part = queue.shift();
      if (part !== undefined) controller.enqueue(part);
      else if (end === undefined) controller.close();
      else controller.error(end);
    },
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

/** What Node's fetch rejects with when a connection fails. */
function lost(code: string, message: string, outer = 'fetch failed'): TypeError {
  return new TypeError(outer, { cause: Object.assign(new Error(message), { code }) });
}
