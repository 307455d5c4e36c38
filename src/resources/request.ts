import type { Endpoint, HttpMethod, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { conflict } from '../contract/invoices.ts';
import { decimalText } from '../contract/parameters.ts';
import { argumentFail, checkCallbacks, checkOptions, type Fail, kindOf, namesOf, readWord } from '../errors/checks.ts';
import type { CallOptions } from '../options.ts';
import { call, readArguments } from '../transport/call.ts';
import type { ClientCore, Success } from '../transport/types.ts';

/**
 * A request of {@link MerchantClient.request}.
 *
 * @example
 * await merchant.request({
 *   method: 'POST',
 *   path: `/api/v1/external/invoices/${encodeURIComponent(external_id)}/refunds`,
 *   body: { amount: '5.00' },
 * });
 */
export interface RawRequest {
  /** GET, POST, PUT, PATCH or DELETE. */
  readonly method: HttpMethod;
  /**
   * Path below the base address, such as `/api/v1/external/balances`, with its ids encoded. `.`, `..`, `//`, a query and
   * backslashes are refused.
   */
  readonly path: string;
  /** Text, numbers, booleans and decimals. Null and undefined are left out. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Plain JSON data. A `Decimal` becomes text, and undefined members are left out. */
  readonly body?: unknown;
  /**
   * True: the service recognises a repeat, so a failed attempt may be repeated.
   * @defaultValue true for GET, PUT and DELETE
   */
  readonly idempotent?: boolean | undefined;
}

type AnyRequest = RawRequest & { readonly decode?: ((data: unknown) => unknown) | undefined };

const NAMES = namesOf<AnyRequest>({
  method: true,
  path: true,
  query: true,
  body: true,
  idempotent: true,
  decode: true,
});
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const REPEATABLE: ReadonlySet<HttpMethod> = new Set(['GET', 'PUT', 'DELETE']);

/** The endpoint of a raw request, as far as every raw request has it. */
const UNNAMED: Named<Endpoint<unknown>> = {
  operation: 'request',
  method: 'GET',
  path: '/',
  idempotent: false,
  envelope: 'not_shown',
  data: (value) => ({ ok: true, value }),
  remedy: 'find out whether it was done before you repeat it',
  conflict,
};

/** Sends one request to any endpoint of the service. The arguments are read and copied at once. */
export async function rawRequest(
  client: ClientCore,
  request: AnyRequest,
  options: CallOptions | undefined,
): Promise<Success<unknown>> {
  const { endpoint, json } = readArguments(client, UNNAMED, null, () => {
    // The message may quote a name or a path, into which the caller may have put the key by mistake.
    const fail: Fail = (problem) => argumentFail('request')(client.hide(problem));
    checkOptions('request', request, NAMES, fail);
    const { path, query, body, idempotent, decode } = request;
    const method = readWord('method', METHODS, request.method, fail) ?? fail('method is missing');
    if (idempotent !== undefined && typeof idempotent !== 'boolean') {
      fail(`idempotent must be true or false, not ${kindOf(idempotent)}`);
    }
    checkCallbacks({ decode }, fail);
    if (method === 'GET' && body !== undefined) fail('a GET request has no body: give query');
    const texts = queryOf(query, fail);
    const endpoint: Named<Endpoint<unknown>> = {
      ...UNNAMED,
      method,
      path: checkPath(path, fail),
      idempotent: idempotent ?? REPEATABLE.has(method),
      query: () => ({ ok: true, value: texts }),
      data: checkOf(decode),
    };
    return { endpoint, json: body === undefined ? undefined : plain(body, 'body', new Set(), fail) };
  });
  return call(client, endpoint, { json, options });
}

function checkOf(decode: AnyRequest['decode']): Endpoint<unknown>['data'] {
  const refuse = (message: string) => ({ ok: false, issues: [{ path: '', message }] }) as const;
  return (data) => {
    if (typeof data === 'symbol') return refuse('is not JSON'); // NOT_JSON of transport/response.ts
    if (decode === undefined) return { ok: true, value: data };
    try {
      const value = decode(data);
      return value instanceof Promise ? refuse('is decoded by an async function') : { ok: true, value };
    } catch {
      // The error may quote the data.
      return refuse('was refused by decode');
    }
  };
}

function queryOf(query: unknown, fail: Fail): WireRecord {
  if (query === undefined) return {};
  if (typeof query !== 'object' || query === null) return fail(`query must be an object, not ${kindOf(query)}`);
  const texts: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(query)) {
    texts[name] = value === null || value === undefined ? undefined : wireText(value, `query.${name}`, fail);
  }
  return texts;
}

const PATH_MAX = 2_000;
const PATH = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
/** How often a path is decoded for the check, because a server and the proxies before it may each decode it once. */
const ROUNDS = 3;

/** Refuses a path that could reach another host, or another endpoint than it seems to. */
function checkPath(path: unknown, fail: Fail): `/${string}` {
  if (typeof path !== 'string' || path.length > PATH_MAX) fail(`path must be a short text, not ${kindOf(path)}`);
  if (!PATH.test(path)) {
    fail('path must begin with one slash, without host, query, fragment, spaces or backslashes. Encode ids in it');
  }
  for (let text: string | null = path, round = 0; text !== null && round <= ROUNDS; round += 1) {
    const segments: readonly string[] = text.split(/[/\\]/).slice(1);
    // Some servers ignore what follows a semicolon in a segment.
    if (segments.some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) fail('path must not hold . or .. as a segment');
    if (round === 0 && segments.slice(0, -1).includes('')) fail('path must not hold an empty segment');
    if (/\p{Cc}/u.test(text)) fail('path must not hold control characters');
    text = decoded(text);
    if (text === null && round === 0) fail('path holds an encoding that is not UTF-8');
  }
  return path as `/${string}`; // it begins with one
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Returns a scalar as the text of a query. */
function wireText(value: unknown, at: string, fail: Fail): string {
  const text = scalar(value, at, fail);
  return text === undefined
    ? fail(`${at} must be text, a number, a boolean or a Decimal, not ${kindOf(value)}`)
    : String(text);
}

/** Returns a scalar as JSON writes it, or undefined for a list or an object. Refuses what JSON cannot write. */
function scalar(value: unknown, at: string, fail: Fail): string | number | boolean | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : fail(`${at} is ${value}, which JSON cannot write`);
    case 'object': {
      if (value instanceof Date)
        return Number.isNaN(value.getTime()) ? fail(`${at} is not a date`) : value.toISOString();
      return decimalText(value) ?? undefined;
    }
    default:
      return fail(`${at} is ${kindOf(value)}, which JSON cannot write`);
  }
}

/** Copies data for JSON. What JSON would leave out or change silently is refused. */
function plain(value: unknown, at: string, around: Set<object>, fail: Fail): unknown {
  if (value === null) return null;
  const text = scalar(value, at, fail);
  if (text !== undefined || typeof value !== 'object') return text;
  if (around.has(value)) fail(`${at} holds itself`);
  around.add(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item, index) => plain(item, `${at}.${index}`, around, fail)) // unlike map, also for holes
    : membersOf(value, at, around, fail);
  around.delete(value);
  return copy;
}

function membersOf(value: object, at: string, around: Set<object>, fail: Fail): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Any prototype that has none itself counts, because an object of another realm has another Object.prototype.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) fail(`${at} is not plain data: give objects, arrays, text, numbers, booleans, dates or decimals`);
  const copy: Record<string, unknown> = Object.create(null); // a member may be named __proto__
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) copy[name] = plain(member, `${at}.${name}`, around, fail);
  }
  return copy;
}
