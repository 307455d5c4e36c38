import { unwrapped } from '../../contract/envelope.ts';
import { isObject } from '../../contract/json.ts';

/** Errors of a list that are looked at for a code. */
const LOOKED_AT = 20;

/** A failure envelope, in whatever state it arrived. All of it is from outside: nothing here is safe to show. */
export interface Refusal {
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The second 422 shape: the member `detail`, at any level where it was seen. */
  readonly detail: unknown;
}

type Data = Readonly<Record<string, unknown>>;

/** Takes the members from wherever a service plausibly puts them; never fails. */
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

/** True when a 2xx is a refusal: it has an error with a code, or the envelope's flag says so. */
export function isRefusal(body: unknown, mayBeAttempt: boolean): boolean {
  if (!isObject(body)) return false;
  return codedError(body) !== null || (saysNo(body['success']) && !(mayBeAttempt && isAttempt(body)));
}

/** True when a body carries an error with a code: beneath a redirect, only that is a refusal. */
export function hasCodedError(body: unknown): boolean {
  return isObject(body) && codedError(body) !== null;
}

/** True when a refusal carries what was asked for as well: nobody knows which of the two is right. */
export function contradictsItself(body: unknown): boolean {
  if (!isObject(body) || saysNo(body['success'])) return false;
  const payload = unwrapped(body['data']);
  return isObject(payload) && Object.hasOwn(payload, 'uuid');
}

/** `success: false`, in every spelling that says it. Any other word says nothing: the payload decides. */
function saysNo(flag: unknown): boolean {
  if (typeof flag === 'string') return NO.has(flag.trim().toLowerCase());
  return flag === false || flag === 0;
}

const NO: ReadonlySet<string> = new Set(['false', 'f', '0', 'no', 'n', 'off']);

/** The error that has a code, as the error itself, in a list of errors, or in the data. */
function codedError(body: Data): Data | null {
  const { data } = body;
  // A resource, or an attempt of a delivery, may have an error of its own, which is no refusal.
  const inData = isObject(data) && !Object.hasOwn(data, 'uuid') && !isAttempt(data) ? data : {};
  const errors = [body['error'], body['errors'], inData['error'], inData['errors']].flatMap(listOf);
  return errors.filter(isObject).find((error) => firstText([error['code']]) !== null) ?? null;
}

/** An attempt of a delivery has a flag `success` as well: resend may answer the one that it started. */
function isAttempt(value: unknown): boolean {
  return isObject(value) && ATTEMPT_NAMES.some((name) => Object.hasOwn(value, name));
}

const ATTEMPT_NAMES = ['duration_ms', 'triggered_by'];
const ATTEMPT_DEEPEST = 4;

/** True when an attempt of a delivery stands anywhere in the body: it was made, whatever else the answer says. */
export function holdsAttempt(body: unknown, depth = 0): boolean {
  if (isAttempt(body)) return true;
  if (typeof body !== 'object' || body === null || depth >= ATTEMPT_DEEPEST) return false;
  const members = Array.isArray(body) ? listOf(body) : Object.values(body).slice(0, LOOKED_AT);
  return members.some((member) => holdsAttempt(member, depth + 1));
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.slice(0, LOOKED_AT);
  return value === null || value === undefined ? [] : [value];
}

/** Uncut: it is cut where it is shown, and not in the middle of a key. */
function firstText(values: readonly unknown[]): string | null {
  return values.filter((value) => typeof value === 'string').find((text) => text !== '') ?? null;
}
