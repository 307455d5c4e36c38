/**
 * What kind of failure an error is. A closed union: `switch (error.kind)` can be exhaustive.
 * Match `code` when you need the exact reason, `kind` when you need the reaction.
 */
export type ErrorKind = ApiErrorKind | LocalErrorKind;

/** Kinds of {@link ApiError}: the service answered, and said no. */
export type ApiErrorKind =
  | 'request'
  | 'validation'
  | 'conflict'
  | 'authentication'
  | 'not_found'
  | 'rate_limit'
  | 'server';

/** Kinds of failure that no answer of the service describes. */
export type LocalErrorKind =
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'unexpected_response'
  | 'mismatch'
  | 'webhook'
  | 'configuration';

/**
 * Did it happen? Judged over the whole call, every attempt included.
 *
 * - `not_sent`: no byte of the request reached the service.
 * - `rejected`: the service answered that it did not do it.
 * - `unknown`: it may have happened. Repeat with the same `external_id`, or read the invoice.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** Why no further attempt was made. */
export type StoppedBy = 'attempts' | 'deadline' | 'budget' | 'retry_after' | 'not_retryable' | 'aborted';

/** Codes that the interface of the service names. @see [Known codes](../../docs/service-interface.md#known-codes) */
export type ServiceCode = 'VALIDATION_ERROR' | 'INVOICE_ALREADY_EXISTS';

/** The ten reasons for which a delivery is refused. */
export type WebhookReason =
  | 'missing_header'
  | 'malformed_signature'
  | 'malformed_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'duplicate_header'
  | 'body_already_parsed'
  | 'body_too_large'
  | 'malformed_payload';

/** Codes of our own. The list is closed and documented in docs/errors.md. */
export type SdkCode =
  | 'SDK_CONFIGURATION'
  | 'SDK_INVALID_ARGUMENT'
  | 'SDK_CONNECTION'
  | 'SDK_TLS'
  | 'SDK_ATTEMPT_TIMEOUT'
  | 'SDK_DEADLINE'
  | 'SDK_ABORTED'
  | 'SDK_REDIRECT'
  | 'SDK_UNREADABLE_BODY'
  | 'SDK_BODY_TOO_LARGE'
  | 'SDK_CONTRACT'
  | 'SDK_PAGE'
  | 'SDK_INVOICE_MISMATCH'
  | 'SDK_API_KEY'
  | `SDK_HTTP_${number}`
  | `SDK_WEBHOOK_${Uppercase<WebhookReason>}`;

/** A known code, or any other text that the service sends as `error.code`. */
export type ErrorCode = ServiceCode | SdkCode | (string & {});

/** One attempt of a call that failed, in the order in which they were made. */
export interface AttemptRecord {
  /** The code that this attempt alone would have thrown. */
  readonly code: ErrorCode;
  /** HTTP status, or null when no answer came. */
  readonly status: number | null;
  /** Whether this attempt may have done its work. */
  readonly outcome: Outcome;
}

/** In the global registry, so that two copies of the package recognise each other's errors. */
export const BRAND: unique symbol = Symbol.for('merchant-invoicing.error') as never; // the registry's type is not unique
