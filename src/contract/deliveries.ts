import { after, check, listOf, openEnum, optionalScalar, parameters, resource, shapeOf, text } from './codecs.ts';
import type { Endpoint } from './endpoint.ts';
import { isObject } from './envelope.ts';
import { ident } from './parameters.ts';
import { dateFrom } from './scalars.ts';
import type { DeliveryAttempt, EventType, KnownDeliveryStatus, WebhookDelivery } from './types.ts';

// The types inside the record and its log are not shown: what cannot be read as the type that the name promises is
// null, because a history with a gap tells more than none.
function numberOrNull(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Attempts made so far, perhaps written "2/7". */
function countOrNull(value: unknown): number | null {
  return numberOrNull(typeof value === 'string' ? value.split('/')[0]?.trim() : value);
}

function flagOrNull(value: unknown): boolean | null {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1') return true;
  return word === false || word === 0 || word === 'false' || word === '0' ? false : null;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return 'too deeply nested to show'; // thousands of levels parse, but cannot be written
  }
}

function dateOrNull(value: unknown): Date | null {
  const date = dateFrom(value);
  if (date instanceof Date) return date;
  const number = numberOrNull(value);
  // Seconds until the year 5138, milliseconds from 1973 on.
  const time = new Date(number === null ? Number.NaN : number < 100_000_000_000 ? number * 1000 : number);
  return Number.isNaN(time.getTime()) ? null : time;
}

const unsaid = { kind: 'anything' } as const;

const attemptShape = shapeOf<DeliveryAttempt>()({
  status_code: optionalScalar(numberOrNull, unsaid),
  success: optionalScalar(flagOrNull, unsaid),
  error: optionalScalar(textOrNull, unsaid),
  duration_ms: optionalScalar(numberOrNull, unsaid),
  triggered_by: optionalScalar(textOrNull, unsaid),
  created_at: optionalScalar(dateOrNull, unsaid),
});

const deliveryShape = shapeOf<WebhookDelivery>()({
  id: text,
  event_type: optionalScalar((value) => textOrNull(value) as EventType | null, unsaid),
  status: openEnum<KnownDeliveryStatus>(['pending', 'delivering', 'delivered', 'failed']),
  attempts: optionalScalar<number>((value) => countOrNull(value) ?? 0, unsaid),
  max_attempts: optionalScalar(numberOrNull, unsaid),
  last_http_status: optionalScalar(numberOrNull, unsaid),
  next_retry_at: optionalScalar(dateOrNull, unsaid),
  delivered_at: optionalScalar(dateOrNull, unsaid),
  attempt_log: listOf<DeliveryAttempt>(resource(attemptShape)),
});

const delivery = resource(deliveryShape, 'WebhookDelivery', { namesUnsaid: true });

/** Our name for each member of the record, and the names under which the wire may plausibly carry it. */
const WIRE_NAMES: Readonly<Record<keyof WebhookDelivery, readonly string[]>> = {
  id: ['delivery_id', 'delivery_uuid', 'webhook_id', 'webhook_delivery_id', 'uuid', 'id'],
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

/** Finds each member under any of its plausible names. `attempts` may be the count or the log itself. */
function named(raw: unknown): unknown {
  if (!isObject(raw)) return raw;
  const record: Record<string, unknown> = { ...raw };
  for (const [name, candidates] of Object.entries(WIRE_NAMES)) {
    const isLog = name === 'attempt_log';
    const found = candidates.find(
      (candidate) => Object.hasOwn(raw, candidate) && Array.isArray(raw[candidate]) === isLog,
    );
    record[name] = found === undefined ? undefined : raw[found];
  }
  record['attempt_log'] ??= [];
  if (countOrNull(record['attempts']) === null && Array.isArray(record['attempt_log'])) {
    record['attempts'] = record['attempt_log'].length;
  }
  if (typeof record['id'] === 'number') record['id'] = String(record['id']);
  return record;
}

const LIST_NAMES = ['items', 'deliveries', 'webhook_deliveries', 'webhooks', 'results', 'data'];

/** A list, a page, a list under a name, or one record alone: whether it is paginated is not shown. */
function deliveryList(raw: unknown): unknown {
  if (raw === null) return [];
  const name = isObject(raw) ? LIST_NAMES.find((candidate) => Object.hasOwn(raw, candidate)) : undefined;
  const list = isObject(raw) && name !== undefined ? (raw[name] ?? []) : raw;
  if (Array.isArray(list)) return list;
  const record = named(list);
  return isObject(record) && record['id'] !== undefined && record['status'] !== undefined ? [list] : list;
}

/** @see service interface, "GET /api/v1/external/invoices/{ident}/webhooks" */
export const listDeliveries: Endpoint<WebhookDelivery[]> = {
  operation: 'webhooks.deliveries',
  method: 'GET',
  path: '/api/v1/external/invoices/{ident}/webhooks',
  idempotent: true,
  envelope: 'unsaid',
  params: check(() => parameters({ ident })),
  query: null,
  body: null,
  data: check(() => after(deliveryList, listOf(after(named, delivery)))),
};

/** @see service interface, "POST /api/v1/external/invoices/{ident}/resend-webhook" */
export const resendWebhook: Endpoint<void> = {
  operation: 'webhooks.resend',
  method: 'POST',
  path: '/api/v1/external/invoices/{ident}/resend-webhook',
  idempotent: false, // each one starts an attempt of its own
  envelope: 'unsaid',
  params: check(() => parameters({ ident })),
  query: null,
  body: null,
  data: () => ({ ok: true, value: undefined }), // the response body is not shown, so nothing is read from it
};
