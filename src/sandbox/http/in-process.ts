import { MAX_BODY, tooLarge } from '../service/respond.ts';
import type { Exchange } from '../service/service.ts';
import type { World } from '../world.ts';
import { type BodyParts, bodyParts, type Front } from './dispatch.ts';

/** The sandbox as a fetch, without a port. The host of the address does not matter. */
export async function fetchInProcess(
  world: World,
  front: Front,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  if (world.life.signal.aborted) throw connectionError('ECONNREFUSED', 'the sandbox is closed');
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > MAX_BODY) {
    const { status, headers, body } = tooLarge();
    return new Response(body, { status, headers: { ...headers } });
  }
  const exchange: Exchange = {
    method: request.method,
    url: new URL(request.url),
    headers: request.headers,
    body: new TextDecoder().decode(bytes),
  };
  const { answer, fault } = await front(exchange);
  request.signal.throwIfAborted(); // the work is done, but the caller no longer waits
  if (answer === null) {
    if (fault?.type === 'hang') await untilAborted([request.signal, world.life.signal]);
    request.signal.throwIfAborted();
    throw connectionError('UND_ERR_SOCKET', 'other side closed');
  }
  const { status, headers } = answer;
  const body = status === 204 ? null : bodyOf(world, bodyParts(answer, fault), request.signal);
  return new Response(body, { status, headers: { ...headers } });
}

function bodyOf(world: World, { parts, delay, isCutOff }: BodyParts, signal: AbortSignal): BodyInit | null {
  if (parts.length === 1 && delay === 0 && !isCutOff) return parts[0] ?? null;
  const queue = [...parts];
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => controller.error(signal.reason));
    },
    async pull(controller) {
      if (!isCutOff) await world.settings.sleep(delay, signal);
      if (signal.aborted) return;
      const part = queue.shift();
      if (part !== undefined) controller.enqueue(part);
      else if (isCutOff) controller.error(connectionError('UND_ERR_SOCKET', 'other side closed', 'terminated'));
      else controller.close();
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

/** The error that Node's fetch rejects with when a connection fails. */
function connectionError(code: string, message: string, outer = 'fetch failed'): TypeError {
  return new TypeError(outer, { cause: Object.assign(new Error(message), { code }) });
}
