import type { Endpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { payloadOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Check, Issue } from '../contract/values/check.ts';
import type { Outcome } from '../errors/codes.ts';
import { codedError, errorResponse, isErrorBody } from './error-response.ts';
import type { RetryClass } from './retry.ts';
import type { ClientCore, Failure, OpenCall, ServiceResponse } from './types.ts';

/** The parts of a call that decide how its response is read. */
export interface Reading<Data> {
  readonly endpoint: Named<Endpoint<Data>>;
  readonly data: Check<Data>;
  readonly sent: OpenCall<Data>['sent'];
  readonly pageSize: number | null;
  readonly externalId: string | null;
  readonly client: Pick<ClientCore, 'runtime' | 'drift'>;
}

export type Read<Data> =
  | { readonly ok: true; readonly value: Data }
  | { readonly ok: false; readonly failure: Failure };

/** Returns the decoded data of a response, or its failure. */
export function readResponse<Data>(response: ServiceResponse, reading: Reading<Data>): Read<Data> {
  const { status } = response;
  const { endpoint, client } = reading;
  // The sender of a redirect may have done the write before.
  const redirected = { code: 'SDK_REDIRECT', outcome: endpoint.method === 'GET' ? 'rejected' : 'unknown' } as const;
  if (response.redirected) return unexpected(response, { ...redirected, problem: FOLLOWED });
  // Status 0 is how browsers and workers show a redirect that was not followed.
  if (status === 0 || (status >= 300 && status < 400)) {
    const body = parse(response.raw);
    if (isObject(body) && codedError(body, endpoint.isRecord) !== null) return failed(response, body, reading);
    const problem = status === 304 ? NOT_MODIFIED : notFollowed(response.headers);
    return unexpected(response, { ...redirected, problem });
  }
  if (status < 200 || status >= 400) return failed(response, parse(response.raw), reading);
  if (response.cut) {
    return unexpected(response, { code: 'SDK_BODY_TOO_LARGE', problem: 'the response is larger than 10 MiB' });
  }
  const unreadable = { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered' } as const;
  if (response.broken) {
    return unexpected(response, { ...unreadable, problem: 'the body of the response broke off or is not UTF-8' });
  }
  const body = parse(response.raw);
  if (isErrorBody(body, endpoint.isRecord)) return failed(response, body, reading);
  if (body === TOO_DEEP) {
    return unexpected(response, {
      code: 'SDK_CONTRACT',
      problem: `the response is nested deeper than ${DEEPEST} levels`,
    });
  }
  // An operation that reads nothing from its response accepts any body, also an empty one. `request` accepts an empty one.
  if (body === NOT_JSON) {
    const empty = reading.data(response.raw.trim() === '' ? undefined : NOT_JSON);
    return empty.ok ? empty : unexpected(response, { ...unreadable, problem: 'the body of the response is not JSON' });
  }
  const payload = payloadOf(body);
  const { pageSize } = reading;
  const items = isObject(payload) ? payload['items'] : null;
  if (pageSize !== null && Array.isArray(items) && items.length > Math.max(ALWAYS_READ, EXCESS * pageSize)) {
    const problem = `a page of ${pageSize} items was asked for and ${items.length} came. The service may use other names for the query`;
    return unexpected(response, { code: 'SDK_PAGE', problem, outcome: 'rejected' });
  }
  const decoded = reading.data(payload);
  const others = decoded.ok ? (endpoint.differences?.(decoded.value, reading.sent) ?? []) : [];
  if (decoded.ok && others.length === 0) {
    client.drift.report(endpoint, body, response.hide);
    return decoded;
  }
  const findings = decoded.ok
    ? { issues: others.map((path) => ({ path, message: 'is not the one that was asked for' })) }
    : decoded;
  const problem = `the response is not what the interface describes${firstFinding(findings)}`;
  return unexpected(response, { code: 'SDK_CONTRACT', problem, issues: findings.issues });
}

function failed(response: ServiceResponse, body: unknown, reading: Omit<Reading<unknown>, 'data'>): Read<never> {
  const { endpoint, externalId, client } = reading;
  return { ok: false, failure: errorResponse(response, body, endpoint, externalId, client.runtime.now()) };
}

/**
 * A page of this many items is decoded whatever was asked, because the interface allows it. Decoding far more than that
 * could block the process.
 */
const ALWAYS_READ = 100;
const EXCESS = 10;

/** Returns the first finding, and the number of findings if there are more. */
function firstFinding({ issues, isMore }: { readonly issues: readonly Issue[]; readonly isMore?: true }): string {
  const [first] = issues;
  if (first === undefined) return '';
  const total = isMore ? `more than ${issues.length}` : `${issues.length}`;
  return `: ${first.path === '' ? 'data' : first.path} ${first.message}${issues.length > 1 ? ` (${total} findings)` : ''}`;
}

/** More than any response has. Deeper data is refused, because the readers after the parser would overflow the stack. */
const DEEPEST = 100;

/** The result of {@link parse} for text that is not JSON. */
const NOT_JSON: unique symbol = Symbol('not JSON');
/** The result of {@link parse} for JSON that is nested too deeply. */
const TOO_DEEP: unique symbol = Symbol('too deep');

function parse(raw: string): unknown {
  try {
    const body: unknown = JSON.parse(raw);
    return isTooDeep(body) ? TOO_DEEP : body;
  } catch {
    return NOT_JSON;
  }
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= DEEPEST || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

/** A success that cannot be read, or a redirect. */
interface Unexpected {
  readonly code: 'SDK_BODY_TOO_LARGE' | 'SDK_UNREADABLE_BODY' | 'SDK_CONTRACT' | 'SDK_PAGE' | 'SDK_REDIRECT';
  readonly problem: string;
  /** `never` where absent. */
  readonly retryClass?: RetryClass;
  readonly issues?: readonly Issue[];
  /** `unknown` where absent. */
  readonly outcome?: Outcome;
}

function unexpected(
  response: ServiceResponse,
  { code, problem, retryClass = 'never', issues = [], outcome = 'unknown' }: Unexpected,
): Read<never> {
  const about = { is: 'unexpected', problem, issues, response } as const;
  return { ok: false, failure: { code, status: response.status, outcome, retryClass, retryAfter: undefined, about } };
}

const FOLLOWED =
  'the given fetch has followed a redirect, with the API key, and what answered is not known. Give a fetch that obeys redirect: "manual", and set baseUrl to the final address';
const NOT_MODIFIED =
  'something answers "not modified" to a request that was not conditional: a cache between you and the service. Exclude the service from it';

function notFollowed(headers: Headers): string {
  const target = headers.get('location');
  // Only the origin: the rest of the header may hold anything.
  const to = target !== null && URL.canParse(target) ? ` to ${new URL(target).origin}` : '';
  return `the service redirects${to}. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address`;
}
