import { endpoints } from '../../contract/endpoints.ts';
import { configurationFail, type OptionTable, readOptions, unchecked } from '../../errors/checks.ts';
import {
  type ApiError,
  ConfigurationError,
  InvoiceMismatchError,
  UnexpectedResponseError,
  WebhookVerificationError,
} from '../../errors/classes.ts';
import { CODE_KINDS, isUnknownSdkCode, type Outcome, type StoppedBy, WEBHOOK_REASONS } from '../../errors/codes.ts';
import type { AnyMerchantError, CallError, ErrorByCode, KnownCode } from '../../errors/guards.ts';
import {
  aborted,
  attemptTimeout,
  connectionFailure,
  deadlinePassed,
  toError,
  unusableKey,
} from '../../transport/failure.ts';
import { PLATFORM } from '../../transport/limits.ts';
import { readResponse } from '../../transport/response.ts';
import type { Failure, OpenCall, ServiceResponse } from '../../transport/types.ts';
import { fakeInvoice } from './fake-data.ts';

/**
 * Members of a {@link fakeError}. The others follow the code: a timeout of a creation has the outcome `unknown`.
 *
 * @example
 * const missing = fakeError('INVOICE_NOT_FOUND' as string, { status: 404, externalId: 'order-1042' });
 */
export interface FakeErrorOverrides {
  /** @defaultValue `'order-1'`, null for `SDK_PAGE` */
  readonly externalId?: string | null | undefined;
  /** @defaultValue the outcome that the client gives this code: for a creation, for a read if it is a 404 */
  readonly outcome?: Outcome | undefined;
  /**
   * HTTP status of an error response. A code such as `SDK_HTTP_404` has its own. A further code of the service needs it,
   * because it decides the class.
   */
  readonly status?: number | undefined;
  /** `error.details` of an error response, as the service would send them: `status` becomes `existingStatus`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** In milliseconds. */
  readonly retryAfter?: number | undefined;
}

const fail = configurationFail('fakeError');

const OVERRIDES = {
  externalId: unchecked<string | null | undefined>(),
  outcome: unchecked<Outcome | undefined>(),
  status: unchecked<number | undefined>(),
  details: unchecked<Readonly<Record<string, unknown>> | undefined>(),
  retryAfter: unchecked<number | undefined>(),
} satisfies OptionTable<FakeErrorOverrides>;
const MESSAGE = 'A fake error.';
const REQUEST_ID = 'req-fake-1';

/**
 * An error as a call rejects with it: with the class, `kind`, `status` and `outcome` that the client gives this
 * code.
 *
 * It makes the response or the failure, and the client's own function makes the error of it. For the kind of a status,
 * use its code: `SDK_HTTP_429` is a RateLimitError, and `SDK_HTTP_503` a ServerError. A 404 without a code of the
 * service (`SDK_HTTP_404`) is a plain ApiError, as the page of a proxy is. Pass another code of the service as plain
 * `string`, with its `status`.
 *
 * @throws ConfigurationError for an unknown name, for a code that begins with `SDK_` and does not exist, and for a further
 * code of the service without a `status`.
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
  const { retryAfter, ...over } = readOptions('overrides', given, OVERRIDES, fail);
  const reason = WEBHOOK_REASONS.find((each) => code === `SDK_WEBHOOK_${each.toUpperCase()}`);
  if (reason !== undefined) return new WebhookVerificationError(reason, `A fake delivery: ${reason}.`);
  const isMissing = [404, 410].includes(over.status ?? Number(/^SDK_HTTP_(\d+)$/.exec(code)?.[1]));
  const operation = isMissing ? 'invoices.get' : code === 'SDK_PAGE' ? 'invoices.list' : 'invoices.create';
  const stoppedBy = STOPPED_BY[code] ?? 'attempts';
  const { externalId = operation === 'invoices.list' ? null : 'order-1' } = over;
  const endpoint = endpoints[operation];
  const init = { code, message: `${operation}: ${code}. ${MESSAGE}`, operation, externalId, stoppedBy };
  const decided = { ...init, outcome: over.outcome ?? 'rejected' };
  switch (code) {
    case 'SDK_CONFIGURATION':
      return new ConfigurationError(init.message);
    case 'SDK_INVALID_ARGUMENT':
      return new ConfigurationError(init.message, init);
    case 'SDK_INVOICE_MISMATCH': {
      const existing = fakeInvoice(externalId === null ? {} : { external_id: externalId });
      return new InvoiceMismatchError({ ...decided, differences: ['amount'], existing });
    }
    case 'SDK_PAGE':
      return new UnexpectedResponseError({ ...decided, status: 200, requestId: REQUEST_ID, issues: [] });
  }
  const details = over.details ?? usualDetails(code, externalId);
  const client = {
    ...{ runtime: PLATFORM, printed: new Set(), baseUrl: 'https://pay.example', hasOwnFetch: false },
    hide: (text: string) => text,
  };
  // The parts of a call that reading a response and making its error use.
  const call = { client, endpoint, externalId, sent: {}, page: undefined } as unknown as OpenCall<unknown>;
  const failure = unanswered(code) ?? answered(code, call, details, over.status);
  const { outcome = failure.outcome } = over;
  return toError(call, { ...failure, outcome, stoppedBy, ...(retryAfter !== undefined && { retryAfter }) });
}

const STOPPED_BY: Readonly<Record<string, StoppedBy>> = { SDK_DEADLINE: 'deadline', SDK_ABORTED: 'aborted' };

function usualDetails(code: string, external_id: string | null): Readonly<Record<string, unknown>> | null {
  if (code === 'VALIDATION_ERROR') return { amount: ['must be above 0'] };
  return code === 'INVOICE_ALREADY_EXISTS' ? { external_id, status: 'pending' } : null;
}

/** The failure of an attempt that got no response, or null for a code of a response. */
function unanswered(code: string): Failure | null {
  const broken = (cause: string, message: string): Failure =>
    connectionFailure(
      new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code: cause }) }),
      true,
      String,
    );
  switch (code) {
    case 'SDK_CONNECTION':
      return broken('UND_ERR_SOCKET', 'other side closed');
    case 'SDK_TLS':
      return broken('CERT_HAS_EXPIRED', 'certificate has expired');
    case 'SDK_ATTEMPT_TIMEOUT':
      return attemptTimeout(10_000, 'unknown');
    case 'SDK_DEADLINE':
      return deadlinePassed(30_000, 'unknown');
    case 'SDK_ABORTED':
      return aborted(AbortSignal.abort().reason, 'unknown');
    case 'SDK_API_KEY':
      return unusableKey('the API key is empty');
    default:
      return null;
  }
}

/** The failure that the client makes of a response with this code. */
function answered(
  code: string,
  call: OpenCall<unknown>,
  details: Readonly<Record<string, unknown>> | null,
  status: number | undefined,
): Failure {
  const [, named] = /^SDK_HTTP_(\d+)$/.exec(code) ?? [];
  const forms: Readonly<Record<string, Partial<ServiceResponse>>> = {
    SDK_REDIRECT: { status: 302, headers: new Headers({ Location: 'https://other.example/' }), raw: '' },
    SDK_UNREADABLE_BODY: { status: 200, raw: '<html>' },
    SDK_BODY_TOO_LARGE: { status: 200, raw: '{', cut: true },
    SDK_CONTRACT: { status: 200, raw: '{"success":true,"data":{}}' },
    VALIDATION_ERROR: { status: 422 },
    INVOICE_ALREADY_EXISTS: { status: 409 },
  };
  if (isUnknownSdkCode(code)) {
    const known = Object.keys(CODE_KINDS).filter((each) => each.startsWith('SDK_'));
    const list = `${known.join(', ')}, SDK_HTTP_<status> and SDK_WEBHOOK_<REASON>`;
    fail(`${JSON.stringify(code.slice(0, 80))} is not a code of this package. The codes are ${list}`);
  }
  if (named === undefined && status === undefined && !Object.hasOwn(forms, code))
    fail(`the status decides the class of ${JSON.stringify(code.slice(0, 80))}: give it, such as { status: 404 }`);
  const error = { code, message: MESSAGE, ...(details !== null && { details }) };
  const response: ServiceResponse = {
    status: Number(named ?? 400),
    headers: new Headers(),
    requestId: REQUEST_ID,
    raw: named === undefined ? JSON.stringify({ success: false, error }) : '',
    cut: false,
    broken: false,
    redirected: false,
    hide: (text) => text,
    ...forms[code],
    ...(status !== undefined && { status }),
  };
  const read = readResponse(response, call);
  return read.ok ? fail(`a response with the status ${response.status} is no ${code}`) : read;
}
