import { isObject, type JsonObject } from './json.ts';
import type { DeliveryAttempt, WebhookDelivery } from './types.ts';
import { dateFrom, Problem } from './values/scalars.ts';

/** Reads a number, also from digits as text. */
export function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Reads the attempts made so far, also from text such as "2/7". */
export function countOrNull(value: unknown): number | null {
  return numberOrNull(typeof value === 'string' ? value.split('/')[0]?.trim() : value);
}

/** Reads true and false in the forms that services write. */
export function flagOrNull(value: unknown): boolean | null {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1') return true;
  return word === false || word === 0 || word === 'false' || word === '0' ? false : null;
}

/**
 * The plausible wire names of each member of the record, the most likely first. Names are compared without case, `_` and
 * `-`.
 */
const RECORD_NAMES: Readonly<Record<keyof WebhookDelivery, readonly string[]>> = {
  id: [
    'x_webhook_id',
    'delivery_id',
    'delivery_uuid',
    'webhook_id',
    'webhook_delivery_id',
    'webhook_uuid',
    'uuid',
    'id',
  ],
  event_type: ['event_type', 'event', 'type', 'event_name'],
  status: ['status', 'state', 'delivery_status'],
  attempts: ['attempts', 'attempts_made', 'attempt_count', 'attempts_count'],
  max_attempts: ['max_attempts', 'attempts_max', 'max_attempt_count'],
  last_http_status: [
    'last_http_status',
    'last_status_code',
    'last_http_status_code',
    'last_response_status',
    'http_status',
    'last_status',
  ],
  next_retry_at: ['next_retry_at', 'next_retry_time', 'next_retry', 'next_attempt_at', 'retry_at'],
  delivered_at: ['delivered_at', 'delivered_time', 'delivery_time', 'received_at'],
  attempt_log: ['attempt_log', 'attempts_log', 'attempts', 'attempt_logs', 'log', 'logs', 'history', 'attempt_history'],
};

/** The interface shows these names. A service may still write them in another case. */
const ATTEMPT_NAMES: readonly (keyof DeliveryAttempt)[] = [
  'status_code',
  'success',
  'error',
  'duration_ms',
  'triggered_by',
  'created_at',
];

/** Names that may hold the list, or one record. */
const LIST_NAMES = ['items', 'deliveries', 'webhook_deliveries', 'webhooks', 'results', 'data'];
const RECORD_WRAPPERS = ['delivery', 'webhook_delivery', 'webhook'];
const WRAPPERS = [...LIST_NAMES, ...RECORD_WRAPPERS, 'history', 'webhook_history', 'delivery_history'];
/** An invoice has one terminal webhook. A longer list is left unchanged, so that decoding refuses its first row. */
const DELIVERIES_MAX = 1_000;
/** Attempts of all deliveries in one answer. Seven are usual for each, and each manual resend adds one. */
const ATTEMPTS_MAX = 10_000;
const TOO_MANY_ATTEMPTS = new Problem(`takes the answer beyond ${ATTEMPTS_MAX} attempts`);
/** Objects around the list, without the envelope. */
const WRAPPERS_MAX = 3;

function normalized(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Finds members by name, compared without case, `_` and `-`. The exact name comes first. */
class Members {
  readonly #raw: JsonObject;
  readonly #byNormalizedName: ReadonlyMap<string, string>;

  constructor(raw: JsonObject) {
    this.#raw = raw;
    this.#byNormalizedName = new Map(Object.keys(raw).map((name) => [normalized(name), name]));
  }

  /** Returns the first value that fits, in the order of the names. Undefined where none fits. */
  find(names: readonly string[], fits: (value: unknown) => boolean): unknown {
    for (const name of names) {
      const found = Object.hasOwn(this.#raw, name) ? name : this.#byNormalizedName.get(normalized(name));
      if (found !== undefined && fits(this.#raw[found])) return this.#raw[found];
    }
    return undefined;
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Returns the record under the names of this package. Other members are unchanged. `attempts` may be the count or the log. */
function renamedRecord(given: unknown, budget: { attempts: number }): unknown {
  const raw = unwrappedRecord(given);
  if (!isObject(raw)) return raw;
  const members = new Members(raw);
  const record: Record<string, unknown> = { ...raw };
  for (const [name, candidates] of Object.entries(RECORD_NAMES)) {
    record[name] = members.find(candidates, (value) => isList(value) === (name === 'attempt_log'));
  }
  const attempts = isList(record['attempt_log']) ? record['attempt_log'] : [];
  budget.attempts -= attempts.length;
  if (budget.attempts < 0) return { ...record, attempt_log: TOO_MANY_ATTEMPTS };
  const log = attempts.map(renamedAttempt);
  record['attempt_log'] = log;
  record['attempts'] = countOrNull(record['attempts']) ?? log.length;
  record['status'] ??= statusByLog(log, record['next_retry_at']);
  if (typeof record['id'] === 'number') record['id'] = String(record['id']);
  return record;
}

function renamedAttempt(raw: unknown): unknown {
  if (!isObject(raw) || Object.hasOwn(raw, 'status_code')) return raw; // the names of the interface
  const members = new Members(raw);
  const attempt: Record<string, unknown> = { ...raw };
  for (const name of ATTEMPT_NAMES) attempt[name] = members.find([name], () => true);
  return attempt;
}

/** Returns the status that follows from the last attempt, for a record without one. Undefined where the log does not show it. */
function statusByLog(log: readonly unknown[], nextRetry: unknown): string | undefined {
  const last = lastOf(log.filter(isObject));
  if (last === undefined) return undefined;
  const code = numberOrNull(last['status_code']);
  const isSuccess = flagOrNull(last['success']) ?? (code === null ? null : code >= 200 && code < 300);
  if (isSuccess === null) return undefined;
  if (isSuccess) return 'delivered';
  return (nextRetry ?? '') === '' ? 'failed' : 'pending';
}

/** Returns the latest attempt by time, because a log may begin with its newest. Without times it is the one at the end. */
function lastOf(log: readonly JsonObject[]): JsonObject | undefined {
  const times = log.map(({ created_at }) => timeOf(created_at));
  if (times.some(Number.isNaN)) return log.at(-1);
  return log[times.lastIndexOf(times.reduce((latest, time) => Math.max(latest, time), 0))];
}

function timeOf(value: unknown): number {
  const date = dateFrom(value);
  return date instanceof Date ? date.getTime() : (numberOrNull(value) ?? Number.NaN);
}

/** Returns a record without the object around it, which may hold its attempts. */
function unwrappedRecord(raw: unknown): unknown {
  if (!isObject(raw) || isRecord(raw)) return raw;
  const inner = new Members(raw).find(RECORD_WRAPPERS, isObject);
  return isObject(inner) ? { ...raw, ...inner } : raw;
}

/** True for an object that has an id and a status or a log. */
function isRecord(raw: JsonObject): boolean {
  const members = new Members(raw);
  const isPresent = (value: unknown): boolean => (value ?? null) !== null && !isList(value);
  if (members.find(RECORD_NAMES.id, isPresent) === undefined) return false;
  return (
    members.find(RECORD_NAMES.status, isPresent) !== undefined ||
    members.find(RECORD_NAMES.attempt_log, isList) !== undefined
  );
}

/** Returns the list of deliveries from a list, a page, a list under a name, or a single record. The interface does not show which. */
export function readDeliveryList(raw: unknown, depth = 0): unknown {
  if (raw === null) return [];
  if (isList(raw)) {
    if (raw.length > DELIVERIES_MAX) return raw;
    const budget = { attempts: ATTEMPTS_MAX };
    return raw.map((record) => renamedRecord(record, budget));
  }
  if (!isObject(raw)) return raw;
  if (Object.keys(raw).length === 0) return [];
  const members = new Members(raw);
  const list = members.find(LIST_NAMES, (value) => value === null || isList(value));
  if (list !== undefined) return readDeliveryList(list, depth);
  if (isRecord(raw)) return readDeliveryList([raw]);
  const inner = depth < WRAPPERS_MAX ? members.find(WRAPPERS, (value) => isList(value) || isObject(value)) : undefined;
  if (inner === undefined) return raw;
  const isWrappedRecord = isObject(inner) && isRecord(inner);
  return readDeliveryList(isWrappedRecord ? [{ ...raw, ...inner }] : inner, depth + 1);
}
