import { payloadOf } from '../../contract/envelope.ts';
import { isObject } from '../../contract/json.ts';
import type { Check, Issue } from '../../contract/values/codecs.ts';
import { UnexpectedResponseError } from '../../errors/classes.ts';
import type { Outcome } from '../../errors/codes.ts';
import { printable } from '../../printable.ts';
import { afterUnknown, type Failure } from '../failure.ts';
import type { RetryClass } from '../retry.ts';
import { type Answer, excerpt, type Reading } from './answer.ts';
import { refusal } from './refusal.ts';
import { hasCodedError, isRefusal } from './refusal-body.ts';

export type Read<Data> =
  | { readonly ok: true; readonly value: Data }
  | { readonly ok: false; readonly failure: Failure };

/** An answer as decoded data, or as the failure that it is. */
export function readAnswer<Data>(answer: Answer, reading: Reading<Data>): Read<Data> {
  const { status } = answer;
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
  if (isRefusal(body, !reading.isIdempotent)) return { ok: false, failure: refusal(answer, body, reading) };
  // An operation that reads nothing from its answer takes any body, even none.
  if (body === NOT_JSON) {
    const empty = reading.data(undefined);
    if (empty.ok) return empty;
    return unexpected(answer, reading, 'SDK_UNREADABLE_BODY', 'unanswered', 'the body of the answer is not JSON');
  }
  const payload = payloadOf(body);
  const tooMany = excess(payload, reading.pageSize);
  if (tooMany !== null) return unexpected(answer, reading, 'SDK_PAGE', 'never', tooMany, [], 'rejected');
  if (reading.isIdempotent && answer.raw.length > UNSUSPICIOUS && isTooWide(payload)) {
    const problem = `the answer has an object of more than ${MEMBERS_MAX} members`;
    return unexpected(answer, reading, 'SDK_CONTRACT', 'never', problem);
  }
  const decoded = decode(reading.data, payload);
  if (decoded.ok) {
    reading.onDecoded?.(body);
    return decoded;
  }
  const problem = `the answer is not what the interface describes${found(decoded)}`;
  return unexpected(answer, reading, 'SDK_CONTRACT', 'never', problem, decoded.issues);
}

/** A body of so many characters is decoded in no time, whatever it holds. */
const UNSUSPICIOUS = 256 * 1024;
/** No resource has so many. Copying objects of a million members takes ten times as long as parsing them. */
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

/** What is wrong with a page of far more items than were asked for; decoding it could hold the process up. */
function excess(payload: unknown, asked: number | null): string | null {
  const items = isObject(payload) ? payload['items'] : null;
  if (typeof asked !== 'number' || !Array.isArray(items) || items.length <= Math.max(ALWAYS_READ, EXCESS * asked))
    return null;
  return `a page of ${asked} items was asked for and ${items.length} answered. The service may use other names for the query; see docs/pagination.md`;
}

/** The first finding, and how many there are where there are more. */
function found({ issues, isMore }: { readonly issues: readonly Issue[]; readonly isMore?: true }): string {
  const [first] = issues;
  if (first === undefined) return '';
  const total = isMore ? `more than ${issues.length}` : `${issues.length}`;
  return `: ${first.path === '' ? 'data' : first.path} ${first.message}${issues.length > 1 ? ` (${total} findings)` : ''}`;
}

function decode<Data>(check: Check<Data>, payload: unknown): ReturnType<Check<Data>> {
  try {
    return check(payload);
  } catch {
    // Absurdly deep nesting overflows the stack inside the decoder.
    return { ok: false, issues: [{ path: '', message: 'is nested too deeply' }] };
  }
}

/** What {@link parse} gives for text that is not JSON. */
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
): { readonly ok: false; readonly failure: Failure } {
  const { status, requestId } = answer;
  const { redactor } = reading;
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
          issues: issues.map(({ path, message }) => ({ path: visible(path, PATH_MAX), message })),
          message: `${context.operation}: ${visible(problem, PROBLEM_MAX)} (HTTP ${status}).${afterUnknown(context)} See docs/errors.md#${code.toLowerCase()}.`,
        }),
    },
  };
}

const FOLLOWED =
  'the given fetch has followed a redirect, with the API key, and what answered is not known. Give a fetch that obeys redirect: "manual", and set baseUrl to the final address';
const NOT_MODIFIED =
  'something answers "not modified" to a request that was not conditional: a cache between you and the service. Exclude the service from it';

function redirect(answer: Answer, reading: Reading<unknown>, problem: string): { ok: false; failure: Failure } {
  // Whoever redirects a write may have done it first.
  const outcome = reading.isWrite ? 'unknown' : 'rejected';
  return unexpected(answer, reading, 'SDK_REDIRECT', 'never', problem, [], outcome);
}

function notFollowed(headers: Headers): string {
  const target = originOf(headers.get('location'));
  const to = target === null ? '' : ` to ${target}`;
  return `the service redirects${to}; redirects are not followed, because the API key would go along. Set baseUrl to the final address`;
}

/** Only the origin is shown: the rest of a Location may hold anything. */
function originOf(location: string | null): string | null {
  return location !== null && URL.canParse(location) ? new URL(location).origin : null;
}
