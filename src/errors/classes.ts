import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import {
  type ApiErrorKind,
  type AttemptRecord,
  BRAND,
  type ErrorCode,
  type ErrorKind,
  type Outcome,
  type StoppedBy,
  type WebhookReason,
} from './codes.ts';
import type {
  ApiErrorInit,
  ComparedField,
  InvoiceAlreadyExistsErrorInit,
  MerchantErrorInit,
  UnexpectedResponseErrorInit,
  ValidationErrorInit,
  ValidationIssue,
} from './inits.ts';
import { keepRaw, rawOf } from './raw.ts';

export type { AnyMerchantError, CallError } from './guards.ts';
export { hasCode, hasKind, isMerchantError } from './guards.ts';

/**
 * The one class that every failure of this package extends. Match on `code` or `kind`; use {@link isMerchantError}
 * instead of `instanceof` where two copies of the package may meet.
 * No error, its cause or its inspection ever holds the API key, a webhook secret, request headers or a request body.
 */
export abstract class MerchantError extends Error {
  abstract readonly kind: ErrorKind;
  /** Stable identifier: the service's own, or one of ours that begins with `SDK_`. */
  readonly code: ErrorCode;
  /** Did it happen? Judged over the whole call. */
  readonly outcome: Outcome;
  /** The method that was called, such as `invoices.create`; null outside of a call. */
  readonly operation: string | null;
  /** The order that the call was about: the `external_id` of a creation, the ident of a read. Else null. */
  readonly externalId: string | null;
  /** Each attempt that failed, in order. Empty when no request was made. */
  readonly attempts: readonly AttemptRecord[];
  /** Why no further attempt was made. */
  readonly stoppedBy: StoppedBy;
  /** The page that was being read, where a list was: a walk can resume there. */
  declare readonly page?: number;

  constructor(init: MerchantErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.outcome = init.outcome ?? 'not_sent';
    this.operation = init.operation ?? null;
    this.externalId = init.externalId ?? null;
    this.attempts = init.attempts ?? [];
    this.stoppedBy = init.stoppedBy ?? 'not_retryable';
    if (init.page !== undefined) this.page = init.page;
  }

  /** Plain data for a log line: every own field, the name and the message; no stack. */
  toJSON(): Record<string, unknown> {
    const { cause: _cause, stack: _stack, ...fields } = this as Record<string, unknown>;
    return { name: this.name, message: this.message, ...fields };
  }
}
Object.defineProperty(MerchantError.prototype, BRAND, { value: true });

/** The service answered and refused. Itself of kind `request`: a refusal without a closer class. */
export class ApiError extends MerchantError {
  readonly kind: ApiErrorKind = 'request';
  /** HTTP status; null only where no request was made (a {@link ValidationError} with origin `client`). */
  readonly status: number | null;
  /** `error.details` of the service, or null: bounded, without key and secrets, unprintable characters escaped. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The request id header of the answer, if it had one: give it to the service's support. */
  readonly requestId: string | null;
  /** The wait that the service asked for, in milliseconds. */
  declare readonly retryAfter?: number;

  constructor(init: ApiErrorInit) {
    super(init);
    this.status = init.status;
    this.details = init.details ?? null;
    this.requestId = init.requestId ?? null;
    if (init.retryAfter !== undefined) this.retryAfter = init.retryAfter;
    keepRaw(this, init.raw);
  }

  /** The body's first 2,000 characters, without key and secrets. May hold a customer's data: no log shows it. */
  get raw(): string {
    return rawOf(this);
  }
}

/** The request is malformed: both 422 shapes of the service, and our own checks before sending. */
export class ValidationError extends ApiError {
  override readonly kind = 'validation';
  /** Field to messages. Has no prototype, so a field may have any name. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly issues: readonly ValidationIssue[];
  /** `client`: our check refused it and no request was made. */
  readonly origin: 'service' | 'client';

  constructor(init: ValidationErrorInit) {
    super(init);
    const fields: Record<string, string[]> = Object.create(null);
    for (const { path, message } of init.issues) {
      fields[path] ??= [];
      fields[path].push(message);
    }
    this.fields = fields;
    this.issues = init.issues;
    this.origin = init.origin;
  }
}

/** An invoice with this external_id exists; no second one was created. `createOrGet` reads it for you. */
export class InvoiceAlreadyExistsError extends ApiError {
  override readonly kind = 'conflict';
  /** Status of the existing invoice, if the details carry it. */
  readonly existingStatus: InvoiceStatus | null;
  /** The existing invoice, where the details carry it whole. */
  declare readonly existing?: Invoice;

  constructor(init: InvoiceAlreadyExistsErrorInit) {
    super(init);
    this.existingStatus = init.existingStatus;
    if (init.existing !== undefined) this.existing = init.existing;
  }
}

/** The API key is missing, wrong or not allowed to do this. */
export class AuthenticationError extends ApiError {
  override readonly kind = 'authentication';
}
/** The invoice or withdrawal does not exist for this business. */
export class NotFoundError extends ApiError {
  override readonly kind = 'not_found';
}
/** Too many requests; `retryAfter` says how long to wait where the service says it. */
export class RateLimitError extends ApiError {
  override readonly kind = 'rate_limit';
}
/** The service failed (5xx). On a write the outcome is unknown. */
export class ServerError extends ApiError {
  override readonly kind = 'server';
}
/** No answer: the connection could not be made, or broke. `outcome` says whether the request may have arrived. */
export class ConnectionError extends MerchantError {
  readonly kind = 'connection';
}
/** One attempt (SDK_ATTEMPT_TIMEOUT) or the whole call (SDK_DEADLINE) took too long. */
export class TimeoutError extends MerchantError {
  readonly kind = 'timeout';
}

/** The caller's signal was aborted; its reason is `reason`. */
export class AbortedError extends MerchantError {
  readonly kind = 'aborted';
  /** The reason that the caller's signal carried. Not enumerable: it is the caller's, not ours to log. */
  declare readonly reason: unknown;

  constructor(init: MerchantErrorInit & { readonly reason?: unknown }) {
    super(init);
    Object.defineProperty(this, 'reason', { value: init.reason, enumerable: false });
  }
}

/** A success that cannot be read or decoded, or a redirect. */
export class UnexpectedResponseError extends MerchantError {
  readonly kind = 'unexpected_response';
  readonly status: number | null;
  readonly requestId: string | null;
  /** What in the body was not as the interface says, by path. */
  readonly issues: readonly ValidationIssue[];

  constructor(init: UnexpectedResponseErrorInit) {
    super(init);
    this.status = init.status;
    this.requestId = init.requestId ?? null;
    keepRaw(this, init.raw);
    this.issues = init.issues ?? [];
  }

  /** The body's first 2,000 characters, without key and secrets. May hold a customer's data: no log shows it. */
  get raw(): string {
    return rawOf(this);
  }
}

/** Another invoice has this external_id: its amount, currency or customer is not the one asked for. */
export class InvoiceMismatchError extends MerchantError {
  readonly kind = 'mismatch';
  /** The members in which the existing invoice is not the one asked for. */
  readonly differences: readonly ComparedField[];
  readonly existing: Invoice;

  constructor(
    init: MerchantErrorInit & {
      readonly differences: readonly ComparedField[];
      readonly existing: Invoice;
    },
  ) {
    super(init);
    this.differences = init.differences;
    this.existing = init.existing;
  }
}

/** A delivery that must not be trusted, and why. */
export class WebhookVerificationError extends MerchantError {
  readonly kind = 'webhook';
  readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    // The template of an upper-cased closed union is one of our codes by construction.
    super({ code: `SDK_WEBHOOK_${reason.toUpperCase()}`, message });
    this.reason = reason;
  }
}

/** An option, environment variable or argument is unusable. Names what was given, never the key or the secret. */
export class ConfigurationError extends MerchantError {
  readonly kind = 'configuration';

  constructor(message: string, init: Partial<MerchantErrorInit> = {}) {
    super({ code: 'SDK_CONFIGURATION', ...init, message });
  }
}

// A literal, because minifiers rename classes and logs group by name.
const NAMES = {
  MerchantError,
  ApiError,
  ValidationError,
  InvoiceAlreadyExistsError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
  AbortedError,
  UnexpectedResponseError,
  InvoiceMismatchError,
  WebhookVerificationError,
  ConfigurationError,
};
for (const [name, ErrorClass] of Object.entries(NAMES)) {
  Object.defineProperty(ErrorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}
