import { type ApiErrorKind, isUnfinished, type Outcome, type StoppedBy } from '../errors/codes.ts';
import type { Failure, RetryClass, RetryPolicy } from './types.ts';

/** The shortest backoff. A retry without a wait would load a service that already fails. */
const TRANSIENT_FLOOR = 50;
const RATE_LIMIT_FLOOR = 500;
/** After a rate limit without Retry-After, the backoff begins at twice the base. */
const RATE_LIMIT_FACTOR = 2;
/**
 * The largest share that is added to Retry-After at random: never earlier than the service asked, and not all clients
 * at once.
 */
const RETRY_AFTER_JITTER = 0.2;

/** The facts about a failed attempt that the policy uses. */
export interface FailedAttempt {
  readonly retryClass: RetryClass;
  readonly outcome: Outcome;
  /** The wait that the service asked for. */
  readonly retryAfter: number | undefined;
}

/** Whether an error response of this kind may be retried. */
export function retryClassOf(kind: ApiErrorKind, status: number): RetryClass {
  if (kind === 'rate_limit') return 'rate_limit';
  if (kind === 'server') return status === 501 || status === 505 ? 'never' : 'transient';
  return isUnfinished(kind, status) || (kind === 'request' && status === 425) ? 'transient' : 'never';
}

/** True if this failure may be retried, by the table in docs/service-interface.md#handling-strategy. */
function isRetryable(failure: FailedAttempt, idempotent: boolean): boolean {
  switch (failure.retryClass) {
    case 'never':
      return false;
    case 'rate_limit':
      return true; // the service did not do the work
    case 'transient':
      return idempotent;
    case 'unanswered':
      return idempotent || failure.outcome === 'not_sent';
  }
}

/** The wait after the failed attempt with this number, or why no other attempt follows. */
export function nextWait(
  failure: FailedAttempt,
  attempt: number,
  idempotent: boolean,
  policy: RetryPolicy,
  timeLeft: number,
  random: () => number,
): { readonly wait: number } | { readonly stop: StoppedBy } {
  if (!isRetryable(failure, idempotent)) return { stop: 'not_retryable' };
  if (attempt >= policy.attempts) return { stop: 'attempts' };
  if (failure.retryAfter !== undefined && failure.retryAfter > policy.maxRetryAfter) return { stop: 'retry_after' };
  const delay = backoff(failure.retryClass, attempt, policy, random);
  const wait =
    failure.retryAfter === undefined
      ? delay
      : Math.max(failure.retryAfter, delay) * (1 + RETRY_AFTER_JITTER * random());
  return wait >= timeLeft ? { stop: 'deadline' } : { wait };
}

/** The exponential backoff, with full jitter and a shortest wait. */
function backoff(retryClass: RetryClass, attempt: number, policy: RetryPolicy, random: () => number): number {
  const isRateLimit = retryClass === 'rate_limit';
  const base = isRateLimit ? policy.baseDelay * RATE_LIMIT_FACTOR : policy.baseDelay;
  // The exponent is bounded, because 2 ** 1024 is Infinity and 0 times that is NaN.
  const ceiling = Math.min(policy.maxDelay, base * 2 ** Math.min(attempt - 1, 30));
  const floor = Math.min(isRateLimit ? RATE_LIMIT_FLOOR : TRANSIENT_FLOOR, ceiling);
  return Math.max(floor, ceiling * random());
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)[ ,].{10,40}$/;

/**
 * The wait that a response asks for, in milliseconds. A date is compared with the Date header of the response, so
 * that a wrong clock on either side changes nothing. `now`, the wall clock, is used only without that header.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  return readRetryAfter(headers.get('retry-after'), httpDate(headers.get('date')?.trim() ?? '') ?? now);
}

/** Reads Retry-After, seconds or an HTTP date, as milliseconds. Returns undefined when it is absent or unreadable. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const at = httpDate(value);
  return at === undefined ? undefined : Math.max(0, at - now);
}

function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(text) ? text : `${text} GMT`); // asctime dates have no zone and mean GMT
  return Number.isNaN(at) ? undefined : at;
}

/** A failure as if the call had made only this attempt. */
export function failureAlone(
  own: Pick<Failure, 'code' | 'status' | 'outcome' | 'retryClass' | 'facts'> & Partial<Failure>,
): Failure {
  return { ok: false, retryAfter: undefined, attempts: [], stoppedBy: 'not_retryable', ...own };
}

/** The outcome of a call from those of its attempts: a single unknown one makes it unknown. */
export function outcomeOf(attempts: readonly { readonly outcome: Outcome }[]): Outcome {
  if (attempts.some((attempt) => attempt.outcome === 'unknown')) return 'unknown';
  return attempts.some((attempt) => attempt.outcome === 'rejected') ? 'rejected' : 'not_sent';
}
