import type { Endpoint } from '../../contract/endpoint.ts';
import type { Named } from '../../contract/endpoints.ts';
import { type AnyMerchantError, isMerchantError } from '../../errors/guards.ts';
import { printable } from '../../printable.ts';
import { heard, traced } from '../../tracing.ts';
import { type Success, sendCall } from '../call-loop.ts';
import type { CallOptions } from '../options.ts';
import { type CallScope, type CallSpec, type ClientCore, callFacts, openCall } from '../scope.ts';
import type { CallTrace, EndEvent, ErrorEvent } from './events.ts';
import { CallId, shownFailure } from './observer.ts';

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
 * Does the work of one call, and tells the hooks, the logger and the tracers how it ended, once.
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
  const channel = heard('call');
  const { observer, runtime } = client;
  if (observer === null && channel === null) return send(open());
  const startedAt = runtime.monotonic();
  let scope: CallScope<Data> | null = null;
  let refused: unknown;
  try {
    scope = open();
  } catch (error) {
    refused = error;
  }
  const externalId = scope === null && isMerchantError(refused) ? refused.externalId : (scope?.externalId ?? null);
  const facts = callFacts(client, scope?.endpoint ?? endpoint, { callId: scope?.callId ?? new CallId(), externalId });
  const context: { -readonly [Name in keyof CallTrace]: CallTrace[Name] } = { ...facts };
  const ended = (event: EndEvent): void => {
    Object.assign(context, event);
    observer?.end(event);
  };
  const run = async (): Promise<Result> => {
    try {
      if (scope === null) throw refused;
      const result = await send(scope);
      ended({ ...facts, ...endOf(result) });
      return result;
    } catch (error) {
      if (!isMerchantError(error)) throw error;
      const durationMs = runtime.monotonic() - startedAt;
      const event = { ...facts, ...failureOf(error, endpoint, durationMs, report.mayFail) };
      const requestId = 'requestId' in error ? error.requestId : null;
      context.error = shownFailure(error.name, event);
      if (report.onFailure === undefined) observer?.error(event);
      else report.onFailure(event, error);
      ended({ ...event, ok: false, requestId, recovered: false });
      throw error;
    }
  };
  return channel === null ? run() : traced(channel, context, run);
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
  return { ...facts, ...failureOf(error, endpoint, 0) };
}

function failureOf(
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
