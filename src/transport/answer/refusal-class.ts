import type { Outcome } from '../../errors/codes.ts';
import type { RetryClass } from '../retry.ts';

export type ErrorClass =
  | 'conflict'
  | 'validation'
  | 'rate_limit'
  | 'authentication'
  | 'not_found'
  | 'server'
  | 'request';

/** Whose limit it is may stand before it. Not any word: EXCHANGE_RATE_LIMIT_EXCEEDED speaks of another rate. */
const RATE_LIMIT_CODE =
  /^(?:(?:api|http|client|global|ip|key|user|account|merchant|business|error|err|request)[_.:-]?){0,2}(?:rate[_.-]?limit|rate[_.-]?exceeded|requests?[_.-]?limit|too[_.-]?many|throttl|quota)/i;
const SERVER_CODE =
  /^(?:internal(?:_server)?_error|internal|server_error|(?:service|temporarily)_unavailable|(?:under_)?maintenance)$/i;

/** Code first, status second. Codes are compared without case. */
export function classOf(code: string | null, status: number): ErrorClass {
  const known = code?.toUpperCase();
  if (known === 'INVOICE_ALREADY_EXISTS') return 'conflict';
  if (known === 'VALIDATION_ERROR') return 'validation';
  if (status === 429 || status === 420 || (code !== null && RATE_LIMIT_CODE.test(code))) return 'rate_limit';
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 422) return 'validation';
  return status >= 500 || (code !== null && SERVER_CODE.test(code)) ? 'server' : 'request';
}

export function retryClassOf(errorClass: ErrorClass, status: number): RetryClass {
  if (errorClass === 'rate_limit') return 'rate_limit';
  if (errorClass === 'server') return status === 501 || status === 505 ? 'never' : 'transient';
  return errorClass === 'request' && (status === 408 || status === 425) ? 'transient' : 'never';
}

export function refusalOutcome(errorClass: ErrorClass, status: number, isWrite: boolean): Outcome {
  if (status === 408 && errorClass === 'request') return 'unknown';
  return isWrite && errorClass === 'server' && status !== 501 && status !== 505 ? 'unknown' : 'rejected';
}
