import type { InvoiceStatus } from '../../contract/types.ts';
import { checkOptions, configurationFail, namesOf } from '../../errors/checks.ts';
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  ERROR_RESPONSE_CLASSES,
  InvoiceAlreadyExistsError,
  InvoiceMismatchError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
  WebhookVerificationError,
} from '../../errors/classes.ts';
import {
  CODE_KINDS,
  errorKindOf,
  errorOutcome,
  type Outcome,
  type StoppedBy,
  WEBHOOK_REASONS,
} from '../../errors/codes.ts';
import type { AnyMerchantError, CallError, ErrorByCode, KnownCode } from '../../errors/guards.ts';
import { fakeInvoice } from './fake-data.ts';

/**
 * Members of a {@link fakeError}. The others follow the code: a timeout of a creation has the outcome `unknown`.
 *
 * @example
 * const missing = fakeError('INVOICE_NOT_FOUND' as string, { status: 404, externalId: 'order-1042' });
 */
export interface FakeErrorOverrides {
  /** @defaultValue the operation and the code */
  readonly message?: string | undefined;
  /** @defaultValue `'invoices.get'` for 404, `'invoices.list'` for `SDK_PAGE`, otherwise `'invoices.create'` */
  readonly operation?: string | undefined;
  /** @defaultValue `'order-1'`, null for `invoices.list` */
  readonly externalId?: string | null | undefined;
  /** @defaultValue the outcome that the client gives this code for this operation */
  readonly outcome?: Outcome | undefined;
  /** @defaultValue `'attempts'`, `'deadline'` for `SDK_DEADLINE`, `'aborted'` for `SDK_ABORTED` */
  readonly stoppedBy?: StoppedBy | undefined;
  /** HTTP status of an error response. A code such as `SDK_HTTP_404` has its own. */
  readonly status?: number | undefined;
  /** @defaultValue `'req-fake-1'` */
  readonly requestId?: string | undefined;
  /** `error.details` of an error response, as the service would send them. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** In milliseconds. */
  readonly retryAfter?: number | undefined;
  /** Of INVOICE_ALREADY_EXISTS. @defaultValue `'pending'` */
  readonly existingStatus?: InvoiceStatus | undefined;
  /** Of VALIDATION_ERROR. @defaultValue one about `amount` */
  readonly issues?: ValidationError['issues'] | undefined;
}

const NAMES = namesOf<FakeErrorOverrides>({
  message: true,
  operation: true,
  externalId: true,
  outcome: true,
  stoppedBy: true,
  status: true,
  requestId: true,
  details: true,
  retryAfter: true,
  existingStatus: true,
  issues: true,
});

const ISSUES = [{ path: 'amount', message: 'must be above 0' }];

/**
 * Returns an error as a call rejects with it: with the class, `kind`, `status` and `outcome` that the client gives this
 * code.
 *
 * For the kind of a status, use its code: `SDK_HTTP_429` is a RateLimitError, and `SDK_HTTP_503` a ServerError. A 404
 * without a code of the service (`SDK_HTTP_404`) is a plain ApiError, as the page of a proxy is. Pass another code of the
 * service as plain `string`, with its `status`.
 *
 * @throws ConfigurationError for an unknown name, or for a code that begins with `SDK_` and does not exist.
 * @example
 * const create = () => Promise.reject(fakeError('SDK_ATTEMPT_TIMEOUT')); // outcome: 'unknown'
 * const refused = fakeError('ACCOUNT_FROZEN' as string, { status: 403 });
 */
export function fakeError<C extends KnownCode>(
  code: C,
  overrides?: FakeErrorOverrides,
): ErrorByCode[C] & { readonly code: C };
export function fakeError<S extends string>(
  code: string extends S ? S : never,
  overrides?: FakeErrorOverrides,
): Extract<CallError, ApiError>;
export function fakeError(code: string, given: FakeErrorOverrides = {}): AnyMerchantError {
  checkOptions('overrides', given, NAMES, configurationFail('fakeError'));
  const reason = WEBHOOK_REASONS.find((each) => code === `SDK_WEBHOOK_${each.toUpperCase()}`);
  if (reason !== undefined) return new WebhookVerificationError(reason, given.message ?? `A fake delivery: ${reason}.`);
  const hasNoCode = code.startsWith('SDK_HTTP_');
  const isMissing = given.status === 404 || code === 'SDK_HTTP_404' || code === 'SDK_HTTP_410';
  const { operation = isMissing ? 'invoices.get' : code === 'SDK_PAGE' ? 'invoices.list' : 'invoices.create' } = given;
  const isWrite = operation.startsWith('invoices.create') || operation === 'webhooks.resend';
  const { externalId = operation === 'invoices.list' ? null : 'order-1', requestId = 'req-fake-1' } = given;
  const { message = `${operation}: ${code}. A fake error.` } = given;
  const { status = statusOf(code), stoppedBy = 'attempts' } = given;
  const kind = kindOfCode(code, status);
  const knownOutcome: Outcome = kind === 'configuration' ? 'not_sent' : 'rejected';
  const isErrorResponse =
    !Object.hasOwn(CODE_KINDS, code) || code === 'VALIDATION_ERROR' || code === 'INVOICE_ALREADY_EXISTS';
  const isRead = code === 'SDK_PAGE' || (code === 'SDK_REDIRECT' && !isWrite); // the response to a read, which changed nothing
  const outcome =
    given.outcome ?? (isErrorResponse ? errorOutcome(errorKindOf(code, status, 'service'), status, isWrite) : null);
  const init = { code, message, operation, externalId, stoppedBy, requestId, outcome: outcome ?? knownOutcome };
  const unanswered = { ...init, outcome: outcome ?? 'unknown' } as const;
  const answeredBy: 'other' | 'service' = hasNoCode ? 'other' : 'service';
  const response = { ...init, answeredBy, status, details: given.details ?? null, retryAfter: given.retryAfter };
  switch (kind) {
    case 'connection':
      return new ConnectionError(code === 'SDK_TLS' ? { ...init, outcome: outcome ?? 'not_sent' } : unanswered);
    case 'timeout':
      return new TimeoutError({ ...unanswered, stoppedBy: code === 'SDK_DEADLINE' ? 'deadline' : stoppedBy });
    case 'aborted':
      return new AbortedError({ ...unanswered, stoppedBy: 'aborted', reason: AbortSignal.abort().reason });
    case 'unexpected_response':
      return new UnexpectedResponseError({ ...(isRead ? init : unanswered), status, issues: [] });
    case 'configuration':
      return new ConfigurationError(message, code === 'SDK_CONFIGURATION' ? {} : init);
    case 'mismatch': {
      const existing = fakeInvoice(externalId === null ? {} : { external_id: externalId });
      return new InvoiceMismatchError({ ...init, differences: ['amount'], existing });
    }
    case 'conflict': {
      const { existingStatus = 'pending', details = { external_id: externalId, status: existingStatus } } = given;
      return new InvoiceAlreadyExistsError({ ...response, details, existingStatus });
    }
    case 'validation':
      return new ValidationError({
        ...response,
        details: given.details ?? { amount: ['must be above 0'] },
        issues: given.issues ?? ISSUES,
        origin: 'service',
      });
    case 'request':
      return new ApiError(response) as Extract<CallError, { readonly kind: 'request' }>; // ApiError itself has this kind
    default:
      return new ERROR_RESPONSE_CLASSES[kind](response);
  }
}

/** Returns the status for a code. The interface shows only that of VALIDATION_ERROR. */
function statusOf(code: string): number {
  const [, status] = /^SDK_HTTP_(\d+)$/.exec(code) ?? [];
  if (status !== undefined) return Number(status);
  if (code === 'VALIDATION_ERROR') return 422;
  if (code === 'INVOICE_ALREADY_EXISTS') return 409;
  return code === 'SDK_REDIRECT' ? 302 : code.startsWith('SDK_') ? 200 : 400;
}

function kindOfCode(code: string, status: number) {
  if (Object.hasOwn(CODE_KINDS, code)) return CODE_KINDS[code as keyof typeof CODE_KINDS]; // just checked
  if (code.startsWith('SDK_') && !/^SDK_HTTP_\d+$/.test(code)) {
    const known = Object.keys(CODE_KINDS).filter((each) => each.startsWith('SDK_'));
    return configurationFail('fakeError')(
      `${JSON.stringify(code.slice(0, 80))} is not a code of this package. The codes are ${known.join(', ')}, SDK_HTTP_<status> and SDK_WEBHOOK_<REASON>`,
    );
  }
  return errorKindOf(code.startsWith('SDK_HTTP_') ? null : code, status, code.startsWith('SDK_') ? 'other' : 'service');
}
