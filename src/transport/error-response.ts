import type { Endpoint } from '../contract/endpoint.ts';
import { saysNo } from '../contract/envelope.ts';
import { firstText, isObject, type JsonObject } from '../contract/json.ts';
import {
  ApiError,
  ERROR_RESPONSE_CLASSES,
  InvoiceAlreadyExistsError,
  type MerchantErrorInit,
  ValidationError,
  type ValidationIssue,
} from '../errors/classes.ts';
import { type ApiErrorKind, type ErrorCode, errorKindOf, errorOutcome } from '../errors/codes.ts';
import type { CallError, PlainApiError } from '../errors/guards.ts';
import { beginningWithoutSecrets, shown, shownData } from '../errors/hide.ts';
import { printable } from '../errors/printable.ts';
import { failureAlone, retryAfterOf, retryClassOf } from './retry.ts';
import type { ErrorBody, Failure, FailureFacts, OpenCall, ServiceResponse } from './types.ts';

// Error responses. The forms in which the service may say that it did not do the work:
//
// | form                                                    | where it comes from                         |
// |---------------------------------------------------------|---------------------------------------------|
// | {"success": false, "error": {"code", "message", …}}     | the interface; any spelling of false        |
// | {"detail": [{"loc", "msg", "type"}]}, {"detail": "…"},  | the interface, for a 422;                   |
// | {"detail": {"error": {…}}}, {"detail": {"code": …}}     | FastAPI, for an exception of its own        |
// | {"code", "message", "details"}                          | a gateway that takes the envelope off       |
// | details: {"external_id", "status"}, or the invoice      | a conflict, whose details have no names     |
//
// Anything else did not come from the service: a proxy, or another program at this address. It says nothing about an
// order.

const CODE_MAX = 128;
/** The most characters of a service's message, and of an issue, that the message of an error shows. */
const SHOWN_MESSAGE_MAX = 300;
const SHOWN_ISSUE_MAX = 100;
const RAW_MAX = 2_000;

/** The first 2,000 characters of a body, without key and secrets. They may hold a customer's data. */
export function excerpt({ raw, hide }: ServiceResponse): string {
  return beginningWithoutSecrets(hide, raw, RAW_MAX);
}

/**
 * The failure that an error response means: by its code, otherwise by its status. The body is read as it came,
 * before anything in it is hidden.
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../docs/service-interface.md#handling-strategy)
 */
export function failureOfResponse(
  response: ServiceResponse,
  body: unknown,
  { endpoint, externalId, client }: Pick<OpenCall<unknown>, 'endpoint' | 'externalId' | 'client'>,
): Failure {
  const { status, headers, hide } = response;
  const found = readError(body);
  const answeredBy = found.code !== null || (status === 422 && Array.isArray(found.detail)) ? 'service' : 'other';
  const kind = errorKindOf(found.code, status, answeredBy);
  const statusCode = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
  // A known code wins over a resource in the same body.
  const isDone = kind !== 'validation' && kind !== 'conflict' && endpoint.isDone?.(body) === true;
  const named = kind === 'conflict' ? (endpoint.conflict?.externalIdIn(found.details) ?? null) : null;
  // The response to another request: the outcome of this one is unknown, and nothing of that order is kept.
  const namesAnotherOrder = named !== null && externalId !== null && !isSameOrder(named, externalId);
  const kept = namesAnotherOrder
    ? { body: { ...NO_ERROR, code: found.code }, response: { ...response, raw: '' } }
    : { body: found, response };
  return failureAlone({
    // Any text is an ErrorCode.
    code: (found.code === null ? statusCode : beginningWithoutSecrets(hide, found.code, CODE_MAX)) as ErrorCode,
    status,
    outcome: isDone || namesAnotherOrder ? 'unknown' : errorOutcome(kind, status, endpoint.method !== 'GET'),
    retryAfter: retryAfterOf(headers, client.runtime.now()),
    retryClass: isDone && !endpoint.idempotent ? 'never' : retryClassOf(kind, status),
    facts: { is: 'error_response', kind, answeredBy, namesAnotherOrder, ...kept },
  });
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

/** What each error says about its call. The message is written from the facts. */
export type ErrorInit = Omit<MerchantErrorInit, 'message'> & Pick<OpenCall<unknown>, 'externalId'>;

/**
 * Makes the error of an error response. Secrets in its texts are hidden here, and long texts are cut.
 *
 * @param doubt The sentence for a write with an unknown outcome, or an empty text.
 */
export function errorOfResponse(
  facts: ErrorResponseFacts,
  { retryAfter, ...own }: ErrorInit & Pick<Failure, 'retryAfter'>,
  call: OpenCall<unknown>,
  doubt: string,
  known: ConflictFacts,
): CallError {
  const { kind, body, answeredBy, response } = facts;
  const { status, hide } = response;
  const visible = (text: string, max: number): string => shown(hide, text, max);
  const details = shownData(body.details, visible);
  const init = {
    ...own,
    status,
    retryAfter,
    answeredBy,
    details: isObject(details) ? details : null,
    raw: excerpt(response),
  };
  const said = cutAtItem(visible(body.message ?? '', SHOWN_MESSAGE_MAX + 1), SHOWN_MESSAGE_MAX);
  const quoted = said === '' || answeredBy === 'other' ? '' : ` "${said}"`;
  const start = `${own.operation}: HTTP ${status} ${printable(own.code)}${quoted}`;
  if (kind === 'conflict') return conflictError(start, facts, init, call, doubt, known);
  const all = kind === 'validation' ? validationIssues(details, shownData(body.detail, visible)) : [];
  const issues = all.filter(({ path, message }) => path !== '' || message !== said); // not what `said` quotes already
  const remedy = remedyFor(kind, facts, all, call, doubt !== '');
  const message = sentences(`${start}${namedIssues(issues)}.`, strangerWords(facts), remedy, doubt);
  switch (kind) {
    case 'validation':
      return new ValidationError({ ...init, message, issues: all.slice(0, ISSUES_MAX), origin: 'service' });
    case 'request':
      return new ApiError({ ...init, message }) as PlainApiError; // ApiError itself has this kind
    default:
      return new ERROR_RESPONSE_CLASSES[kind]({ ...init, message });
  }
}

/** The error of an order that has an invoice already. `start` begins its message. */
function conflictError(
  start: string,
  { body, response, namesAnotherOrder }: ErrorResponseFacts,
  init: ErrorInit & Pick<InvoiceAlreadyExistsError, 'status'>,
  { endpoint }: OpenCall<unknown>,
  doubt: string,
  known: ConflictFacts,
): InvoiceAlreadyExistsError {
  if (namesAnotherOrder) {
    const message = sentences(`${start}.`, 'The response is about another order.', doubt);
    return new InvoiceAlreadyExistsError({ ...init, existingStatus: null, message });
  }
  // Ids and status are not escaped, because programs compare them. Only key and secrets are hidden.
  const details = shownData(body.details, (text, max) => beginningWithoutSecrets(response.hide, text, max));
  const read = endpoint.conflict?.read(details);
  const { existing } = known;
  const externalId = init.externalId ?? read?.externalId ?? null;
  const order = externalId === null ? '' : ` "${printable(externalId)}"`;
  const withStatus = read?.existingStatus ? ` with the status "${printable(read.existingStatus)}"` : '';
  return new InvoiceAlreadyExistsError({
    ...init,
    externalId,
    existingStatus: existing?.status ?? read?.existingStatus ?? null,
    existing,
    cause: known.cause,
    message: sentences(
      `${start}. The order${order} exists${withStatus}.`,
      'No second invoice was created.',
      known.advice ?? endpoint.conflict?.advice ?? '',
      doubt,
    ),
  });
}

/** Joins the sentences that are not empty. */
export function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

const REMEDY: Readonly<Record<Exclude<ApiErrorKind, 'conflict'>, string>> = {
  validation: 'Correct the request.',
  rate_limit: 'Call less often, or wait for error.retryAfter milliseconds if it is set.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed. error.attempts lists each attempt.',
  request: 'Correct the request. It fails again when it is repeated unchanged.',
};

const LATER = 'The service or a proxy was not ready for it: repeat the call later.';

/** What to do, with the hint of the endpoint. If the work may have been done, the input is not to be corrected yet. */
function remedyFor(
  kind: Exclude<ApiErrorKind, 'conflict'>,
  { answeredBy, response }: ErrorResponseFacts,
  issues: readonly ValidationIssue[],
  { endpoint, client, sent }: OpenCall<unknown>,
  isDoubtful: boolean,
): string {
  const fields = issues.map(({ path }) => path);
  const hint = shown(response.hide, endpoint.hint?.(sent, fields) ?? '', SHOWN_MESSAGE_MAX);
  if (retryClassOf(kind, response.status) === 'transient' && kind === 'request' && !isDoubtful) return LATER;
  if (kind === 'validation' || kind === 'request') {
    const named = fields.some((path) => path !== '') ? 'Correct the fields named in error.fields.' : REMEDY[kind];
    if (answeredBy === 'other' && kind === 'request' && !isDoubtful)
      return hint === '' ? 'Check baseUrl.' : sentences(hint, 'Otherwise check baseUrl.');
    return sentences(isDoubtful ? '' : named, hint);
  }
  if (kind === 'not_found' && endpoint.params === undefined)
    return sentences(hint, 'Check the path, also that of baseUrl.');
  const isDropped = response.status === 401 && client.hasOwnFetch;
  const dropped = 'Or your fetch dropped the headers: it must pass new Headers(init.headers).';
  return sentences(REMEDY[kind], isDropped ? dropped : '');
}

const TITLE = /<title[^>]*>([^<]{1,200})/i;
const STRANGER_MAX = 100;

/** Says what answered in place of the service, if something else did. */
function strangerWords({ answeredBy, body, response }: ErrorResponseFacts): string {
  if (answeredBy === 'service') return '';
  const { raw, headers, hide } = response;
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  // No more of a page than its title: a broken page may end inside of an echoed key.
  const text = body.message ?? TITLE.exec(raw.slice(0, 4_096))?.[1] ?? '';
  const quoted = shown(hide, text.replace(/\s+/g, ' ').trim(), STRANGER_MAX);
  const what = [shown(hide, type, STRANGER_MAX), quoted === '' ? '' : `"${quoted}"`].filter((part) => part !== '');
  const kind = what.length === 0 ? '' : ` (${what.join(', ')})`;
  return `It was answered without an error code${kind}: by a proxy, or by another program at this baseUrl.`;
}

const NO_ERROR: ErrorBody = { code: null, message: null, details: null, detail: null };

/** Reads the parts of an error from each form of the table above. Never throws. */
function readError(body: unknown): ErrorBody {
  if (!isObject(body)) return NO_ERROR;
  const { error, detail } = body;
  if (!isObject(error) && isObject(detail) && (isObject(detail['error']) || 'code' in detail)) return readError(detail);
  const inner = isObject(error) ? error : {};
  return {
    code: knownCode(firstText([inner['code'], body['code']])),
    message: firstText([inner['message'], body['message'], detail]),
    details: inner['details'] ?? body['details'] ?? null,
    detail: detail ?? inner['detail'] ?? null,
  };
}

/**
 * A code of the interface in the interface's spelling, and any other unchanged. A code that begins with `SDK_`
 * counts as none: only this package has such codes.
 */
function knownCode(code: string | null): string | null {
  const upper = code?.toUpperCase() ?? '';
  if (upper.startsWith('SDK_')) return null;
  return upper === 'VALIDATION_ERROR' || upper === 'INVOICE_ALREADY_EXISTS' ? upper : code;
}

/** True when the body of a 2xx is an error response: it has an error with a code, or its `success` flag is false. */
export function isErrorBody(body: unknown, isRecord: Endpoint<unknown>['isRecord']): boolean {
  if (!isObject(body)) return false;
  return codedError(body) !== null || (saysNo(body) && isRecord?.(body) !== true);
}

/** The error of an envelope if it has a code. */
export function codedError(body: unknown): JsonObject | null {
  const error = isObject(body) ? body['error'] : null;
  return isObject(error) && typeof error['code'] === 'string' && error['code'] !== '' ? error : null;
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

/** The beginning of a long text, up to its last whole item or word: half of a number is another number. */
function cutAtItem(text: string, max: number): string {
  if (text.length <= max) return text;
  const [item, word] = [text.lastIndexOf(', ', max - 1) + 1, text.lastIndexOf(' ', max)];
  return `${text.slice(0, item > max / 2 ? item : word > 0 ? word : max)} …`;
}

/** The first issues in brackets, with the number of all if there are more. */
function namedIssues(all: readonly ValidationIssue[]): string {
  const words = all
    .slice(0, 3)
    .map(
      ({ path, message }) => `${path && `${path.slice(0, SHOWN_ISSUE_MAX)}: `}${cutAtItem(message, SHOWN_ISSUE_MAX)}`,
    );
  if (all.length > 3) words.push(all.length > ISSUES_MAX ? `more than ${ISSUES_MAX} in all` : `${all.length} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}
