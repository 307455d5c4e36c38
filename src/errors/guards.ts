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
} from './classes.ts';
import { BRAND, type ErrorKind, type SdkCode, type ServiceCode, type WebhookReason } from './codes.ts';

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

/** A code that this package knows: the two that the interface names, and the package's own. */
export type KnownCode = ServiceCode | SdkCode;

/** The class of each known code. A code that {@link KnownCode} has and this has not does not compile in `hasCode`. */
export type ErrorByCode = {
  readonly VALIDATION_ERROR: ValidationError;
  readonly INVOICE_ALREADY_EXISTS: InvoiceAlreadyExistsError;
  readonly SDK_CONFIGURATION: ConfigurationError;
  readonly SDK_INVALID_ARGUMENT: ConfigurationError;
  readonly SDK_API_KEY: ConfigurationError;
  readonly SDK_CONNECTION: ConnectionError;
  readonly SDK_TLS: ConnectionError;
  readonly SDK_ATTEMPT_TIMEOUT: TimeoutError;
  readonly SDK_DEADLINE: TimeoutError;
  readonly SDK_ABORTED: AbortedError;
  readonly SDK_REDIRECT: UnexpectedResponseError;
  readonly SDK_UNREADABLE_BODY: UnexpectedResponseError;
  readonly SDK_BODY_TOO_LARGE: UnexpectedResponseError;
  readonly SDK_CONTRACT: UnexpectedResponseError;
  readonly SDK_PAGE: UnexpectedResponseError;
  readonly SDK_INVOICE_MISMATCH: InvoiceMismatchError;
} & {
  readonly [C in `SDK_WEBHOOK_${Uppercase<WebhookReason>}`]: WebhookVerificationError;
} & {
  /** A refusal without a code in its body: the class follows the status. */
  readonly [C in `SDK_HTTP_${number}`]: Extract<CallError, ApiError>;
};

/** True for every error of this package, also of another copy or format of it. */
export function isMerchantError(error: unknown): error is AnyMerchantError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

/**
 * True when the error carries this code, in any case: `code` stays as the service wrote it. Narrows to the class of the
 * code.
 *
 * A code that this package does not know must be given as plain `string`, so that a mistyped one does not compile.
 *
 * @example
 * if (hasCode(error, 'INVOICE_ALREADY_EXISTS')) console.log(error.existingStatus);
 * if (hasCode(error, 'ACCOUNT_FROZEN' as string)) console.log(error.code);
 */
export function hasCode<C extends KnownCode>(error: unknown, code: C): error is ErrorByCode[C] & { readonly code: C };
export function hasCode<S extends string>(
  error: unknown,
  code: string extends S ? S : never,
): error is AnyMerchantError;
export function hasCode(error: unknown, code: string): boolean {
  return isMerchantError(error) && error.code.toUpperCase() === code.toUpperCase();
}

/** True when the error is of this kind; narrows to its class. */
export function hasKind<K extends ErrorKind>(
  error: unknown,
  kind: K,
): error is Extract<AnyMerchantError, { readonly kind: K }> {
  return isMerchantError(error) && error.kind === kind;
}
