// http/ receives the requests, through an HTTP server or a `fetch` without a port. It imports service/.

import type { Answer } from '../service/respond.ts';
import { type Exchange, type Outcome, serve } from '../service/service.ts';
import { excerpt } from '../state/log.ts';
import { timeOf, type World } from '../world.ts';

/** Answers one request. */
export type Front = (exchange: Exchange) => Promise<Outcome>;

const KEPT_BODY = 4_000;

/** The header on every answer of a sandbox. */
export const MARK = { 'X-Sandbox': 'no real money' };

/** Answers the requests of both HTTP and `fetch`: the service below /api/, `pages` elsewhere. Writes the log. */
export function createFront(world: World, pages: (exchange: Exchange) => Promise<Answer>): Front {
  return async (exchange) => {
    world.clock.catchUp();
    const begun = world.settings.wallClock();
    world.requestCount += 1;
    const id = `req_${world.requestCount}`;
    const isService = exchange.url.pathname.startsWith('/api/');
    const outcome: Outcome = isService
      ? serve(world, exchange)
      : { operation: null, answer: await pages(exchange), fault: null };
    if (isService || exchange.method !== 'GET') logRequest(world, exchange, outcome, { id, begun, isService });
    if (outcome.answer === null) return outcome;
    const headers = {
      ...outcome.answer.headers,
      // The time of the sandbox clock, as in created_at. A client compares the two.
      Date: new Date(world.clock.now()).toUTCString(),
      'X-Request-Id': id,
      ...MARK,
    };
    return { ...outcome, answer: { ...outcome.answer, headers } };
  };
}

function logRequest(
  world: World,
  exchange: Exchange,
  outcome: Outcome,
  { id, begun, isService }: { readonly id: string; readonly begun: number; readonly isService: boolean },
): void {
  const { method, url, body } = exchange;
  const { answer, fault, operation } = outcome;
  world.log.add({
    kind: 'request',
    id,
    at: timeOf(world),
    method,
    path: url.pathname,
    query: url.search,
    operation: isService ? operation : 'page',
    status: answer?.status ?? null,
    duration_ms: world.settings.wallClock() - begun,
    code: answer?.code ?? null,
    why: answer?.why ?? null,
    fault: fault?.type ?? null,
    request_body: isService ? excerpt(body, KEPT_BODY) : '',
    response_body: isService ? excerpt(answer?.body ?? '', KEPT_BODY) : '',
  });
}

/** The body of an answer as a fault lets it through. */
export interface BodyParts {
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** Bytes of the whole body, as Content-Length names them. */
  readonly length: number;
  /** Milliseconds before each part. */
  readonly delay: number;
  /** Whether the connection breaks after the last part. */
  readonly isCutOff: boolean;
}

/** Cuts the body of an answer into parts. Without a fault there is one part and no delay. */
export function bodyParts({ body }: Answer, fault: Outcome['fault']): BodyParts {
  const bytes = new TextEncoder().encode(body);
  const { length } = bytes;
  const isCutOff = fault?.type === 'truncated';
  if (isCutOff) return { parts: [bytes.slice(0, Math.floor(length / 2))], length, delay: 0, isCutOff };
  if (fault?.type !== 'slow') return { parts: [bytes], length, delay: 0, isCutOff };
  const size = Math.max(1, Math.ceil(length / Math.max(1, fault.pieces ?? 4)));
  const parts = Array.from({ length: Math.ceil(length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  );
  return { parts, length, delay: fault.delay ?? 100, isCutOff };
}
