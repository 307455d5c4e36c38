import { payloadOf, rowsProblem } from '../contract/envelope.ts';
import type { Checked, Issue } from '../contract/values/check.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';
import { warnOnce } from '../errors/notify.ts';
import { codedError, failureOfResponse, isErrorBody } from './error-response.ts';
import { failureAlone } from './retry.ts';
import type { Failure, OpenCall, Result, RetryClass, ServiceResponse } from './types.ts';

/** The decoded data of a response, or its failure. */
export function readResponse<Data>(response: ServiceResponse, call: OpenCall<Data>): Result<Data> {
  const { status } = response;
  const { endpoint, client } = call;
  // The sender of a redirect may have done the write first.
  const redirected = { code: 'SDK_REDIRECT', outcome: endpoint.method === 'GET' ? 'rejected' : 'unknown' } as const;
  if (response.redirected) return unexpected(response, { ...redirected, problem: FOLLOWED });
  // Browsers and workers show a redirect that was not followed as status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    const body = parse(response.raw);
    if (codedError(body) !== null) return failureOfResponse(response, body, call);
    const problem = status === 304 ? NOT_MODIFIED : notFollowed(response.headers);
    return unexpected(response, { ...redirected, problem });
  }
  if (status < 200 || status >= 400) return failureOfResponse(response, parse(response.raw), call);
  if (response.cut) {
    return unexpected(response, { code: 'SDK_BODY_TOO_LARGE', problem: 'the response is larger than 10 MiB' });
  }
  const unreadable = { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered' } as const;
  if (response.broken) {
    const read = call.client.hasOwnFetch ? ', or your fetch has read it: let it read response.clone()' : '';
    return unexpected(response, {
      ...unreadable,
      problem: `the body of the response broke off or is not UTF-8${read}`,
    });
  }
  const body = parse(response.raw);
  if (isErrorBody(body, endpoint.isRecord)) return failureOfResponse(response, body, call);
  if (body === TOO_DEEP) {
    return unexpected(response, {
      code: 'SDK_CONTRACT',
      problem: `the response is nested deeper than ${DEEPEST} levels`,
    });
  }
  // A body that is not JSON is a success for an operation that reads nothing from it. `request` accepts an empty body.
  if (body === NOT_JSON) {
    const empty = endpoint.data(response.raw.trim() === '' ? undefined : NOT_JSON);
    if (empty.ok) return succeeded(empty.value, response);
    const isPage = response.headers.get('content-type')?.includes('html') === true;
    const found = isPage ? ' but an HTML page: a login, or another program, answers at this baseUrl' : '';
    return unexpected(response, { ...unreadable, problem: `the body of the response is not JSON${found}` });
  }
  const payload = payloadOf(body);
  const tooMany = rowsProblem(endpoint.rows, payload, call.sent);
  if (tooMany !== null) return unexpected(response, { code: 'SDK_CONTRACT', problem: tooMany });
  const decoded = endpoint.data(payload);
  if (!decoded.ok) return differs(response, decoded);
  const others = endpoint.differences?.(decoded.value, call.sent) ?? [];
  if (others.length > 0) {
    const issues = others.map((path) => ({ path, message: 'is not the one that was asked for' }));
    return differs(response, { ok: false, issues });
  }
  const member = endpoint.unreadable?.(decoded.value) ?? null;
  if (member !== null) {
    const text = `the ${member} of an invoice cannot be read and is ''. Do not use it as a key unchecked. This is printed once.`;
    warnOnce(member, text, client.printed);
  }
  return succeeded(decoded.value, response);
}

function succeeded<T>(value: T, response: ServiceResponse): Result<T> {
  return { ok: true, value, response, attempts: 1, durationMs: 0, recovered: false };
}

function differs(response: ServiceResponse, found: Extract<Checked<unknown>, { readonly ok: false }>): Failure {
  const problem = `the response is not what the interface describes${firstIssue(found)}`;
  return unexpected(response, { code: 'SDK_CONTRACT', problem, issues: found.issues });
}

/** The first issue, and the number of issues if there are more, as the end of a sentence. */
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
  readonly code: ErrorCode;
  readonly problem: string;
  /** Default: `never`. */
  readonly retryClass?: RetryClass;
  readonly issues?: readonly Issue[];
  /** `unknown` where absent. */
  readonly outcome?: Outcome;
}

function unexpected(
  response: ServiceResponse,
  { code, problem, retryClass = 'never', issues = [], outcome = 'unknown' }: Unexpected,
): Failure {
  return failureAlone({
    code,
    status: response.status,
    outcome,
    retryClass,
    about: { is: 'unexpected', problem, issues, response },
  });
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
