import type { Check, Issue } from '../contract/codecs.ts';
import { isObject, payloadOf } from '../contract/envelope.ts';
import type { Outcome } from '../error-codes.ts';
import { UnexpectedResponseError } from '../errors.ts';
import { type Answer, excerpt, type Reading } from './answer.ts';
import { afterUnknown, type Failure } from './failure.ts';
import { refusal } from './refusal.ts';
import type { RetryClass } from './retry.ts';

export type Read<Data> =
  | { readonly ok: true; readonly value: Data }
  | { readonly ok: false; readonly failure: Failure };

/** An answer as decoded data, or as the failure that it is. */
export function readAnswer<Data>(answer: Answer, reading: Reading<Data>): Read<Data> {
  const { status } = answer;
  // Status 0 is how browsers and workers show a redirect that was not followed.
  if (status === 0 || (status >= 300 && status < 400)) return { ok: false, failure: redirect(answer, reading) };
  if (status < 200 || status >= 400) return { ok: false, failure: refusal(answer, parse(answer.raw), reading) };
  if (answer.cut) {
    return unexpected(answer, reading, 'SDK_BODY_TOO_LARGE', 'never', 'the answer is larger than 10 MiB');
  }
  if (answer.broken) {
    return unexpected(
      answer,
      reading,
      'SDK_UNREADABLE_BODY',
      'unanswered',
      'the body of the answer broke off or is not UTF-8',
    );
  }
  const body = parse(answer.raw);
  if (isRefusal(body)) return { ok: false, failure: refusal(answer, body, reading) };
  // An operation that reads nothing from its answer takes any body, even none.
  if (body === NOT_JSON) {
    const empty = reading.data(undefined);
    if (empty.ok) return empty;
    return unexpected(answer, reading, 'SDK_UNREADABLE_BODY', 'unanswered', 'the body of the answer is not JSON');
  }
  const decoded = decode(reading.data, payloadOf(body));
  if (decoded.ok) {
    reading.onDecoded?.(body);
    return decoded;
  }
  const [first] = decoded.issues;
  const where = first === undefined ? '' : `: ${first.path === '' ? 'data' : first.path} ${first.message}`;
  return unexpected(
    answer,
    reading,
    'SDK_CONTRACT',
    'never',
    `the answer is not what the interface describes${where}`,
    decoded.issues,
  );
}

function decode<Data>(check: Check<Data>, payload: unknown): ReturnType<Check<Data>> {
  try {
    return check(payload);
  } catch {
    // Absurdly deep nesting overflows the stack inside the decoder.
    return { ok: false, issues: [{ path: '', message: 'is nested too deeply' }] };
  }
}

/** Under a 2xx: by the envelope's flag, or, where that is left out, by an error with a code. */
function isRefusal(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { success, error } = body;
  const isError = isObject(error) && typeof error['code'] === 'string';
  // An attempt of a delivery has a flag of that name as well: resend may answer the one that it started.
  const isAttempt = Object.hasOwn(body, 'duration_ms') || Object.hasOwn(body, 'triggered_by');
  return success === false ? isError || !isAttempt : (success ?? null) === null && isError;
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

function unexpected(
  answer: Answer,
  reading: Reading<unknown>,
  code: 'SDK_BODY_TOO_LARGE' | 'SDK_UNREADABLE_BODY' | 'SDK_CONTRACT' | 'SDK_REDIRECT',
  retryClass: RetryClass,
  problem: string,
  issues: readonly Issue[] = [],
  outcome: Outcome = 'unknown',
): { readonly ok: false; readonly failure: Failure } {
  const { status, requestId } = answer;
  const { redactor } = reading;
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
          issues: issues.map(({ path, message }) => ({ path: redactor.text(path), message })),
          message: `${context.operation}: ${redactor.text(problem)} (HTTP ${status}).${afterUnknown(context)} See docs/errors.md#${code.toLowerCase()}.`,
        }),
    },
  };
}

function redirect(answer: Answer, reading: Reading<unknown>): Failure {
  const target = originOf(answer.headers.get('location'));
  const to = target === null ? '' : ` to ${target}`;
  return unexpected(
    answer,
    reading,
    'SDK_REDIRECT',
    'never',
    `the service redirects${to}; redirects are not followed, because the API key would go along. Set baseUrl to the final address`,
    [],
    'rejected',
  ).failure;
}

/** Only the origin is shown: the rest of a Location may hold anything. */
function originOf(location: string | null): string | null {
  return location !== null && URL.canParse(location) ? new URL(location).origin : null;
}
