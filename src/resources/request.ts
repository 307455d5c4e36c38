import type { Endpoint, HttpMethod } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { conflict } from '../contract/invoices.ts';
import {
  type Fail,
  flag,
  kindOf,
  type OptionTable,
  readGiven,
  readOptions,
  unchecked,
  word,
} from '../errors/checks.ts';
import { type CallOptions, queryTexts, readCallOptions } from '../options.ts';
import { finish, open } from '../transport/call.ts';
import { send } from '../transport/send.ts';
import type { ClientCore, Success, WrongOptions } from '../transport/types.ts';

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
   * Path below the base address, such as `/api/v1/external/balances`, with its ids encoded. It must reach the service
   * as it is written: `..`, a query, a fragment, spaces and backslashes are refused.
   */
  readonly path: string;
  /** Query parameters, as text. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Data that JSON can write, written at the call. */
  readonly body?: unknown;
  /**
   * True: the service recognises a repeat, so a failed attempt may be repeated.
   * @defaultValue true for GET, PUT and DELETE
   */
  readonly idempotent?: boolean | undefined;
}

const table = {
  method: word(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], undefined),
  path: unchecked<unknown>(),
  query: queryTexts,
  body: unchecked<unknown>(),
  idempotent: flag(undefined),
} as const satisfies OptionTable<RawRequest>;
/** The beginning of the path of each endpoint that the interface lists. */
const API = '/api/v1/external';
const REPEATABLE: ReadonlySet<HttpMethod> = new Set(['GET', 'PUT', 'DELETE']);

/** What is assumed about an endpoint that the contract does not list. */
const UNNAMED: Named<Endpoint<unknown>> = {
  operation: 'request',
  method: 'GET',
  path: '/',
  idempotent: false,
  // A symbol is NOT_JSON of transport/response.ts.
  data: (value) =>
    typeof value === 'symbol' ? { ok: false, issues: [{ path: '', message: 'is not JSON' }] } : { ok: true, value },
  remedy: 'find out whether it was done before you repeat it',
  conflict,
};

/** What a request asks for, or what is wrong with it. */
type ReadRequest = { readonly endpoint: Named<Endpoint<unknown>>; readonly text: string | null } | WrongOptions;

/** Sends one request to any endpoint of the service. The arguments are read at once. */
export async function rawRequest(
  client: ClientCore,
  request: RawRequest,
  options: CallOptions | undefined,
): Promise<Success<unknown>> {
  const read = readRequest(client, request);
  const settings = 'problem' in read ? read : readCallOptions(client.settings, options);
  const { endpoint, text } = 'problem' in read ? { endpoint: UNNAMED, text: null } : read;
  const call = open(client, endpoint, { text, settings });
  return finish(call, send(call));
}

function readRequest(client: ClientCore, request: RawRequest): ReadRequest {
  const read = readGiven('the request', (fail) => {
    const { query, body, ...given } = readOptions('request', request, table, fail);
    const method = given.method ?? fail('method is missing');
    if (method === 'GET' && body !== undefined) fail('a GET request has no body: give query');
    const path = checkPath(client.baseUrl, given.path, fail);
    const endpoint: Named<Endpoint<unknown>> = {
      ...UNNAMED,
      method,
      path,
      hint: () => (path.startsWith(API) ? '' : `The path does not begin with ${API}, and request adds nothing to it.`),
      idempotent: given.idempotent ?? REPEATABLE.has(method),
      query: () => ({ ok: true, value: query }),
    };
    return { endpoint, text: body === undefined ? null : jsonText(body, fail) };
  });
  // The problem may quote a name or a path, into which the caller may have put the key by mistake.
  return 'problem' in read ? { problem: client.hide(read.problem) } : read;
}

/** Refuses a path that the platform would change, because it could reach another endpoint or another host. */
function checkPath(baseUrl: string, path: unknown, fail: Fail): `/${string}` {
  if (typeof path !== 'string') return fail(`path must be text, not ${kindOf(path)}`);
  if (!/^\/(?!\/)/.test(path)) fail(`path must begin with one slash, such as ${API}/rates, without the address`);
  const url = URL.parse(baseUrl + path);
  if (url?.href !== baseUrl + path || url.search !== '' || url.hash !== '') {
    fail('path leads to another address than it says: encode the ids in it, and give query as an option');
  }
  return path as `/${string}`; // it begins with one
}

/** The JSON of a body, written at once. What JSON would change silently is refused. */
function jsonText(body: unknown, fail: Fail): string {
  let wrong: string | null = null;
  let text: string | undefined;
  try {
    text = JSON.stringify(body, (name, value: unknown) => {
      if (typeof value === 'number' && !Number.isFinite(value))
        wrong ??= `body.${name} is ${value}, which JSON cannot write`;
      return value;
    });
  } catch {
    wrong ??= 'body cannot be written as JSON: it holds itself, a bigint, or a member that throws';
  }
  if (wrong !== null) return fail(wrong);
  return text ?? fail(`body must be data, not ${kindOf(body)}`);
}
