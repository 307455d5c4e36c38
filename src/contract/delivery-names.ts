import { isObject } from './json.ts';
import type { DeliveryAttempt, WebhookDelivery } from './types.ts';
import { dateFrom, Problem } from './values/scalars.ts';

type Wire = Readonly<Record<string, unknown>>;

/** A number, or digits as text. */
export function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Attempts made so far, perhaps written "2/7". */
export function countOrNull(value: unknown): number | null {
  return numberOrNull(typeof value === 'string' ? value.split('/')[0]?.trim() : value);
}

/** True and false in the forms in which services write them. */
export function flagOrNull(value: unknown): boolean | null {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1') return true;
  return word === false || word === 0 || word === 'false' || word === '0' ? false : null;
}

/**
 * Our name for each member of the record, and the names under which the wire may plausibly carry it, the surest first.
 * Names are compared without case, `_` and `-`.
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

/** The interface shows these; a service that writes the record in another case writes them so, too. */
const ATTEMPT_NAMES: Readonly<Record<keyof DeliveryAttempt, readonly string[]>> = {
  status_code: ['status_code'],
  success: ['success'],
  error: ['error'],
  duration_ms: ['duration_ms'],
  triggered_by: ['triggered_by'],
  created_at: ['created_at'],
};

/** Names under which the list, or one record, may stand in an object. */
const LIST_NAMES = ['items', 'deliveries', 'webhook_deliveries', 'webhooks', 'results', 'data'];
const RECORD_WRAPPERS = ['delivery', 'webhook_delivery', 'webhook'];
const WRAPPERS = [...LIST_NAMES, ...RECORD_WRAPPERS, 'history', 'webhook_history', 'delivery_history'];
/** An invoice has one terminal webhook. So many rows are no history; as they came, they are refused at the first one. */
const DELIVERIES_MAX = 1_000;
/** Attempts in one answer, of all its deliveries. Seven are usual, and each manual resend adds one. */
const ATTEMPTS_MAX = 10_000;
const TOO_MANY_ATTEMPTS = new Problem(`takes the answer beyond ${ATTEMPTS_MAX} attempts`);
/** The envelope aside: under a name, and once more under another. */
const WRAPPED_DEEPEST = 3;

function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Looks members up by names that are compared without case, `_` and `-`; the exact name wins. */
class Members {
  readonly #raw: Wire;
  readonly #byBareName = new Map<string, string>();

  constructor(raw: Wire) {
    this.#raw = raw;
    for (const name of Object.keys(raw)) {
      const known = this.#byBareName.get(bare(name));
      if (known === undefined) this.#byBareName.set(bare(name), name);
    }
  }

  /** The value of the first of these names that has a fitting one; undefined for none. */
  find(names: readonly string[], fits: (value: unknown) => boolean): unknown {
    for (const name of names) {
      const found = Object.hasOwn(this.#raw, name) ? name : this.#byBareName.get(bare(name));
      if (found !== undefined && fits(this.#raw[found])) return this.#raw[found];
    }
    return undefined;
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The record under our names, with what it has besides as it came. `attempts` may be the count or the log itself. */
function named(given: unknown, room: { attempts: number } = { attempts: ATTEMPTS_MAX }): unknown {
  const raw = unwrappedRecord(given);
  if (!isObject(raw)) return raw;
  const members = new Members(raw);
  const record: Record<string, unknown> = { ...raw };
  for (const [name, candidates] of Object.entries(RECORD_NAMES)) {
    record[name] = members.find(candidates, (value) => isList(value) === (name === 'attempt_log'));
  }
  const attempts = isList(record['attempt_log']) ? record['attempt_log'] : [];
  room.attempts -= attempts.length;
  if (room.attempts < 0) return { ...record, attempt_log: TOO_MANY_ATTEMPTS };
  const log = attempts.map(namedAttempt);
  record['attempt_log'] = log;
  record['attempts'] = countOrNull(record['attempts']) ?? log.length;
  record['status'] ??= statusByLog(log, record['next_retry_at']);
  if (typeof record['id'] === 'number') record['id'] = String(record['id']);
  return record;
}

function namedAttempt(raw: unknown): unknown {
  if (!isObject(raw) || Object.hasOwn(raw, 'status_code')) return raw; // the interface's own names
  const members = new Members(raw);
  const attempt: Record<string, unknown> = { ...raw };
  for (const [name, candidates] of Object.entries(ATTEMPT_NAMES)) attempt[name] = members.find(candidates, () => true);
  return attempt;
}

/** What the last attempt came to, for a record that does not say its status; undefined where the log does not tell. */
function statusByLog(log: readonly unknown[], nextRetry: unknown): string | undefined {
  const last = lastOf(log.filter(isObject));
  if (last === undefined) return undefined;
  const code = numberOrNull(last['status_code']);
  const isSuccess = flagOrNull(last['success']) ?? (code === null ? null : code >= 200 && code < 300);
  if (isSuccess === null) return undefined;
  if (isSuccess) return 'delivered';
  return (nextRetry ?? '') === '' ? 'failed' : 'pending';
}

/** By the time of the attempts, because a log may begin with its newest; without times, the one at the end. */
function lastOf(log: readonly Wire[]): Wire | undefined {
  const times = log.map(({ created_at }) => timeOf(created_at));
  if (times.some(Number.isNaN)) return log.at(-1);
  return log[times.lastIndexOf(times.reduce((latest, time) => Math.max(latest, time), 0))];
}

function timeOf(value: unknown): number {
  const date = dateFrom(value);
  return date instanceof Date ? date.getTime() : (numberOrNull(value) ?? Number.NaN);
}

/** A record that stands under a name, perhaps with its attempts beside it. */
function unwrappedRecord(raw: unknown): unknown {
  if (!isObject(raw) || isRecord(raw)) return raw;
  const inner = new Members(raw).find(RECORD_WRAPPERS, isObject);
  return isObject(inner) ? { ...raw, ...inner } : raw;
}

/** True for an object that says which delivery it is and what became of it. */
function isRecord(raw: Wire): boolean {
  const members = new Members(raw);
  const isGiven = (value: unknown): boolean => (value ?? null) !== null && !isList(value);
  if (members.find(RECORD_NAMES.id, isGiven) === undefined) return false;
  return (
    members.find(RECORD_NAMES.status, isGiven) !== undefined ||
    members.find(RECORD_NAMES.attempt_log, isList) !== undefined
  );
}

/** A list, a page, a list under a name, or one record alone: whether it is paginated is not shown. */
export function deliveryList(raw: unknown, depth = 0): unknown {
  if (raw === null) return [];
  if (isList(raw)) {
    if (raw.length > DELIVERIES_MAX) return raw;
    const room = { attempts: ATTEMPTS_MAX };
    return raw.map((record) => named(record, room));
  }
  if (!isObject(raw)) return raw;
  if (Object.keys(raw).length === 0) return [];
  const members = new Members(raw);
  const list = members.find(LIST_NAMES, (value) => value === null || isList(value));
  if (list !== undefined) return deliveryList(list, depth);
  if (isRecord(raw)) return [named(raw)];
  const inner =
    depth < WRAPPED_DEEPEST ? members.find(WRAPPERS, (value) => isList(value) || isObject(value)) : undefined;
  if (inner === undefined) return raw;
  const isWrappedRecord = isObject(inner) && isRecord(inner);
  return isWrappedRecord ? [named({ ...raw, ...inner })] : deliveryList(inner, depth + 1);
}
