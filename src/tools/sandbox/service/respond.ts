import type { Dialect } from '../dialects.ts';

/** A response that is not sent yet. */
export interface UnsentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `error.code` of a failure, for the log. */
  readonly code?: string;
  /** The remark for the log. */
  readonly why?: string | undefined;
}

/** Thrown where the request is answered with an error response. */
export class ErrorResponse extends Error {
  readonly response: UnsentResponse;
  /** The members that are wrong. */
  readonly problems: readonly FieldProblem[];

  constructor(response: UnsentResponse, problems: readonly FieldProblem[] = []) {
    super(response.why);
    this.response = response;
    this.problems = problems;
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A success, in the envelope or bare. */
export function success({ laterVersion }: Dialect, status: number, data: unknown, bare = false): UnsentResponse {
  const extra = laterVersion === 'none' ? {} : { meta: { served_by: 'sandbox' } };
  const body = bare ? data : { success: true, data, ...extra };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/** The optional parts of a failure. */
interface FailureParts {
  readonly details?: Readonly<Record<string, unknown>>;
  /** The cause, for the log. Default: the message. */
  readonly why?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the failure envelope. */
  readonly form?: Dialect['failureBody'];
}

/**
 * The failure envelope, or the response of a framework or a proxy in its place.
 * @see [Failure envelope](../../../../docs/service-interface.md#failure-envelope)
 */
export function failure(
  status: number,
  code: string,
  message: string,
  { details, why = message, headers, form = 'envelope' }: FailureParts = {},
): UnsentResponse {
  const error = { code, message, ...(details !== undefined && { details }) };
  const [type, body] = {
    envelope: [JSON_TYPE, JSON.stringify({ success: false, error })],
    bare: [JSON_TYPE, JSON.stringify(error)],
    detail: [JSON_TYPE, JSON.stringify({ detail: message })],
    html: [HTML_TYPE, `<!doctype html><title>${status}</title><h1>${status}</h1>`],
    empty: [{}, ''],
  }[form] as [Record<string, string>, string]; // each row is such a pair
  return { status, headers: { ...type, ...headers }, body, code, why };
}

export const HTML_TYPE = { 'Content-Type': 'text/html; charset=utf-8' };

/** Status and code of each error group, in both readings. A missing resource has its name before the code. */
const GROUPS = {
  auth: { general: [401, 'UNAUTHORIZED'], specific: [403, 'INVALID_API_KEY'] },
  missing: { general: [404, 'NOT_FOUND'], specific: [410, '_NOT_FOUND'] },
  rateLimit: { general: [429, 'RATE_LIMIT_EXCEEDED'], specific: [503, 'TOO_MANY_REQUESTS'] },
  server: { general: [503, 'SERVICE_UNAVAILABLE'], specific: [500, 'INTERNAL_ERROR'] },
} as const satisfies Readonly<Record<string, Readonly<Record<Dialect['failureCodes'], readonly [number, string]>>>>;

/**
 * A failure of one of the error groups, in the form of the dialect.
 * @see [Error groups](../../../../docs/service-interface.md#error-groups)
 */
export function groupFailure(
  { failureCodes, failureBody }: Dialect,
  group: keyof typeof GROUPS,
  message: string,
  { status, what = '', ...parts }: FailureParts & { readonly status?: number | undefined; readonly what?: string } = {},
): UnsentResponse {
  const [byDefault, code] = GROUPS[group][failureCodes];
  const named = code.startsWith('_') ? `${what}${code}` : code;
  return failure(status ?? byDefault, named, message, { ...parts, form: failureBody });
}

/** Throws the error response for something that does not exist. */
export function notFound(
  dialect: Dialect,
  what: 'INVOICE' | 'WEBHOOK' | 'WITHDRAWAL' | 'PAGE',
  message: string,
): never {
  throw new ErrorResponse(groupFailure(dialect, 'missing', message, { what }));
}

/** One problem of a request. The dialect decides the form of the 422 that reports it. */
export interface FieldProblem {
  readonly where: 'body' | 'query';
  /** Null for the body as a whole. */
  readonly field: string | null;
  readonly message: string;
  readonly type: string;
}

/**
 * Throws the error response for a malformed body or query, in the shape of the dialect.
 * @see [Known codes](../../../../docs/service-interface.md#known-codes)
 */
export function invalid({ validationShape }: Dialect, problems: readonly FieldProblem[]): never {
  const why = problems.map(({ where, field, message }) => `${field ?? where} ${message}`).join('; ');
  const error = { code: 'VALIDATION_ERROR', message: 'The request is not valid.' };
  const detail = problems.map(({ where, field, message: msg, type }) => ({
    loc: field === null ? [where] : [where, field],
    msg,
    type,
  }));
  const details = new Map<string, string[]>(); // a query name comes from the caller and could be `__proto__`
  for (const { where, field, message } of problems) {
    const name = field ?? where;
    details.set(name, [...(details.get(name) ?? []), message]);
  }
  const envelope = { success: false, error: { ...error, details: Object.fromEntries(details) } };
  const body = {
    envelope,
    detail: { detail },
    both: { ...envelope, detail },
    detail_text: { detail: why },
    no_details: { success: false, error },
  }[validationShape];
  throw new ErrorResponse(
    { status: 422, headers: JSON_TYPE, body: JSON.stringify(body), code: error.code, why },
    problems,
  );
}

/** The largest body of a request, in bytes. */
export const MAX_BODY = 1_048_576;
