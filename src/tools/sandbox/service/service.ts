// service/ answers the requests to the API: fault, key, route, handler, response. A new endpoint needs one handler in
// handlers.ts.

import type { EndpointName } from '../../../contract/endpoints.ts';
import { endpoints } from '../../../contract/endpoints.ts';
import { payloadOf } from '../../../contract/envelope.ts';
import { messageOf } from '../../../errors/notify.ts';
import type { RequestFault } from '../state/faults.ts';
import type { World } from '../world.ts';
import { HANDLERS } from './handlers.ts';
import { ErrorResponse, failure, groupFailure, HTML_TYPE, success, type UnsentResponse } from './respond.ts';

/** A request, from HTTP or from `fetch`. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/** A response, and the fault that applies to it while it is sent. */
export interface Served {
  readonly operation: EndpointName | null;
  /** Null if the connection ends or hangs without a response. */
  readonly response: UnsentResponse | null;
  readonly fault: RequestFault | null;
}

/** Answers a request to the API: fault, key, route, handler. */
export function serve(world: World, incoming: IncomingRequest): Served {
  const route = findRoute(incoming.method, incoming.url.pathname);
  const operation = route?.operation ?? null;
  const order = (): string | null => externalIdIn(world, route, incoming.body);
  const fault = world.settings.requestFault(operation, order) ?? world.faults.forRequest(operation, order);
  const spoilt = fault === null ? undefined : spoiltResponse(world, fault);
  const worksFirst = fault?.type === 'reset_after' || (fault !== null && 'afterWork' in fault && fault.afterWork);
  if (spoilt !== undefined && !worksFirst) return { operation, response: spoilt, fault };
  const response = work(world, incoming, route);
  if (spoilt !== undefined) return { operation, response: spoilt, fault };
  if (fault?.type !== 'malformed') return { operation, response, fault };
  return { operation, response: { ...response, body: `${response.body.slice(0, -1)},}` }, fault };
}

function work(world: World, { method, headers, url, body }: IncomingRequest, route: Route | null): UnsentResponse {
  const { apiKey, dialect } = world.settings;
  const key = headers.get('x-api-key');
  if (key !== apiKey) {
    const problem = key === null ? 'missing' : key === '' ? 'empty' : 'not the key of this sandbox';
    return groupFailure(dialect, 'auth', 'A valid API key is required.', { why: `header X-Api-Key is ${problem}` });
  }
  if (route === null) {
    const others = ROUTES.filter((each) => each.method !== method && each.pattern.test(url.pathname));
    const allow = others.map((each) => each.method);
    if (allow.length === 0) return failure(404, 'NOT_FOUND', `There is no ${url.pathname}.`);
    const Allow = allow.join(', ');
    return failure(405, 'METHOD_NOT_ALLOWED', `Use ${Allow}.`, { headers: { Allow } });
  }
  try {
    const { operation, params } = route;
    const done = HANDLERS[operation](world, { params, query: url.searchParams, body }, dialect);
    const response = { ...success(dialect, done.status, done.data), why: done.why };
    checkResponse(world, operation, response);
    return response;
  } catch (error) {
    if (error instanceof ErrorResponse) return error.response;
    const message = messageOf(error);
    return failure(500, 'INTERNAL_ERROR', 'The sandbox failed.', { why: message });
  }
}

/** Reads the response with the contract. Drift is a mistake of the sandbox or the contract, so the log reports it. */
function checkResponse(world: World, operation: EndpointName, response: UnsentResponse): void {
  const checked = endpoints[operation].data(payloadOf(JSON.parse(response.body)));
  if (checked.ok) return;
  const issues = checked.issues.map(({ path, message }) => `${path} ${message}`).join('; ');
  world.log.note(`the response to ${operation} is not as the interface says: ${issues}`);
}

function retryAfterHeader(retryAfter: number | string | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
}

/**
 * The response of a fault in place of the service's: null for no response, undefined if the fault changes no response.
 */
function spoiltResponse(world: World, fault: RequestFault): UnsentResponse | null | undefined {
  switch (fault.type) {
    case 'rate_limit': {
      const headers = retryAfterHeader(fault.retryAfter);
      return groupFailure(world.settings.dialect, 'rateLimit', 'Too many requests.', { headers });
    }
    case 'server_error': {
      const parts = { headers: retryAfterHeader(fault.retryAfter), status: fault.status };
      return groupFailure(world.settings.dialect, 'server', 'The service is not available.', parts);
    }
    case 'html': {
      const status = fault.status ?? 502;
      const body = `<!doctype html><title>${status}</title><h1>${status} Bad Gateway</h1>`;
      return { status, headers: HTML_TYPE, body };
    }
    case 'hang':
    case 'reset_before':
    case 'reset_after':
      return null;
    case 'truncated':
    case 'malformed':
    case 'slow':
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** The endpoint of a request. */
interface Route {
  readonly operation: EndpointName;
  readonly params: Readonly<Record<string, string>>;
}

const ROUTES = Object.values(endpoints).map(({ operation, method, path }) => ({
  operation,
  method,
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The external_id of the order that a request is about, or null. */
function externalIdIn({ store }: World, route: Route | null, body: string): string | null {
  const { ident } = route?.params ?? {};
  if (ident !== undefined) return store.byIdent(ident)?.external_id ?? ident;
  if (route?.operation !== 'invoices.create') return null;
  try {
    const { external_id } = Object(JSON.parse(body)) as { external_id?: unknown }; // checked below
    return typeof external_id === 'string' ? external_id : null;
  } catch {
    return null;
  }
}

/** Finds the endpoint in the table of the contract. Path parameters are decoded once. */
function findRoute(method: string, pathname: string): Route | null {
  const found = ROUTES.find((route) => route.method === method && route.pattern.test(pathname));
  if (found === undefined) return null;
  try {
    const params = Object.entries(found.pattern.exec(pathname)?.groups ?? {});
    const decoded = params.map(([name, value]) => [name, decodeURIComponent(value)] as const);
    return { operation: found.operation, params: Object.fromEntries(decoded) };
  } catch {
    return null; // a stray percent sign
  }
}
