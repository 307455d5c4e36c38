// The error family. This room imports nothing at run time, so that each entry of the package can use it.
import type { Invoice } from '../contract/types.ts';
import * as apiErrors from './api-errors.ts';
import type { WebhookReason } from './codes.ts';
import type { ComparedField, MerchantErrorInit, UnexpectedResponseErrorInit, ValidationIssue } from './error-fields.ts';
import { MerchantError } from './merchant-error.ts';
import { dataOf, keepData, keepRaw, rawOf } from './raw-body.ts';

export * from './api-errors.ts';
export { MerchantError };

/**
 * There was no answer: the connection could not be made (`SDK_CONNECTION`, `SDK_TLS`) or broke (`SDK_CONNECTION`).
 * `outcome` says whether the request may have arrived.
 *
 * @example
 * if (hasKind(error, 'connection') && error.outcome === 'not_sent') useOtherPaymentMethod();
 */
export class ConnectionError extends MerchantError {
  readonly kind = 'connection';
}

/**
 * One attempt (`SDK_ATTEMPT_TIMEOUT`) or the whole call (`SDK_DEADLINE`) took too long.
 *
 * @example
 * if (hasCode(error, 'SDK_DEADLINE')) console.warn(`gave up after ${error.attempts.length} attempts`);
 */
export class TimeoutError extends MerchantError {
  readonly kind = 'timeout';
}

/**
 * The signal of the caller was aborted (`SDK_ABORTED`).
 *
 * @example
 * if (hasKind(error, 'aborted')) console.log('cancelled:', error.reason);
 */
export class AbortedError extends MerchantError {
  readonly kind = 'aborted';
  /** The reason of the signal. It is not enumerable, so that no log shows it. */
  declare readonly reason: unknown;

  constructor(init: MerchantErrorInit & { readonly reason?: unknown }) {
    super(init);
    Object.defineProperty(this, 'reason', { value: init.reason, enumerable: false });
  }
}

/**
 * The answer is a success that the client cannot read or decode, or a redirect.
 * Codes: `SDK_REDIRECT`, `SDK_UNREADABLE_BODY`, `SDK_BODY_TOO_LARGE`, `SDK_CONTRACT`, `SDK_PAGE`.
 *
 * @example
 * if (hasCode(error, 'SDK_CONTRACT')) console.error(error.issues); // [{ path: 'amount', message: '…' }]
 */
export class UnexpectedResponseError extends MerchantError {
  readonly kind = 'unexpected_response';
  /** HTTP status. */
  readonly status: number | null;
  /** The request id header of the answer, for the support of the service. Null if absent. */
  readonly requestId: string | null;
  /** The members of the body that differ from the interface, at most 20. */
  readonly issues: readonly ValidationIssue[];

  constructor(init: UnexpectedResponseErrorInit) {
    super(init);
    this.status = init.status;
    this.requestId = init.requestId ?? null;
    keepRaw(this, init.raw);
    keepData(this, init.data);
    this.issues = init.issues ?? [];
  }

  /**
   * The result of a call that succeeded, and that `onDrift: 'throw'` refuses. Undefined for any other failure. It may hold
   * data of a customer, so no log shows it.
   */
  get data(): unknown {
    return dataOf(this);
  }

  /** The first 2,000 characters of the body, without secrets. It may hold data of a customer, so no log shows it. */
  get raw(): string {
    return rawOf(this);
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
  /** The members that differ. */
  readonly differences: readonly ComparedField[];
  /** The invoice that exists. */
  readonly existing: Invoice;

  constructor(init: MerchantErrorInit & Pick<InvoiceMismatchError, 'differences' | 'existing'>) {
    super(init);
    this.differences = init.differences;
    this.existing = init.existing;
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
  readonly reason: WebhookReason;

  constructor(reason: WebhookReason, message: string) {
    // The template of an upper-cased closed union is one of the codes by construction.
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

  constructor(message: string, init: Partial<MerchantErrorInit> = {}) {
    super({ code: 'SDK_CONFIGURATION', ...init, message });
  }
}

// Literals, because minifiers rename classes and logs group by name.
const NAMES = {
  MerchantError,
  ...apiErrors,
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
