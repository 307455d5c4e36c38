// The loop of one call: attempts, waits, and the reason to stop. It is the only place that repeats requests.

import { keyProblem } from '../errors/checks.ts';
import type { AttemptRecord, ErrorCode, StoppedBy } from '../errors/codes.ts';
import { hiding, shown } from '../errors/hide.ts';
import { printable } from '../errors/printable.ts';
import { aborted, attemptTimeout, connectionFailure, deadlinePassed, OVER_BEFORE, unusableKey } from './failure.ts';
import { emit, eventFacts } from './hooks.ts';
import { Attempt, exchange } from './http.ts';
import { pause, shortestAttempt } from './limits.ts';
import { readResponse } from './response.ts';
import { nextWait, outcomeOf } from './retry.ts';
import type { ApiKey, Failure, OpenCall, Result, ServiceResponse } from './types.ts';

/**
 * Sends an open call until it succeeds or may not be repeated.
 *
 * When one call is rate limited, the client's other calls wait too, before each attempt. Exceptions: the first attempt
 * of a write, the reads that follow a conflict, and a call that has no time to wait.
 */
export async function send<Data>(call: OpenCall<Data>): Promise<Result<Data>> {
  const { client, endpoint, signal, retry } = call;
  const { hooks, limit, runtime } = client;
  const failed: AttemptRecord[] = [];
  let lastFailure: Failure | null = null;
  const shortest = shortestAttempt(call.timeout, call.deadlineAt - call.startedAt);
  const timeLeft = (): number => Math.max(0, call.deadlineAt - runtime.monotonic());
  const limitWait = (): number => limit.wait(retry.maxRetryAfter, timeLeft() - shortest);
  const stop = (failure: Failure, stoppedBy: StoppedBy): Failure => {
    return { ...failure, attempts: failed, outcome: outcomeOf(failed), stoppedBy };
  };

  if (signal?.aborted) return stop(aborted(signal.reason, 'not_sent', OVER_BEFORE), 'aborted');
  for (let attempt = 1, backoff = 0; ; attempt += 1) {
    if (backoff > 0) await pause(runtime, backoff, signal);
    const wait = attempt === 1 && call.isUrgent ? 0 : limitWait();
    if (wait > 0) await pause(runtime, wait, signal);
    if (signal?.aborted) return stop(aborted(signal.reason, 'not_sent'), 'aborted');
    const left = timeLeft();
    if (left <= 0) return stop(lastFailure ?? deadlinePassed(call.deadline, 'not_sent'), 'deadline');

    const event = hooks.length === 0 ? null : { ...eventFacts(call), attempt };
    const startedAt = runtime.monotonic();
    if (event !== null) emit(hooks, 'onRequest', event);
    const result = await makeAttempt(call, left);
    const response = responseOf(result);
    if (event !== null && response !== null) {
      const { status, requestId } = response;
      emit(hooks, 'onResponse', { ...event, status, requestId, durationMs: runtime.monotonic() - startedAt });
    }
    if (result.ok) return { ...result, attempts: attempt, durationMs: runtime.monotonic() - call.startedAt };

    const { code, status, outcome } = result;
    failed.push({ code, status, outcome });
    if (code === 'SDK_ABORTED') return stop(result, 'aborted');
    if (code === 'SDK_DEADLINE') return stop(lastFailure ?? result, 'deadline');
    lastFailure = result;
    const next = nextWait(result, attempt, endpoint.idempotent, retry, timeLeft() - shortest, () => runtime.random());
    if (result.retryClass === 'rate_limit') limit.hold(result.retryAfter ?? ('wait' in next ? next.wait : 0));
    if ('stop' in next) return stop(result, next.stop);
    backoff = next.wait;
    if (event !== null) {
      emit(hooks, 'onRetry', { ...event, code: printable(code) as ErrorCode, status, outcome, delayMs: backoff });
    }
  }
}

/** The response of an attempt, or null if there was none. */
export function responseOf(result: Result<unknown>): ServiceResponse | null {
  if (result.ok) return result.response;
  return 'response' in result.facts ? result.facts.response : null;
}

/** The most characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

/** Makes one attempt: reads the key, sends the request, and returns the decoded data or a failure. */
async function makeAttempt<Data>(call: OpenCall<Data>, timeLeft: number): Promise<Result<Data>> {
  const { client, timeout, signal } = call;
  const { apiKey } = client;
  const attempt = new Attempt(client.runtime, client.hide, timeout, timeLeft, signal);
  let isKeyMissing = typeof apiKey !== 'string';
  let response: ServiceResponse;
  try {
    if (typeof apiKey === 'string') attempt.key = apiKey;
    else {
      const { key, problem } = await attempt.race(readKey(apiKey));
      if (key === null) return unusableKey(problem);
      attempt.key = key;
      attempt.hide = hiding([key, ...client.secrets]);
      isKeyMissing = false;
    }
    response = await exchange(client.http, call, attempt);
  } catch (thrown) {
    if (isKeyMissing && attempt.interruption === 'timeout')
      return unusableKey(`the apiKey function gave no key within ${timeout} ms (option "timeout")`);
    return failureOf(thrown, attempt, call);
  } finally {
    attempt.end();
  }
  return readResponse(response, call);
}

/** Reads the key of one attempt. */
async function readKey(
  apiKey: Exclude<ApiKey, string>,
): Promise<{ readonly key: string | null; readonly problem: string }> {
  let key: unknown;
  try {
    key = await apiKey();
  } catch (error) {
    // The error is not kept, because its message may hold the key.
    return { key: null, problem: `the apiKey function failed${kindOfError(error)}` };
  }
  const problem = keyProblem(key);
  return {
    key: problem === null ? String(key) : null,
    problem: `the key that the apiKey function returned ${problem}`,
  };
}

/** The class of an error, with its code or that of its cause, in brackets. Text that is no such name is left out. */
function kindOfError(error: unknown): string {
  try {
    const thrown = error as Partial<Error> & { code?: unknown; cause?: { code?: unknown } }; // any value: each member is checked
    const ofClass = thrown.name === 'Error' ? thrown.constructor?.name : thrown.name; // a class seldom sets its name
    const names = [ofClass, thrown.code ?? thrown.cause?.code].filter(
      (each) => typeof each === 'string' && ERROR_NAME.test(each),
    );
    return names.length === 0 ? '' : ` (${names.join(', ')})`;
  } catch {
    return ''; // a getter threw, or nothing was thrown
  }
}

/** Of a class, such as `TypeError`, or of a code, such as `ECONNREFUSED` or `ERR_INVALID_URL`. */
const ERROR_NAME = /^(?:[A-Z][A-Za-z]{2,39}|[A-Z][A-Z_]{2,39})$/;

/** The failure of an attempt that threw: why it was cut short, otherwise what the platform says. */
function failureOf(thrown: unknown, attempt: Attempt, scope: OpenCall<unknown>): Failure {
  const outcome = attempt.sent ? 'unknown' : 'not_sent';
  switch (attempt.interruption) {
    case 'aborted':
      return aborted(scope.signal?.reason, outcome);
    case 'timeout':
      return attemptTimeout(scope.timeout, outcome);
    case 'deadline':
      return deadlinePassed(scope.deadline, outcome);
    case null:
      return connectionFailure(
        thrown,
        attempt.sent,
        (text) => shown(attempt.hide, text, SHOWN_MAX),
        attempt.threw && scope.client.hasOwnFetch,
      );
  }
}
