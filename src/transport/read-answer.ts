import { payloadOf } from '../contract/envelope.ts';
import { isObject } from '../contract/json.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { UnexpectedResponseError } from '../errors/classes.ts';
import type { Outcome } from '../errors/codes.ts';
import { printable } from '../printable.ts';
import { type Answer, excerpt } from './answer.ts';
import { afterUnknown, type Failure, isWrite, seeExplain } from './failure.ts';
import type { DriftEvent } from './observe/events.ts';
import { refusal } from './refusal.ts';
import { hasCodedError, isRefusal } from './refusal-body.ts';
import type { RetryClass } from './retry.ts';
import type { Reading } from './scope.ts';

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
    if (hasCodedError(body)) return { ok: false, failure: refusal(answer, body, reading) };
    return redirect(answer, reading, status === 304 ? NOT_MODIFIED : notFollowed(answer.headers));
  }
  if (status < 200 || status >= 400) return { ok: false, failure: refusal(answer, parse(answer.raw), reading) };
  if (answer.cut) {
    return unexpected(answer, reading, 'SDK_BODY_TOO_LARGE', 'never', 'the answer is larger than 10 MiB');
  }
  if (answer.broken) {
    const problem = 'the body of the answer broke off or is not UTF-8';
    return unexpected(answer, reading, 'SDK_UNREADABLE_BODY', 'unanswered', problem);
  }
  const body = parse(answer.raw);
  if (isRefusal(body, !endpoint.idempotent)) return { ok: false, failure: refusal(answer, body, reading) };
  // An operation that reads nothing from its answer accepts any body, also an empty one. `request` accepts an empty one.
  if (body === NOT_JSON) {
    const empty = decode(reading.data, answer.raw.trim() === '' ? undefined : NOT_JSON);
    if (empty.ok) return empty;
    return unexpected(answer, reading, 'SDK_UNREADABLE_BODY', 'unanswered', 'the body of the answer is not JSON');
  }
  const payload = payloadOf(body);
  const tooMany = excessProblem(payload, reading.pageSize);
  if (tooMany !== null) return unexpected(answer, reading, 'SDK_PAGE', 'never', tooMany, [], 'rejected');
  const isCopied = endpoint.idempotent && endpoint.operation !== 'request';
  if (isCopied && answer.raw.length > UNSUSPICIOUS && isTooWide(payload)) {
    const problem = `the answer has an object of more than ${MEMBERS_MAX} members`;
    return unexpected(answer, reading, 'SDK_CONTRACT', 'never', problem);
  }
  client.drift?.begin();
  const decoded = decode(reading.data, payload);
  if (decoded.ok) {
    const [first, ...more] = client.drift?.report(endpoint, body) ?? [];
    if (first === undefined) return decoded;
    return deviating(answer, reading, [first, ...more], decoded.value);
  }
  const problem = `the answer is not what the interface describes${firstFinding(decoded)}`;
  return unexpected(answer, reading, 'SDK_CONTRACT', 'never', problem, decoded.issues);
}

/** The failure of a success that `onDrift: 'throw'` refuses. The call has succeeded, so the error holds its data. */
function deviating(
  answer: Answer,
  reading: Reading<unknown>,
  departures: readonly Pick<DriftEvent, 'path' | 'kind'>[],
  data: unknown,
): { readonly ok: false; readonly failure: Failure } {
  const issues = departures.slice(0, SHOWN_MAX).map(({ path, kind }) => ({ path, message: kind }));
  const [first] = issues;
  const count = departures.length > 1 ? ` (${departures.length} findings)` : '';
  const problem = `the answer deviates from the interface: ${first?.path || 'data'} ${first?.message}${count}. The call succeeded, and data of this error has its result`;
  return unexpected(answer, reading, 'SDK_CONTRACT', 'never', problem, issues, 'unknown', { data });
}

/** Deviations in an error. */
const SHOWN_MAX = 20;

/** A shorter body is decoded fast, whatever it holds. */
const UNSUSPICIOUS = 256 * 1024;
/** More than any resource has. Copying an object of a million members takes ten times as long as parsing it. */
const MEMBERS_MAX = 1_000;
/** Nothing deeper is copied: data, page, row, member. */
const WIDE_DEEPEST = 4;

function isTooWide(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > WIDE_DEEPEST) return false;
  if (Array.isArray(value)) return value.some((item) => isTooWide(item, depth + 1));
  let members = 0;
  for (const name in value) {
    members += 1;
    if (members > MEMBERS_MAX || isTooWide(Reflect.get(value, name), depth + 1)) return true;
  }
  return false;
}

/** A page of this many items is decoded whatever was asked: the interface allows it. */
const ALWAYS_READ = 100;
const EXCESS = 10;

/** Returns the problem of a page with far more items than were asked for. Decoding it could block the process. */
function excessProblem(payload: unknown, asked: number | null): string | null {
  const items = isObject(payload) ? payload['items'] : null;
  if (typeof asked !== 'number' || !Array.isArray(items) || items.length <= Math.max(ALWAYS_READ, EXCESS * asked))
    return null;
  return `a page of ${asked} items was asked for and ${items.length} answered. The service may use other names for the query`;
}

/** Returns the first finding, and the number of findings if there are more. */
function firstFinding({ issues, isMore }: { readonly issues: readonly Issue[]; readonly isMore?: true }): string {
  const [first] = issues;
  if (first === undefined) return '';
  const total = isMore ? `more than ${issues.length}` : `${issues.length}`;
  return `: ${first.path === '' ? 'data' : first.path} ${first.message}${issues.length > 1 ? ` (${total} findings)` : ''}`;
}

function decode<Data>(check: Check<Data>, payload: unknown): ReturnType<Check<Data>> {
  try {
    return check(payload);
  } catch {
    // Very deep nesting overflows the stack inside the decoder.
    return { ok: false, issues: [{ path: '', message: 'is nested too deeply' }] };
  }
}

/** The result of {@link parse} for text that is not JSON. */
const NOT_JSON: unique symbol = Symbol('not JSON');

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return NOT_JSON;
  }
}

const PATH_MAX = 200;
const PROBLEM_MAX = 600;

function unexpected(
  answer: Answer,
  reading: Reading<unknown>,
  code: 'SDK_BODY_TOO_LARGE' | 'SDK_UNREADABLE_BODY' | 'SDK_CONTRACT' | 'SDK_PAGE' | 'SDK_REDIRECT',
  retryClass: RetryClass,
  problem: string,
  issues: readonly Issue[] = [],
  outcome: Outcome = 'unknown',
  success: { readonly data?: unknown } = {},
): { readonly ok: false; readonly failure: Failure } {
  const { status, requestId } = answer;
  const { redactor } = reading.client;
  const visible = (text: string, max: number) => printable(redactor.beginning(text, max));
  return {
    ok: false,
    failure: {
      code,
      status,
      outcome,
      retryClass,
      retryAfter: undefined,
      toError: (context) =>
        new UnexpectedResponseError({
          ...context,
          code,
          status,
          requestId,
          raw: excerpt(answer, redactor),
          ...success,
          issues: issues.map(({ path, message }) => ({ path: visible(path, PATH_MAX), message })),
          message: `${context.operation}: ${visible(problem, PROBLEM_MAX)} (HTTP ${status}).${'data' in success ? '' : afterUnknown(context)} ${seeExplain(code)}`,
        }),
    },
  };
}

const FOLLOWED =
  'the given fetch has followed a redirect, with the API key, and what answered is not known. Give a fetch that obeys redirect: "manual", and set baseUrl to the final address';
const NOT_MODIFIED =
  'something answers "not modified" to a request that was not conditional: a cache between you and the service. Exclude the service from it';

function redirect(answer: Answer, reading: Reading<unknown>, problem: string): { ok: false; failure: Failure } {
  // The sender of a redirect may have done the write before.
  const outcome = isWrite(reading.endpoint) ? 'unknown' : 'rejected';
  return unexpected(answer, reading, 'SDK_REDIRECT', 'never', problem, [], outcome);
}

function notFollowed(headers: Headers): string {
  const target = originIn(headers.get('location'));
  const to = target === null ? '' : ` to ${target}`;
  return `the service redirects${to}. Redirects are not followed, because the API key would be sent too. Set baseUrl to the final address`;
}

/** Returns the origin of a Location header. The rest of the header may hold anything. */
function originIn(location: string | null): string | null {
  return location !== null && URL.canParse(location) ? new URL(location).origin : null;
}
