import type { Dialect, FailureBody } from '../dialect/dialects.ts';

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
  readonly form?: FailureBody;
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

/**
 * Refuses in the form of the dialect.
 * @see [Error groups](../../../docs/service-interface.md#error-groups)
 */
export function notFound(
  { notFoundStatus, notFoundCode, notFoundBody }: Dialect,
  what: 'INVOICE' | 'WEBHOOK' | 'WITHDRAWAL' | 'PAGE',
  message: string,
): never {
  const code = notFoundCode === 'general' ? 'NOT_FOUND' : `${what}_NOT_FOUND`;
  throw new Refusal(notFoundStatus, code, message, { form: notFoundBody });
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
export function success(dialect: Dialect, status: number, data: unknown, bare = false): Answer {
  const extra = dialect.extraMembers === 'none' ? {} : { meta: { served_by: 'sandbox' } };
  const body = bare ? data : { ...flagOf(dialect), data, ...extra };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/** `success: true`, where the dialect writes it. */
export function flagOf({ successFlag }: Dialect): { readonly success?: true } {
  return successFlag === 'present' ? { success: true } : {};
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
  const texts = Object.fromEntries(Object.entries(details).map(([name, messages]) => [name, messages.join('; ')]));
  const bodies = {
    envelope: { success: false, error: { code, message, details } },
    detail: { detail },
    both: { success: false, error: { code, message, details }, detail },
    detail_text: { detail: why },
    texts: { success: false, error: { code, message, details: texts } },
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

/** The answer to a body beyond the limit. The limit is a setting of the sandbox. */
export function tooLarge(limit: number): Answer {
  return failure(new Refusal(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`));
}
