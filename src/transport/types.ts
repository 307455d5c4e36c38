// The types that travel between the files of this room, and the settings that the options become. It imports only files
// that do not import it.

import type { KyInstance } from 'ky';
import type { Endpoint, HttpMethod, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { Check, Issue } from '../contract/values/check.ts';
import type { ApiErrorKind, AttemptRecord, ErrorCode, Outcome, StoppedBy } from '../errors/codes.ts';
import type { Hide } from '../errors/hide.ts';
import type { DriftReporter, Hooks } from './hooks.ts';
import type { RateLimitGate, RetryBudget, Runtime } from './limits.ts';
import type { RetryClass, RetryPolicy } from './retry.ts';

/** The key, or a function that gives it (a vault, a rotation), called before each attempt. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * The part of `fetch` that the client uses. The platform's `fetch`, `sandbox.fetch` and one-line fakes fit.
 *
 * @example
 * const fetch: FetchLike = async () => Response.json({ success: true, data: [] });
 */
export type FetchLike = (input: string, init: FetchInit) => Promise<Response>;

/** The second argument of {@link FetchLike}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The options of one call, with the client's option in place of each absent one. Durations in milliseconds. */
export interface CompleteOptions {
  readonly timeout: number;
  readonly deadline: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The parts of a client that all its calls share. */
export interface ClientCore {
  readonly http: KyInstance;
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
  readonly settings: CompleteOptions;
}

/** A request without its key. It is the same for every attempt of a call. */
export interface WireRequest {
  readonly method: HttpMethod;
  /** Path below the base address. */
  readonly path: string;
  readonly search: URLSearchParams;
  /** Headers beyond those of the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body. Undefined for none. */
  readonly json: unknown;
}

/** One call: input and options read once, and carried unchanged through attempts, reading back and comparison. */
export interface OpenCall<Data> extends CompleteOptions, WireRequest {
  readonly client: ClientCore;
  readonly endpoint: Named<Endpoint<Data>>;
  readonly data: Check<Data>;
  /** The path parameters and the members of the body, as encoded. Responses are compared with them. */
  readonly sent: WireRecord;
  /**
   * The id of the order as the caller gave it. It may hold the key by mistake, so errors and events pass it to
   * `client.hide`.
   */
  readonly externalId: string | null;
  /** The id that all events of the call share. Empty without hooks. */
  readonly callId: string;
  /** The requested page of a list. */
  readonly page: number | undefined;
  /** The beginning of the call, on the wall clock. */
  readonly startedOn: number;
  /** The same, on the monotonic clock. */
  readonly startedAt: number;
  /** The end of the call at the latest, on the monotonic clock. */
  readonly deadlineAt: number;
}

/** A complete response of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** When the headers of the response came, on the monotonic clock. */
  readonly receivedAt: number;
  /** The request id header, safe to show. Null if absent. */
  readonly requestId: string | null;
  /** The body's text as received. */
  readonly raw: string;
  /** True when the body was longer than the limit. `raw` is then its beginning. */
  readonly cut: boolean;
  /** True when the body broke off or is not UTF-8. `raw` is the part that could be read. */
  readonly broken: boolean;
  /** True when `fetch` followed a redirect: the key may have been sent on, and it is unknown who sent the response. */
  readonly redirected: boolean;
  /** Hides the key of this attempt and the other secrets of the client. */
  readonly hide: Hide;
}

/** A successful call: its data, and the response that contained them. */
export interface Success<T> {
  readonly value: T;
  readonly response: ServiceResponse;
  /** Requests made, the successful one included. */
  readonly attempts: number;
  readonly durationMs: number;
  /** True when one of the call's attempts that got no response had created the invoice, and it was read back. */
  readonly recovered: boolean;
}

/** The members of an error response, as received. None of them is safe to show. */
export interface ErrorBody {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

/** The facts of one failed attempt, for the retry policy and for the error that it becomes if it is the last one. */
export interface Failure {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly outcome: Outcome;
  readonly retryClass: RetryClass;
  /** The wait that the service asked for. */
  readonly retryAfter: number | undefined;
  readonly about: FailureFacts;
}

/**
 * What is known of a failure, by its form. The sentences of an error are made of it in failure.ts and
 * error-response.ts.
 */
export type FailureFacts =
  | { readonly is: 'timeout' | 'key'; readonly problem: string }
  | { readonly is: 'aborted'; readonly problem: string; readonly reason: unknown }
  | { readonly is: 'connection'; readonly problem: string; readonly detail: string; readonly systemCode?: string }
  | {
      readonly is: 'unexpected';
      readonly problem: string;
      readonly issues: readonly Issue[];
      readonly response: ServiceResponse;
    }
  | {
      readonly is: 'error_response';
      readonly kind: ApiErrorKind;
      /** Whether the response has the form of the service's own word. */
      readonly answeredBy: 'service' | 'other';
      readonly body: ErrorBody;
      readonly response: ServiceResponse;
      /** True for a conflict that names another order than the one that was sent. */
      readonly isOfAnother: boolean;
    };

/** A failed call: its last failure, and what its error says about the call. */
export interface FailedCall {
  readonly failure: Failure;
  readonly operation: string;
  /** Safe to show. */
  readonly externalId: string | null;
  readonly attempts: readonly AttemptRecord[];
  readonly outcome: Outcome;
  readonly stoppedBy: StoppedBy;
  readonly isWrite: boolean;
  readonly page: number | undefined;
  /** Milliseconds left of a wait that the service asked for in the response to another call. */
  readonly retryAfter?: number | undefined;
  readonly endpoint: Named<Endpoint<unknown>>;
  readonly sent: WireRecord;
}

/** The result of sending a call. A failure is not an error yet, because the resource may add advice to it. */
export type Sent<Data> =
  | { readonly ok: true; readonly success: Success<Data> }
  | { readonly ok: false; readonly failed: FailedCall };
