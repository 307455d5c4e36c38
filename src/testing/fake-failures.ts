import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import type { ValidationIssue } from '../errors/classes.ts';
import {
  ApiError,
  InvoiceAlreadyExistsError,
  REFUSAL_CLASSES,
  UnexpectedResponseError,
  ValidationError,
} from '../errors/classes.ts';
import type { ApiErrorKind, Outcome } from '../errors/codes.ts';
import { errorKindOf, refusalOutcome } from '../errors/codes.ts';
import {
  aborted,
  attemptTimeout,
  type CallContext,
  connectionFailure,
  deadlinePassed,
  type Failure,
  seeErrors,
  unusableKey,
} from '../transport/failure.ts';
import { type RetryClass, retryClassOf } from '../transport/retry.ts';

// The failures of a call, made by the functions of the client where it needs no answer, and otherwise by its rules.

/** The members of an error that its failure has. */
export interface FailureOverrides {
  readonly outcome?: Outcome | undefined;
  readonly status?: number | null | undefined;
  readonly details?: Readonly<Record<string, unknown>> | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: number | undefined;
  readonly raw?: string | undefined;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly origin?: 'service' | 'client' | undefined;
  readonly existingStatus?: InvoiceStatus | null | undefined;
  readonly existing?: Invoice | undefined;
  readonly reason?: unknown;
}

/** The findings of a fake validation. */
export const FAKE_ISSUES: readonly ValidationIssue[] = [{ path: 'amount', message: 'must be above 0' }];

const REQUEST_ID = 'req-fake-1';

type Call = Pick<CallContext, 'externalId' | 'isWrite'>;

/** Returns the failure with this code. */
export function failureOf(code: string, given: FailureOverrides, call: Call): Failure {
  return (
    unanswered(code.toUpperCase(), given) ?? unexpected(code.toUpperCase(), given, call) ?? refused(code, given, call)
  );
}

/** A call without an answer. `unknown`: the request was sent. */
function unanswered(code: string, given: FailureOverrides): Failure | null {
  const { outcome = 'unknown' } = given;
  switch (code) {
    case 'SDK_CONNECTION':
      return outcome === 'not_sent'
        ? broken({ message: 'connect ECONNREFUSED 127.0.0.1:443', code: 'ECONNREFUSED' })
        : broken({ message: 'read ECONNRESET', code: 'ECONNRESET' });
    case 'SDK_TLS':
      return broken({ message: 'certificate has expired', code: 'CERT_HAS_EXPIRED' });
    case 'SDK_ATTEMPT_TIMEOUT':
      return attemptTimeout(10_000, outcome);
    case 'SDK_DEADLINE':
      return deadlinePassed(30_000, outcome);
    case 'SDK_ABORTED':
      return aborted('reason' in given ? given.reason : AbortSignal.abort().reason, outcome);
    case 'SDK_API_KEY':
      return unusableKey('the function apiKey has failed');
    default:
      return null;
  }
}

function broken({ message, ...members }: Readonly<Record<'message' | 'code', string>>): Failure {
  return connectionFailure(Object.assign(new Error(message), members), true, (text) => text);
}

/** A success that cannot be read, or a redirect. */
interface Unreadable {
  readonly status: number;
  readonly retryClass: RetryClass;
  readonly problem: string;
  readonly issues?: readonly ValidationIssue[];
  /** The outcome of a write, and of a read. */
  readonly outcomes: readonly [Outcome, Outcome];
}

const UNREADABLE: Readonly<Record<string, Unreadable>> = {
  SDK_REDIRECT: {
    status: 302,
    retryClass: 'never',
    problem: 'the service redirects to https://other.example',
    outcomes: ['unknown', 'rejected'],
  },
  SDK_UNREADABLE_BODY: {
    status: 200,
    retryClass: 'unanswered',
    problem: 'the body of the answer is not JSON',
    outcomes: ['unknown', 'unknown'],
  },
  SDK_BODY_TOO_LARGE: {
    status: 200,
    retryClass: 'never',
    problem: 'the answer is larger than 10 MiB',
    outcomes: ['unknown', 'unknown'],
  },
  SDK_CONTRACT: {
    status: 200,
    retryClass: 'never',
    problem: 'the answer is not what the interface describes: amount is required',
    issues: [{ path: 'amount', message: 'is required' }],
    outcomes: ['unknown', 'unknown'],
  },
  SDK_PAGE: {
    status: 200,
    retryClass: 'never',
    problem: 'page 2 was asked for and page 1 answered',
    outcomes: ['rejected', 'rejected'],
  },
};

function unexpected(code: string, given: FailureOverrides, { isWrite }: Call): Failure | null {
  const row = Object.hasOwn(UNREADABLE, code) ? UNREADABLE[code] : undefined;
  if (row === undefined) return null;
  const { status = row.status, requestId = REQUEST_ID, issues = row.issues ?? [], raw = '' } = given;
  return {
    code,
    status,
    outcome: given.outcome ?? row.outcomes[isWrite ? 0 : 1],
    retryClass: row.retryClass,
    retryAfter: undefined,
    toError: (context) => {
      const message = `${context.operation}: ${row.problem} (HTTP ${status}). ${seeErrors(code)}`;
      return new UnexpectedResponseError({ ...context, code, status, requestId, issues, raw, message });
    },
  };
}

/** The status that goes with a code if none is given. The interface shows that of a validation only. */
function statusOf(code: string): number {
  const [, status] = /^SDK_HTTP_(\d+)$/i.exec(code) ?? [];
  if (status !== undefined) return Number(status);
  const byKind: Partial<Record<ApiErrorKind, number>> = {
    validation: 422,
    conflict: 409,
    rate_limit: 429,
    server: 500,
  };
  return byKind[errorKindOf(code, 400)] ?? 400;
}

function refused(code: string, given: FailureOverrides, { externalId, isWrite }: Call): Failure {
  const status = given.status ?? statusOf(code);
  const kind = errorKindOf(/^SDK_HTTP_/i.test(code) ? null : code, status);
  const { requestId = REQUEST_ID, retryAfter, raw = '', existing, issues = FAKE_ISSUES } = given;
  const { existingStatus = existing?.status ?? 'pending', details = detailsOf() } = given;
  function detailsOf(): Readonly<Record<string, unknown>> | null {
    if (kind === 'conflict') return { external_id: externalId, status: existingStatus };
    return kind === 'validation' ? { amount: ['must be above 0'] } : null;
  }
  return {
    code,
    status,
    outcome: given.outcome ?? refusalOutcome(kind, status, isWrite),
    retryClass: retryClassOf(kind, status),
    retryAfter,
    toError: (context) => {
      const message = `${context.operation}: HTTP ${status} ${code}. A fake refusal.`;
      const init = { ...context, code, status, requestId, retryAfter, raw, details, message };
      if (kind === 'conflict') return new InvoiceAlreadyExistsError({ ...init, existingStatus, existing });
      if (kind === 'validation') return new ValidationError({ ...init, issues, origin: 'service' });
      if (kind !== 'request') return new REFUSAL_CLASSES[kind](init);
      return new ApiError(init) as ApiError & { readonly kind: 'request' }; // ApiError itself has this kind
    },
  };
}
