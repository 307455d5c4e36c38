import type { ErrorCode, ErrorKind } from './error-codes.ts';
import type {
  AbortedError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  WebhookVerificationError,
} from './errors.ts';

/** In the global registry, so that two copies of the package recognise each other's errors. */
export const BRAND: unique symbol = Symbol.for('merchant-invoicing.error') as never; // the registry's type is not unique

/** The closed list of errors that a call of the client can reject with. `kind` tells them apart. */
export type CallError =
  | (ApiError & { readonly kind: 'request' })
  | ValidationError
  | InvoiceAlreadyExistsError
  | AuthenticationError
  | NotFoundError
  | RateLimitError
  | ServerError
  | ConnectionError
  | TimeoutError
  | AbortedError
  | UnexpectedResponseError
  | InvoiceMismatchError
  | ConfigurationError;

/** Every error of the package, by kind. */
export type AnyMerchantError = CallError | WebhookVerificationError;

/** The class of each code that has one of its own. */
export interface ErrorByCode {
  VALIDATION_ERROR: ValidationError;
  INVOICE_ALREADY_EXISTS: InvoiceAlreadyExistsError;
  SDK_INVOICE_MISMATCH: InvoiceMismatchError;
  SDK_CONNECTION: ConnectionError;
  SDK_TLS: ConnectionError;
  SDK_ATTEMPT_TIMEOUT: TimeoutError;
  SDK_DEADLINE: TimeoutError;
  SDK_ABORTED: AbortedError;
}

/** True for every error of this package, also of another copy or format of it. */
export function isMerchantError(error: unknown): error is AnyMerchantError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

/**
 * True when the error carries this code, in any case: the service's word stays in `code` to the letter.
 * Narrows to its class where the code has one of its own.
 */
export function hasCode<C extends ErrorCode>(
  error: unknown,
  code: C,
): error is C extends keyof ErrorByCode
  ? ErrorByCode[C] & { readonly code: C }
  : AnyMerchantError & { readonly code: C } {
  return isMerchantError(error) && error.code.toUpperCase() === code.toUpperCase();
}

/** True when the error is of this kind; narrows to its class. */
export function hasKind<K extends ErrorKind>(
  error: unknown,
  kind: K,
): error is Extract<AnyMerchantError, { readonly kind: K }> {
  return isMerchantError(error) && error.kind === kind;
}
