import type { Check, Issue } from '../contract/codecs.ts';
import type { Endpoint, WireRecord } from '../contract/endpoint.ts';
import { ValidationError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { PreparedRequest } from './transport.ts';

/** What a resource method hands over: parameters as the user gave them. */
export interface CallInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

const EMPTY: WireRecord = {};

const DEFAULT_HEADERS = { accept: 'application/json', 'user-agent': `merchant-invoicing/${VERSION}` };

/** What a request takes from the client and from the call's options. */
export interface RequestSetting {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The wire's names of query parameters. */
  readonly queryNames: Readonly<Record<string, string>>;
  readonly externalId: string | null;
}

/** Checks the input and writes it as the bytes that every attempt sends. Throws a ValidationError of origin `client`. */
export function prepareRequest(
  endpoint: Endpoint<unknown>,
  input: CallInput,
  setting: RequestSetting,
): PreparedRequest {
  const issues: Issue[] = [];
  const read = (check: Check<WireRecord> | null, value: unknown): WireRecord => {
    if (check === null) return EMPTY;
    const checked = check(value);
    if (checked.ok) return checked.value;
    issues.push(...checked.issues);
    return EMPTY;
  };
  const params = read(endpoint.params, input.params);
  const query = read(endpoint.query, input.query);
  const body = read(endpoint.body, input.body);
  if (issues.length > 0) throw invalid(endpoint.operation, issues, setting.externalId);
  const sendsBody = endpoint.body !== null;
  const headers = { ...DEFAULT_HEADERS, ...setting.headers };
  return {
    method: endpoint.method,
    url:
      setting.baseUrl +
      pathOf(endpoint.path, params) +
      queryOf({ ...renamed(query, setting.queryNames), ...setting.query }),
    headers: sendsBody ? { ...headers, 'content-type': 'application/json' } : headers,
    body: sendsBody ? JSON.stringify(body) : null,
    sent: body,
    hidden: hiddenOf(setting.headers, body),
  };
}

/** Shorter values are no secret, and hiding them would garble every message. */
const SHORTEST_HIDDEN = 6;
/** What an answer may name, because a merchant needs it to find the charge. */
const SHOWN = new Set(['external_id', 'amount', 'currency']);
/** Words of the service's answers: somebody's purpose may be "details" and must not hide them. */
const WIRE_WORDS = new Set(
  'status message details detail invoice currency pending success expired canceled'.split(' '),
);

/** What of a request is nobody's business but the service's: own headers, and the customer's data in the body. */
function hiddenOf(headers: Readonly<Record<string, string>>, body: WireRecord): string[] {
  // What the external_id contains is shown with it: else "order-1042" of customer "1042" could not be named.
  const externalId = (body['external_id'] ?? '').toLowerCase();
  const values = Object.entries(body).map(([name, value]) => (SHOWN.has(name) ? '' : (value ?? '')));
  const isShown = (word: string) => externalId.includes(word) || WIRE_WORDS.has(word) || Object.hasOwn(body, word);
  return [...Object.values(headers), ...values].filter(
    (value) => value.length >= SHORTEST_HIDDEN && !isShown(value.toLowerCase()),
  );
}

/** An input that the service would refuse, refused before the network. */
export function invalid(
  operation: string,
  issues: readonly Issue[],
  externalId: string | null = null,
): ValidationError {
  const named = issues.slice(0, 5).map(({ path, message }) => `${path === '' ? 'the parameters' : path} ${message}`);
  return new ValidationError({
    code: 'VALIDATION_ERROR',
    operation,
    externalId,
    status: null,
    issues,
    origin: 'client',
    message: `${operation}: ${named.join('; ')}. No request was made.`,
  });
}

function pathOf(template: string, params: WireRecord): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** Query parameters under the names that the merchant pinned for this service. */
function renamed(query: WireRecord, names: Readonly<Record<string, string>>): WireRecord {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [names[name] ?? name, value]));
}

function queryOf(query: WireRecord): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value);
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
