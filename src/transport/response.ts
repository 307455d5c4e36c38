import type { Endpoint } from '../contract/endpoint.ts';
import { pageProblem, payloadOf } from '../contract/envelope.ts';
import type { Issue } from '../contract/values/check.ts';
import type { ErrorCode, Outcome } from '../errors/codes.ts';
import { warnOnce } from '../errors/notify.ts';
import { codedError, failureOfResponse, isErrorBody } from './error-response.ts';
import { failureAlone } from './retry.ts';
import type { Failure, OpenCall, Result, RetryClass, ServiceResponse } from './types.ts';

/** The decoded data of a response, or its failure. */
export function readResponse<Data>(response: ServiceResponse, call: OpenCall<Data>): Result<Data> {
  const body = parse(response.raw);
  if (isError(response, body, call.endpoint)) return failureOfResponse(response, body, call);
  const read = redirectIn(response, call) ?? damageIn(response, body, call) ?? dataIn(response, body, call);
  if ('problem' in read) return unexpected(response, read);
  const member = call.endpoint.unreadable?.(read.value) ?? null;
  if (member !== null) {
    const text = `the ${member} of an invoice cannot be read, so its value is ''. Check the value before you use it as a key. This is printed once.`;
    warnOnce(member, text, call.client.printed);
  }
  return { ok: true, value: read.value, response, attempts: 1, durationMs: 0, recovered: false };
}

/** True for a response that says that the work was not done. A redirect says so only with a code in its body. */
function isError(response: ServiceResponse, body: unknown, { isRecord }: Endpoint<unknown>): boolean {
  if (response.redirected) return false; // it is unknown who sent it
  if (isRedirect(response)) return codedError(body) !== null;
  if (response.status < 200 || response.status >= 400) return true;
  return !response.cut && !response.broken && isErrorBody(body, isRecord);
}

/** Browsers and workers show a redirect that was not followed as status 0. */
function isRedirect({ status }: ServiceResponse): boolean {
  return status === 0 || (status >= 300 && status < 400);
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

/** A redirect, which is never followed. Its sender may have done a write first. */
function redirectIn(response: ServiceResponse, { endpoint }: OpenCall<unknown>): Unexpected | null {
  if (!response.redirected && !isRedirect(response)) return null;
  const problem = response.redirected
    ? FOLLOWED
    : response.status === 304
      ? NOT_MODIFIED
      : notFollowed(response.headers);
  return { code: 'SDK_REDIRECT', outcome: endpoint.method === 'GET' ? 'rejected' : 'unknown', problem };
}

/** What is wrong with the body of a success before its data is looked at. */
function damageIn({ cut, broken }: ServiceResponse, body: unknown, { client }: OpenCall<unknown>): Unexpected | null {
  if (cut) return { code: 'SDK_BODY_TOO_LARGE', problem: 'the response is larger than 10 MiB' };
  if (broken) {
    const read = client.hasOwnFetch ? ', or your fetch has read it: let it read response.clone()' : '';
    return { ...UNREADABLE, problem: `the body of the response broke off or is not UTF-8${read}` };
  }
  if (body !== TOO_DEEP) return null;
  return { code: 'SDK_CONTRACT', problem: `the response is nested deeper than ${DEEPEST} levels` };
}

const UNREADABLE = { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered' } as const;

/** The decoded data of a whole body, or why it is not what was asked for. */
function dataIn<Data>(
  { raw, headers }: ServiceResponse,
  body: unknown,
  { endpoint, sent }: OpenCall<Data>,
): { readonly value: Data } | Unexpected {
  // A body that is not JSON is a success for an operation that reads nothing from it. `request` accepts an empty body.
  const payload = body === NOT_JSON && raw.trim() === '' ? undefined : payloadOf(body);
  const tooMany = endpoint.isPage ? pageProblem(payload, sent) : null;
  if (tooMany !== null) return { code: 'SDK_CONTRACT', problem: tooMany };
  const decoded = endpoint.data(payload);
  const others = decoded.ok ? (endpoint.differences?.(decoded.value, sent) ?? []) : [];
  // Also where nothing is read from the body: a login page is no word of the service.
  const isPage = body === NOT_JSON && headers.get('content-type')?.includes('html') === true && /^\s*</.test(raw);
  if (decoded.ok && others.length === 0 && !isPage) return decoded;
  if (body === NOT_JSON) {
    const found = isPage ? ' but an HTML page: a login, or another program, answers at this baseUrl' : '';
    return { ...UNREADABLE, problem: `the body of the response is not JSON${found}` };
  }
  const asked = others.map((path) => ({ path, message: 'is not the one that was asked for' }));
  const found = decoded.ok ? { issues: asked } : decoded;
  const problem = `the response is not what the interface describes${firstIssue(found)}`;
  return { code: 'SDK_CONTRACT', problem, issues: found.issues };
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

function unexpected(
  response: ServiceResponse,
  { code, problem, retryClass = 'never', issues = [], outcome = 'unknown' }: Unexpected,
): Failure {
  return failureAlone({
    code,
    status: response.status,
    outcome,
    retryClass,
    facts: { is: 'unexpected', problem, issues, response },
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
