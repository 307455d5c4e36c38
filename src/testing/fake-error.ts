import { callSite, locate } from '../call/call-site.ts';
import { checkOptions, configurationFail, namesOf } from '../checks.ts';
import {
  type ApiError,
  ConfigurationError,
  InvoiceMismatchError,
  WebhookVerificationError,
} from '../errors/classes.ts';
import { type AttemptRecord, CODE_KINDS, type Outcome, type StoppedBy, WEBHOOK_REASONS } from '../errors/codes.ts';
import type { AnyMerchantError, CallError, ErrorByCode, KnownCode } from '../errors/guards.ts';
import { type Failure, invalidInput, recordOf } from '../transport/failure.ts';
import { DEFAULT_RETRY, nextWait, outcomeOf } from '../transport/retry.ts';
import { FAKE_ISSUES, type FailureOverrides, failureOf } from './fake-failures.ts';
import { fakeInvoice } from './fake-invoice.ts';

/** The members that can be given, of all classes. */
interface AnyOverrides extends FailureOverrides, Partial<Pick<InvoiceMismatchError, 'differences'>> {
  readonly message?: string | undefined;
  readonly operation?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly attempts?: readonly AttemptRecord[] | undefined;
  readonly stoppedBy?: StoppedBy | undefined;
  readonly page?: number | undefined;
}

const NAMES = namesOf<AnyOverrides>({
  message: true,
  outcome: true,
  operation: true,
  externalId: true,
  attempts: true,
  stoppedBy: true,
  page: true,
  status: true,
  details: true,
  requestId: true,
  retryAfter: true,
  raw: true,
  issues: true,
  origin: true,
  existingStatus: true,
  existing: true,
  differences: true,
  reason: true,
});

/**
 * Members of a {@link fakeError}: those that its class has. A code that is made of a status or a reason fixes that.
 *
 * @example
 * const missing = fakeError('SDK_HTTP_404', { externalId: 'order-1042', requestId: 'req-1' });
 */
export type FakeErrorOverrides<Code extends string> = Code extends `SDK_WEBHOOK_${string}`
  ? Pick<AnyOverrides, 'message'>
  : MembersOf<
      Code extends KnownCode ? ErrorByCode[Code] : ApiError,
      Code extends `SDK_HTTP_${number}` ? 'status' : never
    >;
type MembersOf<E, Fixed> = { readonly [K in Exclude<keyof E & keyof AnyOverrides, Fixed>]?: E[K] | undefined };

/**
 * Returns the error that a call rejects with: the class, `kind`, `status`, `outcome`, `attempts` and `stoppedBy` that the
 * client would give it. They follow the rules of the client, with its default retries.
 *
 * For the kind of a status, use its code: `SDK_HTTP_404` is a NotFoundError, `SDK_HTTP_429` a RateLimitError, and
 * `SDK_HTTP_503` a ServerError. Pass another code of the service with its `status`.
 *
 * @param overrides The other members follow them. A read as `operation` changes the outcome, a long `retryAfter` ends the
 * retries, and `attempts` decide the outcome.
 * @throws ConfigurationError for an unknown name, or for a code that begins with `SDK_` and does not exist.
 * @example
 * const create = () => fakeCall(fakeError('SDK_ATTEMPT_TIMEOUT')); // outcome: 'unknown'
 * const refused = fakeError('ACCOUNT_FROZEN', { status: 403 });
 */
export function fakeError<C extends KnownCode>(
  code: C,
  overrides?: FakeErrorOverrides<C>,
): ErrorByCode[C] & { readonly code: C };
export function fakeError<S extends string>(
  code: S extends KnownCode ? never : S,
  overrides?: FakeErrorOverrides<string>,
): Extract<CallError, ApiError>;
export function fakeError(code: string, overrides: AnyOverrides = {}): AnyMerchantError {
  const site = callSite(fakeError);
  checkOptions('overrides', overrides, NAMES, configurationFail('fakeError'));
  const error = errorOf(code, overrides);
  if (overrides.message !== undefined) error.message = overrides.message;
  locate(error, site);
  return error;
}

function errorOf(code: string, given: AnyOverrides): AnyMerchantError {
  const word = code.toUpperCase();
  const reason = WEBHOOK_REASONS.find((each) => word === `SDK_WEBHOOK_${each.toUpperCase()}`);
  if (reason !== undefined) return new WebhookVerificationError(reason, `A fake delivery: ${reason}.`);
  if (word === 'SDK_CONFIGURATION') return new ConfigurationError('A fake option is unusable.');

  const operation = given.operation ?? operationOf(word);
  const isOfOrder = operation.startsWith('invoices.') && operation !== 'invoices.list';
  const { externalId = isOfOrder ? 'order-1' : null } = given;
  if (word === 'SDK_INVALID_ARGUMENT') {
    const message = `${operation}: a fake argument is unusable. No request was made.`;
    return new ConfigurationError(message, { code: word, operation, externalId });
  }
  if (word === 'VALIDATION_ERROR' && given.origin === 'client') {
    return invalidInput(operation, given.issues ?? FAKE_ISSUES, externalId);
  }
  const isWrite = operation === 'webhooks.resend' || operation.startsWith('invoices.create');
  const context = { operation, externalId, isWrite, page: given.page };
  if (word === 'SDK_INVOICE_MISMATCH') {
    const conflict = course(failureOf('INVOICE_ALREADY_EXISTS', given, context), given, operation);
    const { differences = ['amount'], existing = fakeInvoice({ external_id: externalId ?? 'order-1' }) } = given;
    const message = `${operation}: another invoice has this external_id, with another ${differences.join(' and ')}.`;
    return new InvoiceMismatchError({ ...conflict, operation, externalId, code: word, message, differences, existing });
  }
  if (word.startsWith('SDK_') && !Object.hasOwn(CODE_KINDS, word) && !/^SDK_HTTP_\d+$/.test(word)) {
    const known = Object.keys(CODE_KINDS).filter((each) => each.startsWith('SDK_'));
    return configurationFail('fakeError')(
      `${JSON.stringify(code.slice(0, 80))} is not a code of this package. The codes are ${known.join(', ')}, SDK_HTTP_<status> and SDK_WEBHOOK_<REASON>`,
    );
  }
  const failure = failureOf(code, given, context);
  return failure.toError({ ...context, ...course(failure, given, operation) });
}

function operationOf(code: string): string {
  if (code === 'SDK_PAGE') return 'invoices.list';
  return /^SDK_HTTP_4(?:04|10)$/.test(code) ? 'invoices.get' : 'invoices.create';
}

/** The attempts of a call that ends with this failure, and what follows from them. */
function course(
  failure: Failure,
  given: AnyOverrides,
  operation: string,
): { readonly attempts: readonly AttemptRecord[]; readonly outcome: Outcome; readonly stoppedBy: StoppedBy } {
  const next = nextWait(failure, 1, operation !== 'webhooks.resend', DEFAULT_RETRY, Number.POSITIVE_INFINITY, () => 0);
  const record = recordOf(failure);
  const made = 'stop' in next ? [record] : Array.from({ length: DEFAULT_RETRY.attempts }, () => record);
  const { attempts = made } = given;
  const ends: Readonly<Record<string, StoppedBy>> = { SDK_DEADLINE: 'deadline', SDK_ABORTED: 'aborted' };
  return {
    attempts,
    outcome: given.outcome ?? outcomeOf(attempts),
    stoppedBy: given.stoppedBy ?? ends[failure.code] ?? ('stop' in next ? next.stop : 'attempts'),
  };
}
