// The loop of one call: attempts, waits, and the reason to stop. It is the only place that repeats requests.

import { keyProblem } from '../errors/checks.ts';
import type { AttemptRecord, StoppedBy } from '../errors/codes.ts';
import { hiding, shown } from '../errors/hide.ts';
import { notify } from '../errors/notify.ts';
import { printable } from '../errors/printable.ts';
import { aborted, attemptTimeout, connectionFailure, deadlinePassed, unusableKey } from './failure.ts';
import { eventFacts } from './hooks.ts';
import { Attempt, exchange } from './http.ts';
import { pause, shortestAttempt } from './limits.ts';
import { readResponse } from './response.ts';
import { nextWait, outcomeOf } from './retry.ts';
import type { ApiKey, CompleteOptions, Failure, OpenCall, Sent, ServiceResponse } from './types.ts';

/** Sends an open call until it succeeds or may not be repeated. */
export async function send<Data>(call: OpenCall<Data>): Promise<Sent<Data>> {
  const { client, endpoint, signal, retry } = call;
  const { budget, gate, hooks, runtime } = client;
  const failed: AttemptRecord[] = [];
  let lastFailure: Failure | null = null;
  let lastCost: number | null = null;
  const shortest = shortestAttempt(call.timeout, call.deadlineAt - call.startedAt);
  const timeLeft = (): number => Math.max(0, call.deadlineAt - runtime.monotonic());
  const stop = (failure: Failure, stoppedBy: StoppedBy, retryAfter?: number): Stopped => ({
    ok: false,
    failed: {
      failure,
      operation: endpoint.operation,
      externalId: call.externalId === null ? null : client.hide(call.externalId),
      attempts: failed,
      outcome: outcomeOf(failed),
      stoppedBy,
      isWrite: endpoint.method !== 'GET',
      page: call.page,
      retryAfter,
      endpoint,
      sent: call.sent,
    },
  });
  /**
   * Returns the wait at the gate, or the end of a call that cannot wait: its own last failure, or the one that closed
   * the gate.
   */
  const gateWait = (): number | Stopped => {
    const closed = gate.closed();
    if (closed === null) return 0;
    const { left, wait, limited } = closed;
    const own = lastFailure;
    const stopAtGate = (by: StoppedBy): Stopped => (own === null ? stop(limited, by, Math.ceil(left)) : stop(own, by));
    if (left > retry.maxRetryAfter) return stopAtGate('retry_after');
    return wait > timeLeft() - shortest ? stopAtGate('deadline') : wait;
  };

  for (let attempt = 1, wait = gateWait(); ; attempt += 1) {
    if (typeof wait !== 'number') return wait;
    if (wait > 0) {
      await pause(runtime, wait, signal);
      const further = gateWait(); // another call may have met a rate limit during the wait
      if (typeof further !== 'number') return further;
      if (further > 0) await pause(runtime, further, signal);
    }
    if (signal?.aborted) return stop(aborted(signal.reason, 'not_sent'), 'aborted');
    const left = timeLeft();
    if (left <= 0) return stop(lastFailure ?? deadlinePassed(call.deadline, 'not_sent'), 'deadline');

    const event =
      hooks === null ? null : { ...eventFacts(endpoint, call.callId, call.externalId, client.hide), attempt };
    const startedAt = runtime.monotonic();
    if (event !== null) notify(() => hooks?.onRequest?.(event));
    const result = await sendOnce(call, left);
    if (event !== null && result.response !== null) {
      const { status, requestId } = result.response;
      const durationMs = runtime.monotonic() - startedAt;
      notify(() => hooks?.onResponse?.({ ...event, status, requestId, durationMs }));
    }
    if (result.ok) {
      budget.give(lastCost);
      const { value, response } = result;
      const durationMs = runtime.monotonic() - call.startedAt;
      return { ok: true, success: { value, response, attempts: attempt, durationMs, recovered: false } };
    }

    const { failure } = result;
    const { code, status, outcome } = failure;
    failed.push({ code, status, outcome });
    if (code === 'SDK_ABORTED') return stop(failure, 'aborted');
    if (code === 'SDK_DEADLINE') return stop(lastFailure ?? failure, 'deadline');
    lastFailure = failure;
    const next = nextWait(failure, attempt, endpoint.idempotent, retry, timeLeft() - shortest, () => runtime.random());
    // Read before this failure closes the gate, because its own wait, `next.wait`, already has its jitter.
    const closedByOthers = 'stop' in next ? 0 : gateWait();
    if (failure.retryClass === 'rate_limit') {
      gate.close(failure.retryAfter ?? ('wait' in next ? next.wait : 0), failure);
    }
    if ('stop' in next) return stop(failure, next.stop);
    if (typeof closedByOthers !== 'number') return closedByOthers;
    lastCost = budget.take(failure.retryClass);
    if (lastCost === null) return stop(failure, 'budget');
    wait = Math.max(next.wait, closedByOthers);
    const delayMs = wait;
    if (event !== null) notify(() => hooks?.onRetry?.({ ...event, code: printable(code), status, outcome, delayMs }));
  }
}

type Stopped = Extract<Sent<never>, { readonly ok: false }>;

type AttemptResult<Data> =
  | { readonly ok: true; readonly value: Data; readonly response: ServiceResponse }
  | { readonly ok: false; readonly failure: Failure; readonly response: ServiceResponse | null };

/** The most characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

/** Makes one attempt: reads the key, sends the request, and returns the decoded data or a failure. */
async function sendOnce<Data>(call: OpenCall<Data>, timeLeft: number): Promise<AttemptResult<Data>> {
  const { client, timeout, signal } = call;
  const { apiKey } = client;
  const attempt = new Attempt(client.runtime, client.hide, timeout, timeLeft, signal);
  try {
    if (typeof apiKey === 'string') attempt.key = apiKey;
    else {
      const { key, problem } = await attempt.race(readKey(apiKey));
      if (key === null) return { ok: false, failure: unusableKey(problem), response: null };
      attempt.key = key;
      attempt.hide = hiding([key, ...client.secrets]);
    }
    const response = await exchange(client.http, call, attempt);
    return { ...readResponse(response, call), response };
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, attempt, call), response: null };
  } finally {
    attempt.end();
  }
}

/** Reads the key of one attempt. */
async function readKey(
  apiKey: Exclude<ApiKey, string>,
): Promise<{ readonly key: string | null; readonly problem: string }> {
  let key: unknown;
  try {
    key = await apiKey();
  } catch {
    // The error is not kept, because it may hold the key.
    return { key: null, problem: 'the apiKey function failed' };
  }
  const problem = keyProblem(key);
  return {
    key: problem === null ? String(key) : null,
    problem: `the key that the apiKey function returned ${problem}`,
  };
}

/** Returns the failure of an attempt that threw: why it was cut short, otherwise what the platform says. */
function failureOf(thrown: unknown, attempt: Attempt, scope: CompleteOptions): Failure {
  const outcome = attempt.sent ? 'unknown' : 'not_sent';
  switch (attempt.interruption) {
    case 'aborted':
      return aborted(scope.signal?.reason, outcome);
    case 'timeout':
      return attemptTimeout(scope.timeout, outcome);
    case 'deadline':
      return deadlinePassed(scope.deadline, outcome);
    case null:
      return connectionFailure(thrown, attempt.sent, (text) => shown(attempt.hide, text, SHOWN_MAX));
  }
}
