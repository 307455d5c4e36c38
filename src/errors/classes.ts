// The error family. It imports only files without imports, so that each entry of the package can use it.
import type { ChargeMember, Invoice } from '../contract/invoices.ts';
import type { InvoiceStatus, UnlistedWord } from '../contract/types.ts';
import {
  type ApiErrorKind,
  type AttemptRecord,
  BRAND,
  type ErrorCode,
  type ErrorKind,
  type Outcome,
  type RegisteredCode,
  type ServiceCode,
  type StatusCode,
  type StoppedBy,
  type WebhookCode,
  type WebhookReason,
} from './codes.ts';

/** One thing that is wrong with a request or a response. */
export interface ValidationIssue {
  /** The member, names joined with dots. Empty for the request or the response as a whole. */
  readonly path: string;
  /** What is wrong, in the words of the service, or of the client for its own checks. */
  readonly message: string;
  /** The type that the service gives the issue, such as `missing`. Absent if it sends none. */
  readonly type?: string;
}

/** The values of every error. All but `code` and `message` have defaults. */
export interface MerchantErrorInit {
  readonly code: string;
  readonly message: string;
  readonly outcome?: Outcome;
  readonly operation?: string | null;
  readonly externalId?: string | null;
  readonly attempts?: readonly AttemptRecord[];
  readonly stoppedBy?: StoppedBy;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly page?: number | undefined;
  readonly cause?: unknown;
}

/** The values of an {@link ApiError}. */
interface ApiErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly retryAfter?: number | undefined;
  readonly raw?: string;
  readonly answeredBy?: 'service' | 'other';
}

/** The values of a {@link ValidationError}. */
interface ValidationErrorInit extends ApiErrorInit {
  readonly issues: readonly ValidationIssue[];
  readonly origin: 'service' | 'client';
}

/** The values of an {@link InvoiceAlreadyExistsError}. */
interface InvoiceAlreadyExistsErrorInit extends ApiErrorInit {
  readonly existingStatus: InvoiceStatus | null;
  readonly existing?: Invoice | undefined;
}

/** The values of an {@link UnexpectedResponseError}. */
interface UnexpectedResponseErrorInit extends MerchantErrorInit {
  readonly status: number | null;
  readonly raw?: string;
  readonly issues?: readonly ValidationIssue[];
}

/**
 * The class that every error of this package extends.
 *
 * Compare `code` for the exact reason, or `kind` for the reaction. {@link isMerchantError} also recognises errors of a
 * second copy of the package, which `instanceof` does not. Neither an error nor its cause nor its inspection holds the
 * API key, a webhook secret, request headers or a request body.
 *
 * @example
 * try {
 *   await merchant.invoices.create(params);
 * } catch (error) {
 *   if (!isMerchantError(error)) throw error;
 *   if (error.outcome === 'unknown') retryLater(params); // with the same external_id
 * }
 */
export abstract class MerchantError extends Error {
  abstract readonly kind: ErrorKind;
  /** Identifier that does not change between versions: the code of the service, or a code that begins with `SDK_`. */
  readonly code: ErrorCode;
  /** Whether the operation happened, over all attempts of the call. */
  readonly outcome: Outcome;
  /**
   * The operation of the service that failed, such as `invoices.create`. Null outside a call.
   */
  readonly operation: string | null;
  /** The `external_id` of a creation, or the ident of a read. Null for other calls. */
  readonly externalId: string | null;
  /** The failed attempts, oldest first. Empty when no request was made. */
  readonly attempts: readonly AttemptRecord[];
  /** Why there was no further attempt. */
  readonly stoppedBy: StoppedBy;
  /** HTTP status of the response. Null without a response. */
  readonly status: number | null;
  /** The request id header of the response, for the support of the service. Null without it, and without a response. */
  readonly requestId: string | null;
  /** The page that the client was reading, for a list. A loop can resume there. */
  declare readonly page?: number;

  constructor(init: MerchantErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code as ErrorCode; // any text is one: the type only completes and narrows the known ones
    this.outcome = init.outcome ?? 'not_sent';
    this.operation = init.operation ?? null;
    this.externalId = init.externalId ?? null;
    this.attempts = init.attempts ?? [];
    this.stoppedBy = init.stoppedBy ?? 'not_retryable';
    this.status = init.status ?? null;
    this.requestId = init.requestId ?? null;
    if (init.page !== undefined) this.page = init.page;
  }

  /** Plain data for a log line: name, message and fields, without the stack and the cause. */
  toJSON(): Record<string, unknown> {
    const { cause: _cause, stack: _stack, ...fields } = this as Record<string, unknown>;
    return { name: this.name, message: this.message, ...fields };
  }
}
Object.defineProperty(MerchantError.prototype, BRAND, { value: true });

/**
 * Adds a property that no print and no JSON shows: one Decimal takes seventy lines in the print of an uncaught error.
 */
function defineHidden(error: MerchantError, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, enumerable: false });
}

/**
 * The service sent an error response. An error response for which there is no closer class has the kind `request`.
 *
 * @example
 * if (error instanceof ApiError) console.error(error.status, error.code, error.requestId);
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 */
export class ApiError extends MerchantError {
  /** Private, so that no print, JSON or clone shows it: it may hold data of a customer. */
  readonly #raw: string;
  readonly kind: ApiErrorKind = 'request';
  declare readonly code: ServiceCode | StatusCode | RegisteredCode | UnlistedWord;
  /**
   * `service`: the response has the form of the service's errors. `other`: it came from a proxy, a gateway, or another
   * program at `baseUrl`, and says nothing about an order.
   */
  readonly answeredBy: 'service' | 'other';
  /** `error.details` of the service: a bounded copy without secrets, unprintable characters escaped. Null if absent. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The wait that the service asked for, in milliseconds. */
  declare readonly retryAfter?: number;

  constructor(init: ApiErrorInit) {
    super(init);
    this.answeredBy = init.answeredBy ?? 'service';
    this.details = init.details ?? null;
    if (init.retryAfter !== undefined) this.retryAfter = init.retryAfter;
    this.#raw = init.raw ?? '';
  }

  /** The first 2,000 characters of the body, without secrets. It may hold data of a customer, so no log shows it. */
  get raw(): string {
    return #raw in this ? this.#raw : ''; // an object that inherits from an error has no private members
  }
}

/**
 * The request is malformed. The service answered 422, or the client refused the parameters before sending.
 *
 * @example
 * if (hasKind(error, 'validation')) showFormErrors(error.fields); // { amount: ['must be above 0'] }
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 */
export class ValidationError extends ApiError {
  override readonly kind = 'validation';
  declare readonly code: 'VALIDATION_ERROR' | RegisteredCode | UnlistedWord;
  /** Messages by field. The object has no prototype, so that a field may have any name. */
  readonly fields: Record<string, string[]>;
  /** The same issues as a list, at most 20. */
  readonly issues: ValidationIssue[];
  /** `client`: the client refused the parameters, and no request was made. */
  readonly origin: 'service' | 'client';

  constructor(init: ValidationErrorInit) {
    super(init);
    const fields: Record<string, string[]> = Object.create(null);
    for (const { path, message } of init.issues) {
      fields[path] ??= [];
      fields[path].push(message);
    }
    this.fields = fields;
    this.issues = [...init.issues];
    this.origin = init.origin;
  }
}

/**
 * An invoice with this `external_id` exists. The service created no second one. `createOrRenew` returns it instead.
 *
 * @example
 * if (hasCode(error, 'INVOICE_ALREADY_EXISTS')) console.log(error.externalId, error.existingStatus);
 * @see [Known codes](../../docs/service-interface.md#known-codes)
 */
export class InvoiceAlreadyExistsError extends ApiError {
  override readonly kind = 'conflict';
  declare readonly code: 'INVOICE_ALREADY_EXISTS';
  /** Status of the existing invoice. Null if neither the response nor a read contained it. */
  readonly existingStatus: InvoiceStatus | null;
  /** The existing invoice, if the client could read it and it is the same charge. Not enumerable. */
  declare readonly existing?: Invoice;

  constructor(init: InvoiceAlreadyExistsErrorInit) {
    super(init);
    this.existingStatus = init.existingStatus;
    if (init.existing !== undefined) defineHidden(this, 'existing', init.existing);
  }
}

/**
 * The API key is missing, wrong or not allowed to do this (401, 403).
 *
 * @example
 * if (hasKind(error, 'authentication')) alertOperator('Check MERCHANT_API_KEY');
 */
export class AuthenticationError extends ApiError {
  override readonly kind = 'authentication';
  declare readonly code: StatusCode | RegisteredCode | UnlistedWord;
}

/**
 * The service says that the invoice or withdrawal does not exist for this business (404, 410). The 404 of a proxy or of
 * another program is a plain {@link ApiError} with `answeredBy: 'other'`.
 *
 * @example
 * if (hasKind(error, 'not_found')) return null;
 */
export class NotFoundError extends ApiError {
  override readonly kind = 'not_found';
  declare readonly code: StatusCode | RegisteredCode | UnlistedWord;
}

/**
 * The service limits the rate: 429, 420, or a rate-limit code under any status. `stoppedBy` says why there was no
 * retry.
 *
 * @example
 * if (hasKind(error, 'rate_limit')) scheduleAgain(error.retryAfter ?? 60_000);
 */
export class RateLimitError extends ApiError {
  override readonly kind = 'rate_limit';
  declare readonly code: StatusCode | RegisteredCode | UnlistedWord;
}

/**
 * The service failed: a 5xx, or a code such as INTERNAL_ERROR. The `outcome` of a write is `unknown`, but `rejected`
 * for 501 and 505.
 *
 * @example
 * if (hasKind(error, 'server') && error.outcome === 'unknown') queueForRetry(order);
 */
export class ServerError extends ApiError {
  override readonly kind = 'server';
  declare readonly code: StatusCode | RegisteredCode | UnlistedWord;
}

/**
 * There was no response: the connection could not be made (`SDK_CONNECTION`, `SDK_TLS`) or broke (`SDK_CONNECTION`).
 * `outcome` says whether the request may have arrived.
 *
 * @example
 * if (hasKind(error, 'connection') && error.outcome === 'not_sent') useOtherPaymentMethod();
 */
export class ConnectionError extends MerchantError {
  readonly kind = 'connection';
  declare readonly code: 'SDK_CONNECTION' | 'SDK_TLS';
}

/**
 * One attempt (`SDK_ATTEMPT_TIMEOUT`) or the whole call (`SDK_DEADLINE`) took too long.
 *
 * @example
 * if (hasCode(error, 'SDK_DEADLINE')) console.warn(`gave up after ${error.attempts.length} attempts`);
 */
export class TimeoutError extends MerchantError {
  readonly kind = 'timeout';
  declare readonly code: 'SDK_ATTEMPT_TIMEOUT' | 'SDK_DEADLINE';
}

/**
 * The signal of the caller was aborted (`SDK_ABORTED`).
 *
 * @example
 * if (hasKind(error, 'aborted')) console.log('cancelled:', error.reason);
 */
export class AbortedError extends MerchantError {
  readonly kind = 'aborted';
  declare readonly code: 'SDK_ABORTED';
  /** The reason of the signal. It is not enumerable, so that no log shows it. */
  declare readonly reason: unknown;

  constructor(init: MerchantErrorInit & { readonly reason?: unknown }) {
    super(init);
    defineHidden(this, 'reason', init.reason);
  }
}

/**
 * The response is a success that the client cannot read or decode, or a redirect.
 * Codes: `SDK_REDIRECT`, `SDK_UNREADABLE_BODY`, `SDK_BODY_TOO_LARGE`, `SDK_CONTRACT`, `SDK_PAGE`.
 *
 * @example
 * if (hasCode(error, 'SDK_CONTRACT')) console.error(error.issues); // [{ path: 'amount', message: '…' }]
 */
export class UnexpectedResponseError extends MerchantError {
  /** Private, so that no print, JSON or clone shows it: it may hold data of a customer. */
  readonly #raw: string;
  readonly kind = 'unexpected_response';
  declare readonly code: 'SDK_REDIRECT' | 'SDK_UNREADABLE_BODY' | 'SDK_BODY_TOO_LARGE' | 'SDK_CONTRACT' | 'SDK_PAGE';
  /** The members of the body that differ from the interface, at most 20. */
  readonly issues: readonly ValidationIssue[];

  constructor(init: UnexpectedResponseErrorInit) {
    super(init);
    this.#raw = init.raw ?? '';
    this.issues = init.issues ?? [];
  }

  /** The first 2,000 characters of the body, without secrets. It may hold data of a customer, so no log shows it. */
  get raw(): string {
    return #raw in this ? this.#raw : ''; // an object that inherits from an error has no private members
  }
}

/**
 * Another invoice has this `external_id`: its amount, currency or customer differs from the request
 * (`SDK_INVOICE_MISMATCH`).
 *
 * @example
 * if (hasKind(error, 'mismatch')) console.error(error.differences, error.existing.uuid); // ['amount'] …
 */
export class InvoiceMismatchError extends MerchantError {
  readonly kind = 'mismatch';
  declare readonly code: 'SDK_INVOICE_MISMATCH';
  /** The members that differ. */
  readonly differences: readonly ChargeMember[];
  /** The invoice that exists. Not enumerable: no log shows it. */
  declare readonly existing: Invoice;

  constructor(init: MerchantErrorInit & Pick<InvoiceMismatchError, 'differences' | 'existing'>) {
    super(init);
    this.differences = init.differences;
    defineHidden(this, 'existing', init.existing);
  }
}

/**
 * A webhook delivery that must not be trusted (`SDK_WEBHOOK_<REASON>`).
 *
 * @example
 * if (hasKind(error, 'webhook')) console.warn('delivery refused:', error.reason);
 */
export class WebhookVerificationError extends MerchantError {
  readonly kind = 'webhook';
  declare readonly code: WebhookCode;
  /** Why the delivery is refused. `code` is `SDK_WEBHOOK_` and this word in capitals. */
  readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    super({ code: `SDK_WEBHOOK_${reason.toUpperCase()}`, message });
    this.reason = reason;
  }
}

/**
 * An option, environment variable or argument is unusable (`SDK_CONFIGURATION`, `SDK_INVALID_ARGUMENT`, `SDK_API_KEY`).
 * The message says what was given, and never quotes the key or a secret.
 *
 * @example
 * if (hasKind(error, 'configuration')) process.exitCode = 1;
 */
export class ConfigurationError extends MerchantError {
  readonly kind = 'configuration';
  declare readonly code: 'SDK_CONFIGURATION' | 'SDK_INVALID_ARGUMENT' | 'SDK_API_KEY';

  constructor(message: string, init: Partial<MerchantErrorInit> = {}) {
    super({ code: 'SDK_CONFIGURATION', ...init, message });
  }
}

/** The classes of {@link ApiError} that add no members, by kind. */
export const ERROR_RESPONSE_CLASSES = {
  authentication: AuthenticationError,
  not_found: NotFoundError,
  rate_limit: RateLimitError,
  server: ServerError,
} as const;

// The names are written out, because minifiers rename classes, and logs group errors by name.
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
