import { type Exchange, type Outcome, serve } from '../service/service.ts';
import type { World } from '../world.ts';
import { keptText } from './kept-text.ts';

const KEPT_BODY = 4_000;

/** One request, whichever door it came through: the service under /api, pages elsewhere. Writes the log. */
export async function handle(world: World, exchange: Exchange): Promise<Outcome> {
  world.clock.catchUp();
  world.requestCount += 1;
  const id = `req_${world.requestCount}`;
  const isService = exchange.url.pathname.startsWith('/api/');
  const outcome: Outcome = isService
    ? serve(world, exchange)
    : { operation: null, answer: await world.pages(exchange), fault: null };
  logRequest(world, exchange, outcome, id, isService);
  if (outcome.answer === null) return outcome;
  const headers = {
    ...outcome.answer.headers,
    // The sandbox's own time, which created_at follows: a client compares the two.
    ...(world.settings.dialect.dateHeader === 'present' && { Date: new Date(world.clock.now()).toUTCString() }),
    'X-Request-Id': id,
    'X-Sandbox': 'no real money',
  };
  return { ...outcome, answer: { ...outcome.answer, headers } };
}

function logRequest(world: World, exchange: Exchange, outcome: Outcome, id: string, isService: boolean): void {
  const { method, url, body } = exchange;
  if (!isService && method === 'GET') return; // looking at a page is no event
  const { answer, fault, operation } = outcome;
  world.log.add({
    kind: 'request',
    id,
    at: new Date(world.clock.now()).toISOString(),
    method,
    path: url.pathname,
    query: url.search,
    operation: isService ? operation : 'page',
    status: answer?.status ?? null,
    code: answer?.code ?? null,
    why: answer?.why ?? null,
    fault: fault?.type ?? null,
    request_body: isService ? keptText(body, KEPT_BODY) : '',
    response_body: isService ? keptText(answer?.body ?? '', KEPT_BODY) : '',
  });
}
