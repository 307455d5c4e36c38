import { unwrapped } from '../contract/envelope.ts';
import { getInvoice } from '../contract/invoices.ts';
import { isObject } from '../contract/json.ts';
import type { Invoice, InvoiceStatus } from '../contract/types.ts';
import type { ValidationIssue } from '../errors/error-fields.ts';

/** Members of a list that are searched for an error. */
const LOOKED_AT = 20;

/** The members of a failure envelope, as received. None of them is safe to show. */
export interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

type Data = Readonly<Record<string, unknown>>;

/** Reads the members from each place where a service may put them. Never throws. */
export function findRefusal(body: unknown): Refusal {
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
export function contradictsItself(body: unknown): boolean {
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
export function holdsAttempt(body: unknown, depth = 0): boolean {
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
export const ISSUES_MAX = 20;
const MESSAGE_MAX = 1_000;
const TYPE_MAX = 128;

/** The first findings of an answer, and the number of all. */
export interface ValidationIssues {
  readonly issues: readonly ValidationIssue[];
  readonly total: number;
}

/** Reads both 422 shapes, also both at once, into one list. The input is safe to show and bounded. */
export function validationIssues(details: unknown, detail: unknown): ValidationIssues {
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
export interface Conflict {
  readonly externalId: string | null;
  readonly existingStatus: InvoiceStatus | null;
  /** Undefined unless the details hold the whole invoice. */
  readonly existing: Invoice | undefined;
}

/** @see [Known codes](../../docs/service-interface.md#known-codes) */
export function conflictIn(value: unknown): Conflict {
  const details = isObject(value) ? value : {};
  const nested = holdersIn(details)[1] ?? {};
  const read = getInvoice.data(details);
  const status = firstText([...STATUS_NAMES.map((name) => details[name]), nested['status']]);
  const externalId = firstText([details['external_id'], details['order_id'], nested['external_id']]);
  return {
    externalId: externalId?.slice(0, EXTERNAL_ID_MAX) ?? null,
    // Any text is an InvoiceStatus. Its type only completes the known ones.
    existingStatus: (status?.slice(0, STATUS_MAX) ?? null) as InvoiceStatus | null,
    existing: read.ok ? read.value : undefined,
  };
}

const EXTERNAL_ID_MAX = 512;
const STATUS_MAX = 64;
const STATUS_NAMES = ['status', 'existing_status', 'invoice_status', 'existing_invoice_status', 'current_status'];

/** Returns the details, and those of their members that may be the existing invoice. */
function holdersIn(details: Data): Data[] {
  return [details, details['invoice'], details['existing_invoice'], details['existing']].filter(isObject);
}

/** True when a conflict names another external_id than the one that was sent. Case and outer spaces are ignored. */
export function namesAnother(details: unknown, sent: string | null): boolean {
  if (!isObject(details)) return false;
  const found = holdersIn(details).map((holder) => holder['external_id']);
  const named = found.find((id) => id !== undefined && id !== null);
  if (typeof named !== 'string' || named === '' || sent === null) return false;
  return named.trim().toLowerCase() !== sent.trim().toLowerCase();
}
