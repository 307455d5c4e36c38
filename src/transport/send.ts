// The room `transport` carries one call over HTTP, from its checked input to its data or its typed error.
// It imports contract, options, errors and the small files beside them, and nothing of the rooms that use it.

import { argumentFail, type Fail, keyProblem } from '../checks.ts';
import type { Endpoint, Named, WireRecord } from '../contract/endpoint.ts';
import type { Check, Issue } from '../contract/values/codecs.ts';
import { codePoints } from '../contract/values/scalars.ts';
import type { AttemptRecord, StoppedBy } from '../errors/codes.ts';
import { type AnyMerchantError, type CallError, isMerchantError } from '../errors/guards.ts';
import { notify } from '../notify.ts';
import { type ApiKey, type CallOptions, type CallSettings, readCallOptions } from '../options.ts';
import { printable } from '../printable.ts';
import { readAnswer } from './answer.ts';
import {
  aborted,
  argumentError,
  attemptTimeout,
  connectionFailure,
  deadlinePassed,
  type Failure,
  invalidInput,
  isWrite,
  unusableKey,
} from './failure.ts';
import { type Hide, hiding, shown } from './hide.ts';
import { callFacts, type DriftReporter, type ErrorEvent, errorEvent, type Hooks, reportSuccess } from './hooks.ts';
import { type Answer, Attempt, type Connection, exchange, type WireRequest } from './http.ts';
import { pause, type RateLimitGate, type RetryBudget, type Runtime, shortestAttempt } from './limits.ts';
import { nextWait, outcomeOf } from './retry.ts';

/** The parts of a client that all its calls share. */
export interface ClientCore {
  readonly http: Connection;
  readonly apiKey: ApiKey;
  readonly secrets: readonly string[];
  /** Hides a key that is given as text, and the webhook secrets. */
  readonly hide: Hide;
  readonly runtime: Runtime;
  readonly budget: RetryBudget;
  readonly gate: RateLimitGate<Failure>;
  /** Null without hooks. */
  readonly hooks: Hooks | null;
  readonly drift: DriftReporter;
  /** Allows plain http: to hosts other than loopback. */
  readonly allowHttp: boolean;
  /** Settings of a call that gives no options. */
  readonly settings: CallSettings;
}

/** What a resource method asks for. Parameters and options are as the user gave them. */
export interface CallSpec<Data> {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
  /** The order that the call is about, for its errors. */
  readonly externalId?: unknown;
  /** Decodes in place of the endpoint's codec. */
  readonly data?: Check<Data>;
  /**
   * Returns the members in which the data is not what was asked for: a proxy, a cache or a wrong connection may have
   * answered another request.
   */
  readonly differences?: (data: Data, sent: WireRecord) => readonly string[];
  /** The endpoint and the JSON text of a request that the interface does not describe. */
  readonly endpoint?: Named<Endpoint<Data>>;
  readonly json?: string | null;
  /** The service's names of query parameters that the interface does not name. */
  readonly queryNames?: Readonly<Record<string, string>>;
  /** The page of a list that is asked for, for its errors. */
  readonly page?: number;
  /** When the call must be over at the latest, on the monotonic clock. */
  readonly deadlineAt?: number;
  /** Options that have been read already, in place of `options`. */
  readonly settings?: CallSettings;
  /** The call that this request is a part of. */
  readonly callId?: string;
}

/** One call: input and options read once, and carried unchanged through attempts, recovery and comparison. */
export interface CallScope<Data> extends CallSettings, WireRequest {
  readonly client: ClientCore;
  readonly endpoint: Named<Endpoint<Data>>;
  readonly data: Check<Data>;
  readonly differences: CallSpec<Data>['differences'];
  /** The members of the body, as encoded. Answers are compared with them. */
  readonly sent: WireRecord;
  /** As the caller gave it. Errors and events show it with `client.hide`: it may hold the key by mistake. */
  readonly externalId: string | null;
  /** Empty without hooks. */
  readonly callId: string;
  readonly page: number | undefined;
  /** The page size that is asked for, or null where no page is read. */
  readonly pageSize: number | null;
  /** Wall clock. */
  readonly startedOn: number;
  /** Monotonic clock, as is `deadlineAt`. */
  readonly startedAt: number;
  readonly deadlineAt: number;
}

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

/** What differs from an ordinary call: the requests that are sent, and how a failure is reported. */
interface CallPlan<Data, Result> {
  readonly send: (scope: CallScope<Data>) => Promise<Result>;
  /** True for a failure that the client handles itself. */
  readonly isHandled?: ((error: AnyMerchantError) => boolean) | undefined;
  /** Takes the event in place of `onError`, for a failure that may not matter in the end. */
  readonly onFailure?: ((event: ErrorEvent, error: unknown) => void) | undefined;
}

/**
 * Runs one whole call: reads what the caller gave, synchronously, sends it, and tells the hooks once how it ended.
 *
 * @param read Returns the parameters and options of the caller.
 */
export async function runCall<Data, Result extends Success<unknown> = Success<Data>>(
  client: ClientCore,
  endpoint: Named<Endpoint<Data>>,
  read: () => CallSpec<Data>,
  { send, isHandled, onFailure }: CallPlan<Data, Result>,
): Promise<Result> {
  const { hooks, runtime } = client;
  const startedAt = runtime.monotonic();
  let scope: CallScope<Data> | null = null;
  try {
    scope = openCall(client, endpoint, read);
    const success = await send(scope);
    if (hooks !== null) reportSuccess(hooks, callFacts(client, scope.endpoint, scope), success);
    return success;
  } catch (error) {
    if (hooks === null || !isMerchantError(error)) throw error;
    const about = scope ?? { callId: crypto.randomUUID(), externalId: error.externalId };
    const facts = callFacts(client, scope?.endpoint ?? endpoint, about);
    const event = errorEvent(facts, error, runtime.monotonic() - startedAt, isHandled?.(error) ?? false);
    const requestId = 'requestId' in error ? error.requestId : null;
    if (onFailure === undefined) notify(() => hooks.onError?.(event));
    else onFailure(event, error);
    notify(() => hooks.onEnd?.({ ...event, ok: false, requestId, recovered: false }));
    throw error;
  }
}

const EXTERNAL_ID_MAX = 128;
const EMPTY: WireRecord = {};
/** Assumed where no page size is asked for: the largest that the service allows, because its default may be any. */
const DEFAULT_PAGE_SIZE = 100;

/**
 * Checks and copies the parameters and options at once. Later changes by the caller have no effect.
 *
 * @throws ValidationError for parameters, ConfigurationError for options. No request is made.
 */
export function openCall<Data>(
  client: ClientCore,
  named: Named<Endpoint<Data>>,
  read: () => CallSpec<Data>,
): CallScope<Data> {
  const { operation } = named;
  const startedOn = client.runtime.now();
  const startedAt = client.runtime.monotonic();
  let shownId: string | null = null;
  try {
    const spec = read();
    const { endpoint = named, externalId: given, options } = spec;
    const isId = typeof given === 'string' && given !== '' && codePoints(given) <= EXTERNAL_ID_MAX;
    if (isId) shownId = client.hide(given);
    const fail: Fail = (problem) => argumentFail(operation, shownId)(problem);
    const own = options === undefined ? client.settings : readCallOptions(client.settings, options, 'call', fail);
    const settings = spec.settings ?? own;

    const issues: Issue[] = [];
    const encode = (check: Check<WireRecord> | undefined, value: unknown): WireRecord => {
      const checked = check?.(value);
      if (checked === undefined) return EMPTY;
      if (checked.ok) return checked.value;
      issues.push(...checked.issues);
      return EMPTY;
    };
    const params = encode(endpoint.params, spec.params);
    const query = encode(endpoint.query, spec.query);
    const sent = encode(endpoint.body, spec.body);
    if (issues.length > 0) throw invalidInput(operation, issues, shownId, client.hide);

    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(spec.queryNames?.[name] ?? name, value);
    }
    for (const [name, value] of Object.entries(settings.query)) search.set(name, value);
    const size = Number(search.get(spec.queryNames?.['per_page'] ?? 'per_page'));
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    return {
      ...settings,
      client,
      endpoint,
      method: endpoint.method,
      path: search.size === 0 ? path : `${path}?${search}`,
      body: spec.json ?? (endpoint.body === undefined ? null : JSON.stringify(sent)),
      data: spec.data ?? endpoint.data,
      differences: spec.differences,
      sent,
      externalId: isId ? given : null,
      callId: spec.callId ?? (client.hooks === null ? '' : crypto.randomUUID()),
      page: spec.page,
      pageSize: !('item' in endpoint) ? null : Number.isSafeInteger(size) && size > 0 ? size : DEFAULT_PAGE_SIZE,
      startedOn,
      startedAt,
      deadlineAt: Math.min(startedAt + settings.deadline, spec.deadlineAt ?? Number.POSITIVE_INFINITY),
    };
  } catch (thrown) {
    throw argumentError(thrown, operation, shownId);
  }
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
  const shortest = shortestAttempt(scope.timeout, scope.deadlineAt - scope.startedAt);
  const timeLeft = (): number => Math.max(0, scope.deadlineAt - runtime.monotonic());
  const errorOf = (failure: Failure, stoppedBy: StoppedBy): CallError =>
    failure.toError({
      operation: endpoint.operation,
      externalId: scope.externalId === null ? null : client.hide(scope.externalId),
      attempts: failed,
      outcome: outcomeOf(failed),
      stoppedBy,
      isWrite: isWrite(endpoint),
      page: scope.page,
    });
  /** The wait at the gate. A call that cannot wait fails at once with the answer that closed the gate. */
  const gateWait = (): number => {
    const closed = gate.closed();
    if (closed === null) return 0;
    const { left, wait, limited } = closed;
    const toError: Failure['toError'] = (context) => limited.toError({ ...context, retryAfter: Math.ceil(left) });
    const failure = lastFailure ?? { ...limited, toError };
    if (left > retry.maxRetryAfter) throw errorOf(failure, 'retry_after');
    if (wait > timeLeft() - shortest) throw errorOf(failure, 'deadline');
    return wait;
  };

  for (let attempt = 1, wait = gateWait(); ; attempt += 1) {
    if (wait > 0) await pause(runtime, wait, signal);
    // Another call may have met a rate limit during the wait.
    const further = wait > 0 ? gateWait() : 0;
    if (further > 0) await pause(runtime, further, signal);
    if (signal?.aborted) throw errorOf(aborted(signal.reason, 'not_sent'), 'aborted');
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
    const { code, status, outcome } = failure;
    failed.push({ code, status, outcome });
    if (code === 'SDK_ABORTED') throw errorOf(failure, 'aborted');
    if (code === 'SDK_DEADLINE') throw errorOf(lastFailure ?? failure, 'deadline');
    lastFailure = failure;
    const next = nextWait(failure, attempt, endpoint.idempotent, retry, timeLeft() - shortest, () => runtime.random());
    // Asked before this failure closes the gate, because the wait of a rate limit has its jitter already.
    const closedByOthers = 'stop' in next ? 0 : gateWait();
    if (failure.retryClass === 'rate_limit') {
      gate.close(failure.retryAfter ?? ('wait' in next ? next.wait : 0), failure);
    }
    if ('stop' in next) throw errorOf(failure, next.stop);
    lastCost = budget.take(failure.retryClass);
    if (lastCost === null) throw errorOf(failure, 'budget');
    wait = Math.max(next.wait, closedByOthers);
    const delayMs = wait;
    if (event !== null) notify(() => hooks?.onRetry?.({ ...event, code: printable(code), status, outcome, delayMs }));
  }
}

type AttemptResult<Data> =
  | { readonly ok: true; readonly value: Data; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure; readonly answer: Answer | null };

/** Characters of a platform's error that are shown. */
const SHOWN_MAX = 300;

/** One attempt: key, request, body, envelope, and data or a failure. */
async function sendOnce<Data>(scope: CallScope<Data>, timeLeft: number): Promise<AttemptResult<Data>> {
  const { client, timeout, signal } = scope;
  const { apiKey } = client;
  const attempt = new Attempt(client.runtime, client.hide, timeout, timeLeft, signal);
  try {
    if (typeof apiKey === 'string') attempt.key = apiKey;
    else {
      const { key, problem } = await attempt.race(readKey(apiKey));
      if (key === null) return { ok: false, failure: unusableKey(problem), answer: null };
      attempt.key = key;
      attempt.hide = hiding([key, ...client.secrets]);
    }
    const answer = await exchange(client.http, scope, attempt);
    return { ...readAnswer(answer, scope), answer };
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, attempt, scope), answer: null };
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

function failureOf(thrown: unknown, attempt: Attempt, scope: CallSettings): Failure {
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
