// What frameworks pass to a route, recognised by what it is, and not by the name of the framework.

/** A member of anything: a route may be called with whatever a framework has. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The part of `http.ServerResponse`, or of the response of a framework, that the adapter uses. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed?: boolean | undefined;
  setHeader(name: string, value: string): unknown;
  end(body: string, done?: () => void): unknown;
}

/**
 * Finds Node's response in the two arguments of a route: (req, res), Fastify's (request, reply) or Koa's (ctx, next). It
 * tells the framework, as each of them wants, that the response is written to Node's own object.
 */
export function takeNodeResponse(first: unknown, second: unknown): NodeResponse | undefined {
  const response = [second, memberOf(second, 'raw'), memberOf(first, 'res')].find(isNodeResponse);
  if (response === undefined || response === second) return response;
  const hijack = memberOf(second, 'hijack');
  if (typeof hijack === 'function') hijack.call(second);
  else Reflect.set(first as object, 'respond', false); // the object whose `res` it is
  return response;
}

function isNodeResponse(value: unknown): value is NodeResponse {
  return typeof memberOf(value, 'end') === 'function' && typeof memberOf(value, 'statusCode') === 'number';
}
