import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import type { ApiErrorKind } from './codes.ts';
import type {
  ApiErrorInit,
  InvoiceAlreadyExistsErrorInit,
  ValidationErrorInit,
  ValidationIssue,
} from './error-fields.ts';
import { MerchantError } from './merchant-error.ts';
import { keepRaw, rawOf } from './raw-body.ts';

/**
 * The service answered and refused the request. The kind `request` is a refusal without a closer class.
 *
 * @example
 * if (error instanceof ApiError) console.error(error.status, error.code, error.requestId);
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 */
export class ApiError extends MerchantError {
  readonly kind: ApiErrorKind = 'request';
  /** HTTP status. Null only when no request was made (a {@link ValidationError} of origin `client`). */
  readonly status: number | null;
  /** `error.details` of the service: a bounded copy without secrets, unprintable characters escaped. Null if absent. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** The request id header of the answer, for the support of the service. Null if absent. */
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

  /** The first 2,000 characters of the body, without secrets. It may hold data of a customer, so no log shows it. */
  get raw(): string {
    return rawOf(this);
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
  /** Messages by field. The object has no prototype, so that a field may have any name. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The same findings as a list, at most 20. */
  readonly issues: readonly ValidationIssue[];
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
    this.issues = init.issues;
    this.origin = init.origin;
  }
}

/**
 * An invoice with this `external_id` exists. The service created no second one. `createOrGet` reads it instead.
 *
 * @example
 * if (hasCode(error, 'INVOICE_ALREADY_EXISTS')) console.log(error.externalId, error.existingStatus);
 * @see [Known codes](../../docs/service-interface.md#known-codes)
 */
export class InvoiceAlreadyExistsError extends ApiError {
  override readonly kind = 'conflict';
  /** Status of the existing invoice. Null when the details do not hold it. */
  readonly existingStatus: InvoiceStatus | null;
  /** The existing invoice, when the details hold it completely. */
  declare readonly existing?: Invoice;

  constructor(init: InvoiceAlreadyExistsErrorInit) {
    super(init);
    this.existingStatus = init.existingStatus;
    if (init.existing !== undefined) this.existing = init.existing;
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
}

/**
 * The invoice or withdrawal does not exist for this business (404, 410).
 *
 * @example
 * if (hasKind(error, 'not_found')) return null;
 */
export class NotFoundError extends ApiError {
  override readonly kind = 'not_found';
}

/**
 * The service limits the rate (429, or a rate-limit code under any status), and the retries of the call are used up.
 *
 * @example
 * if (hasKind(error, 'rate_limit')) scheduleAgain(error.retryAfter ?? 60_000);
 */
export class RateLimitError extends ApiError {
  override readonly kind = 'rate_limit';
}

/**
 * The service failed (5xx). The `outcome` of a write is `unknown`.
 *
 * @example
 * if (hasKind(error, 'server') && error.outcome === 'unknown') queueForRetry(order);
 */
export class ServerError extends ApiError {
  override readonly kind = 'server';
}
