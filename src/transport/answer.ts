import { payloadOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Issue } from '../contract/values/codecs.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import type { Outcome } from '../errors/codes.ts';
import { afterUnknown, type Failure, isWrite, seeErrors } from './failure.ts';
import { shown } from './hide.ts';
import type { Answer } from './http.ts';
import { codedError, excerpt, isRefusal, refusal } from './refusal.ts';
import type { RetryClass } from './retry.ts';
import type { CallScope, ClientCore } from './send.ts';

/** The parts of a call that decide how a refusal is read. */
export interface Asked extends Pick<CallScope<unknown>, 'endpoint' | 'externalId'> {
  readonly client: Pick<ClientCore, 'runtime' | 'drift'>;
}

/** The parts of a call that decide how its answer is read. */
export interface Reading<Data> extends Asked, Pick<CallScope<Data>, 'data' | 'differences' | 'sent' | 'pageSize'> {}

export type Read<Data> =
  | { readonly ok: true; readonly value: Data }
  | { readonly ok: false; readonly failure: Failure };

/** Returns the decoded data of an answer, or its failure. */
export function readAnswer<Data>(answer: Answer, reading: Reading<Data>): Read<Data> {
  const { status } = answer;
  const { endpoint, client } = reading;
  if (answer.redirected) return redirect(answer, reading, FOLLOWED);
  // Status 0 is how browsers and workers show a redirect that was not followed.
  if (status === 0 || (status >= 300 && status < 400)) {
    const body = parse(answer.raw);
    if (isObject(body) && codedError(body) !== null) return { ok: false, failure: refusal(answer, body, reading) };
    return redirect(answer, reading, status === 304 ? NOT_MODIFIED : notFollowed(answer.headers));
  }
  if (status < 200 || status >= 400) return { ok: false, failure: refusal(answer, parse(answer.raw), reading) };
  if (answer.cut) {
    return unexpected(answer, { code: 'SDK_BODY_TOO_LARGE', problem: 'the answer is larger than 10 MiB' });
  }
  if (answer.broken) {
    const problem = 'the body of the answer broke off or is not UTF-8';
    return unexpected(answer, { code: 'SDK_UNREADABLE_BODY', retryClass: 'unanswered', problem });
  }
  const body = parse(answer.raw);
  if (isRefusal(body, !endpoint.idempotent)) return { ok: false, failure: refusal(answer, body, reading) };
  if (body === TOO_DEEP) {
    return unexpected(answer, { code: 'SDK_CONTRACT', problem: `the answer is nested deeper than ${DEEPEST} levels` });
  }
  // An operation that reads nothing from its answer accepts any body, also an empty one. `request` accepts an empty one.
  if (body === NOT_JSON) {
    const empty = reading.data(answer.raw.trim() === '' ? undefined : NOT_JSON);
    if (empty.ok) return empty;
    return unexpected(answer, {
      code: 'SDK_UNREADABLE_BODY',
      retryClass: 'unanswered',
      problem: 'the body of the answer is not JSON',
    });
  }
  const payload = payloadOf(body);
  const { pageSize } = reading;
  const items = isObject(payload) ? payload['items'] : null;
  if (pageSize !== null && Array.isArray(items) && items.length > Math.max(ALWAYS_READ, EXCESS * pageSize)) {
    const problem = `a page of ${pageSize} items was asked for and ${items.length} answered. The service may use other names for the query`;
    return unexpected(answer, { code: 'SDK_PAGE', problem, outcome: 'rejected' });
  }
  const decoded = reading.data(payload);
  const others = decoded.ok ? (reading.differences?.(decoded.value, reading.sent) ?? []) : [];
  if (decoded.ok && others.length === 0) {
    client.drift.report(endpoint, body, answer.hide);
    return decoded;
  }
  const findings = decoded.ok
    ? { issues: others.map((path) => ({ path, message: 'is not the one that was asked for' })) }
    : decoded;
  const problem = `the answer is not what the interface describes${firstFinding(findings)}`;
  return unexpected(answer, { code: 'SDK_CONTRACT', problem, issues: findings.issues });
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

/** More than any answer has. Deeper data is refused, because the readers after the parser would overflow the stack. */
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

const PATH_MAX = 200;
const PROBLEM_MAX = 600;

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
  answer: Answer,
  { code, problem, retryClass = 'never', issues = [], outcome = 'unknown' }: Unexpected,
): { readonly ok: false; readonly failure: Failure } {
  const { status, requestId, hide } = answer;
  const toError: Failure['toError'] = (context) =>
    new UnexpectedResponseError({
      ...context,
      code,
      status,
      requestId,
      raw: excerpt(answer),
      issues: issues.map(({ path, message }) => ({
        path: shown(hide, path, PATH_MAX),
        message: shown(hide, message, PROBLEM_MAX),
      })),
      message: `${context.operation}: ${shown(hide, problem, PROBLEM_MAX)} (HTTP ${status}).${afterUnknown(context)} ${seeErrors(code)}`,
    });
  return { ok: false, failure: { code, status, outcome, retryClass, retryAfter: undefined, toError } };
}

const FOLLOWED =
  'the given fetch has followed a redirect, with the API key, and what answered is not known. Give a fetch that obeys redirect: "manual", and set baseUrl to the final address';
const NOT_MODIFIED =
  'something answers "not modified" to a request that was not conditional: a cache between you and the service. Exclude the service from it';

function redirect(answer: Answer, asked: Asked, problem: string): { ok: false; failure: Failure } {
  // The sender of a redirect may have done the write before.
  const outcome = isWrite(asked.endpoint) ? 'unknown' : 'rejected';
  return unexpected(answer, { code: 'SDK_REDIRECT', problem, outcome });
}

function notFollowed(headers: Headers): string {
  const target = headers.get('location');
  // Only the origin: the rest of the header may hold anything.
  const to = target !== null && URL.canParse(target) ? ` to ${new URL(target).origin}` : '';
  return `the service redirects${to}. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address`;
}
