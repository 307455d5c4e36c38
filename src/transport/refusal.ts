import { unwrapped } from '../contract/envelope.ts';
import type { Invoice } from '../contract/invoices.ts';
import { getInvoice } from '../contract/invoices.ts';
import { isObject } from '../contract/json.ts';
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
import { afterUnknown, type Failure, isWrite } from './failure.ts';
import { hiddenBeginning, shown, shownData } from './hide.ts';
import { type Answer, excerpt } from './http.ts';
import { retryAfterOf, retryClassOf } from './retry.ts';
import type { Reading } from './scope.ts';

const CODE_MAX = 128;
const SAID_MAX = 300;
const NAMED_MAX = 100;
const ID_MAX = 512;

/**
 * Classifies a refusal of the service: by its code, otherwise by its status. The answer is classified unchanged. The
 * texts that an error shows are made with the error, without key and secrets.
 * @see [Failure envelope](../../docs/service-interface.md#failure-envelope)
 * @see [Handling strategy](../../docs/service-interface.md#handling-strategy)
 */
export function refusal(answer: Answer, body: unknown, reading: Reading<unknown>): Failure {
  const { status, headers, requestId, hide } = answer;
  const { client, endpoint, externalId } = reading;
  const found = findRefusal(body);
  const kind = errorKindOf(found.code, status);
  const statusCode = status === 422 ? 'VALIDATION_ERROR' : `SDK_HTTP_${status}`;
  const code = found.code === null ? statusCode : hiddenBeginning(hide, found.code, CODE_MAX);
  const retryAfter = retryAfterOf(headers, client.runtime.now());
  // The answer shows an attempt of a delivery, so the attempt was made.
  const isMade = !endpoint.idempotent && holdsAttempt(body);
  // A conflict that names another order answers another request. The result of this one is unknown.
  const isOthers = kind === 'conflict' && namesAnother(found.details, externalId);
  const isOdd = isOthers || (kind === 'request' && isWrite(endpoint) && contradictsItself(body));
  return {
    code,
    status,
    outcome: isMade || isOdd ? 'unknown' : refusalOutcome(kind, status, isWrite(endpoint)),
    retryAfter,
    retryClass: isMade ? 'never' : retryClassOf(kind, status),
    toError: (context) => {
      const visible = (text: string, max: number) => shown(hide, text, max);
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
        // Ids and status are not escaped, because programs compare them. Only key and secrets are hidden.
        const read = conflictIn(shownData(found.details, (text, max) => hiddenBeginning(hide, text, max)));
        const sent = externalId === null ? null : hiddenBeginning(hide, externalId, ID_MAX);
        const conflict = { ...read, ...(isOthers && OTHERS), externalId: sent ?? read.externalId };
        const about = isOthers ? 'The answer is about another order.' : `${existingText(conflict)}${REMEDY.conflict}`;
        const message = `${start}. ${about}${afterUnknown(context)}`;
        return new InvoiceAlreadyExistsError({ ...init, ...conflict, message });
      }
      if (kind === 'validation') {
        const read = validationIssues(details, shownData(found.detail, visible));
        const message = `${start}${namedIssues(read)}. ${end}`;
        return new ValidationError({ ...init, message, issues: read.issues, origin: 'service' });
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
  server: 'The service failed. Calls that are safe to repeat were repeated.',
  request: 'Correct the request. It fails again when it is repeated unchanged.',
};

/** The facts about the existing invoice are unknown where the conflict names another order. */
const OTHERS = { existingStatus: null, existing: undefined } as const;

/** Names the existing order and its status. */
function existingText({ externalId, existingStatus }: Conflict): string {
  const order = externalId === null ? '' : ` "${printable(externalId)}"`;
  const status = existingStatus === null ? '' : ` with the status "${printable(existingStatus)}"`;
  return `The order${order} exists${status}. `;
}

/** Names the first findings, and the number of all if there are more. */
function namedIssues({ issues, total }: ValidationIssues): string {
  const first = issues.slice(0, 3);
  const words = first.map(
    ({ path, message }) => `${path === '' ? '' : `${path.slice(0, NAMED_MAX)}: `}${message.slice(0, NAMED_MAX)}`,
  );
  if (total > first.length) words.push(total > ISSUES_MAX ? `more than ${ISSUES_MAX} in all` : `${total} in all`);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** Members of a list that are searched for an error. */
const LOOKED_AT = 20;

/** The members of a failure envelope, as received. None of them is safe to show. */
interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

type Data = Readonly<Record<string, unknown>>;

/** Reads the members from each place where a service may put them. Never throws. */
function findRefusal(body: unknown): Refusal {
  if (!isObject(body)) return { code: null, message: null, details: null, detail: null };
  const { error, errors, detail } = body;
  const coded = codedError(body);
  // Some frameworks put their envelope into the member `detail`.
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

/** True when a body has an error with a code. Only such a body makes a redirect a refusal. */
export function hasCodedError(body: unknown): boolean {
  return isObject(body) && codedError(body) !== null;
}

/** True when a refusal also has the resource that was asked for: it is unknown which of the two is right. */
function contradictsItself(body: unknown): boolean {
  if (!isObject(body) || isFalse(body['success'])) return false;
  const payload = unwrapped(body['data']);
  return isObject(payload) && Object.hasOwn(payload, 'uuid');
}

/** True for `success: false` in each spelling. For any other word the payload decides. */
function isFalse(flag: unknown): boolean {
  if (typeof flag === 'string') return NO.has(flag.trim().toLowerCase());
  return flag === false || flag === 0;
}

const NO: ReadonlySet<string> = new Set(['false', 'f', '0', 'no', 'n', 'off']);

/** Returns the error that has a code: the error itself, one of a list, or one in the data. */
function codedError(body: Data): Data | null {
  const { data } = body;
  // A resource, or an attempt of a delivery, may have a member `error`, which is not a refusal.
  const inData = isObject(data) && !Object.hasOwn(data, 'uuid') && !isAttempt(data) ? data : {};
  const errors = [body['error'], body['errors'], inData['error'], inData['errors']].flatMap(listOf);
  return errors.filter(isObject).find((error) => firstText([error['code']]) !== null) ?? null;
}

/** True for an attempt of a delivery, which also has a flag `success`. The resend endpoint may answer one. */
function isAttempt(value: unknown): boolean {
  return isObject(value) && ATTEMPT_NAMES.some((name) => Object.hasOwn(value, name));
}

const ATTEMPT_NAMES = ['duration_ms', 'triggered_by'];
const ATTEMPT_DEEPEST = 4;

/** True when the body has an attempt of a delivery: the attempt was made, although the answer is a refusal. */
function holdsAttempt(body: unknown, depth = 0): boolean {
  if (isAttempt(body)) return true;
  if (typeof body !== 'object' || body === null || depth >= ATTEMPT_DEEPEST) return false;
  const members = Array.isArray(body) ? listOf(body) : Object.values(body).slice(0, LOOKED_AT);
  return members.some((member) => holdsAttempt(member, depth + 1));
}

function asList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function listOf(value: unknown): readonly unknown[] {
  return asList(value).slice(0, LOOKED_AT);
}

/** Returns the first text that is not empty, uncut: a cut could hide a part of a key from the redactor. */
function firstText(values: readonly unknown[]): string | null {
  return values.filter((value) => typeof value === 'string').find((text) => text !== '') ?? null;
}

/** Findings that an error holds. */
const ISSUES_MAX = 20;
const MESSAGE_MAX = 1_000;
const TYPE_MAX = 128;

/** The first findings of an answer, and the number of all. */
interface ValidationIssues {
  readonly issues: readonly ValidationIssue[];
  readonly total: number;
}

/** Reads both 422 shapes, also both at once, into one list. The input is safe to show and bounded. */
function validationIssues(details: unknown, detail: unknown): ValidationIssues {
  const issues: ValidationIssue[] = [];
  for (const item of asList(detail)) issues.push(...itemIssues(item));
  if (isObject(details)) {
    for (const [path, messages] of Object.entries(details)) {
      for (const message of asList(messages)) {
        // Items of the second shape in the place of the first.
        if (isObject(message) && 'loc' in message) issues.push(...itemIssues(message));
        else issues.push({ path, message: messageText(message) });
      }
    }
  } else {
    for (const item of asList(details)) issues.push(...itemIssues(item));
  }
  return { issues: issues.slice(0, ISSUES_MAX), total: issues.length };
}

function itemIssues(item: unknown): ValidationIssue[] {
  if (!isObject(item)) return item === null || item === undefined ? [] : [{ path: '', message: messageText(item) }];
  const loc = asList(item['loc']).filter((part) => typeof part === 'string' || typeof part === 'number');
  const [first] = loc;
  const path = (first === 'body' || first === 'query' || first === 'path' ? loc.slice(1) : loc).join('.');
  const type = firstText([item['type']])?.slice(0, TYPE_MAX);
  return [{ path, message: messageText(item['msg'] ?? item['message']), ...(type !== undefined && { type }) }];
}

function messageText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MESSAGE_MAX);
  return value === undefined || value === null ? 'is invalid' : JSON.stringify(value).slice(0, MESSAGE_MAX);
}

/** The facts about the existing invoice in the details of INVOICE_ALREADY_EXISTS. The interface does not name the members. */
interface Conflict {
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
  /** Undefined unless the details hold the whole invoice. */
  readonly existing: Invoice | undefined;
}

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

const STATUS_MAX = 64;
const STATUS_NAMES = ['status', 'existing_status', 'invoice_status', 'existing_invoice_status', 'current_status'];

/** Returns the details, and those of their members that may be the existing invoice. */
function holdersIn(details: Data): Data[] {
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
