import type { Endpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import { payloadOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Check, Issue } from '../contract/values/check.ts';
import type { Outcome } from '../errors/codes.ts';
import { codedError, failureOfResponse, isErrorBody } from './error-response.ts';
import type { RetryClass } from './retry.ts';
import type { ClientCore, Failure, OpenCall, ServiceResponse } from './types.ts';

/** The parts of a call that decide how its response is read. */
export interface Reading<Data> {
  readonly endpoint: Named<Endpoint<Data>>;
  readonly data: Check<Data>;
  readonly sent: OpenCall<Data>['sent'];
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
  // The sender of a redirect may have done the write first.
  const redirected = { code: 'SDK_REDIRECT', outcome: endpoint.method === 'GET' ? 'rejected' : 'unknown' } as const;
  if (response.redirected) return unexpected(response, { ...redirected, problem: FOLLOWED });
  // Browsers and workers show a redirect that was not followed as status 0.
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
  // A body that is not JSON is a success for an operation that reads nothing from it. `request` accepts an empty body.
  if (body === NOT_JSON) {
    const empty = reading.data(response.raw.trim() === '' ? undefined : NOT_JSON);
    return empty.ok ? empty : unexpected(response, { ...unreadable, problem: 'the body of the response is not JSON' });
  }
  const decoded = reading.data(payloadOf(body));
  const others = decoded.ok ? (endpoint.differences?.(decoded.value, reading.sent) ?? []) : [];
  if (decoded.ok && others.length === 0) {
    client.drift.report(endpoint, body, response.hide);
    return decoded;
  }
  const found = decoded.ok
    ? { issues: others.map((path) => ({ path, message: 'is not the one that was asked for' })) }
    : decoded;
  const problem = `the response is not what the interface describes${firstIssue(found)}`;
  return unexpected(response, { code: 'SDK_CONTRACT', problem, issues: found.issues });
}

function failed(response: ServiceResponse, body: unknown, reading: Omit<Reading<unknown>, 'data'>): Read<never> {
  const { endpoint, externalId, client } = reading;
  return { ok: false, failure: failureOfResponse(response, body, endpoint, externalId, client.runtime.now()) };
}

/** Returns the first issue, and the number of issues if there are more, as the end of a sentence. */
function firstIssue({ issues, isMore }: { readonly issues: readonly Issue[]; readonly isMore?: true }): string {
  const [first] = issues;
  if (first === undefined) return '';
  const total = isMore ? `more than ${issues.length}` : `${issues.length}`;
  return `: ${first.path === '' ? 'data' : first.path} ${first.message}${issues.length > 1 ? ` (${total} issues)` : ''}`;
}

/**
 * Deeper data is refused, because the code that reads it would overflow the stack. No response of the service is that
 * deep.
 */
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

/** The facts of a success that cannot be read, or of a redirect. */
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
  'the given fetch has followed a redirect, with the API key, and it is unknown who sent the response. Give a fetch that obeys redirect: "manual", and set baseUrl to the final address';
const NOT_MODIFIED =
  'the response is "not modified", although the request was not conditional: a cache between you and the service sent it. Exclude the service from the cache';

function notFollowed(headers: Headers): string {
  const target = headers.get('location');
  // Only the origin is shown, because the rest of the address may hold a secret.
  const to = target !== null && URL.canParse(target) ? ` to ${new URL(target).origin}` : '';
  return `the service redirects${to}. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address`;
}
