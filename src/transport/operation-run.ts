import type { CallEvent } from '../call/options.ts';
import type { CallError } from '../errors/classes.ts';
import type { AttemptRecord, StoppedBy } from '../errors/codes.ts';
import { Attempt } from './attempt.ts';
import { aborted, deadlinePassed, type Failure, recordOf } from './failure.ts';
import { nextWait, outcomeOf } from './retry.ts';
import type { ClientParts, Success } from './runner.ts';
import { pause } from './runtime.ts';
import type { CallScope } from './scope.ts';
import type { AttemptResult } from './transport.ts';

/**
 * The attempt loop of one call: the only place that repeats requests, and the only one that turns a failure into the
 * error that the caller sees.
 */
export class OperationRun<Data> {
  readonly #parts: ClientParts;
  readonly #scope: CallScope<Data>;
  readonly #failed: AttemptRecord[] = [];
  #attempt = 1;
  #lastReal: Failure | null = null;
  #lastCost: number | null = null;

  constructor(parts: ClientParts, scope: CallScope<Data>) {
    this.#parts = parts;
    this.#scope = scope;
  }

  async toSuccess(): Promise<Success<Data>> {
    const { budget, gate } = this.#parts;
    for (; ; this.#attempt += 1) {
      const held = gate.wait();
      // A wait that would use up the deadline tells the caller less than the service's own answer.
      await this.#sleep(held < this.#timeLeft() ? held : 0);
      const result = await this.#tryOnce();
      if (result.ok) {
        budget.give(this.#lastCost);
        const durationMs = this.#parts.runtime.monotonic() - this.#scope.startedAt;
        return { value: result.value, answer: result.answer, attempts: this.#attempt, durationMs, recovered: false };
      }
      await this.#sleep(this.#waitAfter(result.failure));
    }
  }

  async #tryOnce(): Promise<AttemptResult<Data>> {
    const { transport, runtime, observer, drift } = this.#parts;
    const { endpoint, request, data, externalId, limits } = this.#scope;
    const { timeout, deadline, signal } = limits;
    const timeLeft = this.#timeLeft();
    if (timeLeft <= 0) throw this.#error(this.#lastReal ?? deadlinePassed(deadline, 'not_sent'), 'deadline');
    const startedAt = runtime.monotonic();
    observer.request(this.#event());
    const result = await transport.attempt(
      request,
      new Attempt(runtime, timeout, timeLeft, signal),
      { timeout, deadline, callerSignal: signal },
      {
        data,
        isWrite: endpoint.method !== 'GET',
        isIdempotent: endpoint.idempotent,
        pageSize: request.pageSize,
        externalId,
        redactor: this.#parts.redactor,
        onDecoded: drift === null ? null : (body) => drift.report(endpoint, body),
        now: () => runtime.now(),
      },
    );
    if (result.answer !== null) {
      const { status, requestId } = result.answer;
      observer.response({ ...this.#event(), status, requestId, durationMs: runtime.monotonic() - startedAt });
    }
    return result;
  }

  /** The wait before the next attempt; throws the call's error when there is none. */
  #waitAfter(failure: Failure): number {
    this.#failed.push(recordOf(failure));
    if (failure.code === 'SDK_ABORTED') throw this.#error(failure, 'aborted');
    if (failure.code === 'SDK_DEADLINE') throw this.#error(this.#lastReal ?? failure, 'deadline');
    this.#lastReal = failure;
    const { budget, gate, observer, runtime } = this.#parts;
    const { endpoint, limits } = this.#scope;
    const { idempotent } = endpoint;
    const next = nextWait(failure, this.#attempt, idempotent, limits.retry, this.#timeLeft(), runtime.random);
    const held = gate.wait(); // before an own rate limit closes it: that wait has its jitter already
    if (failure.retryClass === 'rate_limit') this.#holdSiblings(failure, 'wait' in next ? next.wait : 0);
    if ('stop' in next) throw this.#error(failure, next.stop);
    const wait = Math.max(next.wait, held);
    if (wait >= this.#timeLeft()) throw this.#error(failure, 'deadline');
    this.#lastCost = budget.take(failure.retryClass);
    if (this.#lastCost === null) throw this.#error(failure, 'budget');
    observer.retry({ ...this.#event(), ...recordOf(failure), delayMs: wait });
    return wait;
  }

  /** Siblings wait as long as the service asked, unless that is longer than any call would wait. */
  #holdSiblings(failure: Failure, ownWait: number): void {
    const asked = failure.retryAfter ?? ownWait;
    if (asked <= this.#scope.limits.retry.maxRetryAfter) this.#parts.gate.close(asked);
  }

  async #sleep(milliseconds: number): Promise<void> {
    const { signal } = this.#scope.limits;
    if (milliseconds > 0) await pause(this.#parts.runtime, milliseconds, signal);
    if (signal?.aborted) throw this.#error(aborted(signal.reason, 'not_sent'), 'aborted');
  }

  #timeLeft(): number {
    return Math.max(0, this.#scope.deadlineAt - this.#parts.runtime.monotonic());
  }

  #event(): CallEvent {
    const { operation, method, path } = this.#scope.endpoint;
    return { operation, method, url: path, attempt: this.#attempt };
  }

  #error(failure: Failure, stoppedBy: StoppedBy): CallError {
    const { endpoint, externalId, page } = this.#scope;
    return failure.toError({
      operation: endpoint.operation,
      externalId: externalId === null ? null : this.#parts.redactor.text(externalId),
      attempts: this.#failed,
      outcome: outcomeOf(this.#failed),
      stoppedBy,
      isWrite: endpoint.method !== 'GET',
      page,
    });
  }
}
