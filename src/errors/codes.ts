import type { UnlistedWord } from '../contract/types.ts';

/**
 * The kind of a failure. The union is closed, so `switch (error.kind)` can be exhaustive.
 * Compare `code` for the exact reason, and `kind` for the reaction.
 */
export type ErrorKind = ApiErrorKind | LocalErrorKind;

/** Kinds of {@link ApiError}: the service sent an error response. */
export type ApiErrorKind =
  | 'request'
  | 'validation'
  | 'conflict'
  | 'authentication'
  | 'not_found'
  | 'rate_limit'
  | 'server';

/** Kinds of failure that no response of the service describes. */
export type LocalErrorKind =
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'unexpected_response'
  | 'mismatch'
  | 'webhook'
  | 'configuration';

/**
 * Whether the operation happened, over all attempts of the call.
 *
 * - `not_sent`: no byte of the request reached the service.
 * - `rejected`: the service did not do it, and said so.
 * - `unknown`: it may have happened. Repeat the call with the same `external_id`, or read the invoice.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown';

/** Why there was no further attempt. */
export type StoppedBy = 'attempts' | 'deadline' | 'retry_after' | 'not_retryable' | 'aborted';

/** Codes that the interface of the service names. @see [Known codes](../../docs/service-interface.md#known-codes) */
export type ServiceCode = 'VALIDATION_ERROR' | 'INVOICE_ALREADY_EXISTS';

/**
 * Further codes of your service, which you register by declaration merging. A registered code completes and compares in
 * `===`, `switch` and `hasCode`, and a mistyped one does not compile. The status decides which class such an error has.
 * Write the code as the service spells it, because `===` is exact.
 *
 * @example
 * import 'merchant-invoicing';
 * declare module 'merchant-invoicing' {
 *   interface ServiceCodes {
 *     INVOICE_NOT_FOUND: true;
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: a merchant adds its members, which a type alias does not allow.
export interface ServiceCodes {}

/** The codes that are registered in {@link ServiceCodes}. A listed one that is registered too keeps its class. */
export type RegisteredCode = Exclude<Extract<keyof ServiceCodes, string>, ServiceCode | `SDK_${string}`>;

/** The reasons for which a delivery is refused. */
export const WEBHOOK_REASONS = [
  'missing_header',
  'malformed_signature',
  'malformed_timestamp',
  'timestamp_too_old',
  'timestamp_too_new',
  'signature_mismatch',
  'sandbox_secret',
  'duplicate_header',
  'body_already_parsed',
  'body_too_large',
  'malformed_payload',
] as const;
/**
 * The reasons for which a delivery is refused. The code of the error is `SDK_WEBHOOK_` and the reason in capitals.
 *
 * - `missing_header`: a header of the delivery is absent or empty, or the headers have no readable form.
 * - `duplicate_header`: a header was sent twice, so it is not known which value counts.
 * - `malformed_signature`: X-Webhook-Signature is not a SHA-256 signature in hex or base64.
 * - `malformed_timestamp`: X-Webhook-Timestamp is not seconds, milliseconds or ISO 8601.
 * - `signature_mismatch`: another secret signed it, or the body is not the raw one.
 * - `sandbox_secret`: signed with `whsec_sandbox`, which everybody knows, and neither MERCHANT_SANDBOX=1 nor the option
 *   `sandbox: true` allows it.
 * - `timestamp_too_old`, `timestamp_too_new`: genuine, but signed longer ago, or further ahead, than `tolerance`.
 * - `body_already_parsed`: the body is neither bytes nor text. A framework has parsed it.
 * - `body_too_large`: the body is larger than `maxBodySize`.
 * - `malformed_payload`: genuine, but not as the interface says: no JSON object, or a needed member is missing or
 *   wrong.
 */
export type WebhookReason = (typeof WEBHOOK_REASONS)[number];

/**
 * The kind of each code with a fixed name. The names of the other codes contain a status or a webhook reason.
 * `hasCode`, its types and the fakes of `merchant-invoicing/testing` follow this table.
 */
export const CODE_KINDS = {
  VALIDATION_ERROR: 'validation',
  INVOICE_ALREADY_EXISTS: 'conflict',
  SDK_CONFIGURATION: 'configuration',
  SDK_INVALID_ARGUMENT: 'configuration',
  SDK_API_KEY: 'configuration',
  SDK_CONNECTION: 'connection',
  SDK_TLS: 'connection',
  SDK_ATTEMPT_TIMEOUT: 'timeout',
  SDK_DEADLINE: 'timeout',
  SDK_ABORTED: 'aborted',
  SDK_REDIRECT: 'unexpected_response',
  SDK_UNREADABLE_BODY: 'unexpected_response',
  SDK_BODY_TOO_LARGE: 'unexpected_response',
  SDK_CONTRACT: 'unexpected_response',
  SDK_PAGE: 'unexpected_response',
  SDK_INVOICE_MISMATCH: 'mismatch',
} as const satisfies { readonly [C in ServiceCode | FixedSdkCode]: ErrorKind };

/** True for a code that begins with `SDK_` and that no error of this package has. */
export function isUnknownSdkCode(code: string): boolean {
  if (!code.startsWith('SDK_') || Object.hasOwn(CODE_KINDS, code) || /^SDK_HTTP_\d+$/.test(code)) return false;
  return !WEBHOOK_REASONS.some((reason) => code === `SDK_WEBHOOK_${reason.toUpperCase()}`);
}

/** The codes of this package with a fixed name. */
type FixedSdkCode = Exclude<SdkCode, `SDK_HTTP_${number}` | `SDK_WEBHOOK_${string}`>;

/** Codes of this package. The list is closed, and docs/errors.md describes each of them. */
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
  | StatusCode
  | WebhookCode;

/** The code of an error response without a code in its body. */
export type StatusCode = `SDK_HTTP_${number}`;

/** The code of a delivery that is refused. */
export type WebhookCode = `SDK_WEBHOOK_${Uppercase<WebhookReason>}`;

/**
 * A known code, one that is registered in {@link ServiceCodes}, or any other text that the service sends as
 * `error.code`. Compare any other with `hasCode`: in a comparison with `===` it does not compile, as a mistyped one
 * does not.
 */
export type ErrorCode = ServiceCode | SdkCode | RegisteredCode | UnlistedWord;

/** `homepage` of package.json, which a release sets. The build puts its value here; the sources have none. */
declare const HOMEPAGE: string | undefined;

/**
 * The address of the page that explains a code: on the site of the package, or in its `docs` without a site.
 */
export function guideTo(code: string): string {
  const site = typeof HOMEPAGE === 'string' ? HOMEPAGE : '';
  const page = site === '' ? 'docs/errors.md' : new URL('errors.html', site).href;
  return /^\w+$/.test(code) ? `${page}#${code.toLowerCase()}` : page;
}

/** One failed attempt of a call. */
export interface AttemptRecord {
  /** The code of the error that this attempt alone would cause. */
  readonly code: ErrorCode;
  /** HTTP status, or null when no response came. */
  readonly status: number | null;
  /** Whether this attempt reached the service, and whether it may have succeeded. */
  readonly outcome: Outcome;
}

/** A symbol of the global registry, so that two copies of the package recognise each other's errors. */
export const BRAND: unique symbol = Symbol.for('merchant-invoicing.error') as never; // the registry's type is not unique

/** Only these words may stand before the limit: EXCHANGE_RATE_LIMIT_EXCEEDED is about a rate of exchange. */
const RATE_LIMIT_CODE =
  /^(?:(?:api|http|client|global|ip|key|user|account|merchant|business|error|err|request)[_.:-]?){0,2}(?:rate[_.-]?limit|rate[_.-]?exceeded|requests?[_.-]?limit|too[_.-]?many|throttl|quota)/i;
const SERVER_CODE =
  /^(?:internal(?:_server)?_error|internal|server_error|(?:service|temporarily)_unavailable|(?:under_)?maintenance)$/i;

/**
 * The kind of an error response. The two codes of the interface and those of a rate limit decide, then the status. A
 * code of a broken server counts where the status says nothing closer. Codes are compared without case. A 404 is the
 * service's word only in a form of its errors: any proxy sends one.
 */
export function errorKindOf(code: string | null, status: number, answeredBy: 'service' | 'other'): ApiErrorKind {
  const known = code?.toUpperCase();
  if (known === 'INVOICE_ALREADY_EXISTS') return 'conflict';
  if (known === 'VALIDATION_ERROR') return 'validation';
  if (status === 429 || status === 420 || (code !== null && RATE_LIMIT_CODE.test(code))) return 'rate_limit';
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404 || status === 410) return answeredBy === 'service' ? 'not_found' : 'request';
  if (status === 422) return 'validation';
  return status >= 500 || (code !== null && SERVER_CODE.test(code)) ? 'server' : 'request';
}

/** Statuses with which a service or a proxy says that a request did not end, and not that it is wrong. */
const UNFINISHED: ReadonlySet<number> = new Set([408, 409, 423]);

/** True if the request may still run: a first attempt that a repeat meets is a 409 or 423 without a known code. */
export function isUnfinished(kind: ApiErrorKind, status: number): boolean {
  return kind === 'request' && UNFINISHED.has(status);
}

/** Whether the service may have done the work, although it sent an error response. */
export function errorOutcome(kind: ApiErrorKind, status: number, isWrite: boolean): Outcome {
  if (isUnfinished(kind, status)) return status === 408 || isWrite ? 'unknown' : 'rejected';
  // A redirect may follow the work.
  const isRedirect = kind === 'request' && status >= 300 && status < 400;
  const isFailed = kind === 'server' && status !== 501 && status !== 505;
  return isWrite && (isRedirect || isFailed) ? 'unknown' : 'rejected';
}
