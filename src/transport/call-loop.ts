// The room `transport` carries one call over HTTP, from its checked input to its data or its typed error.
// It imports contract, errors, checks and printable, and nothing of the rooms that use it.
import type { AttemptRecord, StoppedBy } from '../errors/codes.ts';
import type { CallError } from '../errors/guards.ts';
import { printable } from '../printable.ts';
import { heard, type TracingChannel, traced } from '../tracing.ts';
import type { Answer } from './answer.ts';
import { Attempt } from './attempt.ts';
import {
  aborted,
  attemptTimeout,
  connectionFailure,
  deadlinePassed,
  type Failure,
  isWrite,
  recordOf,
  unloaded,
  unusableKey,
} from './failure.ts';
import type { AttemptTrace, CallEvent } from './observe/events.ts';
import { shownFailure } from './observe/observer.ts';
import { type Read, readAnswer } from './read-answer.ts';
import { nextWait, outcomeOf } from './retry.ts';
import { pause } from './runtime.ts';
import { type CallScope, callFacts, shownExternalId } from './scope.ts';
import { LoadFailure } from './transport.ts';

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
  const { budget, gate, observer, runtime } = client;
  const { idempotent } = endpoint;
  const failed: AttemptRecord[] = [];
  let lastFailure: Failure | null = null;
  let lastCost: number | null = null;
  const timeLeft = (): number => Math.max(0, scope.deadlineAt - runtime.monotonic());
  const errorOf = (failure: Failure, stoppedBy: StoppedBy) => callError(scope, failure, failed, stoppedBy);
  const sleep = async (milliseconds: number): Promise<void> => {
    if (milliseconds > 0) await pause(runtime, milliseconds, signal);
    if (signal?.aborted) throw errorOf(aborted(signal.reason, 'not_sent'), 'aborted');
  };

  for (let attempt = 1; ; attempt += 1) {
    const closed = gate.wait();
    // A wait that would use up the deadline tells the caller less than the service's answer.
    await sleep(closed < timeLeft() ? closed : 0);
    const left = timeLeft();
    if (left <= 0) throw errorOf(lastFailure ?? deadlinePassed(scope.deadline, 'not_sent'), 'deadline');

    const channel = heard('attempt');
    const event = observer === null && channel === null ? null : { ...callFacts(client, endpoint, scope), attempt };
    const startedAt = runtime.monotonic();
    if (event !== null) observer?.request(event);
    const send = (): Promise<AttemptResult<Data>> => sendOnce(scope, left);
    const result = channel === null || event === null ? await send() : await tracedAttempt(channel, event, scope, send);
    if (observer !== null && event !== null && result.answer !== null) {
      const { status, requestId } = result.answer;
      observer.response({ ...event, status, requestId, durationMs: runtime.monotonic() - startedAt });
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
    const next = nextWait(failure, attempt, idempotent, retry, timeLeft(), runtime.random);
    // Asked before this failure closes the gate, because the wait of a rate limit has its jitter already.
    const closedByOthers = gate.wait();
    if (failure.retryClass === 'rate_limit') {
      const asked = failure.retryAfter ?? ('wait' in next ? next.wait : 0);
      // The other calls of the client wait as well, unless that is longer than any call waits.
      if (asked <= retry.maxRetryAfter) gate.close(asked);
    }
    if ('stop' in next) throw errorOf(failure, next.stop);
    const delayMs = Math.max(next.wait, closedByOthers);
    if (delayMs >= timeLeft()) throw errorOf(failure, 'deadline');
    lastCost = budget.take(failure.retryClass);
    if (lastCost === null) throw errorOf(failure, 'budget');
    if (event !== null) observer?.retry({ ...event, ...recordOf(failure), delayMs });
    await sleep(delayMs);
  }
}

type AttemptResult<Data> =
  | (Extract<Read<Data>, { ok: true }> & { readonly answer: Answer })
  | (Extract<Read<Data>, { ok: false }> & { readonly answer: Answer | null });

/** Sends one attempt inside a separate trace. */
function tracedAttempt<Data>(
  channel: TracingChannel,
  event: CallEvent,
  { client }: CallScope<unknown>,
  send: () => Promise<AttemptResult<Data>>,
): Promise<AttemptResult<Data>> {
  const { runtime, transport } = client;
  const context: { -readonly [Name in keyof AttemptTrace]: AttemptTrace[Name] } = { ...event, ...transport.server };
  const startedAt = runtime.monotonic();
  return traced(channel, context, async () => {
    const result = await send();
    context.status = result.answer?.status ?? null;
    context.requestId = result.answer?.requestId ?? null;
    context.durationMs = runtime.monotonic() - startedAt;
    if (!result.ok) {
      const record = { ...recordOf(result.failure), code: printable(result.failure.code) };
      Object.assign(context, { code: record.code, outcome: record.outcome, error: shownFailure('Error', record) });
    }
    return result;
  });
}

/** One attempt: key, request, body, envelope, and data or a failure. */
async function sendOnce<Data>(scope: CallScope<Data>, timeLeft: number): Promise<AttemptResult<Data>> {
  const { client, timeout, signal } = scope;
  const attempt = new Attempt(client.runtime, timeout, timeLeft, signal);
  try {
    const reading = client.readKey();
    const key = 'then' in reading ? await attempt.race(reading) : reading;
    if (!key.ok) return { ok: false, failure: unusableKey(key.problem), answer: null };
    const answer = await client.transport.exchange(scope, key.value, attempt);
    return { ...readAnswer(answer, scope), answer };
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, attempt, scope), answer: null };
  } finally {
    attempt.end();
  }
}

/** Characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

function failureOf(thrown: unknown, attempt: Attempt, scope: CallScope<unknown>): Failure {
  const outcome = attempt.sent ? 'unknown' : 'not_sent';
  switch (attempt.interruption) {
    case 'aborted':
      return aborted(scope.signal?.reason, outcome);
    case 'timeout':
      return attemptTimeout(scope.timeout, outcome);
    case 'deadline':
      return deadlinePassed(scope.deadline, outcome);
    case null: {
      if (thrown instanceof LoadFailure) return unloaded(thrown.cause);
      const { redactor } = scope.client;
      return connectionFailure(thrown, attempt.sent, (text) => printable(redactor.beginning(text, SHOWN_MAX)));
    }
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
