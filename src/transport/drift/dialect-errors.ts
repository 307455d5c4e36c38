import type { Endpoint } from '../../contract/endpoint.ts';
import type { Named } from '../../contract/endpoints.ts';
import type { Departure } from '../../dialect-file/departure.ts';
import { UnexpectedResponseError } from '../../errors/classes.ts';
import type { AnyMerchantError } from '../../errors/guards.ts';
import { type Answer, excerpt } from '../answer.ts';
import { afterUnknown, isWrite, seeExplain } from '../failure.ts';
import type { CallId, DriftSink } from '../observe/observer.ts';
import type { Redactor } from '../secrecy/redact.ts';

// The errors of calls whose answers deviate from the dialect file. They are loaded together with the rules.

/** The parts of a call that a comparison needs. */
export interface WatchedCall {
  readonly callId: CallId;
  readonly endpoint: Named<Endpoint<unknown>>;
  /** Path and query, as sent. */
  readonly path: string;
  readonly sent: { readonly amount?: string | undefined };
  readonly page: number | undefined;
  readonly client: { readonly redactor: Redactor; readonly drift: Pick<DriftSink, 'reportOnce'> | null };
}

const SHOWN_MAX = 20;
const CODE = 'SDK_CONTRACT';

function issuesOf(departures: readonly Departure[]) {
  return departures.map(({ point, expected, seen }) => ({
    path: point,
    message: `is ${JSON.stringify(seen)}, and the dialect file says ${JSON.stringify(expected)}`,
  }));
}

function problemOf({ endpoint }: WatchedCall, departures: readonly Departure[]): string {
  const [first] = issuesOf(departures);
  const count = departures.length > 1 ? ` (${departures.length} findings)` : '';
  return `${endpoint.operation}: the answer deviates from the dialect file: ${first?.path} ${first?.message}${count}.`;
}

/** The error of a call that has succeeded. */
export function succeeded(
  call: WatchedCall,
  departures: readonly Departure[],
  { value, answer }: { readonly value: unknown; readonly answer: Answer },
  externalId: string | null,
): UnexpectedResponseError {
  const { operation } = call.endpoint;
  const { status, requestId } = answer;
  return new UnexpectedResponseError({
    code: CODE,
    operation,
    externalId,
    outcome: 'unknown',
    attempts: [{ code: CODE, status, outcome: 'unknown' }],
    page: call.page,
    status,
    requestId,
    raw: excerpt(answer, call.client.redactor),
    data: value,
    issues: issuesOf(departures).slice(0, SHOWN_MAX),
    message: `${problemOf(call, departures)} The call succeeded, and data of this error has its result. ${seeExplain(CODE)}`,
  });
}

/** The error of a call that has failed. The failure is its cause, and says what happened. */
export function failed(
  call: WatchedCall,
  departures: readonly Departure[],
  cause: AnyMerchantError,
): UnexpectedResponseError {
  const { operation, externalId, outcome, attempts, stoppedBy, page } = cause;
  const doubt = afterUnknown({ operation: operation ?? '', outcome, isWrite: isWrite(call.endpoint) });
  const deviations = cause.kind === 'unexpected_response' ? cause.issues : [];
  return new UnexpectedResponseError({
    code: CODE,
    operation,
    externalId,
    outcome,
    attempts,
    stoppedBy,
    page,
    status: 'status' in cause ? cause.status : null,
    requestId: 'requestId' in cause ? cause.requestId : null,
    ...('raw' in cause && { raw: cause.raw }),
    data: cause.kind === 'unexpected_response' ? cause.data : undefined,
    issues: [...issuesOf(departures), ...deviations].slice(0, SHOWN_MAX),
    cause,
    message: `${problemOf(call, departures)} The call failed with ${cause.code}, which is the cause of this error.${doubt} ${seeExplain(CODE)}`,
  });
}
