import type { Endpoint, WireRecord } from '../contract/endpoint.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { ConfigurationError, isMerchantError, ValidationError } from '../errors/classes.ts';
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
  /** The order for an error, as it may be shown. */
  readonly externalId: () => string | null;
}

/** Checks the input and writes it as the bytes that every attempt sends. Throws a ValidationError of origin `client`. */
export function prepareRequest(
  endpoint: Endpoint<unknown>,
  input: CallInput,
  setting: RequestSetting,
): PreparedRequest {
  const issues: Issue[] = [];
  const read = (check: Check<WireRecord> | undefined, value: unknown): WireRecord => {
    if (check === undefined) return EMPTY;
    const checked = check(value);
    if (checked.ok) return checked.value;
    issues.push(...checked.issues);
    return EMPTY;
  };
  const params = read(endpoint.params, input.params);
  const query = read(endpoint.query, input.query);
  const body = read(endpoint.body, input.body);
  if (issues.length > 0) throw invalid(endpoint.operation, issues, setting.externalId());
  const sendsBody = endpoint.body !== undefined;
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
    pageSize: 'item' in endpoint ? pageSizeOf(query, setting.queryNames, setting.query) : null,
  };
}

/** Counts as asked where no size is: the largest that can be, because the default of a list may be any. */
const DEFAULT_PAGE_SIZE = 100;

/** The page size that a request asks for. */
function pageSizeOf(
  query: WireRecord,
  names: Readonly<Record<string, string>>,
  extraQuery: Readonly<Record<string, string>>,
): number {
  const asked = Number(extraQuery[names['per_page'] ?? 'per_page'] ?? query['per_page'] ?? DEFAULT_PAGE_SIZE);
  return Number.isSafeInteger(asked) && asked > 0 ? asked : DEFAULT_PAGE_SIZE;
}

/** Parameters that a resource looks at itself, checked. */
export function readInput<T>(check: Check<T>, given: unknown, operation: string): T {
  let checked: ReturnType<Check<T>>;
  try {
    checked = check(given);
  } catch (error) {
    throw unreadable(error, operation);
  }
  if (!checked.ok) throw invalid(operation, checked.issues);
  return checked.value;
}

/** An error of this package as it is; for anything else, a getter or a proxy of the caller's threw. */
export function unreadable(error: unknown, operation: string, externalId: string | null = null): unknown {
  if (isMerchantError(error)) return error;
  // What was thrown is not kept: it may hold anything.
  return new ConfigurationError(`${operation}: the parameters or options cannot be read. No request was made.`, {
    code: 'SDK_INVALID_ARGUMENT',
    operation,
    externalId,
  });
}

/** An input that the service would refuse, refused before the network. */
function invalid(operation: string, issues: readonly Issue[], externalId: string | null = null): ValidationError {
  const named = issues
    .slice(0, 5)
    .map(({ path, message }) =>
      path === '' ? `the parameters ${message.replace(/^is /, 'are ')}` : `${path} ${message}`,
    );
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
