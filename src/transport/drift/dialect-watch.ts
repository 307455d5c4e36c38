import { NOT_LOADED } from '../../checks.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { Named } from '../../contract/endpoints.ts';
import type { Departure, DepartureReader } from '../../dialect-file/departure.ts';
import { ConfigurationError, UnexpectedResponseError } from '../../errors/classes.ts';
import { type AnyMerchantError, isMerchantError } from '../../errors/guards.ts';
import { type Answer, excerpt } from '../answer.ts';
import { afterUnknown, isWrite, seeExplain } from '../failure.ts';
import type { CallId, DriftSink } from '../observe/observer.ts';
import type { Redactor } from '../secrecy/redact.ts';

/** The parts of a call that a comparison needs. */
interface WatchedCall {
  readonly callId: CallId;
  readonly endpoint: Named<Endpoint<unknown>>;
  /** Path and query, as sent. */
  readonly path: string;
  readonly sent: { readonly amount?: string | undefined };
  readonly page: number | undefined;
  readonly client: { readonly redactor: Redactor; readonly drift: Pick<DriftSink, 'reportOnce'> | null };
}

const SHOWN_MAX = 20;

/**
 * Compares the answers of a client with its dialect file. The rules are loaded with the first call. With
 * `onDrift: 'throw'` a call is carried to its end, and its error holds the result or the failure. Otherwise `onDrift`
 * receives each departure once.
 */
export class DialectWatch {
  readonly #load: () => Promise<DepartureReader>;
  readonly #isStrict: boolean;
  #read: DepartureReader | null = null;
  /** What the answers of a call have shown. A call may send several requests. */
  readonly #found = new WeakMap<CallId, Departure[]>();

  constructor(load: () => Promise<DepartureReader>, isStrict: boolean) {
    this.#load = load;
    this.#isStrict = isStrict;
  }

  /** Compares one answer. A part of a body shows nothing for certain. */
  see({ callId, endpoint, path, sent: { amount }, client }: WatchedCall, answer: Answer): void {
    const { status, headers, raw } = answer;
    if (this.#read === null || answer.cut || answer.broken || answer.redirected) return;
    const departures = this.#read({ operation: endpoint.operation, path, amount, status, headers, raw });
    if (this.#isStrict) this.#found.set(callId, [...(this.#found.get(callId) ?? []), ...departures]);
    else
      for (const departure of departures)
        client.drift?.reportOnce(endpoint, departure.point, 'other_dialect', departure);
  }

  /**
   * Does the work of a call.
   *
   * @param externalId The order that the call is about, as an error may show it.
   * @throws UnexpectedResponseError (`SDK_CONTRACT`) for a departure, if departures are errors.
   * @throws ConfigurationError before any request, if the rules cannot be loaded or do not know a value of the file.
   */
  async judged<Result extends { readonly value: unknown; readonly answer: Answer }>(
    call: WatchedCall,
    externalId: string | null,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { operation } = call.endpoint;
    this.#read ??= await this.#load().catch((cause: unknown) => {
      const problem = isMerchantError(cause) ? cause.message : NOT_LOADED;
      throw new ConfigurationError(`${operation}: ${problem}`, { operation, externalId, cause });
    });
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      const departures = this.#found.get(call.callId) ?? [];
      if (departures.length === 0 || !isMerchantError(error) || error.kind === 'aborted') throw error;
      throw failed(call, departures, error);
    }
    const departures = this.#found.get(call.callId) ?? [];
    if (departures.length > 0) throw succeeded(call, departures, result, externalId);
    return result;
  }
}

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
  return `${endpoint.operation}: the answer departs from the dialect file: ${first?.path} ${first?.message}${count}.`;
}

/** The error of a call that has succeeded. */
function succeeded(
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
function failed(call: WatchedCall, departures: readonly Departure[], cause: AnyMerchantError): UnexpectedResponseError {
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
