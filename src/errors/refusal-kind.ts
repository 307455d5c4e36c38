// The kind of a refusal, by its code and its status: for the client, and for the fakes of `merchant-invoicing/testing`.
import { AuthenticationError, NotFoundError, RateLimitError, ServerError } from './classes.ts';
import type { ApiErrorKind, Outcome } from './codes.ts';

/** The classes of the refusals without further members. */
export const REFUSAL_CLASSES = {
  authentication: AuthenticationError,
  not_found: NotFoundError,
  rate_limit: RateLimitError,
  server: ServerError,
} as const;

/** Only some words may precede the limit: EXCHANGE_RATE_LIMIT_EXCEEDED refers to another rate. */
const RATE_LIMIT_CODE =
  /^(?:(?:api|http|client|global|ip|key|user|account|merchant|business|error|err|request)[_.:-]?){0,2}(?:rate[_.-]?limit|rate[_.-]?exceeded|requests?[_.-]?limit|too[_.-]?many|throttl|quota)/i;
const SERVER_CODE =
  /^(?:internal(?:_server)?_error|internal|server_error|(?:service|temporarily)_unavailable|(?:under_)?maintenance)$/i;

/** Decides by the code, otherwise by the status. Codes are compared without case. */
export function errorKindOf(code: string | null, status: number): ApiErrorKind {
  const known = code?.toUpperCase();
  if (known === 'INVOICE_ALREADY_EXISTS') return 'conflict';
  if (known === 'VALIDATION_ERROR') return 'validation';
  if (status === 429 || status === 420 || (code !== null && RATE_LIMIT_CODE.test(code))) return 'rate_limit';
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 422) return 'validation';
  return status >= 500 || (code !== null && SERVER_CODE.test(code)) ? 'server' : 'request';
}

/** Whether a refused operation may have happened. */
export function refusalOutcome(kind: ApiErrorKind, status: number, isWrite: boolean): Outcome {
  if (status === 408 && kind === 'request') return 'unknown';
  return isWrite && kind === 'server' && status !== 501 && status !== 505 ? 'unknown' : 'rejected';
}
