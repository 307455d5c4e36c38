import type { Dialect } from './dialects.ts';

/** An answer as text; nothing of it has gone out yet. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `error.code` of a failure, for the log. */
  readonly code?: string;
  /** What the log should say of it. */
  readonly why?: string;
}

/** A failure on its way to the caller, thrown by whatever finds the reason. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** For the log: names the cause, where the message follows the service's own manner. */
  readonly why: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly why?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.why = more.why ?? message;
    this.headers = more.headers ?? {};
  }
}

/** One thing wrong with a request, before it takes one of the two shapes of a 422. */
export interface Finding {
  readonly where: 'body' | 'query';
  /** Null for the body as a whole. */
  readonly field: string | null;
  readonly message: string;
  readonly type: string;
}

/** Malformed body or query. @see service interface, "Known codes" */
export class InvalidRequest extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('The request is not valid.');
    this.findings = findings;
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A success: in the envelope, or bare where the dialect says so. */
export function success(dialect: Dialect, status: number, data: unknown, bare = false): Answer {
  const body = bare ? data : dialect.successFlag === 'present' ? { success: true, data } : { data };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/** The failure envelope. @see service interface, "Failure envelope" */
export function failure(refusal: Refusal): Answer {
  const { status, code, message, details, why, headers } = refusal;
  const error = details === undefined ? { code, message } : { code, message, details };
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ success: false, error }), code, why };
}

/** A 422 in the shape of the dialect. */
export function invalid(dialect: Dialect, { findings, message }: InvalidRequest): Answer {
  const why = findings.map(({ where, field, message: text }) => `${field ?? where} ${text}`).join('; ');
  if (dialect.validationShape === 'detail') {
    const detail = findings.map(({ where, field, message: msg, type }) => ({
      loc: field === null ? [where] : [where, field],
      msg,
      type,
    }));
    return { status: 422, headers: JSON_TYPE, body: JSON.stringify({ detail }), code: 'VALIDATION_ERROR', why };
  }
  // Field names are our own words here, or `body`: none of them can reach a prototype.
  const details: Record<string, string[]> = {};
  for (const { where, field, message: text } of findings) {
    const name = field ?? where;
    details[name] = [...(details[name] ?? []), text];
  }
  return failure(new Refusal(422, 'VALIDATION_ERROR', message, { details, why }));
}

/** A body beyond the limit. The interface names none: it is a setting. */
export function tooLarge(limit: number): Answer {
  return failure(new Refusal(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`));
}
