import type { Dialect } from '../dialects.ts';

/** An answer that is not sent yet. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `error.code` of a failure, for the log. */
  readonly code?: string;
  /** The remark for the log. */
  readonly why?: string | undefined;
}

/** The optional parts of a failure. */
interface RefusalParts {
  readonly details?: Readonly<Record<string, unknown>> | null;
  /** The cause, for the log. Default: the message. */
  readonly why?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the failure envelope. */
  readonly form?: Dialect['failureBody'];
}

/** Thrown to answer with a failure. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly parts: RefusalParts;

  constructor(status: number, code: string, message: string, parts: RefusalParts = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.parts = parts;
  }
}

/** Status and code of each error group, in both readings. A missing resource has its name before the code. */
const GROUPS = {
  auth: { general: [401, 'UNAUTHORIZED'], specific: [403, 'INVALID_API_KEY'] },
  missing: { general: [404, 'NOT_FOUND'], specific: [410, '_NOT_FOUND'] },
  rateLimit: { general: [429, 'RATE_LIMIT_EXCEEDED'], specific: [503, 'TOO_MANY_REQUESTS'] },
  server: { general: [503, 'SERVICE_UNAVAILABLE'], specific: [500, 'INTERNAL_ERROR'] },
} as const satisfies Readonly<Record<string, Readonly<Record<Dialect['failureCodes'], readonly [number, string]>>>>;

/**
 * A failure of one of the error groups, in the form of the dialect.
 * @see [Error groups](../../../docs/service-interface.md#error-groups)
 */
export function groupRefusal(
  { failureCodes, failureBody }: Dialect,
  group: keyof typeof GROUPS,
  message: string,
  { status, ...parts }: Omit<RefusalParts, 'form'> & { readonly status?: number | undefined } = {},
  what = '',
): Refusal {
  const [byDefault, code] = GROUPS[group][failureCodes];
  const named = code.startsWith('_') ? `${what}${code}` : code;
  return new Refusal(status ?? byDefault, named, message, { ...parts, form: failureBody });
}

/** Refuses because there is no such thing. */
export function notFound(
  dialect: Dialect,
  what: 'INVOICE' | 'WEBHOOK' | 'WITHDRAWAL' | 'PAGE',
  message: string,
): never {
  throw groupRefusal(dialect, 'missing', message, {}, what);
}

/** One problem of a request. The dialect decides the form of the 422 that reports it. */
export interface FieldProblem {
  readonly where: 'body' | 'query' | 'path';
  /** Null for the body as a whole. */
  readonly field: string | null;
  readonly message: string;
  readonly type: string;
}

/**
 * Malformed body or query.
 * @see [Known codes](../../../docs/service-interface.md#known-codes)
 */
export class InvalidRequest extends Error {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super('The request is not valid.');
    this.problems = problems;
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A success, in the envelope or bare. */
export function success({ laterVersion }: Dialect, status: number, data: unknown, bare = false): Answer {
  const extra = laterVersion === 'none' ? {} : { meta: { served_by: 'sandbox' } };
  const body = bare ? data : { success: true, data, ...extra };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/**
 * The failure envelope, or the answer of a framework or a proxy in its place.
 * @see [Failure envelope](../../../docs/service-interface.md#failure-envelope)
 */
export function failure({ status, code, message, parts }: Refusal): Answer {
  const { details, why = message, headers, form = 'envelope' } = parts;
  const error = details === undefined ? { code, message } : { code, message, details };
  const type = form === 'html' ? { 'Content-Type': 'text/html; charset=utf-8' } : form === 'empty' ? {} : JSON_TYPE;
  const bodies = {
    envelope: () => JSON.stringify({ success: false, error }),
    bare: () => JSON.stringify(error),
    detail: () => JSON.stringify({ detail: message }),
    html: () => `<!doctype html><title>${status}</title><h1>${status}</h1>`,
    empty: () => '',
  };
  return { status, headers: { ...type, ...headers }, body: bodies[form](), code, why };
}

/** A 422 in the shape of the dialect. */
export function invalid({ validationShape }: Dialect, { problems, message }: InvalidRequest): Answer {
  const why = problems.map(({ where, field, message: text }) => `${field ?? where} ${text}`).join('; ');
  const code = 'VALIDATION_ERROR';
  const detail = problems.map(({ where, field, message: msg, type }) => ({
    loc: field === null ? [where] : [where, field],
    msg,
    type,
  }));
  const details = detailsOf(problems);
  const bodies = {
    envelope: { success: false, error: { code, message, details } },
    detail: { detail },
    both: { success: false, error: { code, message, details }, detail },
    detail_text: { detail: why },
    no_details: { success: false, error: { code, message } },
  };
  return { status: 422, headers: JSON_TYPE, body: JSON.stringify(bodies[validationShape]), code, why };
}

/** Field name to messages. */
function detailsOf(problems: readonly FieldProblem[]): Readonly<Record<string, readonly string[]>> {
  const details = new Map<string, string[]>(); // a query name comes from the caller and could be `__proto__`
  for (const { where, field, message } of problems) {
    const name = field ?? where;
    details.set(name, [...(details.get(name) ?? []), message]);
  }
  return Object.fromEntries(details);
}

/** The largest body of a request, in bytes. */
export const MAX_BODY = 1_048_576;
