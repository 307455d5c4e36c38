// The room `transport` carries one call over HTTP, from its checked input to its data or its typed error.
// It imports contract, errors, checks and printable, and nothing of the rooms that use it.
import { notify } from '../callbacks.ts';
import { keyProblem } from '../checks.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { AttemptRecord, StoppedBy } from '../errors/codes.ts';
import { type AnyMerchantError, type CallError, isMerchantError } from '../errors/guards.ts';
import { printable } from '../printable.ts';
import { readAnswer } from './answer.ts';
import {
  aborted,
  attemptTimeout,
  connectionFailure,
  deadlinePassed,
  type Failure,
  isWrite,
  recordOf,
  unusableKey,
} from './failure.ts';
import { type Hide, hiding, shown } from './hide.ts';
import { CallId, type EndEvent, type ErrorEvent } from './hooks.ts';
import { type Answer, Attempt, exchange } from './http.ts';
import type { CallOptions } from './options.ts';
import { nextWait, outcomeOf, shortestAttempt } from './retry.ts';
import { pause } from './runtime.ts';
import {
  type ApiKey,
  type CallScope,
  type CallSpec,
  type ClientCore,
  callFacts,
  openCall,
  shownExternalId,
} from './scope.ts';

/** A call that has succeeded, and the answer that its data came with. */
export interface Success<T> {
  readonly value: T;
  readonly answer: Answer;
  /** Requests made, the successful one included. */
  readonly attempts: number;
  readonly durationMs: number;
  /** True when one of the call's attempts that got no answer had created the invoice, and it was read back. */
  readonly recovered: boolean;
}

/**
 * Sends an open call until it succeeds or may not be repeated. This is the only place that repeats requests, and the only
 * one that turns a failure into the error that the caller sees.
 */
export async function sendCall<Data>(scope: CallScope<Data>): Promise<Success<Data>> {
  const { client, endpoint, signal, retry } = scope;
  const { budget, gate, hooks, runtime } = client;
  const failed: AttemptRecord[] = [];
  let lastFailure: Failure | null = null;
  let lastCost: number | null = null;
  const timeLeft = (): number => Math.max(0, scope.deadlineAt - runtime.monotonic());
  const shortest = shortestAttempt(scope.timeout, scope.deadlineAt - scope.startedAt);
  const errorOf = (failure: Failure, stoppedBy: StoppedBy) => callError(scope, failure, failed, stoppedBy);
  const sleep = async (milliseconds: number): Promise<void> => {
    if (milliseconds > 0) await pause(runtime, milliseconds, signal);
    if (signal?.aborted) throw errorOf(aborted(signal.reason, 'not_sent'), 'aborted');
  };
  /** The wait at the gate. A call that cannot wait fails at once with the answer that closed the gate. */
  const gateWait = (): number => {
    const closed = gate.closed();
    if (closed === null) return 0;
    const { left, limited } = closed;
    const toError: Failure['toError'] = (context) => limited.toError({ ...context, retryAfter: Math.ceil(left) });
    const failure = lastFailure ?? { ...limited, toError };
    if (left > retry.maxRetryAfter) throw errorOf(failure, 'retry_after');
    const wait = gate.wait();
    if (wait > timeLeft() - shortest) throw errorOf(failure, 'deadline');
    return wait;
  };

  for (let attempt = 1; ; attempt += 1) {
    await sleep(gateWait());
    const left = timeLeft();
    if (left <= 0) throw errorOf(lastFailure ?? deadlinePassed(scope.deadline, 'not_sent'), 'deadline');

    const event = hooks === null ? null : { ...callFacts(client, endpoint, scope), attempt };
    const startedAt = runtime.monotonic();
    if (event !== null) notify(() => hooks?.onRequest?.(event));
    const result = await sendOnce(scope, left);
    if (event !== null && result.answer !== null) {
      const { status, requestId } = result.answer;
      const durationMs = runtime.monotonic() - startedAt;
      notify(() => hooks?.onResponse?.({ ...event, status, requestId, durationMs }));
    }
    if (result.ok) {
      budget.give(lastCost);
      const durationMs = runtime.monotonic() - scope.startedAt;
      return { value: result.value, answer: result.answer, attempts: attempt, durationMs, recovered: false };
    }

    const { failure } = result;
    failed.push(recordOf(failure));
    if (failure.code === 'SDK_ABORTED') throw errorOf(failure, 'aborted');
    if (failure.code === 'SDK_DEADLINE') throw errorOf(lastFailure ?? failure, 'deadline');
    lastFailure = failure;
    const next = nextWait(failure, attempt, endpoint.idempotent, retry, timeLeft() - shortest, runtime.random);
    // Asked before this failure closes the gate, because the wait of a rate limit has its jitter already.
    const closedByOthers = 'stop' in next ? 0 : gateWait();
    if (failure.retryClass === 'rate_limit') {
      const asked = failure.retryAfter ?? ('wait' in next ? next.wait : 0);
      // The other calls of the client wait as well, unless that is longer than any call waits.
      if (asked <= retry.maxRetryAfter) gate.close(asked, failure);
    }
    if ('stop' in next) throw errorOf(failure, next.stop);
    lastCost = budget.take(failure.retryClass);
    if (lastCost === null) throw errorOf(failure, 'budget');
    const delayMs = Math.max(next.wait, closedByOthers);
    if (event !== null) {
      const record = recordOf(failure);
      notify(() => hooks?.onRetry?.({ ...event, ...record, code: printable(record.code), delayMs }));
    }
    await sleep(delayMs);
  }
}

type AttemptResult<Data> =
  | { readonly ok: true; readonly value: Data; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure; readonly answer: Answer | null };

/** One attempt: key, request, body, envelope, and data or a failure. */
async function sendOnce<Data>(scope: CallScope<Data>, timeLeft: number): Promise<AttemptResult<Data>> {
  const { client, timeout, signal } = scope;
  const { apiKey } = client;
  const attempt = new Attempt(client.runtime, timeout, timeLeft, signal);
  let { hide } = client;
  try {
    if (typeof apiKey === 'string') attempt.key = apiKey;
    else {
      const { key, problem } = await attempt.race(readKey(apiKey));
      if (key === null) return { ok: false, failure: unusableKey(problem), answer: null };
      attempt.key = key;
      hide = hiding([key, ...client.secrets]);
    }
    const answer = await exchange(client.http, scope, attempt, hide);
    return { ...readAnswer(answer, scope), answer };
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, attempt, scope, hide), answer: null };
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
    // The error is not kept, because the error of a vault may hold the key.
    return { key: null, problem: 'the apiKey function failed' };
  }
  const problem = keyProblem(key);
  return { key: problem === null ? String(key) : null, problem: `what the apiKey function gave ${problem}` };
}

/** Characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

function failureOf(thrown: unknown, attempt: Attempt, scope: CallScope<unknown>, hide: Hide): Failure {
  const outcome = attempt.sent ? 'unknown' : 'not_sent';
  switch (attempt.interruption) {
    case 'aborted':
      return aborted(scope.signal?.reason, outcome);
    case 'timeout':
      return attemptTimeout(scope.timeout, outcome);
    case 'deadline':
      return deadlinePassed(scope.deadline, outcome);
    case null:
      return connectionFailure(thrown, attempt.sent, (text) => shown(hide, text, SHOWN_MAX));
  }
}

function callError(
  { client, endpoint, externalId, page }: CallScope<unknown>,
  failure: Failure,
  attempts: readonly AttemptRecord[],
  stoppedBy: StoppedBy,
): CallError {
  return failure.toError({
    operation: endpoint.operation,
    externalId: shownExternalId(client, externalId),
    attempts,
    outcome: outcomeOf(attempts),
    stoppedBy,
    isWrite: isWrite(endpoint),
    page,
  });
}

/** One whole call: opens it, sends it, and tells how it ended. */
export function runCall<Data>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  spec: CallSpec<Data>,
  options?: CallOptions,
  report?: FailureReport,
): Promise<Success<Data>> {
  return observed(client, endpoint, () => openCall(client, endpoint, spec, options), sendCall, report);
}

/** How the failure of a call is reported. */
export interface FailureReport {
  /** Recognises failures that the client handles itself. */
  readonly mayFail?: ((error: AnyMerchantError) => boolean) | undefined;
  /** Takes the event in place of the hooks, for a failure that may not matter in the end. */
  readonly onFailure?: (event: ErrorEvent, error: unknown) => void;
}

/**
 * Does the work of one call, and tells the hooks how it ended, once.
 *
 * @param open Reads the arguments of the caller. Its error is the failure of the call.
 * @param send Sends the requests of the call.
 */
export async function observed<Data, Result extends Success<unknown>>(
  client: ClientCore,
  endpoint: Named<Endpoint<unknown>>,
  open: () => CallScope<Data>,
  send: (scope: CallScope<Data>) => Promise<Result>,
  report: FailureReport = {},
): Promise<Result> {
  const { hooks, runtime } = client;
  if (hooks === null) return send(open());
  const startedAt = runtime.monotonic();
  let scope: CallScope<Data> | null = null;
  try {
    scope = open();
    const result = await send(scope);
    const facts = callFacts(client, scope.endpoint, scope);
    notify(() => hooks.onEnd?.({ ...facts, ...endOf(result) }));
    return result;
  } catch (error) {
    if (!isMerchantError(error)) throw error;
    const about = scope ?? { callId: new CallId(), externalId: error.externalId };
    const facts = callFacts(client, scope?.endpoint ?? endpoint, about);
    const event = { ...facts, ...failureFacts(error, endpoint, runtime.monotonic() - startedAt, report.mayFail) };
    const requestId = 'requestId' in error ? error.requestId : null;
    if (report.onFailure === undefined) notify(() => hooks.onError?.(event));
    else report.onFailure(event, error);
    notify(() => hooks.onEnd?.({ ...event, ok: false, requestId, recovered: false }));
    throw error;
  }
}

type Facts = ReturnType<typeof callFacts>;

function endOf({ answer, attempts, durationMs, recovered }: Success<unknown>): Omit<EndEvent, keyof Facts> {
  const { status, requestId } = answer;
  return {
    attempt: attempts,
    ok: true,
    status,
    requestId,
    code: null,
    outcome: null,
    expected: false,
    recovered,
    durationMs,
  };
}

/** Returns the event of a failure, for code that sends the requests of a call one by one. */
export function failureEvent(
  client: ClientCore,
  endpoint: Named<Endpoint<unknown>>,
  error: AnyMerchantError,
): ErrorEvent {
  const facts = callFacts(client, endpoint, { callId: new CallId(), externalId: error.externalId });
  return { ...facts, ...failureFacts(error, endpoint, 0) };
}

function failureFacts(
  error: AnyMerchantError,
  endpoint: Named<Endpoint<unknown>>,
  durationMs: number,
  mayFail: FailureReport['mayFail'] = () => false,
): Omit<ErrorEvent, keyof Facts> {
  const { code, outcome, attempts } = error;
  const status = 'status' in error ? error.status : null;
  const expected = isExpected(error, endpoint) || mayFail(error);
  return { attempt: attempts.length, code: printable(code), status, outcome, durationMs, expected };
}

/** True for a failure that is an answer and needs no repair. */
function isExpected(error: AnyMerchantError, { params }: Named<Endpoint<unknown>>): boolean {
  switch (error.kind) {
    case 'not_found':
      return params !== undefined; // a whole list that is not found shows a wrong address
    case 'conflict':
      return error.outcome === 'rejected';
    case 'aborted':
      return true;
    case 'validation':
      return error.origin === 'client';
    default:
      return error.code === 'SDK_INVALID_ARGUMENT';
  }
}
