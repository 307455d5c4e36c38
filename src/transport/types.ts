// The types that travel between the files of this room, and the settings that the options become. It imports only files
// that do not import it.

import type { KyInstance } from 'ky';
import type { Endpoint, HttpMethod, WireRecord } from '../contract/endpoint.ts';
import type { Named } from '../contract/endpoints.ts';
import type { Issue } from '../contract/values/check.ts';
import type { ApiErrorKind, AttemptRecord, ErrorCode, Outcome, StoppedBy } from '../errors/codes.ts';
import type { Hide } from '../errors/hide.ts';
import type { Hooks } from './hooks.ts';
import type { RateLimit, Runtime } from './limits.ts';

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

/** Whether a failure may be retried. `unanswered`: no complete response came. */
export type RetryClass = 'never' | 'rate_limit' | 'transient' | 'unanswered';

/** When and how many times a failed attempt is repeated. Durations in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** The longest Retry-After the client waits for. */
  readonly maxRetryAfter: number;
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

/** Options of a call that are wrong: what is wrong, and what would be right. */
export interface WrongOptions {
  readonly problem: string;
}

/** The parts of a client that all its calls share. */
export interface ClientCore {
  readonly http: KyInstance;
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  /** True if the merchant gave a fetch: then a missing header or an unusual address may be its doing. */
  readonly hasOwnFetch: boolean;
  /** The keys of the clients from which `withOptions` made this one. */
  readonly secrets: readonly string[];
  /** Hides a key that is given as text, and these keys. */
  readonly hide: Hide;
  readonly runtime: Runtime;
  readonly limit: RateLimit;
  /** Empty without hooks. */
  readonly hooks: readonly Hooks[];
  /** Allows plain http: to hosts other than loopback. */
  readonly allowHttp: boolean;
  /** Settings of a call that gives no options. */
  readonly settings: CompleteOptions;
  /** The lines that were printed once for this client. */
  readonly printed: Set<string>;
}

/** A request without its key. It is the same for every attempt of a call. */
export interface WireRequest {
  readonly method: HttpMethod;
  /** Path below the base address. */
  readonly path: string;
  readonly search: URLSearchParams;
  /** Headers beyond those of the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body. Null for none. */
  readonly text: string | null;
}

/** One call: input and options read once, and carried unchanged through attempts, reading back and comparison. */
export interface OpenCall<Data> extends CompleteOptions, WireRequest {
  readonly client: ClientCore;
  readonly endpoint: Named<Endpoint<Data>>;
  /** The path parameters, the query and the members of the body, as encoded. Responses are compared with them. */
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
  /** True for a write and what it reads back: the first attempt does not wait for a limit that another call met. */
  readonly isUrgent: boolean;
  /** The beginning of the call, on the monotonic clock. */
  readonly startedAt: number;
  /** The end of the call at the latest, on the monotonic clock. */
  readonly deadlineAt: number;
}

/** A complete response of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
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

/** The result of an attempt or of a whole call: one type from `http` to the resource. */
export type Result<T> = Success<T> | Failure;

/** The data, and the response that contained them. */
export interface Success<T> {
  readonly ok: true;
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

/** The facts of a failure, for the retry policy and for the error that it becomes. No text in it is safe to show. */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly status: number | null;
  /** Of the attempt, or over all attempts of the call. */
  readonly outcome: Outcome;
  readonly retryClass: RetryClass;
  /** The wait that the service asked for. */
  readonly retryAfter: number | undefined;
  readonly facts: FailureFacts;
  /** The failed attempts of the call. */
  readonly attempts: readonly AttemptRecord[];
  readonly stoppedBy: StoppedBy;
}

/**
 * What is known of a failure, by its form. The sentences of an error are made of it in failure.ts and
 * error-response.ts.
 */
export type FailureFacts =
  | { readonly is: 'timeout' | 'key'; readonly problem: string }
  | { readonly is: 'aborted'; readonly problem: string; readonly reason: unknown }
  | {
      readonly is: 'connection';
      readonly problem: string;
      readonly detail: string;
      readonly systemCode?: string;
      /** True if a fetch of the merchant threw what no platform throws for a connection. */
      readonly byFetch: boolean;
      readonly advice?: string;
    }
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
      readonly namesAnotherOrder: boolean;
    };
