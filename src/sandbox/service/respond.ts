import type { Dialect, FailureBody } from '../dialect/dialects.ts';

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
  readonly details: Readonly<Record<string, unknown>> | null | undefined;
  /** For the log: names the cause, where the message follows the service's own manner. */
  readonly why: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: FailureBody;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly details?: Readonly<Record<string, unknown>> | null;
      readonly why?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly form?: FailureBody;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.why = more.why ?? message;
    this.headers = more.headers ?? {};
    this.form = more.form ?? 'envelope';
  }
}

/** One thing wrong with a request, before it takes one of the two shapes of a 422. */
export interface Finding {
  readonly where: 'body' | 'query' | 'path';
  /** Null for the body as a whole. */
  readonly field: string | null;
  readonly message: string;
  readonly type: string;
}

/** Malformed body or query. @see [Known codes](../../../docs/service-interface.md#known-codes) */
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
  const extra = dialect.extraMembers === 'none' ? {} : { meta: { served_by: 'sandbox' } };
  const body = bare ? data : { ...flagOf(dialect), data, ...extra };
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

/** `success: true`, where the dialect writes it. */
export function flagOf({ successFlag }: Dialect): { readonly success?: true } {
  return successFlag === 'present' ? { success: true } : {};
}

/**
 * The failure envelope, or what a framework or a proxy says in its place.
 * @see [Failure envelope](../../../docs/service-interface.md#failure-envelope)
 */
export function failure(refusal: Refusal): Answer {
  const { status, code, message, details, why, headers, form } = refusal;
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
export function invalid({ validationShape }: Dialect, { findings, message }: InvalidRequest): Answer {
  const why = findings.map(({ where, field, message: text }) => `${field ?? where} ${text}`).join('; ');
  const code = 'VALIDATION_ERROR';
  const detail = findings.map(({ where, field, message: msg, type }) => ({
    loc: field === null ? [where] : [where, field],
    msg,
    type,
  }));
  const details = detailsOf(findings);
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
function detailsOf(findings: readonly Finding[]): Readonly<Record<string, readonly string[]>> {
  const details = new Map<string, string[]>(); // a query name is the caller's word, and could be `__proto__`
  for (const { where, field, message } of findings) {
    const name = field ?? where;
    details.set(name, [...(details.get(name) ?? []), message]);
  }
  return Object.fromEntries(details);
}

/** A body beyond the limit. The interface names none: it is a setting. */
export function tooLarge(limit: number): Answer {
  return failure(new Refusal(413, 'PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`));
}
