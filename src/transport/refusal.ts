import { unwrapped } from '../contract/envelope.ts';
import { getInvoice, type Invoice } from '../contract/invoices.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { InvoiceStatus } from '../contract/types.ts';
import {
  ApiError,
  InvoiceAlreadyExistsError,
  REFUSAL_CLASSES,
  ValidationError,
  type ValidationIssue,
} from '../errors/classes.ts';
import { type ApiErrorKind, errorKindOf, refusalOutcome } from '../errors/codes.ts';
import { printable } from '../printable.ts';
import type { Asked } from './answer.ts';
import { afterUnknown, type Failure, isWrite } from './failure.ts';
import { beginningWithoutSecrets, shown, shownData } from './hide.ts';
import type { Answer } from './http.ts';
import { retryAfterOf, retryClassOf } from './retry.ts';

// What the client recognises as a refusal, and where it finds its parts:
//
// | part             | form                                                     | who writes so                          |
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
const SAID_MAX = 300;
const NAMED_MAX = 100;
const ID_MAX = 512;
const RAW_MAX = 2_000;

/** Returns the first 2,000 characters of a body, without key and secrets. They may hold a customer's data. */
export function excerpt({ raw, hide }: Answer): string {
  return beginningWithoutSecrets(hide, raw, RAW_MAX);
}

/**
 * Classifies a refusal of the service: by its code, otherwise by its status. The answer is classified unchanged. The
 * texts that an error shows are made with the error, without key and secrets.
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../docs/service-interface.md#handling-strategy)
 */
export function refusal(answer: Answer, body: unknown, asked: Asked): Failure {
  const { status, headers, requestId, hide } = answer;
  const { client, endpoint, externalId } = asked;
  const found = findRefusal(body);
  const kind = errorKindOf(found.code, status);
  const statusCode = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
  const code = found.code === null ? statusCode : beginningWithoutSecrets(hide, found.code, CODE_MAX);
  const retryAfter = retryAfterOf(headers, client.runtime.now());
  // The answer shows an attempt of a delivery, so the attempt was made.
  const isMade = !endpoint.idempotent && holdsAttempt(body);
  // A conflict that names another order answers another request. The result of this one is unknown.
  const isOthers = kind === 'conflict' && namesAnother(found.details, externalId);
  const isOdd = isOthers || (kind === 'request' && isWrite(endpoint) && contradictsItself(body));
  const visible = (text: string, max: number): string => shown(hide, text, max);
  return {
    code,
    status,
    outcome: isMade || isOdd ? 'unknown' : refusalOutcome(kind, status, isWrite(endpoint)),
    retryAfter,
    retryClass: isMade ? 'never' : retryClassOf(kind, status),
    toError: (context) => {
      // A conflict that names another order shows nothing of that order.
      const details = isOthers ? null : shownData(found.details, visible);
      const said = found.message === null || isOthers ? '' : ` "${visible(found.message, SAID_MAX)}"`;
      const start = `${context.operation}: HTTP ${status} ${printable(code)}${said}`;
      const end = `${REMEDY[kind]}${afterUnknown(context)}`;
      const init = {
        ...context,
        code,
        status,
        requestId,
        retryAfter: context.retryAfter ?? retryAfter,
        details: isObject(details) ? details : null,
        raw: isOthers ? '' : excerpt(answer),
      };
      if (kind === 'conflict') {
        const id = externalId === null ? null : beginningWithoutSecrets(hide, externalId, ID_MAX);
        if (isOthers) {
          const message = `${start}. The answer is about another order.${afterUnknown(context)}`;
          return new InvoiceAlreadyExistsError({ ...init, externalId: id, existingStatus: null, message });
        }
        // Ids and status are not escaped, because programs compare them. Only key and secrets are hidden.
        const read = conflictIn(shownData(found.details, (text, max) => beginningWithoutSecrets(hide, text, max)));
        const conflict = { ...read, externalId: id ?? read.externalId };
        return new InvoiceAlreadyExistsError({
          ...init,
          ...conflict,
          message: `${start}. ${existingText(conflict)}${end}`,
        });
      }
      if (kind === 'validation') {
        const all = validationIssues(details, shownData(found.detail, visible));
        const issues = all.slice(0, ISSUES_MAX);
        return new ValidationError({
          ...init,
          message: `${start}${namedIssues(all)}. ${end}`,
          issues,
          origin: 'service',
        });
      }
      const message = `${start}. ${end}`;
      if (kind !== 'request') return new REFUSAL_CLASSES[kind]({ ...init, message });
      // The class is ApiError itself, whose kind is "request" then.
      return new ApiError({ ...init, message }) as ApiError & { readonly kind: 'request' };
    },
  };
}

/** The advice of a conflict, which a failed createOrGet takes out. */
export const CREATE_OR_GET = ' invoices.createOrGet returns the existing one.';

const REMEDY: Readonly<Record<ApiErrorKind, string>> = {
  conflict: `No second invoice was created.${CREATE_OR_GET}`,
  validation: 'Correct the fields named in error.fields.',
  rate_limit: 'Call less often, or later: error.retryAfter says when, where the service says it.',
  authentication: 'Check that apiKey belongs to this baseUrl and is allowed to do this.',
  not_found: 'Check the identifier, and that it belongs to this business.',
  server: 'The service failed. error.attempts lists each attempt.',
  request: 'Correct the request. It fails again when it is repeated unchanged.',
};

/** The members of a failure envelope, as received. None of them is safe to show. */
interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

/** Reads the members from each place where a service may put them. Never throws. */
function findRefusal(body: unknown): Refusal {
  if (!isObject(body)) return { code: null, message: null, details: null, detail: null };
  const { error, errors, detail } = body;
  const coded = codedError(body);
  if (coded === null && !isObject(error) && isObject(detail) && (isObject(detail['error']) || 'code' in detail)) {
    return findRefusal(detail);
  }
  const inner = coded ?? (isObject(error) ? error : {});
  const words = [error, listOf(errors)[0]].filter((said) => typeof said === 'string');
  return {
    code: firstText([inner['code'], body['code'], ...words.filter((said) => /^[A-Z][A-Z0-9_]*$/.test(said))]),
    message: firstText([inner['message'], body['message'], ...words, detail]),
    details: inner['details'] ?? body['details'] ?? null,
    detail: detail ?? inner['detail'] ?? null,
  };
}

/** True when a 2xx is a refusal: it has an error with a code, or its `success` flag is false. */
export function isRefusal(body: unknown, mayBeAttempt: boolean): boolean {
  if (!isObject(body)) return false;
  return codedError(body) !== null || (isFalse(body['success']) && !(mayBeAttempt && isAttempt(body)));
}

/** Returns the error that has a code: the error itself, one of a list, or one in the data. */
export function codedError(body: JsonObject): JsonObject | null {
  const { data, error, errors } = body;
  // A resource, or an attempt of a delivery, may have a member `error`, which is not a refusal.
  const inData = isObject(data) && !Object.hasOwn(data, 'uuid') && !isAttempt(data) ? data : {};
  const places = [error, errors, inData['error'], inData['errors']].filter((place) => place !== undefined);
  return places.length === 0 ? null : (places.flatMap(listOf).filter(isObject).find(isCoded) ?? null);
}

function isCoded(error: JsonObject): boolean {
  return typeof error['code'] === 'string' && error['code'] !== '';
}

/** True when a refusal also has the resource that was asked for: it is unknown which of the two is right. */
function contradictsItself(body: unknown): boolean {
  if (!isObject(body) || isFalse(body['success'])) return false;
  const payload = unwrapped(body['data']);
  return isObject(payload) && Object.hasOwn(payload, 'uuid');
}

const NO: ReadonlySet<unknown> = new Set([false, 0, 'false', '0', 'no']);

/** True for `success: false` in each spelling. For any other word the payload decides. */
function isFalse(flag: unknown): boolean {
  return NO.has(typeof flag === 'string' ? flag.trim().toLowerCase() : flag);
}

const ATTEMPT_NAMES = ['duration_ms', 'triggered_by'];
const ATTEMPT_DEEPEST = 4;
/** Members of a list that are searched. */
const LOOKED_AT = 20;

/** True for an attempt of a delivery, which also has a flag `success`. The resend endpoint may answer one. */
function isAttempt(value: unknown): boolean {
  return isObject(value) && ATTEMPT_NAMES.some((name) => Object.hasOwn(value, name));
}

/** True when the body has an attempt of a delivery: the attempt was made, although the answer is a refusal. */
function holdsAttempt(body: unknown, depth = 0): boolean {
  if (isAttempt(body)) return true;
  if (typeof body !== 'object' || body === null || depth >= ATTEMPT_DEEPEST) return false;
  return Object.values(body)
    .slice(0, LOOKED_AT)
    .some((member) => holdsAttempt(member, depth + 1));
}

function listOf(value: unknown): readonly unknown[] {
  return (Array.isArray(value) ? value : [value ?? []].flat()).slice(0, LOOKED_AT);
}

/** Returns the first text that is not empty, uncut: a cut could hide a part of a key from the redactor. */
function firstText(values: readonly unknown[]): string | null {
  return values.filter((value) => typeof value === 'string').find((text) => text !== '') ?? null;
}

/** Findings that an error holds. */
const ISSUES_MAX = 20;
const MESSAGE_MAX = 1_000;
const TYPE_MAX = 128;

/** Reads both 422 shapes, also both at once, into one list. The input is safe to show and bounded. */
function validationIssues(details: unknown, detail: unknown): ValidationIssue[] {
  const items = (value: unknown): unknown[] => [value ?? []].flat();
  const byField = isObject(details) ? Object.entries(details) : [];
  return [
    ...items(detail).map((item) => itemIssue(item)),
    ...byField.flatMap(([path, messages]) => items(messages).map((item) => itemIssue(item, path))),
    ...(isObject(details) ? [] : items(details).map((item) => itemIssue(item))),
  ];
}

/** Reads one finding: a text, or an item of the second shape, whose `loc` names the field. */
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

/** Names the first findings, and the number of all if there are more. */
function namedIssues(all: readonly ValidationIssue[]): string {
  const words = all
    .slice(0, 3)
    .map(({ path, message }) => `${path && `${path.slice(0, NAMED_MAX)}: `}${message.slice(0, NAMED_MAX)}`);
  if (all.length > 3) words.push(all.length > ISSUES_MAX ? `more than ${ISSUES_MAX} in all` : `${all.length} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** The facts about the existing invoice in the details of INVOICE_ALREADY_EXISTS. The interface does not name the members. */
interface Conflict {
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
  /** Undefined unless the details hold the whole invoice. */
  readonly existing: Invoice | undefined;
}

const STATUS_MAX = 64;
const STATUS_NAMES = ['status', 'existing_status', 'invoice_status', 'current_status'];

/** @see [Known codes](../../docs/service-interface.md#known-codes) */
function conflictIn(value: unknown): Conflict {
  const details = isObject(value) ? value : {};
  const nested = holdersIn(details)[1] ?? {};
  const read = getInvoice.data(details);
  const status = firstText([...STATUS_NAMES.map((name) => details[name]), nested['status']]);
  const externalId = firstText([details['external_id'], details['order_id'], nested['external_id']]);
  return {
    externalId: externalId?.slice(0, ID_MAX) ?? null,
    // Any text is an InvoiceStatus. Its type only completes the known ones.
    existingStatus: (status?.slice(0, STATUS_MAX) ?? null) as InvoiceStatus | null,
    existing: read.ok ? read.value : undefined,
  };
}

/** Names the existing order and its status. */
function existingText({ externalId, existingStatus }: Conflict): string {
  const order = externalId === null ? '' : ` "${printable(externalId)}"`;
  const status = existingStatus === null ? '' : ` with the status "${printable(existingStatus)}"`;
  return `The order${order} exists${status}. `;
}

/** Returns the details, and those of their members that may be the existing invoice. */
function holdersIn(details: JsonObject): JsonObject[] {
  return [details, details['invoice'], details['existing_invoice'], details['existing']].filter(isObject);
}

/** True when a conflict names another external_id than the one that was sent. Case and outer spaces are ignored. */
function namesAnother(details: unknown, sent: string | null): boolean {
  if (!isObject(details)) return false;
  const found = holdersIn(details).map((holder) => holder['external_id']);
  const named = found.find((id) => id !== undefined && id !== null);
  if (typeof named !== 'string' || named === '' || sent === null) return false;
  return named.trim().toLowerCase() !== sent.trim().toLowerCase();
}
