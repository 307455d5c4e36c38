import type { UnlistedWord } from '../contract/types.ts';
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
import {
  BRAND,
  CODE_KINDS,
  type ErrorKind,
  isUnknownSdkCode,
  type Outcome,
  type RegisteredCode,
  type SdkCode,
  type ServiceCode,
  type StatusCode,
  type WebhookCode,
} from './codes.ts';
import { warnOnce } from './notify.ts';

/** An error response without a closer class: `kind` is `request`. */
export interface PlainApiError extends ApiError {
  readonly kind: 'request';
  readonly code: StatusCode | RegisteredCode | UnlistedWord;
}

/** The closed list of errors that a call of the client can reject with. They differ by `kind`. */
export type CallError =
  | PlainApiError
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

/** A code that this package knows: of the interface, of this package, or registered in {@link ServiceCodes}. */
export type KnownCode = ServiceCode | SdkCode | RegisteredCode;

/** The class of each known code. `hasCode` does not compile for a known code that is missing here. */
export type ErrorByCode = {
  readonly [C in keyof typeof CODE_KINDS]: Extract<AnyMerchantError, { readonly kind: (typeof CODE_KINDS)[C] }>;
} & {
  readonly [C in WebhookCode]: WebhookVerificationError;
} & {
  /** An error response without a code in its body. The status decides the class. */
  readonly [C in StatusCode]: Extract<CallError, ApiError>;
} & {
  /** The status decides the class, which is never that of a conflict. */
  readonly [C in RegisteredCode]: Exclude<Extract<CallError, ApiError>, InvoiceAlreadyExistsError>;
};

const KINDS: ReadonlySet<unknown> = new Set<ErrorKind>([
  ...Object.values(CODE_KINDS),
  ...(['request', 'authentication', 'not_found', 'rate_limit', 'server', 'webhook'] as const),
]);
const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>(['not_sent', 'rejected', 'unknown']);

/**
 * True for an error of this package, also for one of a second copy of it, and for one that came from a worker
 * thread: such a value has the data of the error, and no methods.
 *
 * @example
 * if (isMerchantError(error)) logger.error(error.toJSON());
 */
export function isMerchantError(error: unknown): error is AnyMerchantError {
  if (typeof error !== 'object' || error === null) return false;
  if (BRAND in error) return true;
  const { kind, code, outcome, attempts } = error as Partial<AnyMerchantError>; // each is checked
  return KINDS.has(kind) && typeof code === 'string' && OUTCOMES.has(outcome) && Array.isArray(attempts);
}

/** The error type of a code: the class of a known code, an error response for any other, and any error for a text. */
type ErrorOf<C extends string> = C extends unknown // for each code of a list
  ? string extends C
    ? AnyMerchantError
    : C extends KnownCode
      ? ErrorByCode[C] & { readonly code: C }
      : Extract<AnyMerchantError, ApiError> & { readonly code: UnlistedWord }
  : never;

/**
 * True when the error has this code, or one of a list. The comparison ignores case. Editors complete the known codes,
 * and these narrow the error to its class. Any other text is compared as well, because the interface shows two codes of
 * many. It never throws: what can be no code is printed once.
 *
 * @example
 * if (hasCode(error, 'INVOICE_ALREADY_EXISTS')) console.log(error.existingStatus);
 * if (hasCode(error, ['RATE_EXPIRED', 'QUOTE_EXPIRED'])) console.log(error.outcome);
 */
export function hasCode<const C extends KnownCode | (string & {})>(
  error: unknown,
  code: C | readonly C[],
): error is ErrorOf<C>;
export function hasCode(error: unknown, code: unknown): boolean {
  const codes = wordsOf('hasCode', 'code', code, (word) => !isUnknownSdkCode(word.toUpperCase()));
  return isMerchantError(error) && codes.some((word) => word.toUpperCase() === error.code.toUpperCase());
}

/**
 * True when the error is of this kind, or of one of a list. Narrows to its class. It never throws: what is no kind is
 * printed once.
 *
 * @example
 * if (hasKind(error, 'rate_limit')) await sleep(error.retryAfter ?? 1_000);
 */
export function hasKind<const K extends ErrorKind>(
  error: unknown,
  kind: K | readonly K[],
): error is Extract<AnyMerchantError, { readonly kind: K }>;
export function hasKind(error: unknown, kind: unknown): boolean {
  const kinds = wordsOf('hasKind', 'kind', kind, (word) => KINDS.has(word));
  return isMerchantError(error) && kinds.includes(error.kind);
}

/**
 * The words to compare with. A mistake is printed and not thrown, because it would be thrown in place of the error in the
 * `catch`.
 */
function wordsOf(name: string, what: string, given: unknown, exists: (word: string) => boolean): readonly string[] {
  const words: readonly unknown[] = Array.isArray(given) ? given : [given];
  return words.filter((word) => {
    if (typeof word === 'string' && exists(word)) return true;
    const problem =
      typeof word === 'string'
        ? `no error has the ${what} ${JSON.stringify(word.slice(0, WORD_MAX))}`
        : `the error comes first, and then a ${what} or a list of them, not ${typeof word}`;
    warnOnce(`${name} ${problem}`, `${name}(error, ${what}): ${problem}. This is printed once.`);
    return false;
  }) as string[]; // each is one
}

const WORD_MAX = 60;

/**
 * True if the service has nothing under an identifier, or does not accept its form. A service that accepts only its own
 * uuids may respond 500 or 501 to any other text.
 *
 * @internal
 */
export function isRefusedIdent(error: AnyMerchantError): boolean {
  if (error.kind === 'server') return error.status === 500 || error.status === 501;
  return ['not_found', 'validation', 'request'].includes(error.kind) || error.code === 'SDK_INVALID_ARGUMENT';
}

/**
 * True if every further call would fail in the same way: the key is refused, or the client is unusable. A 403 does not
 * count, because it may be about one resource.
 * @internal
 */
export function failsEveryCall(error: AnyMerchantError): boolean {
  if (error.kind === 'configuration') return error.code !== 'SDK_INVALID_ARGUMENT';
  return error.kind === 'authentication' && error.status !== 403;
}
