// service/ answers the requests to the API: faults, key, route, handler, answer. It imports business/ and delivery/. A new
// endpoint needs one handler in handlers.ts.

import type { Operation } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { payloadOf } from '../../contract/envelope.ts';
import type { RequestFault } from '../state/faults.ts';
import type { World } from '../world.ts';
import { HANDLERS } from './handlers.ts';
import { type Answer, failure, groupRefusal, InvalidRequest, invalid, Refusal, success } from './respond.ts';

/** A request, from HTTP or from `fetch`. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer, and the fault that applies to it while it is sent. */
export interface Outcome {
  readonly operation: Operation | null;
  /** Null if the connection ends or hangs without an answer. */
  readonly answer: Answer | null;
  readonly fault: RequestFault | null;
}

/** Answers a request to the API: fault, key, route, handler. */
export function serve(world: World, exchange: Exchange): Outcome {
  const match = matchRoute(exchange.method, exchange.url.pathname);
  const operation = match.kind === 'operation' ? match.operation : null;
  const fault = world.faults.forRequest(operation);
  const spoilt = fault === null ? undefined : spoiltAnswer(world, fault);
  const worksFirst = fault?.type === 'reset_after' || (fault !== null && 'afterWork' in fault && fault.afterWork);
  if (spoilt !== undefined && !worksFirst) return { operation, answer: spoilt, fault };
  const answer = work(world, exchange, match);
  if (spoilt !== undefined) return { operation, answer: spoilt, fault };
  if (fault?.type !== 'malformed') return { operation, answer, fault };
  return { operation, answer: { ...answer, body: `${answer.body.slice(0, -1)},}` }, fault };
}

function work(world: World, exchange: Exchange, match: Match): Answer {
  const { dialect } = world.settings;
  try {
    checkKey(world, exchange.headers.get('x-api-key'));
    if (match.kind === 'none') throw new Refusal(404, 'NOT_FOUND', `There is no ${exchange.url.pathname}.`);
    if (match.kind === 'other_method') {
      throw new Refusal(405, 'METHOD_NOT_ALLOWED', `Use ${match.allow}.`, { headers: { Allow: match.allow } });
    }
    const { operation, params } = match;
    const request = { params, query: exchange.url.searchParams, body: exchange.body };
    const done = HANDLERS[operation](world, request, dialect);
    const { why } = done;
    const answer = { ...success(dialect, done.status, done.data, done.bare), why };
    checkAnswer(world, operation, answer);
    return answer;
  } catch (error) {
    if (error instanceof Refusal) return failure(error);
    if (error instanceof InvalidRequest) return invalid(dialect, error);
    const message = error instanceof Error ? error.message : String(error);
    return failure(new Refusal(500, 'INTERNAL_ERROR', 'The sandbox failed.', { why: message }));
  }
}

function checkKey(world: World, given: string | null): void {
  const { apiKey, dialect } = world.settings;
  if (given === apiKey) return;
  const problem = given === null ? 'missing' : given === '' ? 'empty' : 'not the key of this sandbox';
  throw groupRefusal(dialect, 'auth', 'A valid API key is required.', { why: `header X-Api-Key is ${problem}` });
}

/** Reads the answer with the contract. A deviation is a mistake of one of the two, so the log reports it. */
function checkAnswer(world: World, operation: Operation, answer: Answer): void {
  const checked = endpoints[operation].data(payloadOf(JSON.parse(answer.body)));
  if (checked.ok) return;
  const issues = checked.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  world.log.note(`the answer to ${operation} is not as the interface says: ${issues}`);
}

function retryAfterHeader({ clock, settings }: World, retryAfter: number | string | undefined): Record<string, string> {
  const { retryAfterForm } = settings.dialect;
  if (retryAfter === undefined || retryAfterForm === 'absent') return {};
  if (typeof retryAfter === 'string' || retryAfterForm === 'seconds') return { 'Retry-After': String(retryAfter) };
  // A client compares the date with the Date header of the answer, which has the time of the sandbox.
  return { 'Retry-After': new Date(clock.now() + retryAfter * 1000).toUTCString() };
}

/** The answer of a fault in place of the service's: null for no answer, undefined if the fault changes no answer. */
function spoiltAnswer(world: World, fault: RequestFault): Answer | null | undefined {
  switch (fault.type) {
    case 'rate_limit': {
      const headers = retryAfterHeader(world, fault.retryAfter);
      return failure(groupRefusal(world.settings.dialect, 'rateLimit', 'Too many requests.', { headers }));
    }
    case 'server_error': {
      const parts = { headers: retryAfterHeader(world, fault.retryAfter), status: fault.status };
      return failure(groupRefusal(world.settings.dialect, 'server', 'The service is not available.', parts));
    }
    case 'html': {
      const status = fault.status ?? 502;
      const body = `<!doctype html><title>${status}</title><h1>${status} Bad Gateway</h1>`;
      return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
    }
    case 'hang':
    case 'reset_before':
    case 'reset_after':
      return null;
    default:
      return undefined;
  }
}

/** The endpoint of a path, or the reason why none matches. */
type Match =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other_method'; readonly allow: string }
  | { readonly kind: 'none' };

const ROUTES = Object.values(endpoints).map(({ operation, method, path }) => ({
  operation,
  method,
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** Finds the endpoint in the table of the contract. Path parameters are decoded once. */
function matchRoute(method: string, pathname: string): Match {
  const fitting = ROUTES.filter(({ pattern }) => pattern.test(pathname));
  const found = fitting.find((route) => route.method === method);
  if (found === undefined) {
    return fitting.length === 0
      ? { kind: 'none' }
      : { kind: 'other_method', allow: fitting.map((each) => each.method).join(', ') };
  }
  try {
    const params = Object.entries(found.pattern.exec(pathname)?.groups ?? {});
    const decoded = params.map(([name, value]) => [name, decodeURIComponent(value)] as const);
    return { kind: 'operation', operation: found.operation, params: Object.fromEntries(decoded) };
  } catch {
    return { kind: 'none' }; // a stray percent sign
  }
}
