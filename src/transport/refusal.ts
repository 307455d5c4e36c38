import { isObject } from '../contract/envelope.ts';
import type { ErrorCode, Outcome } from '../error-codes.ts';
import type { ApiErrorInit, ValidationIssue } from '../error-inits.ts';
import {
  ApiError,
  AuthenticationError,
  type CallError,
  InvoiceAlreadyExistsError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../errors.ts';
import { type Answer, excerpt, type Reading } from './answer.ts';
import { conflictIn, textOf } from './conflict.ts';
import { afterUnknown, type CallContext, type Failure } from './failure.ts';
import { type RetryClass, readRetryAfter } from './retry.ts';

const CODE_MAX = 128;
const MESSAGE_MAX = 1_000;
const ISSUES_MAX = 200;
const RATE_LIMIT_CODE =
  /(?:^|[_.-])(?:(?:rate|request)[_.-]?limit(?:s|ed|ing)?(?:[_.-]?exceeded)?|rate[_.-]?exceeded|too[_.-]?many[_.-]?(?:request|call)s?|throttl(?:ed|ing))(?:error)?(?:$|[_.-])/i;
const SERVER_CODE =
  /^(?:internal(?:_server)?_error|internal|server_error|(?:service|temporarily)_unavailable|(?:under_)?maintenance)$/i;

/** A failure envelope, in whatever state it arrived. */
interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

type ErrorClass = 'conflict' | 'validation' | 'rate_limit' | 'authentication' | 'not_found' | 'server' | 'request';

/**
 * A refusal as the service words it: code first, status second.
 * @see service interface, "Failure envelope" and "Handling strategy"
 */
export function refusal(answer: Answer, body: unknown, reading: Reading<unknown>): Failure {
  const { status, headers, requestId } = answer;
  const { redactor } = reading;
  const found = findRefusal(redactor.data(body));
  // The service's word on the invoice that is there, which may well hold what this request carried.
  const existing = () => conflictIn(findRefusal(redactor.ofClient.data(body)).details);
  const errorClass = classOf(found.code, status);
  const code: ErrorCode = found.code ?? (status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`);
  const retryAfter = readRetryAfter(headers.get('retry-after'), reading.now());
  const outcome = refusalOutcome(errorClass, status, reading.isWrite);
  return {
    code,
    status,
    outcome,
    retryAfter,
    retryClass: retryClassOf(errorClass, status),
    toError: (context) => {
      const init = {
        ...context,
        code,
        status,
        requestId,
        retryAfter,
        details: isObject(found.details) ? found.details : null,
        raw: excerpt(answer, redactor),
        message: messageOf(context, found, code, status, errorClass),
      };
      if (errorClass !== 'conflict') return errorOf(errorClass, init, found);
      const { externalId, ...conflict } = existing();
      const sent = reading.externalId === null ? null : redactor.text(reading.externalId);
      return new InvoiceAlreadyExistsError({ ...init, ...conflict, externalId: externalId ?? sent });
    },
  };
}

/** Takes the members from wherever a service plausibly puts them; never fails. */
function findRefusal(body: unknown): Refusal {
  if (!isObject(body)) return { code: null, message: null, details: null, detail: null };
  const { error, detail } = body;
  // Some frameworks put their envelope into the member `detail`.
  if (!isObject(error) && isObject(detail) && (isObject(detail['error']) || 'code' in detail)) {
    return findRefusal(detail);
  }
  const inner = isObject(error) ? error : {};
  return {
    code: textOf(
      inner['code'] ?? body['code'] ?? (typeof error === 'string' && /^[A-Z][A-Z0-9_]*$/.test(error) ? error : null),
      CODE_MAX,
    ),
    message: textOf(inner['message'] ?? body['message'] ?? (typeof error === 'string' ? error : detail), MESSAGE_MAX),
    details: inner['details'] ?? body['details'] ?? null,
    detail: detail ?? inner['detail'] ?? null,
  };
}

function classOf(code: string | null, status: number): ErrorClass {
  if (code === 'INVOICE_ALREADY_EXISTS') return 'conflict';
  if (code === 'VALIDATION_ERROR') return 'validation';
  if (status === 429 || (code !== null && RATE_LIMIT_CODE.test(code))) return 'rate_limit';
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 422) return 'validation';
  return status >= 500 || (code !== null && SERVER_CODE.test(code)) ? 'server' : 'request';
}

function retryClassOf(errorClass: ErrorClass, status: number): RetryClass {
  if (errorClass === 'rate_limit') return 'rate_limit';
  if (errorClass === 'server') return status === 501 || status === 505 ? 'never' : 'transient';
  return errorClass === 'request' && (status === 408 || status === 425) ? 'transient' : 'never';
}

function refusalOutcome(errorClass: ErrorClass, status: number, isWrite: boolean): Outcome {
  if (status === 408 && errorClass === 'request') return 'unknown';
  return isWrite && errorClass === 'server' && status !== 501 && status !== 505 ? 'unknown' : 'rejected';
}

function errorOf(errorClass: Exclude<ErrorClass, 'conflict'>, init: ApiErrorInit, found: Refusal): CallError {
  switch (errorClass) {
    case 'validation':
      return new ValidationError({ ...init, issues: validationIssues(found), origin: 'service' });
    case 'authentication':
      return new AuthenticationError(init);
    case 'not_found':
      return new NotFoundError(init);
    case 'rate_limit':
      return new RateLimitError(init);
    case 'server':
      return new ServerError(init);
    case 'request':
      // The class is ApiError itself, whose kind is "request" then.
      return new ApiError(init) as ApiError & { readonly kind: 'request' };
  }
}

/** Both 422 shapes, and both at once, as one list. */
function validationIssues(found: Refusal): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const item of asList(found.detail)) issues.push(...itemIssues(item));
  if (isObject(found.details)) {
    for (const [path, messages] of Object.entries(found.details)) {
      for (const message of asList(messages)) {
        // The items of the second shape, in the first one's place.
        if (isObject(message) && 'loc' in message) issues.push(...itemIssues(message));
        else issues.push({ path, message: words(message) });
      }
    }
  } else {
    for (const item of asList(found.details)) issues.push(...itemIssues(item));
  }
  return issues.slice(0, ISSUES_MAX);
}

function itemIssues(item: unknown): ValidationIssue[] {
  if (!isObject(item)) return item === null || item === undefined ? [] : [{ path: '', message: words(item) }];
  const loc = asList(item['loc']).filter((part) => typeof part === 'string' || typeof part === 'number');
  const [first] = loc;
  const path = (first === 'body' || first === 'query' || first === 'path' ? loc.slice(1) : loc).join('.');
  const type = textOf(item['type'], CODE_MAX);
  return [{ path, message: words(item['msg'] ?? item['message']), ...(type !== null && { type }) }];
}

function asList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function words(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MESSAGE_MAX);
  return value === undefined || value === null
    ? 'is invalid'
    : (JSON.stringify(value) ?? 'is invalid').slice(0, MESSAGE_MAX);
}

const WAY_OUT: Readonly<Record<ErrorClass, string>> = {
  conflict: 'No second invoice was created; invoices.createOrGet returns the existing one.',
  validation: 'Correct the fields named in error.fields.',
  rate_limit: 'Call less often, or later: error.retryAfter says when, where the service says it.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed; calls that are safe to repeat were repeated.',
  request: 'Correct the request; repeating it unchanged fails again.',
};

function messageOf(
  context: CallContext,
  found: Refusal,
  code: ErrorCode,
  status: number,
  errorClass: ErrorClass,
): string {
  const said = found.message === null ? '' : ` "${found.message.slice(0, 300)}"`;
  const issues = errorClass === 'validation' ? validationIssues(found).slice(0, 3) : [];
  const named = issues
    .map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message.slice(0, 100)}`)
    .join('; ');
  return `${context.operation}: HTTP ${status} ${code}${said}${named === '' ? '' : ` (${named})`}. ${WAY_OUT[errorClass]}${afterUnknown(context)}`;
}
