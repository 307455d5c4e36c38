import type { Endpoint } from '../contract/endpoint.ts';
import { unwrapped } from '../contract/envelope.ts';
import { firstText, isObject, type JsonObject } from '../contract/json.ts';
import {
  ApiError,
  ERROR_RESPONSE_CLASSES,
  InvoiceAlreadyExistsError,
  ValidationError,
  type ValidationIssue,
} from '../errors/classes.ts';
import { type ApiErrorKind, errorKindOf, errorOutcome } from '../errors/codes.ts';
import type { CallError } from '../errors/guards.ts';
import { beginningWithoutSecrets, shown, shownData } from '../errors/hide.ts';
import { printable } from '../errors/printable.ts';
import { retryAfterOf, retryClassOf } from './retry.ts';
import type { ErrorBody, FailedCall, Failure, FailureFacts, ServiceResponse } from './types.ts';

// Error responses: the forms that the client recognises, and where it finds the parts of each.
//
// | part             | form                                                     | who uses it                            |
// |------------------|----------------------------------------------------------|----------------------------------------|
// | an error         | {"success": false, "error": {"code", "message", …}}      | the interface                          |
// |                  | {"code", "message", "details"}                           | gateways                               |
// |                  | {"detail": {"error": {…}}} or {"detail": {"code": …}}    | FastAPI's HTTPException                |
// |                  | {"errors": [{"code", …}]}, {"data": {"error": {…}}}      | JSON:API, wrapped handlers             |
// |                  | {"error": "RATE_EXPIRED"}, {"message": "…"}              | Spring, Express                        |
// | `success: false` | false, 0, "false", "no"                                  | PHP, templates                         |
// | fields of a 422  | details: {"amount": ["…"]} or {"amount": "…"}            | the interface, Laravel                 |
// |                  | detail: [{"loc": ["body", "amount"], "msg", "type"}]     | the interface (FastAPI)                |
// |                  | detail: "…", details: ["…"]                              | frameworks' plain texts                |
// | a conflict       | details: {"external_id", "status"}, also order_id, or    | the interface names no members         |
// |                  | an invoice under invoice, existing_invoice, existing     |                                        |

const CODE_MAX = 128;
/** The most characters of a service's message, and of an issue, that the message of an error shows. */
const SHOWN_MESSAGE_MAX = 300;
const SHOWN_ISSUE_MAX = 100;
const RAW_MAX = 2_000;

/** Returns the first 2,000 characters of a body, without key and secrets. They may hold a customer's data. */
export function excerpt({ raw, hide }: ServiceResponse): string {
  return beginningWithoutSecrets(hide, raw, RAW_MAX);
}

type IsRecord = Endpoint<unknown>['isRecord'];

/**
 * Returns the failure that an error response means: by its code, otherwise by its status. The body is read as it came,
 * before anything in it is hidden.
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../docs/service-interface.md#handling-strategy)
 */
export function failureOfResponse(
  response: ServiceResponse,
  body: unknown,
  { method, isRecord, conflict }: Pick<Endpoint<unknown>, 'method' | 'isRecord' | 'conflict'>,
  externalId: string | null,
  now: number,
): Failure {
  const { status, headers, hide } = response;
  const isWrite = method !== 'GET';
  const found = findError(body, isRecord);
  const answeredBy = found.code !== null || (status === 422 && Array.isArray(found.detail)) ? 'service' : 'other';
  const byCode = errorKindOf(found.code, status);
  const kind = byCode === 'not_found' && answeredBy === 'other' ? 'request' : byCode;
  const statusCode = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
  const isDone = isRecord !== undefined && holdsRecord(body, isRecord);
  // A conflict that names another order is the response to another request. The outcome of this one is unknown.
  const named = kind === 'conflict' ? (conflict?.externalIdIn(found.details) ?? null) : null;
  const isOfAnother = named !== null && externalId !== null && !isSameOrder(named, externalId);
  const isUnclear = isOfAnother || (kind === 'request' && isWrite && contradictsItself(body));
  return {
    code: found.code === null ? statusCode : beginningWithoutSecrets(hide, found.code, CODE_MAX),
    status,
    outcome: isDone || isUnclear ? 'unknown' : errorOutcome(kind, status, isWrite),
    retryAfter: retryAfterOf(headers, now),
    retryClass: isDone ? 'never' : retryClassOf(kind, status),
    about: { is: 'error_response', kind, answeredBy, body: found, response, isOfAnother },
  };
}

/** Compares two order ids without case and outer spaces, which a service may change. */
function isSameOrder(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** What the resource knows about a conflict beside the response. */
export interface ConflictFacts {
  /** What to do, in place of the advice of the endpoint. */
  readonly advice?: string;
  readonly existing?: InvoiceAlreadyExistsError['existing'];
  readonly cause?: unknown;
}

type ErrorResponseFacts = Extract<FailureFacts, { readonly is: 'error_response' }>;

/**
 * Makes the error of an error response. Secrets in its texts are hidden here, and long texts are cut.
 *
 * @param doubt The sentence for a write with an unknown outcome, or an empty text.
 */
export function errorOfResponse(
  failure: Failure,
  { kind, answeredBy, body, response, isOfAnother }: ErrorResponseFacts,
  call: FailedCall,
  doubt: string,
  facts: ConflictFacts,
): CallError {
  const { code } = failure;
  const { status, requestId, hide } = response;
  const { endpoint, sent } = call;
  const visible = (text: string, max: number): string => shown(hide, text, max);
  // A conflict that names another order shows nothing of that order.
  const details = isOfAnother ? null : shownData(body.details, visible);
  const quoted = body.message === null || isOfAnother ? '' : ` "${visible(body.message, SHOWN_MESSAGE_MAX)}"`;
  const start = `${call.operation}: HTTP ${status} ${printable(code)}${quoted}`;
  const init = {
    ...call,
    code,
    status,
    requestId,
    answeredBy,
    retryAfter: call.retryAfter ?? failure.retryAfter,
    details: isObject(details) ? details : null,
    raw: isOfAnother ? '' : excerpt(response),
  };
  if (kind === 'conflict') {
    if (isOfAnother) {
      const message = sentences(`${start}.`, 'The response is about another order.', doubt);
      return new InvoiceAlreadyExistsError({ ...init, existingStatus: null, message });
    }
    // Ids and status are not escaped, because programs compare them. Only key and secrets are hidden.
    const read = endpoint.conflict?.read(
      shownData(body.details, (text, max) => beginningWithoutSecrets(hide, text, max)),
    );
    // An unknown in its type only: the check of the endpoint has decoded it.
    const existing = facts.existing ?? (read?.existing as InvoiceAlreadyExistsError['existing']);
    const externalId = call.externalId ?? read?.externalId ?? null;
    const existingStatus = existing?.status ?? read?.existingStatus ?? null;
    const order = externalId === null ? '' : ` "${printable(externalId)}"`;
    const withStatus = read?.existingStatus ? ` with the status "${printable(read.existingStatus)}"` : '';
    const advice = facts.advice ?? endpoint.conflict?.advice ?? '';
    return new InvoiceAlreadyExistsError({
      ...init,
      externalId,
      existingStatus,
      existing,
      cause: facts.cause,
      message: sentences(
        `${start}. The order${order} exists${withStatus}.`,
        'No second invoice was created.',
        advice,
        doubt,
      ),
    });
  }
  const hint =
    kind === 'validation' || kind === 'request' ? shown(hide, endpoint.hint?.(sent) ?? '', SHOWN_MESSAGE_MAX) : '';
  if (kind === 'validation') {
    const all = validationIssues(details, shownData(body.detail, visible));
    const message = sentences(`${start}${namedIssues(all)}.`, REMEDY.validation, hint, doubt);
    return new ValidationError({ ...init, message, issues: all.slice(0, ISSUES_MAX), origin: 'service' });
  }
  const message = sentences(`${start}.`, REMEDY[kind], hint, doubt);
  if (kind !== 'request') return new ERROR_RESPONSE_CLASSES[kind]({ ...init, message });
  // ApiError itself, not a subclass: its kind is "request".
  return new ApiError({ ...init, message }) as ApiError & { readonly kind: 'request' };
}

/** Joins the sentences that are not empty. */
export function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

const REMEDY: Readonly<Record<Exclude<ApiErrorKind, 'conflict'>, string>> = {
  validation: 'Correct the fields named in error.fields.',
  rate_limit: 'Call less often, or later: error.retryAfter says when, where the service says it.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed. error.attempts lists each attempt.',
  request: 'Correct the request. It fails again when it is repeated unchanged.',
};

/** Reads the parts of an error from each place of the table above. Never throws. */
function findError(body: unknown, isRecord: IsRecord): ErrorBody {
  if (!isObject(body)) return { code: null, message: null, details: null, detail: null };
  const { error, errors, detail } = body;
  const coded = codedError(body, isRecord);
  if (coded === null && !isObject(error) && isObject(detail) && (isObject(detail['error']) || 'code' in detail)) {
    return findError(detail, isRecord);
  }
  const inner = coded ?? (isObject(error) ? error : {});
  const words = [error, listOf(errors)[0]].filter((word) => typeof word === 'string');
  return {
    code: firstText([inner['code'], body['code'], ...words.filter((word) => /^[A-Z][A-Z0-9_]*$/.test(word))]),
    message: firstText([inner['message'], body['message'], ...words, detail]),
    details: inner['details'] ?? body['details'] ?? null,
    detail: detail ?? inner['detail'] ?? null,
  };
}

/** True when the body of a 2xx is an error response: it has an error with a code, or its `success` flag is false. */
export function isErrorBody(body: unknown, isRecord: IsRecord): boolean {
  if (!isObject(body)) return false;
  return codedError(body, isRecord) !== null || (isFalse(body['success']) && isRecord?.(body) !== true);
}

/** Returns the first error with a code: `error`, one of `errors`, or the same inside of `data`. */
export function codedError(body: JsonObject, isRecord: IsRecord): JsonObject | null {
  const { data, error, errors } = body;
  // A resource may have a member `error`, which is not an error of the request.
  const inData = isObject(data) && !Object.hasOwn(data, 'uuid') && isRecord?.(data) !== true ? data : {};
  const places = [error, errors, inData['error'], inData['errors']].filter((place) => place !== undefined);
  return places.length === 0 ? null : (places.flatMap(listOf).filter(isObject).find(isCoded) ?? null);
}

function isCoded(error: JsonObject): boolean {
  return typeof error['code'] === 'string' && error['code'] !== '';
}

/** True when an error response also contains a resource with a uuid: it is unknown which of the two is right. */
function contradictsItself(body: unknown): boolean {
  if (!isObject(body) || isFalse(body['success'])) return false;
  const payload = unwrapped(body['data']);
  return isObject(payload) && Object.hasOwn(payload, 'uuid');
}

const FALSE_WORDS: ReadonlySet<unknown> = new Set([false, 0, 'false', '0', 'no']);

/** True for `success: false` in any of the spellings. For any other value the payload decides. */
function isFalse(flag: unknown): boolean {
  return FALSE_WORDS.has(typeof flag === 'string' ? flag.trim().toLowerCase() : flag);
}

const RECORD_DEEPEST = 4;
/** The most entries of a list or an object that are searched. */
const SEARCHED_MAX = 20;

/** True when the body holds a record of the endpoint: the work was done, although this is an error response. */
function holdsRecord(body: unknown, isRecord: (value: unknown) => boolean, depth = 0): boolean {
  if (isRecord(body)) return true;
  if (typeof body !== 'object' || body === null || depth >= RECORD_DEEPEST) return false;
  return Object.values(body)
    .slice(0, SEARCHED_MAX)
    .some((member) => holdsRecord(member, isRecord, depth + 1));
}

/** Returns a list's first entries, or any other value as a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return (Array.isArray(value) ? value : [value ?? []].flat()).slice(0, SEARCHED_MAX);
}

/** The most issues that an error holds. */
const ISSUES_MAX = 20;
const MESSAGE_MAX = 1_000;
const TYPE_MAX = 128;

/** Reads both shapes of a 422, also both at once, into one list. Its input must be safe to show. */
function validationIssues(details: unknown, detail: unknown): ValidationIssue[] {
  const items = (value: unknown): unknown[] => [value ?? []].flat();
  const byField = isObject(details) ? Object.entries(details) : [];
  return [
    ...items(detail).map((item) => itemIssue(item)),
    ...byField.flatMap(([path, messages]) => items(messages).map((item) => itemIssue(item, path))),
    ...(isObject(details) ? [] : items(details).map((item) => itemIssue(item))),
  ];
}

/** Reads one issue: a text, or an item of the second shape, whose `loc` names the field. */
function itemIssue(item: unknown, field = ''): ValidationIssue {
  if (!isObject(item) || (field !== '' && !('loc' in item))) return { path: field, message: messageText(item) };
  const loc = [item['loc'] ?? []].flat().filter((part) => typeof part === 'string' || typeof part === 'number');
  const [first] = loc;
  const path = (first === 'body' || first === 'query' || first === 'path' ? loc.slice(1) : loc).join('.');
  const type = firstText([item['type']])?.slice(0, TYPE_MAX);
  return { path, message: messageText(item['msg'] ?? item['message']), ...(type !== undefined && { type }) };
}

function messageText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MESSAGE_MAX);
  return value === undefined || value === null ? 'is invalid' : JSON.stringify(value).slice(0, MESSAGE_MAX);
}

/** Returns the first issues in brackets, with the number of all if there are more. */
function namedIssues(all: readonly ValidationIssue[]): string {
  const words = all
    .slice(0, 3)
    .map(({ path, message }) => `${path && `${path.slice(0, SHOWN_ISSUE_MAX)}: `}${message.slice(0, SHOWN_ISSUE_MAX)}`);
  if (all.length > 3) words.push(all.length > ISSUES_MAX ? `more than ${ISSUES_MAX} in all` : `${all.length} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}
