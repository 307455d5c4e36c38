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

/** A success. @see [Response envelope](../../../../docs/service-interface.md#response-envelope) */
export function success({ laterVersion }: Dialect, status: number, data: unknown): UnsentResponse {
  const extra = laterVersion === 'none' ? {} : { meta: { served_by: 'sandbox' } };
  const body = { success: true, data, ...extra };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/** The optional parts of a failure. */
interface FailureParts {
  readonly details?: Readonly<Record<string, unknown>>;
  /** The cause, for the log. Default: the message. */
  readonly why?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The failure envelope.
 * @see [Failure envelope](../../../../docs/service-interface.md#failure-envelope)
 */
export function failure(
  status: number,
  code: string,
  message: string,
  { details, why = message, headers }: FailureParts = {},
): UnsentResponse {
  const error = { code, message, ...(details !== undefined && { details }) };
  const body = JSON.stringify({ success: false, error });
  return { status, headers: { ...JSON_TYPE, ...headers }, body, code, why };
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
 * A failure of one of the error groups.
 * @see [Error groups](../../../../docs/service-interface.md#error-groups)
 */
export function groupFailure(
  { failureCodes }: Dialect,
  group: keyof typeof GROUPS,
  message: string,
  { status, what = '', ...parts }: FailureParts & { readonly status?: number | undefined; readonly what?: string } = {},
): UnsentResponse {
  const [byDefault, code] = GROUPS[group][failureCodes];
  const named = code.startsWith('_') ? `${what}${code}` : code;
  return failure(status ?? byDefault, named, message, parts);
}

/** Throws the error response for something that does not exist. */
export function notFound(dialect: Dialect, what: 'INVOICE' | 'WEBHOOK' | 'WITHDRAWAL', message: string): never {
  throw new ErrorResponse(groupFailure(dialect, 'missing', message, { what }));
}

/** One problem of a request. */
export interface FieldProblem {
  readonly where: 'body' | 'query';
  /** Null for the body as a whole. */
  readonly field: string | null;
  readonly message: string;
}

/**
 * Throws the error response for a malformed body or query.
 * @see [Known codes](../../../../docs/service-interface.md#known-codes)
 */
export function invalid(problems: readonly FieldProblem[]): never {
  const why = problems.map(({ where, field, message }) => `${field ?? where} ${message}`).join('; ');
  const named = new Map<string, string[]>(); // a query name comes from the caller and could be `__proto__`
  for (const { where, field, message } of problems) {
    const name = field ?? where;
    named.set(name, [...(named.get(name) ?? []), message]);
  }
  const details = Object.fromEntries(named);
  const response = failure(422, 'VALIDATION_ERROR', 'The request is not valid.', { details, why });
  throw new ErrorResponse(response, problems);
}

/** The largest body of a request, in bytes. */
export const MAX_BODY = 1_048_576;
